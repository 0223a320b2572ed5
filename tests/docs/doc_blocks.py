"""Pages as programs: the code blocks of a page are run in order, and what they print is compared with what is shown.

* `python` blocks share one namespace; a `text` block right after one is what it prints.
* `console` blocks hold commands behind `$ ` and under each what it prints; `# exit N` names an exit code other than 0.
* a block with a name behind its language (`jsonl notes.jsonl`) is a file, written before the next block is run;
* `…` in what is shown stands for any text on a line, alone on a line for any lines.

Blocks of other languages are not run.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RUN = ("python", "console")
_FENCE = re.compile(r"^```(\w*)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"\s+# exit (\d+)$")


@dataclass(frozen=True)
class Block:
    """One block of a page; `shown` is what the page says it prints, where the page says so."""

    language: str
    source: str
    line: int
    shown: str | None = None
    file: str | None = None


def blocks_of(page: Path) -> list[Block]:
    """Return the fenced blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    found: list[Block] = []
    end = 0
    for match in _FENCE.finditer(text):
        language, file, source = match.groups()
        follows = not text[end : match.start()].strip()
        line = text.count("\n", 0, match.start()) + 1
        if language == "text" and follows and found and found[-1].language == "python":
            found[-1] = Block("python", found[-1].source, found[-1].line, source)
        else:
            found.append(Block(language, source, line, file=file))
        end = match.end()
    return found


def commands_of(block: Block) -> list[tuple[str, int, str]]:
    """Return the commands of a console block: what to run, the exit code, and what is shown under it."""
    commands: list[tuple[str, int, str]] = []
    for line in block.source.splitlines():
        if line.startswith("$ "):
            code = _EXIT.search(line)
            commands.append((_EXIT.sub("", line[2:]), int(code.group(1)) if code else 0, ""))
        elif commands and commands[-1][0].endswith("\\"):
            command, code_expected, shown = commands[-1]
            code = _EXIT.search(line)
            more = _EXIT.sub("", line.lstrip())
            commands[-1] = (f"{command[:-1]}{more}", int(code.group(1)) if code else code_expected, shown)
        else:
            command, code_expected, shown = commands[-1]
            commands[-1] = (command, code_expected, f"{shown}{line}\n")
    return commands


def run_page(page: Path, *, folder: Path, environment: dict[str, str]) -> int:
    """Run every block of a page in a folder; return how many were run."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    number = 0
    try:
        for block in blocks_of(page):
            where = f"{page.relative_to(ROOT)}:{block.line}"
            if block.file is not None:
                (folder / block.file).write_text(block.source, encoding="utf-8")
                continue
            if block.language == "python":
                _run_python(block, namespace, where)
            elif block.language == "console":
                _run_console(block, where, folder=folder, environment=environment)
            else:
                continue
            number += 1
    finally:
        for value in namespace.values():
            if type(value).__name__ == "Iris":
                value.close()
    return number


def _run_python(block: Block, namespace: dict[str, Any], where: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.source, where, "exec"), namespace)
    if block.shown is not None:
        _require_same(printed.getvalue(), block.shown, where)
    else:
        assert not printed.getvalue(), f"{where} prints what the page does not show:\n{printed.getvalue()}"


def _run_console(block: Block, where: str, *, folder: Path, environment: dict[str, str]) -> None:
    for command, code, shown in commands_of(block):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == code, f"{where}: `{command}` ended with {done.returncode}:\n{done.stdout}"
        _require_same(done.stdout, shown, f"{where}: `{command}`")


def environment_in(folder: Path, *commands: Path) -> dict[str, str]:
    """Return the environment of a person who starts from nothing in a folder; `commands` come first on their path."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("IRIS_")},
        "PATH": os.pathsep.join([*map(str, commands), str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }


def _require_same(printed: str, shown: str, where: str) -> None:
    assert matches(printed, shown), f"{where} prints\n{printed}\nand the page shows\n{shown}"


def matches(printed: str, shown: str) -> bool:
    """Say whether what was printed fits what is shown."""
    parts = []
    for line in shown.strip("\n").split("\n"):
        if line.strip() == "…":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append(".*?".join(re.escape(piece) for piece in line.rstrip().split("…")) + r"[ ]*\n")
    return re.fullmatch("".join(parts), printed.strip("\n") + "\n" if printed.strip() else "\n") is not None
