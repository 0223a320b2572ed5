"""The SQLite engine does what the reference engine does, whatever is asked of both (REL-7)."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from iris_memory.errors import IrisError
from iris_memory.ports.rows import AuditRow, CheckpointRow, EntryRow, RecordKind, RecordRow, TombstoneRow
from iris_memory.ports.unit_of_work import Reading, Store, Transaction
from iris_memory.storage.memory import MemoryStore
from iris_memory.storage.sqlite import SqliteStore

tenants = st.sampled_from(["acme", "globex"])
persons = st.sampled_from(["", "p1", "p2"])
named = st.sampled_from(["p1", "p2"])
names = st.sampled_from(["a", "b", "c", "d"])
numbers = st.integers(0, 6)
blobs = st.binary(max_size=40) | st.builds(bytes, st.sampled_from([390, 3_800, 3_801, 5_000]))
kinds = st.sampled_from([RecordKind.CONSENT, RecordKind.HOLD, RecordKind.INTENT])
keys = st.sampled_from(["k1", "k2", "k3"])
entries = st.builds(
    EntryRow,
    logical_id=names,
    revision=st.integers(1, 3),
    entry_id=st.sampled_from([f"e{n}" for n in range(30)]),
    seq=numbers,
    slot=numbers,
    created_at=numbers,
    updated_at=numbers,
    expires_at=st.none() | numbers,
    superseded_by=st.none(),
    blob=blobs,
)
stones = st.builds(TombstoneRow, names, numbers, numbers, numbers, st.sampled_from(["why", "why not"]), keys)
records = st.builds(RecordRow, kinds, keys, numbers, numbers, st.none() | numbers, numbers, blobs)
marks = st.tuples(names, numbers, blobs)


class _MishapError(Exception):
    """Raised by a work on purpose."""


class Engines(RuleBasedStateMachine):
    """Asks the same of both engines and compares answers, refusals and everything that can be read."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.sqlite: Store = SqliteStore(self.folder / "store.db", create=True)
        self.memory: Store = MemoryStore()
        self.size = {"acme": 0, "globex": 0}

    def teardown(self) -> None:
        self.sqlite.close()
        shutil.rmtree(self.folder)

    def both(self, work: Callable[[Transaction], Any], *, durable: bool = False) -> Any:
        answers = []
        for store in (self.memory, self.sqlite):
            try:
                answers.append(store.write(work, durable=durable))
            except (IrisError, _MishapError) as error:
                answers.append((type(error), str(error)))
        assert answers[0] == answers[1]
        return answers[0]

    @initialize(tenant=tenants, person=persons, rows=st.lists(entries, min_size=1, max_size=4))
    def begin(self, tenant: str, person: str, rows: list[EntryRow]) -> None:
        self.both(lambda tx: tx.add_entries(tenant, person, rows))

    @rule(tenant=tenants, person=persons)
    def bump(self, tenant: str, person: str) -> None:
        self.both(lambda tx: tx.bump(tenant, person))

    @rule(tenant=tenants, person=persons, rows=st.lists(entries, max_size=4), durable=st.booleans())
    def add(self, tenant: str, person: str, rows: list[EntryRow], *, durable: bool) -> None:
        self.both(lambda tx: tx.add_entries(tenant, person, rows), durable=durable)

    @rule(tenant=tenants, person=persons, pairs=st.lists(st.tuples(names, st.integers(1, 3), keys), max_size=3))
    def supersede(self, tenant: str, person: str, pairs: list[tuple[str, int, str]]) -> None:
        self.both(lambda tx: tx.supersede(tenant, person, pairs))

    @rule(tenant=tenants, person=persons, ids=st.lists(names, max_size=3), seq=numbers)
    def hide(self, tenant: str, person: str, ids: list[str], seq: int) -> None:
        self.both(lambda tx: tx.hide(tenant, person, ids, seq=seq))

    @rule(tenant=tenants, person=persons, rows=st.lists(stones, max_size=3))
    def bury(self, tenant: str, person: str, rows: list[TombstoneRow]) -> None:
        self.both(lambda tx: tx.bury(tenant, person, rows))

    @rule(tenant=tenants, person=persons, rows=st.lists(marks, max_size=4))
    def use(self, tenant: str, person: str, rows: list[tuple[str, int, bytes]]) -> None:
        self.both(lambda tx: tx.mark_usage(tenant, person, rows))

    @rule(tenant=tenants, person=persons, row=records)
    def keep(self, tenant: str, person: str, row: RecordRow) -> None:
        self.both(lambda tx: tx.put_record(tenant, person, row))

    @rule(tenant=tenants, person=persons, kind=kinds, which=st.none() | st.lists(keys, max_size=3))
    def drop(self, tenant: str, person: str, kind: RecordKind, which: list[str] | None) -> None:
        self.both(lambda tx: tx.drop_records(tenant, person, kind, which))

    @rule(now=numbers, which=st.lists(kinds, max_size=2, unique=True))
    def expire(self, now: int, which: list[RecordKind]) -> None:
        self.both(lambda tx: tx.drop_expired(now, which))

    @rule(tenant=tenants, person=named, keep=st.booleans())
    def erase(self, tenant: str, person: str, *, keep: bool) -> None:
        self.both(lambda tx: tx.erase_person(tenant, person, keep_tombstones=keep))

    @rule(tenant=tenants, more=st.integers(0, 3), skew=st.sampled_from([0, 0, 0, -1, 1]))
    def append(self, tenant: str, more: int, skew: int) -> None:
        first = self.size[tenant] + 1 + skew
        rows = [AuditRow(n, f"{tenant} {n}".encode()) for n in range(first, first + more)]
        if self.both(lambda tx: tx.append_audit(tenant, rows, f"head {more}".encode())) is None:
            self.size[tenant] += more

    @rule(tenant=tenants, size=numbers, note=keys)
    def check(self, tenant: str, size: int, note: str) -> None:
        self.both(lambda tx: tx.add_checkpoint(tenant, CheckpointRow(size, note)))

    @rule(tenant=tenants, person=named, rows=st.lists(entries, max_size=2), row=records, ids=st.lists(names))
    def fail_in_the_middle(
        self, tenant: str, person: str, rows: list[EntryRow], row: RecordRow, ids: list[str]
    ) -> None:
        def work(tx: Transaction) -> None:
            tx.put_record(tenant, person, row)
            tx.hide(tenant, person, ids, seq=1)
            tx.add_entries(tenant, person, rows)
            tx.erase_person(tenant, person)
            raise _MishapError

        self.both(work)

    @rule(tenant=tenants, person=named, rows=st.lists(entries, max_size=3), row=records)
    def go_on_after_a_refusal(self, tenant: str, person: str, rows: list[EntryRow], row: RecordRow) -> None:
        def work(tx: Transaction) -> str:
            said = ""
            try:
                tx.add_entries(tenant, person, rows)
            except IrisError as error:
                said = str(error)
            tx.put_record(tenant, person, row)
            return said + str(_seen(tx, tenant, person))

        self.both(work)

    @rule()
    def open_again(self) -> None:
        self.sqlite.close()
        self.sqlite = SqliteStore(self.folder / "store.db")

    @rule()
    def scrub(self) -> None:
        assert self.sqlite.scrub()

    @invariant()
    def all_is_the_same(self) -> None:
        with self.memory.read() as memory, self.sqlite.read() as sqlite:
            assert _everything(memory) == _everything(sqlite)
        assert bool(self.memory.problems()) == bool(self.sqlite.problems())


def _everything(view: Reading) -> list[Any]:
    seen: list[Any] = [view.tenants()]
    seen += [view.records_everywhere(kind) for kind in (RecordKind.CONSENT, RecordKind.HOLD, RecordKind.INTENT)]
    for tenant in ("acme", "globex"):
        seen += [view.audit_head(tenant), view.audit_lines(tenant, start=2, limit=3), view.checkpoints(tenant)]
        seen += [_seen(view, tenant, person) for person in ("", "p1", "p2")]
    return seen


def _seen(view: Reading, tenant: str, person: str) -> list[Any]:
    ids = ["a", "b", "c", "d"]
    of = partial(view.records, tenant, person)
    return [
        view.state(tenant, person),
        [view.entries_since(tenant, person, seq) for seq in (-1, 2)],
        [view.gone_since(tenant, person, seq) for seq in (-1, 2)],
        [view.revisions(tenant, person, name) for name in ids],
        view.slots_of(tenant, person, ids),
        sorted(view.blobs_of(tenant, person, ids)),
        view.created_of(tenant, person, ids),
        [view.usage_since(tenant, person, seq) for seq in (-1, 1)],
        view.usage_of(tenant, person, ["b", "a"]),
        view.tombstones(tenant, person),
        [of(kind, since=since, limit=limit) for kind in RecordKind for since in (-1, 3) for limit in (None, 1)],
        view.record(tenant, person, RecordKind.HOLD, "k1"),
    ]


TestEngines = Engines.TestCase
TestEngines.settings = settings(
    max_examples=15,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
