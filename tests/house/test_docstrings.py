"""What a caller can reach says what it does."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import iris_memory
from iris_memory.front.consents import Consents
from iris_memory.front.iris import Iris
from iris_memory.front.names import HOMES
from iris_memory.front.person import PersonMemory

FRONT = (Iris, PersonMemory, Consents)


def public(kind: type) -> list[tuple[str, Callable[..., Any]]]:
    """Return the public methods and properties that a class defines."""
    found: list[tuple[str, Callable[..., Any]]] = []
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(member, (classmethod, staticmethod)):
            member = member.__func__
        if isinstance(member, property):
            assert member.fget is not None
            member = member.fget
        found.append((name, member))
    return found


METHODS = [(kind, name, member) for kind in FRONT for name, member in public(kind)]


@pytest.mark.parametrize(("kind", "name", "member"), METHODS, ids=lambda part: getattr(part, "__name__", str(part)))
def test_a_method_of_the_front_says_what_it_does(kind: type, name: str, member: Callable[..., Any]) -> None:
    doc = inspect.getdoc(member)
    assert doc, f"{kind.__name__}.{name}"
    first = doc.splitlines()[0]
    assert first[0].isupper()
    assert first.rstrip().endswith((".", "?", ":")), first


@pytest.mark.parametrize(("kind", "name", "member"), METHODS, ids=lambda part: getattr(part, "__name__", str(part)))
def test_its_types_are_written_out(kind: type, name: str, member: Callable[..., Any]) -> None:
    parameters = list(inspect.signature(member).parameters.values())[1:]
    assert [parameter.name for parameter in parameters if parameter.annotation is inspect.Parameter.empty] == []
    assert inspect.signature(member).return_annotation is not inspect.Signature.empty


def test_a_described_argument_is_one() -> None:
    for _, name, member in METHODS:
        doc = inspect.getdoc(member) or ""
        lines = doc.partition("Args:\n")[2].partition("\n\n")[0].splitlines()
        described = {line.split(":")[0].strip() for line in lines if line.startswith("    ") and ":" in line}
        assert described <= set(inspect.signature(member).parameters), name


@pytest.mark.parametrize("name", iris_memory.__all__)
def test_an_exported_name_is_there_and_says_what_it_is(name: str) -> None:
    member = getattr(iris_memory, name)
    if inspect.isclass(member) or inspect.isfunction(member):
        assert inspect.getdoc(member)


def test_the_front_door_is_sorted_and_names_what_it_imports() -> None:
    assert list(iris_memory.__all__) == sorted(iris_memory.__all__)
    tree = ast.parse(Path(iris_memory.__file__).read_text(encoding="utf-8"))
    named = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert named - {"TYPE_CHECKING", "__getattr__"} == set(iris_memory.__all__)
    assert set(HOMES) == set(iris_memory.__all__)


def test_a_name_that_the_front_door_does_not_have_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        getattr(iris_memory, "Nobody")  # noqa: B009 - a type checker knows that it is not there
