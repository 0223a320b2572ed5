"""The data-rights desk, legal holds and approvals: by mouse, keyboard and without script; who may, by which rule."""

from __future__ import annotations

from datetime import timedelta

import pytest
from browsing import TENANT, Site, focused
from operating_pages import EVERY, sound

from iris_memory.access.issuers import Role
from iris_memory.contracts.rights import RightsKind, RightsRequest, RightsState
from iris_memory.web.rights_acts import ACTS
from iris_memory.web.routes.operators_approvals import REVIEWED

pytestmark = pytest.mark.enable_socket
DAY = timedelta(days=1)


def asked(site: Site, user: str, kind: str = "access", *, verified: bool = True, **wishes: object) -> RightsRequest:
    """Return a request of somebody, verified by the desk."""
    request = site.memory(user).rights.submit(kind, regime="gdpr", **wishes)
    if verified:
        outcome = site.iris.rights_desk(TENANT).sign_off(request.request_id, "court-order", actor="op-before")
        assert isinstance(outcome, RightsRequest)
        return outcome
    return request


def state(site: Site, request: RightsRequest) -> RightsState:
    """Return where a request stands."""
    return next(row.state for row in site.iris.rights_desk(TENANT).list() if row.request_id == request.request_id)


@pytest.fixture(autouse=True)
def steady(site: Site) -> None:
    """Let a second go by between tests, so that ids and times differ."""
    site.clock.step()


def test_every_page_and_state_has_no_violation_and_fits_a_narrow_phone(site: Site) -> None:
    request = asked(site, "pages-of-rights")
    desk = site.iris.rights_desk(TENANT)
    site.memory("pages-of-rights")
    held = desk.place_hold(
        user="pages-of-rights", actor="op-x", reference="Case 1", reason="An order", expires_at=site.clock.now() + DAY
    )
    governance = site.iris.governance(tenant=TENANT)
    leave = governance.ask(next(iter(REVIEWED)), asked_by="op-x", reason="A trial", until=site.clock.now() + DAY)
    one = f"/operators/rights/{request.request_id}"
    paths = ["/operators/rights", "/operators/rights?show=all&sort=kind", one, f"{one}?did=start"]
    paths += [f"{one}/{name}" for name in ACTS]
    paths += ["/operators/holds", "/operators/holds/place"]
    paths += [f"/operators/holds/{held.hold_id}/{verb}" for verb in ("confirm", "review", "release")]
    paths += ["/operators/approvals", "/operators/approvals/ask"]
    paths += [f"/operators/approvals/{leave.request_id}/{verb}" for verb in ("grant", "withdraw")]
    assert sound(site, paths) == {}


def test_what_is_missing_is_said_on_top_and_beside_the_field_and_what_was_typed_stays(site: Site) -> None:
    request = asked(site, "cleo")
    page = site.visit("op-legal", f"/operators/rights/{request.request_id}/deny", roles=[Role.LEGAL])
    page.get_by_label("Law behind it").fill("GDPR Art. 12(5)")
    page.get_by_role("button", name="Deny it").click()
    summary = page.get_by_role("alert")
    assert "Ground: Choose the ground." in summary.inner_text()
    assert page.get_by_label("Law behind it").input_value() == "GDPR Art. 12(5)"
    summary.get_by_role("link").click()
    assert focused(page).startswith("Ground")
    assert page.get_by_label("Ground").get_attribute("aria-invalid") == "true"
    assert state(site, request) is RightsState.VERIFIED
    page.get_by_label("Ground").select_option("excessive")
    page.get_by_role("button", name="Deny it").click()
    assert state(site, request) is RightsState.FAILED


def test_the_calendar_leads_to_what_is_due(site: Site) -> None:
    request = asked(site, "elle")
    page = site.visit("op", "/operators/rights", roles=[Role.SUPPORT])
    link = page.get_by_role("table").first.get_by_role("link", name="due").last
    link.click()
    anchor = page.url.split("#")[1]
    assert page.locator(f"#{anchor}").count() == 1
    assert request.request_id in page.content()


def test_deciding_takes_a_deciding_role_and_a_fresh_sign_in(site: Site) -> None:
    request = asked(site, "finn")
    path = f"/operators/rights/{request.request_id}/fulfil"
    with site.client("op-support", roles=[Role.SUPPORT]) as client:
        told = client.get(path)
        assert told.status_code == 403
        assert "It takes the role admin or legal." in told.text
        assert client.post(path, data={"sure": "yes"}).status_code == 403
    with site.client("op-legal", roles=[Role.LEGAL], aged=timedelta(minutes=6)) as client:
        away = client.post(path, data={"sure": "yes"})
        assert away.status_code == 303
        assert "fresh=1" in away.headers["location"]
    assert state(site, request) is RightsState.VERIFIED


def test_the_desk_shows_no_name_and_no_words(site: Site) -> None:
    me = site.memory("gregory-of-the-desk")
    me.remember("Sings baritone in the town choir", category="preference")
    request = asked(site, "gregory-of-the-desk")
    with site.client("op", roles=EVERY) as client:
        for path in ("/operators/rights?show=all", f"/operators/rights/{request.request_id}"):
            text = client.get(path).text
            assert "gregory-of-the-desk" not in text
            assert "baritone" not in text


def test_requests_of_another_tenant_and_missing_ones_look_the_same(site: Site) -> None:
    other = site.iris.for_user(tenant="other", user="zoe")
    other.consent.grant("data_processing", "data_storage", terms="We keep what you tell us.")
    foreign = other.rights.submit("access").request_id
    with site.client("op", roles=EVERY) as client:
        answers = {client.get(f"/operators/rights/{name}").text for name in (foreign, "missing")}
        assert len({text.replace(foreign, "X").replace("missing", "X") for text in answers}) == 1


def test_to_somebody_without_an_operators_role_the_pages_are_not_there(site: Site) -> None:
    with site.client("ada") as client:
        for path in ("/operators/rights", "/operators/holds", "/operators/approvals", "/operators/audit", "/assistant"):
            assert client.get(path).status_code == 404


@pytest.mark.parametrize("kind", list(RightsKind))
def test_each_kind_of_request_says_what_carrying_it_out_does(site: Site, kind: RightsKind) -> None:
    act = ACTS["fulfil"]
    row = site.iris.rights_desk(TENANT).list()[0].model_copy(update={"kind": kind})
    assert act.verb_for(row) != act.verb
    assert act.destroys_for(row) == (kind is RightsKind.DELETE)
