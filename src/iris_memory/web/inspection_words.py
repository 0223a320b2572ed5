"""The words of inspection: what each path, reason, state and denial is called, and what a denial would need."""

from __future__ import annotations

from typing import Final, NamedTuple

from iris_memory.contracts.inspection import (
    CarveOutGround,
    CloseReason,
    InspectionDenial,
    InspectionPath,
    InspectionReason,
    InspectionState,
    OperatorRole,
)
from iris_memory.tables.inspectors import REASONS
from iris_memory.tables.totality import total

_P, _W, _S, _D, _R = InspectionPath, InspectionReason, InspectionState, InspectionDenial, OperatorRole

PATHS: Final = total(
    "inspection path words",
    InspectionPath,
    [
        (_P.DSAR_FULFILLMENT, "To answer a data-rights request"),
        (_P.INCIDENT_ESCALATION, "For an incident"),
        (_P.ROUTINE_REVIEW, "Routine review"),
    ],
)

WHY: Final = total(
    "inspection reason words",
    InspectionReason,
    [
        (_W.DATA_SUBJECT_REQUEST, "A data-rights request of the person"),
        (_W.SAFETY_INCIDENT, "A safety incident"),
        (_W.SECURITY_INCIDENT, "A security incident"),
        (_W.ABUSE_REPORT, "A report of abuse"),
        (_W.SUPPORT_CASE, "A support case"),
        (_W.QUALITY_REVIEW, "A review of quality"),
    ],
)

WHY_BY_PATH: Final = {reason.value: f"{WHY[reason]} ({PATHS[path].lower()})" for reason, path in REASONS.items()}
"""Reasons as a form offers them; each says its path."""

STATES: Final = total(
    "inspection state words",
    InspectionState,
    [
        (_S.REQUESTED, "Asked"),
        (_S.DSAR_FULFILLMENT, "Waits for approval"),
        (_S.INCIDENT_ESCALATION, "Waits for approval"),
        (_S.ROUTINE_REVIEW, "Waits for approval"),
        (_S.GRANTED, "Open"),
        (_S.DENIED, "Denied"),
        (_S.CLOSED, "Closed"),
    ],
)

INSPECTOR_ROLES: Final = total(
    "inspector words",
    OperatorRole,
    [
        (_R.SUPPORT, "Support"),
        (_R.ADMIN, "Admin"),
        (_R.LEGAL, "Legal"),
        (_R.TRUST_AND_SAFETY, "Trust and safety"),
    ],
)

CLOSED_BY: Final = total(
    "closing words",
    CloseReason,
    [
        (CloseReason.FINISHED, "the operator was done"),
        (CloseReason.EXPIRED, "its time was over"),
        (CloseReason.KILLED, "somebody who approves stopped it"),
        (CloseReason.CONSENT_CHANGED, "the person's consents changed"),
        (CloseReason.SUBJECT_ERASED, "the person was erased"),
    ],
)

GROUNDS: Final = total(
    "carve-out words",
    CarveOutGround,
    [
        (CarveOutGround.ACTIVE_INVESTIGATION, "An investigation that is under way"),
        (CarveOutGround.LEGAL_ORDER, "A legal order"),
        (CarveOutGround.RISK_TO_OTHERS, "A risk to others"),
    ],
)


class DenialWords(NamedTuple):
    """The rule behind a denial, and what would be needed instead."""

    rule: str
    needed: str


DENIALS: Final = total(
    "denial words",
    InspectionDenial,
    [
        (
            _D.CROSS_TENANT,
            DenialWords(
                "Operators look at people of their own organisation alone.", "An operator of that organisation."
            ),
        ),
        (
            _D.SCOPE_OUT_OF_BOUNDS,
            DenialWords("What is named belongs to the person the request is about.", "A scope of that person."),
        ),
        (
            _D.NO_LEGITIMATE_INTEREST,
            DenialWords(
                "The reason fits the path, and the path has its proof: a data-rights request of the person in progress,"
                " or an incident reference that is signed by a registered key and in force.",
                "A reason of that path, and its proof.",
            ),
        ),
        (
            _D.CONSENT_NOT_CURRENT,
            DenialWords(
                "Sensitive memory opens only under the consents as they stand now.",
                "A new request, which names the head of the consent chain of this moment.",
            ),
        ),
        (
            _D.SENSITIVE_ROUTINE_REVIEW,
            DenialWords(
                "Sensitive memory is never opened for a routine review.",
                "A data-rights request (legal) or a signed incident (trust and safety).",
            ),
        ),
        (
            _D.ROLE_NOT_PERMITTED,
            DenialWords(
                "The role does not look by this path at memory of this kind.",
                "Somebody in a role that does; the policy explainer lists them.",
            ),
        ),
        (
            _D.SCOPE_TOO_WIDE,
            DenialWords("A request reaches no more than its cap.", "A narrower query, or a cap that fits the case."),
        ),
        (
            _D.GRANT_EXPIRED,
            DenialWords("A request is answered in time, and a grant ends by itself.", "A new request."),
        ),
        (
            _D.SELF_APPROVAL,
            DenialWords(
                "Nobody approves their own request, nor one out of their own reporting line.",
                "Somebody else who approves: admin, legal or trust and safety.",
            ),
        ),
        (
            _D.SECOND_APPROVER_MISSING,
            DenialWords(
                "Sensitive memory is opened by two people beside the one who asks, other memory by one.",
                "Another person who approves.",
            ),
        ),
    ],
)
