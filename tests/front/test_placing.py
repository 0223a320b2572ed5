"""What the doctor says of where the parts of a store lie, in development and in production."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flows.stores import open_store, person
from iris_memory.errors import SettingError
from iris_memory.flows.doctor import Finding
from iris_memory.front.iris import Iris
from iris_memory.http.serving import serve
from iris_memory.wiring.placing import require_placement


def findings(iris: Iris) -> dict[str, Finding]:
    return {finding.what: finding for finding in iris.doctor()}


def faults(iris: Iris) -> set[str]:
    return {finding.what for finding in iris.doctor() if not finding.ok}


@pytest.fixture
def production(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRIS_PROFILE", "production")


def test_in_development_what_is_convenient_is_told_and_no_fault(folder: Path) -> None:
    with open_store(folder) as iris:
        person(iris).remember("Likes tea")
        iris.flush()
        found = findings(iris)
        assert faults(iris) == set()
    assert "IRIS_HEADS" in found["where the heads are"].detail
    assert str(folder / "data" / "iris.db") in found["where the data is"].detail
    assert str(folder / "vault" / "vault.db") in found["where the vault is"].detail


@pytest.mark.usefixtures("production")
def test_in_production_heads_lie_outside(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(folder) as iris:
        assert faults(iris) == {"where the heads are"}
    monkeypatch.setenv("IRIS_HEADS", str(folder / "elsewhere"))
    with open_store(folder) as iris:
        assert faults(iris) == {"where the heads are"}
    monkeypatch.setenv("IRIS_HEADS", str(tmp_path / "heads"))
    with open_store(folder) as iris:
        assert faults(iris) == set()


@pytest.mark.usefixtures("production")
def test_in_production_the_key_lies_outside(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRIS_HEADS", str(tmp_path / "heads"))
    monkeypatch.setenv("IRIS_KEY_FILE", str(folder / "root.key"))
    with Iris.open(folder, tended=False) as iris:
        assert faults(iris) == {"where the root key is"}
    shutil.move(folder / "root.key", tmp_path / "root.key")
    monkeypatch.setenv("IRIS_KEY_FILE", str(tmp_path / "root.key"))
    with Iris.open(folder, tended=False) as iris:
        assert findings(iris)["where the root key is"].detail == str(tmp_path / "root.key")
        assert faults(iris) == set()


@pytest.mark.usefixtures("production")
def test_in_production_the_vault_lies_in_no_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRIS_HEADS", str(tmp_path / "heads"))
    cluster = tmp_path / "cluster"
    with open_store(cluster / "memory" / "iris") as iris:
        assert faults(iris) == set()
    (cluster / "PG_VERSION").write_text("17\n", encoding="ascii")
    with open_store(cluster / "memory" / "iris") as iris:
        assert faults(iris) == {"where the vault is"}
    monkeypatch.setenv("IRIS_PROFILE", "development")
    with open_store(cluster / "memory" / "iris") as iris:
        assert faults(iris) == set()
        assert "move it out" in findings(iris)["where the vault is"].detail


def test_heads_that_were_taken_away_are_missed(folder: Path) -> None:
    with open_store(folder) as iris:
        person(iris).remember("Likes tea")
    shutil.rmtree(folder / "heads")
    with open_store(folder) as iris:
        found = findings(iris)["heads kept outside"]
        assert not found.ok
        assert "of 1 tenants" in found.detail
        iris.for_user(tenant="acme", user="ada").remember("Likes gin")
        iris.flush()
        assert findings(iris)["heads kept outside"].ok


@pytest.mark.usefixtures("production")
def test_in_production_nothing_is_served_until_the_parts_lie_apart(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LOG-7: the heads outside are mandatory there; in development they are advice."""
    with open_store(folder) as iris, pytest.raises(SettingError, match="where the heads are") as caught:
        require_placement(iris.opened)
    assert str(folder) not in str(caught.value)
    monkeypatch.setenv("IRIS_HEADS", str(tmp_path / "heads"))
    with open_store(folder) as iris:
        require_placement(iris.opened)
    monkeypatch.delenv("IRIS_HEADS")
    monkeypatch.setenv("IRIS_PROFILE", "development")
    with open_store(folder) as iris:
        require_placement(iris.opened)


@pytest.mark.enable_socket
@pytest.mark.usefixtures("production")
def test_the_service_does_not_start_either(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IRIS_ROOT_KEY", "07" * 32)
    with pytest.raises(SettingError, match="production"):
        serve(folder, port=0)
