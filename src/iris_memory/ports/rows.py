"""What an engine keeps: sealed rows. Clear columns are only what an engine must filter on.

`tenant` is the tenant's id, `person` the keyed pseudonym of the subject (random, unlinkable once the vault forgets it).
Instants are whole microseconds since the epoch, UTC. `seq` is the subject's version at which the row was written.
`slot` names the vault slot whose key seals the blob. Slot 0 is the owner's own key: the tenant's data key for rows of
the tenant, a key derived from the subject key for rows of a person that hold no words.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class RecordKind(StrEnum):
    """What a small sealed record is. Every kind is listed in the register of personal data."""

    CONSENT = "consent"
    QUESTION = "question"
    PAUSE = "pause"
    IDEMPOTENCY = "idempotency"
    FORGOTTEN = "forgotten"
    HOLD = "hold"
    IMPORT = "import"
    APPROVAL = "approval"
    SETTING = "setting"
    RECALL = "recall"
    RECEIPT = "receipt"
    INTENT = "intent"
    STAMP = "stamp"
    DECIDED = "decided"
    NOTICE = "notice"
    APPROVAL_REQUEST = "approval-request"
    OBSERVATION = "observation"
    INFERENCE_QUESTION = "inference-question"
    WRITE_BUDGET = "write-budget"
    MENTION = "mention"
    COPY = "copy"
    OPERATOR_NOTE = "operator-note"
    OPERATOR_NOTE_USE = "operator-note-use"
    SHADOW = "shadow"
    RIGHTS = "rights"
    RIGHTS_CHALLENGE = "rights-challenge"
    RIGHTS_DESK = "rights-desk"
    LEGAL_HOLD = "legal-hold"
    HELD_WISH = "held-wish"
    INSPECTION = "inspection"
    INSPECTION_SNAPSHOT = "inspection-snapshot"
    INSPECTION_READ = "inspection-read"
    INSPECTION_RULE = "inspection-rule"
    INSPECTION_ALARM = "inspection-alarm"
    INSPECTION_PACE = "inspection-pace"
    INCIDENT_KEY = "incident-key"
    USER_NOTICE = "user-notice"
    CONTINUATION = "continuation"
    CONTINUATION_KEY = "continuation-key"
    DEVICE = "device"
    DEVICE_NAME = "device-name"
    DEVICE_NOTICE = "device-notice"
    ASSISTANT = "assistant"
    TURN = "turn"
    TURN_TEXT = "turn-text"
    BRIDGE_SESSION = "bridge-session"
    WEBHOOK = "webhook"
    EXPORT = "export"
    EXPORT_PART = "export-part"
    SERVICE_TOKEN = "service-token"


class EntryRow(NamedTuple):
    """One revision of one memory."""

    logical_id: str
    revision: int
    entry_id: str
    seq: int
    slot: int
    created_at: int
    updated_at: int
    expires_at: int | None
    superseded_by: str | None
    blob: bytes


class UsageRow(NamedTuple):
    """How often and when one memory was used; `seq` counts the subject's usage batches."""

    logical_id: str
    seq: int
    slot: int
    blob: bytes


class TombstoneRow(NamedTuple):
    """What is left of a forgotten memory: no text, no category, no scope."""

    logical_id: str
    seq: int
    created_at: int
    forgotten_at: int
    reason: str
    receipt_id: str


class RecordRow(NamedTuple):
    """One small sealed record of a person (or of the tenant, with an empty `person`).

    `key` is an id, a sequence number or a keyed tag: never a readable word of the person's.
    """

    kind: RecordKind
    key: str
    seq: int
    created_at: int
    expires_at: int | None
    slot: int
    blob: bytes


class AuditRow(NamedTuple):
    """One event of a tenant's audit chain, exactly the bytes that were hashed."""

    sequence: int
    line: bytes


class CheckpointRow(NamedTuple):
    """One signed checkpoint of a tenant's audit chain."""

    size: int
    note: str


@dataclass(frozen=True, slots=True)
class SubjectState:
    """The two counters of a person and the one of the tenant that a cached snapshot is checked against.

    `version` moves with every write that may change an answer; `usage_seq` with every batch of usage marks;
    `tenant_version` with every change of the tenant's settings and approvals. All are 0 where nothing was written.
    """

    version: int
    usage_seq: int
    tenant_version: int


ERASED = -1
"""The version of a pseudonym whose person was erased. It never moves again."""

NOTHING_WRITTEN = SubjectState(version=0, usage_seq=0, tenant_version=0)
