"""The words of the pages: what each code is called, once, in plain English, sentence case."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from iris_memory.contracts.audit import AuditAction
from iris_memory.contracts.category import Category, Consumer, Surface
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.entry import (
    Label,
    Lifecycle,
    Origin,
    ProvenanceKind,
    QuarantineReason,
    SuppressionReason,
    TombstoneReason,
)
from iris_memory.contracts.scope import AdapterScope
from iris_memory.tables.totality import total

CATEGORIES: Final[Mapping[Category, str]] = MappingProxyType(
    {category: category.value.replace("_", " ").capitalize() for category in Category}
    | {
        Category.RELIGION_USER_REDACTED: "Religion",
        Category.POSE_ALIGNMENT: "Posture",
        Category.BIOMETRIC: "Body measures",
        Category.FINANCIAL: "Money",
        Category.LEGAL: "Legal matters",
        Category.SEXUAL: "Sexual life",
        Category.SPIRITUAL: "Spiritual life",
        Category.SPATIAL: "Places",
    }
)

_O = Origin
ORIGINS: Final = total(
    "origin words",
    Origin,
    [
        (_O.USER_STATED, "Said by you"),
        (_O.USER_CONFIRMED, "Confirmed by you"),
        (_O.MODEL_INFERRED, "Inferred"),
        (_O.SUMMARIZED_FROM_SESSION, "Summarised"),
        (_O.IMPORTED, "Imported"),
        (_O.OPERATOR_COPILOT, "Operator"),
    ],
)

_S = AdapterScope
SCOPES: Final = total(
    "scope words",
    AdapterScope,
    [
        (_S.ASSISTANT_PROFILE, "Profile"),
        (_S.SESSION, "Session"),
        (_S.SCENE, "Scene"),
        (_S.POSE, "Pose"),
        (_S.CONVERSATION, "Conversation"),
        (_S.DOMAIN, "Subject areas"),
        (_S.CROSS_DOMAIN, "Across subject areas"),
        (_S.NOTEBOOK, "Notebook"),
        (_S.OPERATOR_COPILOT, "Operator notes"),
        (_S.TENANT, "Kept by the organisation"),
        (_S.ADMIN_REVIEW, "Operator review"),
        (_S.CRISIS, "Crisis"),
    ],
)

_L = Lifecycle
LIFECYCLES: Final = total(
    "lifecycle words",
    Lifecycle,
    [
        (_L.DRAFT, "In question"),
        (_L.ACTIVE, ""),
        (_L.PAUSED, "Set aside"),
        (_L.SUPERSEDED, "Replaced"),
        (_L.TOMBSTONED, "Forgotten"),
    ],
)

_K = ProvenanceKind
PROVENANCE: Final = total(
    "provenance words",
    ProvenanceKind,
    [
        (_K.SESSION_TURN, "A turn of a conversation"),
        (_K.SESSION_SUMMARY, "A summary of a conversation"),
        (_K.PROFILE_PROMOTION, "Moved here from another place"),
        (_K.MANUAL_IMPORT, "A file that was imported"),
        (_K.INFERENCE_BATCH, "Something that was inferred"),
        (_K.NOTEBOOK_ATTACHMENT, "Moved into a notebook"),
        (_K.SCENE_EVENT, "An event of a scene"),
        (_K.POSE_SAMPLE, "Samples of a pose"),
    ],
)

_B = Label
LABELS: Final = total(
    "label words",
    Label,
    [
        (_B.USER_TYPED, "typed by you"),
        (_B.USER_PASTED, "pasted by you"),
        (_B.ASSISTANT, "written by the assistant"),
        (_B.TOOL, "from a tool"),
        (_B.WEB, "from a web page"),
        (_B.FILE, "from a file"),
        (_B.IMPORT, "from an import"),
        (_B.OPERATOR, "written by an operator"),
    ],
)

SURFACES: Final = total(
    "surface words",
    Surface,
    [
        (Surface.ASSISTANT, "the assistant"),
        (Surface.SHELL, "the shell"),
        (Surface.NOTEBOOK, "a notebook"),
        (Surface.ADMIN, "the operators' console"),
    ],
)
CONSUMERS: Final[Mapping[Consumer, str]] = MappingProxyType({one: one.value.capitalize() for one in Consumer})

_P = SuppressionReason
SUPPRESSIONS: Final = total(
    "suppression words",
    SuppressionReason,
    [
        (_P.CRISIS_FRAME, "Held back while a crisis lasts"),
        (_P.USER_PAUSE, "Set aside, as you asked"),
        (_P.SENSITIVE_CATEGORY, "Held back because it is sensitive"),
        (_P.TENANT_QUARANTINE, "Held back by the organisation"),
    ],
)

_Q = QuarantineReason
QUARANTINES: Final = total(
    "quarantine words",
    QuarantineReason,
    [
        (_Q.INSTRUCTION_LIKE, "Its words read like an instruction to the assistant"),
        (_Q.LOW_TRUST_SOURCE, "It came from a source that is not trusted"),
        (_Q.SENSITIVE_CONTENT, "Its words look sensitive and were filed as harmless"),
        (_Q.REPORTED_WRONG, "It was reported as wrong"),
    ],
)

_T = TombstoneReason
TOMBSTONES: Final = total(
    "tombstone words",
    TombstoneReason,
    [
        (_T.FORGOTTEN_BY_PERSON, "You forgot it"),
        (_T.CATEGORY_CLEARED, "You forgot its category"),
        (_T.EVERYTHING_FORGOTTEN, "You forgot everything"),
        (_T.CONSENT_WITHDRAWN, "You took a consent back"),
        (_T.RETENTION_ENDED, "Its time was over"),
        (_T.DATA_RIGHTS_REQUEST, "A request of yours was carried out"),
        (_T.DRAFT_LET_GO, "It was in question and was let go"),
        (_T.SOURCE_FORGOTTEN, "You forgot its source"),
        (_T.ROLLED_BACK, "You went back to an earlier time"),
        (_T.MENTION_FORGOTTEN, "You forgot everything about somebody"),
        (_T.MERGED_BY_MOVE, "Another memory says its words now"),
    ],
)

REFUSALS: Final[Mapping[RefusalReason, str]] = MappingProxyType(
    {
        RefusalReason.CONSENT_MISSING: "A consent is missing. Agree to it on the Consent page, or leave this as it is.",
        RefusalReason.SCOPE_SUPPRESSED: "This place is closed by what you agreed to or opted out of.",
        RefusalReason.SCOPE_EPHEMERAL: "It lives in its session alone and is not changed. Forget it and say it again.",
        RefusalReason.OPTED_OUT: "You opted out of this. Change it on the Consent page.",
        RefusalReason.SENSITIVE_CATEGORY_WITHOUT_CONSENT: (
            "This category is sensitive and has a consent of its own. Agree to it on the Consent page first."
        ),
        RefusalReason.OFF_THE_RECORD: "Remembering is paused, so nothing is written. Resume first.",
        RefusalReason.HIDDEN_CHARACTERS: "The words hold characters that cannot be seen. Type them anew.",
        RefusalReason.EMPTY_AFTER_CLEANING: "Nothing is left of the words. Type what is to be remembered.",
        RefusalReason.CONFLICT_KEPT_EXISTING: "Another memory says something else about the same thing, and stays.",
        RefusalReason.FORGOTTEN_BEFORE: "You forgot these words before. Tick the box to have them remembered again.",
        RefusalReason.STALE_REVISION: "It was changed since you opened it. What it says now is shown; save again.",
        RefusalReason.NOT_ACTIVE: "Only a memory that is in use is changed. Take it back into use first.",
        RefusalReason.ALREADY_EXPIRED: "The day it ends on is over. Choose a later one, or none.",
        RefusalReason.LOOKS_SENSITIVE: "The words look sensitive. Choose the category they belong to.",
        RefusalReason.READ_ONLY_COPY: "This is a copy and follows its source. It is changed there.",
        RefusalReason.SCOPE_CHANGE_NOT_ALLOWED: "Memory does not go from here to there.",
        RefusalReason.TENANT_MEMORY_STAYS: "What the organisation keeps is not moved. A copy may go into your profile.",
        RefusalReason.OPERATOR_MEMORY_STAYS: "What an operator noted stays with the operator.",
        RefusalReason.SCOPE_UNCHANGED: "It is there already.",
        RefusalReason.ANSWER_NOT_FREE: "The answer came right after something that is not trusted. Answer again.",
    }
)

ACTIONS: Final[Mapping[AuditAction, str]] = MappingProxyType(
    {
        AuditAction.RECALL_RESOLVED: "Came up in a recall",
        AuditAction.MEMORY_WRITTEN: "Was written",
        AuditAction.MEMORY_BATCH_WRITTEN: "Was written with others",
        AuditAction.MEMORY_REVISED: "Was changed",
        AuditAction.CONFLICT_DECIDED: "Met another memory, and it was decided which stays",
        AuditAction.QUESTION_ASKED: "Led to a question",
        AuditAction.QUESTION_ANSWERED: "A question about it was answered",
        AuditAction.MEMORY_READ: "Was shown to you",
        AuditAction.SCOPE_CHANGED: "Was moved or copied",
        AuditAction.MEMORY_SET_ASIDE: "Was set aside or taken back into use",
        AuditAction.REVIEW_DECIDED: "Was reviewed",
        AuditAction.DERIVED_SETTLED: "Was settled because a source went",
        AuditAction.FORGET_INTENDED: "Is being forgotten",
    }
)

RATIONALES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "recent": "it was used or changed not long ago",
        "matches-request": "it shares words with what was asked",
        "often-used": "it has been used before",
        "user-stated": "you said it",
        "user-confirmed": "you confirmed it",
        "model-inferred": "it was inferred",
        "operator-copilot": "an operator noted it",
        "summarized-from-session": "it was summarised from a session",
        "imported": "it was imported",
    }
)

REACHED: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "memories": ("memory, in every revision", "memories, in every revision"),
        "revisions": ("revision", "revisions"),
        "usage records": ("record of when it was used", "records of when they were used"),
        "questions": ("question that waits about it", "questions that wait about them"),
        "derived": ("of them was made from the others", "of them were made from the others"),
        "read-only copies": ("read-only copy elsewhere", "read-only copies elsewhere"),
        "handles": ("handle of somebody else", "handles of other people"),
        "rebuilt": ("summary, written anew without it", "summaries, written anew without them"),
        "held": (
            "kept for now by a legal hold, and used in no answer",
            "kept for now by a legal hold, and used in no answer",
        ),
        "made from them": ("memory that was made from them", "memories that were made from them"),
    }
)
"""What a forget reaches, one and many, by the name of the count."""

CAME: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "memories": ("memory", "memories"),
        "held": ("kept for now by a legal hold", "kept for now by a legal hold"),
        "consents": ("consent", "consents"),
        "consent_events": ("event of the consent ledger", "events of the consent ledger"),
        "opt_outs": ("opt-out", "opt-outs"),
    }
)
"""What came of a request, one and many, by the name of the count; the parts of an export bear their own names."""

DONE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "saved": "Saved. What it said before stays in its history.",
        "unchanged": "Nothing was changed.",
        "moved": "Moved.",
        "copied": "Copied. The copy changes and ends with its source.",
        "set-aside": "Set aside: it stays, and is used in no answer until you take it back into use.",
        "in-use": "Back in use.",
        "paused": "Paused. Nothing is written or read until you resume.",
        "resumed": "Resumed. What you say may be remembered again.",
        "agreed": "Noted. It is in force from now on.",
        "withdrawn": "Taken back. It is in force no more.",
        "opted": "Noted. What you opted out of is closed from now on.",
        "answered": "Answered.",
        "skipped": "Left open. The question waits on.",
        "held": "The words are kept for at most 7 days, so that you can answer later.",
        "asked": "Your request arrived.",
        "proved": "That was noted as a proof of who you are.",
        "cancelled": "Taken back.",
        "back": "Brought back. Everything that was set aside is in use again.",
        "appealed": "Noted. Somebody else than the one who decided will decide again.",
        "lifted": "Lifted. What was set aside is in use again.",
        "kept-on": "It is kept on.",
        "refused": "That was not done: it does not fit where the request stands.",
        "device-removed": "The device is removed.",
        "place-dropped": "That place is forgotten.",
        "named": "Saved.",
        "seen": "Noted as read.",
    }
)
"""What is said on the page that follows an act, by the code in its address."""

_UNITS: Final = (("year", 31_536_000), ("month", 2_592_000), ("day", 86_400), ("hour", 3_600), ("minute", 60))


def ago(then: datetime, now: datetime) -> str:
    """Return how long ago an instant was, or how far ahead it is, in the largest unit that counts one or more."""
    seconds = int((now - then) / timedelta(seconds=1))
    ahead, seconds = seconds < 0, abs(seconds)
    for name, length in _UNITS:
        count = seconds // length
        if count:
            told = f"{count} {name}{'' if count == 1 else 's'}"
            return f"in {told}" if ahead else f"{told} ago"
    return "in a moment" if ahead else "just now"


def counted(number: int, one: str, many: str = "") -> str:
    """Return a count with its noun: `1 memory`, `3 memories`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def left(until: datetime, now: datetime) -> str:
    """Return how long is left, in two units: `6 days 23 hours`, `4 minutes`; `no time` when it is over."""
    seconds = int((until - now) / timedelta(seconds=1))
    if seconds <= 0:
        return "no time"
    told = []
    for name, length in _UNITS:
        count, seconds = divmod(seconds, length)
        if count:
            told.append(counted(count, name))
    return " ".join(told[:2]) or "less than a minute"


def listed(words: list[str], last: str = "and") -> str:
    """Return words as a sentence has them: `a`, `a and b`, `a, b and c`."""
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)


def reached(name: str, count: int) -> str:
    """Return a count of what a forget reaches: `1 revision`, `3 revisions`."""
    one, many = REACHED.get(name, (name, name))
    return f"{count:,} {one if count == 1 else many}"


def came(counts: Mapping[str, int]) -> str:
    """Return what came of a request: `1 memory, 2 consents`; `Noted` where there is nothing to count."""
    told = [counted(count, *CAME.get(name, (name.replace("_", " "),) * 2)) for name, count in counts.items() if count]
    return ", ".join(told) or "Noted"
