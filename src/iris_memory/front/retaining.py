"""What ages: the sweep of a store, and a person's reviews and expansions."""

from __future__ import annotations

from collections.abc import Sequence

from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.retaining import Expansion, Review, ReviewDecision
from iris_memory.contracts.write import Refused, Written
from iris_memory.flows import derived, reviewing
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.front.given import known_id, member


class Retention:
    """How one person's memory ages: what waits for a decision, and what summaries were made from."""

    def __init__(self, instruments: Instruments, caller: Caller) -> None:
        """Bind a caller; use `Iris.for_user(...).retention`."""
        self._instruments = instruments
        self._caller = caller

    def reviews(self) -> Sequence[Review]:
        """Return the memories whose envelope ended in `review`, those that end first coming first."""
        return reviewing.reviews(self._instruments, self._caller)

    def decide(
        self, logical_id: str, decision: ReviewDecision | str, *, expected: str | None = None, scan: bool = True
    ) -> Written | ForgetReceipt | Refused:
        """Decide a memory in review: `extend` or `end`.

        Args:
            logical_id: which memory.
            decision: `extend` keeps it one more window of its scope, `end` forgets it and gives the receipt.
            expected: the id of the revision that was seen; refused as stale when another one is in force.
            scan: after `end`, search every file for what should be gone.

        Raises:
            UnknownMemoryError: there is no such memory of this person.
        """
        return reviewing.decide_review(
            self._instruments,
            self._caller,
            known_id(logical_id),
            member(ReviewDecision, decision),
            expected=expected,
            scan=scan,
        )

    def expand(self, logical_id: str) -> Expansion:
        """Return a memory with everything it was made from, as far as it is still there.

        Raises:
            UnknownMemoryError: there is no such memory of this person.
        """
        return derived.expand(self._instruments, self._caller, known_id(logical_id))
