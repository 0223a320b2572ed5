"""Public sets of attacks and harmless texts, read where they lie beside the repository. Nothing of them is copied.

A set that is not there is left out and named. Each set's licence stands in its SOURCE.md.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from iris_memory.contracts.entry import BODY_MOST
from iris_memory.contracts.shape import is_storable

DATA: Final = Path("../shared/data")
"""Where the sets lie, seen from the root of the repository."""


def _json(name: str) -> Any:
    path = DATA / name
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


def _lines(name: str) -> list[Any]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def _asb() -> Iterator[str]:
    yield from (row["Attacker Instruction"] for row in _lines("asb-tools/all_attack_tools.jsonl"))


def _poisoned_rag() -> Iterator[str]:
    for name in ("nq", "msmarco", "hotpotqa"):
        for row in _json(f"poisonedrag/{name}.json.gz").values():
            yield from row["adv_texts"]


def _bipia() -> Iterator[str]:
    for kind in ("text", "code"):
        for part in ("train", "test"):
            for texts in _json(f"bipia/{kind}_attack_{part}.json").values():
                yield from texts


def _cyberseceval() -> Iterator[str]:
    yield from (row["user_input"] for row in _json("cyberseceval-pi/prompt_injection.json"))


def _agentdojo() -> Iterator[str]:
    yield from (row["goal"] for row in _lines("agentdojo/injection_goals.jsonl"))


def _injecguard_attacks() -> Iterator[str]:
    hostile = ("PINT_public", "PINT_internal", "PINT_jailbreak")
    yield from (row["prompt"] for row in _json("injecguard/valid.json") if row["source"].startswith(hostile))


def _not_inject() -> Iterator[str]:
    for part in ("one", "two", "three"):
        yield from (row["prompt"] for row in _json(f"injecguard/NotInject_{part}.json"))


def _prefeval() -> Iterator[str]:
    for path in sorted((DATA / "prefeval").glob("*.json")):
        yield from (row["preference"] for row in json.loads(path.read_text(encoding="utf-8")))


def _memory_bank() -> Iterator[str]:
    for person in _json("memorybank/memory_bank_en.json").values():
        for day in person["history"].values():
            yield from (turn["query"] for turn in day)


ATTACKS: Final[dict[str, tuple[str, Callable[[], Iterator[str]]]]] = {
    "ASB attack tools": ("asb-tools", _asb),
    "PoisonedRAG poison texts": ("poisonedrag", _poisoned_rag),
    "BIPIA attacks": ("bipia", _bipia),
    "CyberSecEval prompt injection": ("cyberseceval-pi", _cyberseceval),
    "AgentDojo injection goals": ("agentdojo", _agentdojo),
    "InjecGuard valid, attacks": ("injecguard", _injecguard_attacks),
}
HARMLESS: Final[dict[str, tuple[str, Callable[[], Iterator[str]]]]] = {
    "InjecGuard NotInject": ("injecguard", _not_inject),
    "PrefEval preferences": ("prefeval", _prefeval),
    "MemoryBank user turns": ("memorybank", _memory_bank),
}


def texts(sets: dict[str, tuple[str, Callable[[], Iterator[str]]]]) -> tuple[dict[str, list[str]], list[str]]:
    """Return the texts of each set that is there, each once and cut to what a memory holds, and which sets are not."""
    found: dict[str, list[str]] = {}
    absent = []
    for name, (folder, read) in sets.items():
        if not (DATA / folder).is_dir():
            absent.append(name)
            continue
        cut = (text.strip()[:BODY_MOST] for text in read())
        found[name] = list(dict.fromkeys(text for text in cut if text and is_storable(text)))
    return found, absent
