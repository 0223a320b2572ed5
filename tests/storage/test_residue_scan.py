"""The residue scan finds every pattern, says none of them, and only runs in a process of its own."""

from __future__ import annotations

import base64
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_memory.errors import StorageError
from iris_memory.storage import residue, residue_scan
from iris_memory.storage.residue import PROGRAM, SHORTEST, SubprocessScanner


def test_hits_are_counted_per_label_over_files(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"...canary-1...canary-2...canary-1")
    (tmp_path / "two").write_bytes(b"canary-2" + bytes(100))
    (tmp_path / "empty").touch()
    patterns = [
        ("text", b"canary-1"),
        ("text", b"canary-2"),
        ("other", b"canary-2"),
        ("absent", b"canary-3"),
        ("short", b"can"),
    ]
    files = [tmp_path / name for name in ("one", "two", "empty", "vanished")]
    report = SubprocessScanner().scan(files, patterns)
    assert (report.files, report.size) == (3, 33 + 108)
    assert (report.patterns, report.too_short) == (5, 1)
    assert report.found == {"text": 4, "other": 2}
    assert not report.is_clean
    assert SubprocessScanner().scan(files, patterns[3:4]).is_clean


def test_nothing_to_look_for_is_clean(tmp_path: Path) -> None:
    assert SubprocessScanner().scan([], []).is_clean
    (tmp_path / "one").write_bytes(b"bytes")
    assert SubprocessScanner().scan([tmp_path / "one"], [("short", b"byte")]).too_short == 1


@pytest.mark.parametrize("at", [-20, -8, -1, 0, 1, 8])
def test_a_pattern_across_two_blocks_is_found_once(tmp_path: Path, at: int) -> None:
    block = residue_scan.BLOCK
    content = bytearray(block * 2 + 100)
    content[block + at : block + at + 12] = b"canary-block"
    (tmp_path / "large").write_bytes(content)
    patterns = [("hit", b"canary-block"), ("long", b"x" * 50_000)]
    assert SubprocessScanner().scan([tmp_path / "large"], patterns).found == {"hit": 1}


def test_the_patterns_are_no_argument_and_the_answer_holds_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of processes shows arguments to everybody on the machine."""
    (tmp_path / "one").write_bytes(b"canary-secret")
    seen: list[Any] = []
    real = subprocess.run

    def run(command: list[str], **options: Any) -> Any:
        done = real(command, **options)
        seen.append((command, done.stdout, done.stderr))
        return done

    monkeypatch.setattr(residue.subprocess, "run", run)
    assert SubprocessScanner().scan([tmp_path / "one"], [("text", b"canary-secret")]).found == {"text": 1}
    assert all(word not in str(seen) for word in ("canary", base64.b64encode(b"canary-secret").decode()))


@pytest.mark.parametrize("python", ["/does/not/exist", "/bin/false"])
def test_a_scan_that_did_not_happen_is_an_error(python: str, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="residue scan"):
        SubprocessScanner(python=python).scan([tmp_path], [("text", b"canary-secret")])


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="residue scan"):
        SubprocessScanner().scan([tmp_path], [("text", b"canary-secret")])


def test_a_scan_that_takes_too_long_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="did not end"):
        SubprocessScanner(seconds=0.001).scan([], [])


def test_an_in_process_scan_is_refused() -> None:
    """Imported or run by its path, it makes no difference: where SQLite or Iris is loaded, nothing is opened."""
    order = {"files": ["/dev/null"], "patterns": [], "shortest": SHORTEST}
    with pytest.raises(RuntimeError, match="process of its own"):
        residue_scan.scan(order)
    with pytest.raises(RuntimeError, match="process of its own"):
        runpy.run_path(str(PROGRAM))["scan"](order)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the system's list of POSIX locks")
@pytest.mark.parametrize("in_process", [True, False])
def test_why_another_process_is_needed(tmp_path: Path, *, in_process: bool) -> None:
    """Opening and closing the store's file here drops the lock that keeps others from replacing the log under us."""
    script = """
import os, subprocess, sys
from pathlib import Path
from iris_memory.storage.residue import SubprocessScanner
from iris_memory.storage.sqlite import SqliteStore

path = Path(sys.argv[1])
store = SqliteStore(path, create=True)
store.write(lambda tx: tx.bump("acme", "p"))

def locks():
    inode = path.stat().st_ino
    held = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    return sum(line[4] == str(os.getpid()) and line[5].endswith(f":{inode}") for line in held if line[1] == "POSIX")

before = locks()
if sys.argv[2] == "True":
    path.open("rb").close()
else:
    SubprocessScanner().scan(store.files(), [("text", b"canary-secret")])
print(before, locks())
"""
    command = [sys.executable, "-c", script, str(tmp_path / "store.db"), str(in_process)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    before, after = map(int, done.stdout.split())
    assert before > 0
    assert after == (0 if in_process else before)


@settings(max_examples=150, deadline=None)
@given(
    data=st.lists(st.sampled_from([b"a", b"b", b"ab", b"aab", b"\x00", b"xyzzy!"]), max_size=300).map(b"".join),
    patterns=st.sets(st.lists(st.sampled_from([b"a", b"b", b"\x00", b"xyzzy!"]), min_size=4).map(b"".join), min_size=1),
)
def test_the_table_finds_what_a_plain_search_finds(data: bytes, patterns: set[bytes]) -> None:
    found = residue_scan.finder(patterns)(data)
    assert sorted(found) == sorted(residue_scan._find_plainly(data, list(patterns)))


def test_without_numpy_the_result_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"..canary-1..canary-22..canary-1" * 3
    patterns = {b"canary-1", b"canary-22", b"absent-1"}
    fast = sorted(residue_scan.finder(patterns)(data))
    monkeypatch.setattr(residue_scan, "numpy", None)
    assert sorted(residue_scan.finder(patterns)(data)) == fast
    assert len(fast) == 9
