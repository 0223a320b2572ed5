"""What a hostile or hurried operator tries at the pages: twice, from elsewhere, by an old sign-in, by a made-up act."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from browsing import TENANT, Site, served_site
from operating_pages import granted, inspector, person_with_safety, routine

from iris_memory.access.issuers import Role
from iris_memory.contracts.inspection import Inspection, InspectionState

pytestmark = pytest.mark.enable_socket

HERE = "/operators/inspection"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with served_site(tmp_path_factory.mktemp("hostile")) as site:
        yield site


def shown(place: Site, inspection_id: str) -> Inspection:
    return inspector(place, "admin", "looker-on").show(inspection_id)


def told(place: Site) -> int:
    """Count the events of inspections in the chain."""
    page = place.iris.audit_trail(tenant=TENANT).events(limit=500)
    return sum("inspection" in line.action for line in page.lines)


def sensitive(place: Site, user: str) -> str:
    """Ask for sensitive memory, which takes two to approve; return the id."""
    person_with_safety(place, user)
    asked = inspector(place, "legal", "lea").request(
        user,
        path="routine-review",
        reason="support-case",
        reference="CASE-9",
        target={"categories": ["preference"]},
    )
    assert isinstance(asked, Inspection), asked
    return asked.inspection_id


def test_two_tabs_that_approve_are_one_approval(place: Site) -> None:
    name = sensitive(place, "tabs")
    ann = place.client("ann", roles=[Role.ADMIN])
    first = ann.post(f"{HERE}/{name}/approve", data={"role": "admin"})
    assert first.status_code == 303
    before, events = shown(place, name), told(place)
    again = ann.post(f"{HERE}/{name}/approve", data={"role": "admin"})
    assert again.status_code in {404, 409}
    assert shown(place, name) == before
    assert len({approval.actor for approval in before.approvals}) == len(before.approvals)
    assert told(place) <= events + 1, "at most the refusal is told"


def test_another_site_approves_nothing(place: Site) -> None:
    person_with_safety(place, "elsewhere")
    name = routine(place, "elsewhere").inspection_id
    ann = place.client("ann", roles=[Role.ADMIN])
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        answer = ann.post(f"{HERE}/{name}/approve", data={"role": "admin"}, headers=headers)
        assert answer.status_code == 403, headers
    assert shown(place, name).grant is None


def test_an_old_sign_in_approves_nothing(place: Site) -> None:
    person_with_safety(place, "stale")
    name = routine(place, "stale").inspection_id
    ann = place.client("ann", roles=[Role.ADMIN], aged=timedelta(minutes=6))
    answer = ann.post(f"{HERE}/{name}/approve", data={"role": "admin"})
    assert answer.headers["location"].startswith("/sign-in?back=")
    assert "fresh=1" in answer.headers["location"]
    assert shown(place, name).grant is None


def test_an_act_that_is_none_or_not_theirs_does_nothing(place: Site) -> None:
    person_with_safety(place, "made-up")
    name = routine(place, "made-up").inspection_id
    sam, customer = place.client("sam", roles=[Role.SUPPORT]), place.client("made-up")
    events = told(place)
    for act in ("approve-all", "grant", "../approve", "replay"):
        assert sam.post(f"{HERE}/{name}/{act}", data={"role": "support"}).status_code in {403, 404, 405}
    assert sam.post(f"{HERE}/{name}/approve", data={"role": "admin"}).status_code in {403, 404, 409, 422}
    assert customer.post(f"{HERE}/{name}/approve", data={"role": "admin"}).status_code in {403, 404}
    assert customer.get(f"{HERE}/{name}").status_code == 404
    assert shown(place, name).grant is None
    assert told(place) <= events + 1


def test_what_was_closed_is_not_closed_again_nor_looked_at(place: Site) -> None:
    person_with_safety(place, "closed")
    name = granted(place, "closed").inspection_id
    sam = place.client("sam", roles=[Role.SUPPORT])
    assert sam.get(f"{HERE}/{name}/look").status_code == 200
    assert sam.post(f"{HERE}/{name}/close", data={"role": "support"}).status_code == 303
    closed = shown(place, name)
    assert closed.state is InspectionState.CLOSED
    assert sam.post(f"{HERE}/{name}/close", data={"role": "support"}).status_code in {404, 409}
    assert shown(place, name) == closed
    assert "quiet hotels" not in sam.get(f"{HERE}/{name}/look", follow_redirects=True).text
