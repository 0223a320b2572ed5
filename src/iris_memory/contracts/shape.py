"""What every contract shares: frozen, strict, no unknown field; identifiers, instants and amounts spelt one way."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from typing import Annotated, Any, Final, NoReturn, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
    ValidationInfo,
)

from iris_memory.errors import ContractError

C = TypeVar("C", bound="Contract")
_set: Final = object.__setattr__
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_DATE_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d")
_FIELD_NAME: Final = re.compile(r"[a-z][a-z_-]{0,39}")


class Contract(BaseModel):
    """A frozen, strict shape. `model_validate_json` takes its JSON form; `model_dump_json` writes it."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, hide_input_in_errors=True, ser_json_inf_nan="constants"
    )


def trusted(kind: type[C], /, **fields: Any) -> C:
    """Return a contract from fields that come from validated contracts; every field is given, none is checked.

    It is what `model_construct` does, without looking for defaults and aliases: this is on the path of every hit.
    """
    return _made(kind, fields)


def with_fields(model: C, /, **changes: Any) -> C:
    """Return a contract with some fields changed to values that come from validated contracts; none is checked."""
    fields = model.__dict__.copy()
    fields.update(changes)
    return _made(type(model), fields)


def _made(kind: type[C], fields: dict[str, Any]) -> C:
    made = kind.__new__(kind)
    _set(made, "__dict__", fields)
    _set(made, "__pydantic_fields_set__", _fields_of(kind))
    _set(made, "__pydantic_extra__", None)
    _set(made, "__pydantic_private__", None)
    return made


@cache
def _fields_of(kind: type[BaseModel]) -> set[str]:
    # shared by every model made here: they are frozen, and copying a model copies its set
    return set(kind.model_fields)


def to_micros(instant: datetime) -> int:
    """Return whole microseconds since the epoch of an aware instant, exactly (no float on the way)."""
    return (instant - EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """Return the aware UTC instant of whole microseconds since the epoch."""
    return EPOCH + timedelta(microseconds=micros)


@lru_cache(maxsize=4_096)
def format_instant(instant: datetime) -> str:
    """Write an instant as RFC 3339 with `Z` and always six fractional digits."""
    return instant.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def require_aware(value: datetime) -> datetime:
    """Accept an aware datetime and bring it to UTC; a naive one is an error."""
    if value.tzinfo is None or value.utcoffset() is None:
        raise ValueError("an instant needs a time zone")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise ValueError("an instant lies in the years 1 to 9999 of UTC") from None


def _require_instant(value: object, info: ValidationInfo) -> object:
    # the lax reader behind this would also take seconds since the epoch, as a number or as a string of digits
    if info.mode == "json" and isinstance(value, str) and _DATE_TIME.match(value):
        return value
    if info.mode != "json" and isinstance(value, datetime):
        return value
    raise ValueError("an instant is a date and time with a zone, as RFC 3339 writes it")


def _require_identifier(value: str) -> str:
    if value.isascii() and value.isprintable():
        return value
    if not unicodedata.is_normalized("NFC", value):
        raise ValueError("an identifier is written in Unicode normal form C")
    if any(unicodedata.category(mark) in {"Cc", "Cs"} for mark in value):
        raise ValueError("an identifier holds no control characters")
    return value


def _require_storable(value: str) -> str:
    if value.isascii() and "\x00" not in value:
        return value
    if "\x00" in value:
        raise ValueError("text holds no NUL")
    if any("\ud800" <= mark <= "\udfff" for mark in value):
        raise ValueError("text holds no lone surrogates")
    return value


def is_storable(text: str) -> bool:
    """Say whether every engine can keep a text: no NUL, no lone surrogate."""
    try:
        return _require_storable(text) is text
    except ValueError:
        return False


Identifier = Annotated[str, Field(min_length=1, max_length=128), AfterValidator(_require_identifier)]
"""1 to 128 code points, NFC, no control characters."""

Instant = Annotated[
    datetime,
    Field(strict=False),
    BeforeValidator(_require_instant),
    AfterValidator(require_aware),
    PlainSerializer(format_instant, return_type=str, when_used="json"),
]
"""An aware datetime, kept in UTC; RFC 3339 with `Z` and six fractional digits in JSON."""

Millionths = Annotated[int, Field(ge=0, le=1_000_000)]
"""A share between 0 and 1, as an integer in millionths."""

COUNT_MOST: Final = (1 << 53) - 1

Count = Annotated[int, Field(ge=0, le=COUNT_MOST)]
"""A number of things; no more than every JSON reader keeps exactly."""


Storable = AfterValidator(_require_storable)
"""Text that every engine can keep: no NUL, no lone surrogate."""


def _sorted(values: Iterable[Any]) -> list[Any]:
    return sorted(values)


def _require_once(values: object) -> object:
    # the schema of a set says that its items are unique; a list that repeats one is refused, not mended in silence
    if isinstance(values, (list, tuple)) and len(set(map(repr, values))) != len(values):
        raise ValueError("each item stands once")
    return values


Unordered = (Field(strict=False), BeforeValidator(_require_once), PlainSerializer(_sorted, when_used="json"))
"""Markers for a frozenset field: takes a list of distinct items, writes a sorted list, so that no hash seed reaches a
byte."""


def refuse_invalid(problem: ValidationError, *, what: str) -> NoReturn:
    """Raise ContractError that names fields and rules, and none of the values given (nor unknown fields' names)."""
    parts = []
    for error in problem.errors(include_input=False, include_url=False, include_context=False)[:8]:
        place = error["loc"][:-1] if error["type"] == "extra_forbidden" else error["loc"]
        where = ".".join(map(_step, place)) or what
        parts.append(f"{where}: {_rule_of(error['type'], error['msg'])}")
    raise ContractError(f"{what} is not valid: " + "; ".join(parts)) from None


def _step(part: int | str) -> str:
    # a step may be the key of a mapping that was given: only what looks like a field's name is repeated
    return str(part) if isinstance(part, int) or _FIELD_NAME.fullmatch(part) else "*"


def _rule_of(kind: str, message: str) -> str:
    # only messages of our own validators and of length or type rules are free of input
    return message.removeprefix("Value error, ") if kind == "value_error" else kind.replace("_", " ")
