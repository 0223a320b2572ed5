"""The bridge: turns of a session come in from a runtime, and an assistant recalls what is relevant to them."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Body, Path, Query
from fastapi.openapi.models import Example
from pydantic import Field

from iris_memory.access.issuers import Role
from iris_memory.contracts.bridge import BridgeMode, BridgeSession, SessionEnded, Turn, TurnLogged, TurnsKept
from iris_memory.contracts.category import Context, Surface
from iris_memory.contracts.recall import REQUEST_TEXT_MOST, RecallResult
from iris_memory.contracts.shape import Contract, Count, Identifier, Storable, Unordered
from iris_memory.contracts.write import Refused
from iris_memory.flows.reading import unknown
from iris_memory.front.bridge import MemoryBridge, create_admin_memory_bridge, create_memory_bridge
from iris_memory.http.bodies import as_json
from iris_memory.http.caller import Asking, Caller
from iris_memory.http.problems import NotPermittedError, RefusedError, documented
from iris_memory.tables.bridging import TURN_BATCH_MOST

router = APIRouter(prefix="/v1/bridge/sessions/{session_id}", tags=["bridge"])

SessionId = Annotated[str, Path(min_length=1, max_length=128)]
Mode = Annotated[BridgeMode, Query(description="`admin` needs the role admin, and reaches no customer's memory")]


class TurnsBody(Contract):
    """Turns in order. One that is there already changes nothing."""

    turns: Annotated[tuple[Turn, ...], Field(strict=False, min_length=1, max_length=TURN_BATCH_MOST)]


class TurnLog(Contract):
    """The turns of the session, in order."""

    turns: tuple[TurnLogged, ...]


class RedactBody(Contract):
    """Whose words go: the turns named, or with none every turn of the session."""

    turn_ids: Annotated[tuple[Identifier, ...], Field(strict=False, max_length=2_000)] = ()


class Redacted(Contract):
    """How many turns lost their words."""

    redacted: Count


class BridgeRecallBody(Contract):
    """What the assistant needs memory for."""

    text: Annotated[str, Field(max_length=REQUEST_TEXT_MOST), Storable] = ""
    contexts: Annotated[frozenset[Context], *Unordered] = frozenset({Context.GENERAL})
    surface: Surface = Surface.ASSISTANT
    crisis_frame: bool = False
    safety_critical_context: bool = False
    limit: Annotated[int, Field(ge=0)] | None = None


def _one(summary: str, **value: object) -> dict[str, Example]:
    return {"one": {"summary": summary, "value": value}}


_TURN: Final = {"turn_id": "t1", "sequence": 1, "role": "user", "text": "Good evening"}
_TURNS: Final = _one("The first turn of a session", turns=[_TURN])
_REDACT: Final = _one("One turn", turn_ids=["t1"])
_RECALL: Final = _one("For an answer", text="a quiet evening", limit=3)


def _bridge(caller: Asking, session_id: str, mode: BridgeMode) -> MemoryBridge:
    holder = caller.holder
    if mode is BridgeMode.ADMIN:
        if Role.ADMIN not in holder.roles:
            raise NotPermittedError
        return create_admin_memory_bridge(
            caller.iris,
            tenant=holder.tenant,
            operator=holder.user,
            session=session_id,
            assistant_id=holder.assistant_id,
        )
    return create_memory_bridge(
        caller.iris,
        tenant=holder.tenant,
        user=holder.user,
        session=session_id,
        consumer=holder.consumer,
        assistant_id=holder.assistant_id,
    )


@router.post("/turns", summary="Append turns of a session", responses=documented(403, 409, 415, 507))
def append_turns(
    caller: Caller,
    session_id: SessionId,
    wish: Annotated[TurnsBody, as_json(TurnsBody), Body(openapi_examples=_TURNS)],
    mode: Mode = BridgeMode.CUSTOMER,
) -> TurnsKept:
    """All or none. A turn's id and place are used once; the same turn again is counted and changes nothing."""
    kept = _bridge(caller, session_id, mode).append(*wish.turns)
    if isinstance(kept, Refused):
        raise RefusedError(kept)
    return kept


@router.get("/turns", summary="Read the log of a session", responses=documented(403))
def read_turns(caller: Caller, session_id: SessionId, mode: Mode = BridgeMode.CUSTOMER) -> TurnLog:
    """A turn that was redacted has no text any more. Each is kept for a day."""
    return TurnLog(turns=tuple(_bridge(caller, session_id, mode).turns()))


@router.post("/redact", summary="Destroy the words of turns", responses=documented(403, 415, 507))
def redact_turns(
    caller: Caller,
    session_id: SessionId,
    wish: Annotated[RedactBody, as_json(RedactBody), Body(openapi_examples=_REDACT)],
    mode: Mode = BridgeMode.CUSTOMER,
) -> Redacted:
    """Their keys are destroyed; their references stay until their time is over."""
    return Redacted(redacted=_bridge(caller, session_id, mode).redact(*wish.turn_ids))


@router.get("", summary="Reconnect to a session", responses=documented(403, 404))
def reconnect_session(caller: Caller, session_id: SessionId, mode: Mode = BridgeMode.CUSTOMER) -> BridgeSession:
    """Where it stands: the last turn there is, whether it ended, whether it is off the record."""
    session = _bridge(caller, session_id, mode).reconnect()
    if session is None:
        raise unknown()
    return session


@router.delete("", summary="End a session", responses=documented(403, 507))
def end_bridge_session(caller: Caller, session_id: SessionId, mode: Mode = BridgeMode.CUSTOMER) -> SessionEnded:
    """What lived in it alone is gone. Ending twice is one end."""
    return _bridge(caller, session_id, mode).end()


@router.post("/recall", summary="Recall what is relevant to a session", responses=documented(403, 415))
def recall_relevant_memory(
    caller: Caller,
    session_id: SessionId,
    wish: Annotated[BridgeRecallBody, as_json(BridgeRecallBody), Body(openapi_examples=_RECALL)],
    mode: Mode = BridgeMode.CUSTOMER,
) -> RecallResult:
    """The only recall of an assistant here. In a crisis frame only what is safety-critical comes back."""
    fields = {name: getattr(wish, name) for name in type(wish).model_fields}
    return _bridge(caller, session_id, mode).recall_relevant_memory(**fields)
