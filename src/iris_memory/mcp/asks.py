"""What each tool takes. No ask names a tenant or a person: both are the credential's."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from iris_memory.contracts.category import Category, Context, Surface
from iris_memory.contracts.entry import Body, Label, Origin, Subject
from iris_memory.contracts.recall import REQUEST_TEXT_MOST
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import Contract, Identifier, Instant, Storable, Unordered
from iris_memory.contracts.write import Answer
from iris_memory.front.own_scope import OwnScope

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class RememberAsk(Contract):
    """One thing to remember. `label` says who wrote the words; what a tool or a page said is never the person's."""

    body: Body
    category: Category = Category.FACT
    subject: Subject | None = None
    scope: OwnScope | None = None
    adapter_scope: AdapterScope | None = None
    origin: Origin = Origin.USER_STATED
    label: Label = Label.USER_TYPED
    session_id: Identifier | None = None
    expires_at: Instant | None = None
    again: bool = False
    idempotency_key: Identifier | None = None


class RecallAsk(Contract):
    """What memory is asked. It narrows what the person's records allow and widens nothing."""

    text: Annotated[str, Field(max_length=REQUEST_TEXT_MOST), Storable] = ""
    contexts: Annotated[frozenset[Context], *Unordered] = frozenset({Context.GENERAL})
    scope: OwnScope | None = None
    adapter_scope: AdapterScope | None = None
    surface: Surface = Surface.ASSISTANT
    session_id: Identifier | None = None
    crisis_frame: bool = False
    safety_critical_context: bool = False
    limit: Annotated[int, Field(ge=0, le=1_000)] | None = None


class ExplainAsk(RecallAsk):
    """Which memory, and the request it is looked at for."""

    logical_id: Identifier


class ReviseAsk(Contract):
    """A correction in the person's own words; what is left out stays. `expected` is the revision that was seen."""

    logical_id: Identifier
    body: Body | None = None
    category: Category | None = None
    subject: Subject | None = None
    expires_at: Instant | None = None
    expected: Identifier | None = None
    session_id: Identifier | None = None


class ForgetAsk(Contract):
    """One memory to forget for good. With `preview` it is counted and nothing changes."""

    logical_id: Identifier
    preview: bool = False


class ListAsk(Contract):
    """Which memories to list, newest change first."""

    category: Category | None = None
    adapter_scope: AdapterScope | None = None
    origin: Origin | None = None
    words: Annotated[str, Field(max_length=200), Storable] = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[str, Field(max_length=200)] | None = None


class HistoryAsk(Contract):
    """Whose revisions to list."""

    logical_id: Identifier


class ConsentStatusAsk(Contract):
    """Nothing: the answer is the person's."""


class PauseAsk(Contract):
    """Go off the record, or with `resume` back on it: in one session, or everywhere where none is named."""

    session_id: Identifier | None = None
    resume: bool = False


class AnswerQuestionAsk(Contract):
    """The person's decision about a question. Without an id, the questions that wait are listed.

    `digest` is that of the question as it was shown to the person; an answer to other texts is none.
    """

    question_id: Identifier | None = None
    decision: Answer | None = None
    digest: Digest | None = None
