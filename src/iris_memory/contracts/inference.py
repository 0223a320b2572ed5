"""Inference: what was guessed about the person, the questions it becomes, and what lets it become durable."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from iris_memory.contracts.category import Category
from iris_memory.contracts.consent import HexDigest
from iris_memory.contracts.decision import ConflictRule
from iris_memory.contracts.entry import Body, Label, MemoryEntry, Origin, ProvenanceLink, Subject
from iris_memory.contracts.scope import AdapterScope, AnyScope
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant, Millionths
from iris_memory.contracts.write import ActorMention, AskUser, Refused, Written


class Inference(Contract):
    """Something that was guessed about the person. `label` says who wrote the text it was guessed from.

    It is no memory: it becomes one when user-typed text of enough distinct sessions says the same, or when the person
    confirms its exact words.
    """

    body: Body
    category: Category = Category.FACT
    subject: Subject | None = None
    scope: AnyScope | None = None
    adapter_scope: AdapterScope | None = None
    origin: Literal[Origin.MODEL_INFERRED, Origin.SUMMARIZED_FROM_SESSION] = Origin.MODEL_INFERRED
    label: Label
    session_id: Identifier
    provenance: Annotated[tuple[ProvenanceLink, ...], Field(strict=False)] = ()
    actor: ActorMention | None = None
    confidence: Millionths | None = None


class WhyNotCounted(StrEnum):
    """Why an inference waits for the person's own word, however often it is made."""

    SENSITIVE = "sensitive"
    SENSITIVE_LOOKING = "sensitive-looking"
    INSTRUCTION_LIKE = "instruction-like"
    ABOVE_CEILING = "above-ceiling"
    NOT_USER_TYPED = "not-user-typed"


class Observed(Contract):
    """It was noted, and is no memory. `sessions` counts distinct sessions of user-typed text, `needed` how many do.

    `why` is there where this observation does not count; `question_id` where the person is asked.
    """

    outcome: Literal["observed"] = "observed"
    sessions: Count
    needed: Count
    why: WhyNotCounted | None = None
    question_id: Identifier | None = None


ObserveOutcome = Observed | Written | AskUser | Refused


class PromotionReason(StrEnum):
    """Why a memory of a session may, or may not, become one of the profile."""

    EXPLICIT = "explicit-promotion"
    THRESHOLD_MET = "repeated-occurrence-threshold-met"
    NOT_REQUESTED = "not-requested"
    IMPLICIT_BLOCKED = "implicit-promotion-blocked"
    THRESHOLD_NOT_MET = "repeated-occurrence-threshold-not-met"


class Promoted(Contract):
    """A memory of a session is now one of the profile. `replaced` is the profile's revision it took the place of."""

    outcome: Literal["promoted"] = "promoted"
    reason: PromotionReason
    entry: MemoryEntry
    replaced: Identifier | None = None


PromoteOutcome = Promoted | AskUser | Refused


class InboxKind(StrEnum):
    """What the person is asked about."""

    INFERENCE = "inference"
    CONFLICT = "conflict"
    RE_CONSENT = "re-consent"
    CATEGORY = "category"


class Choice(Contract):
    """One answer the person may give, and what it does."""

    decision: Annotated[str, Field(pattern=r"^[a-z][a-z-]{1,39}$")]
    effect: str


class Source(Contract):
    """Where the words of a question come from."""

    label: Label
    ref: str
    captured_at: Instant


class InboxQuestion(Contract):
    """A question as it is shown. `digest` binds an answer to these exact words and to this showing (POI-8).

    `was` is what stands now, `new` what would stand; `rule` names what led to the question. A question nobody answers
    by `expires_at` keeps what was there. Each answer, a skip too, takes its digest out of use.
    """

    question_id: Identifier
    kind: InboxKind
    asked_at: Instant
    expires_at: Instant
    revision: Annotated[int, Field(ge=1)]
    rule: str
    prompt: str
    was: str | None = None
    new: str | None = None
    category: Category | None = None
    subject: str | None = None
    needs: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    choices: tuple[Choice, ...]
    is_held: bool = True
    """Whether the words are kept on disk; those of an inference wait in the memory of the process alone."""
    digest: HexDigest


class Answered(Contract):
    """What an answer led to: the memory that stands now, where there is one."""

    question_id: Identifier
    kind: InboxKind
    decision: str
    entry: MemoryEntry | None = None
    replaced: Identifier | None = None
    rule: ConflictRule | None = None
    asked: AskUser | None = None
    """The confirmed words differ from the person's own earlier ones: the next question."""


class InferenceQuestion(Contract):
    """A question about an inference that waits: its words, or the memory that holds them.

    With `memory_id` it holds no words. Words are kept on disk with the person's consent to hold them, at most 7 days.
    """

    question_id: Identifier
    inference: Inference | None = None
    memory_id: Identifier | None = None
    fingerprint: str = ""
    asked_at: Instant
    expires_at: Instant
    revision: Annotated[int, Field(ge=1)] = 1


class ObservationRef(Contract):
    """One session an inference came from: under a keyed tag, when, and who wrote the text."""

    session: str
    at: Instant
    label: Label


class Observation(Contract):
    """How often an inference was made. No words: the record is named by a keyed fingerprint."""

    refs: Annotated[tuple[ObservationRef, ...], Field(strict=False)]


class WriteBudget(Contract):
    """What a source or session wrote in its window, and in the burst that is looked at."""

    since: Instant
    written: Count
    burst_since: Instant
    burst: Count
    alarmed: bool = False
