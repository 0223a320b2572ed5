"""LOG-4: every act against a real chain has its code, in an export and in the database where it lies."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import pytest

from flows.stores import SteppingClock, open_store, person, written
from iris_memory.chain.canonical import canonical
from iris_memory.chain.checkpoint import Checkpoint, Signer, sign_checkpoint, tenant_origin
from iris_memory.chain.findings import Finding
from iris_memory.chain.link import RESERVED, genesis, head_to_bytes, link
from iris_memory.chain.merkle import Frontier, leaf_hash
from iris_memory.chain.verify import verify_export
from iris_memory.errors import StorageError, StoreRolledBackError
from iris_memory.flows.seal import key_periods
from iris_memory.front.iris import Iris

Lines = list[bytes]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed store of two tenants with a dozen events each, sealed twice, and a signing key retired in between."""
    folder = tmp_path_factory.mktemp("tampering") / "memory"
    clock = SteppingClock()
    with open_store(folder, clock=clock) as iris:
        for tenant in ("acme", "other"):
            me = person(iris, tenant=tenant)
            for number in range(4):
                clock.step()
                me.remember(f"Fact {number}")
            iris.flush()
            iris.rotate_signing_key(tenant=tenant)
            for number in range(4, 8):
                clock.step()
                me.remember(f"Fact {number}")
            me.forget(written(me.remember("Gone")).entry.logical_id, scan=False)
    return folder


@pytest.fixture
def copy(model: Path, tmp_path: Path) -> Path:
    return shutil.copytree(model, tmp_path / "memory")


def exported(folder: Path, tenant: str = "acme") -> tuple[bytes, Lines, dict[str, Any]]:
    """The header and events of a tenant's export, and what an auditor kept: keys and the head outside."""
    with open_store(folder, clock=SteppingClock()) as iris:
        header, *lines = (line.removesuffix(b"\n") for line in iris.export_audit(tenant=tenant))
        kept = {
            "trusted_keys": key_periods(iris.instruments, tenant),
            "anchors": [str(iris.instruments.heads.kept(tenant))],
        }
        private = iris.instruments.vault.signing_keys(tenant)[0].private
    return header, lines, {**kept, "old_key": private}


def changed(line: bytes, **fields: Any) -> bytes:
    """The line with other fields."""
    return canonical({**json.loads(line), **fields})


def relinked(lines: Lines, tenant: str = "acme") -> Lines:
    """The bodies of lines in a chain written anew."""
    head, anew = genesis(tenant), []
    for line in lines:
        fields = json.loads(line)
        body = {key: value for key, value in fields.items() if key not in RESERVED}
        new, head = link(head, body, at=fields["at"])
        anew.append(new)
    return anew


def resigned(header: bytes, lines: Lines, key: bytes) -> bytes:
    """The header with one checkpoint over the lines, by a key that was retired."""
    origin = tenant_origin("acme")
    root = Frontier().extend([leaf_hash(line) for line in lines]).root()
    note = sign_checkpoint(Checkpoint(origin, len(lines), root), signer=Signer(origin, key))
    return changed(header, checkpoints=[note])


ACTS: dict[Finding, Callable[[Lines, Lines], Lines]] = {
    Finding.EDITED_LINE: lambda own, other: [*own[:5], changed(own[5], action="memory.refused"), *own[6:]],
    Finding.DELETED_LINE: lambda own, other: [*own[:5], *own[6:]],
    Finding.INSERTED_LINE: lambda own, other: [*own[:5], changed(own[5], action="memory.refused"), *own[5:]],
    Finding.SWAPPED_LINES: lambda own, other: [*own[:5], own[6], own[5], *own[7:]],
    Finding.TRUNCATED_TAIL: lambda own, other: own[:-3],
    Finding.REPLAYED_LINE: lambda own, other: [*own[:7], own[3], *own[7:]],
    Finding.CROSS_TENANT_LINE: lambda own, other: [*own[:5], other[5], *own[6:]],
    Finding.ROOT_MISMATCH: lambda own, other: relinked([*own[:5], changed(own[5], action="memory.refused"), *own[6:]]),
    Finding.UNREADABLE_LINE: lambda own, other: [*own[:5], b"{}", *own[5:]],
    Finding.NOT_CANONICAL: lambda own, other: [*own[:5], own[5].replace(b'":', b'" :', 1), *own[6:]],
}


@pytest.mark.parametrize("code", ACTS, ids=str)
def test_an_export_that_was_tampered_with(code: Finding, copy: Path) -> None:
    header, own, kept = exported(copy)
    _, other, _ = exported(copy, "other")
    known = {name: kept[name] for name in ("trusted_keys", "anchors")}
    assert verify_export([header, *own], **known).ok
    report = verify_export([header, *ACTS[code](own, other)], **known)
    assert not report.ok
    assert report.problems[0].code is code


def test_an_export_signed_anew_with_a_retired_key(copy: Path) -> None:
    header, own, kept = exported(copy)
    forged = relinked([*own[:-1], changed(own[-1], action="memory.refused")])
    report = verify_export(
        [resigned(header, forged, kept["old_key"]), *forged],
        trusted_keys=kept["trusted_keys"],
        anchors=kept["anchors"],
    )
    assert Finding.RETIRED_KEY in {problem.code for problem in report.problems}
    assert Finding.ANCHOR_NOT_ANCESTOR in {problem.code for problem in report.problems}
    stranger = resigned(header, forged, bytes(32))
    codes = {problem.code for problem in verify_export([stranger, *forged], trusted_keys=kept["trusted_keys"]).problems}
    assert Finding.UNKNOWN_KEY in codes


def rows(folder: Path, *statements: tuple[str, tuple[Any, ...]]) -> None:
    """Change the database by other means than Iris."""
    connection = apsw.Connection(str(folder / "data" / "iris.db"))
    with connection:
        for sql, values in statements:
            connection.execute(sql, values)
    connection.close()


ACME = "(SELECT tenant_no FROM tenant WHERE tenant = 'acme')"
LINE = f"SELECT line FROM audit WHERE tenant_no = {ACME} AND sequence = ?"


def line_of(folder: Path, sequence: int) -> bytes:
    """Read one stored line."""
    connection = apsw.Connection(str(folder / "data" / "iris.db"))
    (found,) = connection.execute(LINE, (sequence,)).fetchone()
    connection.close()
    return bytes(found)


def _edit(folder: Path) -> None:
    line = changed(line_of(folder, 6), action="memory.refused")
    rows(folder, (f"UPDATE audit SET line = ? WHERE tenant_no = {ACME} AND sequence = 6", (line,)))


def _delete(folder: Path) -> None:
    rows(folder, (f"DELETE FROM audit WHERE tenant_no = {ACME} AND sequence = 6", ()))


def _delete_and_close_up(folder: Path) -> None:
    """Delete a line and renumber the rows, not what they say."""
    connection = apsw.Connection(str(folder / "data" / "iris.db"))
    later = connection.execute(
        f"SELECT sequence, line FROM audit WHERE tenant_no = {ACME} AND sequence > 6 ORDER BY sequence"
    ).fetchall()
    with connection:
        connection.execute(f"DELETE FROM audit WHERE tenant_no = {ACME} AND sequence >= 6")
        for sequence, line in later:
            connection.execute(f"INSERT INTO audit SELECT {ACME}, ?, ?", (sequence - 1, line))
    connection.close()


def _swap(folder: Path) -> None:
    one, two = line_of(folder, 6), line_of(folder, 7)
    update = f"UPDATE audit SET line = ? WHERE tenant_no = {ACME} AND sequence = ?"
    rows(folder, (update, (two, 6)), (update, (one, 7)))


def _replay(folder: Path) -> None:
    update = f"UPDATE audit SET line = ? WHERE tenant_no = {ACME} AND sequence = ?"
    rows(folder, (update, (line_of(folder, 3), 7)))


def _move(folder: Path) -> None:
    other = "(SELECT line FROM audit JOIN tenant USING (tenant_no) WHERE tenant = 'other' AND sequence = 6)"
    rows(folder, (f"UPDATE audit SET line = {other} WHERE tenant_no = {ACME} AND sequence = 6", ()))


def _append(folder: Path) -> None:
    """Add a line that continues the chain without moving its head."""
    size = len(exported(folder)[1])
    head, forged = genesis("acme"), b""
    for sequence in range(1, size + 1):
        fields = json.loads(line_of(folder, sequence))
        body = {key: value for key, value in fields.items() if key not in RESERVED}
        forged, head = link(head, body, at=fields["at"])
    forged, _ = link(head, {"action": "memory.refused"}, at=head.last_at)
    rows(folder, (f"INSERT INTO audit SELECT {ACME}, ?, ?", (size + 1, forged)))


def _break_head(folder: Path) -> None:
    rows(folder, ("UPDATE tenant SET audit_head = ? WHERE tenant = 'acme'", (b"no head",)))


def _foreign_head(folder: Path) -> None:
    other = "(SELECT audit_head FROM tenant WHERE tenant = 'other')"
    rows(folder, (f"UPDATE tenant SET audit_head = {other} WHERE tenant = 'acme'", ()))


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (_edit, Finding.EDITED_LINE),
        (_delete, Finding.DELETED_LINE),
        (_delete_and_close_up, Finding.DELETED_LINE),
        (_swap, Finding.SWAPPED_LINES),
        (_replay, None),
        (_move, Finding.CROSS_TENANT_LINE),
        (_append, None),
        (_break_head, None),
        (_foreign_head, None),
    ],
    ids=lambda each: getattr(each, "__name__", str(each)),
)
def test_a_chain_that_was_tampered_with_where_it_lies(
    act: Callable[[Path], None], code: Finding | None, copy: Path
) -> None:
    act(copy)
    try:
        iris = open_store(copy, clock=SteppingClock())
    except StorageError:
        return  # noticed already when it was opened
    try:
        report = iris.verify_audit(tenant="acme")
        assert not report.ok
        if code is not None:
            assert code in {problem.code for problem in report.problems}
        assert not all(finding.ok for finding in iris.doctor())
        assert iris.verify_audit(tenant="other").ok
    finally:
        _close(iris)


def _close(iris: Iris) -> None:
    try:
        iris.close()
    except Exception:
        iris.instruments.store.close()


def test_a_cut_chain_with_a_head_to_match_is_seen_by_the_head_outside(copy: Path) -> None:
    """Whoever cuts the tail, mends the head and drops the checkpoints leaves a chain that verifies by itself."""
    _, own, _ = exported(copy)
    head = genesis("acme")
    for line in own[:-3]:
        fields = json.loads(line)
        body = {key: value for key, value in fields.items() if key not in RESERVED}
        _, head = link(head, body, at=fields["at"])
    rows(
        copy,
        (f"DELETE FROM audit WHERE tenant_no = {ACME} AND sequence > ?", (head.size,)),
        (f"DELETE FROM checkpoint WHERE tenant_no = {ACME} AND size > ?", (head.size,)),
        (
            "UPDATE tenant SET audit_size = ?, audit_head = ? WHERE tenant = 'acme'",
            (head.size, head_to_bytes(head)),
        ),
    )
    head = copy / "heads" / f"{sha256(b'acme').hexdigest()}.note"
    note = head.read_text()
    with pytest.raises(StoreRolledBackError):
        open_store(copy, clock=SteppingClock())
    head.unlink()
    with open_store(copy, clock=SteppingClock()) as iris:
        assert iris.verify_audit(tenant="acme").ok, "by itself it cannot know"
        head.write_text(note)
        report = iris.verify_audit(tenant="acme")
        assert {problem.code for problem in report.problems} & {
            Finding.TRUNCATED_TAIL,
            Finding.ANCHOR_NOT_ANCESTOR,
        }


def test_sealed_rows_that_were_exchanged_are_not_served(copy: Path) -> None:
    """The place of a row is bound to its bytes: a blob moved to another row does not open."""
    connection = apsw.Connection(str(copy / "data" / "iris.db"))
    found = connection.execute(
        f"SELECT entry_no, box_no FROM entry JOIN person USING (person_no) WHERE tenant_no = {ACME}"
        " AND hidden_seq IS NULL ORDER BY entry_no LIMIT 2"
    ).fetchall()
    (one, box_one), (two, box_two) = found
    with connection:
        connection.execute("UPDATE entry SET box_no = ? WHERE entry_no = ?", (box_two, one))
        connection.execute("UPDATE entry SET box_no = ? WHERE entry_no = ?", (box_one, two))
    connection.close()
    with open_store(copy, clock=SteppingClock()) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        for verb in (me.list, me.recall):
            with pytest.raises(StorageError):
                verb()
        assert iris.for_user(tenant="other", user="ada").list(limit=0).total == 8
