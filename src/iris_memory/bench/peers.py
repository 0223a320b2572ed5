"""Peers: other detectors of personal data, measured beside Iris on the same prompt where they are installed.

Each is asked to find the same known literals where it can, else with its own patterns; none of them is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, Final

from iris_memory.bench.measure import Result, median, times

ROUNDS: Final = 50

Find = Callable[[str], object]


def _presidio(literals: Sequence[str]) -> Find:
    module: Any = import_module("presidio_analyzer")
    recognizer = module.PatternRecognizer(supported_entity="OWNER", deny_list=list(literals))
    return lambda text: recognizer.analyze(text, ["OWNER"])


def _scrubadub(literals: Sequence[str]) -> Find:
    module: Any = import_module("scrubadub")
    known = [{"match": literal, "filth_type": "name", "ignore_case": True} for literal in literals]
    scrubber = module.Scrubber(detector_list=[module.detectors.UserSuppliedFilthDetector(known)])
    return lambda text: list(scrubber.iter_filth(text))


def _datafog(literals: Sequence[str]) -> Find:
    del literals  # it has patterns of its own and takes no list
    module: Any = import_module("datafog.services.text_service")
    find: Find = module.TextService(engine="regex").annotate_text_sync
    return find


PEERS: Final[dict[str, Callable[[Sequence[str]], Find]]] = {
    "presidio-analyzer, list of literals": _presidio,
    "scrubadub, list of literals": _scrubadub,
    "datafog, its patterns": _datafog,
}


def beside(texts: Sequence[str], *, literals: Sequence[str], ours: float) -> Iterator[Result]:
    """Measure each peer that is installed on these texts, beside our milliseconds; say of the others that they are not.

    `size` is the length of a text. A peer that fails is a peer that is not there.
    """
    for name, make in PEERS.items():
        try:
            find = make(literals)
            find(texts[0])
        except Exception:  # whatever a peer does wrong, it is not measured
            yield Result(f"peer {name}", len(texts[0]), 0, "of 1 installed")
            continue
        taken = times(lambda number, find=find: find(texts[number % len(texts)]), ROUNDS)  # type: ignore[misc]
        yield Result(f"peer {name}, p50", len(texts[0]), median(taken), "ms", ours)
