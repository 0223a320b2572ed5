"""The question about a category: words that look sensitive wait in the memory of the process for the person's word."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from iris_memory.contracts.audit import WRITE_POLICY, AuditAction
from iris_memory.contracts.category import Category
from iris_memory.contracts.inference import Choice, InboxKind, InboxQuestion, Source
from iris_memory.contracts.scope import DEFAULT_ADAPTER, ScopeKind
from iris_memory.contracts.write import AskCategory, AskUser, Refused, Written
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import Person, Snapshot
from iris_memory.flows.recall import current
from iris_memory.flows.remember import remember
from iris_memory.flows.retrying import with_known_person
from iris_memory.flows.unsettled import Waiting
from iris_memory.rules.scope_policy import is_shown_to


class CategoryDecision(StrEnum):
    """What the person may say to a category question."""

    FILE = "file-there"
    KEEP = "keep-as-said"
    DROP = "drop"


def pending(instruments: Instruments, caller: Caller) -> list[InboxQuestion]:
    """Return the category questions that wait in this process, oldest first."""

    def attempt(person: Person) -> list[InboxQuestion]:
        now = instruments.clock.now()
        found = instruments.people.unsettled.of(person.person, now=now)
        if not found:
            return []
        snapshot = current(instruments, person)
        return [_shown(waiting) for waiting in found if _is_open(caller, snapshot, waiting, now)]

    return with_known_person(instruments, caller, attempt, nobody=list)


def _is_open(caller: Caller, snapshot: Snapshot, waiting: Waiting, now: datetime) -> bool:
    """Say whether the caller's consumer may be shown the scope that the words were said in."""
    said = waiting.statement
    kind = said.scope.kind if said.scope is not None else ScopeKind.PROFILE
    adapter = said.adapter_scope or DEFAULT_ADAPTER[kind]
    return is_shown_to(adapter, caller.consumer, approvals=snapshot.approved(now))


def is_category_question(question_id: str) -> bool:
    """Say whether an id is that of a category question."""
    return question_id.startswith("category-")


def answer(
    instruments: Instruments,
    caller: Caller,
    question_id: str,
    decision: CategoryDecision,
    *,
    digest: str,
    category: Category | None = None,
) -> Written | AskUser | Refused | None:
    """Decide a category question: file the words under what they look like, keep them as filed, or drop them (None).

    What is written is admitted like any statement. Where it is refused the question waits on.

    Args:
        instruments: the engines.
        caller: whose question it is.
        question_id: which question.
        decision: what the person says.
        digest: that of the question as it was shown.
        category: where to file; one of those the words look like, by default the first.

    Raises:
        UnknownMemoryError: there is no such question in this process, or its time is over.
        ContractError: the digest is another question's, or the category is none of those offered.
    """
    person, waiting = _find(instruments, caller, question_id)
    asked = waiting.asked
    if asked.digest != digest:
        raise ContractError("an answer names the digest of the words that were shown; show them again")
    if category is not None and (decision is not CategoryDecision.FILE or category not in asked.looks_like):
        raise ContractError("category is one of those the question names, and goes with `file-there` alone")
    outcome: Written | AskUser | None = None
    if decision is not CategoryDecision.DROP:
        chosen = category or asked.looks_like[0] if decision is CategoryDecision.FILE else asked.said
        statement = waiting.statement.model_copy(update={"category": chosen, "as_said": digest})
        kept = remember(instruments, caller, statement)
        assert not isinstance(kept, AskCategory)  # what is sensitive is not doubted, what was confirmed neither
        if isinstance(kept, Refused):
            return kept
        outcome = kept
    instruments.people.unsettled.settle(person.person, question_id)
    _tell(instruments, person, question_id, decision, outcome)
    return outcome


def _find(instruments: Instruments, caller: Caller, question_id: str) -> tuple[Person, Waiting]:
    def attempt(person: Person) -> tuple[Person, Waiting] | None:
        now = instruments.clock.now()
        waiting = instruments.people.unsettled.find(person.person, question_id, now=now)
        return (person, waiting) if waiting is not None else None

    found = with_known_person(instruments, caller, attempt, nobody=lambda: None)
    if found is None:
        raise UnknownMemoryError("there is no such question, or its time is over")
    return found


def _shown(waiting: Waiting) -> InboxQuestion:
    asked, statement = waiting.asked, waiting.statement
    there = asked.looks_like[0].value
    return InboxQuestion(
        question_id=asked.question_id,
        kind=InboxKind.CATEGORY,
        asked_at=waiting.asked_at,
        expires_at=asked.expires_at,
        revision=1,
        rule="looks-sensitive",
        prompt=asked.question,
        new=statement.body,
        category=asked.said,
        subject=statement.subject,
        needs=asked.needs,
        sources=(Source(label=statement.label, ref=statement.session_id or "direct", captured_at=waiting.asked_at),),
        choices=(
            Choice(
                decision=CategoryDecision.FILE.value, effect=f"it is remembered as {there}, with that consent alone"
            ),
            Choice(decision=CategoryDecision.KEEP.value, effect=f"it is remembered as {asked.said.value}"),
            Choice(decision=CategoryDecision.DROP.value, effect="nothing is remembered"),
        ),
        is_held=False,
        digest=asked.digest,
    )


def _tell(
    instruments: Instruments,
    person: Person,
    question_id: str,
    decision: CategoryDecision,
    outcome: Written | AskUser | None,
) -> None:
    now = instruments.clock.now()
    instruments.store.write(
        lambda tx: write_event(
            tx,
            person.tenant,
            action=AuditAction.QUESTION_ANSWERED,
            policy=WRITE_POLICY,
            person=person.person,
            now=now,
            facts={
                "object_ids": [outcome.entry.id] if outcome is not None else [],
                "question": question_id,
                "rule": "looks-sensitive",
                "answer": decision.value,
            },
        ),
        durable=True,
    )
