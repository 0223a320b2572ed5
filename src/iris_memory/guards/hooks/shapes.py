"""Shapes: the texts inside a framework's own objects, read as a JSON value and put back, without knowing the classes.

Known are mappings, lists, tuples, bytes, dataclasses, and objects with the `model_fields` and `model_copy` of pydantic.
Objects are read as the list of their fields, so that the names a framework gives them are not taken for text. What is
none of these says nothing that could be read, and stays as it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any

from iris_memory.guards.proxies.binary_parts import as_bytes, readable

Text = Callable[[str, str], str]
"""Returns a text anew; it is given the name that the text stands under."""


def apart(value: Any) -> Any:
    """Return the JSON value of what can be read in an object."""
    if value is None or isinstance(value, Enum):
        return None
    if isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (bytes, bytearray)):
        return readable(bytes(value))
    if isinstance(value, Mapping):
        return {str(name): apart(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [apart(part) for part in value]
    fields = _fields(value)
    return None if fields is None else [apart(part) for part in fields.values()]


def together(read: Any, *, original: Any) -> Any:
    """Return an object like the original with the texts of a value that was taken `apart` and masked since."""
    if original is None or isinstance(original, Enum) or read is None:
        return original
    if isinstance(original, (str, int, float)):
        return read
    if isinstance(original, (bytes, bytearray)):
        return original if read == readable(bytes(original)) else as_bytes(str(read))
    if isinstance(original, Mapping):
        parts = zip(read.items(), original.items(), strict=True)
        return {
            (known if str(known) == name else name): together(part, original=was)
            for (name, part), (known, was) in parts
        }
    if isinstance(original, (list, tuple)):
        return _like(original, [together(part, original=was) for part, was in zip(read, original, strict=True)])
    fields = _fields(original)
    if fields is None:
        return original
    pairs = zip(fields.items(), read, strict=True)
    return _changed(original, {name: together(part, original=was) for (name, was), part in pairs})


def mended(value: Any, text: Text, *, name: str = "") -> Any:
    """Return an object with every text in it anew; what does not change stays the very same object."""
    if isinstance(value, str):
        return value if isinstance(value, Enum) else text(value, name)
    if isinstance(value, Mapping):
        return {known: mended(part, text, name=str(known)) for known, part in value.items()}
    if isinstance(value, (list, tuple)):
        return _like(value, [mended(part, text, name=name) for part in value])
    fields = _fields(value)
    if fields is None:
        return value
    return _changed(value, {known: mended(part, text, name=known) for known, part in fields.items()})


def _fields(value: Any) -> dict[str, Any] | None:
    """Return the fields of an object that can be made anew with others; None for any other object."""
    if isinstance(value, type):
        return None
    if hasattr(type(value), "model_fields") and hasattr(value, "model_copy"):
        extra = getattr(value, "model_extra", None) or {}
        return {name: getattr(value, name) for name in type(value).model_fields} | dict(extra)
    if dataclasses.is_dataclass(value):
        return dict(_settable(value))
    return None


def _settable(value: Any) -> Iterator[tuple[str, Any]]:
    for field in dataclasses.fields(value):
        if field.init and hasattr(value, field.name):
            yield field.name, getattr(value, field.name)


def _changed(original: Any, fields: Mapping[str, Any]) -> Any:
    known = _fields(original) or {}
    update = {name: part for name, part in fields.items() if part is not known[name] and part != known[name]}
    if not update:
        return original
    if hasattr(original, "model_copy"):
        return original.model_copy(update=update)
    return dataclasses.replace(original, **update)


def _like(original: Any, parts: list[Any]) -> Any:
    if isinstance(original, list):
        return parts
    # a named tuple takes its parts one by one
    return type(original)(*parts) if hasattr(original, "_fields") else tuple(parts)
