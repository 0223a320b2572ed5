"""Turns: the log of a session that a bridge keeps for a day, ready to be redacted, exported and deleted.

A turn is two records: a reference without words, and the words under a key of their own. Redacting destroys the key and
leaves the reference. A turn is kept where memory of its session may be kept, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from iris_memory.chain.canonical import JsonValue
from iris_memory.contracts.audit import BRIDGE_POLICY, AuditAction
from iris_memory.contracts.bridge import BridgeMode, BridgeSession, SessionEnded, Turn, TurnLogged, TurnRole, TurnsKept
from iris_memory.contracts.category import Category
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import Label, TombstoneReason
from iris_memory.contracts.scope import AdapterScope, OperatorCopilotScope, Scope, SessionScope
from iris_memory.contracts.shape import Contract, Instant
from iris_memory.contracts.write import Refused
from iris_memory.errors import ContractError, IdempotencyConflictError
from iris_memory.flows import ephemeral
from iris_memory.flows.admitting import is_paused
from iris_memory.flows.composing import Composer
from iris_memory.flows.forgetting import destroy, scrub
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.intents import Going, Intent, keep_intent
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.retrying import with_known_person, with_person
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.tables.bridging import TURN_BATCH_MOST, TURN_LIFETIME, TURNS_MOST


class _Ref(Contract):
    """A turn without its words; `body` is a keyed tag of all it said."""

    turn_id: str
    session_id: str
    sequence: int
    role: TurnRole
    label: Label
    at: Instant
    kept_until: Instant
    body: str
    mode: BridgeMode = BridgeMode.CUSTOMER


class _Words(Contract):
    """The words of a turn."""

    text: str


class Where(NamedTuple):
    """Which session of whom, by which kind of bridge."""

    caller: Caller
    mode: BridgeMode
    session_id: str

    @property
    def scope(self) -> Scope:
        """The scope the session's memory has."""
        if self.mode is BridgeMode.ADMIN:
            return OperatorCopilotScope(tenant_id=self.caller.tenant, operator_id=self.caller.user)
        return SessionScope(user_id=self.caller.user, session_id=self.session_id)

    @property
    def adapter_scope(self) -> AdapterScope:
        """The policy over it."""
        return AdapterScope.OPERATOR_COPILOT if self.mode is BridgeMode.ADMIN else AdapterScope.SESSION


def append(instruments: Instruments, where: Where, turns: Sequence[Turn]) -> TurnsKept | Refused:
    """Append turns in order, all or none. A turn that is there already is counted and changes nothing.

    Raises:
        ContractError: there are more turns than one call takes.
        IdempotencyConflictError: a turn's id or place was used before for another turn.
    """
    if len(turns) > TURN_BATCH_MOST:
        raise ContractError(f"a call holds at most {TURN_BATCH_MOST} turns; send several")
    now = instruments.clock.now()

    def attempt(person: Person) -> TurnsKept | Refused:
        person.ensure_slots(len(turns))
        return instruments.store.write(lambda tx: _append(instruments, where, person, tx, turns, now), durable=True)

    return with_person(instruments, where.caller, attempt)


def reconnect(instruments: Instruments, where: Where) -> BridgeSession | None:
    """Return where a session stands, so that a runtime goes on after its last turn; None where it never began."""
    now = instruments.clock.now()

    def attempt(person: Person) -> BridgeSession | None:
        with instruments.store.read() as reading:
            snapshot = person.read(reading)
            session = _session(person, reading, where, now)
        if session is None:
            return None
        return session.model_copy(update={"off_the_record": is_paused(person, snapshot, where.session_id, None)})

    return with_known_person(instruments, where.caller, attempt, nobody=lambda: None)


def end(instruments: Instruments, where: Where) -> SessionEnded:
    """End a session: no turn comes any more, and what lived in it alone is gone. Ending twice is one end."""
    now = instruments.clock.now()

    def attempt(person: Person) -> SessionEnded:
        def work(tx: Transaction) -> tuple[BridgeSession | None, bool]:
            snapshot = person.read(tx)
            session = _session(person, tx, where, now)
            if session is None or session.ended_at is not None:
                return session, session is not None
            ended = session.model_copy(update={"ended_at": now})
            _put_session(person, tx, where, ended, snapshot, now)
            tag = _session_tag(person, where)
            _tell(tx, person, AuditAction.SESSION_ENDED, now, session=tag, turns=session.last_sequence)
            return ended, False

        session, was_over = instruments.store.write(work, durable=True)
        forgotten = ephemeral.end_session(instruments, person, where.session_id, now)
        last = session.last_sequence if session is not None else 0
        return SessionEnded(session_id=where.session_id, last_sequence=last, forgotten=forgotten, was_over=was_over)

    nothing = SessionEnded(session_id=where.session_id, last_sequence=0, forgotten=0, was_over=False)
    return with_known_person(instruments, where.caller, attempt, nobody=lambda: nothing)


def turn_log(instruments: Instruments, where: Where) -> tuple[TurnLogged, ...]:
    """Return the turns of a session, in order. A session of the other mode is another one, whatever its id."""
    now = instruments.clock.now()

    def attempt(person: Person) -> tuple[TurnLogged, ...]:
        with instruments.store.read() as reading:
            person.read(reading)
            refs = [ref for ref in _refs(person, reading, now) if _is_of(ref, where)]
            texts = _texts(person, reading)
        return tuple(
            TurnLogged(
                turn_id=ref.turn_id,
                session_id=ref.session_id,
                sequence=ref.sequence,
                role=ref.role,
                label=ref.label,
                at=ref.at,
                kept_until=ref.kept_until,
                text=texts.get(_key(person, where, ref.turn_id)),
            )
            for ref in sorted(refs, key=lambda ref: ref.sequence)
        )

    return with_known_person(instruments, where.caller, attempt, nobody=tuple)


def redact(instruments: Instruments, where: Where, turn_ids: Collection[str] | None = None) -> int:
    """Destroy the words of turns, of a whole session without ids; return how many there were. References stay."""
    now = instruments.clock.now()

    def attempt(person: Person) -> int:
        def work(tx: Transaction) -> tuple[Going, int] | None:
            person.read(tx)
            named = [ref for ref in _refs(person, tx, now) if _is_of(ref, where)]
            keys = [_key(person, where, ref.turn_id) for ref in named if turn_ids is None or ref.turn_id in turn_ids]
            rows = [tx.record(person.tenant, person.person, RecordKind.TURN_TEXT, key) for key in keys]
            going = [row for row in rows if row is not None]
            if not going:
                return None
            tx.drop_records(person.tenant, person.person, RecordKind.TURN_TEXT, [row.key for row in going])
            intent = Intent(
                receipt_id=instruments.ids.entry_id(now),
                tenant=person.tenant,
                person=person.person,
                reason=TombstoneReason.FORGOTTEN_BY_PERSON,
                asked_at=now,
                logical_ids=(),
                slots=tuple(sorted(row.slot for row in going)),
            )
            keep_intent(instruments, tx, intent)
            _tell(tx, person, AuditAction.TURNS_REDACTED, now, session=_session_tag(person, where), turns=len(going))
            return Going(intent), len(going)

        done = instruments.store.write(work, durable=True)
        if done is None:
            return 0
        going, count = done
        destroy(instruments, person, going)
        scrub(instruments, [(person.tenant, going.intent.receipt_id)])
        return count

    return with_known_person(instruments, where.caller, attempt, nobody=lambda: 0)


def _append(
    instruments: Instruments,
    where: Where,
    person: Person,
    tx: Transaction,
    turns: Sequence[Turn],
    now: datetime,
) -> TurnsKept | Refused:
    snapshot = person.read(tx)
    composer = Composer(instruments, where.caller, person, snapshot, now)
    refused = composer.admit(
        Category.OTHER, where.scope, where.adapter_scope, sensitive=False, session_id=where.session_id
    )
    if refused is not None:
        return refused
    session = _session(person, tx, where, now)
    known = {ref.turn_id: ref for ref in _refs(person, tx, now) if _is_of(ref, where)}
    by_place = {ref.sequence: ref.turn_id for ref in known.values()}
    last = session.last_sequence if session is not None else 0
    fresh: list[tuple[Turn, str]] = []
    for turn in turns:
        body = person.tag("turn-body", where.session_id, turn.model_dump_json())
        before = known.get(turn.turn_id)
        if before is not None:
            if before.body != body:
                raise IdempotencyConflictError("this turn was appended before with other words or in another place")
            continue
        if turn.sequence <= last and by_place.get(turn.sequence) is not None:
            raise IdempotencyConflictError("another turn has this place in the session")
        if session is not None and session.ended_at is not None:
            return Refused(reason=RefusalReason.SESSION_ENDED, rule="a session that ended takes no turn")
        if turn.sequence != last + 1 or last >= TURNS_MOST:
            rule = f"the next turn of the session is {last + 1}, and it has at most {TURNS_MOST}"
            return Refused(reason=RefusalReason.TURN_OUT_OF_ORDER, rule=rule)
        last = turn.sequence
        fresh.append((turn, body))
        known[turn.turn_id] = _ref(where, turn, body, now)
    for turn, _ in fresh:
        _put_turn(person, tx, where, turn, known[turn.turn_id], snapshot, now)
    if fresh:
        began = session.began_at if session is not None else now
        after = BridgeSession(session_id=where.session_id, mode=where.mode, began_at=began, last_sequence=last)
        _put_session(person, tx, where, after, snapshot, now)
        _tell(
            tx,
            person,
            AuditAction.TURN_KEPT,
            now,
            session=_session_tag(person, where),
            turns=len(fresh),
            assistant_id=where.caller.assistant_id or "",
        )
    return TurnsKept(
        session_id=where.session_id, appended=len(fresh), already=len(turns) - len(fresh), last_sequence=last
    )


def _ref(where: Where, turn: Turn, body: str, now: datetime) -> _Ref:
    return _Ref(
        turn_id=turn.turn_id,
        session_id=where.session_id,
        sequence=turn.sequence,
        role=turn.role,
        label=turn.label,
        at=now,
        kept_until=now + TURN_LIFETIME,
        body=body,
        mode=where.mode,
    )


def _put_turn(
    person: Person, tx: Transaction, where: Where, turn: Turn, ref: _Ref, snapshot: Snapshot, now: datetime
) -> None:
    key, seq = _key(person, where, turn.turn_id), snapshot.state.version
    row = person.own_record(RecordKind.TURN, key, ref, seq=seq, now=now, expires_at=ref.kept_until)
    tx.put_record(person.tenant, person.person, row)
    words = person.record(
        RecordKind.TURN_TEXT, key, _Words(text=turn.text), seq=seq, now=now, expires_at=ref.kept_until
    )
    tx.put_record(person.tenant, person.person, words)


def _put_session(
    person: Person, tx: Transaction, where: Where, session: BridgeSession, snapshot: Snapshot, now: datetime
) -> None:
    key = _session_tag(person, where)
    row = person.own_record(
        RecordKind.BRIDGE_SESSION, key, session, seq=snapshot.state.version, now=now, expires_at=now + TURN_LIFETIME
    )
    tx.put_record(person.tenant, person.person, row)


def _session(person: Person, reading: Reading, where: Where, now: datetime) -> BridgeSession | None:
    key = _session_tag(person, where)
    row = reading.record(person.tenant, person.person, RecordKind.BRIDGE_SESSION, key)
    plain = person.open_record(row) if row is not None else None
    return BridgeSession.model_validate_json(plain) if plain is not None else None


def _is_of(ref: _Ref, where: Where) -> bool:
    return (ref.mode, ref.session_id) == (where.mode, where.session_id)


def _session_tag(person: Person, where: Where) -> str:
    return person.tag("bridge-session", *_names(where))


def _key(person: Person, where: Where, turn_id: str) -> str:
    return person.tag("turn", *_names(where), turn_id)


def _names(where: Where) -> tuple[str, ...]:
    # an operator is a person as well, and may have a session of one id in both modes
    return (where.session_id,) if where.mode is BridgeMode.CUSTOMER else (where.mode.value, where.session_id)


def _refs(person: Person, reading: Reading, now: datetime) -> list[_Ref]:
    found = []
    for row in reading.records(person.tenant, person.person, RecordKind.TURN):
        plain = person.open_record(row)
        if plain is not None:
            found.append(_Ref.model_validate_json(plain))
    return [ref for ref in found if now < ref.kept_until]


def typed_turns(person: Person, reading: Reading) -> frozenset[str]:
    """Return the record keys of the turns whose words the person typed: all others may tell of somebody else."""
    rows = reading.records(person.tenant, person.person, RecordKind.TURN)
    opened = [(row.key, plain) for row in rows if (plain := person.open_record(row)) is not None]
    return frozenset(key for key, plain in opened if _Ref.model_validate_json(plain).label is Label.USER_TYPED)


def _texts(person: Person, reading: Reading) -> dict[str, str]:
    found = {}
    for row in reading.records(person.tenant, person.person, RecordKind.TURN_TEXT):
        plain = person.open_record(row)
        if plain is not None:
            found[row.key] = _Words.model_validate_json(plain).text
    return found


def _tell(tx: Transaction, person: Person, action: AuditAction, now: datetime, **facts: JsonValue) -> None:
    write_event(tx, person.tenant, action=action, policy=BRIDGE_POLICY, person=person.person, now=now, facts=facts)
