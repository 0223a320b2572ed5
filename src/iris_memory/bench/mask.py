"""mask: finding and masking owner identity, beside a bare Aho-Corasick scan of the same text."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial

from iris_memory.bench.measure import Result, median, percentile, times
from iris_memory.contracts.masking import Guard, OwnerLiteral, PiiKind
from iris_memory.sources.extra import require_masking

FEW, MANY = 50, 2_000
MEGABYTE = 1_000_000
PROMPT = 2_048

PROMPT_LIMIT = 0.080
"""Milliseconds that a prompt of 2 KB may take, at the median."""

HOSTILE_LIMIT = 200.0
"""Milliseconds that a megabyte made to be slow may take."""

_WORDS = (
    "harbour",
    "violin",
    "and",
    "bicycle",
    "lemon",
    "winter",
    "of",
    "garden",
    "letter",
    "copper",
    "station",
    "the",
)
_SYLLABLES = ("ka", "ro", "mi", "ves", "tal", "dun", "ori", "pell", "zan", "qui", "bren", "lo")
_ALL_KINDS = (PiiKind.NAME, PiiKind.EMAIL, PiiKind.PHONE, PiiKind.ADDRESS, PiiKind.HANDLE, PiiKind.LINK, PiiKind.SECRET)


def bench(*, quick: bool = False) -> list[Result]:
    """Measure throughput, the latency of a prompt, and hostile text.

    Raises:
        SettingError: the `masking` extra is not installed.
    """
    require_masking()
    rounds = 3 if quick else 9
    text = _ordinary(MEGABYTE // 4 if quick else MEGABYTE)
    results = []
    for size in (FEW, MANY):
        for what, kinds, share in (("literals", _ALL_KINDS[:2], 4), ("all kinds", _ALL_KINDS, 10)):
            results.append(_throughput(text, f"scan with {what}", size, kinds=kinds, share=share, rounds=rounds))
    results += _prompts(200 if quick else 2_000)
    results.append(_hostile(1 if quick else 3))
    results += _peers(results)
    return results


def _throughput(text: str, name: str, size: int, *, kinds: tuple[PiiKind, ...], share: int, rounds: int) -> Result:
    """Measure megabytes a second, beside the automaton over the same forms; the limit is a share of it.

    The floor looks for the forms that the literals take when folded, which is what has to be looked for to find them in
    any spelling. Over the bare literals, up to some sixty of them, the automaton compares many bytes at once instead
    of walking its states, and runs three times as fast; it then finds them spelt as given and no other way.
    """
    from iris_memory.masking.corpus import Corpus
    from iris_memory.masking.scan import scan

    corpus = Corpus(_literals(size, kinds), ("GB",))
    _ = corpus.lexicon
    forms = sorted({pattern.units for group in corpus.lexicon.groups for pattern in group})
    ours, bare = _interleaved(lambda: scan(text, corpus), _automaton_of(text, forms), rounds=rounds)
    megabytes = len(text.encode()) / MEGABYTE
    floor = megabytes / bare
    return Result(name, size, megabytes / ours, "MB/s", floor, floor / share, at_least=True)


def _interleaved(one: Callable[[], object], other: Callable[[], object], *, rounds: int) -> tuple[float, float]:
    """Return the best seconds of two calls that take turns, so that both meet the same machine."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for place, call in enumerate((one, other)):
            start = time.perf_counter()
            call()
            best[place] = min(best[place], time.perf_counter() - start)
    return best[0], best[1]


def _automaton(text: str, literals: tuple[OwnerLiteral, ...]) -> Callable[[], object]:
    # in the case of most text, as whoever wants to find a name must: else a rare capital lets it skip nearly everything
    return _automaton_of(text, [literal.text.lower() for literal in literals])


def _automaton_of(text: str, forms: list[str]) -> Callable[[], object]:
    from ahocorasick_rs import AhoCorasick

    automaton = AhoCorasick(forms)
    return lambda: automaton.find_matches_as_indexes(text)


def _prompts(rounds: int) -> list[Result]:
    """Measure deciding and masking one prompt that names the owner twice, 50 literals of all kinds known."""
    from iris_memory.masking.corpus import Corpus
    from iris_memory.masking.decide import decide
    from iris_memory.masking.pseudonyms import Pseudonyms
    from iris_memory.masking.render import masked
    from iris_memory.tables.guards import DEFAULT_TABLE

    corpus = Corpus(_literals(FEW, _ALL_KINDS), ("GB",))
    pseudonyms = Pseudonyms(key=b"\x07" * 32, consumer="bench", conversation="bench")
    plain = _ordinary(PROMPT)[:PROMPT]
    named = f"{plain[:900]} {corpus.literals[0].text} {plain[900:1_900]} {corpus.literals[1].text} "
    _ = corpus.canonicals

    def mask(text: str) -> object:
        spans = decide(text, corpus=corpus, table=DEFAULT_TABLE, guard=Guard.CAPABILITY)
        return masked(text, spans, corpus=corpus, exchange=pseudonyms.exchange())

    results = []
    for name, text in (("a prompt without the owner", plain), ("a prompt that names the owner twice", named)):
        # each a little different, so that nothing remembered from the round before can answer
        taken = times(_each(mask, [f"{number} {text}" for number in range(rounds)]), rounds)
        floor = times(_again(_automaton(text, corpus.literals)), rounds)
        results.append(Result(f"{name}, p50", PROMPT, median(taken), "ms", median(floor), PROMPT_LIMIT))
        results.append(Result(f"{name}, p99", PROMPT, percentile(taken, 0.99), "ms", percentile(floor, 0.99)))
    return results


def _peers(results: list[Result]) -> Iterator[Result]:
    """Measure other detectors on the prompt that names the owner twice."""
    from iris_memory.bench.peers import beside

    literals = _literals(FEW, _ALL_KINDS)
    plain = _ordinary(PROMPT)[:PROMPT]
    named = f"{plain[:900]} {literals[0].text} {plain[900:1_900]} {literals[1].text} "
    ours = next(row.value for row in results if row.name == "a prompt that names the owner twice, p50")
    yield from beside([f"{number} {named}" for number in range(10)], literals=[one.text for one in literals], ours=ours)


def _each(call: Callable[[str], object], texts: list[str]) -> Callable[[int], object]:
    return lambda number: call(texts[number])


def _again(call: Callable[[], object]) -> Callable[[int], object]:
    return lambda _: call()


def _hostile(rounds: int) -> Result:
    """Measure the worst of several megabytes that are nearly something all along."""
    from iris_memory.masking.corpus import Corpus
    from iris_memory.masking.scan import scan

    corpus = Corpus(_literals(FEW, _ALL_KINDS), ("GB",))
    _ = corpus.lexicon

    def look(text: str) -> None:
        deque(scan(text, corpus), maxlen=0)  # the stretches of a crowd are made when they are looked at

    worst, floor = 0.0, 0.0
    for piece in ("@", "a.", "%25", "&amp;", "\\u0061", "+44 ", "\u200b", "YWJj", f"{corpus.literals[0].text} "):
        text = (piece * MEGABYTE)[:MEGABYTE]
        ours, bare = _interleaved(partial(look, text), _automaton(text, corpus.literals), rounds=rounds)
        worst, floor = max(worst, ours * 1e3), max(floor, bare * 1e3)
    return Result("the worst hostile megabyte", MEGABYTE, worst, "ms", floor, HOSTILE_LIMIT)


def _ordinary(size: int) -> str:
    """Return ASCII prose with a number here and there."""
    out, length, number = [], 0, 7
    while length < size:
        number = (number * 1_103_515_245 + 12_345) % (1 << 31)
        word = _WORDS[number // 64 % len(_WORDS)]
        piece = f"{word} {number % 10_000}. " if number % 29 == 0 else f"{word} "
        out.append(piece)
        length += len(piece)
    return "".join(out)


def _literals(size: int, kinds: tuple[PiiKind, ...]) -> tuple[OwnerLiteral, ...]:
    """Return literals, kinds taking turns, that stand nowhere in the ordinary text."""
    return tuple(
        OwnerLiteral(kind=kinds[n % len(kinds)], text=_written(kinds[n % len(kinds)], n), source="bench")
        for n in range(size)
    )


def _written(kind: PiiKind, number: int) -> str:
    word = "".join(_SYLLABLES[number // 12**place % 12] for place in range(4)).capitalize()
    match kind:
        case PiiKind.NAME:
            return f"{word} Vang{_SYLLABLES[number % 12]}"
        case PiiKind.EMAIL:
            return f"{word.lower()}.{number}@quill.example"
        case PiiKind.PHONE:
            return f"+44 20 7946 {number % 10_000:04d}"
        case PiiKind.ADDRESS:
            return f"{number + 1} {word} Street, London NW1 6XE"
        case PiiKind.HANDLE:
            return f"@{word.lower()}{number}"
        case PiiKind.LINK:
            return f"https://{word.lower()}{number}.example.com/notes-{number}"
        case PiiKind.SECRET:
            return f"{word}-Teapot-{number:05d}-plum"
