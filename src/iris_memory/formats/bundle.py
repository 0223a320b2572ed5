"""Writing a bundle: files into a zip, one after another, as bytes come. The same content gives the same bytes.

Nothing is held but the file at hand: a writer takes any number of items and gives the zip piece by piece.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final

from pydantic import BaseModel

from iris_memory.chain.canonical import canonical
from iris_memory.chain.checkpoint import Signer
from iris_memory.chain.signed_text import sign_text
from iris_memory.contracts.bundle import (
    BundleManifest,
    BundlePart,
    ExportedOptOut,
    ExportedRecord,
    Payload,
)
from iris_memory.contracts.disclosure import ProcessingInformation
from iris_memory.contracts.entry import MemoryEntry, Tombstone, UsageRecord
from iris_memory.contracts.rights import ExportFormat, LegalHold, RightsRequest

MANIFEST: Final = "manifest.json"
PAGE: Final = "index.html"
INFORMATION: Final = "information.json"
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
MEMORY_PAYLOADS: Final = (
    Payload.MEMORIES,
    Payload.NOTEBOOKS,
    Payload.SESSION_MEMORY,
    Payload.SCENE_MEMORY,
    Payload.POSE_MEMORY,
)

CONTRACTS: Final[Mapping[Payload, type[BaseModel] | None]] = MappingProxyType(
    {
        **dict.fromkeys(MEMORY_PAYLOADS, MemoryEntry),
        Payload.USES: UsageRecord,
        Payload.CONSENTS: None,
        Payload.OPT_OUTS: ExportedOptOut,
        Payload.RECORDS: ExportedRecord,
        Payload.REQUESTS: RightsRequest,
        Payload.LEGAL_HOLDS: LegalHold,
        Payload.TOMBSTONES: Tombstone,
    }
)
"""The contract of each payload's items; consents are JSON-LD records (`formats.consent_record`)."""

_MODE: Final = 0o600 << 16
_FIRST: Final = (1980, 1, 1, 0, 0, 0)
_UNIX: Final = 3
_PIECE: Final = 1 << 20


class BundleWriter:
    """Writes the files of a bundle in order. `emit` gets the zip's bytes as they are made."""

    def __init__(self, emit: Callable[[bytes], None]) -> None:
        """Begin a zip."""
        self._out = _Pieces(emit)
        self._zip = zipfile.ZipFile(self._out, "w", zipfile.ZIP_DEFLATED, allowZip64=True, compresslevel=6)
        self.parts: list[BundlePart] = []
        self.counts: dict[Payload, int] = {}

    def file(self, name: str, pieces: Iterable[str | bytes], *, records: Callable[[], int] = int) -> None:
        """Write one file; `records` is asked when it is written."""
        digest, size = sha256(), 0
        with self._zip.open(_member(name), "w") as member:
            for piece in pieces:
                raw = piece.encode() if isinstance(piece, str) else piece
                member.write(raw)
                digest.update(raw)
                size += len(raw)
        self.parts.append(BundlePart(name=name, records=records(), size=size, sha256=digest.hexdigest()))

    def payload(self, payload: Payload, items: Iterable[str], *, format: ExportFormat) -> None:
        """Write a payload: one item's JSON a line, as a JSON array or as JSON lines."""
        count = 0

        def lines() -> Iterator[str]:
            nonlocal count
            if format is ExportFormat.NDJSON:
                for item in items:
                    count += 1
                    yield item + "\n"
                return
            yield "["
            for item in items:
                yield ("\n" if not count else ",\n") + item
                count += 1
            yield "\n]\n"

        self.file(f"data/{payload.value}.{format.value}", lines(), records=lambda: count)
        self.counts[payload] = count

    def schemas(self, payloads: Iterable[Payload]) -> None:
        """Write the JSON Schema of each payload's items, of the information and of the manifest."""
        for name, schema in schemas_of(payloads).items():
            self.file(name, [schema])

    def finish(self, *, signer: Signer, **fields: Any) -> BundleManifest:
        """Write the signed manifest and end the zip."""
        unsigned = BundleManifest(
            parts=tuple(self.parts), counts=dict(self.counts), vkey=signer.verifier.vkey, note="", **fields
        )
        manifest = unsigned.model_copy(update={"note": sign_text(signed_text(unsigned), signer=signer)})
        with self._zip.open(_member(MANIFEST), "w") as member:
            member.write(manifest.model_dump_json(indent=2).encode() + b"\n")
        self._zip.close()
        self._out.end()
        return manifest


def signed_text(manifest: BundleManifest) -> bytes:
    """Return what a manifest's note is over: its canonical JSON without the note."""
    return canonical(manifest.model_dump(mode="json", exclude={"note"})) + b"\n"


def schemas_of(payloads: Iterable[Payload]) -> dict[str, str]:
    """Return the schema files of a bundle by name."""
    models: dict[str, type[BaseModel] | None] = {payload.value: CONTRACTS[payload] for payload in payloads}
    models |= {"information": ProcessingInformation, "manifest": BundleManifest}
    return {f"schemas/{name}.schema.json": _schema(name, model) for name, model in sorted(models.items())}


def _schema(name: str, model: type[BaseModel] | None) -> str:
    described: dict[str, Any] = _CONSENT_SCHEMA if model is None else model.model_json_schema(mode="serialization")
    return json.dumps({"$schema": DIALECT, "$id": f"urn:iris-memory:export:1:{name}", **described}, indent=1) + "\n"


_CONSENT_SCHEMA: Final[dict[str, Any]] = {
    "title": "ConsentRecord",
    "description": "A consent record, shaped after ISO/IEC TS 27560:2023 with W3C DPV terms.",
    "type": "object",
    "required": [
        "@context",
        "@id",
        "@type",
        "dct:identifier",
        "dpv:hasDataSubject",
        "dpv:hasConsentStatus",
        "dpv:isIndicatedAtTime",
        "iris:consent",
        "iris:record",
    ],
    "properties": {"@type": {"const": "dpv:ConsentRecord"}},
}


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, _FIRST)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = _MODE
    member.create_system = _UNIX
    return member


class _Pieces(io.RawIOBase):
    """A stream that only goes forward and hands its bytes on in pieces of one size."""

    def __init__(self, emit: Callable[[bytes], None]) -> None:
        super().__init__()
        self._emit = emit
        self._held = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._held += data
        while len(self._held) >= _PIECE:
            self._emit(bytes(self._held[:_PIECE]))
            del self._held[:_PIECE]
        return len(data)

    def flush(self) -> None:
        """Do nothing: a piece is handed on when it is full, the last by `end`."""

    def end(self) -> None:
        """Hand on what is left."""
        if self._held:
            self._emit(bytes(self._held))
            self._held.clear()
