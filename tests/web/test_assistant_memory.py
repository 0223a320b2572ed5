"""The admin assistant's page: the conversation, and the collapsed Memory drawer with its words and controls."""

from __future__ import annotations

import pytest
from browsing import Site, axe, press, tab_to
from operating_pages import notes_of, sound

from iris_memory.access.issuers import Role
from iris_memory.errors import StorageError
from iris_memory.flows import operator_notes
from iris_memory.web.echoing import offer_in

pytestmark = pytest.mark.enable_socket
ADMIN = [Role.ADMIN]
OPEN = "/assistant?memory=open"


@pytest.fixture(autouse=True)
def steady(site: Site) -> None:
    """Let a second go by between tests."""
    site.clock.step()


def kept(site: Site, operator: str, *names: str) -> None:
    """Keep notes of an operator, one for each slot."""
    for name in names or ("tone",):
        notes_of(site, operator).confirm(
            category="style", slot=name, value=f"Short answers about {name}", marker="confirm-entry"
        )


def test_every_page_has_no_violation_and_fits_a_narrow_phone(site: Site) -> None:
    kept(site, "op", "tone", "length")
    page = site.visit("op", OPEN, roles=ADMIN)
    links = [link.get_attribute("href") or "" for link in page.locator(".drawer a").all()]
    site.close_pages()
    assert len(links) == 5
    assert sound(site, ["/assistant", OPEN, *links], roles=ADMIN) == {}


def test_the_conversation_owns_the_drawer_which_is_collapsed_beneath_it(site: Site) -> None:
    kept(site, "ann", "tone", "length")
    page = site.visit("ann", "/assistant", roles=ADMIN)
    drawer = page.locator("#memory")
    assert drawer.get_attribute("open") is None
    assert drawer.locator("summary").inner_text() == "Memory 2 notes"
    assert not page.get_by_role("link", name="Correct style, tone").is_visible()
    assert page.locator("#conversation").bounding_box()["y"] < drawer.bounding_box()["y"]  # type: ignore[index]
    press(page, "Memory 2 notes")
    assert page.get_by_role("link", name="Correct style, tone").is_visible()


def test_a_note_shows_every_field_in_the_words_of_the_surface(site: Site) -> None:
    kept(site, "bo")
    text = site.visit("bo", OPEN, roles=ADMIN).locator("#memory").inner_text()
    for words in (
        "Confirmed in assistant chat",
        "Not used in a prompt yet",
        "Admin assistant → Memory",
        "Operator profile",
        "Until forgotten, or until the operator's account is erased",
        "Short answers about tone",
    ):
        assert words in text
    notes_of(site, "bo").correct(category="style", slot="tone", value="Long answers", marker="save-correction")
    assert "Saved in memory controls" in site.visit("bo", OPEN, roles=ADMIN).locator("#memory").inner_text()


def test_looking_at_the_drawer_marks_no_use_and_a_prompt_does(site: Site) -> None:
    kept(site, "cy")
    page = site.visit("cy", OPEN, roles=ADMIN, script=False)
    assert notes_of(site, "cy").list().notes[0].last_used_at is None
    page.get_by_label("Message").fill("What about the tone of answers?")
    page.get_by_role("button", name="Say it").click()
    assert "A prompt for this would get 1 note of 1." in page.get_by_role("log").inner_text()
    assert "Short answers about tone" in page.get_by_role("log").inner_text()
    assert notes_of(site, "cy").list().notes[0].last_used_at == site.clock.now()


def test_a_note_is_corrected_by_the_keyboard_alone(site: Site) -> None:
    kept(site, "ed")
    notes_of(site, "ed").recall("tone")
    page = site.visit("ed", OPEN, roles=ADMIN)
    press(page, "Correct")
    page.wait_for_url("**/correct")
    tab_to(page, "Value")
    page.keyboard.press("Control+A")
    page.keyboard.type("Answers of one line")
    press(page, "Save the correction")
    page.wait_for_url("**did=corrected")
    (note,) = notes_of(site, "ed").list().notes
    assert note.value == "Answers of one line"
    assert note.last_used_at is None
    assert page.locator("#memory").get_attribute("open") is not None


def test_forgetting_all_takes_two_steps_and_reaches_nobody_else(site: Site) -> None:
    kept(site, "gil", "tone", "length")
    kept(site, "hew")
    page = site.visit("gil", OPEN, roles=ADMIN)
    page.get_by_role("link", name="Forget all 2").click()
    assert len(notes_of(site, "gil").list().notes) == 2
    page.get_by_role("button", name="Forget all 2").click()
    assert "Tick this" in page.get_by_role("alert").inner_text()
    assert len(notes_of(site, "gil").list().notes) == 2
    page.get_by_label("Every note listed here is to go").check()
    page.get_by_role("button", name="Forget all 2").click()
    assert notes_of(site, "gil").list().notes == ()
    assert len(notes_of(site, "hew").list().notes) == 1


def test_a_form_without_its_marker_changes_nothing(site: Site) -> None:
    kept(site, "ida")
    with site.client("ida", roles=ADMIN) as client:
        text = client.get(OPEN).text
        ref = text.split("/assistant/notes/")[1].split("/")[0]
        for path, data in (
            (f"{ref}/forget", {}),
            (f"{ref}/forget", {"marker": "forget-all"}),
            (f"{ref}/correct", {"value": "Other", "marker": "forget-entry"}),
            ("forget-all", {"sure": "yes", "marker": "forget-entry"}),
        ):
            assert client.post(f"/assistant/notes/{path}", data=data).status_code in {409, 422}
    assert [note.value for note in notes_of(site, "ida").list().notes] == ["Short answers about tone"]


def test_addresses_of_notes_say_nothing_and_are_of_one_operator(site: Site) -> None:
    kept(site, "jo")
    kept(site, "kim")
    with site.client("jo", roles=ADMIN) as jo, site.client("kim", roles=ADMIN) as kim:
        ref = jo.get(OPEN).text.split("/assistant/notes/")[1].split("/")[0]
        assert "style" not in ref
        assert jo.get(f"/assistant/notes/{ref}/forget").status_code == 200
        assert kim.get(f"/assistant/notes/{ref}/forget").status_code == 404
        assert kim.get(f"/assistant/notes/{'0' * 32}/forget").status_code == 404


def test_session_only_says_so_and_offers_nothing_to_click(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(site, "lu")

    def unreadable(*_: object, **__: object) -> None:
        raise StorageError("the store cannot be read")

    monkeypatch.setattr(operator_notes, "with_known_person", unreadable)
    page = site.visit("lu", OPEN, roles=ADMIN)
    drawer = page.locator("#memory")
    assert "Session only." in drawer.inner_text()
    assert drawer.locator("a, button, input").count() == 0
    assert axe(page) == []


def test_the_page_opens_to_admins_alone(site: Site) -> None:
    with site.client("moe", roles=[Role.SUPPORT]) as client:
        answer = client.get("/assistant")
        assert answer.status_code == 403
        assert "It takes the role admin." in answer.text


@pytest.mark.parametrize("said", ["remember this", "remember a/b", "remember / b: c", f"remember {'a' * 65} / b: c"])
def test_what_names_no_whole_note_offers_none(said: str) -> None:
    assert offer_in(said) is None
