"""Look for byte patterns in every file under a folder. A program of its own: it is run, never imported.

Opening a SQLite file inside a process that uses it drops that process's POSIX locks, so this runs apart.

Standard input: {"folder": path, "patterns": [base64...]}; standard output: {"files": n, "found": [places...]}.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path


def scan(folder: Path, patterns: list[bytes]) -> dict[str, object]:
    """Return how many files there are and the places of the patterns that are in one of them."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    held = [path.read_bytes() for path in files]
    found = [place for place, pattern in enumerate(patterns) if any(pattern in data for data in held)]
    return {"files": len(files), "found": found}


if __name__ == "__main__":
    order = json.load(sys.stdin)
    told = scan(Path(order["folder"]), [base64.b64decode(pattern) for pattern in order["patterns"]])
    sys.stdout.write(json.dumps(told))
