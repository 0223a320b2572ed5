"""REL-7: the whole life of memories against a dictionary, through two instances that share a store.

About 2,000 steps; IRIS_TEST_EFFORT multiplies them.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from flows.stores import TERMS, SteppingClock, open_store
from iris_memory.contracts.decision import RefusalReason as R
from iris_memory.contracts.write import Refused, Written
from iris_memory.errors import UnknownMemoryError
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory

EFFORT = int(os.environ.get("IRIS_TEST_EFFORT", "1"))
WORDS = [f"{verb} {noun}" for verb in ("Likes", "Takes", "Knows") for noun in ("tea", "gin", "salt", "bread", "rye")]
PEOPLE = [("acme", "ada"), ("acme", "bob"), ("other", "ada")]
PROCESSING, STORAGE, MEDICAL = "data_processing", "data_storage", "category:medical"


@dataclass
class Remembered:
    """One memory of the model: its wordings, the last of which stands, and whether it is medical."""

    wordings: list[str]
    medical: bool


@dataclass
class Model:
    """What one person's memory must be."""

    consents: set[str] = field(default_factory=set)
    paused: bool = False
    memories: dict[str, Remembered] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    erased_words: set[str] = field(default_factory=set)
    is_known: bool = False

    def refusal(self, *, medical: bool) -> R | None:
        """Why nothing may be written just now."""
        if PROCESSING not in self.consents:
            return R.CONSENT_MISSING
        if STORAGE not in self.consents:
            return R.SCOPE_EPHEMERAL
        if medical and MEDICAL not in self.consents:
            return R.SENSITIVE_CATEGORY_WITHOUT_CONSENT
        return R.OFF_THE_RECORD if self.paused else None

    def shown(self, *, health: bool) -> list[str]:
        """What a recall may show."""
        if PROCESSING not in self.consents or self.paused:
            return []
        return sorted(
            memory.wordings[-1]
            for memory in self.memories.values()
            if not memory.medical or (health and MEDICAL in self.consents)
        )

    def forget(self, names: list[str]) -> None:
        """Take memories away and bar their words."""
        for name in names:
            self.forgotten |= set(self.memories.pop(name).wordings)


class Lives(RuleBasedStateMachine):
    """Three people, of whom two share a tenant and two a name, and two instances of Iris."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
        self.clock = SteppingClock()
        self.models = {who: Model() for who in PEOPLE}
        self.instances = [self._open(), self._open()]
        self.gone: dict[str, tuple[str, str]] = {}
        for who in PEOPLE[:2]:  # most lives begin in order, or hardly anything is ever written
            self.grant(who=who, which=0, names={PROCESSING, STORAGE})

    def teardown(self) -> None:
        if not hasattr(self, "folder"):
            return
        try:
            for iris in self.instances:
                for who, model in self.models.items():
                    listed = sorted(entry.body for entry in self._me(iris, who).list(limit=500).entries)
                    assert listed == sorted(memory.wordings[-1] for memory in model.memories.values())
                for tenant in iris.tenants():
                    assert iris.verify_audit(tenant=tenant).ok
                assert all(finding.ok for finding in iris.doctor())
        finally:
            for iris in self.instances:
                iris.close()
            shutil.rmtree(self.folder)

    def _open(self) -> Iris:
        return open_store(self.folder / "memory", clock=self.clock)

    @staticmethod
    def _me(iris: Iris, who: tuple[str, str]) -> PersonMemory:
        return iris.for_user(tenant=who[0], user=who[1])

    who = st.sampled_from(PEOPLE)
    which = st.integers(0, 1)
    words = st.sampled_from(WORDS)
    place = st.integers(0, 40)

    @rule(who=who, which=which, words=words, medical=st.booleans(), again=st.booleans())
    def remember(self, who: tuple[str, str], which: int, words: str, medical: bool, again: bool) -> None:
        model = self.models[who]
        category = "medical" if medical else "fact"
        outcome = self._me(self.instances[which], who).remember(words, category=category, again=again)
        model.is_known = True
        expected = model.refusal(medical=medical)
        if expected is None and not again and words in model.forgotten:
            expected = R.FORGOTTEN_BEFORE
        if expected is not None:
            assert isinstance(outcome, Refused)
            assert outcome.reason is expected
            return
        assert isinstance(outcome, Written)
        model.memories[outcome.entry.logical_id] = Remembered([words], medical)

    @rule(who=who, which=which, words=words, place=place)
    def revise(self, who: tuple[str, str], which: int, words: str, place: int) -> None:
        model = self.models[who]
        if not model.memories:
            return
        name = sorted(model.memories)[place % len(model.memories)]
        memory = model.memories[name]
        outcome = self._me(self.instances[which], who).revise(name, words)
        expected = model.refusal(medical=memory.medical)
        if expected is None and words != memory.wordings[-1] and words in model.forgotten:
            expected = R.FORGOTTEN_BEFORE
        if expected is not None:
            assert isinstance(outcome, Refused)
            assert outcome.reason is expected
            return
        assert isinstance(outcome, Written)
        memory.wordings.append(words)
        assert outcome.entry.revision == len(memory.wordings)

    @rule(who=who, which=which, names=st.sets(st.sampled_from([PROCESSING, STORAGE, MEDICAL]), min_size=1))
    def grant(self, who: tuple[str, str], which: int, names: set[str]) -> None:
        self._me(self.instances[which], who).consent.grant(*sorted(names), terms=TERMS)
        self.models[who].consents |= names
        self.models[who].is_known = True

    @rule(who=who, which=which, name=st.sampled_from([PROCESSING, STORAGE, MEDICAL]))
    def revoke(self, who: tuple[str, str], which: int, name: str) -> None:
        self._me(self.instances[which], who).consent.revoke(name, scan=False)
        model = self.models[who]
        if name == MEDICAL:
            names = [each for each, memory in model.memories.items() if memory.medical]
            model.forget(names)
            self.gone.update(dict.fromkeys(names, who))
        model.consents.discard(name)
        model.is_known = True

    @rule(who=who, which=which)
    def pause(self, who: tuple[str, str], which: int) -> None:
        self._me(self.instances[which], who).pause()
        self.models[who].paused = True
        self.models[who].is_known = True

    @rule(who=who, which=which)
    def resume(self, who: tuple[str, str], which: int) -> None:
        assert self._me(self.instances[which], who).resume() is self.models[who].paused
        self.models[who].paused = False

    @rule(who=who, which=which, place=place)
    def forget_one(self, who: tuple[str, str], which: int, place: int) -> None:
        model = self.models[who]
        if not model.memories:
            return
        name = sorted(model.memories)[place % len(model.memories)]
        self._me(self.instances[which], who).forget(name, scan=False)
        model.forget([name])
        self.gone[name] = who

    @rule(who=who, which=which, medical=st.booleans())
    def forget_category(self, who: tuple[str, str], which: int, medical: bool) -> None:
        model = self.models[who]
        if not model.is_known:
            return
        names = [name for name, memory in model.memories.items() if memory.medical is medical]
        me = self._me(self.instances[which], who)
        category = "medical" if medical else "fact"
        assert me.preview_forget(category=category).memories == len(names)
        assert me.forget(category=category, scan=False).memories == len(names)
        model.forget(names)
        self.gone.update(dict.fromkeys(names, who))

    @rule(who=who, which=which)
    def erase(self, who: tuple[str, str], which: int) -> None:
        model = self.models[who]
        receipt = self._me(self.instances[which], who).erase(scan=False)
        assert (receipt is not None) is model.is_known
        if receipt is not None:
            assert receipt.memories == len(model.memories)
        self.gone.update(dict.fromkeys(model.memories, who))
        self.models[who] = Model()

    @rule(who=who, which=which, health=st.booleans(), text=st.sampled_from(["", *WORDS]))
    def recall(self, who: tuple[str, str], which: int, health: bool, text: str) -> None:
        model = self.models[who]
        contexts = ["general", "health"] if health else ["general"]
        result = self._me(self.instances[which], who).recall(text, contexts=contexts, surface="notebook")
        expected = model.shown(health=health)
        shown = sorted(hit.entry.body for hit in result.hits)
        assert shown == expected or (len(expected) > 50 and len(shown) == 50)
        for hit in result.hits:
            assert (hit.entry.tenant_id, hit.entry.user_id) == who
            assert hit.entry.logical_id in model.memories
        envelope = result.audit_envelope
        assert envelope.evaluated_count == len(model.memories)
        held_back = sum(envelope.suppression_counts.values())
        assert envelope.evaluated_count == len(shown) + held_back + envelope.over_budget_count
        assert envelope.deduplicated_count == 0

    @rule(who=who, which=which, place=place)
    def look_for_what_is_gone(self, who: tuple[str, str], which: int, place: int) -> None:
        if not self.gone:
            return
        name = sorted(self.gone)[place % len(self.gone)]
        for verb in ("show", "history", "explain"):
            try:
                getattr(self._me(self.instances[which], who), verb)(name)
            except UnknownMemoryError:
                continue
            raise AssertionError(f"{verb} found what is gone")

    @rule(who=who, which=which, place=place)
    def look_at_somebody_elses(self, who: tuple[str, str], which: int, place: int) -> None:
        foreign = sorted(name for other, model in self.models.items() if other != who for name in model.memories)
        if not foreign:
            return
        me = self._me(self.instances[which], who)
        name = foreign[place % len(foreign)]
        for attempt in (
            lambda: me.show(name),
            lambda: me.revise(name, "Likes tea"),
            lambda: me.forget(name, scan=False),
        ):
            try:
                attempt()
            except UnknownMemoryError:
                continue
            raise AssertionError("a foreign id was found")

    @rule(who=who, which=which, place=place)
    def read_a_history(self, who: tuple[str, str], which: int, place: int) -> None:
        model = self.models[who]
        if not model.memories:
            return
        name = sorted(model.memories)[place % len(model.memories)]
        history = self._me(self.instances[which], who).history(name)
        assert [entry.body for entry in history] == model.memories[name].wordings
        assert [entry.revision for entry in history] == list(range(1, len(history) + 1))

    @rule(which=which)
    def flush(self, which: int) -> None:
        self.instances[which].flush()

    @rule(which=which)
    def restart(self, which: int) -> None:
        self.instances[which].close()
        self.instances[which] = self._open()

    @rule(seconds=st.integers(-3_600, 36_000))
    def pass_time(self, seconds: int) -> None:
        self.clock.step(timedelta(seconds=seconds))

    @precondition(lambda self: hasattr(self, "instances"))
    @invariant()
    def consents_are_the_ledgers(self) -> None:
        for iris in self.instances:
            for who, model in self.models.items():
                assert self._me(iris, who).consent.active() == model.consents


TestLives = Lives.TestCase
TestLives.settings = settings(
    max_examples=40 * EFFORT,
    stateful_step_count=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
