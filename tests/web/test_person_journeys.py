"""Every flow of the person, from its first page to its last, each by mouse, by keyboard alone and without script."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

import pytest
from browsing import Site, press
from playwright.sync_api import Error, Route, expect
from ways import EVERY_WAY, Way, at

from flows.stores import bodies, written
from iris_memory.contracts.entry import Lifecycle
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.rights import RightsState
from iris_memory.contracts.scope import NotebookScope, SessionScope
from iris_memory.contracts.write import ActorMention, AskUser, Statement
from iris_memory.front.person import PersonMemory

pytestmark = pytest.mark.enable_socket
OLD = timedelta(minutes=6)


def kept(me: PersonMemory, body: str, **more: object) -> str:
    return written(me.remember(body, **more)).entry.logical_id  # type: ignore[arg-type]


@EVERY_WAY
def test_forgetting_one_takes_a_fresh_sign_in_and_gives_a_receipt(site: Site, way: Way) -> None:
    me = site.memory("me")
    name = kept(me, f"Collects stamps {way}")
    my = at(site, way, "me", "/memory", aged=OLD)
    my.link(f"Collects stamps {way}", exact=True)
    my.link("Forget", exact=True, nth=-1)
    expect(my.page.get_by_role("heading", name="Sign in once more")).to_be_visible()
    assert "fresh=1" in my.page.url
    my.button("Sign in", exact=True)
    assert my.page.url.endswith(f"/memory/{name}/forget")
    my.sees("1 memory, in every revision")
    expect(my.page.get_by_role("heading", name="What stays, and why")).to_be_visible()
    assert me.show(name)[0].lifecycle is Lifecycle.ACTIVE  # nothing happened yet
    my.button("Forget this")
    expect(my.page.get_by_role("heading", name="Forgotten for good")).to_be_visible()
    my.sees("nothing left")
    receipt = ForgetReceipt.model_validate_json(my.save("Save the receipt"))
    assert receipt in site.iris.receipts(tenant="local")
    assert f"Collects stamps {way}" not in {entry.body for entry in me.list().entries}


@EVERY_WAY
def test_a_memory_is_forgotten_from_its_row(site: Site, way: Way) -> None:
    user = f"rows-{way}"
    me = site.memory(user)
    kept(me, "Likes quinces")
    my = at(site, way, user, "/memory")
    my.unfold("Actions")
    my.link("Forget", exact=True, within=my.page.get_by_role("main"))
    my.button("Forget this")
    assert "/receipts/" in my.page.url
    assert me.list().total == 0


@EVERY_WAY
def test_a_category_somebody_and_a_source_are_forgotten(site: Site, way: Way) -> None:
    user = f"tidy-{way}"
    me = site.memory(user)
    kept(me, "Wants to learn Greek", category="goal")
    kept(me, "Sees Noor on Saturdays", actor=ActorMention(name="Noor", relationship_note="a niece"))
    kept(me, "Was told about the ferry", session="ferry-talk")
    kept(me, "Was told about the port", session="ferry-talk")
    stays = kept(me, "Reads in the evening")
    my = at(site, way, user, "/forget")
    my.link("Forget all in Goal")
    my.button("Forget the one in Goal")
    my.link("Forget", exact=True)
    my.link("Forget every mention of a niece")
    my.button("Forget 1 memory about them")
    my.link("Memory", exact=True)
    my.link("Was told about the ferry")
    my.unfold("A turn of a conversation")
    my.link("Forget everything from this source")
    assert my.page.url.endswith("/sources/1/forget")
    assert "ferry-talk" not in my.page.url
    my.button("Forget 2 memories from this source")
    my.sees("You forgot its source")
    assert [entry.logical_id for entry in me.list().entries] == [stays]
    my.link("Forget", exact=True)
    assert my.page.get_by_role("link", name="forgotten").count() == 3


@EVERY_WAY
def test_everything_is_set_aside_for_a_week_and_comes_back(site: Site, way: Way) -> None:
    user = f"leaves-{way}"
    me = site.memory(user)
    for body in ("Sings in a choir", "Keeps bees"):
        kept(me, body)
    my = at(site, way, user, "/forget")
    my.link("Forget everything")
    my.sees("2 memories, in every revision")
    my.check("In 7 days, with time to change my mind")
    my.button("Forget all 2")
    my.sees("7 days left to bring them back")
    assert bodies(me, "choir bees") == []
    site.clock.step(timedelta(days=2, hours=1))
    my = at(site, way, user, "/forget")
    my.link("See it, or bring it back")
    my.sees("4 days 23 hours left")
    my.button("Bring it back")
    my.sees("Everything that was set aside is in use again")
    assert set(bodies(me, "choir bees")) == {"Sings in a choir", "Keeps bees"}


@EVERY_WAY
def test_everything_goes_at_once_where_that_is_chosen(site: Site, way: Way) -> None:
    user = f"goes-{way}"
    me = site.memory(user)
    kept(me, "Sings in a choir")
    my = at(site, way, user, "/forget/everything")
    my.check("Now, for good")
    my.button("Forget all 1")
    expect(my.page.get_by_role("heading", name="Forgotten for good")).to_be_visible()
    assert me.list().total == 0


@EVERY_WAY
def test_a_correction_that_meets_another_saying_is_asked_about_first(site: Site, way: Way) -> None:
    user = f"corrects-{way}"
    me = site.memory(user)
    kept(me, "Drinks tea in the morning", category="preference", subject="morning drink")
    name = kept(me, "Drinks water at noon", category="preference", subject="noon drink")
    my = at(site, way, user, f"/memory/{name}")
    my.link("Correct", exact=True)
    my.write("What is remembered", "Drinks coffee in the morning")
    my.write("What it is about", "morning drink")
    my.button("Save the correction")
    expect(my.page.get_by_role("heading", name="Two things you said do not fit together")).to_be_visible()
    my.sees("Drinks tea in the morning")
    assert me.show(name)[0].body == "Drinks water at noon"  # as it was
    my.button("Answer")
    expect(my.page.get_by_role("alert").get_by_text("Skipping is one too")).to_be_visible()
    my.check("Replace it with the new words")
    my.button("Answer")
    expect(my.page.get_by_role("status").get_by_text("Answered.")).to_be_visible()
    assert "Drinks coffee in the morning" in bodies(me, "morning drink")
    assert "Drinks tea in the morning" not in bodies(me, "morning drink")


@EVERY_WAY
def test_a_correction_of_something_that_changed_meanwhile_is_shown_and_not_lost(site: Site, way: Way) -> None:
    user = f"late-{way}"
    me = site.memory(user)
    name = kept(me, "Lives near the harbour")
    my = at(site, way, user, f"/memory/{name}/edit")
    me.revise(name, "Lives near the station")
    my.write("What is remembered", "Lives near the park")
    my.button("Save the correction")
    my.sees("It was changed since you opened it")
    my.sees("Lives near the station")
    assert my.page.get_by_label("What is remembered").input_value() == "Lives near the park"
    my.button("Save the correction")
    expect(my.page.get_by_role("status").get_by_text("Saved.")).to_be_visible()
    revisions = ["Lives near the harbour", "Lives near the station", "Lives near the park"]
    assert [entry.body for entry in me.history(name)] == revisions


@EVERY_WAY
def test_words_that_look_sensitive_are_asked_for_their_category(site: Site, way: Way) -> None:
    user = f"careful-{way}"
    me = site.memory(user)
    name = kept(me, "Goes to town on Mondays")
    my = at(site, way, user, f"/memory/{name}/edit")
    my.write("What is remembered", "Takes insulin for diabetes on Mondays")
    my.button("Save the correction")
    my.sees("The words look sensitive")
    my.choose("Category", "medical")
    my.button("Save the correction")
    my.sees("has a consent of its own")
    assert me.show(name)[0].body == "Goes to town on Mondays"


@EVERY_WAY
def test_a_question_is_answered_and_another_skipped(site: Site, way: Way) -> None:
    user = f"answers-{way}"
    me = site.memory(user)
    for subject, first, then in (("fruit", "Likes quinces", "Likes medlars"), ("drink", "Likes tea", "Likes maté")):
        kept(me, first, category="preference", subject=subject)
        assert isinstance(me.remember(then, category="preference", subject=subject), AskUser)
    my = at(site, way, user, "/memory")
    my.link("2 questions wait for you.")
    my.link("Two things you said do not fit together")
    my.check("Skip for now")
    my.button("Answer")
    my.link("Two things you said do not fit together")
    said = {"Likes quinces": "Likes medlars", "Likes tea": "Likes maté"}
    (old,) = (one for one in said if my.page.get_by_text(one).count())
    my.check("Replace it with the new words")
    my.button("Answer")
    expect(my.page.get_by_role("status").get_by_text("Answered.")).to_be_visible()
    listed = {entry.body for entry in me.list().entries}
    assert (old in listed, said[old] in listed) == (False, True)
    assert len(me.inbox.questions()) == 1, "what was skipped waits"


@EVERY_WAY
def test_a_pause_is_on_every_page_and_outlives_the_browser(site: Site, way: Way) -> None:
    user = f"rests-{way}"
    me = site.memory(user)
    my = at(site, way, user, "/memory")
    my.link("Pause remembering")
    my.button("Pause remembering")
    for address in ("/memory", "/consent", "/never"):
        my = at(site, way, user, address)  # another browser each time
        my.sees("Nothing is being written or read there")
    assert getattr(me.remember("Said off the record"), "reason", None) == "off-the-record"
    my.link("Resume or see what this means")
    my.button("Resume everywhere")
    expect(my.page.get_by_role("status").get_by_text("Resumed.")).to_be_visible()
    assert my.page.get_by_text("Remembering is paused").count() == 0
    kept(me, "Said on the record")


@EVERY_WAY
def test_a_memory_moves_by_the_rules_of_its_scope(site: Site, way: Way) -> None:
    user = f"moves-{way}"
    me = site.memory(user)
    trip = SessionScope(user_id=user, session_id="lisbon")
    name = kept(me, "Arrives on the night train", scope=trip, session="lisbon")
    my = at(site, way, user, f"/memory/{name}/move")
    my.sees("It is of that kind already")
    my.check("To a notebook")
    my.button("Move it")
    expect(my.page.get_by_role("alert").get_by_text("Type the name of the notebook")).to_be_visible()
    assert my.page.get_by_label("To a notebook").is_checked()
    my.write("Which notebook", "travels")
    my.button("Move it")
    expect(my.page.get_by_role("status").get_by_text("Moved.")).to_be_visible()
    assert me.show(name)[0].scope == NotebookScope(user_id=user, notebook_id="travels")


@EVERY_WAY
def test_a_memory_is_set_aside_and_taken_back_into_use(site: Site, way: Way) -> None:
    user = f"sorts-{way}"
    me = site.memory(user)
    name = kept(me, "Plays the cello")
    my = at(site, way, user, f"/memory/{name}")
    my.button("Set aside")
    my.sees("Set aside, as you asked")
    assert bodies(me, "cello") == []
    my.button("Take back into use")
    expect(my.page.get_by_role("status").get_by_text("Back in use.")).to_be_visible()
    assert bodies(me, "cello") == ["Plays the cello"]


@EVERY_WAY
def test_a_consent_is_given_and_taken_back_with_its_reach_before(site: Site, way: Way) -> None:
    user = f"agrees-{way}"
    me = site.memory(user)
    my = at(site, way, user, "/consent")
    for title in ("Sensitive memory", "Medical"):
        my.unfold("21 sensitive kinds")
        my.link(f"Read and agree {title}", exact=True)
        my.button("Agree", exact=True)
        my.sees("It is in force from now on")
    assert {"sensitive_data", "category:medical"} <= me.consent.active()
    kept(me, "Allergic to penicillin", category="medical")
    my.link("Take back Sensitive memory")
    my.sees("1 memory, in every revision: forgotten for good")
    my.sees("With it ends: Medical")
    my.button("Take it back")
    my.sees("You took a consent back")
    assert me.list().total == 0
    my.link("Consent", exact=True)
    assert my.page.get_by_role("cell", name="Taken back").count() == 2
    my.check("Notebooks")
    my.button("Save what I opted out of")
    assert {one.value for one in me.opt_outs()} == {"notebooks"}


@EVERY_WAY
def test_words_that_are_sought_stand_in_no_address(site: Site, way: Way) -> None:
    user = f"seeks-{way}"
    me = site.memory(user)
    me.remember_many([Statement(body=f"Walked past lighthouse number {one}") for one in range(60)])
    kept(me, "Likes quinces")
    my = at(site, way, user, "/memory")
    my.write("Search for words", "Lighthouse")
    my.button("Search")
    my.sees("60 things found, of 61 things remembered.")
    assert "lighthouse" not in my.page.url.lower()
    my.link("Show the next 40")
    my.page.wait_for_url("**cursor=*")
    my.sees("20 of 60 on this page")
    my.page.reload()
    assert my.page.get_by_label("Search for words").input_value() == "Lighthouse"
    foreign = at(site, way, "somebody-else", my.page.url)
    assert foreign.page.url.endswith("/memory")


@EVERY_WAY
def test_the_list_is_narrowed_and_the_address_says_so(site: Site, way: Way) -> None:
    user = f"filters-{way}"
    me = site.memory(user)
    kept(me, "Wants to learn Greek", category="goal")
    kept(me, "Likes quinces", category="preference")
    my = at(site, way, user, "/memory")
    my.page.evaluate("() => { document.body.dataset.same = 'yes' }")
    my.unfold("Narrow and sort")
    my.choose("Category", "goal")
    if way is Way.NO_SCRIPT:
        my.button("Show", exact=True)
    my.sees("1 thing found, of 2 things remembered.")
    expect(my.page.get_by_role("link", name="Likes quinces")).to_have_count(0)
    my.page.wait_for_url("**category=goal**")
    if way is not Way.NO_SCRIPT:
        assert my.page.evaluate("() => document.body.dataset.same") == "yes", "the list alone was loaded"
    my.page.reload()
    assert my.page.get_by_label("Category").input_value() == "goal"


def test_an_answer_that_comes_late_does_not_stand_for_a_later_choice(site: Site) -> None:
    me = site.memory("hurries")
    kept(me, "Wants to learn Greek", category="goal")
    kept(me, "Likes quinces", category="preference")
    page = site.visit("hurries", "/memory")
    held: list[Route] = []
    page.route("**/memory?*category=preference*", lambda route: held.append(route))
    page.get_by_label("Category").select_option("preference")
    page.get_by_label("Category").select_option("goal")
    page.get_by_text("1 thing found, of 2 things remembered.").wait_for()
    for route in held:
        with suppress(Error):  # it was given up, as it should be
            route.continue_()
    page.wait_for_timeout(300)
    expect(page.get_by_role("link", name="Wants to learn Greek")).to_be_visible()
    expect(page.get_by_role("link", name="Likes quinces")).to_have_count(0)
    assert "category=goal" in page.url


@EVERY_WAY
def test_seeing_everything_and_taking_it_along(site: Site, way: Way) -> None:
    user = f"asks-{way}"
    me = site.memory(user)
    kept(me, "Likes quinces")
    my = at(site, way, user, "/rights")
    my.link("See everything")
    my.button("Send the request")
    my.link("See everything")
    my.sees("Likes quinces")
    my.link("Your rights", exact=True)
    my.link("Take it along", exact=True)
    my.button("Send the request")
    my.sees("two proofs")
    request = my.page.url.split("/rights/")[1].partition("?")[0]
    challenge = site.iris.rights_desk("local").challenge(request, "phone-otp")
    for secret in ("00000000", challenge.secret):  # type: ignore[union-attr]
        my.check("A code by phone")
        my.write("The code, or the last part of the link", secret)
        my.button("Prove it with this", exact=True)
        if secret == "00000000":
            my.sees("That is not the code that was sent")
    my.link("Go to the export")
    my.button("Make the export")
    my.sees("The file is there")
    assert my.save("Save the export", "button")[:2] == b"PK"


@EVERY_WAY
def test_a_request_is_made_and_taken_back(site: Site, way: Way) -> None:
    user = f"objects-{way}"
    me = site.memory(user)
    my = at(site, way, user, "/rights")
    my.link("Take it along", exact=True)
    my.button("Send the request")
    (asked,) = me.rights.list()
    my.button("Take the request back")
    assert me.rights.show(asked.request_id).state is RightsState.CANCELLED


@EVERY_WAY
@pytest.mark.parametrize("mode", ["soft", "hard"])
def test_a_request_to_delete_takes_a_fresh_sign_in_in_either_mode(site: Site, way: Way, mode: str) -> None:
    user = f"deletes-{mode}-{way}"
    me = site.memory(user, consents=("data_processing", "data_storage", "sensitive_data", "category:medical"))
    kept(me, "Allergic to penicillin", category="medical")
    stays = kept(me, "Wants to learn Greek", category="goal")
    my = at(site, way, user, "/rights", aged=OLD)
    my.link("Delete", exact=True)
    expect(my.page.get_by_role("heading", name="Sign in once more")).to_be_visible()
    my = at(site, way, user, "/rights")
    my.link("Delete", exact=True)
    my.check("Medical")
    my.check("In 7 days" if mode == "soft" else "As soon as it is clear who asks, for good")
    my.button("Send the request")
    if mode == "soft":
        my.sees("7 days left to bring it back")
        assert "Allergic to penicillin" not in bodies(me, "penicillin")
        assert me.list().total == 2, "set aside, and shown as that"
    else:
        my.sees("1 memory, in every revision")
        assert me.list().total == 2, "nothing happened yet"
        my.button("Carry it out now")
        my.link("See the receipt")
        assert [entry.logical_id for entry in me.list().entries] == [stays]


@EVERY_WAY
def test_devices_and_the_look_of_the_pages(site: Site, way: Way) -> None:
    user = f"carries-{way}"
    me = site.memory(user)
    me.devices.name("kitchen", "Kitchen tablet")
    my = at(site, way, user, "/devices")
    my.link("Kitchen tablet")
    my.write("Name", "Old tablet")
    my.button("Save the name")
    my.link("Old tablet")
    my.button("Remove this device")
    my.sees("No device was seen yet")
    background = "() => getComputedStyle(document.body).backgroundColor"
    light = my.page.evaluate(background)
    my.button("Dark", exact=True)
    assert my.page.evaluate(background) != light
    my.button("As the system", exact=True)
    assert my.page.evaluate(background) == light


@EVERY_WAY
def test_everything_held_and_who_looked_are_a_link_away_and_signing_out_ends_it(site: Site, way: Way) -> None:
    my = at(site, way, f"leaves-{way}-for-good", "/memory")
    my.link("Nobody has looked.")
    my.sees("You were given no notice.")
    my.link("All that is held")
    my.link("Never remembered")
    my.button("Sign out")
    my.page.goto("/memory")
    assert "/sign-in" in my.page.url


def test_a_phone_opens_the_pages_from_one_line(site: Site) -> None:
    page = site.visit("phones", "/memory", size=(390, 844))
    expect(page.get_by_role("navigation").get_by_role("link", name="Consent")).to_be_hidden()
    press(page, "All pages")
    press(page, "Consent")
    page.wait_for_url("**/consent")
    expect(page.get_by_role("heading", name="Consent", level=1)).to_be_visible()
