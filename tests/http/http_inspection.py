"""The stage of the examples about inspections: a person, an operator in the role that fits, and what must be there."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
from http_world import World

from iris_memory.access.issuers import Role


def inspection_stage(world: World, path: str, user: str, value: Any) -> tuple[str, httpx.Client, Any]:
    """Return the id of an inspection of the user in the state an example needs, the client that asks, and its body."""
    asking = world.as_("sam of the examples", roles=[Role.SUPPORT])
    granting = world.as_("lea of the examples", roles=[Role.LEGAL])
    if path == "/v1/inspections":
        return "", asking, {**value, "of_user": user}
    if path.endswith("/revoke"):
        key = {"public_key": "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "label": "desk"}
        assert granting.post("/v1/inspection-rules/incident-keys", json=key).status_code in {201, 409}
    if "{inspection_id}" not in path:
        return "", granting, value
    wish = {
        "of_user": user,
        "path": "routine-review",
        "reason": "support-case",
        "reference": "CASE-1204",
        "target": {"categories": ["preference"]},
    }
    name = asking.post("/v1/inspections", json=wish).json()["inspection_id"]
    if path.endswith("/steps"):
        return name, granting, value
    assert granting.post(f"/v1/inspections/{name}/steps", json={"step": "approve"}).json()["state"] == "granted"
    if path.endswith("/carve-out"):
        value = {**value, "until": (world.iris.instruments.clock.now() + timedelta(days=10)).isoformat()}
    return name, asking if path.endswith("/read") else granting, value
