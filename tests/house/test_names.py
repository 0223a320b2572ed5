"""File names say which fact, shape, decision, effect or surface a file is; an `__init__` holds no logic."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from tracked import ROOT, named, tracked

FORBIDDEN = frozenset(
    {
        "utils",
        "util",
        "helpers",
        "helper",
        "common",
        "misc",
        "shared",
        "base",
        "core",
        "engine",
        "manager",
        "managers",
        "service",
        "services",
        "handler",
        "handlers",
        "processor",
        "processors",
        "orchestrator",
        "factory",
        "constants",
        "types",
        "models",
        "schemas",
        "exceptions",
        "main",
    }
)
CODE = tracked(".py")
PACKAGES = [path for path in CODE if path.name == "__init__.py"]


def is_forbidden(stem: str) -> bool:
    plain = stem.removeprefix("test_").strip("_")
    return plain in FORBIDDEN or plain.endswith(("_v2", "_new", "_old")) or plain.startswith(("legacy_", "mock_"))


def has_logic(source: str) -> list[str]:
    """Return the kinds of statements of an `__init__` that are more than imports and what it re-exports.

    Imports may stand under `if TYPE_CHECKING`.
    """
    logic = []
    for place, node in enumerate(ast.parse(source).body):
        is_docstring = place == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_export = isinstance(node, ast.Assign) and [ast.unparse(name) for name in node.targets] == ["__all__"]
        imports = [node]
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            imports = [*node.body, *node.orelse]
        if not (is_docstring or is_export or all(isinstance(one, (ast.Import, ast.ImportFrom)) for one in imports)):
            logic.append(type(node).__name__)
    return logic


def test_there_are_files_to_look_at() -> None:
    assert len(CODE) > 100
    assert len(PACKAGES) > 10


def test_no_file_or_folder_has_a_name_that_says_nothing() -> None:
    parts = {(named(path), part) for path in CODE for part in path.relative_to(ROOT).with_suffix("").parts}
    assert sorted(name for name, part in parts if is_forbidden(part)) == []


@pytest.mark.parametrize("stem", ["utils", "test_helpers", "types", "recall_v2", "legacy_store", "_common"])
def test_a_name_that_says_nothing_is_seen(stem: str) -> None:
    assert is_forbidden(stem)


@pytest.mark.parametrize("path", PACKAGES, ids=named)
def test_a_package_imports_and_exports_and_does_nothing_else(path: Path) -> None:
    assert has_logic(path.read_text(encoding="utf-8")) == []


def test_logic_in_a_package_is_seen() -> None:
    assert has_logic('"""A."""\nfrom a import b\n__all__ = ["b"]\n') == []
    assert has_logic("if TYPE_CHECKING:\n    from a import b\nelse:\n    from c import b\n") == []
    assert has_logic("if TYPE_CHECKING:\n    b = 1\n") == ["If"]
    assert has_logic("import a\nVERSION = a.read()\n") == ["Assign"]
    assert has_logic("def f(): ...\n") == ["FunctionDef"]


def test_every_room_says_what_it_is() -> None:
    silent = [path for path in PACKAGES if "src" in path.parts and not ast.get_docstring(ast.parse(path.read_text()))]
    assert [named(path) for path in silent] == []


def test_no_two_test_modules_share_a_name() -> None:
    names = Counter(path.name for path in CODE if path.relative_to(ROOT).parts[0] == "tests")
    twice = [name for name, count in names.items() if count > 1 and name != "conftest.py"]
    assert twice == []
