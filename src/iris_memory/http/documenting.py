"""Documenting: where the framework writes what OpenAPI does not allow, it is put right before anybody reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def mend(document: dict[str, Any]) -> None:
    """Give every union of contracts its choices and their words (OpenAPI 3.1.1 §4.25).

    The framework writes a union whose reader is our own as many times over, and maps words to whole schemas.
    """
    schemas = document["components"]["schemas"]
    for union in list(_broken(document)):
        name = union["discriminator"]["propertyName"]
        references = list(dict.fromkeys(_references(union)))
        union.pop("anyOf", None)
        union["oneOf"] = [{"$ref": reference} for reference in references]
        union["discriminator"]["mapping"] = {
            word: reference
            for reference in references
            for word in _words(schemas[reference.rpartition("/")[2]]["properties"][name])
        }


def _broken(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        mapping = (
            part.get("discriminator", {}).get("mapping", {}) if isinstance(part.get("discriminator"), dict) else {}
        )
        if any(not isinstance(target, str) for target in mapping.values()):
            yield part
        for each in part.values():
            yield from _broken(each)
    elif isinstance(part, list):
        for each in part:
            yield from _broken(each)


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        for key, each in part.items():
            if key != "discriminator":
                yield from _references(each)
    elif isinstance(part, list):
        for each in part:
            yield from _references(each)


def _words(schema: dict[str, Any]) -> list[str]:
    return [schema["const"]] if "const" in schema else list(schema["enum"])
