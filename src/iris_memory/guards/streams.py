"""Streams: an answer that is guarded while it is written.

In `off` and `shadow` every piece goes on as it came. In `enforce` what is decided goes on and what could still change
is held back; a stretch that would halt the answer is masked, so that nothing of it is shown before the end says so. The
row is written, and the decision made, when the whole answer is there. What only looks like a pseudonym is escaped as it
goes by, since nobody knows yet whether something will be masked.
"""

from __future__ import annotations

from collections.abc import Callable

from iris_memory.contracts.guarding import GuardOutcome
from iris_memory.contracts.masking import Action, Audience, Guard, GuardRow, Mode, PiiKind
from iris_memory.errors import MaskingError
from iris_memory.guards.decision import GuardDecision
from iris_memory.masking.decide import Verdict, Verdicts, kind_of, verdicts_of
from iris_memory.masking.pseudonyms import Exchange
from iris_memory.masking.render import MASKED_ACTIONS
from iris_memory.masking.streaming import MaskStream
from iris_memory.sources.corpora import OwnerIdentity
from iris_memory.tables.guards import GuardTable


class ResponseStream:
    """One answer in pieces. Feed it, then finish it; it is used once. Get one from `OwnerGuard.response_stream`."""

    def __init__(
        self,
        decide: Callable[[str], GuardDecision],
        *,
        mode: Mode,
        identity: Callable[[], OwnerIdentity],
        audience: Audience,
        exchange: Exchange,
    ) -> None:
        """Take what decides the whole answer, and what masks it meanwhile."""
        self._decide = decide
        self._pieces: list[str] = []
        self._masking: MaskStream | None = None
        self._closed = False
        self.decision: GuardDecision | None = None
        """What became of the whole answer; None until it is finished."""
        if mode is not Mode.ENFORCE:
            return
        try:
            now = identity()
            if not now.corpus.literals:
                raise MaskingError("nothing is known of the owner")
            verdicts = _in_force(now.table, audience=audience)
            self._masking = MaskStream(corpus=now.corpus, verdicts=verdicts, exchange=exchange)
        except Exception:  # the decision about the whole tells of it; until then nothing is shown
            self._closed = True

    def feed(self, piece: str) -> str:
        """Take a piece and return what goes on by now."""
        if self.decision is not None:
            raise MaskingError("a stream was fed after it was finished")
        self._pieces.append(piece)
        if self._closed:
            return ""
        return piece if self._masking is None else self._masked(lambda stream: stream.feed(piece))

    def finish(self) -> str:
        """Return what was held back, and decide about the whole."""
        rest = "" if self._closed or self._masking is None else self._masked(lambda stream: stream.finish())
        self.decision = self._decide("".join(self._pieces))
        return "" if self.decision.outcome is GuardOutcome.DENY else rest

    def _masked(self, step: Callable[[MaskStream], str]) -> str:
        assert self._masking is not None
        try:
            return step(self._masking)
        except Exception:
            self._closed = True
            return ""


def _in_force(table: GuardTable, *, audience: Audience) -> Verdicts:
    """Return the verdicts of an answer with only what is enforced acting."""
    enforced = frozenset(PiiKind) if table.closed else table.enforce
    verdicts = verdicts_of(table, guard=Guard.ANSWER, audience=audience)
    return {
        row.value: verdicts[row.value]
        if kind_of(row) in enforced or verdicts[row.value].action not in MASKED_ACTIONS
        else Verdict(Action.LOG)
        for row in GuardRow
    }
