"""The cases of the masking suite: what is measured by kind and disguise, and the laws of a masked text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from iris_memory.contracts.masking import (
    OWNER_PII_KINDS,
    Action,
    Audience,
    Column,
    Guard,
    GuardRow,
    OwnerLiteral,
    PiiKind,
    Span,
)
from iris_memory.evals.attacks import TRANSFORMATIONS
from iris_memory.evals.ordinary_text import SORTS
from iris_memory.evals.owner import EVERYDAY_LITERALS, USER_MD
from iris_memory.evals.stage import Draws
from iris_memory.evals.tally import Tally
from iris_memory.masking.corpus import Corpus, extract
from iris_memory.masking.decide import decide, verdicts_of
from iris_memory.masking.folding import fold
from iris_memory.masking.pseudonyms import PSEUDONYM, Exchange, Pseudonyms
from iris_memory.masking.render import masked, unmasked
from iris_memory.masking.streaming import MaskStream
from iris_memory.tables.guards import DEFAULT_TABLE, column_of

CARRIER: Final = "Please tell them about {} soon."
ORDINARY: Final = 1_000_000
"""Characters of each sort of ordinary text."""

CEILING: Final = 0.5
"""False hits in a million characters, at most."""

_KEY: Final = b"a key that this suite alone uses"
_COLUMNS: Final = tuple((guard, audience) for guard in Guard for audience in Audience)


class Disguised(NamedTuple):
    """A literal, written in one way of one disguise, in the text that carries it."""

    case: str
    kind: PiiKind
    literal: str
    written: str
    text: str
    around: int


class Recall(NamedTuple):
    """How many ways of writing a kind in a disguise there are, and how many were found whole."""

    kind: PiiKind
    disguise: str
    ways: int
    found: int


def look(tally: Tally) -> str:
    """Look at every case; return in a few words what was looked at."""
    corpus = extract({"USER.md": USER_MD}, ontology_kinds=DEFAULT_TABLE.ontology_kinds).corpus
    cases = list(disguised(corpus))
    for case in cases:
        tally.check(f"{case.case} is found", is_found(case, corpus=corpus))
    _guards_agree(tally, cases, corpus)
    _nothing_is_left(tally, cases, corpus)
    _typed_tokens_stay_text(tally, cases, corpus)
    _streams_agree(tally, cases, corpus)
    hits = _ordinary_text(tally, corpus)
    return (
        f"{len(cases):,} disguises of {len(corpus.literals)} literals in {len(PiiKind)} kinds;"
        f" {hits} false hits in {len(SORTS)} sorts of ordinary text, a million characters each, for two owners"
    )


def disguised(corpus: Corpus) -> Iterator[Disguised]:
    """Write every literal of a corpus in every way of every disguise for its kind."""
    for number, literal in enumerate(corpus.literals):
        for how in TRANSFORMATIONS:
            if literal.kind in how.kinds:
                for way, written in enumerate(dict.fromkeys(how.write(literal.text))):
                    case = f"{literal.kind.value} {number}, {how.name}, way {way}"
                    text = CARRIER.format(written)
                    yield Disguised(case, literal.kind, literal.text, written, text, how.around)


def recall(corpus: Corpus) -> list[Recall]:
    """Return the recall of each kind in each disguise."""
    ways: Counter[tuple[PiiKind, str]] = Counter()
    found: Counter[tuple[PiiKind, str]] = Counter()
    for case in disguised(corpus):
        row = case.kind, case.case.split(", ", 1)[1].rpartition(", way ")[0]
        ways[row] += 1
        found[row] += is_found(case, corpus=corpus)
    return [Recall(*row, count, found[row]) for row, count in ways.items()]


def is_found(case: Disguised, *, corpus: Corpus) -> bool:
    """Say whether a literal is found as what it is, with nothing left over but what stands around it."""
    low = case.text.index(case.written)
    high = low + len(case.written)
    hits = [span for span in _spans(case.text, corpus) if span.start < high and span.end > low]
    left = (
        mark for place, mark in enumerate(case.written, low) if not any(hit.start <= place < hit.end for hit in hits)
    )
    return case.kind in {hit.kind for hit in hits} and len(fold("".join(left))) <= case.around


def _guards_agree(tally: Tally, cases: Sequence[Disguised], corpus: Corpus) -> None:
    """PII-1: every guard finds the same stretches; only the action is its own."""
    for case in cases[::7]:
        seen = set()
        for guard, audience in _COLUMNS:
            spans = decide(case.text, corpus=corpus, table=DEFAULT_TABLE, guard=guard, audience=audience)
            seen.add(tuple((span.start, span.end) for span in spans))
            column = column_of(guard, audience=audience)
            tally.check(f"{case.case}, {column.value} acts as its table says", _acts_as_told(spans, column))
        tally.check(f"{case.case}, all guards find the same", len(seen) == 1)


def _acts_as_told(spans: Sequence[Span], column: Column) -> bool:
    rows = (GuardRow.FIRST_NAME_ALONE if span.first_name_alone else GuardRow(span.kind.value) for span in spans)
    return [span.action for span in spans] == [DEFAULT_TABLE.cell(row, column=column).action for row in rows]


def _nothing_is_left(tally: Tally, cases: Sequence[Disguised], corpus: Corpus) -> None:
    """What is masked holds no owner any more, differs inside spans alone, and comes back for whom it was granted."""
    for case in cases[::3]:
        exchange = _exchange("planner")
        spans = _spans(case.text, corpus)
        out = masked(case.text, spans, corpus=corpus, exchange=exchange).text
        tally.same(
            f"{case.case}, masked once more", masked(out, _spans(out, corpus), corpus=corpus, exchange=exchange)[0], out
        )
        tally.check(f"{case.case}, nothing is left", case.literal not in out and not _spans(out, corpus))
        tally.same(f"{case.case}, the rest is as it was", _rest(case.text, spans), _without_tokens(out))
        tally.same(f"{case.case}, nothing granted", unmasked(out, exchange=exchange, grants=frozenset()), out)
        if case.written == case.literal and case.kind in OWNER_PII_KINDS:
            back = unmasked(out, exchange=exchange, grants=OWNER_PII_KINDS)
            tally.same(f"{case.case}, granted", fold(back), fold(case.text))


def _typed_tokens_stay_text(tally: Tally, cases: Sequence[Disguised], corpus: Corpus) -> None:
    """PII-12: a token that somebody typed is text, beside one that was issued and in an exchange of somebody else."""
    for case in cases[::11]:
        exchange = _exchange("planner")
        typed = f"[owner:{case.kind.value}#1] {case.text}"
        out = masked(typed, _spans(typed, corpus), corpus=corpus, exchange=exchange).text
        tally.check(f"{case.case}, a typed token is escaped", out.startswith(f"[owner~:{case.kind.value}#1] "))
        elsewhere = unmasked(out, exchange=_exchange("finance"), grants=OWNER_PII_KINDS)
        tally.same(f"{case.case}, in another's exchange", elsewhere, out)


def _streams_agree(tally: Tally, cases: Sequence[Disguised], corpus: Corpus) -> None:
    """PII-8: a text that comes in pieces is masked as the whole is."""
    draws = Draws("pieces")
    verdicts = verdicts_of(DEFAULT_TABLE, guard=Guard.CAPABILITY)
    for number in range(0, len(cases) - 3, 29):
        text = " and then ".join(case.text for case in cases[number : number + 3])
        spans = decide(text, corpus=corpus, table=DEFAULT_TABLE, guard=Guard.CAPABILITY)
        whole = masked(text, spans, corpus=corpus, exchange=_exchange("planner")).text
        stream = MaskStream(corpus=corpus, verdicts=verdicts, exchange=_exchange("planner"))
        out, place = [], 0
        while place < len(text):
            size = 1 + draws.below(40)
            out.append(stream.feed(text[place : place + size]))
            place += size
        tally.same(f"{cases[number].case} and the next two, in pieces", "".join([*out, stream.finish()]), whole)


def _ordinary_text(tally: Tally, corpus: Corpus) -> int:
    literals = (OwnerLiteral(kind=kind, text=text, source="suite") for kind, text in EVERYDAY_LITERALS)
    owners = {"the owner": corpus, "an owner of everyday words": Corpus(tuple(literals), ("GB", "US", "DE"))}
    hits = 0
    for sort, write in SORTS.items():
        text = write(ORDINARY)
        for who, known in owners.items():
            found = len(_spans(text, known))
            tally.check(f"{who} is not in {sort}", found <= CEILING * len(text) / 1_000_000)
            hits += found
    return hits


def _spans(text: str, corpus: Corpus) -> list[Span]:
    """Return every stretch with the action that leaves nothing of it."""
    found = decide(text, corpus=corpus, table=DEFAULT_TABLE, guard=Guard.ANSWER, audience=Audience.OTHER)
    return [span._replace(action=Action.MASK) for span in found]


def _exchange(consumer: str) -> Exchange:
    return Pseudonyms(key=_KEY, consumer=consumer, conversation="suite").exchange()


def _rest(text: str, spans: Sequence[Span]) -> list[str]:
    ends = [0, *(span.end for span in spans)]
    starts = [*(span.start for span in spans), len(text)]
    return [text[end:start] for end, start in zip(ends, starts, strict=True)]


def _without_tokens(text: str) -> list[str]:
    return PSEUDONYM.split(text)
