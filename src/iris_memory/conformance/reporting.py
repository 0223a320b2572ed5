"""How a check says that an engine breaks its contract."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iris_memory.errors import IrisError


class ConformanceError(AssertionError):
    """An engine does not do what its port promises. The message names the promise."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check found. `detail` is empty when the promise is kept."""

    name: str
    promise: str
    detail: str

    @property
    def ok(self) -> bool:
        """Say whether the promise is kept."""
        return not self.detail


def expect(kept: bool, promise: str) -> None:
    """Fail unless the promise is kept."""
    if not kept:
        raise ConformanceError(promise)


def same(found: object, wanted: object, promise: str) -> None:
    """Fail unless both are equal."""
    expect(found == wanted, f"{promise}: found {found!r}, wanted {wanted!r}")


def refused(action: Callable[[], object], promise: str, *, by: type[Exception] = IrisError) -> None:
    """Fail unless the action raises an error of the kind named."""
    try:
        action()
    except by:
        return
    except Exception as error:
        raise ConformanceError(f"{promise}: raised {type(error).__name__}") from error
    raise ConformanceError(f"{promise}: it was let through")
