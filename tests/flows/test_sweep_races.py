"""What a person does while their memories are condensed counts: nothing comes back by way of a summary (POI-1)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from flows.stores import DAY, OpenIris, SteppingClock, person, remembered, sound, written
from iris_memory.contracts.entry import MemoryEntry, Origin
from iris_memory.contracts.scope import SessionScope
from iris_memory.flows.sweep import sweep
from iris_memory.front.person import PersonMemory
from iris_memory.rules.extracting import Digest

SESSION = SessionScope(user_id="ada", session_id="s1")


def summaries(me: PersonMemory) -> list[MemoryEntry]:
    """Return the memories that were made by summarising."""
    return list(me.list(origin=Origin.SUMMARIZED_FROM_SESSION, limit=1_000).entries)


def test_a_memory_that_is_forgotten_while_it_is_condensed_is_in_no_summary(
    open_iris: OpenIris, clock: SteppingClock
) -> None:
    """POI-1: the summarizer has read it, the person forgets it, and the summary is not written with it."""
    iris = open_iris()
    me = person(iris)
    secret = written(me.remember("Met the quokka on 3 May.", scope=SESSION)).entry.logical_id
    me.remember("Flies on 12 May.", scope=SESSION)
    clock.step(DAY)
    reading, forgotten = threading.Event(), threading.Event()

    class Slow:
        name = "slow-1"

        def summarize(self, texts: Sequence[str], *, most: int) -> Digest | None:
            reading.set()
            assert forgotten.wait(10)
            return Digest("\n".join(texts), None)

    slow = replace(iris.instruments, summarizer=Slow())
    reports = []
    sweeper = threading.Thread(target=lambda: reports.append(sweep(slow)))
    sweeper.start()
    assert reading.wait(10)
    me.forget(secret, scan=False)
    forgotten.set()
    sweeper.join(10)
    assert (reports[0].again, reports[0].summaries) == (1, 0)
    assert not any("quokka" in body for body in remembered(me))
    assert iris.sweep().summaries == 1
    assert [one.body for one in summaries(me)] == ["Flies on 12 May."]
    sound(iris)


def test_a_consent_withdrawn_while_it_is_condensed_stops_the_summary(open_iris: OpenIris, clock: SteppingClock) -> None:
    """DSR-16: the withdrawal is in force in the transaction that would have written the summary."""
    iris = open_iris()
    me = person(iris, consents=["category:medical"])
    me.remember("Has asthma since 2004.", scope=SESSION, category="medical")
    clock.step(DAY)

    class Withdrawing:
        name = "withdrawing-1"

        def summarize(self, texts: Sequence[str], *, most: int) -> Digest | None:
            if "category:medical" in me.consent.active():
                me.consent.revoke("category:medical")
            return Digest("Has asthma since 2004.", None)

    report = sweep(replace(iris.instruments, summarizer=Withdrawing()))
    assert report.summaries == 0
    iris.sweep()
    assert remembered(me) == set()


def test_forgotten_words_are_in_no_summary_of_another_source(open_iris: OpenIris, clock: SteppingClock) -> None:
    """DSR-13: a sentence that was forgotten elsewhere does not come back through a source that says it too."""
    iris = open_iris()
    me = person(iris)
    me.remember("Met the quokka. Flies on 12 May.", scope=SESSION)
    said = written(me.remember("Met the quokka.")).entry.logical_id
    me.forget(said, scan=False)
    clock.step(DAY)
    iris.sweep()
    assert [one.body for one in summaries(me)] == ["Flies on 12 May."]
