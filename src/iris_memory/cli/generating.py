"""The typed client, generated from what the service says of itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from iris_memory.cli.answers import Told, good
from iris_memory.cli.commands import Place
from iris_memory.cli.failures import UsageError


def generate_client(
    place: Place,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="where the client goes, such as src/iris_memory/client")
    ],
) -> Told:
    """Write the typed Python client.

    From the OpenAPI document of this version, formatted by ruff. For those who change the API.
    """
    del place
    written = generate(folder)
    return Told({"written": written}, [good(f"{len(written)} files in {folder}.")])


def generate(folder: Path) -> list[str]:
    """Write the generated files under a folder, formatted, and return their names."""
    from iris_memory.access.tokens import DevelopmentTokens
    from iris_memory.cli.client_writer import write_client
    from iris_memory.http.application import create_app

    with_no_store: Any = None
    files = write_client(create_app(with_no_store, tokens=DevelopmentTokens()).openapi())
    for room in ("calls", "shapes"):
        for old in (folder / room).glob("*.py"):
            old.unlink()
    for name, text in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    targets = [str(folder / name) for name in files]
    settings = ["--isolated", "--line-length", "120"]
    sort = ["check", "--fix", "--quiet", *settings, "--select", "I,F401", "--target-version", "py311"]
    for what in (sort, ["format", "--quiet", *settings]):
        done = subprocess.run([sys.executable, "-m", "ruff", *what, *targets], check=False, capture_output=True)
        if done.returncode:
            raise UsageError("the client is formatted by ruff, which is not here or did not like it")
    return list(files)
