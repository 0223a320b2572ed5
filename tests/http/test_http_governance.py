"""Governance over HTTP: the holder's own report and the state, under `/v1/governance` and `/governance`."""

from __future__ import annotations

from pathlib import Path

import pytest
from http_world import World

from iris_memory.contracts.guarding import GovernanceState, ShadowReport
from iris_memory.evals.owner import USER_MD
from iris_memory.guards.opening import open_guard

pytestmark = pytest.mark.enable_socket


@pytest.mark.parametrize("prefix", ["/v1/governance", "/governance"])
def test_the_holder_reads_their_own_report(world: World, tmp_path: Path, prefix: str) -> None:
    user = f"guarded{prefix.count('v')}{len(prefix)}"
    (tmp_path / "USER.md").write_text(USER_MD, encoding="utf-8")
    memory = world.iris.for_user(tenant="acme", user=user)
    guard = open_guard(memory=memory, folder=tmp_path, mode="shadow")
    guard.pre_tool_use("http_get", {"to": "o_varga@quillworks.example"})
    me = world.as_(user)
    answer = me.get(f"{prefix}/pii-shadow", params={"days": 2})
    assert answer.status_code == 200
    report = ShadowReport.model_validate_json(answer.content)
    assert (report.rows, [cell.calls for cell in report.cells]) == (1, [1])
    assert (report.until - report.since).days == 2
    assert "quillworks" not in answer.text
    assert ShadowReport.model_validate_json(world.as_("nobody-else").get(f"{prefix}/pii-shadow").content).rows == 0
    state = me.get(f"{prefix}/state")
    assert GovernanceState.model_validate_json(state.content).flags[0].name == "IRIS_GOVERNANCE_OWNER_PII"


@pytest.mark.parametrize("path", ["/governance/state", "/governance/pii-shadow", "/v1/governance/state"])
def test_nobody_without_a_token_is_told(world: World, path: str) -> None:
    assert world.nobody().get(path).status_code == 401


def test_a_number_of_days_that_is_none_is_a_problem(world: World) -> None:
    assert world.as_("days").get("/v1/governance/pii-shadow", params={"days": 0}).status_code == 422
