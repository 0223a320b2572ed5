"""What a person decided, counted and sealed, so that a decision whose row was deleted is missed by the next reader.

The record stands beside the decisions and changes in their transaction. It names how many consent events there are and
the fingerprint of the last, which pauses hold, and what was opted out of; the person's own key seals it. A reader whose
rows do not fit it takes no consent for given. Whoever puts an old copy of all of a person's rows in their place is
found by the audit chain and its heads, not here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field

from iris_memory.contracts.consent import ConsentEvent, OptOut
from iris_memory.contracts.shape import Contract, Count
from iris_memory.errors import StoreCorruptError
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction

if TYPE_CHECKING:
    from iris_memory.flows.people import Person, Snapshot

_KEY: Final = "decided"


class Decided(Contract):
    """The head of a person's decisions."""

    consents: Count
    fingerprint: str
    pauses: str
    opt_outs: Annotated[tuple[OptOut, ...], Field(strict=False)]


def decided(events: Sequence[ConsentEvent], pauses: Iterable[str], opt_outs: Collection[OptOut]) -> Decided:
    """Return the head of decisions: consent events in order, keys of pauses, opt-outs."""
    return Decided(
        consents=len(events),
        fingerprint=events[-1].fingerprint if events else "",
        pauses=sha256("\x00".join(sorted(pauses)).encode()).hexdigest(),
        opt_outs=tuple(sorted(set(opt_outs))),
    )


def fits(person: Person, reading: Reading, found: Decided) -> bool:
    """Say whether decisions as they were read are those that were made. One record is read."""
    row = reading.record(person.tenant, person.person, RecordKind.DECIDED, _KEY)
    if row is None:
        return found == _NOTHING
    plain = person.open_record(row)
    return plain is not None and Decided.model_validate_json(plain) == found


def keep_decided(
    person: Person,
    tx: Transaction,
    *,
    events: Sequence[ConsentEvent],
    pauses: Iterable[str],
    opt_outs: Collection[OptOut],
    seq: int,
    now: datetime,
) -> None:
    """Keep the head of the decisions that hold after a transaction; the caller has required the ones before whole."""
    head = decided(events, pauses, opt_outs)
    row = person.own_record(RecordKind.DECIDED, _KEY, head, seq=seq, now=now)
    tx.put_record(person.tenant, person.person, row)


def require_whole(snapshot: Snapshot) -> None:
    """Go on only where no decision of the person is missing: a new one must not paper over it.

    Raises:
        StoreCorruptError: a decision was deleted or an old one put back.
    """
    if not snapshot.is_whole:
        raise StoreCorruptError("a consent, pause or opt-out is missing from the data; restore a backup")


_NOTHING: Final = decided((), (), ())
