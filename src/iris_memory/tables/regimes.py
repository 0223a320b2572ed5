"""Regimes: how long a data-rights request may take, by law. Periods are counted from the moment it was submitted.

A deadline that falls on a weekend or a holiday is not moved: some laws let it run on to the next working day (such as
Regulation 1182/71 Art. 3(4) for the GDPR), and meeting the earlier instant meets them all.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, NamedTuple

from iris_memory.contracts.rights import Regime as R
from iris_memory.contracts.rights import RightsKind as K
from iris_memory.contracts.rights import VerificationMethod as M
from iris_memory.tables.totality import total


class Period(NamedTuple):
    """A length of time: the earliest of its parts that are not zero. Months are calendar months."""

    days: int = 0
    months: int = 0
    business_days: int = 0


class RegimeRow(NamedTuple):
    """One regime. `objection` replaces `first` for an objection where the law is quicker; it is never extended."""

    law: str
    first: Period
    extension: Period | None
    acknowledge: Period | None = None
    objection: Period | None = None
    remedy: str = ""


_MONTH: Final = Period(days=30, months=1)
_TWO_MONTHS: Final = Period(months=2)
_AUTHORITY: Final = (
    "You can appeal here, and somebody else than the one who decided will decide again. You can also complain to a"
)

REGIMES: Final = total(
    "regimes",
    R,
    [
        (
            R.DEFAULT,
            RegimeRow(
                "the service's own terms", _MONTH, _TWO_MONTHS, remedy=f"{_AUTHORITY} data protection authority."
            ),
        ),
        (
            R.GDPR,
            RegimeRow(
                "GDPR Art. 12(3)",
                _MONTH,
                _TWO_MONTHS,
                remedy=f"{_AUTHORITY} supervisory authority (GDPR Art. 77) and seek a judicial remedy (Art. 79).",
            ),
        ),
        (
            R.UK_GDPR,
            RegimeRow(
                "UK GDPR Art. 12(3)",
                _MONTH,
                _TWO_MONTHS,
                remedy=f"{_AUTHORITY} supervisory authority, the Information Commissioner, and go to court.",
            ),
        ),
        (
            R.CCPA,
            RegimeRow(
                "Cal. Civ. Code § 1798.130(a)(2)",
                Period(days=45),
                Period(days=45),
                acknowledge=Period(business_days=10),
                objection=Period(business_days=15),
                remedy=f"{_AUTHORITY} state authority: the California Privacy Protection Agency or Attorney General.",
            ),
        ),
        (
            R.LGPD,
            RegimeRow(
                "LGPD Art. 19",
                Period(days=15),
                None,
                remedy=f"{_AUTHORITY} national authority (ANPD).",
            ),
        ),
    ],
)

VERIFY_DAYS: Final = 7
"""Days after which a request whose requester was not verified closes with a notice."""

FRESH_MINUTES: Final = 5
"""A sign-in is fresh for this long: for acts that destroy or open much, and as a proof of who asks (RFC 9470)."""

CHALLENGE_MINUTES: Final = MappingProxyType({M.EMAIL_LINK: 24 * 60, M.PHONE_OTP: 10})
"""Methods that are proved by a secret sent to the person, and for how long it is good."""

CHALLENGES_MOST: Final = 5
"""Challenges that may be sent for one request by one method."""

ATTEMPTS_MOST: Final = 5
"""Wrong answers after which a challenge is over."""

GRACE_MARGIN_HOURS: Final = 24
"""A soft deletion's grace ends this long before the deadline, so that the purge is done by then."""

ANSWER_DAYS: Final = 30
"""Days for which the answer to a completed access request can be read."""

SPOKEN: Final = MappingProxyType({"port-to": K.EXPORT, "opt-out": K.OBJECT})
"""Other names of what may be asked for. An appeal is a step of a request."""
