"""Problems as exceptions: what the service refused, by kind, each with its code (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from iris_memory.client.shape import Shape


class FieldProblem(Shape):
    """One broken rule of a request: where, and which."""

    field: str
    rule: str


class ProblemTold(Shape):
    """What the service says went wrong. `needs` names what would be needed, such as a consent."""

    type: str = "about:blank"
    title: str = ""
    status: int
    detail: str = ""
    code: str = "unknown"
    needs: tuple[str, ...] = ()
    errors: tuple[FieldProblem, ...] = ()


class ProblemError(Exception):
    """The service did not do what was asked. The message is the code; the rest is in `problem`."""

    def __init__(self, problem: ProblemTold, *, request_id: str = "", retry_after: int | None = None) -> None:
        """Take what the service said, the id of the request, and after how many seconds to ask again."""
        super().__init__(problem.code)
        self.problem = problem
        self.request_id = request_id
        self.retry_after = retry_after

    @property
    def code(self) -> str:
        """The reason code, the same as in the library."""
        return self.problem.code


class UnauthenticatedError(ProblemError):
    """401: a good token, or a fresher sign-in, is needed."""


class RefusedByPolicyError(ProblemError):
    """403: a policy refuses it, or the token does not open this."""


class NotThereError(ProblemError):
    """404: there is no such thing for this token."""


class ConflictingError(ProblemError):
    """409: it conflicts with what is there."""


class StaleRevisionError(ProblemError):
    """412: another revision is in force."""


class InvalidRequestError(ProblemError):
    """400, 405, 408, 413, 415, 422: the request can never be carried out as it is."""


class TooManyRequestsError(ProblemError):
    """429: ask again after `retry_after` seconds."""


class ServiceFailedError(ProblemError):
    """5xx: the service could not do it. What it acknowledged before stays."""


_KINDS: Final[Mapping[int, type[ProblemError]]] = {
    401: UnauthenticatedError,
    403: RefusedByPolicyError,
    404: NotThereError,
    409: ConflictingError,
    412: StaleRevisionError,
    429: TooManyRequestsError,
}
_FAILED: Final = 500


def error_of(status: int, content: bytes, headers: Mapping[str, str]) -> ProblemError:
    """Return the exception of an answer that is none of success."""
    try:
        problem = ProblemTold.model_validate_json(content)
    except ValueError:  # something between here and the service answered
        problem = ProblemTold(status=status)
    kind = _KINDS.get(status, ServiceFailedError if status >= _FAILED else InvalidRequestError)
    seconds = headers.get("retry-after", "")
    return kind(
        problem,
        request_id=headers.get("x-request-id", ""),
        retry_after=int(seconds) if seconds.isascii() and seconds.isdecimal() else None,
    )
