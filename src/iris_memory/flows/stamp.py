"""The stamp: whose data this is, kept with the data, so that a vault is never put beside somebody else's rows.

It is a record of nobody's: the name of its tenant holds a control character, which no tenant's can. It holds an id and
a state, no word of anybody's.
"""

from __future__ import annotations

from typing import Final

from pydantic import ValidationError

from iris_memory.contracts.shape import Contract
from iris_memory.errors import StorageError, StoreCorruptError
from iris_memory.ports.rows import RecordKind, RecordRow
from iris_memory.ports.unit_of_work import Reading, Store, Transaction

STORE: Final = "\x1fstore"
"""The tenant of what belongs to the store itself."""

_KEY: Final = "store"


class Stamp(Contract):
    """Whose data it is, and whether a move of data into this place is still on its way."""

    store_id: str
    moving: bool = False


def stamp_of(reading: Reading) -> Stamp | None:
    """Return the stamp of a store; None where it has none yet.

    Raises:
        StoreCorruptError: what is kept is no stamp.
    """
    row = reading.record(STORE, "", RecordKind.STAMP, _KEY)
    if row is None:
        return None
    try:
        return Stamp.model_validate_json(row.blob)
    except ValidationError:
        raise StoreCorruptError("the stamp of the store cannot be read; restore a backup") from None


def put_stamp(tx: Transaction, stamp: Stamp) -> None:
    """Keep the stamp."""
    tx.put_record(STORE, "", RecordRow(RecordKind.STAMP, _KEY, 0, 0, None, 0, stamp.model_dump_json().encode()))


def claim(store: Store, store_id: str) -> None:
    """Make sure the data is this store's, stamping data that has no stamp yet.

    Raises:
        StorageError: it is another store's, or a move into this place is not finished.
    """
    with store.read() as reading:
        found = stamp_of(reading)
    if found is None:
        found = store.write(lambda tx: _first(tx, store_id), durable=True)
    if found.store_id != store_id:
        raise foreign()
    if found.moving:
        raise StorageError("a move of data into this place was begun and is not finished; run `iris migrate` again")


def foreign() -> StorageError:
    """The error of data that is another store's."""
    return StorageError("the data at this place is another store's; nothing was changed, name this store's own")


def _first(tx: Transaction, store_id: str) -> Stamp:
    known = stamp_of(tx)
    if known is None:
        known = Stamp(store_id=store_id)
        put_stamp(tx, known)
    return known
