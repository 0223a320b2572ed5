"""LOG-4: every act against a log is reported under its own code, and first.

Each act is tried at every place of a short log and at random places of longer ones, in up to three strengths: as it
is, with the sequences of all later lines put right (`renumbered`), and with every later line linked anew (`relinked`),
which no chain can show and every checkpoint does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.chain.canonical import canonical
from iris_memory.chain.checkpoint import Checkpoint, Signer, sign_checkpoint, tenant_origin
from iris_memory.chain.export import ExportHeader, KeyPeriod, export_lines
from iris_memory.chain.findings import Finding, Problem
from iris_memory.chain.link import RESERVED, genesis, link
from iris_memory.chain.merkle import Frontier, leaf_hash
from iris_memory.chain.tampering import Line, Run, diagnose
from iris_memory.chain.verify import Report, verify_export, verify_lines

OLD = Signer("iris-memory/audit/old", bytes(range(32)))
NEW = Signer("iris-memory/audit/new", bytes(range(1, 33)))
ROTATED_AT = 3
PERIODS = (KeyPeriod(OLD.verifier, 0, ROTATED_AT), KeyPeriod(NEW.verifier, ROTATED_AT, None))
SHORT = 9

Log = list[bytes]


def written(length: int, *, tenant_id: str = "acme") -> Log:
    """An honest log. Every third line has the time of the one before it."""
    head, lines = genesis(tenant_id), []
    for number in range(length):
        body = {"action": "memory.written", "object_id": f"{tenant_id}-{number}", "count": number % 3}
        line, head = link(head, body, at=1_000_000 + 7 * (number - number % 3))
        lines.append(line)
    return lines


def signed(lines: Sequence[bytes], *sizes: int, signer: Signer | None = None, tenant_id: str = "acme") -> list[str]:
    """Checkpoints of the log at these sizes, by the key in use unless another is named."""
    notes = []
    for size in sizes:
        root = Frontier().extend(map(leaf_hash, lines[:size])).root()
        key = signer or (OLD if size <= ROTATED_AT else NEW)
        notes.append(sign_checkpoint(Checkpoint(tenant_origin(tenant_id), size, root), signer=key))
    return notes


def report(lines: Sequence[bytes], notes: Sequence[str], **more: Any) -> Report:
    export = export_lines(ExportHeader("acme", PERIODS, tuple(notes)), events=lines)
    return verify_export(export, **more)


def codes(found: Report) -> list[Finding]:
    return [problem.code for problem in found.problems]


def changed(line: bytes, **fields: Any) -> bytes:
    return canonical({**json.loads(line), **fields})


def renumbered(lines: Log) -> Log:
    return [changed(line, sequence=sequence) for sequence, line in enumerate(lines, 1)]


def relinked(lines: Log) -> Log:
    """The bodies of the lines in a log that is written anew, as its own writer would."""
    head, anew = genesis("acme"), []
    for line in lines:
        fields = json.loads(line)
        body = {key: value for key, value in fields.items() if key not in RESERVED}
        line, head = link(head, body, at=fields["at"])
        anew.append(line)
    return anew


def edited(lines: Log, at: int) -> Log:
    return [*lines[:at], changed(lines[at], object_id="forged"), *lines[at + 1 :]]


def deleted(lines: Log, at: int, count: int = 1) -> Log:
    return lines[:at] + lines[at + count :]


def inserted(lines: Log, at: int, *, previous: str | None = None) -> Log:
    """A forged line, well linked to the one before it unless another link is given."""
    before = leaf_hash(lines[at - 1]).hex() if at else "0" * 64
    forged = changed(lines[at - 1 if at else 0], object_id="forged", sequence=at + 1, previous=previous or before)
    return [*lines[:at], forged, *lines[at:]]


def swapped(lines: Log, at: int, other: int) -> Log:
    lines = list(lines)
    lines[at], lines[other] = lines[other], lines[at]
    return lines


def replayed(lines: Log, source: int, at: int) -> Log:
    return [*lines[:at], lines[source], *lines[at:]]


def assert_first(lines: Log, honest: Log, code: Finding, sequence: int | None = None) -> None:
    """The act is reported first under its code, by the export verifier and by the online one alike."""
    found = report(lines, signed(honest, ROTATED_AT, len(honest)))
    assert not found.ok
    assert codes(found)[0] == code
    if sequence is not None:
        assert found.problems[0].sequence == sequence
    _, online = verify_lines(lines, tenant_id="acme")
    assert online[0] == Problem(code, found.problems[0].sequence, (found.problems[0].line or 0) - 1)


def acts(length: int) -> Iterator[tuple[str, Finding, int, Log]]:
    """Every act at every place of a log of this length: name, code, the sequence it is about, and the log after it."""
    lines = written(length)
    for at in range(length):
        if at < length - 1:  # an edit of the last line breaks no link: see the checkpoints
            yield f"edit {at}", Finding.EDITED_LINE, at + 1, edited(lines, at)
            yield f"delete {at}", Finding.DELETED_LINE, at + 1, deleted(lines, at)
            yield f"swap {at}", Finding.SWAPPED_LINES, at + 2, swapped(lines, at, at + 1)
        if at < length - 2:  # with one line left after it, a renumbered gap looks like an edit
            yield f"delete {at} renumbered", Finding.DELETED_LINE, at + 1, renumbered(deleted(lines, at))
        for count in range(2, length - at):
            yield f"delete {at} x{count}", Finding.DELETED_LINE, at + 1, deleted(lines, at, count)
            if at < length - count - 1:
                gone = renumbered(deleted(lines, at, count))
                yield f"delete {at} x{count} renumbered", Finding.DELETED_LINE, at + 1, gone
        for link_name, previous in [("well", None), ("badly", "ab" * 32), ("to the first", leaf_hash(lines[0]).hex())]:
            forged = inserted(lines, at, previous=previous)
            if at == 1 and link_name == "to the first":
                continue  # which is well linked
            yield f"insert {at} linked {link_name}", Finding.INSERTED_LINE, at + 1, forged
            yield f"insert {at} linked {link_name} renumbered", Finding.INSERTED_LINE, at + 1, renumbered(forged)
        for other in range(at + 1, length):
            mixed = swapped(lines, at, other)
            yield f"swap {at} {other}", Finding.SWAPPED_LINES, other + 1, mixed
            yield f"swap {at} {other} renumbered", Finding.SWAPPED_LINES, at + 1, renumbered(mixed)
        for place in range(length + 1):
            yield f"replay {at} at {place}", Finding.REPLAYED_LINE, at + 1, replayed(lines, at, place)
            if place > at:
                copy = renumbered(replayed(lines, at, place))
                yield f"replay {at} at {place} renumbered", Finding.REPLAYED_LINE, place + 1, copy


def test_an_honest_log_is_clean() -> None:
    for length in range(SHORT + 1):
        lines = written(length)
        found = report(lines, signed(lines, *range(length + 1)), anchors=signed(lines, *range(length + 1)))
        assert found.ok
        assert found.problems == ()
        assert (found.tenant_id, found.events, found.size, found.covered) == ("acme", length, length, length)
        assert found.root == Frontier().extend(map(leaf_hash, lines)).root().hex()
        head, problems = verify_lines(lines, tenant_id="acme")
        assert not problems
        assert head.frontier.root().hex() == found.root


@pytest.mark.parametrize(
    ("code", "sequence", "lines"),
    [pytest.param(code, sequence, lines, id=name) for name, code, sequence, lines in acts(SHORT)],
)
def test_every_act_at_every_place(code: Finding, sequence: int, lines: Log) -> None:
    assert_first(lines, written(SHORT), code, sequence)


@pytest.mark.parametrize("is_renumbered", [False, True])
def test_one_act_is_one_problem(is_renumbered: bool) -> None:
    lines = written(20)
    for at in range(17):
        for code, tampered in [
            (Finding.EDITED_LINE, edited(lines, at)),
            (Finding.DELETED_LINE, deleted(lines, at)),
            (Finding.INSERTED_LINE, inserted(lines, at)),
            (Finding.INSERTED_LINE, inserted(lines, at, previous="ab" * 32)),
            (Finding.REPLAYED_LINE, replayed(lines, at, at + 2)),
        ]:
            _, problems = verify_lines(renumbered(tampered) if is_renumbered else tampered, tenant_id="acme")
            assert [problem.code for problem in problems] == [code]


def test_two_acts_are_two_problems() -> None:
    lines = written(30)
    pairs = [
        (Finding.EDITED_LINE, edited),
        (Finding.DELETED_LINE, deleted),
        (Finding.INSERTED_LINE, inserted),
        (Finding.SWAPPED_LINES, lambda log, at: swapped(log, at, at + 1)),
        (Finding.REPLAYED_LINE, lambda log, at: replayed(log, at, at + 2)),
    ]
    for late, act in pairs:
        for early, other in pairs:
            _, problems = verify_lines(other(act(lines, 20), 5), tenant_id="acme")
            assert [problem.code for problem in problems] == [early, late]


@given(st.data())
def test_every_act_at_a_random_place(data: st.DataObject) -> None:
    lines = written(data.draw(st.integers(6, 60)))
    last = len(lines) - 1
    at = data.draw(st.integers(0, last - 3))
    other = data.draw(st.integers(at + 1, last))
    count = data.draw(st.integers(1, min(12, last - at - 1)))
    code, tampered = data.draw(
        st.sampled_from(
            [
                (Finding.EDITED_LINE, edited(lines, at)),
                (Finding.DELETED_LINE, deleted(lines, at, count)),
                (Finding.INSERTED_LINE, inserted(lines, at)),
                (Finding.INSERTED_LINE, inserted(lines, at, previous="00" * 31 + "01")),
                (Finding.SWAPPED_LINES, swapped(lines, at, other)),
                (Finding.REPLAYED_LINE, replayed(lines, at, other)),
            ]
        )
    )
    if data.draw(st.booleans()):
        tampered = renumbered(tampered)
    assert_first(tampered, lines, code)
    place, half = other if code == Finding.REPLAYED_LINE else at, len(lines) // 2
    anew = report(relinked(tampered), signed(lines, ROTATED_AT, half))
    assert codes(anew)[0] == (Finding.ROOT_MISMATCH if place < half else Finding.UNSIGNED_TAIL)


@pytest.mark.parametrize("at", range(SHORT))
def test_a_log_linked_anew_meets_its_checkpoints(at: int) -> None:
    lines = written(SHORT)
    notes = signed(lines, ROTATED_AT, SHORT)
    found = report(relinked(edited(lines, at)), notes)
    wrong = [size for size in (ROTATED_AT, SHORT) if size > at]
    assert [(problem.code, problem.sequence) for problem in found.problems] == [
        (Finding.ROOT_MISMATCH, size) for size in wrong
    ]
    assert found.covered == max({0, ROTATED_AT} - set(wrong))


def test_an_edit_of_the_last_line_meets_the_checkpoint() -> None:
    lines = written(SHORT)
    assert codes(report(edited(lines, SHORT - 1), signed(lines, SHORT))) == [Finding.ROOT_MISMATCH]


@pytest.mark.parametrize("cut", range(1, SHORT + 1))
def test_a_cut_tail_is_reported(cut: int) -> None:
    lines = written(SHORT)
    found = report(lines[:-cut], signed(lines, SHORT))
    assert [(problem.code, problem.sequence) for problem in found.problems] == [
        (Finding.TRUNCATED_TAIL, SHORT - cut + 1)
    ]


@pytest.mark.parametrize("cut", range(1, SHORT + 1))
def test_a_rolled_back_store_meets_its_anchor(cut: int) -> None:
    lines = written(SHORT)
    older = lines[:-cut]
    notes = signed(older, len(older))
    assert report(older, notes).ok
    assert codes(report(older, notes, anchors=signed(lines, SHORT))) == [Finding.TRUNCATED_TAIL]


def test_another_history_meets_its_anchor() -> None:
    lines = written(SHORT)
    other = relinked(edited(lines, 2))
    notes = signed(other, ROTATED_AT, SHORT)
    assert report(other, notes).ok
    found = report(other, notes, anchors=signed(lines, 2, 5, 7))
    assert [(problem.code, problem.sequence) for problem in found.problems] == [
        (Finding.ANCHOR_NOT_ANCESTOR, 5),
        (Finding.ANCHOR_NOT_ANCESTOR, 7),
    ]


def test_a_log_signed_again_with_a_retired_key_is_reported() -> None:
    lines = written(SHORT)
    other = relinked(edited(lines, 1))
    found = report(other, signed(other, ROTATED_AT, SHORT, signer=OLD))
    assert codes(found)[0] == Finding.RETIRED_KEY
    assert found.problems[0].sequence == SHORT
    early = report(lines, signed(lines, ROTATED_AT - 1, signer=NEW) + signed(lines, SHORT))
    assert codes(early) == [Finding.RETIRED_KEY]


def test_a_retired_key_cannot_be_brought_back_by_the_header() -> None:
    other = relinked(edited(written(SHORT), 1))
    notes = tuple(signed(other, SHORT, signer=OLD))
    export = list(export_lines(ExportHeader("acme", (KeyPeriod(OLD.verifier),), notes), events=other))
    assert verify_export(export).ok  # vouched for by nothing but itself
    assert verify_export(export).self_declared
    found = verify_export(export, trusted_keys=PERIODS)
    assert not found.self_declared
    assert codes(found) == [Finding.RETIRED_KEY, Finding.UNSIGNED_TAIL]


@pytest.mark.parametrize("at", range(SHORT))
def test_a_line_of_another_tenant_is_reported(at: int) -> None:
    lines, foreign = written(SHORT), written(SHORT, tenant_id="globex")
    put_in = [*lines[:at], foreign[at], *lines[at:]]
    found = report(put_in, signed(lines, SHORT))
    assert [(problem.code, problem.sequence, problem.line) for problem in found.problems] == [
        (Finding.CROSS_TENANT_LINE, at + 1, at + 2)
    ]
    assert (found.events, found.size) == (SHORT + 1, SHORT)
    replaced = [*lines[:at], foreign[at], *lines[at + 1 :]]
    missing = Finding.DELETED_LINE if at < SHORT - 1 else Finding.TRUNCATED_TAIL
    assert codes(report(replaced, signed(lines, SHORT)))[:2] == [Finding.CROSS_TENANT_LINE, missing]


def test_a_checkpoint_of_another_tenant_is_refused() -> None:
    lines = written(SHORT)
    foreign = signed(lines, SHORT, tenant_id="globex")
    assert codes(report(lines, foreign)) == [Finding.BAD_CHECKPOINT, Finding.UNSIGNED_TAIL]


@pytest.mark.parametrize("field", ["at", "sequence", "previous"])
@pytest.mark.parametrize("at", range(1, SHORT - 1))
def test_an_edited_reserved_field_is_reported(field: str, at: int) -> None:
    lines = written(SHORT)
    fields = json.loads(lines[at])
    value = {"at": fields["at"] + 1, "sequence": fields["sequence"] + 40, "previous": "ab" * 32}[field]
    tampered = [*lines[:at], changed(lines[at], **{field: value}), *lines[at + 1 :]]
    assert set(codes(report(tampered, signed(lines, 0)))) <= {
        Finding.EDITED_LINE,
        Finding.TIME_REVERSED,
        Finding.UNSIGNED_TAIL,
    }
    assert_first(tampered, lines, Finding.EDITED_LINE)


def test_the_acts_have_codes_of_their_own() -> None:
    named = ["edited-line", "deleted-line", "inserted-line", "swapped-lines", "truncated-tail", "replayed-line"]
    assert len({Finding(code) for code in [*named, "retired-key", "cross-tenant-line"]}) == 8


def test_two_lines_with_edited_sequences_are_two_edits() -> None:
    lines = written(SHORT)
    tampered = [*lines[:3], changed(lines[3], sequence=50), changed(lines[4], sequence=70), *lines[5:]]
    _, problems = verify_lines(tampered, tenant_id="acme")
    assert [(problem.code, problem.sequence) for problem in problems] == [
        (Finding.EDITED_LINE, 4),
        (Finding.EDITED_LINE, 5),
    ]


def test_leaf_hashes_are_found_at_their_places_only() -> None:
    """Two tags side by side can hold a third across their border, which is no line."""
    start = Line(0, bytes(32), bytes(32), b"")
    first = Line(1, bytes(32), bytes(7) + b"\x01" + bytes(24), b"{}")
    second = Line(2, first.leaf, b"\x02" * 32, b"{}")
    fork = Line(9, bytes(32), b"\x03" * 32, b'{"no canonical form":1.5}')
    stray = Line(12, b"\x04" * 4 + b"\x05" * 28, b"\x04" * 32, b"{}")
    last = Line(13, stray.leaf, b"\x05" * 32, b"{}")
    tags = b"".join(line.leaf[:8] for line in (start, first, second, fork, stray, last))
    assert tags.rfind(bytes(8), 0, 24) == 7
    assert tags.find(stray.previous[:8], 32) == 36
    runs = [Run(start, second, 0, 0), Run(fork, fork, 3, 3), Run(stray, last, 4, 4)]
    assert diagnose(runs, tags=tags) == [
        Problem(Finding.INSERTED_LINE, 1, 3),
        Problem(Finding.DELETED_LINE, 10, 4),
    ]
