"""The same sequence of operations on both engines gives the same recall bytes, audit codes, receipts and errors."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flows.stores import KEY, SteppingClock, actions, person
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.shape import to_micros
from iris_memory.errors import IrisError, KeyMissingError, SettingError, StoreRolledBackError
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.storage.postgres import prepare
from iris_memory.wiring.opening import open_embedded
from postgres.server import OWNER, SERVICE, Server

pytestmark = pytest.mark.enable_socket

BODIES = (
    "I live in Lyon.",
    "I live in Turku.",
    "My sister is called Maya.",
    "I prefer short answers.",
    "The project starts in April.",
    "I have asthma.",
)
QUERIES = ("", "where do I live", "sister", "project", "answers")
USERS = (("acme", "ada"), ("acme", "bob"), ("globex", "ada"))

HANDLE = re.compile(r"\[([a-z]+):[0-9a-f]{16}\]")
"""A name that was masked: its digits are drawn from the person's key, which the vault draws by itself."""

who = st.sampled_from(USERS)
bodies = st.sampled_from(BODIES)
numbers = st.integers(0, 7)
operations = st.lists(
    st.one_of(
        st.tuples(st.just("remember"), who, bodies),
        st.tuples(st.just("remember"), who, bodies),
        st.tuples(st.just("recall"), who, st.sampled_from(QUERIES)),
        st.tuples(st.just("revise"), who, numbers, bodies),
        st.tuples(st.just("forget"), who, numbers),
        st.tuples(st.just("forget-category"), who),
        st.tuples(st.just("history"), who, numbers),
        st.tuples(st.just("pause"), who),
        st.tuples(st.just("resume"), who),
        st.tuples(st.just("revoke"), who),
        st.tuples(st.just("erase"), who),
        st.tuples(st.just("reopen"), who),
    ),
    min_size=4,
    max_size=16,
)


class CountedIds:
    """Makes ids and secret bytes that are the same in the same order."""

    def __init__(self) -> None:
        self.count = 0

    def entry_id(self, now: datetime) -> str:
        """Return the next UUIDv7."""
        self.count += 1
        text = f"{(to_micros(now) // 1000 << 80) | (0x7 << 76) | (0b10 << 62) | self.count:032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def secret(self, length: int) -> bytes:
        """Return the next bytes."""
        self.count += 1
        return (sha256(str(self.count).encode()).digest() * (length // 32 + 1))[:length]


class World:
    """One store with its clock and ids, and what came of every operation."""

    def __init__(self, folder: Path, database: str | None) -> None:
        self.folder, self.database = folder, database
        self.clock, self.ids = SteppingClock(), CountedIds()
        self.iris = self.open()
        self.known: dict[tuple[str, str], list[str]] = {user: [] for user in USERS}
        self.said: list[Any] = []

    def open(self) -> Iris:
        """Open the store."""
        return Iris(
            open_embedded(self.folder, key=KEY, clock=self.clock, ids=self.ids, tended=False, database=self.database)
        )

    def me(self, user: tuple[str, str]) -> PersonMemory:
        """Bind a person, base consents given."""
        return person(self.iris, user[1], tenant=user[0])

    def run(self, operation: tuple[Any, ...]) -> None:
        """Run one operation and note what came of it, to the byte."""
        self.clock.step()
        name, user, *rest = operation
        try:
            self.said.append((name, _plain(self._do(name, user, *rest))))
        except IrisError as error:
            self.said.append((name, type(error).__name__, str(error)))

    def _do(self, name: str, user: tuple[str, str], *rest: Any) -> Any:
        if name == "reopen":
            self.iris.close()
            self.iris = self.open()
            return None
        me = self.me(user)
        acts: dict[str, Callable[..., Any]] = {
            "remember": me.remember,
            "recall": me.recall,
            "revise": lambda number, body: me.revise(self._id(user, number), body),
            "forget": lambda number: me.forget(self._id(user, number), scan=False),
            "forget-category": lambda: me.forget(category="fact", scan=False),
            "history": lambda number: me.history(self._id(user, number)),
            "pause": me.pause,
            "resume": me.resume,
            "revoke": lambda: me.consent.revoke("data_storage"),
            "erase": lambda: me.erase(scan=False),
        }
        outcome = acts[name](*rest)
        entry = getattr(outcome, "entry", None)
        if entry is not None:
            self.known[user].append(entry.logical_id)
        return outcome

    def _id(self, user: tuple[str, str], number: int) -> str:
        known = self.known[user]
        return known[number % len(known)] if known else "00000000-0000-7000-8000-000000000000"

    def end(self) -> list[Any]:
        """Recall everything, read the chains, close, and return all that was said."""
        for user in USERS:
            for query in QUERIES:
                self.run(("recall", user, query))
        for tenant in self.iris.tenants():
            self.said.append((tenant, actions(self.iris, tenant), self.iris.verify_audit(tenant=tenant).ok))
        self.said.append([finding for finding in self.iris.doctor() if not finding.ok])
        self.iris.close()
        return self.said


def _plain(value: Any) -> Any:
    if isinstance(value, ForgetReceipt):  # the vault draws pseudonyms and signing keys by itself
        return value.model_dump_json(exclude={"person", "audit_root", "note"})
    if getattr(value, "outcome", "") == "ask-category":  # named by a tag under the person's key
        return value.model_dump_json(exclude={"question_id", "digest"})
    if hasattr(value, "model_dump_json"):
        return HANDLE.sub(r"[\1]", value.model_dump_json())
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return repr(value)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=operations)
def test_both_engines_say_the_same(server: Server, steps: list[tuple[Any, ...]]) -> None:
    name = server.new_database()
    prepare(server.at(name, OWNER), service=SERVICE)
    said = []
    try:
        for database in (None, server.at(name, SERVICE)):
            with tempfile.TemporaryDirectory() as folder:
                world = World(Path(folder) / "memory", database)
                for step in steps:
                    world.run(step)
                said.append(world.end())
    finally:
        server.drop(name)
    assert len(said[0]) == len(said[1])
    for sqlite, postgres in zip(*said, strict=True):
        assert sqlite == postgres


def test_a_database_without_its_vault_is_not_served(url: str, tmp_path: Path) -> None:
    world = World(tmp_path / "one", url)
    world.run(("remember", USERS[0], BODIES[0]))
    world.iris.close()
    with pytest.raises(KeyMissingError):
        World(tmp_path / "two", url)
    with pytest.raises(KeyMissingError):
        World(tmp_path / "two", url)


def test_a_folder_with_another_database_is_not_served(
    url: str, server: Server, new_database: Callable[[], str], tmp_path: Path
) -> None:
    world = World(tmp_path / "one", url)
    world.run(("remember", USERS[0], BODIES[0]))
    world.iris.close()
    with pytest.raises(StoreRolledBackError):
        World(tmp_path / "one", server.at(new_database(), SERVICE))


def test_without_the_driver_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "iris_memory.storage.postgres", None)
    with pytest.raises(SettingError, match=r"iris-memory\[postgres\]"):
        World(tmp_path / "one", "dbname=anything")
