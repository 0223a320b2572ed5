"""Writing: the statement that comes in and the three things that can become of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from iris_memory.contracts.category import Category
from iris_memory.contracts.decision import ConflictRule, RefusalReason
from iris_memory.contracts.entry import Body, Label, MemoryEntry, Origin, ProvenanceLink, Subject
from iris_memory.contracts.privacy import PiiTokenKind
from iris_memory.contracts.scope import AdapterScope, AnyScope
from iris_memory.contracts.shape import Contract, Identifier, Instant, Millionths, Storable


class ActorMention(Contract):
    """Somebody else in a statement: the name is turned into a keyed handle and not kept."""

    name: Annotated[str, Field(min_length=1, max_length=200), Storable]
    relationship_note: Annotated[str, Field(max_length=500), Storable] | None = None
    sensitive_interaction: bool = False


class Statement(Contract):
    """Something to remember. Scope is the person's profile where it is left out."""

    body: Body
    category: Category = Category.FACT
    subject: Subject | None = None
    scope: AnyScope | None = None
    adapter_scope: AdapterScope | None = None
    origin: Origin = Origin.USER_STATED
    label: Label = Label.USER_TYPED
    provenance: Annotated[tuple[ProvenanceLink, ...], Field(strict=False)] = ()
    actor: ActorMention | None = None
    session_id: Identifier | None = None
    confidence: Millionths | None = None
    expires_at: Instant | None = None
    again: bool = False
    """Remember it although it was forgotten before: the person says so."""
    as_said: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    """The digest of a category question the person answered with "as I said it"."""


class MaskedOffer(Contract):
    """The words of a memory with other people's names and contact details as tokens; `revise` takes the offer up."""

    body: Body
    kinds: Annotated[tuple[PiiTokenKind, ...], Field(strict=False)]


class Written(Contract):
    """It is remembered: on the disk, or (`mode` ephemeral) in the memory of this process until the session ends."""

    outcome: Literal["written"] = "written"
    entry: MemoryEntry
    replaced: Identifier | None = None
    rule: ConflictRule | None = None
    mode: Literal["durable", "ephemeral"] = "durable"
    offer: MaskedOffer | None = None


class AskUser(Contract):
    """It waits as a draft for the person's answer."""

    outcome: Literal["ask-user"] = "ask-user"
    question_id: Identifier
    entry: MemoryEntry
    conflicting_id: Identifier
    rule: ConflictRule
    question: str
    expires_at: Instant


class Refused(Contract):
    """It is not remembered. `needs` names what would be needed, such as a consent."""

    outcome: Literal["refused"] = "refused"
    reason: RefusalReason
    rule: str
    needs: tuple[str, ...] = ()


class AskCategory(Contract):
    """Nothing is remembered yet: the words look sensitive and were filed under a harmless category.

    They are kept in the memory of this process alone. `needs` names the consents that `looks_like` lacks; `digest`,
    given as `as_said` with the same statement, keeps the words as they were filed.
    """

    outcome: Literal["ask-category"] = "ask-category"
    question_id: Identifier
    said: Category
    looks_like: Annotated[tuple[Category, ...], Field(strict=False, min_length=1)]
    needs: Annotated[tuple[str, ...], Field(strict=False)] = ()
    question: str
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    expires_at: Instant


WriteOutcome = Written | AskUser | AskCategory | Refused


class QuestionKind(StrEnum):
    """What the person is asked."""

    CONFLICT = "conflict"


class Answer(StrEnum):
    """What the person may say to a conflict question."""

    KEEP = "keep"
    REPLACE = "replace"
    BOTH = "both"


class Question(Contract):
    """A question in the person's inbox. `digest` binds an answer to the exact texts shown (POI-8)."""

    question_id: Identifier
    kind: QuestionKind = QuestionKind.CONFLICT
    asked_at: Instant
    expires_at: Instant
    rule: ConflictRule
    existing_id: Identifier
    draft_id: Identifier
    existing_body: Body
    draft_body: Body
    prompt: str
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Revision(Contract):
    """What a revision changes; what is left out stays."""

    body: Body | None = None
    category: Category | None = None
    subject: Subject | None = None
    expires_at: Instant | None = None
