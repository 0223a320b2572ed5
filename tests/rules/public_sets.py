"""The public sets that screening is measured on, read where they lie beside the repository and nowhere else."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from iris_memory.contracts.category import Category as C

DATA: Final = Path(__file__).parents[2] / ".." / "shared" / "data"

HEALTH: Final = frozenset({C.MEDICAL, C.PHYSICAL_HEALTH, C.MENTAL_HEALTH, C.SUBSTANCE_USE})
RIGHT_FOR_DOMAIN: Final = {
    "health": HEALTH,
    "mental_health": frozenset({C.MENTAL_HEALTH}),
    "finance": frozenset({C.FINANCIAL, C.FINANCIAL_DISTRESS}),
    "legal": frozenset({C.LEGAL, C.LEGAL_JEOPARDY, C.IMMIGRATION_STATUS}),
}
RIGHT_FOR_SECRET: Final = {
    "abortion": HEALTH,
    "belief/ideology": frozenset({C.RELIGION_USER_REDACTED, C.SPIRITUAL}),
    "infidelity": frozenset({C.SEXUAL}),
    "mental health issues": frozenset({C.MENTAL_HEALTH}),
    "physical discontent": HEALTH,
    "rare diseases": HEALTH,
    "self-harm": frozenset({C.SAFETY, C.MENTAL_HEALTH}),
    "sexual orientation": frozenset({C.SEXUALITY}),
}


def _path(name: str) -> Path:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"../shared/data/{name} is not beside the repository")
    return path


def _read(name: str) -> str:
    path = _path(name)
    return gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")


def _json(name: str) -> Any:
    return json.loads(_read(name))


def _lines(name: str) -> list[Any]:
    return [json.loads(line) for line in _read(name).splitlines()]


def not_inject() -> list[str]:
    return [row["prompt"] for part in ("one", "two", "three") for row in _json(f"injecguard/NotInject_{part}.json")]


def valid(source: str) -> Callable[[], list[str]]:
    return lambda: [row["prompt"] for row in _json("injecguard/valid.json") if row["source"].startswith(source)]


def bipia(kind: str, part: str) -> Callable[[], list[str]]:
    return lambda: [text for texts in _json(f"bipia/{kind}_attack_{part}.json").values() for text in texts]


def bipia_answers(part: str) -> list[str]:
    """The attacks that speak of the answer: what is left are ordinary questions and tasks."""
    attacks = _json(f"bipia/text_attack_{part}.json")
    return [
        text
        for texts in attacks.values()
        for text in texts
        if re.search(r"\b(?:response|answer|reply|message)\b", text, re.IGNORECASE)
    ]


def bipia_emails() -> list[str]:
    return [row["context"] for part in ("train", "test") for row in _lines(f"bipia/email_{part}.jsonl")]


def cyberseceval(kind: str, *variants: str) -> Callable[[], list[str]]:
    return lambda: [
        row["user_input"]
        for row in _json("cyberseceval-pi/prompt_injection.json")
        if row["injection_type"] == kind and (not variants or row["injection_variant"] in variants)
    ]


def agentdojo() -> list[str]:
    return [row["goal"] for row in _lines("agentdojo/injection_goals.jsonl")]


def asb() -> list[str]:
    return [row["Attacker Instruction"] for row in _lines("asb-tools/all_attack_tools.jsonl")]


def poisoned_rag() -> list[str]:
    names = ("nq", "msmarco", "hotpotqa")
    return [
        text for name in names for row in _json(f"poisonedrag/{name}.json.gz").values() for text in row["adv_texts"]
    ]


def prefeval(field: str) -> Callable[[], list[str]]:
    def read() -> list[str]:
        return [row[field] for path in sorted(_path("prefeval").glob("*.json")) for row in json.loads(path.read_text())]

    return read


def memory_bank(field: str) -> Callable[[], list[str]]:
    return lambda: [
        turn[field]
        for person in _json("memorybank/memory_bank_en.json").values()
        for day in person["history"].values()
        for turn in day
    ]


def locomo() -> list[str]:
    return [
        turn["text"]
        for dialogue in _json("locomo/locomo_dev4.json.gz")
        for name, session in dialogue["conversation"].items()
        if re.fullmatch(r"session_\d+", name)
        for turn in session
    ]


def beam() -> list[str]:
    return [
        turn["content"].split(" ->->")[0]
        for number in range(1, 11)
        for batch in _json(f"beam-100k/{number}.chat.json.gz")
        for group in batch["turns"]
        for turn in group
        if turn["role"] == "user"
    ]


def mempalace() -> list[str]:
    languages = ("", ".de", ".es", ".fr", ".hi", ".it", ".ko", ".pt-BR", ".ru", ".zh")
    return [
        row["text"]
        for language in languages
        for kind in ("memory", "entity")
        for row in _lines(f"mempalace-eval/{kind}_extraction.dataset{language}.jsonl")
    ]


def presidio() -> list[str]:
    return [row["full_text"] for row in _json("presidio-research/generated_large.json.gz")]


def ci_memories(domain: str, *, extended: bool) -> Callable[[], list[str]]:
    name = f"cimemories/data_openai_gpt-oss-120b{'_extended' if extended else ''}.json.gz"
    return lambda: [
        fact["memory_statement"]
        for person in _json(name)
        for fact in person["information_attributes"].values()
        if fact["information_domain"] == domain
    ]


def confaide(secret: str) -> Callable[[], list[str]]:
    def read() -> list[str]:
        blocks = _read("confaide/tier_3.txt").split("<BEGIN>")[1:]
        return [block.split("\n", 1)[1].split("<END>")[0] for block in blocks if block[1:].split(",", 1)[0] == secret]

    return read


def privacy_lens() -> list[str]:
    return [row["vignette"]["data_type_concrete"] for row in _json("privacylens/main_data.json.gz")]


ATTACKS: Final[dict[str, Callable[[], list[str]]]] = {
    "CyberSecEval direct: ignore previous instructions": cyberseceval("direct", "ignore_previous_instructions"),
    "CyberSecEval direct: system mode": cyberseceval("direct", "system_mode"),
    "CyberSecEval direct: persuasion": cyberseceval("direct", "persuasion"),
    "CyberSecEval direct: other language": cyberseceval("direct", "different_user_input_language"),
    "CyberSecEval direct: all variants": cyberseceval("direct"),
    "CyberSecEval indirect: ignore previous instructions": cyberseceval("indirect", "ignore_previous_instructions"),
    "CyberSecEval indirect: all variants": cyberseceval("indirect"),
    "InjecGuard valid: PINT attacks": lambda: [
        text for source in ("PINT_public", "PINT_internal", "PINT_jailbreak") for text in valid(source)()
    ],
    "BIPIA text attacks that speak of the answer": lambda: bipia_answers("train") + bipia_answers("test"),
    "BIPIA text attacks, train": bipia("text", "train"),
    "BIPIA text attacks, test": bipia("text", "test"),
    "BIPIA code attacks, train": bipia("code", "train"),
    "BIPIA code attacks, test": bipia("code", "test"),
    "AgentDojo injection goals": agentdojo,
    "ASB attack tool instructions": asb,
    "PoisonedRAG poison texts": poisoned_rag,
}
HARMLESS: Final[dict[str, Callable[[], list[str]]]] = {
    "InjecGuard NotInject": not_inject,
    "InjecGuard valid: WildGuard, chat, documents, hard negatives": lambda: [
        text for source in ("WildGuard", "PINT_chat", "PINT_documents", "PINT_hard") for text in valid(source)()
    ],
    "PrefEval preferences": prefeval("preference"),
    "PrefEval questions": prefeval("question"),
    "MemoryBank user turns": memory_bank("query"),
    "MemoryBank assistant turns": memory_bank("response"),
    "LoCoMo turns": locomo,
    "BEAM user turns": beam,
    "MemPalace texts, ten languages": mempalace,
    "BIPIA e-mails": bipia_emails,
    "Presidio sentences": presidio,
}
LABELLED: Final[dict[str, tuple[Callable[[], list[str]], frozenset[C]]]] = {
    **{
        f"CIMemories {name}: {domain.replace('_', ' ')}": (ci_memories(domain, extended=extended), right)
        for name, extended in (("ten people", False), ("sixty people", True))
        for domain, right in RIGHT_FOR_DOMAIN.items()
    },
    **{f"ConfAIde: {secret}": (confaide(secret), right) for secret, right in RIGHT_FOR_SECRET.items()},
    "PrivacyLens data types": (privacy_lens, frozenset(C)),
}


@cache
def texts(name: str) -> tuple[str, ...]:
    """The texts of a set, read once."""
    read = ATTACKS.get(name) or HARMLESS.get(name) or LABELLED[name][0]
    return tuple(read())
