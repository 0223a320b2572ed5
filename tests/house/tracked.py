"""The files of the project: what git tracks or would track, or, without git, what is not made by tools."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
_MADE = {".git", ".venv", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", "dist", "build"}


def tracked(*endings: str) -> list[Path]:
    """Return the files of the project, of all endings or of those named, sorted."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        found = [ROOT / name for name in done.stdout.split("\0") if name]
    else:
        found = [path for path in ROOT.rglob("*") if not _MADE & set(path.relative_to(ROOT).parts)]
    files = sorted(path for path in found if path.is_file())
    return [path for path in files if not endings or path.suffix in endings]


def named(path: Path) -> str:
    """Return a file's name from the root of the project."""
    return path.relative_to(ROOT).as_posix()
