"""Exports: made, taken along, opened, and checked by anybody."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iris_memory.cli import forgetting
from iris_memory.cli.answers import Told, Words, bad, dim, good
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import UsageError
from iris_memory.cli.rights import RequestId, refused_told
from iris_memory.cli.wording import count

PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        metavar="FILE",
        exists=True,
        dir_okay=False,
        help="the passphrase is the first line of this file",
    ),
]
PrivateKeyFile = Annotated[
    Path | None,
    typer.Option(
        "--private-key-file",
        metavar="FILE",
        exists=True,
        dir_okay=False,
        help="the X25519 private key is in this file, 32 bytes in base64",
    ),
]
Keys = Annotated[
    list[str] | None,
    typer.Option("--key", metavar="VKEY", help="a verifier key of the tenant, as `iris audit keys` shows it"),
]


def export(
    place: Place,
    request: RequestId,
    file: Annotated[Path, typer.Argument(metavar="FILE", dir_okay=False, help="the new file to write")],
    passphrase_file: PassphraseFile = None,
    recipient: Annotated[
        str | None, typer.Option("--recipient", metavar="KEY", help="encrypt it to this X25519 public key, in base64")
    ] = None,
) -> Told:
    """Take an export along.

    It is made where it is not yet; the request has to be verified. Encrypted on its way out where that is asked for.
    """
    from iris_memory.contracts.rights import RightsRefused

    words = _first_line(passphrase_file)
    if file.exists():
        raise UsageError("there is a file where the export would go; name one that is not there")
    with place.person() as me:
        standing = me.exports.status(request)
        if isinstance(standing, RightsRefused):
            made = me.exports.make(request)
            if isinstance(made, RightsRefused):
                return refused_told(made)
        written = me.exports.write(request, file, passphrase=words, recipient=recipient)
        if isinstance(written, RightsRefused):
            return refused_told(written)
        standing = me.exports.status(request)
    lines: list[Words] = [good(f"Written to {file}.")]
    if not isinstance(standing, RightsRefused):
        lines += [f"  {payload.value}: {number:,}" for payload, number in standing.counts.items() if number]
        lines.append(dim(f"  SHA-256 of the zip {standing.sha256}; it can be collected again for a day"))
    return Told({"file": file, "export": standing}, lines)


def discard(place: Place, request: RequestId) -> Told:
    """Drop an export before its time."""
    with place.person() as me:
        was_there = me.exports.discard(request)
    return Told({"dropped": was_there}, [good("Dropped.") if was_there else dim("There was no export.")])


def verify(
    place: Place,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="an export, or the receipt of an erasure"),
    ],
    key: Keys = None,
    passphrase_file: PassphraseFile = None,
    private_key_file: PrivateKeyFile = None,
) -> Told:
    """Check an export or a receipt, without a store.

    Of an export: every file, digest, schema and item, that nothing else is in it, and with a key that the tenant signed
    it. Of a receipt, which needs the key: that the tenant signed exactly this one.
    """
    if file.read_bytes()[:1].strip() == b"{":
        return forgetting.verify_receipt(place, file, key, None)
    from iris_memory.front.exports import verify_export

    keys = [forgetting.typed_key(vkey) for vkey in key or []]
    report = verify_export(
        file, keys=keys, passphrase=_first_line(passphrase_file), private_key=_first_line(private_key_file)
    )
    lines: list[Words] = [
        bad(f"{problem.code}{f': {problem.part}' if problem.part else ''}") for problem in report.problems
    ]
    if report.ok:
        lines.append(good("Every file is as the manifest says, and nothing else is in it."))
    if report.signature == "not-judged":
        lines.append(dim("Who signed it was not judged; give the tenant's --key from elsewhere to be sure."))
    elif report.signature == "fits":
        lines.append(good("The signature fits."))
    if report.manifest is not None:
        told = sum(report.manifest.counts.values())
        lines.append(dim(f"{report.manifest.request_id}: {count(told, 'item')}, {report.manifest.masked:,} masked"))
    return Told(report, lines, ExitCode.OK if report.ok else ExitCode.CHECK_FAILED)


def unlock(
    place: Place,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="an export that is encrypted")
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT", dir_okay=False, help="the new file to write")],
    passphrase_file: PassphraseFile = None,
    private_key_file: PrivateKeyFile = None,
) -> Told:
    """Open an encrypted export.

    Nothing is written of a file that was changed, cut, or is opened with another passphrase or key.
    """
    del place
    from iris_memory.front.exports import unlock_export

    if out.exists():
        raise UsageError("there is a file where the export would go; name one that is not there")
    words, private = _first_line(passphrase_file), _first_line(private_key_file)
    written = unlock_export(file, out, passphrase=words, private_key=private)
    return Told({"file": written}, [good(f"Written to {written}.")])


def _first_line(file: Path | None) -> str | None:
    return file.read_text("utf-8").split("\n", 1)[0] if file is not None else None
