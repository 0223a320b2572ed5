"""What each denial of an inspection, and each step of one that is not taken, is on the wire."""

from __future__ import annotations

from typing import Final

from iris_memory.contracts.inspection import InspectionDenial as D
from iris_memory.contracts.inspection import InspectionRefusal as R
from iris_memory.http.rights_problems import StepRow
from iris_memory.tables.totality import total

INSPECTION_DENIALS: Final = total(
    "inspection denials",
    D,
    [
        (D.CROSS_TENANT, StepRow(403, "no operator looks into another tenant")),
        (D.SCOPE_OUT_OF_BOUNDS, StepRow(403, "the scope is not the person's")),
        (D.NO_LEGITIMATE_INTEREST, StepRow(403, "the reason does not carry this")),
        (D.CONSENT_NOT_CURRENT, StepRow(409, "the person's consents are not those that were looked at")),
        (D.SENSITIVE_ROUTINE_REVIEW, StepRow(403, "sensitive memory is no matter of routine")),
        (D.ROLE_NOT_PERMITTED, StepRow(403, "the role does not open this")),
        (D.SCOPE_TOO_WIDE, StepRow(422, "there is more in the scope than its cap")),
        (D.GRANT_EXPIRED, StepRow(409, "the time for this is over")),
        (D.SELF_APPROVAL, StepRow(403, "the one who asks never grants")),
        (D.SECOND_APPROVER_MISSING, StepRow(409, "somebody else's word is missing")),
    ],
)

INSPECTION_REFUSALS: Final = total(
    "inspection refusals",
    R,
    [
        (R.NOT_WAITING, StepRow(409, "the request does not wait for this any more")),
        (R.NOT_GRANTED, StepRow(409, "there is no grant")),
        (R.NOT_THE_REQUESTER, StepRow(403, "a grant is for the one who asked, in the role they asked in")),
        (R.KILL_SWITCH_ON, StepRow(409, "inspection is stopped for the tenant")),
        (R.READ_RATE_EXCEEDED, StepRow(429, "this is faster than anybody reads")),
        (R.NOT_IN_REVIEW, StepRow(409, "the inspection does not wait for a review")),
        (R.CARVE_OUT_NOT_ALLOWED, StepRow(422, "a carve-out ends, within 90 days of when the first began")),
        (R.SUBJECT_ERASED, StepRow(409, "the person was erased")),
    ],
)
