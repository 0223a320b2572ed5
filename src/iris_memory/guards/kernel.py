"""The kernel: one corpus, one table and one decision function behind every point where a host's run lets text out.

Laws:

* `off` and `shadow` never change a call: both answer a bare allow, and shadow writes one row per firing beside it;
* `enforce` acts on exactly the kinds that `identity.yaml` enforces; what is read by two columns gets the stricter one;
* an observation that fails is written with the class of what failed; shadow lets the call go on, enforce denies it;
* pseudonyms in capability results, and the display mask, are live in every mode, and closed where they fail.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from iris_memory.contracts.guarding import (
    Firing,
    GuardOutcome,
    GuardPoint,
    GuardReason,
    Halted,
    Locality,
    SendsTo,
    Tier,
)
from iris_memory.contracts.masking import (
    OWNER_PII_KINDS,
    Action,
    Audience,
    Column,
    Guard,
    MaskingReason,
    Mode,
    PiiKind,
    ShadowRow,
)
from iris_memory.errors import CorpusMissingError, TableClosedError
from iris_memory.guards.contexts import Contexts, Stamp
from iris_memory.guards.decision import GuardDecision, bare_allow
from iris_memory.guards.restoring import restored
from iris_memory.guards.streams import ResponseStream
from iris_memory.masking.grants import Grants
from iris_memory.masking.leaves import SpanOverLeaves, decide_value, leaves_of, masked_value
from iris_memory.masking.mode import ModeReading
from iris_memory.masking.observing import Seen, acting, counts_of, row_of, strictest
from iris_memory.masking.pseudonyms import Exchange
from iris_memory.ports.clock import Clock
from iris_memory.ports.shadow import ShadowLog
from iris_memory.sources.corpora import OwnerIdentity
from iris_memory.sources.registered import PluginIdentity, ReadSource, RegisteredSources
from iris_memory.wiring.clock import SystemClock

_log = logging.getLogger(__name__)
_CLASS_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_LOCAL_TIERS: Final = frozenset({Tier.TIER_1, Tier.TIER_2})
_REASONS: Final = {
    GuardOutcome.TRANSFORM: GuardReason.OWNER_PII_MASKED,
    GuardOutcome.DENY: GuardReason.OWNER_PII_DENIED,
    GuardOutcome.HALT: GuardReason.OWNER_PII_HALTED,
}
_OUTCOMES: Final = {Action.MASK: GuardOutcome.TRANSFORM, Action.DENY: GuardOutcome.DENY, Action.HALT: GuardOutcome.HALT}


class Reads(NamedTuple):
    """One column that reads a call, and where the call goes to."""

    column: Column
    guard: Guard
    audience: Audience | None = None
    destination: str | None = None
    grants: frozenset[PiiKind] = frozenset()


class OwnerGuard:
    """Guards one owner for every thread of a host. Make one with `guards.opening`, or from its parts."""

    def __init__(
        self,
        identity: Callable[[], OwnerIdentity],
        *,
        mode: ModeReading | Mode,
        log: ShadowLog | None = None,
        grants: Grants | None = None,
        network_tools: Sequence[str] = ("*",),
        sources: RegisteredSources | None = None,
        key: bytes | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Take the parts.

        Args:
            identity: the corpus and table of this moment, such as `Corpora.current`.
            mode: how far it goes. A reading with a warning is told to the log of the process, once, here.
            log: where one row per firing goes; with None nothing is written.
            grants: what the manifests of plugins lift, by plugin and capability.
            network_tools: names of tools whose arguments leave the machine; a `*` at the end stands for any rest. All
                of them, unless the host knows better.
            sources: where plugins register what they know of the owner; the identity has to be made with it.
            key: of what lies beside the numbers of pseudonyms; by default one of this process.
            clock: tells the time of rows.
        """
        reading = mode if isinstance(mode, ModeReading) else ModeReading(mode, None)
        self.mode = reading.mode
        self.warning = reading.warning
        self.unwritten = 0
        """How many rows could not be written."""
        self._identity = identity
        self._shadow_log = log
        self._grants = grants or Grants()
        self._network_tools = tuple(network_tools)
        self._sources = sources or RegisteredSources()
        self._contexts = Contexts(key=key or secrets.token_bytes(32))
        self._clock = clock or SystemClock()
        if reading.warning is not None:
            _log.warning("%s", reading.warning)

    # -- the three points of a run -------------------------------------------------------------------------------

    def pre_tool_use(
        self,
        tool: str,
        arguments: Any,
        *,
        sends_to: Iterable[SendsTo | str] = (),
        network: bool | None = None,
        destination: str | None = None,
        conversation: str = "",
        exchange: Exchange | None = None,
    ) -> GuardDecision:
        """Decide about a tool call.

        Args:
            tool: the name of the tool, as the host knows it.
            arguments: a JSON value; names, texts and numbers in it are read.
            sends_to: what the tool's manifest declares, stamped by the host; `search_engine` is read as a web search.
            network: whether it is a network tool; by default as its name says (`network_tools`).
            destination: what the lists of `identity.yaml` know it by; by default the tool's name.
            conversation: which conversation it belongs to: pseudonyms are numbered within one.
            exchange: that of an earlier decision about the same call, where it is asked again.
        """
        reads: list[Reads] = []
        if self._is_network_tool(tool) if network is None else network:
            reads.append(Reads(Column.EGRESS, Guard.EGRESS, destination=destination or tool))
        if SendsTo.SEARCH_ENGINE in {str(where) for where in sends_to}:
            reads.append(Reads(Column.WEB_SEARCH, Guard.WEB_SEARCH))
        return self._fire(
            GuardPoint.PRE_TOOL_USE, arguments, reads, consumer=f"tool:{tool}", within=conversation, exchange=exchange
        )

    def pre_llm_call(
        self,
        prompt: Any,
        *,
        tier: Tier | str | None = None,
        locality: Locality | None = None,
        conversation: str = "",
        exchange: Exchange | None = None,
    ) -> GuardDecision:
        """Decide about a prompt: a text, or messages as a JSON value.

        `locality` is read as it is given, and before `tier`; a model of an unknown place is read as one in the cloud.
        Answers of the model are turned back with the decision's exchange: see `restored`.
        """
        local = locality is Locality.LOCAL if locality is not None else tier in _LOCAL_TIERS
        reads = () if local else (Reads(Column.TIER3, Guard.TIER3),)
        return self._fire(
            GuardPoint.PRE_LLM_CALL, prompt, reads, consumer="llm", within=conversation, exchange=exchange
        )

    def pre_response(
        self,
        text: Any,
        *,
        audience: Audience | None = None,
        composed_for: Audience = Audience.OWNER,
        resumed: Halted | None = None,
        conversation: str = "",
        exchange: Exchange | None = None,
    ) -> GuardDecision:
        """Decide about an answer.

        `audience` reads it; `composed_for` is who it is written for, whoever reads it first; `resumed` is what halted
        the run before. Where any of them is somebody else, it is an answer to others; so is one nobody says who reads.
        """
        reader = _reader(audience, composed_for, resumed)
        column = Column.ANSWER_OWNER if reader is Audience.OWNER else Column.ANSWER_OTHER
        reads = (Reads(column, Guard.ANSWER, audience=reader),)
        return self._fire(
            GuardPoint.PRE_RESPONSE,
            text,
            reads,
            consumer=f"answer:{reader.value}",
            within=conversation,
            exchange=exchange,
        )

    def response_stream(
        self,
        *,
        audience: Audience | None = None,
        composed_for: Audience = Audience.OWNER,
        resumed: Halted | None = None,
        conversation: str = "",
    ) -> ResponseStream:
        """Guard an answer while it is written: see `pre_response` for who reads it, and `ResponseStream`."""
        reader = _reader(audience, composed_for, resumed)
        exchange = self._contexts.exchange(f"answer:{reader.value}", conversation)
        return ResponseStream(
            lambda text: self.pre_response(text, audience=reader, conversation=conversation, exchange=exchange),
            mode=self.mode,
            identity=self._identity,
            audience=reader,
            exchange=exchange,
        )

    # -- what plugins know of the owner --------------------------------------------------------------------------

    def register_owner_identity_source(
        self,
        name: str,
        provides: Iterable[PiiKind | str],
        read: ReadSource,
        *,
        fingerprint: Callable[[], Hashable] | None = None,
        composition_root: bool = False,
    ) -> MaskingReason | None:
        """Register what a plugin knows, for the host alone to call; return why it was refused, or None.

        `provides` are the kinds that the plugin's manifest declares. Only the composition root provides links.
        """
        return self._sources.register(
            name, provides=provides, read=read, fingerprint=fingerprint, composition_root=composition_root
        )

    def plugin_identity(self, plugin: str, manifest: object) -> PluginIdentity:
        """Return what a plugin is given to register with, bound to its name and to what its manifest declares."""
        return PluginIdentity(self._sources, plugin=plugin, manifest=manifest)

    # -- what is live in every mode ------------------------------------------------------------------------------

    def stamp(self, caller: str, *, conversation: str = "") -> Stamp:
        """Make the stamp of a plugin that the host has started. The host keeps it; the plugin never names itself."""
        return self._contexts.stamp(caller, conversation=conversation)

    def capability_result(self, stamp: Stamp, capability: str, value: Any) -> GuardDecision:
        """Write pseudonyms into what a capability returns, but for the kinds that the stamped caller's manifest lifts.

        Live in every mode. `personal` marks a result with owner identity in it.
        """
        seat = self._contexts.seat(stamp)
        if seat is None:
            return GuardDecision(GuardOutcome.DENY, None, GuardReason.CALLER_NOT_STAMPED)
        exchange = self._contexts.of_seat(seat, capability=capability)
        reads = (Reads(Column.CAPABILITY, Guard.CAPABILITY),)
        named = seat.caller, capability
        return self._live(GuardPoint.CAPABILITY_RESULT, value, reads, exchange, named=named)

    def tool_result(self, stamp: Stamp, capability: str, value: Any) -> GuardDecision:
        """Decide about what a tool or server outside returns to a stamped caller, for fronts that stand between two.

        As `capability_result` in enforce; `off` and `shadow` change nothing, and shadow writes the row.
        """
        if self.mode is Mode.ENFORCE:
            return self.capability_result(stamp, capability, value)
        seat = self._contexts.seat(stamp)
        if self.mode is Mode.OFF or seat is None:
            return bare_allow(value)
        grants = self._grants.by_caller.get(seat.caller, {}).get(capability, frozenset())
        reads = (Reads(Column.CAPABILITY, Guard.CAPABILITY, grants=grants),)
        return self._fire(GuardPoint.CAPABILITY_RESULT, value, reads, consumer="", within="", exchange=None)

    def restored_for(self, stamp: Stamp, capability: str, value: Any) -> Any:
        """Turn back what this stamped caller was given by this capability, for the kinds its manifest lifts there."""
        seat = self._contexts.seat(stamp)
        if seat is None:
            return value
        grants = self._grants.of(seat.caller, capability=capability, table=self._identity().table)
        return restored(value, exchange=self._contexts.of_seat(seat, capability=capability), grants=grants)

    def display(self, text: Any, *, conversation: str = "") -> GuardDecision:
        """Mask what is shown where others may look: what an answer to others would mask or halt for. Live always."""
        reads = (Reads(Column.ANSWER_OTHER, Guard.ANSWER, audience=Audience.OTHER),)
        return self._live(GuardPoint.DISPLAY, text, reads, self._contexts.exchange("display", conversation))

    def restored(self, value: Any, decision: GuardDecision, *, kinds: frozenset[PiiKind] = OWNER_PII_KINDS) -> Any:
        """Turn back, in what came back from a call, the pseudonyms that the decision about this very call issued."""
        return value if decision.exchange is None else restored(value, exchange=decision.exchange, grants=kinds)

    def identity(self) -> OwnerIdentity:
        """Return the corpus and table of this moment: for a stream, which is masked piece by piece."""
        return self._identity()

    # -- inside --------------------------------------------------------------------------------------------------

    def _is_network_tool(self, tool: str) -> bool:
        return any(
            tool.startswith(pattern[:-1]) if pattern.endswith("*") else tool == pattern
            for pattern in self._network_tools
        )

    def _fire(
        self,
        point: GuardPoint,
        value: Any,
        reads: Sequence[Reads],
        *,
        consumer: str,
        within: str,
        exchange: Exchange | None,
    ) -> GuardDecision:
        if self.mode is Mode.OFF:
            return bare_allow(value)
        decision, row = bare_allow(value), ShadowRow(columns=())
        if reads:
            try:
                identity = self._readable()
                seen = _seen(value, reads, identity)
                row = row_of(seen, leaves_of(value), corpus=identity.corpus, key=self._audit_key())
                if self.mode is Mode.ENFORCE:
                    opened = exchange or self._contexts.exchange(consumer, within)
                    decision = self._acted(point, value, seen, identity, opened, audience=reads[0].audience)
            except Exception as problem:  # whatever fails, the call is decided
                return self._failed(point, value, reads, problem)
        return self._written(point, value, decision, row)

    def _readable(self) -> OwnerIdentity:
        """Return the identity of this moment. In shadow a closed table is nothing to count by."""
        identity = self._identity()
        if not identity.corpus.literals:
            raise CorpusMissingError("nothing is known of the owner")
        if identity.table.closed and self.mode is Mode.SHADOW:
            raise TableClosedError("the guard table is closed")
        return identity

    def _acted(
        self,
        point: GuardPoint,
        value: Any,
        seen: Sequence[Seen],
        identity: OwnerIdentity,
        exchange: Exchange,
        *,
        audience: Audience | None,
    ) -> GuardDecision:
        spans = acting(seen, mode=self.mode, table=identity.table)
        counts, personal = counts_of(seen), bool(spans)
        outcome = _OUTCOMES.get(strictest(spans), GuardOutcome.ALLOW)
        reason = _REASONS.get(outcome)
        if reason is None:
            return GuardDecision(outcome, value, counts=counts, personal=personal, exchange=exchange)
        if outcome is GuardOutcome.TRANSFORM:
            with self._contexts.rendering:
                out = masked_value(value, spans, corpus=identity.corpus, exchange=exchange).value
            return GuardDecision(outcome, out, reason, counts, personal, exchange=exchange)
        kinds = frozenset(item.span.kind for item in spans if _OUTCOMES.get(item.span.action) is outcome)
        halted = Halted(point=point, audience=audience, reason=reason, kinds=kinds)
        return GuardDecision(
            outcome, None, reason, counts, personal, halted=halted if outcome is GuardOutcome.HALT else None
        )

    def _live(
        self,
        point: GuardPoint,
        value: Any,
        reads: Sequence[Reads],
        exchange: Exchange,
        *,
        named: tuple[str, str] | None = None,
    ) -> GuardDecision:
        """Decide what is live in every mode. `named` is the caller as stamped, and the capability."""
        try:
            identity = self._identity()
            grants = frozenset[PiiKind]()
            if named is not None:
                grants = self._grants.of(named[0], capability=named[1], table=identity.table)
            seen = _seen(value, reads, identity, grants=grants)
            with self._contexts.rendering:
                out = masked_value(value, seen[0].spans, corpus=identity.corpus, exchange=exchange)
            row = row_of(seen, leaves_of(value), corpus=identity.corpus, key=self._audit_key())
        except Exception as problem:  # what cannot be read is not given out
            self._note(point, GuardOutcome.DENY, _failed_row(reads, problem))
            return GuardDecision(GuardOutcome.DENY, None, GuardReason.NOT_OBSERVED)
        changed = out.value != value
        decision = GuardDecision(
            GuardOutcome.TRANSFORM if changed else GuardOutcome.ALLOW,
            out.value if changed else value,
            GuardReason.OWNER_PII_MASKED if changed else None,
            counts_of(seen),
            out.personal,
            exchange=exchange,
        )
        self._note(point, decision.outcome, row)
        return decision

    def _failed(self, point: GuardPoint, value: Any, reads: Sequence[Reads], problem: Exception) -> GuardDecision:
        decision = bare_allow(value)
        if self.mode is Mode.ENFORCE:
            decision = GuardDecision(GuardOutcome.DENY, None, GuardReason.NOT_OBSERVED)
        return self._written(point, value, decision, _failed_row(reads, problem))

    def _written(self, point: GuardPoint, value: Any, decision: GuardDecision, row: ShadowRow) -> GuardDecision:
        """Write the row, then let the decision stand. What enforce cannot write of, it denies."""
        if self._note(point, decision.outcome, row) or self.mode is Mode.SHADOW:
            return decision
        return GuardDecision(GuardOutcome.DENY, None, GuardReason.NOT_OBSERVED)

    def _note(self, point: GuardPoint, outcome: GuardOutcome, row: ShadowRow) -> bool:
        if self._shadow_log is None or self.mode is Mode.OFF:
            return True
        try:
            self._shadow_log.write(
                Firing(
                    at=self._clock.now(),
                    point=point,
                    mode=self.mode,
                    enforced=self._enforced(),
                    outcome=outcome,
                    row=row,
                )
            )
        except Exception as problem:  # a full disk must not stop a host in shadow
            self.unwritten += 1
            _log.warning("a row of the shadow log was not written: %s", _class_name(problem))
            return False
        return True

    def _enforced(self) -> frozenset[PiiKind]:
        try:
            return self._identity().table.enforce if self.mode is Mode.ENFORCE else frozenset()
        except Exception:  # told by the row already
            return frozenset()

    def _audit_key(self) -> bytes | None:
        return None if self._shadow_log is None or self.mode is Mode.OFF else self._shadow_log.key()


def _reader(audience: Audience | None, composed_for: Audience, resumed: Halted | None) -> Audience:
    said = {who for who in (audience, resumed.audience if resumed is not None else None) if who is not None}
    return Audience.OWNER if said == {Audience.OWNER} and composed_for is Audience.OWNER else Audience.OTHER


def _seen(
    value: Any, reads: Iterable[Reads], identity: OwnerIdentity, *, grants: frozenset[PiiKind] = frozenset()
) -> list[Seen]:
    return [Seen(one.column, _spans(value, one, identity, grants)) for one in reads]


def _spans(value: Any, one: Reads, identity: OwnerIdentity, grants: frozenset[PiiKind]) -> list[SpanOverLeaves]:
    return decide_value(
        value,
        corpus=identity.corpus,
        table=identity.table,
        guard=one.guard,
        audience=one.audience,
        destination=one.destination,
        grants=grants | one.grants,
    )


def _failed_row(reads: Iterable[Reads], problem: Exception) -> ShadowRow:
    return ShadowRow(columns=tuple(one.column for one in reads), failed=_class_name(problem))


def _class_name(problem: Exception) -> str:
    name = type(problem).__name__
    return name if _CLASS_NAME.fullmatch(name) else "Exception"
