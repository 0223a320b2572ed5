"""The mode: how far masking goes, as `IRIS_GOVERNANCE_OWNER_PII` says.

Less than was asked for is never run silently, and a mistyped value never stops a host: what is not understood runs
shadow, which changes no decision, with a warning that says so.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from iris_memory.contracts.masking import Action, Mode, PiiKind, Span
from iris_memory.masking.render import MASKED_ACTIONS
from iris_memory.tables.guards import GuardTable

SETTING: Final = "IRIS_GOVERNANCE_OWNER_PII"
_OFF: Final = frozenset({"", "0", "false", "no", "off"})


class ModeReading(NamedTuple):
    """The mode that runs, and what the operator has to be told about it."""

    mode: Mode
    warning: str | None


def read_mode(value: str | None) -> ModeReading:
    """Read the setting; None is unset."""
    word = (value or "").strip().lower()
    if word in _OFF:
        return ModeReading(Mode.OFF, None)
    if word in (Mode.SHADOW.value, Mode.ENFORCE.value):
        return ModeReading(Mode(word), None)
    return ModeReading(
        Mode.SHADOW,
        f"{SETTING} has a value that is not off, shadow or enforce: running shadow, nothing is masked or denied",
    )


def in_force(span: Span, *, mode: Mode, table: GuardTable) -> Action:
    """Return what a guard does with a span now: its action where a kind of it is enforced, else at most a log line."""
    if span.action not in MASKED_ACTIONS:
        return span.action
    enforced = frozenset(PiiKind) if table.closed else table.enforce
    return span.action if mode is Mode.ENFORCE and span.kinds & enforced else Action.LOG
