"""Inspection through the pages: asked, approved by others, looked at for a while, closed; broken glass; refusals."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from browsing import TENANT, Site
from operating_pages import EVERY, granted, inspector, person_with_safety, routine, sound

from iris_memory.access.issuers import Role
from iris_memory.contracts.inspection import Inspection, InspectionState
from words import stands_in

pytestmark = pytest.mark.enable_socket
HERE = "/operators/inspection"


@pytest.fixture(autouse=True)
def steady(site: Site) -> Iterator[None]:
    """Let a second go by between tests, and leave inspection going on."""
    site.clock.step()
    yield
    inspector(site, "admin", "ann").kill_switch(on=False)


def latest(site: Site) -> Inspection:
    """Return the inspection that was asked for last."""
    return inspector(site, "admin", "ann").list()[-1]


def test_every_page_and_state_has_no_violation_and_fits_a_narrow_phone(site: Site) -> None:
    person_with_safety(site, "ines")
    waiting, given = routine(site, "ines"), granted(site, "ines", actor="op")
    denied = inspector(site, "legal", "lea").deny(routine(site, "ines", actor="tim").inspection_id)
    assert isinstance(denied, Inspection)
    paths = [HERE, f"{HERE}?show=waiting", f"{HERE}?show=review", f"{HERE}/ask", f"{HERE}/break-glass"]
    paths += [f"{HERE}/notices", f"{HERE}/report", f"{HERE}/stop"]
    paths += [f"{HERE}/{one.inspection_id}" for one in (waiting, given, denied)]
    paths += [f"{HERE}/{waiting.inspection_id}/{name}" for name in ("approve", "deny", "take-back", "look")]
    paths += [f"{HERE}/{given.inspection_id}/{name}" for name in ("look", "replay", "close", "review", "tell-later")]
    assert sound(site, paths) == {}


def test_the_view_is_marked_told_and_ends_with_its_grant(site: Site) -> None:
    person_with_safety(site, "karl")
    given = granted(site, "karl", actor="op")
    address = f"{HERE}/{given.inspection_id}/look"
    with site.client("op", roles=[Role.SUPPORT]) as client:
        answer = client.get(address)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["refresh"] == f"3601; url={HERE}/{given.inspection_id}"
        assert answer.text.count(f"op · {site.clock.now():%Y-%m-%d %H:%M:%S} UTC") >= 5
        assert not stands_in("karl", answer.text)
        left = client.get(f"{HERE}/{given.inspection_id}/remaining")
        assert "60 minutes left" in left.text
    site.clock.step(timedelta(minutes=61))
    with site.client("op", roles=[Role.SUPPORT]) as client:
        over = client.get(address)
        assert over.status_code == 403
        assert "grant-expired" in over.text
        assert "near the river" not in over.text
        gone = client.get(f"{HERE}/{given.inspection_id}/remaining")
        assert gone.headers["hx-redirect"] == f"{HERE}/{given.inspection_id}"


def test_the_view_cannot_be_selected_or_printed_and_names_its_parts(site: Site) -> None:
    person_with_safety(site, "lena")
    given = granted(site, "lena", actor="op")
    page = site.visit("op", f"{HERE}/{given.inspection_id}/look", roles=[Role.SUPPORT])
    assert page.locator(".granted").evaluate("one => getComputedStyle(one).userSelect") == "none"
    assert page.get_by_role("button", name="Copy").count() == 0
    snapshot = page.locator("main").aria_snapshot()
    for words in ('heading "Granted view"', "What this view rests on", "approved by ann", "minutes left", "Close it"):
        assert words in snapshot
    page.emulate_media(media="print")
    assert not page.locator(".granted").is_visible()


def test_a_grant_is_for_the_one_who_asked(site: Site) -> None:
    person_with_safety(site, "mara")
    given = granted(site, "mara", actor="sam")
    page = site.visit("other", f"{HERE}/{given.inspection_id}/look", roles=[Role.SUPPORT])
    told = page.get_by_role("alert").inner_text()
    assert "not-the-requester" in told
    assert "What would be needed: a request of your own." in told
    assert site.memory("mara").looked() == []


def test_nobody_approves_their_own_request(site: Site) -> None:
    person_with_safety(site, "nils")
    own = routine(site, "nils", actor="ann", role="admin")
    page = site.visit("ann", f"{HERE}/{own.inspection_id}/approve", roles=[Role.ADMIN])
    page.get_by_role("button", name="Approve it").click()
    told = page.get_by_role("alert").inner_text()
    assert "self-approval" in told
    assert latest(site).state is InspectionState.ROUTINE_REVIEW


def test_looking_and_approving_take_a_fresh_sign_in(site: Site) -> None:
    person_with_safety(site, "olga")
    waiting, given = routine(site, "olga"), granted(site, "olga", actor="op")
    with site.client("op", roles=EVERY, aged=timedelta(minutes=6)) as client:
        for path in (
            f"{HERE}/{waiting.inspection_id}/approve",
            f"{HERE}/{given.inspection_id}/look",
            f"{HERE}/{given.inspection_id}/replay",
            f"{HERE}/break-glass",
        ):
            assert "fresh=1" in client.get(path).headers["location"], path
        assert "fresh=1" in client.post(f"{HERE}/{waiting.inspection_id}/approve").headers["location"]
    assert site.memory("olga").looked() == []


def test_a_denial_shows_its_rule_and_what_would_be_needed(site: Site) -> None:
    person_with_safety(site, "pia")
    wide = routine(site, "pia", categories=["preference"], most=1)
    inspector(site, "admin", "ann").approve(wide.inspection_id)
    page = site.visit("sam", f"{HERE}/{wide.inspection_id}", roles=[Role.SUPPORT])
    told = page.locator(".box.danger").inner_text()
    assert "scope-too-wide" in told
    assert "What would be needed: A narrower query" in told


def test_a_request_that_names_nothing_or_two_things_keeps_what_was_typed(site: Site) -> None:
    page = site.visit("sam", f"{HERE}/ask", roles=[Role.SUPPORT])
    page.get_by_label("Whose memory").fill("nobody-here")
    page.get_by_label("Reason").select_option("support-case")
    page.get_by_label("Reference", exact=True).fill("CASE-2")
    page.get_by_role("button", name="Ask to look").click()
    assert "Everything is no answer." in page.get_by_role("alert").inner_text()
    page.get_by_label("Scope").select_option("assistant_profile")
    page.get_by_role("button", name="Ask to look").click()
    assert "Nothing is kept of a person with this id." in page.get_by_role("alert").inner_text()
    assert page.get_by_label("Reference", exact=True).input_value() == "CASE-2"
    assert page.get_by_label("Scope").input_value() == "assistant_profile"


def test_stopping_takes_no_fresh_sign_in_and_letting_it_go_on_does(site: Site) -> None:
    with site.client("ann", roles=[Role.ADMIN], aged=timedelta(minutes=6)) as client:
        assert client.get(f"{HERE}/stop").status_code == 200
        assert client.post(f"{HERE}/stop", data={"on": "yes"}).headers["location"] == HERE
        assert inspector(site, "admin", "ann").kill_switch().on  # type: ignore[union-attr]
        for answer in (client.get(f"{HERE}/stop"), client.post(f"{HERE}/stop", data={"on": "no"})):
            assert answer.status_code == 303
            assert "fresh=1" in answer.headers["location"]
        assert inspector(site, "admin", "ann").kill_switch().on  # type: ignore[union-attr]


def test_the_queue_is_sorted_by_its_headings_and_paged(site: Site) -> None:
    person_with_safety(site, "quin")
    names = []
    for number in range(52):
        site.clock.step()
        names.append(routine(site, "quin", actor=f"queue-{number:02}").inspection_id)
    page = site.visit("ann", f"{HERE}?show=waiting", roles=[Role.ADMIN], script=False)
    assert page.locator("th[aria-sort]").inner_text().startswith("Time left")
    page.get_by_role("link", name="Asked by", exact=True).click()
    assert page.locator("th[aria-sort]").inner_text().startswith("Asked by")
    assert "show=waiting" in page.url
    rows = page.locator("tbody tr")
    assert rows.count() == 50
    seen = rows.all_inner_texts()
    page.get_by_role("link", name="Later rows").click()
    seen += page.locator("tbody tr").all_inner_texts()
    asked_by = [text.split("queue-")[1][:2] for text in seen if "queue-" in text]
    assert asked_by == sorted(asked_by)
    assert len(asked_by) == 52
    with site.client("ann", roles=[Role.ADMIN]) as client:
        newest = client.get(f"{HERE}?sort=asked").text
        assert newest.index(names[-1]) < newest.index(names[-2])
        for odd in ("sort=nothing", "show=nothing", "page=99"):
            assert client.get(f"{HERE}?{odd}").status_code == 200


def test_the_notices_page_says_who_was_told_when_and_alarms_go_to_those_who_approve(site: Site) -> None:
    person_with_safety(site, "nora")
    given = granted(site, "nora", actor="sam")
    bait = next(one for one in site.memory("nora").list().entries if "river" in one.body)
    inspector(site, "admin", "ann").set_canary(bait.logical_id, planted=True)
    inspector(site, "support", "sam").read(given.inspection_id)
    page = site.visit("ann", f"{HERE}/notices", roles=[Role.ADMIN])
    alarm = page.get_by_role("region", name="Alarms").get_by_role("row").filter(has_text="Canary touched").first
    assert "Not yet" in alarm.inner_text()
    inspector(site, "admin", "ann").deliver_pending(lambda what: None)
    page.reload()
    assert "Not yet" not in page.get_by_role("region", name="Alarms").inner_text()
    with site.client("sam", roles=[Role.SUPPORT]) as client:
        words = client.get(f"{HERE}/notices").text
        assert "Canary" not in words
        assert "Alarms go to those who approve" in words
    inspector(site, "admin", "ann").set_canaries([])


def test_a_replay_shows_what_was_forgotten_since_as_erased(site: Site) -> None:
    me = site.memory("tara")
    person_with_safety(site, "tara")
    given = granted(site, "tara", actor="sam")
    inspector(site, "support", "sam").read(given.inspection_id)
    gone = next(entry for entry in me.list().entries if "harbour" in entry.body)
    me.forget(gone.logical_id)
    page = site.visit("lea", f"{HERE}/{given.inspection_id}/replay", roles=[Role.LEGAL])
    words = page.locator(".granted").inner_text()
    assert "near the river" in words
    assert "harbour" not in words
    assert "Erased" in words
    assert "Receipt" in words


def test_inspections_of_another_tenant_and_missing_ones_look_the_same(site: Site) -> None:
    other = site.iris.for_user(tenant="other", user="zoe")
    other.consent.grant("data_processing", "data_storage", terms="We keep what you tell us.")
    other.remember("Prefers trains", category="preference")
    foreign = site.iris.inspections(tenant="other", actor="x", role="support").request(
        "zoe", path="routine-review", reason="support-case", reference="C", target={"categories": ["preference"]}
    )
    assert isinstance(foreign, Inspection)
    with site.client("op", roles=EVERY) as client:
        for act in ("", "/look", "/approve", "/remaining"):
            texts = {client.get(f"{HERE}/{name}{act}").status_code for name in (foreign.inspection_id, "missing")}
            assert texts == {404}
    assert TENANT != "other"
