"""The PostgreSQL engine does what the reference engine does, whatever is asked of both (REL-7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from iris_memory.ports.rows import EntryRow
from iris_memory.ports.unit_of_work import Transaction
from iris_memory.storage.postgres import PostgresStore, prepare
from postgres.server import OWNER, SERVICE, Server
from storage import test_store_against_memory as machine
from storage.test_store_against_memory import Engines

pytestmark = pytest.mark.enable_socket


class _ApartIds:
    """Gives each tenant entry ids of its own: here an id is unique within a tenant, so that none shows (AUT-4)."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transaction, name)

    def add_entries(self, tenant: str, person: str, rows: Sequence[EntryRow]) -> None:
        """Add revisions under the tenant's ids."""
        named = [row._replace(entry_id=f"{tenant} {row.entry_id}") for row in rows]
        self._transaction.add_entries(tenant, person, named)


def test_postgres_agrees_with_the_reference(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    class PostgresEngines(Engines):
        """Asks the same of the reference engine and of PostgreSQL, which stands where SQLite stood."""

        def __init__(self) -> None:
            self.database = server.new_database()
            prepare(server.at(self.database, OWNER), service=SERVICE)
            monkeypatch.setattr(machine, "SqliteStore", self.open)
            super().__init__()

        def open(self, _: object, *, create: bool = False) -> PostgresStore:
            return PostgresStore(server.at(self.database, SERVICE))

        def teardown(self) -> None:
            super().teardown()
            server.drop(self.database)

        def both(self, work: Callable[[Transaction], Any], *, durable: bool = False) -> Any:
            return super().both(lambda tx: work(cast("Transaction", _ApartIds(tx))), durable=durable)

    run_state_machine_as_test(
        PostgresEngines,
        settings=settings(
            max_examples=8,
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )
