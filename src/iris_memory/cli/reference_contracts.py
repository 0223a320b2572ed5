"""The page of contracts: every public shape with its fields, and every closed set of values."""

from __future__ import annotations

import inspect
import pkgutil
from enum import StrEnum
from importlib import import_module
from typing import Any

import iris_memory.contracts
from iris_memory.cli.markdown import code, codes, page, table
from iris_memory.contracts.shape import Contract


def public_contracts() -> list[type[Contract]]:
    """Return every public contract, by name and module. A shape that others refine is none of its own."""
    _load()
    return sorted((kind for kind in _below(Contract) if _is_public(kind)), key=_place)


def public_sets() -> list[type[StrEnum]]:
    """Return every closed set of values, by name and module."""
    modules = _load()
    found = {
        kind
        for module in modules
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, StrEnum) and kind.__module__ == module.__name__
    }
    return sorted(found, key=_place)


def _place(kind: type) -> tuple[str, str]:
    """Return where a contract stands: a name alone is not one place, since two modules may each have a `Tier`."""
    return kind.__name__, kind.__module__


def contracts_page() -> str:
    """Return the page."""
    parts = []
    for contract in public_contracts():
        parts += [f"### {contract.__name__}", _words(contract), _fields(contract)]
    sets = [(code(kind.__name__), _words(kind), codes(member.value for member in kind)) for kind in public_sets()]
    return page(
        "Contracts",
        "The shapes that go in and out, frozen and strict: an unknown field or a value of another type is an error."
        " Instants are RFC 3339 with a zone, written in UTC with six fractional digits; an identifier has 1 to 128 code"
        " points, in Unicode normal form C, with no control characters. `iris schema` writes the JSON Schema of each.",
        "## Shapes",
        *parts,
        "## Closed sets of values",
        table(("set", "what it says", "values"), sets),
    )


def _load() -> list[Any]:
    room = iris_memory.contracts
    return [import_module(f"{room.__name__}.{found.name}") for found in pkgutil.iter_modules(room.__path__)]


def _below(kind: type[Contract]) -> set[type[Contract]]:
    return {kind}.union(*(_below(refined) for refined in kind.__subclasses__()))


def _is_public(kind: type[Contract]) -> bool:
    refined = any(one.__module__.startswith(iris_memory.contracts.__name__) for one in kind.__subclasses__())
    ours = kind.__module__.startswith(iris_memory.contracts.__name__ + ".")
    return ours and not refined and not kind.__name__.startswith("_")


def _words(kind: type) -> str:
    return " ".join(inspect.cleandoc(kind.__doc__ or "").split())


def _fields(contract: type[Contract]) -> str:
    schema = contract.model_json_schema()
    required = set(schema.get("required", ()))
    rows = []
    for name, field in schema.get("properties", {}).items():
        default = "required" if name in required else _default(field)
        rows.append((code(name), _shape(field), default))
    return table(("field", "what it holds", "default"), rows) if rows else "It has no fields."


def _default(field: dict[str, Any]) -> str:
    if "default" not in field:
        return "worked out"
    value = field["default"]
    if value is None or value in ([], {}):
        return "none"
    return code(str(value).lower() if isinstance(value, bool) else str(value))


def _shape(field: dict[str, Any]) -> str:
    """Return in words what a field of a JSON Schema holds."""
    if "$ref" in field:
        return code(field["$ref"].rpartition("/")[2])
    if "const" in field:
        return f"always {code(str(field['const']))}"
    if "enum" in field:
        return f"one of {codes(map(str, field['enum']))}"
    for key in ("anyOf", "oneOf"):
        if key in field:
            return " or ".join(dict.fromkeys(_shape(one) for one in field[key]))
    kind = field.get("type", "anything")
    if kind == "array":
        return f"a list of {_shape(field.get('items', {}))}{_bounds(field, 'minItems', 'maxItems', 'items')}"
    if kind == "object":
        return f"a mapping to {_shape(field.get('additionalProperties') or {})}"
    if kind == "integer":
        return "an integer" + _bounds(field, "minimum", "maximum", "")
    if kind == "string":
        return _string(field)
    return {"boolean": "true or false", "null": "nothing"}.get(kind, str(kind))


def _string(field: dict[str, Any]) -> str:
    if field.get("format") == "date-time":
        return "an instant"
    if "pattern" in field:
        return f"text like {code(field['pattern'])}"
    return "text" + _bounds(field, "minLength", "maxLength", "code points")


def _bounds(field: dict[str, Any], low: str, high: str, unit: str) -> str:
    least, most = field.get(low), field.get(high)
    if least is None and most is None:
        return ""
    of = f" {unit}" if unit else ""
    if most is None:
        return f", at least {least:,}{of}"
    return f", at most {most:,}{of}" if not least else f", {least:,} to {most:,}{of}"
