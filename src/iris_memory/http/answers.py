"""What a response says where no contract says it already."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field

from iris_memory.contracts.consent import ConsentEvent, OptOut, ScopePolicy
from iris_memory.contracts.entry import MemoryEntry, UsageRecord
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.shape import Contract, Count
from iris_memory.contracts.write import AskCategory, AskUser, Question, Refused, Written
from iris_memory.flows.audit import OnlineReport
from iris_memory.flows.import_ import Held, ImportReport
from iris_memory.flows.people import Pause
from iris_memory.flows.reading import Listing

HELD_REFS_TOLD = 1_000

Kept = Annotated[Written | AskUser | AskCategory, Field(discriminator="outcome")]
"""What became of a statement that was not refused; a refusal is a problem."""


class BatchAnswer(Contract):
    """What became of each statement, in order; refusals are values here."""

    outcomes: tuple[Annotated[Written | AskUser | AskCategory | Refused, Field(discriminator="outcome")], ...]


class Foreseen(Contract):
    """What a correction would come to: the next revision, a question, or a refusal; nothing was written."""

    outcome: Annotated[Written | AskUser | Refused, Field(discriminator="outcome")]


class MemoryPage(Contract):
    """A page of memories, newest change first: `total` counts all there are, `matching` those the filters let by.

    `withheld` counts those beside them in scopes that are not open to the token's consumer.
    """

    memories: tuple[MemoryEntry, ...]
    total: Count
    matching: Count
    next_cursor: str | None
    withheld: Count = 0

    @classmethod
    def of(cls, listing: Listing) -> Self:
        """Return the page of a listing."""
        return cls(
            memories=tuple(listing.entries),
            total=listing.total,
            matching=listing.matching,
            next_cursor=listing.next_cursor,
            withheld=listing.withheld,
        )


class MemoryDetail(Contract):
    """One memory, and when and why it was used."""

    memory: MemoryEntry
    usage: UsageRecord


class History(Contract):
    """Every revision of one memory, oldest first."""

    revisions: tuple[MemoryEntry, ...]


class Erased(Contract):
    """The receipt of an erasure; none where nothing was known of the person."""

    receipt: ForgetReceipt | None


class Pauses(Contract):
    """What is off the record."""

    pauses: tuple[Pause, ...]


class Resumed(Contract):
    """Whether the session was off the record."""

    was_paused: bool


class Questions(Contract):
    """The questions that wait for the person, oldest first."""

    questions: tuple[Question, ...]


class ConsentTrail(Contract):
    """Events of the consent ledger, oldest first."""

    events: tuple[ConsentEvent, ...]


class ConsentState(Contract):
    """The consents in force, and what they and the opt-outs make of each scope for the token's consumer."""

    active: tuple[str, ...]
    scopes: tuple[ScopePolicy, ...]


class OptOuts(Contract):
    """What the person opted out of."""

    opt_outs: tuple[OptOut, ...]


class ImportAnswer(Contract):
    """What became of every row of a source. `held_refs` names the first 1,000; all stand under `/v1/held`."""

    read: Count
    taken: Count
    already: Count
    merged: Count
    held: dict[str, Count]
    held_refs: tuple[str, ...]
    left_out: dict[str, Count]
    unreadable: dict[str, Count]
    without_time: Count
    dry_run: bool

    @classmethod
    def of(cls, report: ImportReport) -> Self:
        """Return the answer of a report."""
        return cls(
            read=report.read,
            taken=report.taken,
            already=report.already,
            merged=report.merged,
            held=dict(sorted(report.held.items())),
            held_refs=tuple(report.held_refs[:HELD_REFS_TOLD]),
            left_out=dict(sorted(report.left_out.items())),
            unreadable=dict(sorted(report.unreadable.items())),
            without_time=report.without_time,
            dry_run=report.dry_run,
        )


class HeldRows(Contract):
    """Imported rows that wait for the person, oldest first: places and reasons, no words."""

    held: tuple[Held, ...]


class AuditProblem(Contract):
    """One finding: its code, and the sequence and line it is about."""

    code: str
    sequence: int | None
    line: int | None


class AuditCheck(Contract):
    """What a check of the tenant's chain found. `covered` is the size of the newest checkpoint it agrees with."""

    ok: bool
    tenant_id: str
    size: Count
    root: str
    covered: Count
    problems: tuple[AuditProblem, ...]

    @classmethod
    def of(cls, found: OnlineReport) -> Self:
        """Return the answer of a report."""
        problems = tuple(
            AuditProblem(code=problem.code.value, sequence=problem.sequence, line=problem.line)
            for problem in found.problems
        )
        report = found.report
        return cls(
            ok=found.ok,
            tenant_id=found.tenant_id,
            size=report.size,
            root=report.root,
            covered=report.covered,
            problems=problems,
        )


class SigningKey(Contract):
    """A verifier key (C2SP signed note) and the sizes of the chain it signs for, both included."""

    vkey: str
    from_size: Count
    until_size: Count | None


class SigningKeys(Contract):
    """The keys that the tenant's checkpoints and receipts are signed with."""

    keys: tuple[SigningKey, ...]


class Health(Contract):
    """The process answers; `ready` says that the store does too."""

    status: Literal["ok", "ready"]
