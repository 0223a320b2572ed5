"""Heads outside the database: what a kill left behind is no head, and a changed one is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from iris_memory.chain.checkpoint import tenant_origin
from iris_memory.errors import CheckpointError
from iris_memory.storage.heads import FolderHeads


def _note(tenant: str, size: int) -> str:
    return f"{tenant_origin(tenant)}\n{size}\nroot\n"


def test_a_draft_that_a_kill_left_behind_is_no_head(tmp_path: Path) -> None:
    heads = FolderHeads(tmp_path)
    heads.keep("acme", _note("acme", 3))
    (tmp_path / ".0123456789abcdef-draft.note").write_text("")
    assert heads.tenants() == ["acme"]


@pytest.mark.parametrize("tenant", ["..", "a/b:c%", "\u5f20" * 128])
def test_any_tenant_has_a_head_and_the_newest_stays(tenant: str, tmp_path: Path) -> None:
    heads = FolderHeads(tmp_path)
    heads.keep(tenant, _note(tenant, 3))
    heads.keep(tenant, _note(tenant, 2))
    assert (heads.tenants(), heads.kept(tenant)) == ([tenant], _note(tenant, 3))
    assert {path.parent for path in tmp_path.rglob("*")} == {tmp_path}


def test_a_head_of_another_tenant_is_refused(tmp_path: Path) -> None:
    heads = FolderHeads(tmp_path)
    heads.keep("acme", _note("acme", 3))
    (file,) = tmp_path.iterdir()
    file.write_text(_note("globex", 3))
    with pytest.raises(CheckpointError):
        heads.tenants()
