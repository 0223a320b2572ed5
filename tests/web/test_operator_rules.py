"""The rules of inspection as pages: keys, lines and canaries, added and taken away, by those who approve alone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from browsing import TENANT, Site
from operating_pages import granted, inspector, person_with_safety, sound
from playwright.sync_api import Page

from iris_memory.access.issuers import Role
from iris_memory.contracts.inspection import InspectionRefused
from iris_memory.flows.inspection_records import Rules
from iris_memory.flows.inspection_rules import rules_of
from words import stands_in

pytestmark = pytest.mark.enable_socket

HERE = "/operators/rules"
FIRST, SECOND = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "3d" + "40" * 31
ACTS = {
    "/keys": {"label": "desk", "public_key": FIRST},
    "/keys/retire": {"key": "21fe31dfa154a261"},
    "/lines": {"operator": "ann", "line": "north"},
    "/lines/remove": {"operator": "ann"},
    "/canaries": {"canary": "a-memory"},
    "/canaries/remove": {"canary": "a-memory"},
}


def kept(site: Site, tenant: str = TENANT) -> Rules:
    return rules_of(site.iris.instruments, tenant)


def empty(site: Site) -> None:
    """Take lines and canaries away; keys never go, so that tests use keys of their own."""
    mine = inspector(site, "admin", "ann")
    assert not isinstance(mine.set_reporting_lines({}), InspectionRefused)
    assert not isinstance(mine.set_canaries([]), InspectionRefused)


def said(page: Page) -> str:
    return page.locator(".box.good").inner_text()


def test_a_key_is_registered_and_retired_without_script(site: Site) -> None:
    page = site.visit("lea", HERE, roles=[Role.LEGAL], script=False)
    page.get_by_label("Whose key it is").fill("night desk")
    page.get_by_label("Public key").fill("not a key")
    page.get_by_role("button", name="Register the key").click()
    assert "64 hexadecimal digits" in page.get_by_role("alert").inner_text()
    assert page.get_by_label("Public key").get_attribute("aria-invalid") == "true"
    assert page.get_by_label("Whose key it is").input_value() == "night desk"
    page.get_by_label("Public key").fill(FIRST)
    page.get_by_role("button", name="Register the key").click()
    assert "vouches for incidents" in said(page)
    page.get_by_label("Whose key it is").fill("another name")
    page.get_by_label("Public key").fill(FIRST.upper())
    page.get_by_role("button", name="Register the key").click()
    assert "registered already" in said(page)
    assert "another name" not in page.content()
    page.get_by_role("link", name="Retire the key night desk").click()
    page.get_by_role("button", name="Retire the key").click()
    assert "retired" in said(page)
    key = next(one for one in inspector(site, "legal", "lea").incident_keys() if one.public_key == FIRST)
    assert (key.registered_by, key.revoked_by) == ("lea", "lea")
    page.get_by_label("Whose key it is").fill("night desk")
    page.get_by_label("Public key").fill(FIRST)
    page.get_by_role("button", name="Register the key").click()
    assert "not trusted again" in page.get_by_role("alert").inner_text()


def test_a_canary_is_planted_touched_and_removed(site: Site) -> None:
    empty(site)
    person_with_safety(site, "vera")
    name = next(one.logical_id for one in site.memory("vera").list().entries if "river" in one.body)
    page = site.visit("ann", f"{HERE}/canaries", roles=[Role.ADMIN], script=False)
    page.get_by_role("button", name="Plant the canary").click()
    assert "Write the id of a memory" in page.get_by_role("alert").inner_text()
    for _ in range(2):
        page.get_by_label("Id of a memory").fill(name)
        page.get_by_role("button", name="Plant the canary").click()
    assert kept(site).canaries == (name,)
    assert "None was touched" in page.locator("main").inner_text()
    given = granted(site, "vera", actor="sam", logical_ids=[name])
    with site.client("sam", roles=[Role.SUPPORT]) as client:
        shown = client.get(f"/operators/inspection/{given.inspection_id}/look")
        assert shown.status_code == 200
        assert "canar" not in shown.text.lower()
    page.reload()
    told = page.locator(".box.danger")
    assert "Touched 1 time" in told.inner_text()
    assert told.get_by_role("link").get_attribute("href") == f"/operators/inspection/{given.inspection_id}"
    page.get_by_role("link", name="Remove the canary").click()
    page.get_by_role("button", name="Remove the canary").click()
    assert kept(site).canaries == ()


def test_who_does_not_approve_finds_the_door_shut_and_changes_nothing(site: Site) -> None:
    before = kept(site), inspector(site, "admin", "ann").incident_keys()
    for roles, status in (([Role.SUPPORT], 403), ([Role.AUDITOR], 403), ([Role.CUSTOMER], 404)):
        with site.client("eve", roles=roles) as client:
            for path in ("", "/canaries", *(f"/{one}" for one in ("keys/retire", "lines/remove", "canaries/remove"))):
                assert client.get(HERE + path).status_code == status, path
            for path, form in ACTS.items():
                assert client.post(HERE + path, data=form).status_code == status, path
    assert (kept(site), inspector(site, "admin", "ann").incident_keys()) == before


def test_changes_and_canaries_take_a_fresh_sign_in(site: Site) -> None:
    before = kept(site), inspector(site, "admin", "ann").incident_keys()
    with site.client("ann", roles=[Role.ADMIN], aged=timedelta(minutes=6)) as client:
        assert client.get(HERE).status_code == 200
        for path in ("/canaries", "/keys/retire", "/lines/remove", "/canaries/remove"):
            assert "fresh=1" in client.get(HERE + path).headers["location"], path
        for path, form in ACTS.items():
            answer = client.post(HERE + path, data=form)
            assert answer.status_code == 303
            assert "fresh=1" in answer.headers["location"], path
    assert (kept(site), inspector(site, "admin", "ann").incident_keys()) == before


def test_another_tenant_sees_and_takes_away_nothing_of_ours(site: Site) -> None:
    other = site.iris.inspections(tenant="other", actor="oda", role="admin")
    key = other.register_incident_key(SECOND, label="their own desk")
    assert not isinstance(key, InspectionRefused), key
    other.set_reporting_lines({"their-operator": "their-line"})
    other.set_canaries(["their-canary"])
    before = kept(site, "other")
    with site.client("ann", roles=[Role.ADMIN]) as client:
        for words in (client.get(HERE).text, client.get(f"{HERE}/canaries").text):
            assert not any(stands_in(one, words) for one in ("their own desk", "their-operator", "their-canary"))
        for path, form in (
            ("/keys/retire", {"key": key.key_id}),
            ("/lines/remove", {"operator": "their-operator"}),
            ("/canaries/remove", {"canary": "their-canary"}),
        ):
            assert client.get(HERE + path, params=form).status_code == 404
            assert client.post(HERE + path, data=form).status_code == 404
    assert kept(site, "other") == before
    assert other.incident_keys() == [key]


def test_a_form_from_another_site_or_with_odd_names_changes_nothing(site: Site) -> None:
    before = kept(site)
    with site.client("ann", roles=[Role.ADMIN]) as client:
        for path, form in ACTS.items():
            answer = client.post(HERE + path, data=form, headers={"Origin": "https://evil.example"})
            assert answer.status_code == 403, path
        for path, form, field in (
            ("/lines", {"operator": "a\x07b", "line": "north"}, "operator"),
            ("/lines", {"operator": "ann", "line": "n\x07"}, "line"),
            ("/canaries", {"canary": "c\x07"}, "canary"),
            ("/keys", {"label": "l\x07", "public_key": FIRST}, "label"),
        ):
            answer = client.post(HERE + path, data=form)
            assert answer.status_code == 422
            assert f'href="#{field}"' in answer.text, path
    assert kept(site) == before


def test_the_pages_have_no_violation_and_fit_a_narrow_phone(site: Site) -> None:
    mine = inspector(site, "admin", "ann")
    key = mine.register_incident_key(SECOND, label="day desk")
    assert not isinstance(key, InspectionRefused), key
    mine.set_reporting_lines({f"operator-{place}": f"line-{place % 3}" for place in range(60)})
    mine.set_canaries(["019cae3f-5c40-7000-8000-5f2c1d9a7b31", "c" * 128])
    paths = [HERE, f"{HERE}?page=2&did=line-set", f"{HERE}/canaries"]
    paths += [f"{HERE}/keys/retire?key={key.key_id}", f"{HERE}/lines/remove?operator=operator-1"]
    paths.append(f"{HERE}/canaries/remove?canary={'c' * 128}")
    assert sound(site, paths) == {}
