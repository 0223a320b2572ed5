"""Forget, with its reach before and its receipt after; and receipts checked by anybody."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import NotFoundError, UsageError
from iris_memory.cli.wording import preview_lines, receipt_lines

if TYPE_CHECKING:
    from iris_memory.chain.checkpoint import VerifierKey
    from iris_memory.contracts.erasure import ForgetReceipt
    from iris_memory.front.person import PersonMemory


def forget(
    place: Place,
    memory: Annotated[str | None, typer.Argument(metavar="MEMORY", help="the id of one memory")] = None,
    category: Annotated[
        str | None, typer.Option("--category", metavar="NAME", help="every memory of this category")
    ] = None,
    everything: Annotated[bool, typer.Option("--everything", help="every memory; the consents stay")] = False,
    person: Annotated[bool, typer.Option("--person", help="the person whole: every row, key and link")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only count what would be reached")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    receipt: Annotated[
        Path | None, typer.Option("--receipt", metavar="FILE", help="write the signed receipt to this new file")
    ] = None,
    scan: Annotated[
        bool, typer.Option("--scan/--no-scan", help="search every file afterwards for what should be gone")
    ] = True,
) -> Told:
    """Forget for good.

    One memory, a category, everything, or the person whole. What it reaches is shown first, and asked about. Afterwards
    every file is searched for what should be gone, and a signed receipt says what was found.
    """
    if [memory is not None, category is not None, everything, person].count(True) != 1:
        raise UsageError("name exactly one of: a memory, --category, --everything, --person")
    if place.json and not (yes or dry_run):
        raise UsageError("--json asks nothing: add --yes to forget, or --dry-run to count")
    with place.person() as me:
        preview = me.preview_forget(memory, category=category, everything=everything or person)
        lines = preview_lines(preview)
        if person:
            lines.append("As the person goes whole, consents, tags, questions and pauses go too.")
        if dry_run:
            return Told({"preview": preview, "receipt": None}, lines)
        place.say(*lines)
        if not yes:
            place.require_yes("Forget for good?")
        with _new_file(receipt) as out:  # before anything goes: a receipt that cannot be kept is lost
            done = _forget(me, memory, category, person=person, scan=scan)
            if out is not None:
                out.write(done.model_dump_json(indent=2) + "\n")
    clean = done.files_scrubbed and not (done.residue and done.residue.found)
    code = ExitCode.OK if clean else ExitCode.CHECK_FAILED
    return Told({"preview": preview, "receipt": done}, receipt_lines(done), code)


def verify_receipt(
    place: Place,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="the receipt that forget wrote")
    ],
    key: Annotated[
        list[str] | None,
        typer.Option("--key", metavar="VKEY", help="a verifier key of the tenant, as `iris audit keys` shows it"),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export", metavar="FILE", exists=True, dir_okay=False, help="an audit export: its keys, and its chain"
        ),
    ] = None,
) -> Told:
    """Check a receipt, without a store.

    With a key: that the tenant signed exactly this receipt. With an export: that the chain it names is that one.
    """
    del place
    from iris_memory.flows.receipts import is_genuine

    if not key and export is None:
        raise UsageError("name the --key of the tenant, or an audit --export of it")
    receipt = _read_receipt(file)
    genuine = is_genuine(receipt, keys=_keys(key or [], export))
    in_chain = _stands_in(export, receipt) if export is not None else None
    document = {"ok": genuine and in_chain is not False, "genuine": genuine, "in_chain": in_chain}
    lines: list[Words] = [
        good("The signature fits.") if genuine else bad("The signature does not fit: do not trust it.")
    ]
    if in_chain is not None:
        told = f"the chain's head at {receipt.audit_size:,} events"
        lines.append(good(f"It names {told}.") if in_chain else bad(f"It does not name {told}."))
    if not key:
        lines.append(dim("The export vouches for its own keys; give --key from elsewhere to be surer."))
    lines.append(dim(f"{receipt.receipt_id}: {receipt.memories:,} forgotten, {receipt.reason.value}"))
    return Told(document, lines, ExitCode.OK if document["ok"] else ExitCode.CHECK_FAILED)


def _new_file(path: Path | None) -> AbstractContextManager[TextIO | None]:
    if path is None:
        return nullcontext()
    try:
        return path.open("x", encoding="utf-8")
    except FileExistsError:
        raise UsageError("there is a file where the receipt would go; name one that is not there") from None


def _forget(me: PersonMemory, memory: str | None, category: str | None, *, person: bool, scan: bool) -> ForgetReceipt:
    if not person:
        return me.forget(memory, category=category, everything=memory is None and category is None, scan=scan)
    erased = me.erase(scan=scan)
    if erased is None:
        raise NotFoundError("nothing is known of this person")
    return erased


def _read_receipt(file: Path) -> ForgetReceipt:
    from pydantic import ValidationError

    from iris_memory.contracts.erasure import ForgetReceipt

    try:
        return ForgetReceipt.model_validate_json(file.read_bytes())
    except ValidationError:
        raise UsageError("the file is no receipt; name one that `iris forget --receipt FILE` wrote") from None


def _keys(vkeys: list[str], export: Path | None) -> list[VerifierKey]:
    from iris_memory.chain.export import ExportHeader

    if vkeys:
        return [typed_key(vkey) for vkey in vkeys]
    assert export is not None
    with export.open("rb") as lines:
        return [period.key for period in ExportHeader.from_line(next(lines, b"").removesuffix(b"\n")).keys]


def typed_key(vkey: str) -> VerifierKey:
    """Return the verifier key of its text form.

    Raises:
        UsageError: it is none.
    """
    from iris_memory.chain.checkpoint import VerifierKey
    from iris_memory.errors import CheckpointError

    try:
        return VerifierKey.from_vkey(vkey)
    except CheckpointError:
        raise UsageError("this is no verifier key; `iris audit keys` shows them") from None


def _stands_in(export: Path, receipt: ForgetReceipt) -> bool:
    """Say whether the first `audit_size` lines of an export give the root that the receipt names."""
    from iris_memory.chain.verify import verify_lines

    with export.open("rb") as lines:
        next(lines, None)
        head, problems = verify_lines(islice(lines, receipt.audit_size), tenant_id=receipt.tenant_id)
    return not problems and head.size == receipt.audit_size and head.frontier.root().hex() == receipt.audit_root
