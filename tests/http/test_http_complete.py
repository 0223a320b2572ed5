"""What the library does for a person, an operator or a tenant, the API does too; each method has a row.

A new public method of a front door without a row fails here; so does a row whose method or operation is gone.
"""

from __future__ import annotations

import inspect
from typing import Any, Final

import pytest

from iris_memory.access.tokens import DevelopmentTokens
from iris_memory.front.assistants import Assistants, Webhooks
from iris_memory.front.audit_trail import AuditTrail
from iris_memory.front.bridge import MemoryBridge
from iris_memory.front.consents import Consents
from iris_memory.front.devices import Continuation, Devices
from iris_memory.front.exports import Exports
from iris_memory.front.governance import Governance
from iris_memory.front.guarding import Guarding
from iris_memory.front.inbox import Inbox
from iris_memory.front.inspection import Inspections
from iris_memory.front.iris import Iris
from iris_memory.front.operator_notes import OperatorNotes
from iris_memory.front.others import CategoryQuestions, Others
from iris_memory.front.overview import Overview
from iris_memory.front.person import PersonMemory
from iris_memory.front.retaining import Retention
from iris_memory.front.rights import Rights, RightsDesk
from iris_memory.front.service_tokens import Exchange, ServiceTokens
from iris_memory.http.application import create_app

HOST: Final = "the host's own: it opens, turns keys or serves, and is no act on somebody's memory"
INSIDE: Final = "what a host holds in its hand, and the service does with each request"

DOORS: Final[dict[type, dict[str, str]]] = {
    PersonMemory: {
        "remember": "remember",
        "remember_many": "remember_batch",
        "recall": "recall",
        "asking": "recall",
        "explain": "explain",
        "list": "list_memories search_memories",
        "show": "show_memory",
        "history": "list_revisions",
        "revise": "revise_memory",
        "preview_revise": "preview_revision",
        "change_scope": "change_scope",
        "preview_forget": "preview_forget",
        "forget": "forget forget_memory",
        "erase": "erase",
        "end_session": "end_session",
        "pause": "pause",
        "resume": "resume",
        "pauses": "list_pauses",
        "questions": "list_questions",
        "answer": "answer_question",
        "reviews": "list_reviews",
        "decide_review": "decide_review",
        "looked": "show_access_log",
        "notices": "show_access_log",
        "expand": "expand_memory",
        "opt_out": "put_opt_outs",
        "opt_outs": "show_consent",
        "scope_policies": "show_consent",
        "consent_trail": "list_consent_trail",
        "import_file": "import_export",
        "held": "list_held",
    },
    Consents: {
        "grant": "grant_consent",
        "deny": "deny_consent",
        "revoke": "revoke_consent",
        "withdraw": "revoke_consent",
        "preview_revoke": "preview_revoke",
        "active": "show_consent",
        "due": "list_consents_due",
        "trail": "list_consent_trail",
        "records": "list_consent_records",
        "check": "? the doctor's: whoever rewrote a ledger answers over HTTP as they like",
    },
    Inbox: {
        "observe": "observe",
        "questions": "list_inbox",
        "show": "list_inbox",
        "ask": "ask_about",
        "hold": "answer_inbox",
        "answer": "answer_inbox",
        "promote": "promote",
        "forget_source": "forget_source",
        "roll_back": "roll_back",
    },
    Others: {
        "mentions": "list_mentions",
        "preview_forget": "preview_forget_mentions",
        "forget_mentions": "forget_mentions",
    },
    CategoryQuestions: {"waiting": "list_category_questions", "answer": "answer_category_question"},
    Retention: {"reviews": "list_reviews", "decide": "decide_review", "expand": "expand_memory"},
    Overview: {
        "made_from": "list_made_from",
        "events": "list_memory_events",
        "receipts": "list_receipts",
        "receipt": "show_receipt",
        "holdings": "show_holdings",
        "preview_forget_source": "preview_forget_source",
    },
    Rights: {
        "submit": "submit_rights_request",
        "list": "list_rights_requests",
        "show": "show_rights_request",
        "verify": "step_rights_request",
        "reach": "show_rights_reach",
        "carry_out": "step_rights_request",
        "cancel": "step_rights_request",
        "reactivate": "step_rights_request",
        "appeal": "step_rights_request",
        "lift_restriction": "step_rights_request",
        "answer": "read_rights_answer",
        "holds": "list_own_holds",
    },
    Exports: {
        "make": "make_export",
        "status": "show_export",
        "collect": "download_export",
        "write": "download_export download_sealed",
        "discard": "discard_export",
    },
    Devices: {
        "list": "list_devices",
        "name": "name_device",
        "remove": "remove_device",
        "notices": "list_device_notices",
        "seen": "note_notice_seen",
    },
    Continuation: {
        "checkpoint": "keep_checkpoint",
        "recent": "list_continuation",
        "resume": "resume_continuation",
        "drop": "drop_continuation",
    },
    MemoryBridge: {
        "recall_relevant_memory": "recall_relevant_memory",
        "remember": "remember",
        "append": "append_turns",
        "reconnect": "reconnect_session",
        "end": "end_bridge_session",
        "turns": "read_turns",
        "redact": "redact_turns",
        "subscribe": "listen",
        "unsubscribe": "listen",
    },
    Guarding: {"log": f"? {INSIDE}", "statements": f"? {INSIDE}", "report": "pii_shadow"},
    RightsDesk: {
        "list": "list_desk",
        "challenge": "make_challenge",
        **dict.fromkeys(
            (
                "sign_off",
                "start",
                "extend",
                "hold",
                "resume",
                "deny",
                "deny_in_part",
                "fulfil",
                "complete",
                "fail",
                "decide_appeal",
            ),
            "step_desk",
        ),
        "holds": "list_desk_holds",
        "place_hold": "place_hold",
        "confirm_hold": "step_hold",
        "review_hold": "step_hold",
        "release_hold": "step_hold",
    },
    Inspections: {
        "consent_snapshot": "show_consent_snapshot",
        "request": "request_inspection",
        "approve": "step_inspection",
        "deny": "step_inspection",
        "close": "step_inspection",
        "review": "step_inspection",
        "show": "show_inspection",
        "list": "list_inspections",
        "read": "read_inspection",
        "replay_granted_snapshot": "replay_inspection",
        "open_reviews": "list_pending",
        "carve_out": "carve_out_inspection",
        "pending_user_notices": "list_pending",
        "pending_alarms": "list_pending",
        "deliver_pending": f"? {HOST}",
        "given_user_notices": "list_given",
        "alarms": "list_given",
        "report": "report_inspections",
        "kill_switch": "show_kill_switch set_kill_switch",
        "set_reporting_lines": "set_reporting_lines",
        "set_canaries": "set_canaries",
        "set_reporting_line": "set_reporting_line",
        "reporting_lines": "show_reporting_lines",
        "set_canary": "set_canary",
        "canaries": "show_canaries",
        "register_incident_key": "register_incident_key",
        "revoke_incident_key": "revoke_incident_key",
        "incident_keys": "list_incident_keys",
    },
    OperatorNotes: {
        "list": "list_operator_notes",
        "confirm": "confirm_operator_note",
        "correct": "correct_operator_note",
        "forget": "forget_operator_note",
        "forget_all": "forget_all_operator_notes",
        "recall": "recall_operator_notes",
        "erase": "erase",
    },
    Governance: {
        "ask": "ask_approval",
        "grant": "decide_approval",
        "withdraw": "decide_approval",
        "requests": "list_approvals",
        "approvals": "list_approvals",
        "publish_notice": "put_notices",
        "notices": "list_notices",
    },
    AuditTrail: {
        "events": "list_audit_events",
        "event": "show_audit_event",
        "proof": "prove_audit_event",
        "verify": "verify_audit",
        "export": "export_audit",
    },
    Assistants: {"register": "register_assistant", "retire": "retire_assistant", "list": "list_assistants"},
    Webhooks: {
        "register": "register_webhook",
        "list": "list_webhooks",
        "remove": "remove_webhook",
        "deliver": f"? {HOST}",
    },
    ServiceTokens: {"mint": "mint_service_token", "list": "list_service_tokens", "revoke": "revoke_service_token"},
    Exchange: {
        "service": "exchange_service_token",
        "issue": "exchange_service_token",
        "person": f"? {INSIDE}",
    },
    Iris: {
        **dict.fromkeys(
            (
                "open",
                "close",
                "flush",
                "sweep",
                "doctor",
                "tenants",
                "deployment_key",
                "rotate_tenant_key",
                "rotate_signing_key",
                "rotate_root_key",
                "set_tenant_policy",
                "set_tenant_contract",
                "approve_scope",
            ),
            f"? {HOST}",
        ),
        **dict.fromkeys(
            (
                "for_user",
                "governance",
                "rights_desk",
                "service_tokens",
                "inspections",
                "operator_notes",
                "audit_trail",
                "assistants",
                "webhooks",
            ),
            f"? {INSIDE}",
        ),
        "notes_report": "report_operator_notes",
        "verify_audit": "verify_audit",
        "export_audit": "export_audit",
        "receipts": "? of everybody in a tenant: `iris receipts`, for who holds the store; a person lists their own",
    },
}


def _operations() -> set[str]:
    with_no_store: Any = None
    paths = create_app(with_no_store, tokens=DevelopmentTokens()).openapi()["paths"]
    return {told["operationId"] for methods in paths.values() for told in methods.values()}


OPERATIONS: Final = _operations()


def _public(door: type) -> set[str]:
    return {name for name, held in vars(door).items() if not name.startswith("_") and inspect.isroutine(held)}


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_every_method_has_its_operation_or_a_reason(door: type) -> None:
    rows = DOORS[door]
    assert _public(door) == set(rows)
    named = {name for told in rows.values() if not told.startswith("? ") for name in told.split()}
    assert named <= OPERATIONS, named - OPERATIONS


def test_every_operation_is_somebodys() -> None:
    """An operation that no method of the library does would be a thing the service does alone."""
    named = {
        name for rows in DOORS.values() for told in rows.values() if not told.startswith("? ") for name in told.split()
    }
    alone = {"health", "ready", "governance_state", "list_audit_keys"}
    assert OPERATIONS - named == alone
