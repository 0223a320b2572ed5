"""Events of one person as they happen (Server-Sent Events, WHATWG HTML §9.2): ids, codes and counts, no text."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Final

from fastapi import APIRouter, Header, Query
from starlette.responses import StreamingResponse

from iris_memory.contracts.events import EventName, MemoryEvent
from iris_memory.flows.events import EventHub, Subscription
from iris_memory.http.caller import Caller
from iris_memory.http.problems import documented

router = APIRouter(prefix="/v1", tags=["events"])

HEARTBEAT_SECONDS: Final = 15.0
STREAM_SECONDS: Final = 15 * 60.0
"""A stream ends after this, so that a token that is no longer good hears nothing more; the reader comes back."""

_RETRY_MS: Final = 2_000


@router.get(
    "/events",
    summary="Listen to what happens in memory",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Events as they happen; a comment every 15 seconds while nothing does",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        **documented(),
    },
)
async def listen(
    caller: Caller,
    names: Annotated[list[EventName] | None, Query(alias="name")] = None,
    last_event_id: Annotated[str | None, Header(max_length=128)] = None,
) -> StreamingResponse:
    """Of the token's person alone. With `Last-Event-ID` what was missed comes first, as far as it is still kept.

    Events that were dropped because the reader is slow are told as an event `missed` with their number.
    """
    hub = caller.iris.instruments.people.events
    loop, called = asyncio.get_running_loop(), asyncio.Event()
    listener = hub.subscribe(
        caller.holder.tenant,
        caller.holder.user,
        names=names or tuple(EventName),
        after=last_event_id,
        wake=lambda: _call(loop, called),
    )
    return StreamingResponse(_stream(hub, listener, called), media_type="text/event-stream")


def _call(loop: asyncio.AbstractEventLoop, called: asyncio.Event) -> None:
    loop.call_soon_threadsafe(called.set)


async def _stream(hub: EventHub, listener: Subscription, called: asyncio.Event) -> AsyncIterator[str]:
    loop = asyncio.get_running_loop()
    ends, told = loop.time() + STREAM_SECONDS, 0
    try:
        yield f"retry: {_RETRY_MS}\n\n"
        while listener.is_open and loop.time() < ends:
            called.clear()
            for event in listener.take():
                yield _told(event)
            if listener.missed > told:
                told = listener.missed
                yield f"event: missed\ndata: {told}\n\n"
            try:
                await asyncio.wait_for(called.wait(), HEARTBEAT_SECONDS)
            except TimeoutError:
                yield ": heartbeat\n\n"
    finally:
        hub.unsubscribe(listener)


def _told(event: MemoryEvent) -> str:
    return f"id: {event.event_id}\nevent: {event.name.value}\ndata: {event.model_dump_json()}\n\n"
