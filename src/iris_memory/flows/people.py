"""People as a process knows them: keys, columns, consent, pauses. Checked against the store's counters on each use.

A snapshot is published only once what it was read from is committed, so it never holds what was not acknowledged.
"""

from __future__ import annotations

import struct
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from pydantic import BaseModel

from iris_memory.contracts.consent import ConsentEvent, GovernanceApproval, OptOut
from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.scope import AdapterScope, Scope
from iris_memory.contracts.shape import Contract, Instant, to_micros
from iris_memory.errors import KeyDestroyedError, StoreRolledBackError
from iris_memory.flows.decided import decided, fits
from iris_memory.flows.events import EventHub
from iris_memory.flows.laying import Memory
from iris_memory.flows.living import ERASING
from iris_memory.flows.sealing import (
    NONCE_LENGTH,
    Secret,
    derived,
    entry_location,
    open_sealed,
    record_location,
    seal,
    tag,
    usage_location,
)
from iris_memory.flows.unsettled import Unsettled
from iris_memory.flows.usage import UsageMarks
from iris_memory.flows.volatile import Sessions
from iris_memory.ports.rows import ERASED, NOTHING_WRITTEN, EntryRow, RecordKind, RecordRow, SubjectState, UsageRow
from iris_memory.ports.unit_of_work import Reading
from iris_memory.ports.vault import Slot, Subject, Vault
from iris_memory.recall.columns import Columns, Packed, Use, build, bytes_held, mark_uses, replace_rows
from iris_memory.rules.consent import compute_active_consents

BLINDING_LENGTH: Final = 32
TENANT: Final = ""
"""The `person` of records that belong to the tenant."""

EVERYWHERE: Final = "*"
"""The session of a pause that covers every session."""

_FIRST_BATCH, _LARGEST_BATCH = 16, 256
_SCOPE_TAGS_KEPT = 1_024
_NEVER = datetime.max.replace(tzinfo=UTC)
_USE = struct.Struct("<qq")


class Pause(Contract):
    """A session that is off the record."""

    session_id: str
    since: Instant


class Mention(Contract):
    """Somebody the person mentioned: a handle and its salt. The name is nowhere; the record is named by its tag."""

    handle: str
    salt: str
    since: Instant


class OptOuts(Contract):
    """What a person opted out of."""

    names: tuple[OptOut, ...] = ()


class TenantSettings(Contract):
    """What a tenant set for its people."""

    tenant_policy: bool = False
    contract_ends_at: Instant | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What was known of a person at one state of the store."""

    state: SubjectState
    memory: Memory
    events: tuple[ConsentEvent, ...] = ()
    opt_outs: frozenset[OptOut] = frozenset()
    pauses: Mapping[str, Pause] = field(default_factory=dict)
    forgotten: frozenset[str] = frozenset()
    settings: TenantSettings = field(default_factory=TenantSettings)
    approvals: tuple[GovernanceApproval, ...] = ()
    mentions: dict[str, Mention] = field(default_factory=dict)
    """Who was mentioned. One mapping for every snapshot since the last reading: what a write adds, the next sees."""
    is_whole: bool = True
    """Whether every decision that was made is there; where one is missing, no consent is in force."""
    _folded: dict[str, tuple[datetime, datetime, frozenset[str]]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @staticmethod
    def empty() -> Snapshot:
        """Return the snapshot of somebody nothing was written about."""
        return Snapshot(NOTHING_WRITTEN, Memory(build([])))

    def meeting(self, mark: bytes) -> list[MemoryEntry]:
        """Return the memories of one conflict key, by its digest."""
        return self.memory.meeting(mark)

    @property
    def columns(self) -> Columns:
        """The person's memory as columns."""
        return self.memory.columns()

    def after_writing(self, rows: Iterable[Packed], *, version: int) -> Snapshot:
        """Return the snapshot after this process, holding the write, added rows and moved the version."""
        state = SubjectState(version, self.state.usage_seq, self.state.tenant_version)
        return replace(self, state=state, memory=self.memory.with_rows(rows))

    def after_marking(self, uses: Mapping[str, Use], *, usage_seq: int) -> Snapshot:
        """Return the snapshot after this process, holding the write, marked uses and moved the usage counter."""
        state = SubjectState(self.state.version, usage_seq, self.state.tenant_version)
        return replace(self, state=state, memory=self.memory.with_uses(uses))

    def consents(self, now: datetime) -> frozenset[str]:
        """Return the consents in force; none where a decision is missing."""
        if not self.is_whole:
            return frozenset()
        known = self._folded.get("consents")
        if known is not None and known[0] <= now < known[1]:
            return known[2]
        active = compute_active_consents(self.events, now)
        ends = [event.expires_at for event in self.events if event.expires_at is not None and event.expires_at > now]
        self._folded["consents"] = (now, min(ends, default=_NEVER), active)
        return active

    def approved(self, now: datetime) -> frozenset[AdapterScope]:
        """Return the scopes with a governance approval in force; none outlives the tenant's contract for `tenant`."""
        ends = self.settings.contract_ends_at
        over = {AdapterScope.TENANT} if ends is not None and ends <= now else set()
        return (
            frozenset(
                approval.adapter_scope
                for approval in self.approvals
                if approval.granted_at <= now < approval.expires_at
            )
            - over
        )


class Person:
    """One person's keys, slots and newest snapshot in this process."""

    def __init__(self, subject: Subject, user_id: str, *, tenant_key: bytes, vault: Vault, secret: Secret) -> None:
        """Take the opened keys of a subject."""
        self.subject = subject
        self.tenant = subject.tenant
        self.person = subject.person
        self.user_id = user_id
        self.actor_key = derived(subject.key, "actor")
        self._tag_key = derived(subject.key, "tag")
        self._record_key = derived(subject.key, "records")
        self._tenant_record_key = derived(tenant_key, "records")
        self._vault = vault
        self._secret = secret
        self._pool: list[Slot] = []
        self._batch = _FIRST_BATCH
        self._recent: OrderedDict[int, bytes] = OrderedDict()
        self._slot_lock = threading.Lock()
        self.load_lock = threading.Lock()
        self.is_loaded = False
        self.snapshot = Snapshot.empty()
        self._scope_tags: dict[Scope, str] = {}

    def tag(self, purpose: str, *parts: str) -> str:
        """Return a tag keyed by the person: it tells nothing without the subject key, and goes with it."""
        return tag(self._tag_key, purpose, *parts)

    def scope_tag(self, scope: Scope) -> str:
        """Return the tag that stands for a scope in the audit chain."""
        known = self._scope_tags.get(scope)
        if known is None:
            if len(self._scope_tags) >= _SCOPE_TAGS_KEPT:
                self._scope_tags.clear()
            known = self._scope_tags[scope] = self.tag("scope", scope.text())
        return known

    def ensure_slots(self, count: int) -> None:
        """Have at least `count` slots at hand, made durable in the vault before any row names them."""
        with self._slot_lock:
            missing = count - len(self._pool)
            if missing > 0:
                self._pool.extend(self._vault.reserve(self.subject, max(missing, self._batch)))
                self._batch = min(_LARGEST_BATCH, self._batch * 2)

    def take_slot(self) -> Slot:
        """Return an unused slot."""
        while True:
            with self._slot_lock:
                if self._pool:
                    slot = self._pool.pop(0)
                    self._remember_key(slot.number, slot.key)
                    return slot
            self.ensure_slots(1)

    def keys(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """Return the keys of slots; a destroyed one is absent."""
        wanted = list(dict.fromkeys(numbers))
        with self._slot_lock:
            known = {number: self._recent[number] for number in wanted if number in self._recent}
        missing = [number for number in wanted if number not in known]
        if missing:
            every = None if len(missing) > 2_000 else missing
            known.update(self._vault.open_slots(self.subject, every))
        return known

    def drop_keys(self, numbers: Iterable[int]) -> None:
        """Drop the keys of slots that were destroyed."""
        with self._slot_lock:
            for number in numbers:
                self._recent.pop(number, None)

    def drop_every_key(self) -> None:
        """Drop the keys of slots this process holds; those that still stand are opened again when they are needed."""
        with self._slot_lock:
            self._recent.clear()

    def seal_entry(self, slot: Slot, packed: bytes, *, blinding: bytes, logical_id: str, revision: int) -> bytes:
        """Seal a packed entry with the blinding of its commitment."""
        location = entry_location(self.tenant, self.person, logical_id, revision, slot.number)
        return seal(slot.key, blinding + packed, location=location, nonce=self._secret(NONCE_LENGTH))

    def open_entry(self, row: EntryRow, key: bytes) -> bytes:
        """Return the packed entry of a row."""
        location = entry_location(self.tenant, self.person, row.logical_id, row.revision, row.slot)
        return open_sealed(key, row.blob, location=location)[BLINDING_LENGTH:]

    def open_entries(self, rows: Iterable[EntryRow]) -> list[Packed]:
        """Return the packed entries of rows; a row whose key was destroyed meanwhile is passed over."""
        rows = list(rows)
        keys = self.keys(row.slot for row in rows)
        return [
            Packed(row.logical_id, row.entry_id, self.open_entry(row, keys[row.slot]))
            for row in rows
            if row.slot in keys
        ]

    def seal_use(self, logical_id: str, use: Use) -> bytes:
        """Seal how often and when a memory was used. It holds no words, so the person's own key seals it."""
        location = usage_location(self.tenant, self.person, logical_id)
        plain = _USE.pack(use.times, -1 if use.last is None else use.last)
        return seal(self._record_key, plain, location=location, nonce=self._secret(NONCE_LENGTH))

    def open_uses(self, rows: Iterable[UsageRow]) -> dict[str, Use]:
        """Return how often and when memories were used."""
        uses = {}
        for row in rows:
            location = usage_location(self.tenant, self.person, row.logical_id)
            times, last = _USE.unpack(open_sealed(self._record_key, row.blob, location=location))
            uses[row.logical_id] = Use(times, None if last < 0 else last)
        return uses

    def own_record(
        self,
        kind: RecordKind,
        key: str,
        value: BaseModel,
        *,
        seq: int,
        now: datetime,
        expires_at: datetime | None = None,
    ) -> RecordRow:
        """Return a record that holds no words, sealed under the person's own key."""
        location = record_location(self.tenant, self.person, kind.value, key, 0)
        plain = value.model_dump_json().encode()
        blob = seal(self._record_key, plain, location=location, nonce=self._secret(NONCE_LENGTH))
        expires = to_micros(expires_at) if expires_at else None
        return RecordRow(kind, key, seq, to_micros(now), expires, 0, blob)

    def record(
        self,
        kind: RecordKind,
        key: str,
        value: BaseModel | None,
        *,
        seq: int,
        now: datetime,
        expires_at: datetime | None = None,
        of_tenant: bool = False,
    ) -> RecordRow:
        """Return a record row: sealed under a slot of its own, or under the tenant's key; with no value, empty."""
        owner = TENANT if of_tenant else self.person
        slot = Slot(0, self._tenant_record_key) if of_tenant or value is None else self.take_slot()
        blob = b""
        if value is not None:
            location = record_location(self.tenant, owner, kind.value, key, slot.number)
            plain = value.model_dump_json().encode()
            blob = seal(slot.key, plain, location=location, nonce=self._secret(NONCE_LENGTH))
        expires = to_micros(expires_at) if expires_at else None
        return RecordRow(kind, key, seq, to_micros(now), expires, slot.number, blob)

    def open_record(self, row: RecordRow, *, of_tenant: bool = False) -> bytes | None:
        """Return the JSON bytes of a record; None where its key was destroyed."""
        owner = TENANT if of_tenant else self.person
        own = self._tenant_record_key if of_tenant else self._record_key
        key = own if row.slot == 0 else self.keys([row.slot]).get(row.slot)
        if key is None:
            return None
        location = record_location(self.tenant, owner, row.kind.value, row.key, row.slot)
        return open_sealed(key, row.blob, location=location)

    def _remember_key(self, number: int, key: bytes) -> None:
        self._recent[number] = key
        while len(self._recent) > 4 * _LARGEST_BATCH:
            self._recent.popitem(last=False)

    def read(self, reading: Reading) -> Snapshot:
        """Return the snapshot of what a reading sees, taking from the newest one what still holds."""
        known, state = self.snapshot, reading.state(self.tenant, self.person)
        if state == known.state:
            return known
        if state.version == ERASED:
            raise KeyDestroyedError("the person was erased; what comes after belongs to a new subject")
        fresh = known
        if state.version != known.state.version:
            fresh = self._read_memory(reading, fresh, state)
        if state.usage_seq != known.state.usage_seq:
            rows = reading.usage_since(self.tenant, self.person, known.state.usage_seq)
            fresh = replace(fresh, memory=Memory(mark_uses(fresh.columns, self.open_uses(rows))))
        if state.tenant_version != known.state.tenant_version:
            fresh = self._read_tenant(reading, fresh)
        return replace(fresh, state=state)

    def publish(self, snapshot: Snapshot) -> None:
        """Make a committed snapshot the newest, unless a newer one is already there."""
        known = self.snapshot.state
        fresh = snapshot.state
        if (fresh.version, fresh.usage_seq) >= (known.version, known.usage_seq):
            self.snapshot = snapshot

    def _read_memory(self, reading: Reading, known: Snapshot, state: SubjectState) -> Snapshot:
        if reading.record(self.tenant, self.person, RecordKind.INTENT, ERASING) is not None:
            raise KeyDestroyedError("the person is being erased; what comes after belongs to a new subject")
        since = known.state.version if state.version > known.state.version else 0
        base = known if since else replace(known, memory=Memory(build([])), events=(), forgotten=frozenset())
        rows = reading.entries_since(self.tenant, self.person, since)
        gone = reading.gone_since(self.tenant, self.person, since) if since else []
        if not since:
            self._require_vault_not_older(rows)
        added = self.open_entries(rows)
        if since:
            columns = replace_rows(base.columns, added, gone)
        else:
            columns = build(added, self.open_uses(reading.usage_since(self.tenant, self.person, -1)))
        read = reading.records
        events = [
            ConsentEvent.model_validate_json(plain)
            for row in read(self.tenant, self.person, RecordKind.CONSENT, since=since if since else -1)
            if (plain := self._opened(row))
        ]
        pauses = {
            row.key: Pause.model_validate_json(plain)
            for row in read(self.tenant, self.person, RecordKind.PAUSE)
            if (plain := self._opened(row))
        }
        opt_outs = [
            OptOuts.model_validate_json(plain)
            for row in read(self.tenant, self.person, RecordKind.SETTING)
            if (plain := self._opened(row))
        ]
        by_place = {event.sequence: event for event in (*base.events, *events)}  # a purged one comes in its own place
        answers = tuple(by_place[place] for place in sorted(by_place))
        opted_out = frozenset(name for held in opt_outs for name in held.names)
        return replace(
            base,
            memory=Memory(columns),
            events=answers,
            is_whole=fits(self, reading, decided(answers, pauses, opted_out)),
            pauses=pauses,
            mentions={
                row.key: Mention.model_validate_json(opened)
                for row in read(self.tenant, self.person, RecordKind.MENTION)
                if (opened := self.open_record(row))
            },
            forgotten=base.forgotten
            | {row.key for row in read(self.tenant, self.person, RecordKind.FORGOTTEN, since=since or -1)},
            opt_outs=opted_out,
        )

    def _opened(self, row: RecordRow) -> bytes:
        """Return what the person decided. A decision that cannot be read is never taken for one that was not made."""
        plain = self.open_record(row)
        if plain is None:
            raise self._why_closed("a consent, pause or opt-out cannot be opened")
        return plain

    def _require_vault_not_older(self, rows: Iterable[EntryRow]) -> None:
        highest = max((row.slot for row in rows), default=0)
        if highest > self._vault.slots_made(self.subject):
            raise self._why_closed("a memory names a key that was never made")

    def _why_closed(self, what: str) -> KeyDestroyedError | StoreRolledBackError:
        subject = self._vault.find_subject(self.tenant, self.user_id)
        if subject is None or subject.person != self.person:
            return KeyDestroyedError("the person was erased; what comes after belongs to a new subject")
        return StoreRolledBackError(f"{what}: the vault is older than the data; restore its newest copy")

    def _read_tenant(self, reading: Reading, known: Snapshot) -> Snapshot:
        settings, approvals = TenantSettings(), []
        for row in reading.records(self.tenant, TENANT, RecordKind.SETTING):
            plain = self.open_record(row, of_tenant=True)
            settings = TenantSettings.model_validate_json(plain) if plain else settings
        for row in reading.records(self.tenant, TENANT, RecordKind.APPROVAL):
            plain = self.open_record(row, of_tenant=True)
            if plain:
                approvals.append(GovernanceApproval.model_validate_json(plain))
        return replace(known, settings=settings, approvals=tuple(approvals))


class People:
    """The people this process knows, bounded by the bytes their columns hold; least recently used go first."""

    def __init__(self, vault: Vault, secret: Secret, *, most_bytes: int = 2 << 30) -> None:
        """Start with nobody."""
        self._vault = vault
        self._secret = secret
        self._most = most_bytes
        self._known: OrderedDict[tuple[str, str], Person] = OrderedDict()
        self._sizes: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()
        self.usage = UsageMarks()
        self.sessions = Sessions()
        self.unsettled = Unsettled()
        self.events = EventHub()

    def find(self, tenant: str, user: str) -> Person | None:
        """Return a person that has a subject key, or None."""
        return self._get(tenant, user, make=False)

    def get(self, tenant: str, user: str) -> Person:
        """Return a person, with a subject key made on first use."""
        person = self._get(tenant, user, make=True)
        assert person is not None
        return person

    def is_read(self, tenant: str, user: str) -> bool:
        """Say whether this process has read a person's memory, without waiting for a lock or a file."""
        person = self._known.get((tenant, user))
        return person is not None and person.is_loaded

    def drop(self, tenant: str, user: str) -> None:
        """Forget what this process knows of a person."""
        with self._lock:
            gone = self._known.pop((tenant, user), None)
            self._sizes.pop((tenant, user), None)
        self.events.drop(tenant, user)
        if gone is not None:
            self.sessions.drop(gone, everything=True)
            self.unsettled.drop(gone.person)

    def weigh(self, person: Person) -> None:
        """Take note of what a person's columns hold, and let go of others when it is too much."""
        name = (person.tenant, person.user_id)
        held = bytes_held(person.snapshot.columns)
        with self._lock:
            if name not in self._known:
                return
            self._sizes[name] = held
            total = sum(self._sizes.values())
            while total > self._most and len(self._known) > 1:
                oldest, _ = self._known.popitem(last=False)
                total -= self._sizes.pop(oldest, 0)

    def known(self) -> list[Person]:
        """Return everybody this process knows."""
        with self._lock:
            return list(self._known.values())

    def _get(self, tenant: str, user: str, *, make: bool) -> Person | None:
        name = (tenant, user)
        with self._lock:
            person = self._known.get(name)
            if person is not None:
                self._known.move_to_end(name)
                return person
        subject = self._vault.make_subject(tenant, user) if make else self._vault.find_subject(tenant, user)
        if subject is None:
            return None
        made = Person(subject, user, tenant_key=self._vault.tenant_key(tenant), vault=self._vault, secret=self._secret)
        with self._lock:
            return self._known.setdefault(name, made)
