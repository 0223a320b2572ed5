"""The suites: every check, by name. A check that raises is a failure; there is no skip."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from iris_memory.conformance import (
    key_providers,
    store_audit,
    store_memories,
    store_records,
    store_transactions,
    store_turns,
    store_whole,
    vault_files,
    vault_keys,
    vault_rotation,
)
from iris_memory.conformance.key_providers import KeyPlace
from iris_memory.conformance.reporting import CheckResult
from iris_memory.conformance.samples import OpenStore
from iris_memory.conformance.vault_keys import OpenVault

P = TypeVar("P")

STORE_CHECKS: Final[tuple[Callable[[OpenStore], None], ...]] = (
    *store_memories.CHECKS,
    *store_records.CHECKS,
    *store_audit.CHECKS,
    *store_transactions.CHECKS,
    *store_turns.CHECKS,
    *store_whole.CHECKS,
)
VAULT_CHECKS: Final[tuple[Callable[[OpenVault], None], ...]] = (
    *vault_keys.CHECKS,
    *vault_files.CHECKS,
    *vault_rotation.CHECKS,
)
KEY_CHECKS: Final[tuple[Callable[[KeyPlace], None], ...]] = key_providers.CHECKS


def run_store_suite(fresh_place: Callable[[], OpenStore]) -> list[CheckResult]:
    """Run every check of the store contract, each in a place of its own.

    Args:
        fresh_place: makes an empty place and returns how to open a store there, any number of times.
    """
    return _run(STORE_CHECKS, fresh_place)


def run_vault_suite(fresh_place: Callable[[], OpenVault]) -> list[CheckResult]:
    """Run every check of the vault contract, each in a place of its own."""
    return _run(VAULT_CHECKS, fresh_place)


def run_key_suite(fresh_place: Callable[[], KeyPlace]) -> list[CheckResult]:
    """Run every check of the contract of a root key's provider, each in a place of its own."""
    return _run(KEY_CHECKS, fresh_place)


def _run(checks: Iterable[Callable[[P], None]], fresh_place: Callable[[], P]) -> list[CheckResult]:
    results = []
    for check in checks:
        promise = (check.__doc__ or "").strip().splitlines()[0]
        results.append(CheckResult(check.__name__, promise, _failure(check, fresh_place())))
    return results


def _failure(check: Callable[[P], None], place: P) -> str:
    """Return why a check failed; whatever it raises is a failure, `NotImplementedError` as well."""
    try:
        check(place)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return ""
