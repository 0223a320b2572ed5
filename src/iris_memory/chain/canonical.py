"""One value has one spelling: RFC 8785 (JCS) canonical JSON, without floats.

What is hashed is what is stored, so a body must have exactly one byte form on every platform. JCS fixes the
order of keys (UTF-16 code units, section 3.2.3), the escapes (3.2.2.2) and the white space. Its number format
is ECMAScript's, which few languages print alike; nothing hashed here may hold a float, so it never comes up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from json import encoder as json_encoder
from typing import Any, Final, TypeAlias

from iris_memory.errors import CanonicalError

JsonValue: TypeAlias = "bool | int | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
"""A body that can be hashed. At run time a sequence is a list or a tuple, a mapping is a dict."""

MAX_INTEGER: Final = 2**53 - 1
"""The largest integer that every JSON reader keeps exact (RFC 7493 section 2.2); beyond it, use a string."""

_ARRAYS: Final = (list, tuple)
_NESTS: Final = (dict, list, tuple)
_DOUBTFUL: Final = -(2**63)


def _encoder(*, sort_keys: bool) -> Callable[[object], str]:
    """A JSON writer whose escapes are those of JCS: non-ASCII is left alone.

    `JSONEncoder.encode` makes a new C encoder for each value, which costs more than a small value does; this one is
    made once. Where Python has no C encoder, `encode` it is.
    """
    encoder = json_encoder.JSONEncoder(
        ensure_ascii=False, sort_keys=sort_keys, separators=(",", ":"), check_circular=False, allow_nan=False
    )
    make = getattr(json_encoder, "c_make_encoder", None)
    escape = getattr(json_encoder, "c_encode_basestring", None)
    if make is None or escape is None:
        return encoder.encode
    write = make(None, encoder.default, escape, None, ":", ",", sort_keys, False, False)
    join = "".join
    return lambda value: join(write(value, 0))


# Sorting is by code point. For ASCII keys that is the order of UTF-16 code units; beyond the basic plane it is not.
_SORTING: Final = _encoder(sort_keys=True)
_KEEPING: Final = _encoder(sort_keys=False)


def canonical(value: JsonValue) -> bytes:
    """The canonical UTF-8 bytes of a value.

    Takes str, bool, None, int within ±(2**53-1), list, tuple, and dict with str keys, nested.

    Raises:
        CanonicalError: anything else, a lone surrogate, or nesting deeper than the interpreter's stack.
    """
    try:
        return _spell(value).encode()
    except UnicodeEncodeError:
        refusal = "text holds a lone surrogate"
    except RecursionError:
        refusal = "value is nested too deep or holds itself"
    # Raised out here so that the error does not carry the text along as its context.
    raise CanonicalError(refusal)


def is_canonical(text: str, *, value: Any) -> bool:
    """Whether text is the canonical form of the value that `json` read from the whole of it.

    Most lines of a log hold neither an escape nor white space, and of such text little is left to ask: every quote
    in it opens or ends a string, so keys can be counted, and a count that fits leaves no room for a key given twice.
    All other text is written anew and compared.
    """
    if (
        text.isascii()
        and "\\" not in text
        and " " not in text
        and "\n" not in text
        and "\r" not in text
        and "\t" not in text
        and ":-0" not in text
        and ",-0" not in text
        and "[-0" not in text
        and _count_keys(value) == text.count('":')
    ):
        return True
    try:
        return _spell(value) == text
    except (CanonicalError, RecursionError):
        return False


def _count_keys(value: Any) -> int:
    """How many keys a value read from JSON has, nested ones included; negative if it may not be canonical."""
    count, items = 0, value
    if type(value) is dict:
        if sorted(value) != list(value):
            return _DOUBTFUL
        count, items = len(value), value.values()
    elif type(value) is not list:
        return _DOUBTFUL
    for item in items:
        kind = type(item)
        if kind is str or item is None or kind is bool:
            continue
        if kind is int:
            if not -MAX_INTEGER <= item <= MAX_INTEGER:
                return _DOUBTFUL
        elif kind is dict or kind is list:
            count += _count_keys(item)
        else:
            return _DOUBTFUL
    return count


def _spell(value: JsonValue) -> str:
    return _SORTING(value) if _has_plain_keys(value) else _KEEPING(_ordered(value))


def _has_plain_keys(value: JsonValue) -> bool:
    """Whether every key in the value is ASCII. Refuses whatever has no canonical form."""
    items: Iterable[Any]
    if isinstance(value, dict):
        try:
            plain = "".join(value).isascii()
        except TypeError:
            raise CanonicalError("an object key must be a string") from None
        items = value.values()
    else:
        plain = True
        items = value if isinstance(value, _ARRAYS) else (value,)
    for item in items:
        kind = type(item)
        if kind is str or item is None or kind is bool:
            continue
        if kind is int or isinstance(item, int):
            if not -MAX_INTEGER <= item <= MAX_INTEGER:
                raise CanonicalError("an integer beyond 2**53-1 must be written as a string")
        elif isinstance(item, _NESTS):
            plain = _has_plain_keys(item) and plain
        elif not isinstance(item, str):
            raise CanonicalError(f"a value of type `{kind.__name__}` has no canonical form")
    return plain


def _ordered(value: Any) -> Any:
    """The value with the keys of every object in the order of their UTF-16 code units."""
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value, key=_utf16)}
    if isinstance(value, _ARRAYS):
        return [_ordered(item) for item in value]
    return value


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be")
