"""Composing: what one statement becomes, decided against a snapshot and what the same batch has decided before it."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import ScopeMode
from iris_memory.contracts.decision import ConflictOutcome, ConflictRule, RefusalReason
from iris_memory.contracts.entry import (
    SUBJECT_MOST,
    ConsentEntry,
    Label,
    Lifecycle,
    MemoryEntry,
    MultiActor,
    Origin,
    ProvenanceKind,
    ProvenanceLink,
    Quarantine,
    QuarantineReason,
)
from iris_memory.contracts.scope import (
    DEFAULT_ADAPTER,
    AdapterScope,
    ProfileScope,
    Scope,
)
from iris_memory.contracts.shape import to_micros, trusted
from iris_memory.contracts.write import Refused, Statement, WriteOutcome, Written
from iris_memory.flows.admitting import Admissions
from iris_memory.flows.asking import Pending, as_outcome, ask
from iris_memory.flows.assistants import barred
from iris_memory.flows.cleaning import Words, already_expired, cleaned_words
from iris_memory.flows.doubting import doubt, with_offer
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.namespace import Namespace
from iris_memory.flows.people import BLINDING_LENGTH, Person, Snapshot
from iris_memory.ports.rows import EntryRow
from iris_memory.recall.packing import address_digest, digest, fold, pack
from iris_memory.rules import conflict, integrity, retention
from iris_memory.rules.hygiene import normalise_for_match
from iris_memory.rules.lifecycle import is_leaving, successor
from iris_memory.rules.scope_change import is_read_only_copy
from iris_memory.rules.screening import screen
from iris_memory.tables.limits import QUARANTINE_LIFETIME
from iris_memory.tables.origins import ORIGINS


@dataclass(slots=True)
class Draft:
    """What became of one statement. `is_new` where a revision is to be written."""

    outcome: WriteOutcome
    entry: MemoryEntry | None = None
    is_new: bool = False
    rule: ConflictRule | None = None
    decided: ConflictOutcome | None = None
    prior_id: str | None = None
    pending: Pending | None = None
    packed: bytes = b""
    blinding: bytes = b""
    commitment: str = ""
    session: str | None = None
    """The session it lives in, where it may not be stored."""


class Unstored(Protocol):
    """Takes what may not be stored and lives in its session alone (see `flows.ephemeral`)."""

    def session_of(self, statement: Statement, scope: Scope) -> str | None:
        """Return the session a statement belongs to."""
        ...

    def settle(self, entry: MemoryEntry, session: str, *, name: str | None = None) -> Draft:
        """Decide what a memory becomes beside those of its session; `name` is of whom it is about."""
        ...


PROVENANCE_MOST = 64


class Composer:
    """Decides the statements of one call in order."""

    def __init__(
        self,
        instruments: Instruments,
        caller: Caller,
        person: Person,
        snapshot: Snapshot,
        now: datetime,
        *,
        unstored: Unstored | None = None,
    ) -> None:
        """Take what the decisions hang on. Without `unstored`, what may not be stored is refused."""
        self._unstored = unstored
        self._ids = instruments.ids
        self._conflict_key = instruments.pipeline.options.conflict_key
        self._caller = caller
        self._person = person
        self._snapshot = snapshot
        self._now = now
        self._consents = snapshot.consents(now)
        self._admissions = Admissions(caller, person, snapshot, now)
        self._addresses: dict[tuple[object, ...], bytes] = {}
        self._profile: ProfileScope | None = None
        self._barred = barred(instruments, caller, tenant_version=snapshot.state.tenant_version)
        self._unsettled = instruments.people.unsettled
        self.namespace = Namespace(person, snapshot, secret=instruments.ids.secret, now=now)
        self._latest: dict[str, MemoryEntry] = {}
        self._by_key: dict[bytes, list[str]] = {}

    def compose(self, statement: Statement, *, confirmed: bool = False, screened: bool = False) -> Draft:
        """Decide one statement.

        With `confirmed` the person has answered a question about these very words: they are the person's own, whoever
        wrote them first. With `screened` somebody has looked at what the words look like.
        """
        scope: Scope = statement.scope or self._own_profile()
        adapter = statement.adapter_scope or DEFAULT_ADAPTER[scope.kind]
        sensitive = statement.actor is not None and statement.actor.sensitive_interaction
        session = self._unstored.session_of(statement, scope) if self._unstored else None
        refused = self.admit(
            statement.category,
            scope,
            adapter,
            sensitive=sensitive,
            session_id=statement.session_id,
            in_session=session is not None,
        )
        if refused is not None:
            return Draft(refused)
        actor = statement.actor
        words = cleaned_words(
            body=statement.body, subject=statement.subject, note=actor.relationship_note if actor else None
        )
        if isinstance(words, Refused):
            return Draft(words)
        label = integrity.label_of_sources(statement.label, statement.provenance)
        label = Label.USER_TYPED if confirmed else label  # the one way up (POI-1)
        above = integrity.above_ceiling(label, statement.origin, statement.category)
        if above is not None:
            return Draft(_refuse(above, f"what is labelled {label.value} may not claim this"))
        if statement.origin is Origin.USER_CONFIRMED and not confirmed:
            return Draft(_refuse(RefusalReason.ORIGIN_NEEDS_CONFIRMATION, "a fact is confirmed by an answer alone"))
        forgotten = None if statement.again else self.refuse_forgotten(words.body)
        if forgotten is not None:
            return Draft(forgotten)
        entry = self._first_revision(statement, scope, adapter, words=words, label=label)
        if entry.expires_at is not None and entry.expires_at <= self._now:
            return Draft(already_expired())
        look = None if confirmed or screened else screen(entry.body, orders_too=label is not Label.USER_TYPED)
        if look is not None and label is not Label.USER_TYPED and look.instruction_like:
            # kept apart from everything: it meets nothing, and nothing is replaced by it (POI-4)
            entry = quarantined(entry, QuarantineReason.INSTRUCTION_LIKE, now=self._now)
            if self._admissions.mode(adapter) is ScopeMode.DURABLE:
                return Draft(Written(entry=entry), entry=entry, is_new=True)
        asked = doubt(self._person, self._unsettled, statement, look, consents=self._consents, now=self._now)
        if asked is not None:
            return Draft(asked)
        if self._unstored and session and self._admissions.mode(adapter) is ScopeMode.EPHEMERAL:
            return self._unstored.settle(entry, session, name=actor.name if actor else None)
        draft = self.settle(entry)
        if look is not None and isinstance(draft.outcome, Written):
            draft.outcome = with_offer(self._person, statement, draft.outcome)
        return draft

    def clash(self, entry: MemoryEntry) -> conflict.ConflictDecision | None:
        """Return what the ladder says of a revision and the other memory that has its slot; None where it is free."""
        differing = [
            other
            for other in self._met(entry)
            if other.logical_id != entry.logical_id and fold(other.body) != fold(entry.body)
        ]
        if not differing:
            return None
        prior = _strongest(differing)
        return conflict.decide(
            prior=conflict.Side(prior.origin, prior.label), new=conflict.Side(entry.origin, entry.label)
        )

    def meets(self, entry: MemoryEntry) -> bool:
        """Say whether another memory has the slot of an entry."""
        return any(other.logical_id != entry.logical_id for other in self._met(entry))

    def put_beside(self, entry: MemoryEntry) -> Draft:
        """Decide what the words of a revision become as a memory of their own, beside what has its slot already."""
        entry_id = self._ids.entry_id(self._now)
        fresh = {
            "id": entry_id,
            "logical_id": entry_id,
            "revision": 1,
            "supersedes": None,
            "created_at": self._now,
            "updated_at": self._now,
        }
        return self.settle(entry.model_copy(update=fresh))

    def with_free_slot(self, entry: MemoryEntry) -> MemoryEntry:
        """Return an entry under the first subject like its own that nothing else has: `seat`, then `seat (2)`."""
        subject, number = entry.subject, 1
        while subject is not None and any(other.logical_id != entry.logical_id for other in self._met(entry)):
            number += 1
            mark = f" ({number})"
            entry = entry.model_copy(update={"subject": subject[: SUBJECT_MOST - len(mark)] + mark})
        return entry

    def seal(self, draft: Draft, *, seq: int) -> EntryRow:
        """Return the sealed row of a draft and note its commitment."""
        entry = draft.entry
        assert entry is not None
        slot = self._person.take_slot()
        draft.packed = pack(entry, key=self._conflict_key, address=self._address(entry))
        draft.blinding = self._ids.secret(BLINDING_LENGTH)
        draft.commitment = hmac.digest(draft.blinding, draft.packed, "sha256").hex()
        blob = self._person.seal_entry(
            slot, draft.packed, blinding=draft.blinding, logical_id=entry.logical_id, revision=entry.revision
        )
        return EntryRow(
            logical_id=entry.logical_id,
            revision=entry.revision,
            entry_id=entry.id,
            seq=seq,
            slot=slot.number,
            created_at=to_micros(entry.created_at),
            updated_at=to_micros(entry.updated_at),
            expires_at=to_micros(entry.expires_at) if entry.expires_at else None,
            superseded_by=None,
            blob=blob,
        )

    def _address(self, entry: MemoryEntry) -> bytes:
        place = (entry.tenant_id, entry.user_id, entry.scope, entry.adapter_scope)
        if place not in self._addresses:
            self._addresses[place] = address_digest(entry)
        return self._addresses[place]

    def admit_entry(self, entry: MemoryEntry, *, session_id: str | None) -> Refused | None:
        """Return why a revision of a memory may not be stored; None where it may."""
        actor = entry.multi_actor
        sensitive = actor is not None and actor.sensitive_interaction
        return self.admit(entry.category, entry.scope, entry.adapter_scope, sensitive=sensitive, session_id=session_id)

    def admit(
        self,
        category: Category,
        scope: Scope,
        adapter: AdapterScope,
        *,
        sensitive: bool,
        session_id: str | None,
        in_session: bool = False,
    ) -> Refused | None:
        """Return why nothing of a category may be stored in a scope; None where it may."""
        if adapter in self._barred:
            return _refuse(RefusalReason.ASSISTANT_NOT_ALLOWED, "the assistant's identity does not include this scope")
        return self._admissions.admit(
            category, scope, adapter, sensitive=sensitive, session_id=session_id, in_session=in_session
        )

    def _own_profile(self) -> ProfileScope:
        if self._profile is None:
            self._profile = ProfileScope(user_id=self._caller.user)
        return self._profile

    def refuse_forgotten(self, body: str) -> Refused | None:
        """Return why words may not come back: they were forgotten; None where they were not."""
        forgotten = self._snapshot.forgotten
        if not forgotten or self._person.tag("forgotten", normalise_for_match(body)) not in forgotten:
            return None
        return _refuse(
            RefusalReason.FORGOTTEN_BEFORE, "what was forgotten comes back only when the person says so", "again"
        )

    def _first_revision(
        self,
        statement: Statement,
        scope: Scope,
        adapter: AdapterScope,
        *,
        words: Words,
        label: Label,
    ) -> MemoryEntry:
        entry_id = self._ids.entry_id(self._now)
        provenance = statement.provenance or (
            trusted(
                ProvenanceLink,
                kind=ProvenanceKind.SESSION_TURN,
                ref=statement.session_id or "direct",
                captured_at=self._now,
                label=statement.label,
            ),
        )
        actor = statement.actor
        return trusted(  # every part was validated with the statement, or is made here
            MemoryEntry,
            id=entry_id,
            logical_id=entry_id,
            tenant_id=self._caller.tenant,
            user_id=self._caller.user,
            scope=scope,
            adapter_scope=adapter,
            category=statement.category,
            subject=words.subject,
            body=words.body,
            origin=statement.origin,
            lifecycle=Lifecycle.ACTIVE,
            revision=1,
            supersedes=None,
            superseded_by=None,
            provenance_chain=provenance,  # in the order of the contract, so that JSON is the same made and read back
            label=label,
            quarantine=None,
            consents=self.consent_entries(statement.category),
            suppression=None,
            multi_actor=MultiActor(
                actor_handle=self.namespace.handle(actor.name),
                relationship_note=words.note,
                sensitive_interaction=actor.sensitive_interaction,
            )
            if actor
            else None,
            reference_count=0,
            last_referenced_at=None,
            confidence=statement.confidence,
            created_at=self._now,
            updated_at=self._now,
            expires_at=retention.expiry(adapter, statement.origin, created_at=self._now, asked=statement.expires_at),
        )

    def consent_entries(self, category: Category) -> tuple[ConsentEntry, ...]:
        """Return the consent under which an entry of a category is stored, from the ledger."""
        return self._admissions.consent_entries(category)

    def settle(self, entry: MemoryEntry) -> Draft:
        """Decide what a new memory becomes beside those that are there."""
        met = self._met(entry)
        same = [other for other in met if fold(other.body) == fold(entry.body)]
        here = [other for other in same if (other.scope, other.adapter_scope) == (entry.scope, entry.adapter_scope)]
        if here:
            return self._again(_strongest(here), entry)
        differing = [other for other in met if other not in same]
        if not differing:
            return self._keep(
                Draft(
                    trusted(
                        Written,
                        outcome="written",
                        entry=entry,
                        replaced=None,
                        rule=None,
                        mode="durable",
                        offer=None,
                    ),
                    entry=entry,
                    is_new=True,
                )
            )
        return self._conflict(_strongest(differing), entry)

    def _conflict(self, prior: MemoryEntry, entry: MemoryEntry) -> Draft:
        decided = conflict.decide(
            prior=conflict.Side(prior.origin, prior.label), new=conflict.Side(entry.origin, entry.label)
        )
        draft = Draft(
            _refuse(RefusalReason.CONFLICT_KEPT_EXISTING, decided.rule.value),
            rule=decided.rule,
            decided=decided.outcome,
            prior_id=prior.id,
        )
        if decided.outcome is ConflictOutcome.KEEP_EXISTING:
            return draft
        if decided.outcome is ConflictOutcome.REPLACE:
            draft.entry = replacement(prior, entry, now=self._now)
            draft.outcome = Written(entry=draft.entry, replaced=prior.id, rule=decided.rule)
        else:
            draft.entry = entry.model_copy(update={"lifecycle": Lifecycle.DRAFT})
            draft.pending = ask(prior, draft.entry, rule=decided.rule, now=self._now)
            draft.outcome = as_outcome(draft.pending, existing=prior, draft=draft.entry)
        draft.is_new = True
        return self._keep(draft)

    def _again(self, prior: MemoryEntry, entry: MemoryEntry) -> Draft:
        """The same words again: nothing new, unless the person now says what was only inferred."""
        if ORIGINS[entry.origin].authority <= ORIGINS[prior.origin].authority:
            return Draft(Written(entry=prior), entry=prior)
        raised = replacement(prior, entry, now=self._now)
        return self._keep(Draft(Written(entry=raised, replaced=prior.id), entry=raised, is_new=True, prior_id=prior.id))

    def _keep(self, draft: Draft) -> Draft:
        assert draft.entry is not None
        self._latest[draft.entry.logical_id] = draft.entry
        key = self._conflict_key(draft.entry)
        if key is not None:
            self._by_key.setdefault(digest(key), []).append(draft.entry.logical_id)
        return draft

    def _met(self, entry: MemoryEntry) -> list[MemoryEntry]:
        """Return the active memories a new one meets: same scope kind and conflict key."""
        key = self._conflict_key(entry)
        if key is None:
            return []
        mark = digest(key)
        known = {other.logical_id: other for other in self._snapshot.meeting(mark)}
        known.update({name: self._latest[name] for name in self._by_key.get(mark, ())})
        met = [self._latest.get(name, other) for name, other in known.items()]
        return [
            other
            for other in met
            if other.lifecycle is Lifecycle.ACTIVE
            and other.quarantine is None
            and other.scope.kind is entry.scope.kind
            and not is_read_only_copy(other)  # it follows its source and takes nobody's slot
            and not is_leaving(other)
            and self._conflict_key(other) == key
            and not (other.expires_at is not None and other.expires_at <= self._now)
        ]


def _strongest(entries: list[MemoryEntry]) -> MemoryEntry:
    return min(entries, key=lambda entry: (-ORIGINS[entry.origin].authority, -to_micros(entry.updated_at), entry.id))


def replacement(prior: MemoryEntry, entry: MemoryEntry, *, now: datetime) -> MemoryEntry:
    """Return the revision of a memory that takes the words, place, origin and sources of another statement.

    The envelope's clock still runs from when the memory was first written, or as a review has decided.
    """
    return successor(
        prior,
        entry_id=entry.id,
        now=now,
        body=entry.body,
        scope=entry.scope,
        adapter_scope=entry.adapter_scope,
        origin=entry.origin,
        label=entry.label,
        provenance_chain=(*entry.provenance_chain, *prior.provenance_chain)[:PROVENANCE_MOST],
        consents=entry.consents or prior.consents,
        multi_actor=entry.multi_actor,
        confidence=entry.confidence,
        expires_at=retention.later_end(prior, entry.adapter_scope, asked=entry.expires_at)
        or retention.expiry(entry.adapter_scope, entry.origin, created_at=prior.created_at, asked=entry.expires_at),
    )


def quarantined(entry: MemoryEntry, reason: QuarantineReason, *, now: datetime) -> MemoryEntry:
    """Return an entry that is shown to the person, never recalled, and over after a while."""
    ends = now + QUARANTINE_LIFETIME
    return entry.model_copy(
        update={
            "quarantine": Quarantine(reason=reason, since=now),
            "expires_at": ends if entry.expires_at is None else min(entry.expires_at, ends),
        }
    )


def _refuse(reason: RefusalReason, rule: str, *needs: str) -> Refused:
    return Refused(reason=reason, rule=rule, needs=needs)
