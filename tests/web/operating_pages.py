"""What the operators' pages are about in tests: people, incidents, inspections, notes; and what is wrong with one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from browsing import BASE, DESKTOP, NARROW, TENANT, Site, axe, sideways

from flows.inspecting import PUBLIC, signed
from iris_memory.access.issuers import Role
from iris_memory.contracts.inspection import Inspection
from iris_memory.front.inspection import Inspections
from iris_memory.front.operator_notes import OperatorNotes

EVERY = (Role.ADMIN, Role.AUDITOR, Role.LEGAL, Role.SUPPORT)


@dataclass(frozen=True)
class Incident:
    """A person with memory, and an incident desk whose key is registered."""

    user: str
    reference: str


def inspector(site: Site, role: str, actor: str) -> Inspections:
    """Bind an operator in a role."""
    return site.iris.inspections(tenant=TENANT, actor=actor, role=role)


def person_with_safety(site: Site, user: str) -> Incident:
    """Return a person of whom ordinary and safety-critical memory is kept, and a signed incident about them."""
    me = site.memory(user, consents=(*BASE, "sensitive_data", "category:safety"))
    for place in ("river", "station", "harbour"):
        me.remember(f"Prefers quiet hotels near the {place}", category="preference")
    me.remember("Is afraid of a former partner", category="safety")
    legal = inspector(site, "legal", "lea")
    if not legal.incident_keys():
        legal.register_incident_key(PUBLIC.hex(), label="incident desk")
    now = site.clock.now()
    reference = signed(now - timedelta(minutes=1), target=user, tenant_id=TENANT)
    return Incident(user, reference.model_dump_json())


def routine(site: Site, user: str, *, actor: str = "sam", role: str = "support", **target: Any) -> Inspection:
    """Ask for a routine review."""
    outcome = inspector(site, role, actor).request(
        user,
        path="routine-review",
        reason="support-case",
        reference="CASE-1",
        target=target or {"categories": ["preference"]},
    )
    assert isinstance(outcome, Inspection)
    return outcome


def granted(site: Site, user: str, **more: Any) -> Inspection:
    """Have a routine review granted by somebody else."""
    outcome = inspector(site, "admin", "ann").approve(routine(site, user, **more).inspection_id)
    assert isinstance(outcome, Inspection)
    assert outcome.grant is not None
    return outcome


def notes_of(site: Site, operator: str) -> OperatorNotes:
    """Return an operator's notes through the library."""
    return site.iris.operator_notes(tenant=TENANT, issuer="", sub=operator)


def sound(site: Site, paths: Iterable[str], *, user: str = "op", roles: Iterable[Role] = EVERY) -> dict[str, list[str]]:
    """Return what is wrong with pages, by page: violations of axe light and dark, and what does not fit 320 px."""
    found: dict[str, list[str]] = {}
    kept = list(paths)
    for dark, size in ((False, DESKTOP), (True, NARROW)):
        page = site.visit(user, kept[0], roles=roles, dark=dark, size=size)
        for path in kept:
            page.goto(path)
            wrong = [*axe(page), *(f"sideways: {one}" for one in sideways(page))]
            # words for screen readers alone, inside a table that scrolls, escape what `sideways` looks at
            if page.evaluate("() => { scrollTo(500, 0); return scrollX }"):
                wrong.append("sideways: the page itself scrolls")
            if "Internal Server Error" in page.content():
                wrong.append("it failed")
            if not dark:
                page.set_viewport_size({"width": size[0] // 2, "height": size[1] // 2})  # 200 % of a desk
                wrong += [f"sideways at 200 %: {one}" for one in sideways(page)]
                page.set_viewport_size({"width": size[0], "height": size[1]})
            if wrong:
                found[f"{path} {'dark' if dark else 'light'}"] = wrong
        site.close_pages()
    return found
