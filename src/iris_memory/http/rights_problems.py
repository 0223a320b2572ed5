"""What each refusal of a data-rights step or of a legal hold is on the wire."""

from __future__ import annotations

from typing import Final, NamedTuple

from iris_memory.contracts.rights import HoldRefusal as H
from iris_memory.contracts.rights import RightsRefusal as R
from iris_memory.tables.totality import total


class StepRow(NamedTuple):
    """The status of a refusal and what it says."""

    status: int
    title: str


RIGHTS_REFUSALS: Final = total(
    "rights refusals",
    R,
    [
        (R.PROOF_NOT_ACCEPTED, StepRow(403, "this does not prove who asks")),
        (R.TOO_MANY_ATTEMPTS, StepRow(403, "there were too many attempts")),
        (R.OWN_DECISION, StepRow(403, "the one who decided never decides the appeal")),
        (R.VERIFICATION_OVER, StepRow(409, "the request does not wait for a proof any more")),
        (R.NOT_ALLOWED_FROM_STATE, StepRow(409, "the request does not take this step from where it stands")),
        (R.ALREADY_APPEALED, StepRow(409, "the request was appealed before")),
        (R.ALREADY_EXTENDED, StepRow(409, "the deadline was extended before")),
        (R.NO_EXTENSION, StepRow(409, "this deadline is not extended")),
        (R.DEADLINE_PASSED, StepRow(409, "the time for this is over")),
        (R.REQUEST_ON_HOLD, StepRow(409, "the request is on hold")),
        (R.NOT_ON_HOLD, StepRow(409, "the request is not on hold")),
        (R.FINGERPRINT_MISSING, StepRow(422, "the fingerprint of the result is missing")),
        (R.GRACE_OVER, StepRow(409, "the grace is over")),
        (R.NOTHING_SET_ASIDE, StepRow(409, "nothing is set aside by this request")),
        (R.FULFILMENT_REFUSED, StepRow(409, "what was asked for cannot be carried out as it stands")),
        (R.NO_FULFILMENT, StepRow(409, "this is carried out elsewhere and completed by hand")),
        (R.REQUESTER_ERASED, StepRow(409, "the person was erased")),
    ],
)

HOLD_REFUSALS: Final = total(
    "hold refusals",
    H,
    [
        (H.SELF_CONFIRMATION, StepRow(403, "a hold is confirmed by somebody else than who placed it")),
        (H.NOT_WAITING, StepRow(409, "the hold does not wait for a confirmation")),
        (H.NOT_IN_FORCE, StepRow(409, "the hold is not in force")),
        (H.ALREADY_OVER, StepRow(409, "the hold is over")),
    ],
)
