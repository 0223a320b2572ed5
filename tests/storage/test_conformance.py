"""Every engine keeps the whole contract; what it does not support is a failure."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

import pytest

from iris_memory import conformance
from iris_memory.conformance import run_store_suite, run_vault_suite
from iris_memory.conformance.samples import OpenStore
from iris_memory.conformance.suites import STORE_CHECKS, VAULT_CHECKS
from iris_memory.conformance.vault_keys import OpenVault
from iris_memory.ports.rows import EntryRow
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.storage.memory.reading import MemoryReading
from iris_memory.storage.memory.store import MemoryStore, Shelf
from iris_memory.storage.sqlite import SqliteStore
from iris_memory.storage.vault import SqliteVault


def _memory(folder: Path) -> OpenStore:
    return partial(MemoryStore, Shelf())


def _sqlite(folder: Path) -> OpenStore:
    return partial(SqliteStore, folder / "data" / "iris.db", create=True)


def _vault(folder: Path) -> OpenVault:
    return partial(SqliteVault, folder / "vault" / "vault.db", create=True)


@pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("engine", [_memory, _sqlite])
def test_store_keeps_its_promise(
    engine: Callable[[Path], OpenStore], check: Callable[[OpenStore], None], tmp_path: Path
) -> None:
    check(engine(tmp_path))


@pytest.mark.parametrize("check", VAULT_CHECKS, ids=lambda check: check.__name__)
def test_vault_keeps_its_promise(check: Callable[[OpenVault], None], tmp_path: Path) -> None:
    check(_vault(tmp_path))


def test_every_check_that_is_written_is_run() -> None:
    written = set()
    for path in Path(conformance.__file__).parent.glob("*.py"):
        module = import_module(f"iris_memory.conformance.{path.stem}")
        written |= {
            name
            for name, one in inspect.getmembers(module, inspect.isfunction)
            if list(inspect.signature(one).parameters) in (["open_store"], ["open_vault"]) and name != "opened"
        }
    listed = [check.__name__ for check in (*STORE_CHECKS, *VAULT_CHECKS)]
    assert sorted(listed) == sorted(written)
    assert len(listed) == len(set(listed))


def test_runner_reports_every_check_with_its_promise() -> None:
    results = run_store_suite(lambda: partial(MemoryStore, Shelf()))
    assert [result.name for result in results] == [check.__name__ for check in STORE_CHECKS]
    assert all(result.ok and result.promise for result in results)


class _Leaky(MemoryStore):
    """Swallows the error of a work."""

    def write(self, work, *, durable=True):  # type: ignore[no-untyped-def]
        try:
            return super().write(work, durable=durable)
        except ZeroDivisionError:
            return None


class _Poor(MemoryStore):
    """Does not know how to scrub."""

    def scrub(self) -> bool:
        raise NotImplementedError


class _Dirty(MemoryStore):
    """Keeps what a failing work did."""

    def write(self, work, *, durable=True):  # type: ignore[no-untyped-def]
        failures = []

        def kept(tx: Transaction) -> object:
            try:
                return work(tx)
            except Exception as error:
                failures.append(error)
                return None

        result = super().write(kept, durable=durable)
        if failures:
            raise failures[0]
        return result


@pytest.mark.parametrize(
    ("engine", "name"),
    [
        (_Leaky, "events_and_changes_stand_or_fall_together"),
        (_Poor, "deleted_bytes_are_in_no_file"),
        (_Dirty, "a_failing_work_leaves_nothing"),
    ],
)
def test_suite_finds_an_engine_that_breaks_a_promise(engine: type[MemoryStore], name: str) -> None:
    failed = {result.name for result in run_store_suite(lambda: partial(engine, Shelf())) if not result.ok}
    assert name in failed


def test_suite_finds_an_engine_that_keeps_nothing() -> None:
    failed = {result.name for result in run_store_suite(lambda: MemoryStore) if not result.ok}
    assert {"a_store_opened_again_has_everything", "two_stores_at_one_place_share_it"} <= failed
    failed = {result.name for result in run_vault_suite(lambda: partial(SqliteVault, None)) if not result.ok}
    assert {"keys_come_back_after_a_restart", "two_vaults_at_one_place_agree"} <= failed


def test_suite_finds_a_wrong_order(monkeypatch: pytest.MonkeyPatch) -> None:
    right = MemoryReading.entries_since

    def backwards(self: MemoryReading, tenant: str, person: str, seq: int) -> list[EntryRow]:
        return right(self, tenant, person, seq)[::-1]

    monkeypatch.setattr(MemoryReading, "entries_since", backwards)
    results = run_store_suite(lambda: partial(MemoryStore, Shelf()))
    assert not next(one for one in results if one.name == "entries_since_is_ordered_and_starts_after").ok
