"""The owner of these tests: somebody who does not exist, with every kind of identity."""

from __future__ import annotations

from functools import cache

from iris_memory.contracts.masking import Action, Audience, Guard, OwnerLiteral, PiiKind, Span
from iris_memory.evals.owner import USER_MD
from iris_memory.masking.corpus import Corpus, extract
from iris_memory.masking.decide import decide
from iris_memory.masking.pseudonyms import Exchange, Pseudonyms
from iris_memory.tables.guards import DEFAULT_ONTOLOGY_KINDS, DEFAULT_TABLE

KEY = b"a key that these tests alone use"


def literal(kind: PiiKind, text: str) -> OwnerLiteral:
    return OwnerLiteral(kind=kind, text=text, source="test")


def corpus_of(*pairs: tuple[PiiKind, str], regions: tuple[str, ...] = ("GB", "US", "DE")) -> Corpus:
    return Corpus(tuple(literal(kind, text) for kind, text in pairs), regions)


@cache
def owner() -> Corpus:
    """The corpus of the sample owner."""
    return extract({"USER.md": USER_MD}, ontology_kinds=DEFAULT_ONTOLOGY_KINDS).corpus


def spans(text: str, corpus: Corpus | None = None, guard: Guard = Guard.EGRESS) -> list[Span]:
    return decide(text, corpus=corpus or owner(), table=DEFAULT_TABLE, guard=guard, audience=Audience.OTHER)


def found(text: str, corpus: Corpus | None = None) -> list[tuple[str, str]]:
    """What is found in a text, as pairs of kind and written text."""
    return [(span.kind.value, text[span.start : span.end]) for span in spans(text, corpus)]


def every(action: Action = Action.MASK, corpus: Corpus | None = None, text: str = "") -> list[Span]:
    """All spans of a text with one action for all."""
    return [span._replace(action=action) for span in spans(text, corpus)]


def exchange(consumer: str = "planner", conversation: str = "c1") -> Exchange:
    return Pseudonyms(key=KEY, consumer=consumer, conversation=conversation).exchange()
