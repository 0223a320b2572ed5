"""What each event of the audit chain tells of, for the reference page."""

from __future__ import annotations

from typing import Final

from iris_memory.contracts.audit import AuditAction

EVENTS: Final = {
    AuditAction.RECALL_RESOLVED: "a recall was answered: ids returned, counts withheld by reason",
    AuditAction.MEMORY_WRITTEN: "a statement was remembered, or was known already",
    AuditAction.MEMORY_BATCH_WRITTEN: "several statements were remembered in one transaction",
    AuditAction.MEMORY_REFUSED: "a statement or correction was refused, counted by reason",
    AuditAction.MEMORY_REVISED: "a memory was corrected",
    AuditAction.CONFLICT_DECIDED: "two memories differed, and a rule decided",
    AuditAction.QUESTION_ASKED: "a question was put to the person",
    AuditAction.QUESTION_ANSWERED: "the person decided a question, or its time was over",
    AuditAction.FORGET_INTENDED: "memories were hidden; their keys are destroyed next",
    AuditAction.FORGET_COMPLETED: "keys are destroyed and rows deleted",
    AuditAction.CONSENT_RECORDED: "a consent was granted, denied or taken back",
    AuditAction.OPT_OUT_CHANGED: "the person changed what they opted out of",
    AuditAction.PAUSE_CHANGED: "a session went off the record, or back on it",
    AuditAction.IMPORT_STARTED: "an import began",
    AuditAction.IMPORT_COMPLETED: "an import came to its end: counts of what became of its rows",
    AuditAction.IMPORT_HELD: "imported rows wait for the person, counted by reason",
    AuditAction.APPROVAL_GRANTED: "somebody gave leave to use a reviewed scope",
    AuditAction.SETTING_CHANGED: "a tenant's setting was changed",
    AuditAction.KEY_ROTATED: "a root, tenant or signing key was renewed",
    AuditAction.STORE_RESTORED: "an older copy of the data was accepted and every erasure since replayed on it",
    AuditAction.MEMORY_READ: "the person looked at their own memory",
    AuditAction.SCOPE_CHANGED: "a memory was moved to another scope, or copied there read-only",
    AuditAction.DERIVED_SETTLED: "a source was forgotten: what was made from it ended, or was written anew without it",
    AuditAction.RETENTION_SWEPT: "a sweep ended memories whose time was over, with the summaries it names",
    AuditAction.REVIEW_DECIDED: "a memory in review was kept one more window, or ended",
    AuditAction.APPROVAL_ASKED: "somebody asked for leave to use a reviewed scope",
    AuditAction.APPROVAL_WITHDRAWN: "leave to use a reviewed scope was taken back",
    AuditAction.NOTICE_PUBLISHED: "the text that consent is asked with was published, by its hash",
    AuditAction.CONSENT_CASCADED: "a consent was withdrawn, and what was stored under it goes",
    AuditAction.EPHEMERAL_KEPT: "something was kept in the memory of a session, and nowhere else: a count, no ids",
    AuditAction.EPHEMERAL_FORGOTTEN: "the memory of a session ended: a count, no ids",
    AuditAction.INFERENCE_OBSERVED: "an inference was seen once more, by a keyed tag",
    AuditAction.PROMOTION_DECIDED: "a memory of a session was promoted, or stayed, with the reason of the rule",
    AuditAction.MEMORY_ROLLED_BACK: "the person went back to a time: counts of what went and what came back",
    AuditAction.WRITE_BURST: "a source or session wrote more than it may",
    AuditAction.NOTE_CONFIRMED: "an operator confirmed a note",
    AuditAction.NOTE_CORRECTED: "an operator corrected a note",
    AuditAction.NOTES_FORGOTTEN: "an operator forgot one note, or all",
    AuditAction.NOTES_RECALLED: "notes were looked up for a prompt: counts found, given out and withheld",
    AuditAction.GUARD_FIRED: "a guard looked at a call: kinds, counts and places, no literal",
    AuditAction.SUBJECT_JOINED: "a person was written about for the first time",
}
