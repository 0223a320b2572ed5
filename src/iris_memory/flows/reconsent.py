"""Re-consent: consents that are to be asked for again, as questions of the inbox. Unanswered, nothing changes.

A yes names the exact text it was asked with; its hash must be that of a notice now shown or, where none is, of the
terms agreed to before. A no ends the consent from now on, like a withdrawal: the sensitive memory under it is deleted.
"""

from __future__ import annotations

from typing import Final

from iris_memory.contracts.consent import CaptureMethod, ConsentDue, ConsentEvent, ConsentStatus
from iris_memory.contracts.inference import Answered, Choice, InboxKind, InboxQuestion
from iris_memory.contracts.write import Refused
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows import consent
from iris_memory.flows.answer import not_free
from iris_memory.flows.asking import shown_digest
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.rules.consent import compute_terms_hash
from iris_memory.tables.limits import QUESTION_LIFETIME

PREFIX: Final = "reconsent-"
DECISIONS: Final = ("yes", "no", "skip")
_CHOICES: Final = (
    Choice(decision="yes", effect="the consent is given anew; the answer names the exact text it was asked with"),
    Choice(decision="no", effect="the consent ends now; sensitive memory goes with it, other is recalled no more"),
    Choice(decision="skip", effect="nothing is decided; the question waits on"),
)


def is_reconsent(question_id: str) -> bool:
    """Say whether an id is that of a question about a consent."""
    return question_id.startswith(PREFIX)


def pending(instruments: Instruments, caller: Caller) -> list[InboxQuestion]:
    """Return the questions about consents that are due."""
    now = instruments.clock.now()
    return [
        InboxQuestion(
            question_id=PREFIX + due.event_id,
            kind=InboxKind.RE_CONSENT,
            asked_at=due.since,
            expires_at=now + QUESTION_LIFETIME,
            revision=1,
            rule=due.reason.value,
            prompt=f"You agreed to {due.name} on {due.given_at:%Y-%m-%d}. Does that still hold?",
            was=f"{due.name}: {'in force' if due.in_force else 'over'}",
            new=f"{due.name}: granted anew",
            needs=tuple(notice.terms_hash for notice in due.notices),
            choices=_CHOICES,
            digest=_digest(due),
        )
        for due in consent.due(instruments, caller)
    ]


def answer(
    instruments: Instruments,
    caller: Caller,
    question_id: str,
    decision: str,
    *,
    digest: str,
    terms: str | None,
    after_untrusted: bool,
) -> Answered | Refused:
    """Decide a question about a consent: `yes` (with its terms), `no` or `skip`.

    Raises:
        UnknownMemoryError: that consent is not due.
        ContractError: the digest is another one, the terms are not those of a notice, or the decision is none.
    """
    if decision not in DECISIONS:
        raise ContractError(f"decision is one of {', '.join(DECISIONS)}; anything else is no answer")
    due = next((one for one in consent.due(instruments, caller) if PREFIX + one.event_id == question_id), None)
    if due is None:
        raise UnknownMemoryError("there is no such question, or its time is over")
    if _digest(due) != digest:
        raise ContractError("an answer names the digest of what was shown; show it again")
    if after_untrusted:
        return not_free()
    if decision == "yes":
        before = next(event for event in consent.consent_trail(instruments, caller) if event.event_id == due.event_id)
        consent.record_consents(instruments, caller, [due.name], ConsentStatus.GRANTED, _asking(due, before, terms))
    elif decision == "no":
        asking = consent.Asking(terms=question_id, capture_method=CaptureMethod.INLINE_PROMPT, witness="inbox")
        consent.record_consents(instruments, caller, [due.name], ConsentStatus.DENIED, asking)
    return Answered(question_id=question_id, kind=InboxKind.RE_CONSENT, decision=decision)


def _asking(due: ConsentDue, before: ConsentEvent, terms: str | None) -> consent.Asking:
    if terms is None:
        raise ContractError("a consent is given anew with the exact text it was asked with: `terms`")
    shown = {notice.terms_hash: notice.terms_language for notice in due.notices} or {
        before.terms_hash: before.terms_language
    }
    language = shown.get(compute_terms_hash(terms))
    if language is None:
        raise ContractError("terms: not the text of a notice that is shown now")
    return consent.Asking(
        terms=terms,
        terms_language=language,
        legal_basis=before.legal_basis,
        capture_method=CaptureMethod.INLINE_PROMPT,
        witness="inbox",
        jurisdiction=before.jurisdiction,
    )


def _digest(due: ConsentDue) -> str:
    hashes = [notice.terms_hash for notice in due.notices]
    return shown_digest(PREFIX + due.event_id, 1, due.name, due.reason.value, *hashes)
