"""Jobs for the nursery: what processes do that are killed, starved of room, or that crowd one store."""

from __future__ import annotations

import json
import os
import random
import resource
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from flows.stores import KEY, START, SteppingClock, open_store, person, written
from iris_memory.contracts.erasure import ForgetTarget
from iris_memory.contracts.write import Answer, Statement, Written
from iris_memory.errors import IrisError, StoreFullError
from iris_memory.flows.answer import answer
from iris_memory.flows.forget import erase, forget
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.front.iris import Iris


class Log:
    """Lines that survive the death of the process that wrote them."""

    def __init__(self, path: str) -> None:
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def say(self, *what: Any) -> None:
        """Append a line in one piece."""
        os.write(self._handle, json.dumps(what).encode() + b"\n")


def said(path: Path) -> list[list[Any]]:
    """Read the lines of a log; there may be none."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def warm_up() -> None:
    """Use everything once, so that no life spends its time on loading it."""
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder)) as iris:
        me = person(iris)
        me.remember("Likes tea", subject="drink")
        me.remember("Likes gin", subject="drink")
        me.recall("tea")
        iris.flush()
        me.forget(everything=True, scan=False)
        iris.doctor()


def live(folder: str, log: str, seed: int, names: list[str]) -> None:
    """Write, correct, forget, recall and flush at random until killed; tell before and after each."""
    chance, out = random.Random(seed), Log(log)
    iris = open_store(Path(folder))
    me = iris.for_user(tenant="acme", user="ada")
    for turn in range(100_000):
        act = chance.choices(["remember", "batch", "revise", "forget", "recall", "flush"], [4, 1, 4, 4, 3, 1])[0]
        words = f"fact {seed} {turn}"
        name = chance.choice(names) if names else ""
        if act == "remember" or not names:
            out.say("try", "remember", None, words)
            names.append(written(me.remember(words)).entry.logical_id)
            out.say("done", "remember", names[-1], words)
        elif act == "batch":
            many = [f"{words} {part}" for part in range(5)]
            out.say("try", "batch", None, many)
            made = [written(one).entry.logical_id for one in me.remember_many([Statement(body=one) for one in many])]
            names += made
            out.say("done", "batch", made, many)
        elif act == "revise":
            out.say("try", "revise", name, words)
            written(me.revise(name, words))
            out.say("done", "revise", name, words)
        elif act == "forget":
            out.say("try", "forget", name, "")
            me.forget(name, scan=False)
            names.remove(name)
            out.say("done", "forget", name, "")
        elif act == "recall":
            me.recall("fact")
        else:
            iris.flush()


class Counting:
    """Stands before an engine and ends the process before or after its n-th step, which no step can notice."""

    def __init__(self, engine: Any, steps: Steps, watched: frozenset[str]) -> None:
        self._engine = engine
        self._steps = steps
        self._watched = watched

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._engine, name)
        if name not in self._watched:
            return found

        def step(*words: Any, **more: Any) -> Any:
            self._steps.before()
            result = found(*words, **more)
            self._steps.after()
            return result

        return step


class Steps:
    """Counts the steps taken, and ends the process at one of them."""

    def __init__(self, end_at: int) -> None:
        self._left = end_at

    def before(self) -> None:
        """A step begins."""
        self._count()

    def after(self) -> None:
        """A step is done."""
        self._count()

    def _count(self) -> None:
        self._left -= 1
        if self._left == 0:
            os._exit(9)


WATCHED_STORE = frozenset({"write", "scrub", "sync"})
WATCHED_VAULT = frozenset({"reserve", "destroy_slots", "destroy_subject", "scrub", "wrapped_slots", "signing_keys"})


def end_in_step(folder: str, act: str, end_at: int, target: str, digest: str = "") -> None:
    """Forget, erase or answer, and end the process at the n-th beginning or end of a step of an engine."""
    iris = open_store(Path(folder), clock=SteppingClock())
    steps = Steps(end_at)
    plain = iris.instruments
    instruments: Instruments = replace(
        plain,
        store=Counting(plain.store, steps, WATCHED_STORE),
        vault=Counting(plain.vault, steps, WATCHED_VAULT),
    )
    caller = Caller(tenant="acme", user="ada")
    acts: dict[str, Callable[[], Any]] = {
        "one": lambda: forget(instruments, caller, ForgetTarget(logical_id=target)),
        "everything": lambda: forget(instruments, caller, ForgetTarget(everything=True)),
        "erase": lambda: erase(instruments, caller),
        "replace": lambda: answer(instruments, caller, target, Answer.REPLACE, digest=digest),
        "keep": lambda: answer(instruments, caller, target, Answer.KEEP, digest=digest),
    }
    acts[act]()


def crowd(folder: str, log: str, number: int, times: int) -> None:
    """Write memories of one's own, recall, and correct the one memory that everybody corrects."""
    out = Log(log)
    iris = open_store(Path(folder))
    me = iris.for_user(tenant="acme", user="ada")
    for turn in range(times):
        words = f"fact process{number}turn{turn}"
        entry = written(me.remember(words)).entry
        out.say("remember", entry.logical_id, words)
        if turn % 5 == 0:
            result = me.recall(words, surface="notebook")
            assert words in {hit.entry.body for hit in result.hits}
        shared = next(one for one in me.list(words="shared", limit=1_000).entries)
        wish = f"shared by process {number}, {turn}"
        outcome = me.revise(shared.logical_id, wish, expected=shared.id)
        out.say("revise" if isinstance(outcome, Written) else "stale", shared.id, wish)
    iris.close()


def open_new(folder: str, log: str, number: int) -> None:
    """Open a store that may not be there yet, and write to it."""
    os.environ["XDG_CONFIG_HOME"] = f"{folder}-config"
    iris = Iris.open(folder, tended=False)
    me = iris.for_user(tenant="acme", user="ada")
    me.consent.grant("data_processing", "data_storage", terms="x")
    Log(log).say(iris.store_id, written(me.remember(f"fact of process {number}")).entry.logical_id)
    iris.close()


def fill_up(folder: str, log: str, room: int) -> None:
    """Write until no file may grow any more, then go on trying; tell what was acknowledged and what was said."""
    out = Log(log)
    iris = open_store(Path(folder), clock=SteppingClock(START))
    me = iris.for_user(tenant="acme", user="ada")
    me.recall("fact")
    largest = max(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest + room, resource.RLIM_INFINITY))
    failures = 0
    for turn in range(5_000):
        words = f"fact {turn} " + "filler " * 100
        try:
            out.say("done", written(me.remember(words)).entry.logical_id, words.strip())
        except StoreFullError as problem:
            failures += 1
            out.say("full", type(problem).__name__, str(problem))
        if failures >= 3:
            break
    try:
        out.say("recalled", len(me.recall("fact").hits))
    except IrisError as problem:
        out.say("recall failed", type(problem).__name__)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    out.say("done", written(me.remember("room again")).entry.logical_id, "room again")
    iris.close()


def open_without_rights(folder: str, log: str) -> None:
    """Open a store whose folder cannot be written, as somebody who is not root."""
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    out = Log(log)
    for create in (False, True):
        try:
            Iris.open(folder, key=KEY, create=create, tended=False)
        except IrisError as problem:
            out.say(type(problem).__name__, str(problem))
        else:
            out.say("opened", "")
