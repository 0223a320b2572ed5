"""Admitting: what of a call may be stored, each question answered once, since within a call no answer changes."""

from __future__ import annotations

from datetime import datetime

from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import ScopeMode, ScopePolicy, category_consent
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import ConsentEntry
from iris_memory.contracts.scope import (
    AdapterScope,
    CrisisScope,
    PoseScope,
    SceneScope,
    Scope,
    SessionScope,
)
from iris_memory.contracts.write import Refused
from iris_memory.flows.instruments import Caller
from iris_memory.flows.people import EVERYWHERE, Person, Snapshot
from iris_memory.gates import admission
from iris_memory.rules.consent import ENTRY_SOURCE
from iris_memory.rules.scope_policy import policy_of, refusals


class Admissions:
    """The answers of one call."""

    def __init__(self, caller: Caller, person: Person, snapshot: Snapshot, now: datetime) -> None:
        """Take what they hang on."""
        self._caller = caller
        self._person = person
        self._snapshot = snapshot
        self._consents = snapshot.consents(now)
        self._approved = snapshot.approved(now)
        self._policies: dict[AdapterScope, tuple[ScopePolicy, tuple[tuple[RefusalReason, str], ...]]] = {}
        self._admitted: dict[tuple[object, ...], Refused | None] = {}
        self._consent_entries: dict[Category, tuple[ConsentEntry, ...]] = {}

    def admit(
        self,
        category: Category,
        scope: Scope,
        adapter: AdapterScope,
        *,
        sensitive: bool,
        session_id: str | None,
        in_session: bool,
    ) -> Refused | None:
        """Return why nothing of a category may be stored in a scope; None where it may."""
        asked = (category, scope, adapter, sensitive, session_id, in_session)
        if asked not in self._admitted:
            policy, causes = self._policy(adapter)
            self._admitted[asked] = admission.check(
                admission.Admitting(
                    tenant_id=self._caller.tenant,
                    user_id=self._caller.user,
                    scope=scope,
                    adapter_scope=adapter,
                    category=category,
                    sensitive_interaction=sensitive,
                    policy=policy,
                    causes=causes,
                    consents=self._consents,
                    paused=is_paused(self._person, self._snapshot, session_id, scope),
                    in_session=in_session,
                )
            )
        return self._admitted[asked]

    def mode(self, adapter: AdapterScope) -> ScopeMode:
        """Return how a scope may be used."""
        return self._policy(adapter)[0].mode

    def consent_entries(self, category: Category) -> tuple[ConsentEntry, ...]:
        """Return the consent under which an entry of a category is stored, from the ledger."""
        if category not in self._consent_entries:
            self._consent_entries[category] = self._consent_of(category)
        return self._consent_entries[category]

    def _policy(self, adapter: AdapterScope) -> tuple[ScopePolicy, tuple[tuple[RefusalReason, str], ...]]:
        if adapter not in self._policies:
            facts = (self._consents, self._snapshot.opt_outs, self._caller.consumer)
            self._policies[adapter] = (
                policy_of(adapter, *facts, approvals=self._approved),
                tuple(refusals(adapter, *facts, approvals=self._approved)),
            )
        return self._policies[adapter]

    def _consent_of(self, category: Category) -> tuple[ConsentEntry, ...]:
        name = category_consent(category)
        if name not in self._consents:
            return ()
        event = max((event for event in self._snapshot.events if event.type == name), key=lambda e: e.sequence)
        return (
            ConsentEntry(
                category=category,
                granted_at=event.occurred_at,
                source=ENTRY_SOURCE[event.capture_method],
            ),
        )


def is_paused(person: Person, snapshot: Snapshot, session_id: str | None, scope: Scope | None) -> bool:
    """Say whether a session is off the record: it, the scope's session, or every session of the person."""
    if not snapshot.pauses:
        return False
    sessions = {EVERYWHERE}
    if session_id is not None:
        sessions.add(session_id)
    if isinstance(scope, (SessionScope, SceneScope, PoseScope, CrisisScope)):
        sessions.add(scope.session_id)
    return any(person.tag("pause", session) in snapshot.pauses for session in sessions)
