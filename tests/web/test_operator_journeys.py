"""Every flow of an operator, from its first page to its last, each by mouse, by keyboard alone and without script."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from browsing import TENANT, Site
from operating_pages import granted, inspector, notes_of, person_with_safety, routine
from playwright.sync_api import expect
from ways import EVERY_WAY, Hands, Way, at

from iris_memory.access.issuers import Role
from iris_memory.contracts.inspection import Inspection, InspectionState
from iris_memory.contracts.rights import HoldState, RightsRequest, RightsState
from iris_memory.front.audit_trail import is_event_proved
from iris_memory.web.routes.operators_approvals import REVIEWED
from words import stands_in

pytestmark = pytest.mark.enable_socket
INSPECTION = "/operators/inspection"
RULES = "/operators/rules"
SUPPORT, ADMIN, LEGAL = [Role.SUPPORT], [Role.ADMIN], [Role.LEGAL]
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def steady(site: Site) -> Iterator[None]:
    """Let a second go by between tests, and leave inspection going on."""
    site.clock.step()
    yield
    inspector(site, "admin", "ann").kill_switch(on=False)


def said(my: Hands) -> str:
    return my.page.locator(".box.good[role=status]").inner_text()


def alerted(my: Hands) -> str:
    return my.page.get_by_role("alert").inner_text()


def latest(site: Site) -> Inspection:
    return inspector(site, "admin", "ann").list()[-1]


@EVERY_WAY
def test_one_asks_another_approves_and_the_view_shows_exactly_that_until_it_is_closed(site: Site, way: Way) -> None:
    person_with_safety(site, f"jana-{way}")
    my = at(site, way, "sam", INSPECTION, roles=SUPPORT)
    my.link("Ask to look")
    my.write("Whose memory", f"jana-{way}")
    my.choose("Reason", "support-case")
    my.write("Reference", "CASE-9", exact=True)
    my.unfold("Categories")
    my.check("Preference")
    my.button("Ask to look")
    assert "Somebody else has to approve." in said(my)
    assert my.page.get_by_role("link", name="Approve it").count() == 0
    other = at(site, way, "ann", my.page.url.split("?")[0], roles=ADMIN)
    other.link("Approve it")
    other.button("Approve it")
    assert "Your approval was recorded." in said(other)
    my.page.reload()
    my.link("Look at 3 memories")
    assert "near the river" in my.page.locator(".granted").inner_text()
    assert "former partner" not in my.page.content()
    assert [one.inspection_id for one in site.memory(f"jana-{way}").looked()] == [latest(site).inspection_id]
    my.link("Close it")
    my.button("Close it")
    assert "The grant is closed." in said(my)
    assert latest(site).state is InspectionState.CLOSED
    other.page.reload()
    other.link("Replay what was granted")
    assert "near the river" in other.page.locator(".granted").inner_text()


@EVERY_WAY
def test_a_request_is_denied_and_another_taken_back(site: Site, way: Way) -> None:
    person_with_safety(site, f"otto-{way}")
    first, second = (routine(site, f"otto-{way}", actor="sam").inspection_id for _ in range(2))
    other = at(site, way, "ann", f"{INSPECTION}/{first}", roles=ADMIN)
    other.link("Deny it")
    other.button("Deny it")
    assert "The request was denied." in said(other)
    my = at(site, way, "sam", f"{INSPECTION}/{second}", roles=SUPPORT)
    my.link("Take it back")
    my.button("Take it back")
    assert "The request was taken back." in said(my)
    mine = inspector(site, "support", "sam")
    assert {mine.show(name).state for name in (first, second)} == {InspectionState.DENIED}


@EVERY_WAY
def test_breaking_the_glass_says_who_is_told_and_somebody_else_reviews_it(site: Site, way: Way) -> None:
    user = f"ruth-{way}"
    incident = person_with_safety(site, user)
    my = at(site, way, "tom", INSPECTION, roles=[Role.TRUST_AND_SAFETY])
    my.link("Break the glass")
    told = my.page.locator(".alarm")
    assert "admin, legal, trust and safety" in told.inner_text()
    assert told.evaluate("one => getComputedStyle(one).borderTopWidth") == "4px"
    my.button("Break the glass and look now")
    assert my.page.get_by_role("alert").get_by_role("listitem").count() == 5
    my.write("Whose memory", user)
    my.write("Incident", "INC-7", exact=True)
    my.write("Signed incident reference", incident.reference)
    my.check("Safety")
    my.check("I know who will be told")
    my.button("Break the glass and look now")
    my.link("Look at 1 memory")
    assert "former partner" in my.page.locator(".granted").inner_text()
    assert "near the river" not in my.page.content()
    name = latest(site).inspection_id
    alarms = [one for one in inspector(site, "admin", "ann").alarms() if one.inspection_id == name]
    assert [one.kind.value for one in alarms] == ["break-glass"]
    other = at(site, way, "ann", INSPECTION, roles=ADMIN)
    other.link("Notices")
    other.link("A safety incident, INC-7")
    other.link("Review this look")
    other.check("Justified")
    other.button("Review this look")
    assert "The review was recorded." in said(other)
    assert inspector(site, "admin", "ann").open_reviews() == []


@EVERY_WAY
def test_all_inspection_stops_at_once_and_goes_on(site: Site, way: Way) -> None:
    person_with_safety(site, f"sven-{way}")
    given = granted(site, f"sven-{way}", actor="sam")
    my = at(site, way, "ann", INSPECTION, roles=ADMIN)
    my.link("Stop all inspection")
    my.button("Stop all inspection")
    my.sees("Inspection is stopped")
    with site.client("sam", roles=SUPPORT) as client:
        told = client.get(f"{INSPECTION}/{given.inspection_id}/look")
        assert told.status_code == 403
        assert "kill-switch-on" in told.text
    my.link("Let it go on")
    my.button("Let it go on")
    assert not inspector(site, "admin", "ann").kill_switch().on  # type: ignore[union-attr]


@EVERY_WAY
def test_a_notice_is_put_off_by_somebody_else_with_a_ground_and_an_end(site: Site, way: Way) -> None:
    person_with_safety(site, f"olga-{way}")
    given = granted(site, f"olga-{way}", actor="sam")
    my = at(site, way, "lea", f"{INSPECTION}/{given.inspection_id}", roles=LEGAL)
    my.link("Have the person told later")
    my.button("Have the person told later")
    assert "reference" in alerted(my).lower()
    my.choose("Ground", "active-investigation")
    my.write("Reference", "POL-1", exact=True)
    my.write("Until the end of", (site.clock.now() + 120 * DAY).date().isoformat())
    my.button("Have the person told later")
    assert "90 days" in alerted(my)
    until = (site.clock.now() + 30 * DAY).date()
    my.write("Until the end of", until.isoformat())
    my.button("Have the person told later")
    assert "told later" in said(my)
    kept = inspector(site, "legal", "lea").show(given.inspection_id).carve_out
    assert kept is not None
    assert (kept.ground.value, kept.reference, kept.placed_by) == ("active-investigation", "POL-1", "lea")
    assert kept.until.date() == until + DAY, "the end of that day"


@EVERY_WAY
def test_the_rules_are_set_and_taken_away(site: Site, way: Way) -> None:
    mine = inspector(site, "admin", "ann")
    mine.set_reporting_lines({})
    mine.set_canaries([])
    key = f"{list(Way).index(way):02x}" * 32
    my = at(site, way, "ann", RULES, roles=ADMIN)
    my.write("Whose key it is", f"desk of {way}")
    my.write("Public key", key)
    my.button("Register the key")
    assert "vouches for incidents" in said(my)
    my.link(f"Retire the key desk of {way}")
    my.button("Retire the key")
    assert "retired" in said(my)
    assert next(one for one in mine.incident_keys() if one.public_key == key).revoked_by == "ann"
    for operator, line in (("sam", "north"), ("SAM", "south"), ("lea", "south")):
        my.write("Operator", operator, exact=True)
        my.write("Reporting line", line, exact=True)
        my.button("Set the line")
    assert mine.reporting_lines() == {"SAM": "south", "lea": "south"}
    my.link("Remove the line of lea")
    my.sees("may approve and review for them again")
    my.button("Remove the reporting line")
    assert mine.reporting_lines() == {"SAM": "south"}
    my.link("Canaries")
    my.button("Plant the canary")
    assert "Write the id of a memory" in alerted(my)
    my.write("Id of a memory", "019cae3f-5c40-7000-8000-5f2c1d9a7b31")
    my.button("Plant the canary")
    assert mine.canaries() == ("019cae3f-5c40-7000-8000-5f2c1d9a7b31",)
    my.link("Remove the canary")
    my.button("Remove the canary")
    assert mine.canaries() == ()


def asked(site: Site, user: str, kind: str = "access") -> RightsRequest:
    """Return a request of somebody, verified by the desk."""
    request = site.memory(user).rights.submit(kind, regime="gdpr")
    outcome = site.iris.rights_desk(TENANT).sign_off(request.request_id, "court-order", actor="op-before")
    assert isinstance(outcome, RightsRequest)
    return outcome


def state(site: Site, request: RightsRequest) -> RightsState:
    """Return where a request stands."""
    return next(row.state for row in site.iris.rights_desk(TENANT).list() if row.request_id == request.request_id)


@EVERY_WAY
def test_a_request_is_taken_up_extended_and_answered(site: Site, way: Way) -> None:
    request = asked(site, f"ada-{way}")
    my = at(site, way, "op-legal", "/operators/rights", roles=LEGAL)
    my.link(f"Access request {request.request_id}")
    my.link("Take it up")
    my.button("Take it up")
    assert "The request is in progress." in said(my)
    my.link("Move the deadline")
    my.write("Reason", "Three systems have to be asked")
    my.button("Move the deadline")
    assert site.memory(f"ada-{way}").rights.show(request.request_id).was_extended
    my.link("Make the answer")
    my.check("I read what will be reached")
    my.button("Make the answer")
    assert "The request was carried out." in said(my)
    assert state(site, request) is RightsState.COMPLETED
    assert site.memory(f"ada-{way}").rights.answer(request.request_id) is not None


@EVERY_WAY
def test_a_request_is_denied_and_somebody_else_decides_the_appeal(site: Site, way: Way) -> None:
    request = asked(site, f"cleo-{way}")
    my = at(site, way, "op-legal", f"/operators/rights/{request.request_id}", roles=LEGAL)
    my.link("Deny it")
    my.write("Law behind it", "GDPR Art. 12(5)")
    my.button("Deny it")
    assert "Ground: Choose the ground." in alerted(my)
    assert my.page.get_by_label("Law behind it").input_value() == "GDPR Art. 12(5)"
    assert state(site, request) is RightsState.VERIFIED
    my.choose("Ground", "excessive")
    my.button("Deny it")
    assert state(site, request) is RightsState.FAILED
    site.memory(f"cleo-{way}").rights.appeal(request.request_id, reason="It is not")
    for operator in ("op-legal", "op-other"):
        my = at(site, way, operator, f"/operators/rights/{request.request_id}", roles=LEGAL)
        my.link("Decide the appeal")
        my.check("Overturn it")
        my.write("Reason", "It was founded")
        my.button("Decide the appeal")
        if operator == "op-legal":
            assert "own-decision" in alerted(my)
            assert "decided by somebody else" in alerted(my)
            assert my.page.get_by_label("Reason").input_value() == "It was founded"
            assert state(site, request) is RightsState.APPEALED
    assert state(site, request) is not RightsState.APPEALED


@EVERY_WAY
def test_a_hold_is_placed_by_one_confirmed_by_another_and_released(site: Site, way: Way) -> None:
    case = f"Case of {way}"
    site.memory(f"hal-{way}").remember("Keeps bees", category="preference")
    my = at(site, way, "op-one", "/operators/holds", roles=LEGAL)
    my.link("Place a hold")
    my.write("Whose memory", f"hal-{way}")
    my.write("Case or order", case)
    my.write("Reason", "A court asked")
    my.write("Ends after", (site.clock.now() + 30 * DAY).date().isoformat())
    my.button("Place the hold")
    my.link(f"Confirm {case}")
    my.button("Confirm this hold")
    assert "hold-self-confirmation" in alerted(my)
    other = at(site, way, "op-two", "/operators/holds", roles=ADMIN)
    other.link(f"Confirm {case}")
    other.button("Confirm this hold")
    assert "The hold is in force." in said(other)

    def states() -> list[HoldState]:
        return [one.state for one in site.iris.rights_desk(TENANT).holds() if one.reference == case]

    assert states() == [HoldState.IN_FORCE]
    other.link(f"Release {case}")
    other.button("Release this hold")
    assert "The hold ended." in said(other)
    assert states() == [HoldState.RELEASED]


@EVERY_WAY
def test_leave_is_asked_by_one_and_given_by_another(site: Site, way: Way) -> None:
    my = at(site, way, "op-one", "/operators/approvals", roles=LEGAL)
    my.link("Ask for leave")
    scope, word = next(iter(REVIEWED.items()))
    reason = f"A trial by {way}"
    my.choose("Scope", scope)
    my.write("Reason", reason)
    my.write("Until the end of", (site.clock.now() + 5 * DAY).date().isoformat())
    my.button("Ask for leave")
    row = my.page.get_by_role("row").filter(has_text=reason)
    my.link(f"Give leave for {word}", within=row)
    my.button("Give leave")
    assert "self-approval" in alerted(my)
    before = len(site.iris.governance(tenant=TENANT).approvals())
    other = at(site, way, "op-two", my.page.url, roles=ADMIN)
    other.button("Give leave")
    assert "Leave was given." in said(other)
    approvals = site.iris.governance(tenant=TENANT).approvals()
    assert len(approvals) == before + 1
    assert approvals[-1].approver == "op-two"


@EVERY_WAY
def test_the_trail_is_filtered_an_event_proved_and_the_chain_checked(site: Site, way: Way) -> None:
    site.memory(f"bea-{way}").remember("Plays the viola", category="preference")
    my = at(site, way, "op", "/operators/audit", roles=[Role.AUDITOR])
    my.choose("Event", "memory.written", exact=True)
    my.write("From", site.clock.now().date().isoformat())
    my.button("Filter", exact=True)
    assert "action=memory.written" in my.page.url
    rows = my.page.get_by_role("row").all_inner_texts()[1:]
    assert rows
    assert all("memory.written" in row for row in rows)
    my.link("Event ")
    my.link("Prove it is part of the log")
    my.sees("It holds.")
    text = my.save("Download the proof").decode()
    assert is_event_proved(text)
    assert not is_event_proved(json.dumps({**json.loads(text), "sequence": 1}))
    assert not stands_in("viola", text)
    my.link("Audit", exact=True)
    my.link("Check the chain")
    my.sees("The chain is whole.")


@EVERY_WAY
def test_the_policy_explainer_answers_with_the_row_that_decides(site: Site, way: Way) -> None:
    my = at(site, way, "op", "/operators/policy", roles=[Role.AUDITOR])
    for memory, heading in (("yes", "It may not be read"), ("no", "It may be read")):
        my.choose("Role", "support", exact=True)
        my.choose("Path", "routine-review", exact=True)
        my.choose("Scope", "assistant_profile", exact=True)
        my.choose("Memory", memory, exact=True)
        my.button("Answer")
        expect(my.page.get_by_role("heading", name=heading)).to_be_visible()
        if memory == "yes":
            row = my.page.get_by_role("row").filter(has_text="Decides: no")
            assert "sensitive-routine-review" in row.inner_text()


@EVERY_WAY
def test_a_note_is_kept_corrected_and_forgotten_and_all_go_in_two_steps(site: Site, way: Way) -> None:
    operator = f"di-{way}"
    notes = notes_of(site, operator)
    my = at(site, way, operator, "/assistant", roles=ADMIN)
    my.write("Message", "remember reports / weekly: Mondays at nine")
    my.button("Say it")
    assert notes.list().notes == ()
    my.button("Keep this note")
    assert "The note was kept." in my.page.locator(".box.good").inner_text()
    (note,) = notes.list().notes
    assert (note.category, note.slot, note.value) == ("reports", "weekly", "Mondays at nine")
    my.unfold("Memory")
    my.link("Correct reports, weekly")
    my.write("Value", "Tuesdays at ten")
    my.button("Save the correction")
    assert [one.value for one in notes.list().notes] == ["Tuesdays at ten"]
    my.unfold("Memory")
    my.link("Forget reports, weekly")
    my.button("Forget this note")
    assert notes.list().notes == ()
    for slot in ("tone", "length"):
        notes.confirm(category="style", slot=slot, value=f"Short answers about {slot}", marker="confirm-entry")
    my = at(site, way, operator, "/assistant", roles=ADMIN)
    my.unfold("Memory")
    my.link("Forget all 2")
    my.button("Forget all 2")
    assert "Tick this" in alerted(my)
    assert len(notes.list().notes) == 2
    my.check("Every note listed here is to go")
    my.button("Forget all 2")
    assert notes.list().notes == ()
