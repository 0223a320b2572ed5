"""A long text becomes parts that fit a memory, cut where a reader would pause.

Laws:
* a part has 1 to `MAX_TEXT` code points;
* the parts stand in the text in this order, and between them stands white space only;
* a cut falls on a paragraph, else a sentence, else a word; inside a word only when the word itself is too long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_TEXT = 4_000

# A border in the first quarter is not taken: it would leave a scrap.
_LEAST = MAX_TEXT // 4
_SPACE = re.compile(r"\s*")
_BORDERS = (
    re.compile(r"\n[^\S\n]*\n\s*"),
    re.compile(r"[.!?…][\"'”’»)\]]*\s+|[。！？]|\n\s*"),
    re.compile(r"\s+"),
)


def parts(text: str) -> Iterator[str]:
    """The text itself when it fits, else its parts."""
    if len(text) <= MAX_TEXT:
        yield text
        return
    start = 0
    while start < len(text):
        end = len(text) if len(text) - start <= MAX_TEXT else _border(text, start)
        part = text[start:end].rstrip()
        if part:
            yield part
        start = _space_after(text, end)


def _border(text: str, start: int) -> int:
    """Where to cut: after the last border of the best kind within reach."""
    reach = start + MAX_TEXT
    for border in _BORDERS:
        last = max(border.finditer(text, start + _LEAST, reach), key=re.Match.end, default=None)
        if last is not None:
            return last.end()
    return reach


def _space_after(text: str, end: int) -> int:
    match = _SPACE.match(text, end)
    return end if match is None else match.end()
