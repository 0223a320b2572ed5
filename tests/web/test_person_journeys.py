"""Each flow of the person from its first page to its last, by mouse, with and without script, over a real store."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from browsing import Site, focused, press, tab_to
from playwright.sync_api import Page, expect

from flows.stores import bodies, written
from iris_memory.contracts.entry import Lifecycle
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.scope import NotebookScope, SessionScope
from iris_memory.contracts.write import ActorMention, AskUser, Statement
from iris_memory.front.person import PersonMemory

pytestmark = pytest.mark.enable_socket
SCRIPT = pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
OLD = timedelta(minutes=6)


def kept(me: PersonMemory, body: str, **more: object) -> str:
    return written(me.remember(body, **more)).entry.logical_id  # type: ignore[arg-type]


def button(page: Page, words: str) -> None:
    with page.expect_navigation():
        page.get_by_role("main").get_by_role("button", name=words).click()


@SCRIPT
def test_forgetting_one_takes_a_fresh_sign_in_and_gives_a_receipt(site: Site, script: bool) -> None:
    me = site.memory("me")
    name = kept(me, f"Collects stamps {script}")
    page = site.visit("me", "/memory", script=script, aged=OLD)
    page.get_by_role("link", name=f"Collects stamps {script}").click()
    page.get_by_role("link", name="Forget", exact=True).nth(-1).click()
    expect(page.get_by_role("heading", name="Sign in once more")).to_be_visible()
    assert "fresh=1" in page.url
    button(page, "Sign in")
    assert page.url.endswith(f"/memory/{name}/forget")
    expect(page.get_by_text("1 memory, in every revision")).to_be_visible()
    expect(page.get_by_role("heading", name="What stays, and why")).to_be_visible()
    assert me.show(name)[0].lifecycle is Lifecycle.ACTIVE  # nothing happened yet
    button(page, "Forget this")
    expect(page.get_by_role("heading", name="Forgotten for good")).to_be_visible()
    expect(page.get_by_text("nothing left")).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save the receipt").click()
    receipt = ForgetReceipt.model_validate_json(Path(saved.value.path()).read_text())
    assert receipt in site.iris.receipts(tenant="local")
    assert f"Collects stamps {script}" not in {entry.body for entry in me.list().entries}


@SCRIPT
def test_a_correction_that_meets_another_saying_is_asked_about_first(site: Site, script: bool) -> None:
    user = f"corrects-{script}"
    me = site.memory(user)
    kept(me, "Drinks tea in the morning", category="preference", subject="morning drink")
    name = kept(me, "Drinks water at noon", category="preference", subject="noon drink")
    page = site.visit(user, f"/memory/{name}", script=script)
    page.get_by_role("link", name="Correct", exact=True).click()
    page.get_by_label("What is remembered").fill("Drinks coffee in the morning")
    page.get_by_label("What it is about").fill("morning drink")
    button(page, "Save the correction")
    expect(page.get_by_role("heading", name="Two things you said do not fit together")).to_be_visible()
    expect(page.get_by_text("Drinks tea in the morning")).to_be_visible()
    assert me.show(name)[0].body == "Drinks water at noon"  # as it was
    button(page, "Answer")
    expect(page.get_by_role("alert").get_by_text("Skipping is one too")).to_be_visible()
    page.get_by_label("Replace it with the new words").check()
    button(page, "Answer")
    expect(page.get_by_role("status").get_by_text("Answered.")).to_be_visible()
    assert "Drinks coffee in the morning" in bodies(me, "morning drink")
    assert "Drinks tea in the morning" not in bodies(me, "morning drink")


def test_a_correction_of_something_that_changed_meanwhile_is_shown_and_not_lost(site: Site) -> None:
    me = site.memory("late")
    name = kept(me, "Lives near the harbour")
    page = site.visit("late", f"/memory/{name}/edit")
    me.revise(name, "Lives near the station")
    page.get_by_label("What is remembered").fill("Lives near the park")
    button(page, "Save the correction")
    expect(page.get_by_text("It was changed since you opened it").first).to_be_visible()
    expect(page.get_by_text("Lives near the station")).to_be_visible()
    assert page.get_by_label("What is remembered").input_value() == "Lives near the park"
    button(page, "Save the correction")
    expect(page.get_by_role("status").get_by_text("Saved.")).to_be_visible()
    assert [entry.body for entry in me.history(name)] == [
        "Lives near the harbour",
        "Lives near the station",
        "Lives near the park",
    ]


def test_words_that_look_sensitive_are_asked_for_their_category(site: Site) -> None:
    me = site.memory("careful")
    name = kept(me, "Goes to town on Mondays")
    page = site.visit("careful", f"/memory/{name}/edit")
    page.get_by_label("What is remembered").fill("Takes insulin for diabetes on Mondays")
    button(page, "Save the correction")
    expect(page.get_by_text("The words look sensitive").first).to_be_visible()
    page.get_by_label("Category").select_option("medical")
    button(page, "Save the correction")
    expect(page.get_by_text("has a consent of its own").first).to_be_visible()
    assert me.show(name)[0].body == "Goes to town on Mondays"


@SCRIPT
def test_everything_is_set_aside_for_a_week_and_comes_back(site: Site, script: bool) -> None:
    user = f"leaves-{script}"
    me = site.memory(user)
    for body in ("Sings in a choir", "Keeps bees"):
        kept(me, body)
    page = site.visit(user, "/forget", script=script)
    page.get_by_role("link", name="Forget everything").click()
    expect(page.get_by_text("2 memories, in every revision")).to_be_visible()
    page.get_by_label("In 7 days, with time to change my mind").check()
    button(page, "Forget all 2")
    expect(page.get_by_text("7 days left to bring them back")).to_be_visible()
    assert bodies(me, "choir bees") == []
    site.clock.step(timedelta(days=2, hours=1))
    page = site.visit(user, "/forget", script=script)
    page.get_by_role("link", name="See it, or bring it back").click()
    expect(page.get_by_text("4 days 23 hours left")).to_be_visible()
    button(page, "Bring it back")
    expect(page.get_by_text("Everything that was set aside is in use again")).to_be_visible()
    assert set(bodies(me, "choir bees")) == {"Sings in a choir", "Keeps bees"}


def test_everything_goes_at_once_where_that_is_chosen(site: Site) -> None:
    me = site.memory("goes")
    kept(me, "Sings in a choir")
    page = site.visit("goes", "/forget/everything")
    page.get_by_label("Now, for good").check()
    button(page, "Forget all 1")
    expect(page.get_by_role("heading", name="Forgotten for good")).to_be_visible()
    assert me.list().total == 0


def test_a_category_somebody_and_a_source_are_forgotten(site: Site) -> None:
    me = site.memory("tidy")
    kept(me, "Wants to learn Greek", category="goal")
    kept(me, "Sees Noor on Saturdays", actor=ActorMention(name="Noor", relationship_note="a niece"))
    kept(me, "Was told about the ferry", session="ferry-talk")
    kept(me, "Was told about the port", session="ferry-talk")
    stays = kept(me, "Reads in the evening")
    page = site.visit("tidy", "/forget")
    page.get_by_role("link", name="Forget all in Goal").click()
    button(page, "Forget the one in Goal")
    page.goto("/forget")
    page.get_by_role("link", name="Forget every mention of a niece").click()
    button(page, "Forget 1 memory about them")
    ferry = next(entry for entry in me.list().entries if "ferry" in entry.body)
    page.goto(f"/memory/{ferry.logical_id}")
    page.locator("main details > summary").first.click()
    page.get_by_role("link", name="Forget everything from this source").click()
    page.wait_for_url("**/sources/1/forget")
    assert "ferry-talk" not in page.url
    button(page, "Forget 2 memories from this source")
    expect(page.get_by_text("You forgot its source")).to_be_visible()
    assert [entry.logical_id for entry in me.list().entries] == [stays]
    page.goto("/forget")
    assert page.get_by_role("link", name="forgotten").count() == 3


@SCRIPT
def test_a_pause_is_on_every_page_and_outlives_the_browser(site: Site, script: bool) -> None:
    user = f"rests-{script}"
    me = site.memory(user)
    page = site.visit(user, "/memory", script=script)
    page.get_by_role("link", name="Pause remembering").click()
    button(page, "Pause remembering")
    for address in ("/memory", "/consent", "/never"):
        page = site.visit(user, address, script=script)  # another browser each time
        expect(page.get_by_text("Nothing is being written or read there")).to_be_visible()
    assert getattr(me.remember("Said off the record"), "reason", None) == "off-the-record"
    page.get_by_role("link", name="Resume or see what this means").click()
    button(page, "Resume everywhere")
    expect(page.get_by_role("status").get_by_text("Resumed.")).to_be_visible()
    assert page.get_by_text("Remembering is paused").count() == 0
    kept(me, "Said on the record")


@SCRIPT
def test_a_memory_moves_by_the_rules_of_its_scope(site: Site, script: bool) -> None:
    user = f"moves-{script}"
    me = site.memory(user)
    trip = SessionScope(user_id=user, session_id="lisbon")
    name = kept(me, "Arrives on the night train", scope=trip, session="lisbon")
    page = site.visit(user, f"/memory/{name}/move", script=script)
    expect(page.get_by_text("It is of that kind already")).to_be_visible()
    page.get_by_label("To a notebook").check()
    button(page, "Move it")
    expect(page.get_by_role("alert").get_by_text("Type the name of the notebook")).to_be_visible()
    assert page.get_by_label("To a notebook").is_checked()
    page.get_by_label("Which notebook").fill("travels")
    button(page, "Move it")
    expect(page.get_by_role("status").get_by_text("Moved.")).to_be_visible()
    assert me.show(name)[0].scope == NotebookScope(user_id=user, notebook_id="travels")


def test_a_memory_is_set_aside_and_taken_back_into_use(site: Site) -> None:
    me = site.memory("sorts")
    name = kept(me, "Plays the cello")
    page = site.visit("sorts", f"/memory/{name}")
    button(page, "Set aside")
    expect(page.get_by_text("Set aside, as you asked")).to_be_visible()
    assert bodies(me, "cello") == []
    button(page, "Take back into use")
    expect(page.get_by_role("status").get_by_text("Back in use.")).to_be_visible()
    assert bodies(me, "cello") == ["Plays the cello"]


@SCRIPT
def test_a_consent_is_given_and_taken_back_with_its_reach_before(site: Site, script: bool) -> None:
    user = f"agrees-{script}"
    me = site.memory(user)
    page = site.visit(user, "/consent", script=script)
    for title in ("Sensitive memory", "Medical"):
        if not page.locator("details:has(.consents)").evaluate("one => one.open"):
            page.get_by_text("21 sensitive kinds").click()
        page.get_by_role("link", name=f"Read and agree {title}", exact=True).click()
        page.get_by_role("button", name="Agree", exact=True).click()
        expect(page.get_by_text("It is in force from now on")).to_be_visible()
    assert {"sensitive_data", "category:medical"} <= me.consent.active()
    kept(me, "Allergic to penicillin", category="medical")
    page.get_by_role("link", name="Take back Sensitive memory").click()
    expect(page.get_by_text("1 memory, in every revision: forgotten for good")).to_be_visible()
    expect(page.get_by_text("With it ends: Medical")).to_be_visible()
    button(page, "Take it back")
    expect(page.get_by_text("You took a consent back")).to_be_visible()
    assert me.list().total == 0
    page.goto("/consent")
    assert page.get_by_role("cell", name="Taken back").count() == 2
    page.get_by_label("Notebooks").check()
    button(page, "Save what I opted out of")
    assert {one.value for one in me.opt_outs()} == {"notebooks"}


@SCRIPT
def test_words_that_are_sought_stand_in_no_address(site: Site, script: bool) -> None:
    user = f"seeks-{script}"
    me = site.memory(user)
    me.remember_many([Statement(body=f"Walked past lighthouse number {one}") for one in range(60)])
    kept(me, "Likes quinces")
    page = site.visit(user, "/memory", script=script)
    page.get_by_label("Search for words").fill("Lighthouse")
    button(page, "Search")
    expect(page.get_by_text("60 things found, of 61 things remembered.")).to_be_visible()
    assert "lighthouse" not in page.url.lower()
    page.get_by_role("link", name="Show the next 40").click()
    page.wait_for_url("**cursor=*")
    expect(page.get_by_text("20 of 60 on this page")).to_be_visible()
    page.reload()
    assert page.get_by_label("Search for words").input_value() == "Lighthouse"
    foreign = site.visit("somebody-else", page.url, script=script)
    assert foreign.url.endswith("/memory")


def test_with_script_the_list_alone_is_loaded_and_the_address_says_so(site: Site) -> None:
    me = site.memory("filters")
    kept(me, "Wants to learn Greek", category="goal")
    kept(me, "Likes quinces", category="preference")
    page = site.visit("filters", "/memory")
    page.evaluate("() => { document.body.dataset.same = 'yes' }")
    page.get_by_label("Category").select_option("goal")
    page.get_by_text("1 thing found, of 2 things remembered.").wait_for()
    assert "category=goal" in page.url
    assert page.evaluate("() => document.body.dataset.same") == "yes"
    assert page.get_by_role("link", name="Likes quinces").count() == 0
    page.reload()
    assert page.get_by_label("Category").input_value() == "goal"
    without = site.visit("filters", "/memory", script=False)
    without.get_by_label("Category").select_option("goal")
    button(without, "Show")
    expect(without.get_by_role("link", name="Wants to learn Greek")).to_be_visible()
    assert without.get_by_role("link", name="Likes quinces").count() == 0


def test_seeing_everything_and_taking_it_along(site: Site, tmp_path: Path) -> None:
    me = site.memory("asks")
    kept(me, "Likes quinces")
    page = site.visit("asks", "/rights")
    page.get_by_role("link", name="See everything").click()
    button(page, "Send the request")
    page.get_by_role("link", name="See everything").click()
    expect(page.get_by_text("Likes quinces")).to_be_visible()
    page.goto("/rights/new?kind=export")
    button(page, "Send the request")
    expect(page.get_by_text("two proofs").first).to_be_visible()
    request = page.url.split("/rights/")[1].partition("?")[0]
    challenge = site.iris.rights_desk("local").challenge(request, "phone-otp")
    page.get_by_label("A code by phone").check()
    page.get_by_label("The code, or the last part of the link").fill("00000000")
    button(page, "Prove it with this")
    expect(page.get_by_text("That is not the code that was sent").first).to_be_visible()
    page.get_by_label("A code by phone").check()
    page.get_by_label("The code, or the last part of the link").fill(challenge.secret)  # type: ignore[union-attr]
    button(page, "Prove it with this")
    page.get_by_role("link", name="Go to the export").click()
    button(page, "Make the export")
    expect(page.get_by_text("The file is there")).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the export").click()
    assert Path(saved.value.path()).read_bytes()[:2] == b"PK"


def test_devices_and_the_look_of_the_pages(site: Site) -> None:
    me = site.memory("carries")
    me.devices.name("kitchen", "Kitchen tablet")
    page = site.visit("carries", "/devices")
    page.get_by_role("link", name="Kitchen tablet").click()
    page.get_by_label("Name").fill("Old tablet")
    button(page, "Save the name")
    page.get_by_role("link", name="Old tablet").click()
    button(page, "Remove this device")
    expect(page.get_by_text("No device was seen yet")).to_be_visible()
    background = "() => getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    with page.expect_navigation():
        page.get_by_role("button", name="Dark").click()
    assert page.evaluate(background) != light
    with page.expect_navigation():
        page.get_by_role("button", name="As the system").click()
    assert page.evaluate(background) == light


def test_the_keyboard_alone_searches_corrects_and_saves(site: Site) -> None:
    me = site.memory("types")
    name = kept(me, "Likes quinces")
    page = site.visit("types", "/memory")
    tab_to(page, "Search for words")
    page.keyboard.type("quinces")
    page.keyboard.press("Enter")
    page.wait_for_url("**/found/**")
    press(page, "Likes quinces")
    press(page, "Correct")
    page.wait_for_url("**/edit")
    tab_to(page, "What is remembered")
    page.keyboard.press("Control+A")
    page.keyboard.type("Likes medlars")
    press(page, "Save the correction")
    page.wait_for_url("**done=saved")
    assert me.show(name)[0].body == "Likes medlars"


def test_the_keyboard_alone_forgets_and_answers_and_pauses(site: Site) -> None:
    me = site.memory("presses")
    kept(me, "Likes quinces", category="preference", subject="fruit")
    assert isinstance(me.remember("Likes medlars", category="preference", subject="fruit"), AskUser)
    page = site.visit("presses", "/questions")
    press(page, "Two things you said do not fit together")
    tab_to(page, "Keep what was there")
    page.keyboard.press("ArrowDown")  # radios of one group are one stop; arrows go from one to the next
    assert focused(page) == "Replace it with the new words"
    press(page, "Answer")
    page.wait_for_url("**done=answered")
    assert bodies(me, "fruit") == ["Likes medlars"]
    page.goto("/memory")
    press(page, "Actions")
    press(page, "Forget")
    page.wait_for_url("**/forget")
    press(page, "Forget this")
    page.wait_for_url("**/receipts/**")
    assert me.list().total == 0
    page.goto("/pause")
    press(page, "Pause remembering")
    page.wait_for_url("**done=paused")
    assert len(me.pauses()) == 1


def test_a_phone_opens_the_pages_from_one_line(site: Site) -> None:
    page = site.visit("phones", "/memory", size=(390, 844))
    expect(page.get_by_role("navigation").get_by_role("link", name="Consent")).to_be_hidden()
    press(page, "All pages")
    press(page, "Consent")
    page.wait_for_url("**/consent")
    expect(page.get_by_role("heading", name="Consent", level=1)).to_be_visible()
