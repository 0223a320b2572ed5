"""Schemas of every public contract, and the reference pages made from tables, contracts and commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.wording import count

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema(
    place: Place,
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", file_okay=False, help="write a file for each; left out, one object is shown"),
    ] = None,
) -> Told | None:
    """Write the JSON Schema of every public contract."""
    schemas = all_schemas()
    if folder is None:
        return Told(schemas, [json.dumps(schemas, indent=2)])
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, document in schemas.items():
        file = folder / f"{name}.schema.json"
        file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        written.append(file)
    return Told({"written": written}, [good(f"{count(len(written), 'schema')} written to {folder}.")])


def docs(
    place: Place,
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", file_okay=False, help="where the reference pages lie")],
    check: Annotated[bool, typer.Option("--check", help="write nothing; end with 1 when a page differs")] = False,
) -> Told:
    """Write the reference pages.

    They are made from tables, contracts, settings, reason codes and commands.
    """
    del place
    from iris_memory.cli.reference import pages

    made = pages(context.find_root().command)
    stale = [name for name, text in made.items() if not _holds(folder / name, text)]
    if check:
        lines: list[Words] = [bad(f"{name} differs; write it with: iris docs {folder}") for name in stale]
        code = ExitCode.CHECK_FAILED if stale else ExitCode.OK
        return Told(
            {"ok": not stale, "differ": stale}, lines or [good(f"{count(len(made), 'page')} up to date.")], code
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name in stale:
        (folder / name).write_text(made[name], encoding="utf-8")
    changed = dim(f"{count(len(made), 'page')}, {len(stale)} changed")
    return Told({"pages": sorted(made), "changed": stale}, [*stale, changed])


def all_schemas() -> dict[str, Any]:
    """Return the JSON Schema of every public contract, by name."""
    from iris_memory.cli.reference_contracts import public_contracts

    return {contract.__name__: {"$schema": DIALECT, **contract.model_json_schema()} for contract in public_contracts()}


def _holds(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text(encoding="utf-8") == text
