"""The page of reason codes: every closed set of reasons, with what each means and what to do about it.

Words stand here, or as the string below the member in its own source. A code without words stops the page.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from iris_memory.chain.findings import Finding
from iris_memory.cli.markdown import code, page, table
from iris_memory.cli.reference_events import EVENTS
from iris_memory.cli.reference_rights import (
    DENIAL_GROUNDS,
    HOLD_REFUSALS,
    RIGHTS_EVENTS,
    RIGHTS_FACTS,
    RIGHTS_REFUSALS,
    RIGHTS_STATES,
)
from iris_memory.contracts.audit import AuditAction
from iris_memory.contracts.decision import ConflictOutcome, ConflictRule, DropReason, HoldReason, RefusalReason
from iris_memory.contracts.entry import QuarantineReason, SuppressionReason, TombstoneReason
from iris_memory.contracts.inspection import InspectionDenial, InspectionRefusal
from iris_memory.contracts.masking import MaskingReason
from iris_memory.contracts.rights import DenialGround, HoldRefusal, RightsFact, RightsRefusal, RightsState
from iris_memory.errors import TableError
from iris_memory.formats import RowNote, UnreadableReason


class ReasonSet(NamedTuple):
    """One closed set: its heading, and the words of its members that have none in their source."""

    kind: type[StrEnum]
    title: str
    words: Mapping[Any, str] = MappingProxyType({})


_DROPS: Final = {
    DropReason.TENANT_MISMATCH: "it is of another tenant",
    DropReason.SCOPE_MISMATCH: "it is of another person, or the request's scope does not reach it",
    DropReason.SCOPE_SUPPRESSED: "consents, opt-outs, the consumer or a missing approval close its scope",
    DropReason.CRISIS_FRAME: "the person is in a crisis frame and it is not safety-critical; or held back for one",
    DropReason.USER_PAUSE: "the session is off the record, or the person paused this memory",
    DropReason.SENSITIVE_CATEGORY: "it was held back as sensitive",
    DropReason.TENANT_QUARANTINE: "the tenant holds it back",
    DropReason.QUARANTINED: "it is quarantined: shown to the person, never recalled",
    DropReason.LIFECYCLE_DRAFT: "it is a draft that waits for an answer",
    DropReason.LIFECYCLE_PAUSED: "it is paused",
    DropReason.LIFECYCLE_SUPERSEDED: "a later revision took its place",
    DropReason.LIFECYCLE_TOMBSTONED: "it was forgotten",
    DropReason.LIFECYCLE_EXPIRED: "its time is over",
    DropReason.WITHOUT_CONSENT: "its sensitive category, or the sensitive interaction in it, has no consent in force",
    DropReason.OUTSIDE_CONTEXT: "it is sensitive, and the conversation is about something else",
    DropReason.GATE_FAILED: "a gate could not decide; what cannot be decided is denied",
}
_REFUSALS: Final = {
    RefusalReason.CONSENT_MISSING: "the scope needs consents that are not in force; grant those named in `needs`",
    RefusalReason.SCOPE_SUPPRESSED: "the scope is closed for several causes, named in `rule`",
    RefusalReason.SCOPE_EPHEMERAL: "only `data_storage` is missing: the scope lives in the session and is never stored",
    RefusalReason.CONSUMER_NOT_ALLOWED: "the consumer may not use this scope",
    RefusalReason.GOVERNANCE_REVIEW_MISSING: "the scope waits for an approval: `iris approve`",
    RefusalReason.OPTED_OUT: "the person opted out of this kind of memory",
    RefusalReason.SENSITIVE_CATEGORY_WITHOUT_CONSENT: "a sensitive category is stored with its own consent alone",
    RefusalReason.MULTI_ACTOR_WITHOUT_CONSENT: "a sensitive interaction with somebody needs `multi_actor_sensitive`",
    RefusalReason.OFF_THE_RECORD: "the session, or everything, is paused: `iris resume`",
    RefusalReason.HIDDEN_CHARACTERS: "the text holds characters that hide others; write it without them",
    RefusalReason.EMPTY_AFTER_CLEANING: "nothing is left of the text when invisible characters are taken out",
    RefusalReason.ORIGIN_ABOVE_CEILING: "what carries this trust label may not claim this origin",
    RefusalReason.CATEGORY_ABOVE_CEILING: "what carries this trust label may not set this category",
    RefusalReason.SCOPE_NOT_OF_SUBJECT: "the scope belongs to somebody else",
    RefusalReason.ADAPTER_SCOPE_MISMATCH: "the adapter scope lies over another kind of scope",
    RefusalReason.CONFLICT_KEPT_EXISTING: "what is there weighs more; `rule` names the step of the ladder",
    RefusalReason.FORGOTTEN_BEFORE: "the same words were forgotten; they come back with `--again` alone",
    RefusalReason.UNKNOWN_MEMORY: "there is no such memory of this person",
    RefusalReason.STALE_REVISION: "another revision is in force than the one that was seen; look again",
    RefusalReason.NOT_ACTIVE: "only an active or paused memory is corrected",
    RefusalReason.SOURCE_FORGOTTEN: "a memory that its provenance names was forgotten; nothing is made of it",
    RefusalReason.SELF_APPROVAL: "the one who asked for an approval may not grant it",
    RefusalReason.NOT_WAITING: "the request was granted, withdrawn or is over",
    RefusalReason.MARKER_MISSING: "the request does not carry the marker that says what it means to do",
    RefusalReason.ALREADY_EXPIRED: "it would end before it begins",
    RefusalReason.ORIGIN_NEEDS_CONFIRMATION: "nothing is written as confirmed; ask: `inbox.observe` or `inbox.ask`",
    RefusalReason.ANSWER_NOT_FREE: "untrusted content was read in the turn of the answer or the one before; show again",
    RefusalReason.WRITE_BUDGET_SPENT: "the session or the source has written as much as it may in a day",
    RefusalReason.PROMOTION_REFUSED: "the memory stays in its session; `rule` is the reason of the promotion rule",
    RefusalReason.LOOKS_SENSITIVE: "the new words look sensitive; correct the category with them, or name it again",
    RefusalReason.SCOPE_CHANGE_NOT_ALLOWED: "the table of scope changes knows no such move",
    RefusalReason.TENANT_MEMORY_STAYS: "memory of a tenant is never moved; the profile may have a read-only copy",
    RefusalReason.OPERATOR_MEMORY_STAYS: "memory of an operator's copilot leaves it for nowhere",
    RefusalReason.SCOPE_UNCHANGED: "the memory is in that scope already",
    RefusalReason.PLACE_NOT_OF_SURFACE: "a place to continue from is not one of its surface: unit, distance or posture",
    RefusalReason.ASSISTANT_NOT_ALLOWED: "the assistant's registered identity does not include this scope",
    RefusalReason.SESSION_ENDED: "the session has ended; turns of another one are taken",
    RefusalReason.TURN_OUT_OF_ORDER: "the sequence is not the next one of the session",
    RefusalReason.READ_ONLY_COPY: "it is a read-only copy: it changes and ends with its source",
}
_HOLDS: Final = {
    HoldReason.SENSITIVE_LOOKING: "it looks sensitive; grant the consents named in `needs`, or accept its ref",
    HoldReason.INSTRUCTION_LIKE: "it reads like an order to an assistant; accept its ref if it is a memory",
    HoldReason.CONSENT_MISSING: "its sensitive category has no consent in force",
    HoldReason.FORGOTTEN_BEFORE: "the same words were forgotten before",
    HoldReason.REFUSED_BY_RULE: "another rule refuses it; `rule` says which",
    HoldReason.CONFLICT: "what is known weighs more",
}
_RULES: Final = {
    ConflictRule.ADMIN_COPILOT_NEVER_TRUMPS: "what an operator's copilot inferred never replaces what the person said",
    ConflictRule.EXPLICIT_USER_TRUMPS: "what the person said replaces what was inferred",
    ConflictRule.USER_CONFIRMED_TRUMPS: "what the person confirmed replaces what was inferred",
    ConflictRule.UNTRUSTED_NEVER_WINS: "what came from a file, an import, a tool or the web replaces nothing",
    ConflictRule.MOST_RECENT_WINS: "between equals the later one; between the person's own words, by asking",
}
_OUTCOMES: Final = {
    ConflictOutcome.KEEP_EXISTING: "what is there stays; the new statement is refused",
    ConflictOutcome.REPLACE: "the new statement becomes the next revision",
    ConflictOutcome.ASK_USER: "the new statement waits as a draft for the person's answer",
}
_SUPPRESSIONS: Final = {
    SuppressionReason.CRISIS_FRAME: "held back for a crisis frame",
    SuppressionReason.USER_PAUSE: "held back by the person",
    SuppressionReason.SENSITIVE_CATEGORY: "held back as sensitive",
    SuppressionReason.TENANT_QUARANTINE: "held back by the tenant",
}
_QUARANTINES: Final = {
    QuarantineReason.INSTRUCTION_LIKE: "it reads like an order to an assistant",
    QuarantineReason.LOW_TRUST_SOURCE: "its source is not trusted",
    QuarantineReason.SENSITIVE_CONTENT: "its words are sensitive and its category is not",
    QuarantineReason.REPORTED_WRONG: "the person says it is wrong",
}
_TOMBSTONES: Final = {
    TombstoneReason.FORGOTTEN_BY_PERSON: "the person forgot this memory",
    TombstoneReason.CATEGORY_CLEARED: "the person forgot its category",
    TombstoneReason.EVERYTHING_FORGOTTEN: "the person forgot everything, or was erased",
    TombstoneReason.CONSENT_WITHDRAWN: "the consent it was stored under was taken back",
    TombstoneReason.RETENTION_ENDED: "its time was over",
    TombstoneReason.DATA_RIGHTS_REQUEST: "a data-rights request asked for it",
    TombstoneReason.DRAFT_LET_GO: "the question about it was answered against it, or not at all",
    TombstoneReason.SOURCE_FORGOTTEN: "the person forgot everything that came from its source",
    TombstoneReason.ROLLED_BACK: "the person went back to a time before it was written",
    TombstoneReason.MENTION_FORGOTTEN: "the person forgot all mentions of somebody it was about",
    TombstoneReason.MERGED_BY_MOVE: "it moved to where the same slot was filled, and the memory there took its words",
}
_UNREADABLES: Final = {
    UnreadableReason.ABANDONED_BRANCH: "an edited prompt or a regenerated answer that was left behind",
    UnreadableReason.HIDDEN: "never shown to the person",
    UnreadableReason.NOT_TEXT: "an image, a sound, a tool call or reasoning",
    UnreadableReason.NOT_MEMORY: "a document kept beside the memory",
    UnreadableReason.EMPTY: "there are no words",
    UnreadableReason.TRUNCATED: "the file ends too early; nothing follows",
    UnreadableReason.TOO_LARGE: "one item is over the limit of size",
    UnreadableReason.TOO_DEEP: "one item is nested too deeply",
    UnreadableReason.BAD_ENCODING: "the bytes are no UTF-8",
    UnreadableReason.BAD_JSON: "the bytes are no JSON",
    UnreadableReason.DUPLICATE_KEY: "one object says two things under one name",
    UnreadableReason.DUPLICATE_REF: "an id that was seen before in this file",
    UnreadableReason.BAD_ROW: "JSON, but not of the shape of the format",
}
_NOTES: Final = {
    RowNote.NAIVE_TIME: "the time had no zone, so no instant is claimed",
    RowNote.BAD_TIME: "the time could not be understood",
    RowNote.ATTACHMENT: "the text of a file or of a long paste",
    RowNote.CUSTOM_INSTRUCTIONS: "what is put before the assistant on every turn",
}
_MASKINGS: Final = {
    MaskingReason.NOTHING_DECLARED: "a source declared no kind; it is not registered",
    MaskingReason.KIND_NOT_PROVIDABLE: "a source declared a kind that only the owner or Iris may give",
    MaskingReason.KIND_UNDECLARED: "a source gave a kind it had not declared; the literal is dropped",
    MaskingReason.TOO_WEAK: "the literal is too short or too common to look for",
    MaskingReason.CONFIG_UNREADABLE: "`identity.yaml` cannot be read; everything is masked, nothing is granted",
    MaskingReason.CONFIG_INVALID: "`identity.yaml` does not validate; everything is masked, nothing is granted",
}

REASONS: Final = (
    ReasonSet(DropReason, "Withheld from a recall", _DROPS),
    ReasonSet(RefusalReason, "Not remembered", _REFUSALS),
    ReasonSet(ConflictRule, "Rules of a conflict", _RULES),
    ReasonSet(ConflictOutcome, "Outcomes of a conflict", _OUTCOMES),
    ReasonSet(HoldReason, "Held by an import", _HOLDS),
    ReasonSet(UnreadableReason, "Unreadable in an import", _UNREADABLES),
    ReasonSet(RowNote, "Notes on an imported row", _NOTES),
    ReasonSet(SuppressionReason, "Held back", _SUPPRESSIONS),
    ReasonSet(QuarantineReason, "Quarantined", _QUARANTINES),
    ReasonSet(TombstoneReason, "Forgotten", _TOMBSTONES),
    ReasonSet(MaskingReason, "Owner PII", _MASKINGS),
    ReasonSet(Finding, "Wrong with an audit chain"),
    ReasonSet(AuditAction, "Audit events", {**EVENTS, **RIGHTS_EVENTS}),
    ReasonSet(RightsState, "States of a data-rights request", RIGHTS_STATES),
    ReasonSet(RightsFact, "Facts about a data-rights request", RIGHTS_FACTS),
    ReasonSet(RightsRefusal, "Steps of a data-rights request that are not taken", RIGHTS_REFUSALS),
    ReasonSet(DenialGround, "Denied", DENIAL_GROUNDS),
    ReasonSet(HoldRefusal, "Steps of a legal hold that are not taken", HOLD_REFUSALS),
    ReasonSet(InspectionDenial, "Inspections that are not granted"),
    ReasonSet(InspectionRefusal, "Steps of an inspection that are not taken"),
)


def reasons_page() -> str:
    """Return the page.

    Raises:
        TableError: a code has no words, or words belong to no code.
    """
    parts = []
    for held in REASONS:
        rows = [(code(member.value), words) for member, words in words_of(held).items()]
        parts += [f"## {held.title}", _first_line(held.kind), table(("code", "meaning"), rows)]
    return page(
        "Reason codes",
        "Each kind of decision has one closed set of codes. Codes are added, never renamed and never used again.",
        *parts,
    )


def words_of(held: ReasonSet) -> dict[StrEnum, str]:
    """Return the words of every member of a set.

    Raises:
        TableError: a code has no words, or words belong to no code.
    """
    words = {**_words_in_source(held.kind), **held.words}
    wrong = {*held.kind} ^ words.keys()
    if wrong:
        raise TableError(f"reason codes without words, or words without code: {', '.join(sorted(wrong))}")
    return {member: words[member] for member in held.kind}


def _words_in_source(kind: type[StrEnum]) -> dict[StrEnum, str]:
    """Return the strings that stand below members in the source of an enum."""
    (defined,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(defined, ast.ClassDef)
    found: dict[StrEnum, str] = {}
    for member, below in zip(defined.body, defined.body[1:], strict=False):
        match member, below:
            case ast.Assign(targets=[ast.Name(id=name)]), ast.Expr(value=ast.Constant(value=str(text))):
                found[kind[name]] = _sentence(text)
    return found


def _sentence(text: str) -> str:
    flat = " ".join(text.split()).removesuffix(".")
    return flat[:1].lower() + flat[1:]


def _first_line(kind: type) -> str:
    return inspect.cleandoc(kind.__doc__ or "").splitlines()[0]
