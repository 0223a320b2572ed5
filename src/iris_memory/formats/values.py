"""JSON of unknown hands becomes values, or a reason; nothing in it is trusted to have a type.

Numbers with a point stay decimal. An object with a repeated name is refused whole: two readers could take it two ways.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import NoReturn

from iris_memory.formats.limits import Limits
from iris_memory.formats.row import UnreadableReason

_REPEATED = "repeated name"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,47}")
_LONG_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,95}")
_SURROGATE = re.compile("[\ud800-\udfff]")


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError(_REPEATED)
    return members


def _no_constant(_name: str) -> NoReturn:
    raise ValueError("not a JSON number")


_DECODER = json.JSONDecoder(parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=_members, strict=False)


def decode(data: bytes, *, limits: Limits) -> object:
    """The value of one JSON text, or the `UnreadableReason` that there is none. Never raises."""
    if data.count(b",") + data.count(b"[") + data.count(b"{") > limits.item_values:
        return UnreadableReason.TOO_LARGE
    try:
        return _DECODER.decode(data.decode("utf-8"))
    except UnicodeDecodeError:
        return UnreadableReason.BAD_ENCODING
    except RecursionError:
        return UnreadableReason.TOO_DEEP
    except (ValueError, ArithmeticError) as error:
        # Only our own refusal has these words; a number of thousands of digits is a ValueError too.
        return UnreadableReason.DUPLICATE_KEY if error.args == (_REPEATED,) else UnreadableReason.BAD_JSON


def as_record(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def as_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def safe_id(value: object, *, long: bool = False) -> str | None:
    """An id of the export, if it looks like one: letters, digits, `._-`, and no more than 48 of them.

    Anything else may be somebody's words, and the place of the item must stand in. `long` allows 96 and the colon, for
    formats whose refs hold one id only.
    """
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63:
        value = str(value)
    pattern = _LONG_ID if long else _ID
    return value if isinstance(value, str) and pattern.fullmatch(value) else None


def place(parent: str, value: object, index: int) -> str:
    """The ref of a piece inside an item: its own id, or its place."""
    return f"{parent}:{safe_id(value) or f'@{index}'}"


def is_storable(text: str) -> bool:
    """Whether the text has a UTF-8 form."""
    return text.isascii() or _SURROGATE.search(text) is None


def storable(text: str) -> str:
    """The text with each half of a cut surrogate pair replaced by U+FFFD.

    Exports escape text by UTF-16 units, and an emoji cut in two leaves a half that has no UTF-8 form.
    """
    return _SURROGATE.sub("\ufffd", text)
