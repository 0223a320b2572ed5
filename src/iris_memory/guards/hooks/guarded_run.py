"""A guarded run: what every framework's hooks ask, whatever they are called there.

Prompts are masked before a model sees them and its answer is turned back, by the exchange of that very request, so a
host's history holds what people wrote and never a pseudonym. Arguments of tools are then judged as they are. Where a
front cannot mask the prompt, it hands results on with pseudonyms instead (`returned`) and turns them back in arguments
(`called`), for the kinds in `restore` alone.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from iris_memory.contracts.guarding import GuardOutcome, Locality, SendsTo, Tier
from iris_memory.contracts.masking import OWNER_PII_KINDS, Audience, Mode, PiiKind
from iris_memory.errors import GuardStoppedError
from iris_memory.guards.decision import GuardDecision
from iris_memory.guards.hooks.shapes import apart, mended, together
from iris_memory.guards.kernel import OwnerGuard
from iris_memory.guards.proxies.llm_answers import Answers
from iris_memory.guards.proxies.turning_back import turned_back
from iris_memory.guards.telling import told
from iris_memory.masking.pseudonyms import Exchange


class Asked(NamedTuple):
    """A prompt as a model may see it, and what turns the model's answer back."""

    prompt: Any
    answers: Answers | None

    def turned_back(self, answer: Any) -> Any:
        """Return the answer, of any shape, with the pseudonyms of this prompt turned back."""
        if self.answers is None or not self.answers.has_any:
            return answer
        return mended(answer, self.answers.text_of)


class GuardedRun:
    """One conversation of a host with models and tools. Threads and tasks may share it."""

    def __init__(
        self,
        guard: OwnerGuard,
        *,
        conversation: str = "",
        caller: str = "agent",
        tier: Tier | str | None = Tier.TIER_3,
        locality: Locality | None = None,
        audience: Audience | None = None,
        restore: frozenset[PiiKind] = OWNER_PII_KINDS,
        sends_to: Mapping[str, Iterable[SendsTo | str]] | None = None,
    ) -> None:
        """Take the guard and what the host knows.

        Args:
            guard: of the owner whose identity stays in.
            conversation: pseudonyms are numbered within it.
            caller: who reads the results of tools, where those are written with pseudonyms.
            tier: of the model; only the third leaves the machine.
            locality: of the model, read before the tier.
            audience: who reads answers; nobody said is somebody else.
            restore: the kinds that are turned back, in answers of the model and in arguments of tools.
            sends_to: where tools send what they are given, by tool.
        """
        self.guard = guard
        self._conversation = conversation
        self._tier = tier
        self._locality = locality
        self._audience = audience
        self._restore = restore & OWNER_PII_KINDS
        self._sends_to = {tool: tuple(where) for tool, where in (sends_to or {}).items()}
        self._stamp = guard.stamp(caller, conversation=conversation)
        self._issued: Exchange | None = None
        self._lock = threading.RLock()

    def asked(self, prompt: Any) -> Asked:
        """Decide about a prompt of any shape.

        Raises:
            GuardStoppedError: it does not go to the model.
        """
        if self.guard.mode is Mode.OFF:
            return Asked(prompt, None)
        decision = self.guard.pre_llm_call(
            apart(prompt), tier=self._tier, locality=self._locality, conversation=self._conversation
        )
        masked = self._passed(decision, prompt)
        answers = None
        if decision.outcome is GuardOutcome.TRANSFORM and decision.exchange is not None:
            answers = Answers(decision.exchange, kinds=self._restore)
        return Asked(masked, answers)

    def answered(self, answer: Any) -> GuardDecision:
        """Decide about a final answer. `value` is of the answer's own shape."""
        if self.guard.mode is Mode.OFF:
            return GuardDecision(GuardOutcome.ALLOW, answer)
        decision = self.guard.pre_response(apart(answer), audience=self._audience, conversation=self._conversation)
        value = self._passed(decision, answer) if decision.goes_on else None
        return GuardDecision(
            decision.outcome, value, decision.reason, decision.counts, decision.personal, decision.halted
        )

    def called(self, tool: str, arguments: Any) -> Any:
        """Decide about the arguments of a tool, and return those that it is called with.

        Raises:
            GuardStoppedError: the tool is not called.
        """
        if self.guard.mode is Mode.OFF:
            return arguments
        with self._lock:
            decision = self.guard.pre_tool_use(
                tool, apart(arguments), sends_to=self._sends_to.get(tool, ()), conversation=self._conversation
            )
            value = self._passed(decision, arguments)
            if self.guard.mode is not Mode.ENFORCE or self._issued is None:
                return value
            wrote = decision.exchange if decision.outcome is GuardOutcome.TRANSFORM else None
            return turned_back(value, issued=self._issued, wrote=wrote, kinds=self._restore)

    def returned(self, tool: str, result: Any) -> Any:
        """Return the result of a tool as its caller may read it: with pseudonyms, in enforce.

        Raises:
            GuardStoppedError: it cannot be read.
        """
        if self.guard.mode is Mode.OFF:
            return result
        with self._lock:
            decision = self.guard.tool_result(self._stamp, tool, apart(result))
            value = self._passed(decision, result)
            if decision.exchange is not None:
                self._issued = decision.exchange
            return value

    @staticmethod
    def _passed(decision: GuardDecision, original: Any) -> Any:
        if not decision.goes_on:
            raise GuardStoppedError(told(decision))
        if decision.outcome is GuardOutcome.ALLOW:
            return original
        return together(decision.value, original=original)
