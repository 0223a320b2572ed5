"""Generated from the OpenAPI document by `iris client generate`; do not edit. Every call."""

from __future__ import annotations

from iris_memory.client.calls.assistants_and_webhooks import AssistantsAndWebhooksCalls, AsyncAssistantsAndWebhooksCalls
from iris_memory.client.calls.audit import AsyncAuditCalls, AuditCalls
from iris_memory.client.calls.bridge import AsyncBridgeCalls, BridgeCalls
from iris_memory.client.calls.consent import AsyncConsentCalls, ConsentCalls
from iris_memory.client.calls.continuity import AsyncContinuityCalls, ContinuityCalls
from iris_memory.client.calls.data_rights import AsyncDataRightsCalls, DataRightsCalls
from iris_memory.client.calls.events import AsyncEventsCalls, EventsCalls
from iris_memory.client.calls.forgetting import AsyncForgettingCalls, ForgettingCalls
from iris_memory.client.calls.governance import AsyncGovernanceCalls, GovernanceCalls
from iris_memory.client.calls.import_ import AsyncImportCalls, ImportCalls
from iris_memory.client.calls.inbox import AsyncInboxCalls, InboxCalls
from iris_memory.client.calls.inspection import AsyncInspectionCalls, InspectionCalls
from iris_memory.client.calls.memories import AsyncMemoriesCalls, MemoriesCalls
from iris_memory.client.calls.operator_notes import AsyncOperatorNotesCalls, OperatorNotesCalls
from iris_memory.client.calls.other_people import AsyncOtherPeopleCalls, OtherPeopleCalls
from iris_memory.client.calls.pause import AsyncPauseCalls, PauseCalls
from iris_memory.client.calls.questions import AsyncQuestionsCalls, QuestionsCalls
from iris_memory.client.calls.recall import AsyncRecallCalls, RecallCalls
from iris_memory.client.calls.retention import AsyncRetentionCalls, RetentionCalls
from iris_memory.client.calls.service_tokens import AsyncServiceTokensCalls, ServiceTokensCalls
from iris_memory.client.calls.whole_service import AsyncWholeServiceCalls, WholeServiceCalls


class EveryCall(
    AssistantsAndWebhooksCalls,
    AuditCalls,
    BridgeCalls,
    ConsentCalls,
    ContinuityCalls,
    DataRightsCalls,
    EventsCalls,
    ForgettingCalls,
    GovernanceCalls,
    ImportCalls,
    InboxCalls,
    InspectionCalls,
    MemoriesCalls,
    OperatorNotesCalls,
    OtherPeopleCalls,
    PauseCalls,
    QuestionsCalls,
    RecallCalls,
    RetentionCalls,
    ServiceTokensCalls,
    WholeServiceCalls,
):
    """Every call of the service."""


class AsyncEveryCall(
    AsyncAssistantsAndWebhooksCalls,
    AsyncAuditCalls,
    AsyncBridgeCalls,
    AsyncConsentCalls,
    AsyncContinuityCalls,
    AsyncDataRightsCalls,
    AsyncEventsCalls,
    AsyncForgettingCalls,
    AsyncGovernanceCalls,
    AsyncImportCalls,
    AsyncInboxCalls,
    AsyncInspectionCalls,
    AsyncMemoriesCalls,
    AsyncOperatorNotesCalls,
    AsyncOtherPeopleCalls,
    AsyncPauseCalls,
    AsyncQuestionsCalls,
    AsyncRecallCalls,
    AsyncRetentionCalls,
    AsyncServiceTokensCalls,
    AsyncWholeServiceCalls,
):
    """Every call of the service, awaited."""
