"""Consumers: which subsystem a request is for. Deterministic, and a host registers its own claims."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from iris_memory.contracts.category import Consumer, Context, Surface
from iris_memory.errors import ContractError
from iris_memory.tables.consumers import CONSUMER_CONTEXTS

OPERATORS = frozenset({Consumer.ADMIN, Consumer.SUPPORT})


class Routing(NamedTuple):
    """What is known of a request before it is anybody's. `asks` is the consumer that speaks for itself."""

    asks: Consumer | None = None
    contexts: frozenset[Context] = frozenset({Context.GENERAL})
    surface: Surface = Surface.ASSISTANT


Claim = Callable[[Routing], bool]
"""Says whether a consumer takes a request. It is asked for every request, and looks at nothing else."""


class ConsumerRegistry:
    """The consumers of a deployment and what each claims.

    A request that names its consumer goes to that one. Else the registered claims are asked, the highest weight first
    and by name among equals; the first that claims it gets it. Else it is the assistant's. A consumer never gets a
    request whose every context its row of the table leaves out, and the operators' consumers claim nothing.
    """

    def __init__(self) -> None:
        """Start with no claim."""
        self._claims: dict[Consumer, tuple[int, Claim]] = {}

    def register(self, consumer: Consumer, claim: Claim, *, weight: int = 0) -> None:
        """Register what a consumer claims, in place of what it claimed before.

        Raises:
            ContractError: the consumer is the operators'.
        """
        if consumer in OPERATORS:
            raise ContractError("the consumers admin and support are asked for by name alone")
        self._claims[consumer] = (weight, claim)

    def unregister(self, consumer: Consumer) -> None:
        """Drop what a consumer claims."""
        self._claims.pop(consumer, None)

    def route(self, routing: Routing) -> Consumer:
        """Return the consumer a request is for."""
        if routing.asks is not None:
            return routing.asks
        ordered = sorted(self._claims.items(), key=lambda row: (-row[1][0], row[0].value))
        for consumer, (_, claim) in ordered:
            if routing.contexts & CONSUMER_CONTEXTS[consumer] and claim(routing):
                return consumer
        return Consumer.ASSISTANT
