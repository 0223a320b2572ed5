"""Determinism: the same memory and the same question give the same bytes.

In whatever order candidates come, in another process, under another hash seed, time zone and locale, from a pipeline or
through a store, and from two stores that were told the same.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta, timezone
from hashlib import sha256
from typing import Final

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import MemoryEntry, Origin
from iris_memory.contracts.recall import RecallRequest
from iris_memory.contracts.write import Statement
from iris_memory.evals.entries import entry_of, request_of, scope_drawn, sentence_drawn
from iris_memory.evals.expected import CONTEXTS, PLAIN, SENSITIVE, SURFACES, Situation
from iris_memory.evals.stage import BASE, DAWN, ROOMY, TERMS, Draws, Stage, stage
from iris_memory.evals.tally import Tally
from iris_memory.gates.facts import Asked
from iris_memory.recall.options import RecallOptions
from iris_memory.recall.pipeline import RecallPipeline

_WORLDS, _ENTRIES, _REQUESTS, _ORDERS = 6, 80, 12, 8
_PROCESSES: Final = (
    {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"},
    {"PYTHONHASHSEED": "4242", "TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8"},
)
_PROGRAM: Final = "import sys; from iris_memory.evals.determinism import digest; sys.stdout.write(digest())"


def run(tally: Tally) -> str:
    """Look at orders of candidates, at other processes, and at two stores."""
    apart = [
        subprocess.Popen(
            [sys.executable, "-c", _PROGRAM],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **surroundings},
            stdout=subprocess.PIPE,
            text=True,
        )
        for surroundings in _PROCESSES
    ]
    _orders(tally)
    here = _digest_of(_stores(tally))
    for surroundings, process in zip(_PROCESSES, apart, strict=True):
        told, _ = process.communicate()
        tally.same(f"a process with {surroundings}", told, here)
    return (
        f"{_WORLDS * _REQUESTS} requests in {_ORDERS} orders of {_ENTRIES} candidates;"
        f" {len(_PROCESSES)} other processes; two stores told the same"
    )


def digest() -> str:
    """Return the digest of every answer of the generated worlds and of a store."""
    with stage() as place:
        return _digest_of(_told(place, "store"))


def _digest_of(told: list[str]) -> str:
    found = sha256("\n".join(told).encode())
    pipeline = RecallPipeline()
    for _, world, requests in _worlds():
        columns = pipeline.columns(world)
        for request in requests:
            found.update(pipeline.recall(columns, Asked(request)).model_dump_json().encode())
    return found.hexdigest()


def _worlds() -> Iterator[tuple[int, list[MemoryEntry], list[RecallRequest]]]:
    for number in range(_WORLDS):
        draws = Draws(f"determinism {number}")
        world = [_entry_drawn(draws, place) for place in range(_ENTRIES)]
        yield number, world, [_request_drawn(draws) for _ in range(_REQUESTS)]


def _entry_drawn(draws: Draws, place: int) -> MemoryEntry:
    # few instants, words and subjects, so that scores tie and clusters form; times told in several zones
    zone = timezone(timedelta(minutes=draws.one((0, 345, -570, 840))))
    return entry_of(
        f"{draws.below(1_000):04}-{place}",
        scope=scope_drawn(draws, tenant="acme", user="ada"),
        category=Category(draws.one((*PLAIN, *SENSITIVE))),
        body=sentence_drawn(draws),
        subject=draws.one(("seat", "drink", None)),
        origin=draws.one(tuple(Origin)),
        reference_count=draws.below(4),
        updated_at=(DAWN + timedelta(hours=draws.below(4))).astimezone(zone),
    )


def _request_drawn(draws: Draws) -> RecallRequest:
    given = Situation(
        contexts=draws.some(CONTEXTS, of=2),
        consents=draws.some(tuple(SENSITIVE), of=2),
        surface=draws.one(SURFACES),
        safety_critical=draws.chance(2),
    )
    scope = scope_drawn(draws, tenant="acme", user="ada")
    return request_of(given, scope=scope, text=sentence_drawn(draws), tenant_policy=draws.chance(2))


def _orders(tally: Tally) -> None:
    pipeline = RecallPipeline()
    for number, world, requests in _worlds():
        draws = Draws(f"orders {number}")
        told = [pipeline.resolve(world, request).model_dump_json() for request in requests]
        for order in range(_ORDERS):
            columns = pipeline.columns(draws.shuffled(world) if order else reversed(world))
            for place, request in enumerate(requests):
                again = pipeline.recall(columns, Asked(request)).model_dump_json()
                tally.same(f"world {number} request {place} order {order}", again, told[place])


def _stores(tally: Tally) -> list[str]:
    with stage() as one, stage() as other:
        first, second = _told(one, "store"), _told(other, "another place")
    for place, (line, again) in enumerate(zip(first, second, strict=True)):
        tally.same(f"two stores, answer {place}", line, again)
    for place, line in enumerate(first):
        if line.startswith(_BESIDE):
            tally.same("a store and a plain pipeline", first[place - 1], line.removeprefix(_BESIDE))
    return first


def _told(place: Stage, name: str) -> list[str]:
    """Return all that a store answers to a fixed list of things; after a recall, what a plain pipeline answers."""
    draws, lines = Draws("told"), []
    pipeline = RecallPipeline(RecallOptions(budgets=ROOMY))
    with place.open(name) as iris:
        memory = iris.for_user(tenant="acme", user="ada")
        memory.consent.grant(*BASE, *(f"category:{category}" for category in SENSITIVE), terms=TERMS)
        for _ in range(4):
            outcomes = memory.remember_many([_statement_drawn(draws) for _ in range(30)])
            lines += [outcome.model_dump_json() for outcome in outcomes]
            place.clock.advance(hours=5)
        for _ in range(6):
            contexts, text = draws.some(CONTEXTS, of=2), sentence_drawn(draws)
            surface = draws.one(SURFACES[:3])
            listed = memory.list(limit=1_000).entries
            found = memory.recall(text, contexts=contexts, surface=surface)
            given = Situation(contexts, frozenset(SENSITIVE), surface)
            beside = pipeline.resolve(listed, request_of(given, text=text, now=place.clock.now()))
            lines += [found.model_dump_json(), _BESIDE + beside.model_dump_json()]
            lines.append(memory.explain(draws.one(listed).logical_id, text, contexts=contexts).model_dump_json())
            iris.flush()
        lines += [entry.model_dump_json() for entry in memory.list(limit=1_000).entries]
        lines += [question.model_dump_json() for question in memory.questions()]
    return lines


_BESIDE: Final = "beside: "


def _statement_drawn(draws: Draws) -> Statement:
    return Statement(
        body=sentence_drawn(draws),
        category=Category(draws.one((*PLAIN, *SENSITIVE))),
        subject=draws.one(("seat", "drink", None, None)),
    )
