"""Looks for what should be gone, by a program of its own (see `residue_scan`)."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from iris_memory.errors import StorageError
from iris_memory.ports.residue import ResidueReport

SHORTEST: Final = 6
"""Below this many bytes a hit proves nothing. Six turn up by chance once in some million scans of 100 MB."""

PROGRAM: Final = Path(__file__).with_name("residue_scan.py")


_PASSED_ON = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT")
"""What the scan's environment holds: nothing of Iris's, the root key least of all."""


class SubprocessScanner:
    """Runs the scan in an isolated Python. Patterns go through a pipe, never through the list of processes."""

    def __init__(self, *, python: str = sys.executable, seconds: float = 600.0) -> None:
        self._python = python
        self._seconds = seconds

    def scan(self, files: Iterable[Path], patterns: Sequence[tuple[str, bytes]]) -> ResidueReport:
        """Scan files for (label, bytes) patterns.

        Raises:
            StorageError: the scan could not be done to its end; nothing is known about residue then.
        """
        order = {
            "files": [str(path.absolute()) for path in files],
            "patterns": [[label, base64.b64encode(pattern).decode()] for label, pattern in patterns],
            "shortest": SHORTEST,
        }
        try:
            done = subprocess.run(
                [self._python, "-I", str(PROGRAM)],
                input=json.dumps(order).encode(),
                capture_output=True,
                check=False,
                timeout=self._seconds,
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
            )
        except (OSError, subprocess.TimeoutExpired):
            raise StorageError("the residue scan did not end; run it again before trusting the erasure") from None
        if done.returncode != 0:
            raise StorageError("the residue scan failed; run it again before trusting the erasure")
        return ResidueReport(**json.loads(done.stdout))
