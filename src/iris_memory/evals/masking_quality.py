"""The quality of masking as a page: recall and precision by kind, by language and sort of text, and by disguise.

Everything is made from the corpus in the repository and nothing is drawn at random, so the page is the same on every
machine, and a number that falls is a line that changes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from iris_memory.contracts.masking import Audience, Guard, OwnerLiteral, PiiKind, Span
from iris_memory.evals.attacks import TRANSFORMATIONS
from iris_memory.evals.masking_cases import CEILING, ORDINARY, Disguised, Recall, disguised, is_found, recall
from iris_memory.evals.ordinary_text import SORTS
from iris_memory.evals.owner import EVERYDAY_LITERALS, USER_MD
from iris_memory.masking.corpus import Corpus, extract
from iris_memory.masking.decide import decide
from iris_memory.tables.guards import DEFAULT_TABLE

EVERY: Final = 97
"""After so many characters, at the next space, a literal is set into text of a sort."""


class Right(NamedTuple):
    """Literals that stood in texts, how many were found as what they are, and hits where none stood."""

    stood: int
    found: int
    false: int

    @property
    def recall(self) -> float:
        """The share of literals that were found."""
        return self.found / self.stood if self.stood else 1.0

    @property
    def precision(self) -> float:
        """The share of hits that were literals."""
        hits = self.found + self.false
        return self.found / hits if hits else 1.0


class Ordinary(NamedTuple):
    """False hits in a million characters of a sort of text: for the owner, and for one of everyday words."""

    owner: float
    everyday: float


class Quality(NamedTuple):
    """What was measured."""

    kinds: Mapping[PiiKind, Right]
    sorts: Mapping[str, Mapping[PiiKind, Right]]
    ordinary: Mapping[str, Ordinary]
    disguises: Sequence[Recall]

    def shortfalls(self) -> Iterator[str]:
        """Name every number that is worse than it may be."""
        for kind, right in self.kinds.items():
            if right.found < right.stood or right.false:
                yield f"{kind.value}, in disguise"
        for sort, rights in self.sorts.items():
            for kind, right in rights.items():
                if not right.stood or right.found < right.stood:
                    yield f"{kind.value} in {sort}"
        for sort, hits in self.ordinary.items():
            if max(hits) > CEILING:
                yield f"false hits in {sort}"
        for row in self.disguises:
            if row.found < row.ways:
                yield f"{row.kind.value}, {row.disguise}"


def measure(*, characters: int = ORDINARY) -> Quality:
    """Measure every case of the corpus, and `characters` of every sort of ordinary text."""
    corpus = extract({"USER.md": USER_MD}, ontology_kinds=DEFAULT_TABLE.ontology_kinds).corpus
    everyday = Corpus(
        tuple(OwnerLiteral(kind=kind, text=text, source="suite") for kind, text in EVERYDAY_LITERALS),
        ("GB", "US", "DE"),
    )
    texts = {sort: write(characters) for sort, write in SORTS.items()}
    return Quality(
        kinds=_by_kind(corpus),
        sorts={sort: _among(text[: len(corpus.literals) * 40 * EVERY], corpus) for sort, text in texts.items()},
        ordinary={
            sort: Ordinary(*(len(_spans(text, known)) * 1_000_000 / len(text) for known in (corpus, everyday)))
            for sort, text in texts.items()
        },
        disguises=recall(corpus),
    )


def _by_kind(corpus: Corpus) -> dict[PiiKind, Right]:
    stood: Counter[PiiKind] = Counter()
    found: Counter[PiiKind] = Counter()
    false: Counter[PiiKind] = Counter()
    for case in disguised(corpus):
        stood[case.kind] += 1
        found[case.kind] += is_found(case, corpus=corpus)
        false.update(_elsewhere(case, corpus))
    return {kind: Right(stood[kind], found[kind], false[kind]) for kind in PiiKind}


def _elsewhere(case: Disguised, corpus: Corpus) -> Iterator[PiiKind]:
    low = case.text.index(case.written)
    high = low + len(case.written)
    return (span.kind for span in _spans(case.text, corpus) if span.end <= low or span.start >= high)


def _among(text: str, corpus: Corpus) -> dict[PiiKind, Right]:
    """Set the literals, one after another, into a text, and count which are found where they stand."""
    whole, places = _set_in(text, corpus.literals)
    spans = _spans(whole, corpus)
    stood = Counter(literal.kind for _, literal in places)
    found: Counter[PiiKind] = Counter()
    taken: set[Span] = set()
    for start, literal in places:
        end = start + len(literal.text)
        hits = [span for span in spans if span.start < end and span.end > start]
        taken.update(hits)
        found[literal.kind] += any(span.start <= start and span.end >= end for span in hits)
    false = Counter(span.kind for span in spans if span not in taken)
    return {kind: Right(stood[kind], found[kind], false[kind]) for kind in PiiKind}


def _set_in(text: str, literals: Sequence[OwnerLiteral]) -> tuple[str, list[tuple[int, OwnerLiteral]]]:
    parts: list[str] = []
    places: list[tuple[int, OwnerLiteral]] = []
    length = place = number = 0
    while (cut := text.find(" ", place + EVERY)) >= 0:
        literal = literals[number % len(literals)]
        piece = text[place:cut] + " "
        places.append((length + len(piece), literal))
        parts += (piece, literal.text)
        length += len(piece) + len(literal.text)
        place, number = cut, number + 1
    return "".join([*parts, text[place:]]), places


def _spans(text: str, corpus: Corpus) -> list[Span]:
    return decide(text, corpus=corpus, table=DEFAULT_TABLE, guard=Guard.ANSWER, audience=Audience.OTHER)


def page(quality: Quality) -> str:
    """Write what was measured as a page of the reference."""
    total = sum(right.stood for right in quality.kinds.values())
    lines = [
        "# Quality of masking",
        "",
        "Made by `iris eval masking --table FILE` from the corpus in the repository; the tests make it again and fail",
        f"where a line differs. Recall is the share of literals that are found whole and as what they are: {total:,}",
        f"ways of writing {sum(1 for _ in _literals())} literals. Precision is the share of hits that are literals.",
        "",
        "## By kind",
        "",
        *_table(
            ("kind", "ways", "recall", "false hits", "precision"),
            (
                (kind.value, f"{right.stood:,}", _share(right.recall), str(right.false), _share(right.precision))
                for kind, right in quality.kinds.items()
            ),
        ),
        "",
        "## By language and sort of text",
        "",
        "Literals as the owner writes them, set into prose of each language, code and logs; then the same text",
        "without them, a million characters, for this owner and for one who is called Mark, April or Will Baker:",
        f"false hits per million characters, at most {CEILING}.",
        "",
        *_table(
            ("text", *(f"{kind.value} r / p" for kind in PiiKind), "false per M", "everyday owner"),
            (
                (
                    sort,
                    *(f"{_share(right.recall)} / {_share(right.precision)}" for right in rights.values()),
                    f"{quality.ordinary[sort].owner:.1f}",
                    f"{quality.ordinary[sort].everyday:.1f}",
                )
                for sort, rights in quality.sorts.items()
            ),
        ),
        "",
        "## By disguise",
        "",
        "Recall of each kind; a dash where a disguise is not for it.",
        "",
        *_table(("disguise", *(kind.value for kind in PiiKind)), _disguise_rows(quality.disguises)),
        "",
    ]
    return "\n".join(lines)


def _disguise_rows(rows: Iterable[Recall]) -> Iterator[tuple[str, ...]]:
    by_name: defaultdict[str, dict[PiiKind, Recall]] = defaultdict(dict)
    for row in rows:
        by_name[row.disguise][row.kind] = row
    for how in TRANSFORMATIONS:
        found = by_name[how.name]
        yield how.name, *(_share(found[kind].found / found[kind].ways) if kind in found else "-" for kind in PiiKind)


def _literals() -> Iterator[OwnerLiteral]:
    yield from extract({"USER.md": USER_MD}, ontology_kinds=DEFAULT_TABLE.ontology_kinds).corpus.literals


def _share(value: float) -> str:
    # 1.00 is said of nothing less
    return "1.00" if value == 1.0 else f"{min(value, 0.994):.2f}"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(heads) + " |"
    yield "|" + " --- |" * len(heads)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
