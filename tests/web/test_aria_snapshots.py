"""What a screen reader meets on each page, written out: one file a page, to be read and looked at when it changes.

`IRIS_WRITE_SNAPSHOTS=1` writes the files anew. Ids, keys and instants differ from run to run and stand as words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from browsing import TENANT, Site, served_site
from operating_pages import EVERY, granted, inspector, notes_of, person_with_safety, routine
from person_story import told
from playwright.sync_api import Page
from test_person_pages import ADDRESSES

from iris_memory.contracts.inspection import Inspection
from iris_memory.contracts.rights import RightsRequest

pytestmark = pytest.mark.enable_socket
FILES = Path(__file__).with_name("snapshots")
_VARIES = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "ID"),
    (re.compile(r"\b[0-9a-f]{12,}\b"), "HEX"),
    (re.compile(r"\b[0-9a-f]{8,}-[0-9]+\b"), "HEX"),
    (re.compile(r"(?<![\w/+])[\w+/]{43,}={0,2}"), "BASE64"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( UTC)?"), "INSTANT"),
    (re.compile(r"/memory/found/[^\s\"]+"), "/memory/found/SEALED"),
    (re.compile(r"cursor=[^\s&\"]+"), "cursor=SEALED"),
)


@pytest.fixture
def quiet(tmp_path: Path, served_for_module: Site) -> Iterator[Site]:
    """A site of its own, in which nothing else happens."""
    with served_site(tmp_path) as site:
        site.browser = served_for_module.browser
        yield site


def written_out(page: Page) -> str:
    """Return what a screen reader meets between the pages' frame."""
    text = page.locator("main").aria_snapshot()
    for pattern, word in _VARIES:
        text = pattern.sub(word, text)
    return f"{text}\n"


def compared(page: Page, addresses: Mapping[str, str], who: str) -> dict[str, tuple[str, str]]:
    """Open each address; return what is met and what stands in its file, where the two differ."""
    differ = {}
    for name, address in addresses.items():
        page.goto(address)
        met, file = written_out(page), FILES / f"{who}-{name.replace(' ', '-')}.yaml"
        if os.environ.get("IRIS_WRITE_SNAPSHOTS") == "1":
            file.write_text(met, encoding="utf-8")
        kept = file.read_text(encoding="utf-8") if file.exists() else ""
        if met != kept:
            differ[name] = (met, kept)
    return differ


def test_the_pages_of_a_person_read_as_written_out(quiet: Site) -> None:
    story = told(quiet)
    page = quiet.visit(path="/memory")
    assert compared(page, {name: address(story) for name, address in ADDRESSES.items()}, "person") == {}


def test_the_pages_of_operators_read_as_written_out(quiet: Site) -> None:
    incident = person_with_safety(quiet, "ines")
    waiting, given = routine(quiet, "ines", actor="tim"), granted(quiet, "ines", actor="op")
    denied = inspector(quiet, "legal", "lea").deny(routine(quiet, "ines", actor="tim").inspection_id)
    assert isinstance(denied, Inspection)
    asked = quiet.memory("ines").rights.submit("access", regime="gdpr")
    desk = quiet.iris.rights_desk(TENANT)
    assert isinstance(desk.sign_off(asked.request_id, "court-order", actor="op-before"), RightsRequest)
    rules = inspector(quiet, "admin", "ann")
    rules.set_reporting_lines({"sam": "north", "tim": "south"})
    notes_of(quiet, "op").confirm(
        category="style", slot="tone", value="Short answers about tone", marker="confirm-entry"
    )
    assert incident.user == "ines"
    here, request = "/operators/inspection", f"/operators/rights/{asked.request_id}"
    addresses = {
        "inspection": here,
        "ask": f"{here}/ask",
        "break the glass": f"{here}/break-glass",
        "waiting": f"{here}/{waiting.inspection_id}",
        "approve": f"{here}/{waiting.inspection_id}/approve",
        "granted": f"{here}/{given.inspection_id}",
        "look": f"{here}/{given.inspection_id}/look",
        "denied": f"{here}/{denied.inspection_id}",
        "notices": f"{here}/notices",
        "report": f"{here}/report",
        "stop": f"{here}/stop",
        "rules": "/operators/rules",
        "canaries": "/operators/rules/canaries",
        "rights": "/operators/rights",
        "request": request,
        "deny a request": f"{request}/deny",
        "holds": "/operators/holds",
        "place a hold": "/operators/holds/place",
        "approvals": "/operators/approvals",
        "audit": "/operators/audit",
        "event": "/operators/audit/1",
        "proof": "/operators/audit/1/proof",
        "masking": "/operators/masking",
        "policy": "/operators/policy?role=legal&path=dsar-fulfillment&scope=pose&sensitive=yes",
        "assistant": "/assistant?memory=open",
    }
    page = quiet.visit("op", here, roles=EVERY)
    assert compared(page, addresses, "operator") == {}


def test_no_file_is_left_over() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    names = {f"person-{name.replace(' ', '-')}" for name in ADDRESSES}
    names |= {f"operator-{name.replace(' ', '-')}" for name in re.findall(r'^        "([a-z ]+)": ', source, re.M)}
    assert {file.stem for file in FILES.glob("*.yaml")} == names
