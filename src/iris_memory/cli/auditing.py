"""Audit: checked online where it lies, or offline from an export by anybody; exported; its keys and its head."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good, plain, warn
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import NotFoundError, UsageError
from iris_memory.cli.forgetting import typed_key
from iris_memory.cli.wording import count

if TYPE_CHECKING:
    from iris_memory.chain.findings import Problem
    from iris_memory.chain.verify import Report
    from iris_memory.front.iris import Iris

SHOWN_MOST = 20
"""Problems shown to a person; the JSON document has all."""


def verify(
    place: Place,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="an export, checked without a store; left out, the store",
        ),
    ] = None,
    tenant: Annotated[
        str | None, typer.Option("--tenant", metavar="ID", help="check this tenant alone; left out, every tenant")
    ] = None,
    trusted_key: Annotated[
        list[str] | None,
        typer.Option("--trusted-key", metavar="VKEY", help="a key known from elsewhere, in place of the export's own"),
    ] = None,
    anchor: Annotated[
        list[Path] | None,
        typer.Option(
            "--anchor", metavar="FILE", exists=True, dir_okay=False, help="a signed head that was kept elsewhere"
        ),
    ] = None,
) -> Told:
    """Check audit chains, online or from a file.

    Every line, link, root and signature. Ends with 1 when anything is wrong. With a file it needs no store.
    """
    if file is not None:
        if tenant is not None:
            raise UsageError("an export is of one tenant; leave --tenant out")
        return _verify_file(file, trusted_key or [], anchor or [])
    if trusted_key or anchor:
        raise UsageError("--trusted-key and --anchor go with an export; name its file")
    with place.opened() as iris:
        if tenant is not None:
            require_chain(iris, tenant)
        reports = [iris.verify_audit(tenant=name) for name in ([tenant] if tenant is not None else iris.tenants())]
    documents, lines = [], list[Words]()
    for found in reports:
        documents.append({**plain(found.report), "ok": found.ok, "head_matches": found.head_matches})
        lines += _report_lines(found.report, ok=found.ok)
        if not found.head_matches:
            lines.append(bad("  the head of the chain is behind its lines"))
    if not reports:
        lines.append("No tenant has an audit chain yet.")
    ok = all(found.ok for found in reports)
    return Told({"ok": ok, "tenants": documents}, lines, ExitCode.OK if ok else ExitCode.CHECK_FAILED)


def export(
    place: Place,
    file: Annotated[Path, typer.Argument(metavar="FILE", dir_okay=False, help="where to write it; - writes to stdout")],
) -> Told | None:
    """Write a tenant's chain to a file.

    It is sealed at its last event. Anybody can check it: `iris audit verify FILE`.
    """
    to_stdout = str(file) == "-"
    if to_stdout and place.json:
        raise UsageError("--json answers on stdout; name a file for the export")
    size = -1
    with place.opened() as iris, ExitStack() as stack:
        require_chain(iris, place.tenant)
        out = typer.get_binary_stream("stdout") if to_stdout else stack.enter_context(file.open("wb"))
        for line in iris.export_audit(tenant=place.tenant):
            out.write(line)
            size += 1
        out.flush()
    if to_stdout:
        return None
    document = {"file": file, "tenant_id": place.tenant, "events": size}
    return Told(document, [good(f"{count(size, 'event')} written."), dim(f"check it with: iris audit verify {file}")])


def keys(place: Place) -> Told:
    """Show the tenant's verifier keys.

    Each with the chain sizes it signs for. They check receipts and exports.
    """
    from iris_memory.flows.seal import key_periods

    with place.opened() as iris:
        require_chain(iris, place.tenant)
        periods = key_periods(iris.instruments, place.tenant)
    documents = [
        {"vkey": period.key.vkey, "from_size": period.from_size, "until_size": period.until_size} for period in periods
    ]
    lines: list[Words] = []
    for period in periods:
        until = "now" if period.until_size is None else f"{period.until_size:,}"
        lines += [period.key.vkey, dim(f"  signs from {period.from_size:,} to {until}")]
    return Told({"tenant_id": place.tenant, "keys": documents}, lines)


def show_head(place: Place) -> Told:
    """Sign and show the head of the chain.

    Keep a copy elsewhere: it is an anchor for `iris audit verify FILE --anchor COPY`.
    """
    from iris_memory.flows.seal import seal

    with place.opened() as iris:
        require_chain(iris, place.tenant)
        note = seal(iris.instruments, place.tenant)
    return Told({"tenant_id": place.tenant, "head": note}, note.splitlines())


def require_chain(iris: Iris, tenant: str) -> None:
    """Go on only where the tenant has an audit chain.

    Raises:
        NotFoundError: nothing was ever written for it.
    """
    if tenant not in iris.tenants():
        raise NotFoundError("there is no audit chain of this tenant; nothing was written for it yet")


def _verify_file(file: Path, vkeys: Sequence[str], anchors: Sequence[Path]) -> Told:
    from iris_memory.chain.export import KeyPeriod
    from iris_memory.chain.verify import verify_export

    trusted = [KeyPeriod(typed_key(vkey)) for vkey in vkeys] or None
    notes = [anchor.read_text(encoding="utf-8") for anchor in anchors]
    with file.open("rb") as lines:
        report = verify_export(lines, anchors=notes, trusted_keys=trusted)
    told = _report_lines(report, ok=report.ok)
    if report.self_declared and not notes:
        told.append(warn("  it vouches for itself: give --trusted-key or --anchor from elsewhere to be sure"))
    return Told(report, told, ExitCode.OK if report.ok else ExitCode.CHECK_FAILED)


def _report_lines(report: Report, *, ok: bool) -> list[Words]:
    name = report.tenant_id or "no tenant"
    lines: list[Words] = [good(f"{name}: sound") if ok else bad(f"{name}: NOT SOUND")]
    if report.tenant_id is not None:
        lines += [f"  {count(report.size, 'event')}, signed up to {report.covered:,}", dim(f"  root {report.root}")]
    lines += [_problem_line(problem) for problem in report.problems[:SHOWN_MOST]]
    if len(report.problems) > SHOWN_MOST:
        lines.append(dim(f"  and {len(report.problems) - SHOWN_MOST:,} more"))
    return lines


def _problem_line(problem: Problem) -> Words:
    where = [f"sequence {problem.sequence}"] if problem.sequence is not None else []
    where += [f"line {problem.line}"] if problem.line is not None else []
    return bad(f"  {problem.code.value}{' at ' + ', '.join(where) if where else ''}")
