"""Problems: what each refusal and each error is on the wire (RFC 9457), as one table.

Laws:
* a refusal by policy is 403 and names its rule and what it needs; a conflict with what is there is 409; a stale
  revision is 412; a value that can never be stored is 422;
* an id of somebody else is 404 and reads exactly like one that never was;
* a problem never holds a value that was given, a word of a memory, or the inside of an error of the machinery.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pydantic import ConfigDict
from starlette.responses import Response

from iris_memory.access.step_up import CHALLENGE, StepUpNeededError
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.inspection import InspectionDenial, InspectionRefusal, InspectionRefused
from iris_memory.contracts.rights import HoldRefusal, HoldRefused, RightsRefusal, RightsRefused
from iris_memory.contracts.shape import Contract
from iris_memory.contracts.write import Refused
from iris_memory.errors import (
    ContractError,
    FormatError,
    IdempotencyConflictError,
    IdempotencyPendingError,
    IrisError,
    StorageError,
    StoreBusyError,
    StoreFullError,
    UnknownMemoryError,
)
from iris_memory.http.inspection_problems import INSPECTION_DENIALS, INSPECTION_REFUSALS
from iris_memory.http.rights_problems import HOLD_REFUSALS, RIGHTS_REFUSALS
from iris_memory.tables.totality import total

MEDIA_TYPE: Final = "application/problem+json"
_ERRORS_TOLD: Final = 20
_FIELD: Final = re.compile(r"[A-Za-z][A-Za-z_-]{0,39}")
_MEMBER: Final = re.compile(r"<[A-Za-z.]+[A-Z_]+: ('[^']*')>")
_BOUNDS: Final = {"min_length": "at least", "max_length": "at most", "ge": "at least", "le": "at most"}


class ProblemCode(StrEnum):
    """Problems that are no refusal of a write. Kebab-case, never reused, never renamed; additions only."""

    UNREADABLE_BODY = "unreadable-body"
    UNAUTHENTICATED = "unauthenticated"
    STEP_UP_NEEDED = "step-up-needed"
    NOT_PERMITTED = "not-permitted"
    NO_SUCH_ADDRESS = "no-such-address"
    METHOD_NOT_ALLOWED = "method-not-allowed"
    IDEMPOTENCY_CONFLICT = "idempotency-conflict"
    IDEMPOTENCY_PENDING = "idempotency-pending"
    TOO_SLOW = "too-slow"
    TOO_LARGE = "too-large"
    NOT_JSON = "not-json"
    INVALID = "invalid"
    TOO_MANY_REQUESTS = "too-many-requests"
    WRONG_FORMAT = "wrong-format"
    DEFECT = "defect"
    STORAGE_FAILED = "storage-failed"
    STORE_BUSY = "store-busy"
    TOOK_TOO_LONG = "took-too-long"
    STORE_FULL = "store-full"


class ProblemRow(NamedTuple):
    """The status of a problem and what it says. `title` is also the detail where nothing more can be said."""

    status: int
    title: str


_R = RefusalReason
REFUSALS: Final = total(
    "refusals",
    RefusalReason,
    [
        (_R.CONSENT_MISSING, ProblemRow(403, "a consent is missing")),
        (_R.SCOPE_SUPPRESSED, ProblemRow(403, "the scope is closed")),
        (_R.SCOPE_EPHEMERAL, ProblemRow(403, "the scope may not be written to disk without the storage consent")),
        (_R.CONSUMER_NOT_ALLOWED, ProblemRow(403, "the consumer may not use this scope")),
        (_R.GOVERNANCE_REVIEW_MISSING, ProblemRow(403, "the scope waits for a governance approval")),
        (_R.OPTED_OUT, ProblemRow(403, "the person opted out")),
        (_R.SENSITIVE_CATEGORY_WITHOUT_CONSENT, ProblemRow(403, "a sensitive category needs its own consent")),
        (_R.MULTI_ACTOR_WITHOUT_CONSENT, ProblemRow(403, "a sensitive interaction needs its own consent")),
        (_R.OFF_THE_RECORD, ProblemRow(403, "the session is off the record")),
        (_R.ORIGIN_ABOVE_CEILING, ProblemRow(403, "the label may not claim this origin")),
        (_R.CATEGORY_ABOVE_CEILING, ProblemRow(403, "the label may not set this category")),
        (_R.SCOPE_NOT_OF_SUBJECT, ProblemRow(403, "the scope is not the subject's")),
        (_R.FORGOTTEN_BEFORE, ProblemRow(403, "this was forgotten before")),
        (_R.UNKNOWN_MEMORY, ProblemRow(404, "there is no such thing here")),
        (_R.ORIGIN_NEEDS_CONFIRMATION, ProblemRow(403, "only an answer to a question makes this confirmed")),
        (_R.ANSWER_NOT_FREE, ProblemRow(409, "an answer beside untrusted content is none; show the question again")),
        (_R.WRITE_BUDGET_SPENT, ProblemRow(403, "the source or session has written as much as it may")),
        (_R.PROMOTION_REFUSED, ProblemRow(403, "the memory stays in its session")),
        (_R.SCOPE_CHANGE_NOT_ALLOWED, ProblemRow(403, "memory of this scope does not move there")),
        (_R.TENANT_MEMORY_STAYS, ProblemRow(403, "memory of a tenant stays with the tenant")),
        (_R.OPERATOR_MEMORY_STAYS, ProblemRow(403, "memory of an operator's copilot stays there")),
        (_R.READ_ONLY_COPY, ProblemRow(409, "a copy is changed at its source")),
        (_R.PLACE_NOT_OF_SURFACE, ProblemRow(422, "the surface has no such place")),
        (_R.ASSISTANT_NOT_ALLOWED, ProblemRow(403, "the assistant may not use this scope")),
        (_R.SESSION_ENDED, ProblemRow(409, "the session has ended")),
        (_R.TURN_OUT_OF_ORDER, ProblemRow(409, "another turn comes next")),
        (_R.SCOPE_UNCHANGED, ProblemRow(409, "the memory is there already")),
        (_R.LOOKS_SENSITIVE, ProblemRow(409, "the words look sensitive; name a category for them")),
        (_R.CONFLICT_KEPT_EXISTING, ProblemRow(409, "what is remembered already stands")),
        (_R.NOT_ACTIVE, ProblemRow(409, "the memory is not active")),
        (_R.STALE_REVISION, ProblemRow(412, "another revision is in force")),
        (_R.MARKER_MISSING, ProblemRow(422, "the request does not say what it means to do")),
        (_R.HIDDEN_CHARACTERS, ProblemRow(422, "the text holds characters that hide others")),
        (_R.EMPTY_AFTER_CLEANING, ProblemRow(422, "the text is empty")),
        (_R.ADAPTER_SCOPE_MISMATCH, ProblemRow(422, "the adapter scope does not fit the scope")),
        (_R.ALREADY_EXPIRED, ProblemRow(422, "the memory would end before it begins")),
        (_R.SOURCE_FORGOTTEN, ProblemRow(403, "what it was made from was forgotten")),
        (_R.SELF_APPROVAL, ProblemRow(403, "the one who asks never grants")),
        (_R.NOT_WAITING, ProblemRow(409, "the request does not wait for this any more")),
    ],
)

_C = ProblemCode
FAILURES: Final = total(
    "failures",
    ProblemCode,
    [
        (_C.UNREADABLE_BODY, ProblemRow(400, "the body cannot be read")),
        (_C.UNAUTHENTICATED, ProblemRow(401, "a good bearer token is needed")),
        (_C.STEP_UP_NEEDED, ProblemRow(401, "this needs a sign-in of the last five minutes")),
        (_C.NOT_PERMITTED, ProblemRow(403, "this token does not open this")),
        (_C.NO_SUCH_ADDRESS, ProblemRow(404, "there is nothing at this address")),
        (_C.METHOD_NOT_ALLOWED, ProblemRow(405, "this address does not take this method")),
        (_C.IDEMPOTENCY_CONFLICT, ProblemRow(409, "this idempotency key was used before with another body")),
        (
            _C.IDEMPOTENCY_PENDING,
            ProblemRow(409, "a call under this key began and may still happen; look first"),
        ),
        (_C.TOO_SLOW, ProblemRow(408, "the body did not come in time")),
        (_C.TOO_LARGE, ProblemRow(413, "the body is larger than this address takes")),
        (_C.NOT_JSON, ProblemRow(415, "the body is JSON with Content-Type application/json")),
        (_C.INVALID, ProblemRow(422, "a value breaks a rule")),
        (_C.WRONG_FORMAT, ProblemRow(422, "the file is not in the format that was named")),
        (_C.TOO_MANY_REQUESTS, ProblemRow(429, "too many requests; wait a moment")),
        (_C.DEFECT, ProblemRow(500, "something went wrong here; what was acknowledged stays")),
        (_C.STORAGE_FAILED, ProblemRow(500, "the store cannot be read or written; what was acknowledged stays")),
        (_C.STORE_BUSY, ProblemRow(503, "the store is busy; try again")),
        (_C.TOOK_TOO_LONG, ProblemRow(503, "this takes too long; it may still happen, so look before trying again")),
        (_C.STORE_FULL, ProblemRow(507, "there is no room left; nothing was half-written")),
    ],
)

ALL: Final[Mapping[str, ProblemRow]] = MappingProxyType(
    {code.value: row for table in (REFUSALS, FAILURES) for code, row in table.items()}
    | {code.value: ProblemRow(*row) for code, row in (*RIGHTS_REFUSALS.items(), *HOLD_REFUSALS.items())}
    | {code.value: ProblemRow(*row) for code, row in (*INSPECTION_DENIALS.items(), *INSPECTION_REFUSALS.items())}
)
"""Every code a problem can have, with its status and title."""

_BY_ERROR: Final[tuple[tuple[type[IrisError], RefusalReason | ProblemCode], ...]] = (
    (ContractError, ProblemCode.INVALID),
    (FormatError, ProblemCode.WRONG_FORMAT),
    (IdempotencyConflictError, ProblemCode.IDEMPOTENCY_CONFLICT),
    (IdempotencyPendingError, ProblemCode.IDEMPOTENCY_PENDING),
    (UnknownMemoryError, RefusalReason.UNKNOWN_MEMORY),
    (StoreBusyError, ProblemCode.STORE_BUSY),
    (StoreFullError, ProblemCode.STORE_FULL),
    (StorageError, ProblemCode.STORAGE_FAILED),
)
_SPEAKS: Final = (ContractError, FormatError)
"""Errors whose message tells a caller what to mend, and by their contract holds no value."""

_BY_STATUS: Final = MappingProxyType(
    {
        400: ProblemCode.UNREADABLE_BODY,
        404: ProblemCode.NO_SUCH_ADDRESS,
        405: ProblemCode.METHOD_NOT_ALLOWED,
        408: ProblemCode.TOO_SLOW,
        413: ProblemCode.TOO_LARGE,
    }
)


class FieldError(Contract):
    """One broken rule: where, and which; never the value."""

    field: str
    rule: str


class Problem(Contract):
    """What went wrong (RFC 9457). `needs` names what would be needed, such as a consent."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": "/docs#problem-sensitive-category-without-consent",
                    "title": "a sensitive category needs its own consent",
                    "status": 403,
                    "detail": "a sensitive category is stored only with its own consent",
                    "code": "sensitive-category-without-consent",
                    "needs": ["category:medical"],
                    "errors": [],
                }
            ]
        }
    )

    type: str
    title: str
    status: int
    detail: str
    code: str
    needs: tuple[str, ...] = ()
    errors: tuple[FieldError, ...] = ()


class RefusedError(Exception):
    """A flow refused a write; the surface answers with the problem of its reason."""

    def __init__(self, refused: Refused) -> None:
        """Take the refusal."""
        super().__init__(refused.reason.value)
        self.refused = refused


class StepRefusedError(RefusedError):
    """A step of a data-rights request or of a legal hold was not taken."""

    def __init__(self, refused: RightsRefused | HoldRefused | InspectionRefused) -> None:
        """Take the refusal."""
        Exception.__init__(self, refused.reason.value)
        self.step = refused


class NotPermittedError(Exception):
    """The token is good, and does not open this."""


def problem_of(
    code: RefusalReason | ProblemCode | RightsRefusal | HoldRefusal | InspectionDenial | InspectionRefusal,
    *,
    detail: str = "",
    needs: Iterable[str] = (),
    errors: Iterable[FieldError] = (),
) -> Problem:
    """Return the problem of a code."""
    row = ALL[code.value]
    return Problem(
        type=f"/docs#problem-{code.value}",
        title=row.title,
        status=row.status,
        detail=detail or row.title,
        code=code.value,
        needs=tuple(needs),
        errors=tuple(errors),
    )


def problem_of_refusal(refused: Refused) -> Problem:
    """Return the problem of a refusal. What is unknown says nothing more than that."""
    if refused.reason is RefusalReason.UNKNOWN_MEMORY:
        return problem_of(refused.reason)
    return problem_of(refused.reason, detail=refused.rule, needs=refused.needs)


def problem_of_error(error: Exception) -> Problem:
    """Return the problem of an exception; only errors whose message is made for callers are repeated."""
    if isinstance(error, StepRefusedError):
        return problem_of(error.step.reason, detail=error.step.rule, needs=error.step.needs)
    if isinstance(error, RefusedError):
        return problem_of_refusal(error.refused)
    if isinstance(error, NotPermittedError):
        return problem_of(ProblemCode.NOT_PERMITTED)
    if isinstance(error, StepUpNeededError):
        return problem_of(ProblemCode.STEP_UP_NEEDED)
    for kind, code in _BY_ERROR:
        if isinstance(error, kind):
            return problem_of(code, detail=str(error) if isinstance(error, _SPEAKS) else "")
    return problem_of(ProblemCode.DEFECT)


def problem_of_status(status: int) -> Problem:
    """Return the problem of a status that the framework gives by itself."""
    code = _BY_STATUS.get(status)
    if code is not None:
        return problem_of(code)
    phrase = HTTPStatus(status).phrase.lower()
    slug = phrase.replace(" ", "-")
    return Problem(type="about:blank", title=phrase, status=status, detail=phrase, code=slug)


def problem_of_validation(found: Iterable[Mapping[str, Any]]) -> Problem:
    """Return the problem of a request that breaks its shape: fields and rules, no value and no unknown field's name."""
    told = list(found)
    if any(error["type"] == ProblemCode.NOT_JSON.value for error in told):
        return problem_of(ProblemCode.NOT_JSON)
    errors = [FieldError(field=_place(error), rule=_rule(error)) for error in told[:_ERRORS_TOLD]]
    detail = "; ".join(f"{error.field}: {error.rule}" for error in errors[:3])
    return problem_of(ProblemCode.INVALID, detail=detail, errors=errors)


def respond(problem: Problem, *, headers: Mapping[str, str] | None = None) -> Response:
    """Return a problem as a response."""
    extra = dict(headers or {})
    if problem.status == 401:
        extra["WWW-Authenticate"] = CHALLENGE if problem.code == ProblemCode.STEP_UP_NEEDED else "Bearer"
    if problem.status == 503:
        extra["Retry-After"] = "1"
    return Response(problem.model_dump_json(), problem.status, headers=extra, media_type=MEDIA_TYPE)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI responses of statuses that problems have, each with the codes behind it."""
    told: dict[int | str, dict[str, Any]] = {}
    for status in sorted({400, 401, 403, 408, 413, 422, 429, 500, 503, *statuses}):
        codes = ", ".join(f"`{code}`" for code, row in ALL.items() if row.status == status)
        told[status] = {
            "description": f"{HTTPStatus(status).phrase}: {codes}",
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
    return told


def _place(error: Mapping[str, Any]) -> str:
    # the name of a field that is not known was given by the caller, so it is not repeated
    steps = error["loc"][:-1] if error["type"] == "extra_forbidden" else error["loc"]
    return ".".join(str(step) if isinstance(step, int) or _FIELD.fullmatch(step) else "*" for step in steps)


def _member(match: re.Match[str]) -> str:
    return match.group(1)


def _rule(error: Mapping[str, Any]) -> str:
    kind, about = error["type"], error.get("ctx") or {}
    if kind == "value_error":
        return str(error["msg"]).removeprefix("Value error, ")
    if kind in {"enum", "literal_error"}:
        return f"is one of {about['expected']}"
    if kind == "union_tag_invalid":
        return f"is one of {_MEMBER.sub(_member, about['expected_tags'])}"
    words = kind.replace("_", " ")
    bounds = [f"{word} {about[name]}" for name, word in _BOUNDS.items() if isinstance(about.get(name), int)]
    return f"{words}, {bounds[0]}" if bounds else words
