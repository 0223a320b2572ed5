"""What every flow is given: the engines behind their ports, the clock, the ids, and the deployment's choices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from iris_memory.contracts.audit import AuditEvent
from iris_memory.contracts.category import Consumer
from iris_memory.contracts.inspection import OperatorAlarm, UserNotice
from iris_memory.contracts.operator_note import NoteRollout
from iris_memory.flows.holding import SessionQuestions
from iris_memory.flows.people import People
from iris_memory.ports.clock import Clock
from iris_memory.ports.heads import Heads
from iris_memory.ports.ids import Ids
from iris_memory.ports.residue import ResidueScanner
from iris_memory.ports.summarizer import Summarizer
from iris_memory.ports.unit_of_work import Store
from iris_memory.ports.vault import Vault
from iris_memory.recall.pipeline import RecallPipeline
from iris_memory.tables.limits import VAULT_BACKUP_DAYS


class Durability(StrEnum):
    """When a recall answers: once its event is committed, or once it is on the disk."""

    DEFAULT = "default"
    STRICT = "strict"


RecallAuditSink = Callable[[AuditEvent], None]
"""Gets every event a recall writes, after it is committed. What it raises is not the caller's concern."""

CrisisFrame = Callable[[str, str, datetime], bool]
"""Says whether a (tenant, user) is in a crisis frame at an instant."""


Deliver = Callable[[UserNotice | OperatorAlarm], None]
"""Takes a notice or an alarm to where it is read, and returns once it is there. What it raises is tried again later.

It may be called twice for one `notice_id` or `alarm_id`.
"""


def no_crisis(tenant: str, user: str, now: datetime) -> bool:
    """Say that nobody is in a crisis frame."""
    del tenant, user, now
    return False


@dataclass(frozen=True, slots=True)
class Instruments:
    """The engines and choices a flow works with."""

    store: Store
    vault: Vault
    people: People
    clock: Clock
    ids: Ids
    heads: Heads
    scanner: ResidueScanner
    pipeline: RecallPipeline = field(default_factory=RecallPipeline)
    durability: Durability = Durability.DEFAULT
    sink: RecallAuditSink | None = None
    crisis: CrisisFrame = no_crisis
    deliver: Deliver | None = None
    """Where notices and alarms of inspections go besides the person's own list and webhooks; None: nowhere else."""
    vault_backup_days: int = VAULT_BACKUP_DAYS
    summarizer: Summarizer | None = None
    """What condenses memories whose raw window is over; None: the extractive one, which sends nothing anywhere."""
    notes_rollout: NoteRollout = NoteRollout.ON
    """How far operator notes are in use."""
    sealed: dict[str, int] = field(default_factory=dict)
    """The chain size of each tenant at which this process last knew the head to be kept outside."""
    assistants: dict[str, Any] = field(default_factory=dict)
    """The registered assistants of each tenant, as `flows.assistants` last read them."""
    asked: SessionQuestions = field(default_factory=SessionQuestions)
    """The words of inferences that wait for the person, in the memory of this process alone."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, bound once: nothing a request says can widen it."""

    tenant: str
    user: str
    consumer: Consumer = Consumer.ASSISTANT
    assistant_id: str | None = None
