"""The bridge between an assistant's shell and memory, in two modes that never meet: the customer's and the admin's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from iris_memory.contracts.bridge import BridgeMode, BridgeSession, SessionEnded, Turn, TurnLogged, TurnsKept
from iris_memory.contracts.category import Consumer, Context, Surface
from iris_memory.contracts.events import EventName
from iris_memory.contracts.recall import RecallResult
from iris_memory.contracts.write import Refused, Statement, WriteOutcome
from iris_memory.errors import ContractError
from iris_memory.flows import turns
from iris_memory.flows.events import Subscription
from iris_memory.flows.instruments import Caller
from iris_memory.flows.turns import Where
from iris_memory.front.given import identifier, member
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory

AtEnd = Callable[[SessionEnded], None]
"""Told once when a session ends: the hook for whoever condenses a conversation."""


class MemoryBridge:
    """One assistant's way to memory for one session.

    `recall_relevant_memory` is the only recall there is here. A bridge has no way to list, show or forget memory: those
    are the person's own.
    """

    def __init__(self, iris: Iris, memory: PersonMemory, where: Where, *, at_end: AtEnd | None = None) -> None:
        """Bind a session; use `create_memory_bridge` or `create_admin_memory_bridge`."""
        self._iris = iris
        self._instruments = iris.instruments
        self._memory = memory
        self._where = where
        self._at_end = at_end

    @property
    def mode(self) -> BridgeMode:
        """Whose memory it speaks to."""
        return self._where.mode

    @property
    def session_id(self) -> str:
        """The session it is bound to."""
        return self._where.session_id

    def recall_relevant_memory(
        self,
        text: str = "",
        *,
        contexts: Collection[Context | str] = (Context.GENERAL,),
        surface: Surface | str = Surface.ASSISTANT,
        crisis_frame: bool = False,
        safety_critical_context: bool = False,
        limit: int | None = None,
    ) -> RecallResult:
        """Recall what is relevant to a text and allowed, in the scope of the session.

        In a crisis frame, of the request or of the deployment's port, nothing but safety-critical memory comes back.
        An admin bridge recalls the operator's copilot memory on the surface `admin`, whatever surface is named.
        """
        is_admin = self.mode is BridgeMode.ADMIN
        if not is_admin and member(Surface, surface) is Surface.ADMIN:
            raise ContractError("the surface admin is the admin bridge's")
        return self._memory.recall(
            text,
            contexts=contexts,
            scope=self._where.scope,
            adapter_scope=self._where.adapter_scope,
            surface=Surface.ADMIN if is_admin else surface,
            crisis_frame=crisis_frame,
            safety_critical_context=safety_critical_context,
            limit=limit,
        )

    def remember(self, statement: Statement, *, idempotency_key: str | None = None) -> WriteOutcome:
        """Remember a statement of this session; an admin bridge writes the operator's copilot memory alone."""
        if self.mode is BridgeMode.ADMIN:
            given = {"scope": self._where.scope, "adapter_scope": self._where.adapter_scope}
            statement = statement.model_copy(update=given)
        return self._memory.remember(statement, idempotency_key=idempotency_key)

    def append(self, *given: Turn) -> TurnsKept | Refused:
        """Append turns to the log, all or none; turns that are there already change nothing.

        Raises:
            IdempotencyConflictError: a turn's id or place was used before for another turn.
        """
        return turns.append(self._instruments, self._where, given)

    def reconnect(self) -> BridgeSession | None:
        """Return where the session stands, so that the runtime goes on after its last turn; None: it never began."""
        return turns.reconnect(self._instruments, self._where)

    def end(self) -> SessionEnded:
        """End the session: what lived in it alone is gone, and the hook is told, once."""
        ended = turns.end(self._instruments, self._where)
        if self._at_end is not None and not ended.was_over:
            self._at_end(ended)
        return ended

    def turns(self) -> Sequence[TurnLogged]:
        """Return the log of the session, in order."""
        return turns.turn_log(self._instruments, self._where)

    def redact(self, *turn_ids: str) -> int:
        """Destroy the words of turns, of the whole session without ids; return how many. References stay a day."""
        return turns.redact(self._instruments, self._where, turn_ids or None)

    def subscribe(
        self,
        *names: EventName | str,
        after: str | None = None,
        wake: Callable[[], None] | None = None,
    ) -> Subscription:
        """Listen to the events of this bridge's person, to all without names.

        `wake` is called by the flow that did something: it sets a flag or writes to a loop, and never waits. What it
        raises ends the subscription, and a reader that is slow to `take` loses its oldest events, counted as missed.
        """
        wanted = [member(EventName, name) for name in names] or list(EventName)
        caller = self._where.caller
        return self._instruments.people.events.subscribe(
            caller.tenant, caller.user, names=wanted, after=after, wake=wake
        )

    def unsubscribe(self, listener: Subscription) -> None:
        """Stop listening."""
        self._instruments.people.events.unsubscribe(listener)


def create_memory_bridge(
    iris: Iris,
    *,
    tenant: str,
    user: str,
    session: str,
    consumer: Consumer | str = Consumer.ASSISTANT,
    assistant_id: str | None = None,
    at_end: AtEnd | None = None,
) -> MemoryBridge:
    """Return the bridge of a customer's session.

    Raises:
        ContractError: an identifier is none, or the consumer is the operators'.
    """
    known = member(Consumer, consumer)
    if known in {Consumer.ADMIN, Consumer.SUPPORT}:
        raise ContractError("the consumers admin and support have no bridge to a customer's memory")
    return _bridge(iris, BridgeMode.CUSTOMER, tenant, user, session, known, assistant_id, at_end)


def create_admin_memory_bridge(
    iris: Iris,
    *,
    tenant: str,
    operator: str,
    session: str,
    assistant_id: str | None = None,
    at_end: AtEnd | None = None,
) -> MemoryBridge:
    """Return the bridge of an operator's session with the admin assistant. It reaches no customer's memory.

    Raises:
        ContractError: an identifier is none.
    """
    return _bridge(iris, BridgeMode.ADMIN, tenant, operator, session, Consumer.ADMIN, assistant_id, at_end)


def _bridge(
    iris: Iris,
    mode: BridgeMode,
    tenant: str,
    user: str,
    session: str,
    consumer: Consumer,
    assistant_id: str | None,
    at_end: AtEnd | None,
) -> MemoryBridge:
    session = identifier(session, what="session")
    memory = iris.for_user(tenant=tenant, user=user, consumer=consumer, assistant_id=assistant_id, session=session)
    where = Where(Caller(tenant, user, consumer, assistant_id), mode, session)
    return MemoryBridge(iris, memory, where, at_end=at_end)
