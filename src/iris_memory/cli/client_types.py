"""The types of the generated client: what a schema of the OpenAPI document is called in Python, and where it lives."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from typing import Any, Final

import iris_memory.contracts

_PLAIN: Final = {"integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_WORDS_MOST: Final = 8
"""Words of a vocabulary without a name, such as those of consents, that are written out; more of them are a text."""
_STRINGS: Final = {"date-time": "datetime", "binary": "bytes"}
Schema = Mapping[str, Any]


class Types:
    """Writes types, and remembers what they need to be imported."""

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        """Take the named schemas of the document."""
        self._schemas = schemas
        self._contracts = {name: home for name, home in _contracts() if name in self._bare_names()}

    def _bare_names(self) -> set[str]:
        return {_bare(name) for name in self._schemas}

    def home(self, name: str) -> str | None:
        """Return the module of the contract that a schema is; None for a shape of the service's own."""
        module, _, _ = name.replace("__", ".").rpartition(".")
        if module and not module.startswith("iris_memory.contracts."):
            return None  # two classes of one name, told apart by where they live: this one is no contract
        return module or self._contracts.get(_bare(name))

    def called(self, name: str) -> str:
        """Return what a named schema is called in Python."""
        return _bare(name) if self.home(name) else name.rpartition("__")[2].replace("-", "")

    def type_of(self, schema: Schema) -> str:
        """Return the type of a schema."""
        if "$ref" in schema:
            return self.called(_name(schema["$ref"]))
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if "enum" in schema and len(schema["enum"]) > _WORDS_MOST:
            return "str"
        if "enum" in schema:
            return f"Literal[{', '.join(repr(each) for each in schema['enum'])}]"
        for union in ("anyOf", "oneOf", "allOf"):
            if union in schema:
                return union_of(*(self.type_of(each) for each in schema[union]))
        kind = schema.get("type")
        if kind == "array":
            return self._array(schema)
        if kind == "object":
            held = schema.get("additionalProperties")
            return f"dict[str, {self.type_of(held) if isinstance(held, dict) and held else 'Any'}]"
        if kind == "string":
            return _STRINGS.get(schema.get("format", ""), "str")
        return _PLAIN.get(kind or "", "Any")

    def _array(self, schema: Schema) -> str:
        items = schema.get("items")
        held = self.type_of(items) if isinstance(items, dict) else "Any"
        return f"frozenset[{held}]" if schema.get("uniqueItems") else f"tuple[{held}, ...]"

    def named(self, schema: Any) -> Iterator[str]:
        """Yield the name of every schema that a schema names."""
        if isinstance(schema, Mapping):
            if isinstance(schema.get("$ref"), str):
                yield _name(schema["$ref"])
            for key, each in schema.items():
                if key not in {"example", "examples", "default", "discriminator"}:
                    yield from self.named(each)
        elif isinstance(schema, (list, tuple)):
            for each in schema:
                yield from self.named(each)


def union_of(*types: str) -> str:
    """Return the union of types, each once, `None` at its end."""
    parts = dict.fromkeys(part for each in types for part in each.split(" | "))
    return " | ".join(sorted(parts, key=lambda part: part == "None"))


def _name(reference: str) -> str:
    return reference.rpartition("/")[2]


def _bare(name: str) -> str:
    return name.rpartition("__")[2].removesuffix("-Input").removesuffix("-Output")


def _contracts() -> Iterator[tuple[str, str]]:
    for found in pkgutil.iter_modules(iris_memory.contracts.__path__):
        home = f"iris_memory.contracts.{found.name}"
        for name, value in vars(importlib.import_module(home)).items():
            if isinstance(value, type) and value.__module__ == home:
                yield name, home
