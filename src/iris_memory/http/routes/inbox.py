"""The inbox: what was inferred, what the person is asked, and the answers that count."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Body, Path
from fastapi.openapi.models import Example
from pydantic import Field, ValidationError

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Body as Words
from iris_memory.contracts.entry import Label, Origin, ProvenanceLink, Subject
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.inference import Answered, InboxQuestion, Inference, Observed, Promoted
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import Contract, Identifier, Instant, Storable, refuse_invalid
from iris_memory.contracts.write import ActorMention, AskUser, Refused, Written
from iris_memory.flows.rollback import RolledBack
from iris_memory.front.own_scope import OwnScope
from iris_memory.http.bodies import as_json, scope_for
from iris_memory.http.caller import Caller, FreshCaller
from iris_memory.http.problems import RefusedError, documented
from iris_memory.http.routes.memories import LogicalId

router = APIRouter(prefix="/v1")

QuestionId = Annotated[str, Path(min_length=1, max_length=128)]
Noted = Annotated[Observed | Written | AskUser, Field(discriminator="outcome")]
Moved = Annotated[Promoted | AskUser, Field(discriminator="outcome")]


class InferenceBody(Contract):
    """Something that was inferred; `label` says who wrote the text it was inferred from."""

    body: Words
    category: Category = Category.FACT
    subject: Subject | None = None
    scope: OwnScope | None = None
    adapter_scope: AdapterScope | None = None
    origin: Origin = Origin.MODEL_INFERRED
    label: Label
    session_id: Identifier
    provenance: Annotated[tuple[ProvenanceLink, ...], Field(strict=False, max_length=64)] = ()
    actor: ActorMention | None = None
    ask: bool = False


class InboxAnswerBody(Contract):
    """An answer: one of the choices offered, and the digest of the question as it was shown.

    `after_untrusted` says whether the turn of the answer, or the one before it, read untrusted content.
    """

    decision: Annotated[str, Field(min_length=1, max_length=40)]
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    after_untrusted: bool
    terms: Annotated[str, Field(max_length=20_000), Storable] | None = None
    session_id: Identifier | None = None


class PromoteBody(Contract):
    """`explicit`: the person asked for it."""

    explicit: bool
    session_id: Identifier | None = None


class AskBody(Contract):
    """The session the question is put in, where there is one."""

    session_id: Identifier | None = None


class SourceBody(Contract):
    """A reference of the provenance, such as a session, a page or a file."""

    ref: Annotated[str, Field(min_length=1, max_length=512), Storable]
    scan: bool = False


class RollBackBody(Contract):
    """The instant to go back to."""

    to: Instant
    scan: bool = False


class InboxPage(Contract):
    """Every question that waits, oldest first."""

    questions: tuple[InboxQuestion, ...]


_OBSERVE: Final[dict[str, Example]] = {
    "typed": {
        "summary": "Inferred from what the person typed: it counts once for the session",
        "value": {"body": "Often travels on Fridays", "label": "user-typed", "session_id": "trip-to-lisbon"},
    },
    "asked": {
        "summary": "Inferred from a page: it never counts, so the person is asked",
        "value": {"body": "Lives near a station", "label": "web", "session_id": "trip-to-lisbon", "ask": True},
    },
}
_ANSWER: Final[dict[str, Example]] = {
    "skip": {
        "summary": "Not now; `digest` is the question's",
        "value": {"decision": "skip", "digest": "0" * 64, "after_untrusted": False},
    }
}
_PROMOTE: Final[dict[str, Example]] = {"asked": {"summary": "The person asks for it", "value": {"explicit": True}}}
_ASK: Final[dict[str, Example]] = {"plain": {"summary": "Ask about it", "value": {}}}
_SOURCE: Final[dict[str, Example]] = {
    "page": {"summary": "Everything that came from a page", "value": {"ref": "page:example.org/tips"}}
}
_BACK: Final[dict[str, Example]] = {
    "then": {"summary": "As it was at noon", "value": {"to": "2026-03-01T12:00:00.000000Z"}}
}


@router.post("/inferences", tags=["inbox"], summary="Note an inference", responses=documented(403, 409, 415, 507))
def observe(
    caller: Caller, wish: Annotated[InferenceBody, as_json(InferenceBody), Body(openapi_examples=_OBSERVE)]
) -> Noted:
    """It is no memory until user-typed text of three distinct sessions says it, or the person confirms its words."""
    fields = {name: getattr(wish, name) for name in type(wish).model_fields if name not in {"scope", "ask"}}
    try:
        inference = Inference.model_validate({**fields, "scope": scope_for(wish.scope, caller.holder)})
    except ValidationError as problem:
        refuse_invalid(problem, what="inference")
    outcome = caller.memory().inbox.observe(inference, ask=wish.ask)
    if isinstance(outcome, Refused):
        raise RefusedError(outcome)
    return outcome


@router.get("/inbox", tags=["inbox"], summary="List everything the person is asked", responses=documented())
def list_inbox(caller: Caller) -> InboxPage:
    """Inferences, conflicts, consents and categories, oldest first. Unanswered, what was there stays."""
    return InboxPage(questions=tuple(caller.memory().inbox.questions()))


@router.post(
    "/inbox/{question_id}/answer",
    tags=["inbox"],
    summary="Answer a question of the inbox",
    responses=documented(403, 404, 409, 415, 507),
)
def answer_inbox(
    caller: Caller,
    question_id: QuestionId,
    wish: Annotated[InboxAnswerBody, as_json(InboxAnswerBody), Body(openapi_examples=_ANSWER)],
) -> Answered:
    """It counts for the exact words that were shown, once. Beside untrusted content it is no answer."""
    outcome = caller.memory(wish.session_id).inbox.answer(
        question_id,
        wish.decision,
        digest=wish.digest,
        after_untrusted=wish.after_untrusted,
        terms=wish.terms,
    )
    if isinstance(outcome, Refused):
        raise RefusedError(outcome)
    return outcome


@router.post(
    "/memories/{logical_id}/question",
    tags=["inbox"],
    summary="Ask about an inferred memory",
    responses=documented(404, 409, 415, 507),
)
def ask_about(
    caller: Caller,
    logical_id: LogicalId,
    wish: Annotated[AskBody, as_json(AskBody), Body(openapi_examples=_ASK)],
) -> InboxQuestion:
    """One that was inferred, imported or quarantined; a yes makes it confirmed, a no forgets it."""
    asked = caller.memory(wish.session_id).inbox.ask(logical_id)
    if isinstance(asked, Refused):
        raise RefusedError(asked)
    return asked


@router.post(
    "/memories/{logical_id}/promotion",
    tags=["inbox"],
    summary="Promote a memory of a session to the profile",
    responses=documented(403, 404, 409, 415, 507),
)
def promote(
    caller: Caller,
    logical_id: LogicalId,
    wish: Annotated[PromoteBody, as_json(PromoteBody), Body(openapi_examples=_PROMOTE)],
) -> Moved:
    """Where the person asks, or where the same was typed in three sessions. The label stays what it was."""
    outcome = caller.memory(wish.session_id).inbox.promote(logical_id, explicit=wish.explicit)
    if isinstance(outcome, Refused):
        raise RefusedError(outcome)
    return outcome


@router.post(
    "/forget/source",
    tags=["forgetting"],
    summary="Forget everything from one source",
    responses=documented(404, 415, 507),
)
def forget_source(
    caller: FreshCaller, wish: Annotated[SourceBody, as_json(SourceBody), Body(openapi_examples=_SOURCE)]
) -> ForgetReceipt:
    """For good. What the person typed themselves goes only where the source is its own."""
    return caller.memory().inbox.forget_source(wish.ref, scan=wish.scan)


@router.post("/roll-back", tags=["forgetting"], summary="Go back to an instant", responses=documented(404, 415, 507))
def roll_back(
    caller: FreshCaller, wish: Annotated[RollBackBody, as_json(RollBackBody), Body(openapi_examples=_BACK)]
) -> RolledBack:
    """What was first written since goes for good; what was changed since says again what it said."""
    return caller.memory().inbox.roll_back(wish.to, scan=wish.scan)
