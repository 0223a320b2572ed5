"""The bundle: what an export holds. One zip: a page, the information of GDPR Art. 15, a file a payload, the schemas.

`manifest.json` lists every other file with its size and SHA-256, and `note` signs the rest of it (C2SP signed note).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from iris_memory.contracts.consent import OptOut
from iris_memory.contracts.rights import DeliveryChannel, ExportPayload
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant

Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
PartName = Annotated[str, Field(pattern=r"^(data/|schemas/)?[a-z_]{1,60}(\.schema)?\.(json|ndjson|html)$")]


class Payload(StrEnum):
    """The payloads of a bundle, in the order they stand in it."""

    MEMORIES = "memories"
    NOTEBOOKS = "notebooks"
    SESSION_MEMORY = "session_memory"
    SCENE_MEMORY = "scene_memory"
    POSE_MEMORY = "pose_memory"
    USES = "uses"
    CONSENTS = "consents"
    OPT_OUTS = "opt_outs"
    RECORDS = "records"
    REQUESTS = "requests"
    LEGAL_HOLDS = "legal_holds"
    TOMBSTONES = "tombstones"


class ExportedOptOut(Contract):
    """A purpose the person opted out of."""

    name: OptOut


class ExportedRecord(Contract):
    """A small record that is kept of the person: its kind, times, and what it says. Keyed tags say nothing."""

    kind: Identifier
    key: str
    created_at: Instant
    expires_at: Instant | None = None
    value: JsonValue = None


class BundlePart(Contract):
    """One file of a bundle. `records` counts the items of a payload; of another file it is 0."""

    name: PartName
    records: Count
    size: Count
    sha256: Digest


class BundleManifest(Contract):
    """What a bundle holds, for whom and as of when; `note` signs every other field."""

    format: Literal["iris-export"] = "iris-export"
    version: Literal[1] = 1
    tenant_id: Identifier
    person: Identifier
    request_id: Identifier
    as_of: Instant
    options: ExportPayload
    counts: dict[Payload, Count]
    masked: Count
    """Details of other people that are tokens here, because the subject did not write them."""
    biometric_aggregate_only: bool = True
    left_out: Annotated[tuple[str, ...], Field(strict=False)]
    parts: Annotated[tuple[BundlePart, ...], Field(strict=False)]
    vkey: str
    """The key that signed. It proves nothing by itself: compare it with the tenant's, from elsewhere."""
    note: str


class ExportState(StrEnum):
    """Where a stored export stands."""

    BUILDING = "building"
    READY = "ready"
    COLLECTED = "collected"


class StoredExport(Contract):
    """An export that waits to be collected: no content. `size` and `sha256` are of the zip."""

    request_id: Identifier
    state: ExportState
    made_at: Instant
    expires_at: Instant
    size: Count = 0
    sha256: Digest | None = None
    chunks: Count = 0
    encrypted: bool = False
    delivery_channel: DeliveryChannel = DeliveryChannel.IN_APP_DOWNLOAD
    counts: dict[Payload, Count] = Field(default_factory=dict)


class BundleProblem(Contract):
    """One thing that is wrong with a bundle: a code and the file it is about."""

    code: str
    part: str | None = None


class Signature(StrEnum):
    """What became of the signature: without a key to check against it is not judged."""

    FITS = "fits"
    DOES_NOT_FIT = "does-not-fit"
    NOT_JUDGED = "not-judged"


class BundleReport(Contract):
    """What a check of a bundle found."""

    ok: bool
    signature: Signature
    problems: Annotated[tuple[BundleProblem, ...], Field(strict=False)]
    manifest: BundleManifest | None = None
