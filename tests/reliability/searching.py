"""Looking through every byte of a store from another process, and taking note beforehand of what must go."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

from iris_memory.front.iris import Iris
from iris_memory.ports.rows import RecordKind

PROGRAM = """
import base64, json, pathlib, sys
order = json.load(sys.stdin)
found = {}
for path in map(pathlib.Path, order["files"]):
    data = path.read_bytes()
    for name, patterns in order["patterns"].items():
        for pattern in patterns:
            if base64.b64decode(pattern) in data:
                found[name] = found.get(name, 0) + 1
json.dump(found, sys.stdout)
"""


def search(folder: Path, patterns: dict[str, list[bytes]]) -> dict[str, int]:
    """Count, by name, how often patterns are in the files below a folder. A program of its own: see `residue_scan`."""
    order = {
        "files": [str(path) for path in sorted(folder.rglob("*")) if path.is_file()],
        "patterns": {name: [base64.b64encode(one).decode() for one in many] for name, many in patterns.items()},
    }
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM], input=json.dumps(order), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def spellings(*words: str) -> list[bytes]:
    """Return words as they might lie in a file."""
    return [
        form
        for word in words
        for form in (word.encode(), word.encode("utf-16-le"), word.encode("utf-16-be"), word.encode().hex().encode())
    ]


def pieces(blob: bytes) -> list[bytes]:
    """Return pieces of a blob, so that a blob that was cut or moved in part is found as well."""
    size = min(24, len(blob))
    return [blob[:size], blob[len(blob) // 2 :][:size], blob[-size:]]


def sealed_of(
    iris: Iris, tenant: str, user: str, names: list[str] | None = None, *, whole: bool = True
) -> dict[str, list[bytes]]:
    """Return what memories are made of in the files: ciphertexts and wrapped keys, and with `whole` all of the person.

    Without names, of every memory.
    """
    subject = iris.instruments.people.get(tenant, user)
    names = list(subject.snapshot.columns.row_of) if names is None else names
    with iris.instruments.store.read() as reading:
        blobs = reading.blobs_of(tenant, subject.person, names)
        slots = reading.slots_of(tenant, subject.person, names)
        kinds = RecordKind if whole else ()
        blobs += [row.blob for kind in kinds for row in reading.records(tenant, subject.person, kind) if row.blob]
    wrapped = iris.instruments.vault.wrapped_slots(tenant, subject.person, None if whole else slots)
    return {
        # a sealed blob begins with the commitment of its key, which others may share
        "ciphertext": [piece for blob in blobs for piece in pieces(blob[33:])],
        "wrapped key": [piece for key in wrapped for piece in pieces(key)],
    }
