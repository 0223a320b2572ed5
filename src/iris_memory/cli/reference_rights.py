"""The words of the reason codes of data rights and legal holds, for the reference."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from iris_memory.contracts.audit import AuditAction
from iris_memory.contracts.rights import DenialGround, HoldRefusal, RightsFact, RightsRefusal, RightsState

RIGHTS_EVENTS: Final = MappingProxyType(
    {
        AuditAction.RIGHTS_CHANGED: "a data-rights request took a step: which, where it stands, and who did it",
        AuditAction.LEGAL_HOLD_CHANGED: "a legal hold was placed, confirmed, reviewed or ended",
        AuditAction.MEMORY_SET_ASIDE: "memories were set aside, or let back, by a data-rights request or a held wish",
    }
)
RIGHTS_STATES: Final = MappingProxyType(
    {
        RightsState.SUBMITTED: "it arrived; who asks is still to be proved",
        RightsState.VERIFIED: "it is known who asks",
        RightsState.IN_PROGRESS: "somebody works on it, or a soft deletion's grace runs",
        RightsState.COMPLETED: "it was carried out; a deletion is purged",
        RightsState.FAILED: "it was denied with a ground, or could not be carried out",
        RightsState.CANCELLED: "the person took it back, or it said what another one says",
        RightsState.EXPIRED: "it was not proved in time who asks, or an answer did not come",
        RightsState.APPEALED: "the person wants another decision; it comes once, by somebody else",
    }
)
RIGHTS_FACTS: Final = MappingProxyType(
    {
        RightsFact.IDENTITY_PROVED: "a proof of who asks was accepted",
        RightsFact.ON_HOLD: "it waits for something; the deadline stays",
        RightsFact.HOLD_ENDED: "it goes on",
        RightsFact.EXTENDED: "the deadline was moved, with a reason the person is shown",
        RightsFact.PARTIALLY_FULFILLED: "a part is not granted, item by item; the rest is",
        RightsFact.DENIED: "it was denied with a ground, the law and the remedy",
        RightsFact.DUPLICATE: "an open request says the same",
        RightsFact.SET_ASIDE: "what a deletion reaches is noted and, with a grace, out of recall",
        RightsFact.REACTIVATED: "what a soft deletion set aside came back",
        RightsFact.APPEAL_UPHELD: "the decision stands",
        RightsFact.APPEAL_OVERTURNED: "the decision does not stand; it is taken up again",
        RightsFact.RESTRICTION_LIFTED: "what a restriction set aside came back",
    }
)
RIGHTS_REFUSALS: Final = MappingProxyType(
    {
        RightsRefusal.NOT_ALLOWED_FROM_STATE: "the table of transitions does not allow it from this state",
        RightsRefusal.ALREADY_APPEALED: "a request is appealed once",
        RightsRefusal.ALREADY_EXTENDED: "a deadline is extended once",
        RightsRefusal.NO_EXTENSION: "the law knows no extension here",
        RightsRefusal.DEADLINE_PASSED: "an extension comes before the first deadline; an answer is read in its time",
        RightsRefusal.REQUEST_ON_HOLD: "it goes on when the hold ends",
        RightsRefusal.NOT_ON_HOLD: "there is no hold to end",
        RightsRefusal.FINGERPRINT_MISSING: "a deletion or an export is complete with the fingerprint of its result",
        RightsRefusal.OWN_DECISION: "an appeal is decided by somebody else than the one who decided",
        RightsRefusal.VERIFICATION_OVER: "it waits for no proof any more; ask again",
        RightsRefusal.PROOF_NOT_ACCEPTED: "this is not what was sent, or this way of proving is the desk's",
        RightsRefusal.TOO_MANY_ATTEMPTS: "it was answered wrongly, or sent, too often",
        RightsRefusal.GRACE_OVER: "what was set aside is being purged",
        RightsRefusal.NOTHING_SET_ASIDE: "nothing is set aside by this request",
        RightsRefusal.FULFILMENT_REFUSED: "what was asked for cannot be done as it stands; the rule says why",
        RightsRefusal.NO_FULFILMENT: "it is carried out elsewhere, and completed by hand",
        RightsRefusal.REQUESTER_ERASED: "the person was erased; nothing of the request is left but its times",
    }
)
DENIAL_GROUNDS: Final = MappingProxyType(
    {
        DenialGround.IDENTITY_NOT_PROVEN: "it cannot be established who asks",
        DenialGround.MANIFESTLY_UNFOUNDED: "it is plainly without a basis",
        DenialGround.EXCESSIVE: "it repeats itself beyond measure",
        DenialGround.RIGHTS_OF_OTHERS: "granting it would harm others",
        DenialGround.LEGAL_OBLIGATION: "the law wants it kept",
        DenialGround.LEGAL_CLAIMS: "it is needed to establish, exercise or defend legal claims",
        DenialGround.FREEDOM_OF_EXPRESSION: "freedom of expression and information weighs more",
        DenialGround.NO_DATA_HELD: "nothing of the kind is held",
        DenialGround.RIGHT_NOT_APPLICABLE: "the law that applies does not know this right here",
    }
)
HOLD_REFUSALS: Final = MappingProxyType(
    {
        HoldRefusal.SELF_CONFIRMATION: "a hold is confirmed by somebody else than who placed it",
        HoldRefusal.NOT_WAITING: "it was confirmed before, or is over",
        HoldRefusal.NOT_IN_FORCE: "only a hold that is in force is reviewed",
        HoldRefusal.ALREADY_OVER: "it was released or has expired",
    }
)
