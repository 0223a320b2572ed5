"""What stands beside a person's memory: what was made from it, its audit events, receipts, and all that is held."""

from __future__ import annotations

from collections.abc import Sequence

from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.erasure import ForgetPreview, ForgetReceipt, ForgetTarget
from iris_memory.flows import forget_ephemeral, overview
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.overview import EventAbout
from iris_memory.flows.reading import history
from iris_memory.front.given import known_id


class Overview:
    """For pages that show one person all there is. Use `Iris.for_user(...).overview`."""

    def __init__(self, instruments: Instruments, caller: Caller) -> None:
        """Bind a caller."""
        self._instruments = instruments
        self._caller = caller

    def made_from(self, logical_id: str) -> Sequence[MemoryEntry]:
        """Return the memories that were made from one."""
        return overview.made_from(self._instruments, self._caller, known_id(logical_id))

    def events(self, logical_id: str) -> Sequence[EventAbout]:
        """Return the audit events about any revision of a memory, newest first.

        Raises:
            UnknownMemoryError: there is no such memory of this person.
        """
        revisions = history(self._instruments, self._caller, known_id(logical_id))
        return overview.events_about(self._instruments, self._caller, [logical_id, *(entry.id for entry in revisions)])

    def receipts(self) -> Sequence[ForgetReceipt]:
        """Return the receipts of what the person had forgotten, newest first."""
        return overview.own_receipts(self._instruments, self._caller)

    def receipt(self, receipt_id: str) -> ForgetReceipt:
        """Return one of them.

        Raises:
            UnknownMemoryError: there is no such receipt of this person.
        """
        return overview.own_receipt(self._instruments, self._caller, known_id(receipt_id))

    def holdings(self) -> dict[str, int]:
        """Count what every place that can hold personal data has of the person."""
        return overview.holdings(self._instruments, self._caller)

    def preview_forget_source(self, ref: str) -> ForgetPreview:
        """Count what forgetting everything from one source would reach; change nothing."""
        return forget_ephemeral.preview(self._instruments, self._caller, ForgetTarget(source=ref))
