"""Disclosure: everything that is held about a person, with what GDPR Art. 15(1) wants said beside it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from iris_memory.contracts.category import Category, Consumer
from iris_memory.contracts.consent import ConsentEvent, OptOut
from iris_memory.contracts.entry import MemoryEntry, UsageRecord
from iris_memory.contracts.rights import LegalHold
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import Contract, Count, Identifier, Instant


class ProcessingInformation(Contract):
    """What is said of the processing: why, what, for whom, how long, from where, and what the person can do."""

    purposes: Annotated[tuple[str, ...], Field(strict=False)]
    categories: Annotated[tuple[Category, ...], Field(strict=False)]
    recipients: Annotated[tuple[Consumer, ...], Field(strict=False)]
    retention: dict[AdapterScope, str]
    sources: dict[str, Count]
    rights: Annotated[tuple[str, ...], Field(strict=False)]
    automated_decisions: str
    transfers: str


class Disclosure(Contract):
    """The answer to an access request."""

    request_id: Identifier
    generated_at: Instant
    information: ProcessingInformation
    holdings: dict[str, Count]
    memories: Annotated[tuple[MemoryEntry, ...], Field(strict=False)]
    uses: Annotated[tuple[UsageRecord, ...], Field(strict=False)]
    consents: Annotated[tuple[ConsentEvent, ...], Field(strict=False)]
    opt_outs: Annotated[tuple[OptOut, ...], Field(strict=False)]
    holds: Annotated[tuple[LegalHold, ...], Field(strict=False)]
