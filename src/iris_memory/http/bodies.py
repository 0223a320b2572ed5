"""What a request may say. No body names a tenant or a person: both come from the token alone.

Bodies are read as JSON text by the strict contracts, so that `1` is no string and a number is no instant.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, TypeAdapter, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import PydanticCustomError

from iris_memory.access.tokens import Holder
from iris_memory.contracts.category import Category, Context, Surface
from iris_memory.contracts.consent import CaptureMethod, LegalBasis, OptOut
from iris_memory.contracts.entry import Body, Label, Origin, ProvenanceLink, Subject
from iris_memory.contracts.recall import REQUEST_TEXT_MOST
from iris_memory.contracts.scope import AdapterScope, Scope
from iris_memory.contracts.shape import Contract, Identifier, Instant, Millionths, Storable, Unordered
from iris_memory.contracts.write import ActorMention, Answer, Statement
from iris_memory.front.own_scope import OwnScope, scope_of
from iris_memory.http.problems import ProblemCode
from iris_memory.rules.consent import CONSENT_NAMES
from iris_memory.tables.limits import BATCH_MOST


def as_json(shape: Any) -> WrapValidator:
    """Return the marker that reads a body by the JSON rules of a contract, not by the looser ones of Python values."""
    adapter = TypeAdapter(shape)

    def read(value: object, handler: ValidatorFunctionWrapHandler) -> object:
        del handler
        if isinstance(value, (bytes, bytearray)):
            raise PydanticCustomError(ProblemCode.NOT_JSON.value, "the body is not JSON")
        return adapter.validate_json(json.dumps(value))

    return WrapValidator(read)


def scope_for(own: OwnScope | None, holder: Holder) -> Scope | None:
    """Return the scope of a request, with the person of the token."""
    return scope_of(own, tenant=holder.tenant, user=holder.user)


class RememberBody(Contract):
    """Something to remember. Scope is the person's profile where it is left out."""

    body: Body
    category: Category = Category.FACT
    subject: Subject | None = None
    scope: OwnScope | None = None
    adapter_scope: AdapterScope | None = None
    origin: Origin = Origin.USER_STATED
    label: Label = Label.USER_TYPED
    provenance: Annotated[tuple[ProvenanceLink, ...], Field(strict=False, max_length=64)] = ()
    actor: ActorMention | None = None
    session_id: Identifier | None = None
    confidence: Millionths | None = None
    expires_at: Instant | None = None
    again: bool = False
    as_said: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None

    def statement(self, holder: Holder) -> Statement:
        """Return the statement of the holder of the token."""
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        return Statement(**{**fields, "scope": scope_for(self.scope, holder)})


class BatchBody(Contract):
    """Up to 1,000 statements, written in one transaction."""

    statements: Annotated[tuple[RememberBody, ...], Field(min_length=1, max_length=BATCH_MOST)]


class RecallBody(Contract):
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

    def wish(self, holder: Holder) -> dict[str, Any]:
        """Return the arguments of `PersonMemory.recall` and `PersonMemory.explain`, the text apart."""
        fields = {name: getattr(self, name) for name in type(self).model_fields if name not in {"text", "session_id"}}
        return {**fields, "scope": scope_for(self.scope, holder), "session": self.session_id}


class SearchBody(Contract):
    """What to list. Words are looked for in the body of a request, never in an address."""

    words: Annotated[str, Field(min_length=1, max_length=200), Storable]
    category: Category | None = None
    adapter_scope: AdapterScope | None = None
    origin: Origin | None = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[str, Field(max_length=200)] | None = None


class ReviseBody(Contract):
    """What a correction changes; what is left out stays."""

    body: Body | None = None
    category: Category | None = None
    subject: Subject | None = None
    expires_at: Instant | None = None
    session_id: Identifier | None = None


class ForgetBody(Contract):
    """What to forget: exactly one of a memory, a category, everything. With `scan` every file is searched after."""

    logical_id: Identifier | None = None
    category: Category | None = None
    everything: bool = False
    scan: bool = True

    def target(self) -> dict[str, Any]:
        """Return the arguments that name what to forget."""
        return {"logical_id": self.logical_id, "category": self.category, "everything": self.everything}


class EraseBody(Contract):
    """Erase the person whole. `erase` says that this is meant."""

    erase: Literal["everything-about-me"]
    scan: bool = True


class PauseBody(Contract):
    """What goes off the record: one session, or every session where none is named."""

    session_id: Identifier | None = None


class AnswerBody(Contract):
    """The person's decision, bound to the texts that were shown by their digest."""

    decision: Answer
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


def _known(name: str) -> str:
    if name not in CONSENT_NAMES:
        raise ValueError("there is no such consent")
    return name


ConsentName = Annotated[str, AfterValidator(_known), Field(json_schema_extra={"enum": sorted(CONSENT_NAMES)})]
ConsentNames = Annotated[tuple[ConsentName, ...], Field(strict=False, min_length=1, max_length=len(CONSENT_NAMES))]
Note = Annotated[str, Field(max_length=1000), Storable]
Terms = Annotated[str, Field(min_length=1, max_length=100_000), Storable]


class GrantBody(Contract):
    """The person agreed. `terms` is the exact text they were shown; its hash is kept, the text is not."""

    names: ConsentNames
    terms: Terms
    terms_language: Annotated[str, Field(min_length=2, max_length=35)] = "en"
    legal_basis: LegalBasis = LegalBasis.CONSENT
    capture_method: CaptureMethod = CaptureMethod.API
    witness: Annotated[str, Field(min_length=1, max_length=200), Storable] = "api"
    jurisdiction: Annotated[str, Field(min_length=1, max_length=35)] = "unspecified"
    note: Note | None = None
    expires_at: Instant | None = None


class OptOutBody(Contract):
    """What the person opts out of from now on; an empty list opts out of nothing."""

    names: Annotated[tuple[OptOut, ...], Field(strict=False, max_length=len(OptOut))]
