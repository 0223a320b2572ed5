"""No file names the host of a package registry or a path of the machine it was written on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tracked import ROOT, named, tracked

# put together here, so that this file names none either
REGISTRIES = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("crates", "io"),
        ("rubygems", "org"),
        ("anaconda", "org"),
        ("proxy", "golang", "org"),
    )
]
_MACHINE = re.compile(r"(?<![\w.~$}/-])/(?:home|Users|root|work|mnt|srv)/[A-Za-z0-9_.-]+")
_REQUIREMENT = re.compile(r"https?:|file:|(?:^|\s)(?:-i|-f|--(?:extra-)?index-url|--find-links)\b", re.MULTILINE)


def texts() -> list[tuple[str, str]]:
    found = []
    for path in tracked():
        try:
            found.append((named(path), path.read_text(encoding="utf-8")))
        except UnicodeDecodeError:
            continue
    return found


def registries_in(text: str) -> list[str]:
    lower = text.casefold()
    return [host for host in REGISTRIES if host in lower]


def test_no_file_names_a_package_registry() -> None:
    assert {name: hosts for name, text in texts() if (hosts := registries_in(text))} == {}


def test_no_file_names_a_path_of_this_machine() -> None:
    here = str(ROOT.resolve())
    found = {name for name, text in texts() if here in text or (_MACHINE.search(text) and not name.endswith("LICENSE"))}
    assert found == set()


@pytest.mark.parametrize("path", sorted((ROOT / "requirements").glob("*.txt")), ids=lambda path: path.name)
def test_a_requirement_file_carries_no_address(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert _REQUIREMENT.search(text) is None
    assert "--hash=sha256:" in text


def test_an_address_is_seen() -> None:
    assert registries_in("see https://" + REGISTRIES[0] + "/simple") == [REGISTRIES[0]]
    assert _MACHINE.search("lies in /" + "home/ada/store")
    assert not _MACHINE.search("https://host/" + "home/ada")
    assert _REQUIREMENT.search("--index-url somewhere\n")
    assert _REQUIREMENT.search("a @ https://host/a.whl\n")
