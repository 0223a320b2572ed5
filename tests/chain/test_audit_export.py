"""LOG-6: the export file, everything in it that is not what the format says, and how far a report goes."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import iris_memory.chain.verify as verifier
from iris_memory.chain.canonical import canonical
from iris_memory.chain.checkpoint import Checkpoint, Signer, sign_checkpoint, tenant_origin
from iris_memory.chain.export import ExportHeader, KeyPeriod, export_lines
from iris_memory.chain.findings import Finding, Problem
from iris_memory.chain.link import Head, genesis, link
from iris_memory.chain.verify import MAX_PROBLEMS, verify_export, verify_lines
from iris_memory.errors import ChainError

KEY = Signer("iris-memory/audit", bytes(32))
STRANGER = Signer("iris-memory/audit", bytes(range(32)))
TENANT = "acme / \u00fc"


def log(length: int, *, start: int = 1_000) -> tuple[list[bytes], list[Head]]:
    head, lines, heads = genesis(TENANT), [], [genesis(TENANT)]
    for number in range(length):
        line, head = link(head, {"action": "memory.written", "note": "two words\n" * (number % 2)}, at=start + number)
        lines.append(line)
        heads.append(head)
    return lines, heads


LINES, HEADS = log(5)


def note(head: Head, *, signer: Signer = KEY) -> str:
    return sign_checkpoint(Checkpoint(tenant_origin(TENANT), head.size, head.frontier.root()), signer=signer)


def header(*notes: str, keys: tuple[KeyPeriod, ...] = (KeyPeriod(KEY.verifier),)) -> ExportHeader:
    return ExportHeader(TENANT, keys, notes)


def found(first: ExportHeader, lines: list[bytes] = LINES, **more: Any) -> list[tuple[Finding, int | None]]:
    report = verify_export(export_lines(first, events=lines), **more)
    assert report.ok is (not report.problems)
    return [(problem.code, problem.sequence) for problem in report.problems]


def test_the_file_is_what_the_format_says() -> None:
    first, *rest = export_lines(header(note(HEADS[5]), keys=(KeyPeriod(KEY.verifier, 2, 9),)), events=LINES)
    assert json.loads(first) == {
        "format": "iris-audit-export",
        "version": 1,
        "tenant_id": TENANT,
        "keys": [{"vkey": KEY.verifier.vkey, "from_size": 2, "until_size": 9}],
        "checkpoints": [note(HEADS[5])],
    }
    assert first == canonical(json.loads(first)) + b"\n"
    assert rest == [line + b"\n" for line in LINES]


@given(st.booleans())
def test_the_last_newline_may_be_missing(stripped: bool) -> None:
    export = b"".join(export_lines(header(note(HEADS[5])), events=LINES))
    report = verify_export((export[:-1] if stripped else export).splitlines(keepends=not stripped))
    assert report.ok
    assert report.root == HEADS[5].frontier.root().hex()


@pytest.mark.parametrize(
    "change",
    [
        lambda fields: {**fields, "format": "another"},
        lambda fields: {**fields, "version": 2},
        lambda fields: {**fields, "version": True},
        lambda fields: {**fields, "extra": 1},
        lambda fields: {key: value for key, value in fields.items() if key != "keys"},
        lambda fields: {**fields, "tenant_id": ""},
        lambda fields: {**fields, "tenant_id": 1},
        lambda fields: {**fields, "tenant_id": "\ud800"},
        lambda fields: {**fields, "keys": None},
        lambda fields: {**fields, "keys": ["vkey"]},
        lambda fields: {**fields, "keys": [{**fields["keys"][0], "vkey": "name"}]},
        lambda fields: {**fields, "keys": [{**fields["keys"][0], "vkey": 1}]},
        lambda fields: {**fields, "keys": [{**fields["keys"][0], "from_size": -1}]},
        lambda fields: {**fields, "keys": [{**fields["keys"][0], "from_size": 2**53}]},
        lambda fields: {**fields, "keys": [{**fields["keys"][0], "until_size": True}]},
        lambda fields: {**fields, "keys": [{**fields["keys"][0], "until_size": 1.0}]},
        lambda fields: {**fields, "keys": [{**fields["keys"][0], "more": 1}]},
        lambda fields: {**fields, "checkpoints": [1]},
        lambda fields: {**fields, "checkpoints": "notes"},
        lambda fields: [fields],
        lambda fields: None,
    ],
)
def test_a_bad_header_ends_the_reading(change: Any) -> None:
    fields = change(json.loads(header(note(HEADS[5])).to_line()))
    line = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    assert_bad_header(line)


@pytest.mark.parametrize("line", [b"", b"\n", b"{", b"\xff", b"\xef\xbb\xbf{}", b"[" * 100_000, LINES[0]])
def test_what_is_no_header_ends_the_reading(line: bytes) -> None:
    assert_bad_header(line)


def test_a_header_has_one_spelling() -> None:
    line = header().to_line()
    assert ExportHeader.from_line(line) == header()
    assert_bad_header(line.replace(b",", b", ", 1))
    assert_bad_header(line + b"\r")


def assert_bad_header(line: bytes) -> None:
    report = verify_export([line, *LINES])
    assert not report.ok
    assert report.problems == (Problem(Finding.BAD_HEADER, None, 1),)
    assert report.tenant_id is None
    with pytest.raises(ChainError):
        ExportHeader.from_line(line)


def test_an_empty_file_has_no_header() -> None:
    assert [problem.code for problem in verify_export([]).problems] == [Finding.BAD_HEADER]


def test_an_empty_log_needs_no_checkpoint() -> None:
    assert found(header(), []) == []
    assert found(header(note(HEADS[0])), []) == []


def test_checkpoints_that_cannot_be_believed() -> None:
    last = note(HEADS[5])
    assert found(header(last)) == []
    assert found(header()) == [(Finding.UNSIGNED_TAIL, 1)]
    assert found(header(note(HEADS[3]))) == [(Finding.UNSIGNED_TAIL, 4)]
    assert found(header("garbage", last)) == [(Finding.BAD_CHECKPOINT, None)]
    assert found(header(last, note(HEADS[3]))) == [(Finding.BAD_CHECKPOINT, None)]
    assert found(header(last, last)) == []
    assert found(header(note(HEADS[3], signer=STRANGER), last)) == [(Finding.UNKNOWN_KEY, 3)]
    assert found(header(note(HEADS[3]).replace("\n3\n", "\n2\n"), last)) == [(Finding.BAD_SIGNATURE, 2)]
    assert found(header(last, keys=())) == [(Finding.UNKNOWN_KEY, 5), (Finding.UNSIGNED_TAIL, 1)]
    assert found(header(last), trusted_keys=()) == [(Finding.UNKNOWN_KEY, 5), (Finding.UNSIGNED_TAIL, 1)]
    assert found(header(last), trusted_keys=[KeyPeriod(KEY.verifier, 0, 4)])[0] == (Finding.RETIRED_KEY, 5)


def test_anchors_that_cannot_be_believed() -> None:
    first = header(note(HEADS[5]))
    assert found(first, anchors=[note(HEADS[2]), note(HEADS[5]), note(HEADS[0])]) == []
    assert found(first, anchors=["garbage"]) == [(Finding.BAD_CHECKPOINT, None)]
    assert found(first, anchors=[note(HEADS[2], signer=STRANGER)]) == [(Finding.UNKNOWN_KEY, 2)]
    assert found(header(), anchors=[note(HEADS[5])]) == []


def test_two_keys_on_one_checkpoint_are_both_looked_at() -> None:
    ours, theirs = note(HEADS[5]), note(HEADS[5], signer=STRANGER)
    both = ours + theirs.rpartition("\n\n")[2]
    retired = (KeyPeriod(STRANGER.verifier, 0, 1), KeyPeriod(KEY.verifier))
    assert found(header(both, keys=retired)) == []
    bad = ours + note(HEADS[4], signer=STRANGER).rpartition("\n\n")[2]
    assert found(header(bad, keys=retired))[0] == (Finding.BAD_SIGNATURE, 5)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"garbage",
        b"{}",
        b"[]",
        b"1",
        b"\xff",
        b"[" * 100_000,
        LINES[2] + b" ",
        LINES[2] + b"{}",
        b" " + LINES[2],
        LINES[2] + b"\r",
        LINES[2].replace(b'"sequence":3,', b""),
        LINES[2].replace(b'"sequence":3', b'"sequence":true'),
        LINES[2].replace(b'"sequence":3', b'"sequence":3.0'),
        LINES[2].replace(b'"sequence":3', b'"sequence":"3"'),
        LINES[2].replace(b'"sequence":3', b'"sequence":0'),
        LINES[2].replace(b'"sequence":3', b'"sequence":' + b"9" * 5_000),
        LINES[2].replace(b'"at":1002', b'"at":-1'),
        LINES[2].replace(b'"at":1002', b'"at":1002.0'),
        LINES[2].replace(b'"record_version":1', b'"record_version":2'),
        LINES[2].replace(b'"record_version":1', b'"record_version":true'),
        LINES[2].replace(b'"tenant_id":"', b'"tenant_id":1,"x":"'),
        LINES[2].replace(HEADS[2].previous.hex().encode(), HEADS[2].previous.hex().upper().encode()),
        LINES[2].replace(HEADS[2].previous.hex().encode(), HEADS[2].previous.hex().encode()[:-2]),
        LINES[2].replace(b'"previous":"', b'"previous":null,"x":"'),
    ],
)
def test_a_line_without_its_fields_is_left_out(line: bytes) -> None:
    lines = [*LINES[:2], line, *LINES[2:]]
    report = verify_export(export_lines(header(note(HEADS[5])), events=lines))
    assert report.problems == (Problem(Finding.UNREADABLE_LINE, None, 4),)
    assert (report.events, report.size, report.covered) == (6, 5, 5)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"at":1002', b'"at": 1002'),
        (b'"action":"memory.written","at":1002', b'"at":1002,"action":"memory.written"'),
        (b'"at":1002', b'"at":1002,"at":1002'),
        (b"memory", b"\\u006demory"),
        (b'"note":""', b'"note":1.0'),
        (b'"note":""', b'"note":-0'),
        (b'"note":""', b'"note":9007199254740992'),
        (b'"note":""', b'"note":NaN'),
        (b'"note":""', b'"note":"\\ud800"'),
        (b'"note":""', b'"note":' + b"[" * 300 + b" " + b"]" * 300),
    ],
)
def test_a_line_in_another_form_is_not_canonical(old: bytes, new: bytes) -> None:
    assert old in LINES[2]
    lines = [*LINES[:2], LINES[2].replace(old, new), *LINES[3:]]
    problems = found(header(note(HEADS[5])), lines)
    assert problems[:2] == [(Finding.NOT_CANONICAL, 3), (Finding.EDITED_LINE, 3)]


def test_a_writer_that_is_not_canonical_is_found_though_all_links_hold() -> None:
    head, lines = HEADS[0], []
    for line in LINES:
        fields = {**json.loads(line), "previous": head.previous.hex()}
        odd = json.dumps(fields).encode()
        frontier = head.frontier.append(verifier.leaf_hash(odd))
        head = Head(TENANT, head.size + 1, verifier.leaf_hash(odd), frontier, 0)
        lines.append(odd)
    assert found(header(note(head)), lines) == [(Finding.NOT_CANONICAL, sequence) for sequence in range(1, 6)]


def test_time_runs_forward() -> None:
    head, lines = HEADS[0], []
    for at in (5, 5, 9, 4, 4):
        line, head = link(Head(TENANT, head.size, head.previous, head.frontier, 0), {}, at=at)
        lines.append(line)
    assert found(header(note(head)), lines) == [(Finding.TIME_REVERSED, 4)]


def test_a_report_is_bounded() -> None:
    many, heads = log(400)
    garbage = [part for line in many for part in (line, b"garbage")]
    edits = [line.replace(b"written", b"forged") for line in many]
    foreign = [line.replace(b"acme", b"ecma") for line in many]
    for lines in (garbage, edits, foreign, many[::-1], [b""] * 400, [many[0]] * 400):
        report = verify_export(export_lines(header(note(heads[400])), events=lines))
        assert not report.ok
        assert 0 < len(report.problems) <= MAX_PROBLEMS
        assert report.events == len(lines)
        _, problems = verify_lines(lines, tenant_id=TENANT)
        assert 0 < len(problems) <= MAX_PROBLEMS


def test_checkpoints_may_lie_anywhere() -> None:
    many, heads = log(2_100)
    sizes = [0, 1, 2, 3, 1023, 1024, 1025, 2047, 2048, 2049, 2100]
    assert found(header(*(note(heads[size]) for size in sizes)), many) == []


@given(
    st.lists(st.integers(0, 11) | st.binary(max_size=8), max_size=24),
    st.lists(st.tuples(st.sampled_from([b'"', b"1", b"0", b",", b"{", b"a"]), st.integers(0, 300)), max_size=3),
)
def test_no_file_breaks_the_verifier(picks: list[int | bytes], scratches: list[tuple[bytes, int]]) -> None:
    """Lines in any order and number, some scratched: there is a verdict, and it is clean for the log alone."""
    many, heads = log(12)
    lines = [many[pick] if isinstance(pick, int) else pick for pick in picks]
    for number, (scratch, at) in enumerate(scratches):
        if number < len(lines):
            lines[number] = lines[number][:at] + scratch + lines[number][at + 1 :]
    size = min(len(lines), 12)
    report = verify_export(export_lines(header(note(heads[size])), events=lines))
    assert report.ok is (lines == many[:size])
    head, problems = verify_lines(lines, tenant_id=TENANT)
    assert head.frontier.root().hex() == report.root
    assert [problem.code for problem in problems] == [
        problem.code for problem in report.problems if problem.line is not None
    ]


def test_the_verifier_is_small_and_needs_no_store() -> None:
    source = Path(verifier.__file__)
    assert len(source.read_text().splitlines()) < 400
    allowed = {"__future__", "base64", "binascii", "collections", "cryptography", "dataclasses", "enum", "hashlib"}
    allowed |= {"hmac", "itertools", "json", "re", "typing", "urllib"}
    for module in source.parent.glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                ours = name == "iris_memory.errors" or name.startswith("iris_memory.chain.")
                assert ours or name.partition(".")[0] in allowed, (module.name, name)
