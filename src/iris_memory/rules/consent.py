"""Consent: the fold of the ledger, and the chain that makes a rewritten, dropped or reordered event visible.

Laws:
* the active set is the last event per type, by sequence, that is granted and not expired at `now`;
* a sensitive category's consent and `sensitive_data` rest on the legal basis `consent` alone (GDPR Art. 9(2)(a));
* each fingerprint covers the one before it and blinded commitments of the person and the free text, so that a purge,
  which destroys values and blindings, leaves the chain valid.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import Final, Literal, NamedTuple

from iris_memory.contracts.category import MULTI_ACTOR_SENSITIVE, Category
from iris_memory.contracts.consent import (
    SENSITIVE_CONSENT_PREFIX,
    CaptureMethod,
    ConsentDue,
    ConsentEvent,
    ConsentNotice,
    ConsentStatus,
    ConsentType,
    DueReason,
    LegalBasis,
    category_consent,
)
from iris_memory.contracts.entry import ConsentSource
from iris_memory.contracts.shape import format_instant
from iris_memory.tables.categories import SENSITIVE_CATEGORIES
from iris_memory.tables.consents import reask_after

GENESIS: Final = "0" * 64
PURGED: Final = "purged"
"""What stands in the place of a purged person and witness."""
CONSENT_NAMES: Final = frozenset(
    {*(member.value for member in ConsentType), *(category_consent(category) for category in SENSITIVE_CATEGORIES)}
)
"""Every consent that can be given."""

_EXPLICIT: Final = frozenset(
    {ConsentType.SENSITIVE_DATA.value, *(category_consent(category) for category in SENSITIVE_CATEGORIES)}
)


def compute_terms_hash(terms: str) -> str:
    """Return the SHA-256 of the exact text shown, in lower-case hex."""
    return sha256(terms.encode()).hexdigest()


def unusual(name: str, basis: LegalBasis) -> str | None:
    """Return what is wrong with a consent's name or legal basis, in words; None where nothing is."""
    if name not in CONSENT_NAMES:
        return "there is no such consent; see the list of consents"
    if name in _EXPLICIT and basis is not LegalBasis.CONSENT:
        return "a sensitive category and sensitive_data rest on the legal basis `consent` alone"
    return None


def person_commitment(blinding: bytes, *, tenant_id: str, user_id: str) -> str:
    """Return the blinded commitment of the person (HMAC-SHA256 under the blinding)."""
    return hmac.digest(blinding, b"person\x00" + f"{tenant_id}\x00{user_id}".encode(), "sha256").hex()


def note_commitment(blinding: bytes, *, note: str | None, witness: str) -> str:
    """Return the blinded commitment of the free text: the note and the witness."""
    return hmac.digest(blinding, b"text\x00" + f"{witness}\x00{note or ''}".encode(), "sha256").hex()


def compute_fingerprint(event: ConsentEvent) -> str:
    """Return the SHA-256 over everything of an event but the person, the free text and the blinding."""
    parts = (
        str(event.record_version),
        event.event_id,
        event.tenant_id,
        event.type,
        event.status.value,
        event.legal_basis.value,
        event.capture_method.value,
        event.terms_hash,
        event.terms_language,
        event.jurisdiction,
        format_instant(event.occurred_at),
        format_instant(event.expires_at) if event.expires_at else "",
        str(event.sequence),
        event.previous,
        event.person_commitment,
        event.note_commitment,
    )
    return sha256(b"".join(len(part.encode()).to_bytes(4, "big") + part.encode() for part in parts)).hexdigest()


def sealed_event(draft: ConsentEvent) -> ConsentEvent:
    """Return an event with its commitments and fingerprint computed."""
    blinding = bytes.fromhex(draft.blinding)
    committed = draft.model_copy(
        update={
            "person_commitment": person_commitment(blinding, tenant_id=draft.tenant_id, user_id=draft.user_id),
            "note_commitment": note_commitment(blinding, note=draft.note, witness=draft.witness),
        }
    )
    return committed.model_copy(update={"fingerprint": compute_fingerprint(committed)})


def validate_consent_event(event: ConsentEvent) -> bool:
    """Say whether an event is as it was written: commitments and fingerprint recomputed and compared.

    Of a purged event only the fingerprint can be: values and blinding are gone.
    """
    if not hmac.compare_digest(event.fingerprint, compute_fingerprint(event)):
        return False
    return event in (sealed_event(event), purged(event))


def purged(event: ConsentEvent) -> ConsentEvent:
    """Return an event without the person, the free text and the blinding; fingerprint and chain stay valid."""
    return event.model_copy(update={"user_id": PURGED, "note": None, "witness": PURGED, "blinding": GENESIS})


def verify_ledger(events: Sequence[ConsentEvent]) -> list[str]:
    """Return what is wrong with a person's ledger, in codes with the sequence; nothing when all is well."""
    problems = []
    previous = GENESIS
    for place, event in enumerate(events, start=1):
        if event.sequence != place:
            problems.append(f"consent-sequence-gap at {place}")
        if event.previous != previous:
            problems.append(f"consent-chain-broken at {place}")
        if not validate_consent_event(event):
            problems.append(f"consent-event-rewritten at {place}")
        previous = event.fingerprint
    return problems


def compute_active_consents(events: Iterable[ConsentEvent], now: datetime) -> frozenset[str]:
    """Return the names of the consents in force at `now`."""
    return frozenset(
        name
        for name, event in last_answers(events).items()
        if event.status is ConsentStatus.GRANTED and (event.expires_at is None or event.expires_at > now)
    )


def last_answers(events: Iterable[ConsentEvent]) -> dict[str, ConsentEvent]:
    """Return the last event per consent, by sequence."""
    return {event.type: event for event in sorted(events, key=lambda event: event.sequence)}


def withdrawn_with(names: Iterable[str], active: Collection[str]) -> tuple[str, ...]:
    """Return the consents that end when some are withdrawn: those named, in order, and those that hang on them.

    With `sensitive_data` the consent of every sensitive category that is in force ends too.
    """
    ending = list(dict.fromkeys(names))
    if ConsentType.SENSITIVE_DATA.value in ending:
        hanging = sorted(name for name in active if name.startswith(SENSITIVE_CONSENT_PREFIX))
        ending += [name for name in hanging if name not in ending]
    return tuple(ending)


class Cut(NamedTuple):
    """What a withdrawal takes away: memories of these categories, and those about sensitive interactions."""

    categories: frozenset[Category]
    interactions: bool

    @property
    def is_empty(self) -> bool:
        """Say whether nothing goes."""
        return not self.categories and not self.interactions


def cut_of(names: Iterable[str]) -> Cut:
    """Return what goes when consents end."""
    ending = set(names)
    categories = {category for name in ending if (category := category_of(name)) is not None}
    if ConsentType.SENSITIVE_DATA.value in ending:
        categories |= SENSITIVE_CATEGORIES
    return Cut(frozenset(categories), ConsentType.MULTI_ACTOR_SENSITIVE.value in ending)


def consents_due(
    events: Iterable[ConsentEvent], notices: Iterable[ConsentNotice], now: datetime
) -> tuple[ConsentDue, ...]:
    """Return the consents to be asked for again, by name: each once, under the strongest reason (DSR-17).

    A consent whose end has come is `expired`. One given under other terms than those of every notice now shown in its
    language is `terms-changed`; where none is shown in its language, `language-changed`. One that is older than its
    row of `tables.consents` is due for `re-ask`. What was refused or withdrawn is not asked for again.
    """
    shown: dict[str, list[ConsentNotice]] = {}
    for notice in notices:
        shown.setdefault(notice.type, []).append(notice)
    due = []
    for name, event in sorted(last_answers(events).items()):
        if event.status is not ConsentStatus.GRANTED:
            continue
        offered = sorted(shown.get(name, ()), key=lambda notice: notice.terms_language)
        found = _due(event, offered, now)
        if found is not None:
            reason, since = found
            due.append(
                ConsentDue(
                    name=name,
                    reason=reason,
                    since=since,
                    in_force=reason is not DueReason.EXPIRED,
                    event_id=event.event_id,
                    given_at=event.occurred_at,
                    notices=tuple(offered),
                )
            )
    return tuple(due)


def _due(event: ConsentEvent, offered: Sequence[ConsentNotice], now: datetime) -> tuple[DueReason, datetime] | None:
    if event.expires_at is not None and event.expires_at <= now:
        return DueReason.EXPIRED, event.expires_at
    if offered and all(notice.terms_hash != event.terms_hash for notice in offered):
        same = [notice for notice in offered if notice.terms_language == event.terms_language]
        if same:
            return DueReason.TERMS_CHANGED, max(notice.published_at for notice in same)
        return DueReason.LANGUAGE_CHANGED, min(notice.published_at for notice in offered)
    asked_again = event.occurred_at + reask_after(event.type)
    if asked_again <= now:
        return DueReason.RE_ASK, asked_again
    return None


@lru_cache(maxsize=1_024)
def consented_categories(active: frozenset[str]) -> frozenset[Category | Literal["multi-actor-sensitive"]]:
    """Return the sensitive categories (and `multi-actor-sensitive`) that active consents open."""
    opened: set[Category | Literal["multi-actor-sensitive"]] = {
        category for category in SENSITIVE_CATEGORIES if category_consent(category) in active
    }
    if ConsentType.MULTI_ACTOR_SENSITIVE.value in active:
        opened.add(MULTI_ACTOR_SENSITIVE)
    return frozenset(opened)


def category_of(name: str) -> Category | None:
    """Return the category a consent is about; None for the general ones."""
    if not name.startswith(SENSITIVE_CONSENT_PREFIX):
        return None
    return Category(name.removeprefix(SENSITIVE_CONSENT_PREFIX))


ENTRY_SOURCE: Final = {
    CaptureMethod.INLINE_PROMPT: ConsentSource.INLINE_PROMPT,
    CaptureMethod.SETTINGS_TOGGLE: ConsentSource.SETTINGS_TOGGLE,
    CaptureMethod.DSAR_IMPORT: ConsentSource.DSAR_IMPORT,
    CaptureMethod.VOICE: ConsentSource.INLINE_PROMPT,
    CaptureMethod.GUARDIAN: ConsentSource.SETTINGS_TOGGLE,
    CaptureMethod.API: ConsentSource.SETTINGS_TOGGLE,
}
"""How a ledger event's capture method is noted on an entry."""
