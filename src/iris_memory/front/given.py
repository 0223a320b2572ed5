"""What a caller gives, checked before a flow sees it. A message names the field and the rule, never the value."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from iris_memory.contracts.category import Category
from iris_memory.contracts.guarding import DAYS_MOST
from iris_memory.contracts.shape import Identifier, Instant, refuse_invalid
from iris_memory.contracts.write import Revision
from iris_memory.errors import ContractError
from iris_memory.flows.reading import unknown

E = TypeVar("E", bound=StrEnum)

_IDENTIFIER: TypeAdapter[str] = TypeAdapter(Identifier)
_INSTANT: TypeAdapter[datetime] = TypeAdapter(Instant)


def member(kind: type[E], value: E | str) -> E:
    """Return the member of an enum that a value names.

    Raises:
        ContractError: there is none.
    """
    try:
        return kind(value)
    except ValueError:
        raise ContractError(f"{kind.__name__.lower()} is one of {', '.join(kind)}") from None


def identifier(value: str, *, what: str) -> str:
    """Return an identifier: 1 to 128 code points, NFC, no control characters.

    Raises:
        ContractError: it is none.
    """
    try:
        return _IDENTIFIER.validate_python(value, strict=True)
    except ValidationError as problem:
        refuse_invalid(problem, what=what)


def instant(value: datetime, *, what: str) -> datetime:
    """Return an instant in UTC.

    Raises:
        ContractError: it has no time zone.
    """
    try:
        return _INSTANT.validate_python(value)
    except ValidationError as problem:
        refuse_invalid(problem, what=what)


def known_id(value: str) -> str:
    """Return an id that may be somebody's; one that cannot be looks like a missing one.

    Raises:
        UnknownMemoryError: it cannot be an id.
    """
    try:
        return _IDENTIFIER.validate_python(value, strict=True)
    except ValidationError:
        raise unknown() from None


def revision_of(
    body: str | None, *, category: Category | str | None, subject: str | None, expires_at: datetime | None
) -> Revision:
    """Return a correction; what is left out stays.

    Raises:
        ContractError: a value breaks the contract; the message names the field, never the value.
    """
    try:
        return Revision(
            body=body,
            category=member(Category, category) if category is not None else None,
            subject=subject,
            expires_at=expires_at,
        )
    except ValidationError as problem:
        refuse_invalid(problem, what="revision")


def days_before(now: datetime, days: int) -> datetime:
    """Return the instant so many days ago.

    Raises:
        ContractError: the number of days is not between 1 and 3,650.
    """
    if isinstance(days, bool) or not 1 <= days <= DAYS_MOST:
        raise ContractError(f"days is a number between 1 and {DAYS_MOST:,}")
    return now - timedelta(days=days)
