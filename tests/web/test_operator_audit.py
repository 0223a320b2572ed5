"""The audit explorer and the masking report: filters and paging, proofs that hold offline, exports that verify."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from browsing import TENANT, Site, axe
from operating_pages import EVERY, sound

from iris_memory.access.issuers import Role
from iris_memory.chain.verify import verify_export
from iris_memory.contracts.guarding import Firing, GuardOutcome, GuardPoint
from iris_memory.contracts.masking import Action, Column, Mode, PiiKind, ShadowRow, ShadowTally

pytestmark = pytest.mark.enable_socket
HERE = "/operators/audit"


def test_every_page_has_no_violation_and_fits_a_narrow_phone(site: Site) -> None:
    site.memory("ada").remember("Prefers tea", category="preference")
    paths = [HERE, f"{HERE}?action=memory.written&since=2026-03-01", f"{HERE}?since=never", f"{HERE}/1"]
    paths += [f"{HERE}/1/proof", f"{HERE}/check", "/operators/masking"]
    assert sound(site, paths) == {}


def test_events_are_filtered_and_paged_by_their_addresses(site: Site) -> None:
    for place in range(60):
        site.memory(f"person-{place}")
    page = site.visit("op", HERE, roles=[Role.AUDITOR], script=False)
    newest = page.get_by_role("row").nth(1).inner_text()
    page.get_by_role("link", name="Older").click()
    assert page.get_by_role("row").nth(1).inner_text() != newest
    page.go_back()
    page.get_by_label("Event", exact=True).select_option("consent.recorded")
    page.get_by_label("From").fill(site.clock.now().date().isoformat())
    page.get_by_role("button", name="Filter").click()
    assert "action=consent.recorded" in page.url
    rows = page.get_by_role("row").all_inner_texts()[1:]
    assert rows
    assert all("consent.recorded" in row for row in rows)
    page.get_by_label("From").fill((site.clock.now() + timedelta(days=2)).date().isoformat())
    page.get_by_role("button", name="Filter").click()
    assert page.get_by_text("No event fits this filter.").is_visible()


def test_the_chain_is_checked_and_its_export_verifies(site: Site) -> None:
    site.memory("cid")
    with site.client("op", roles=[Role.AUDITOR]) as client:
        assert "The chain is whole." in client.get(f"{HERE}/check").text
        export = client.get(f"{HERE}/export")
        assert export.headers["content-disposition"] == 'attachment; filename="iris-audit.jsonl"'
        assert verify_export(export.content.splitlines()).ok
    with site.client("op", roles=[Role.AUDITOR], aged=timedelta(minutes=6)) as client:
        assert "fresh=1" in client.get(f"{HERE}/export").headers["location"]


def test_no_page_of_the_trail_shows_words(site: Site) -> None:
    me = site.memory("dee")
    me.remember("Collects meteorites from Namibia", category="preference")
    with site.client("op", roles=EVERY) as client:
        for path in (HERE, f"{HERE}/{site.iris.audit_trail(tenant=TENANT).events(limit=1).size}"):
            assert "meteorites" not in client.get(path).text


def test_a_place_that_is_not_there_is_not_found(site: Site) -> None:
    with site.client("op", roles=[Role.AUDITOR]) as client:
        assert client.get(f"{HERE}/999999999").status_code == 404
        assert client.get(f"{HERE}/0").status_code in {404, 422}
    with site.client("op", roles=[Role.ADMIN]) as client:
        assert "It takes the role auditor." in client.get(HERE).text


def test_the_masking_report_draws_what_its_table_says(site: Site) -> None:
    me = site.memory("owner")
    log = me.guarding.log()
    for place in range(4):
        tally = ShadowTally(guard=Column.EGRESS, kind=PiiKind.EMAIL, action=Action.DENY, count=1, spans=((0, 0, 5),))
        firing = Firing(
            at=datetime(2026, 3, 1, 12, 0, tzinfo=UTC),
            point=GuardPoint.PRE_TOOL_USE,
            mode=Mode.SHADOW,
            outcome=GuardOutcome.ALLOW,
            row=ShadowRow(columns=(Column.EGRESS,), tallies=(tally,) if place else ()),
        )
        log.write(firing)
    page = site.visit("owner", "/operators/masking?days=30", roles=[Role.ADMIN])
    row = page.get_by_role("region", name="Choices").get_by_role("row").filter(has_text="Email")
    assert "75.0 %" in row.inner_text()
    bar = page.locator("svg.bars .stopped").evaluate_all("all => Math.max(...all.map(one => one.width.baseVal.value))")
    assert bar == 360
    assert axe(page) == []
