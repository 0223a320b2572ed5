"""Asking for many at once: what a recall asks, put together first and answered together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from iris_memory.contracts.category import Context, Surface
from iris_memory.contracts.recall import RecallResult
from iris_memory.contracts.scope import AdapterScope, Scope
from iris_memory.errors import ContractError, IrisError
from iris_memory.flows import recall
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.recall import Wish
from iris_memory.front.given import identifier, member


class Ask(NamedTuple):
    """One recall that is asked for and not answered yet; made by `PersonMemory.asking`."""

    instruments: Instruments
    caller: Caller
    wish: Wish

    @property
    def is_short(self) -> bool:
        """Say whether the answer takes about a millisecond: the person's memory was read before."""
        return self.instruments.people.is_read(self.caller.tenant, self.caller.user)


def wish_of(
    text: str = "",
    *,
    contexts: Collection[Context | str] = (Context.GENERAL,),
    scope: Scope | None = None,
    adapter_scope: AdapterScope | str | None = None,
    surface: Surface | str = Surface.ASSISTANT,
    session: str | None = None,
    crisis_frame: bool = False,
    safety_critical_context: bool = False,
    limit: int | None = None,
) -> Wish:
    """Return what a recall asks, each value checked; see `PersonMemory.recall`.

    Raises:
        ContractError: a value breaks the contract.
    """
    return Wish(
        text=text,
        scope=scope,
        adapter_scope=member(AdapterScope, adapter_scope) if adapter_scope is not None else None,
        surface=member(Surface, surface),
        contexts=frozenset(member(Context, context) for context in contexts),
        crisis_frame=crisis_frame,
        safety_critical_context=safety_critical_context,
        session_id=identifier(session, what="session") if session is not None else None,
        limit=limit,
    )


def recall_all(asks: Sequence[Ask]) -> list[RecallResult | IrisError]:
    """Answer recalls of one store together: to each what `PersonMemory.recall` returns, or the error it raises.

    The answers share one commit, so a service that collects what arrives at the same time answers more of it.

    Raises:
        ContractError: the asks are of several stores.
    """
    if not asks:
        return []
    instruments = asks[0].instruments
    if any(ask.instruments is not instruments for ask in asks):
        raise ContractError("recalls that are answered together are of one store")
    return recall.recall_all(instruments, [(ask.caller, ask.wish) for ask in asks])
