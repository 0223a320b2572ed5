"""The tests of the flows, once more on PostgreSQL: the same calls, the same answers, word for word."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from flows.stores import OpenIris, SteppingClock, open_store
from iris_memory.front.iris import Iris
from iris_memory.storage.postgres import prepare
from iris_memory.storage.postgres.schema import TABLES
from postgres.server import OWNER, SERVICE, Server

pytestmark = pytest.mark.enable_socket

FLOWS: Final = (
    "flows.test_consent_cascade",
    "flows.test_consent_ephemeral",
    "flows.test_promoting",
    "flows.test_sweeping",
    "flows.test_rights_requests",
    "flows.test_legal_hold",
    "flows.test_operator_notes",
    "flows.test_other_people",
    "flows.test_scope_change",
    "flows.test_receipts_kept",
    "guards.test_shadow_rows",
)
ELSEWHERE: Final = frozenset({"test_another_process_stops_as_well"})
"""What looks at files of the store, or starts a process of its own that opens it."""


@pytest.fixture(scope="module")
def prepared(server: Server) -> Iterator[str]:
    """The name of a database that the tests of this module share; each finds it empty."""
    name = server.new_database()
    prepare(server.at(name, OWNER), service=SERVICE)
    yield name
    server.drop(name)


@pytest.fixture
def open_iris(server: Server, prepared: str, folder: Path, clock: SteppingClock) -> Iterator[OpenIris]:
    """Open a store whose data lies in the database, as often as is liked."""
    with psycopg.connect(server.at(prepared), autocommit=True) as connection:
        for table in reversed(TABLES):  # to truncate eight tables takes longer than a test
            connection.execute(f"DELETE FROM iris.{table}".encode())
    opened: list[Iris] = []

    def open_it(**more: Any) -> Iris:
        given = {"clock": clock, "database": server.at(prepared, SERVICE), **more}
        opened.append(open_store(folder, **given))
        return opened[-1]

    yield open_it
    for iris in opened:
        iris.close()


def _taken() -> dict[str, Any]:
    """Return the tests and fixtures of the flows, each test under a name that says where it is from."""
    found: dict[str, Any] = {}
    sys.path.append(str(Path(__file__).parents[1] / "guards"))  # where the world of the guards' tests lies
    for flow in FLOWS:
        for name, value in vars(import_module(flow)).items():
            if name.startswith("test_") and name not in ELSEWHERE:
                found[f"test_{flow.rpartition('.test_')[2]}__{name.removeprefix('test_')}"] = value
            elif type(value).__name__ == "FixtureFunctionDefinition":
                found[name] = value
    return found


globals().update(_taken())


def test_the_tests_of_the_flows_are_here() -> None:
    tests = [name for name in _taken() if name.startswith("test_")]
    assert len(tests) > 100
