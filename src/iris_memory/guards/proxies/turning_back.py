"""Turning back: pseudonyms of what came from a server, in a value that goes to it and was decided already.

The value may have been masked on its way out, with pseudonyms of its own that stand for what must not go out. Both are
told apart in one pass: what the masking wrote stays, what it escaped is taken as it was typed, and what the results of
this conversation issued is turned back.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from iris_memory.contracts.masking import OWNER_PII_KINDS, PiiKind
from iris_memory.masking.pseudonyms import Exchange
from iris_memory.masking.render import any_of

Path = tuple[str, ...]
_TOP: Final[Path] = ()


def turned_back(
    value: Any,
    *,
    issued: Exchange | None,
    wrote: Exchange | None,
    kinds: frozenset[PiiKind],
    names: Collection[Path] = (),
) -> Any:
    """Return a value with pseudonyms turned back.

    Args:
        value: a JSON value that was decided, and masked where the decision says so.
        issued: what wrote pseudonyms into what came from the server.
        wrote: what masked this value; None where it is as the client sent it.
        kinds: what is turned back in texts. Names of entries stay as they are.
        names: where a text is a name of the server's own, by its path: there every kind but a secret is turned back.
    """
    back = _Back(issued, wrote)
    return _turned(value, back, kinds, frozenset(names), _TOP) if back.words else value


class _Back:
    """What each word is turned back into."""

    def __init__(self, issued: Exchange | None, wrote: Exchange | None) -> None:
        self._issued = issued
        self._own = {} if wrote is None else wrote.vocabulary()
        self.words = {*self._own, *(() if issued is None else issued.vocabulary())}
        self._pattern = any_of(self.words) if self.words else None

    def text(self, text: str, kinds: frozenset[PiiKind]) -> str:
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda found: self._word(found[0], kinds), text)

    def _word(self, word: str, kinds: frozenset[PiiKind]) -> str:
        if word in self._own:
            typed = self._own[word]
            if typed is None:
                return word
            word = typed
        return word if self._issued is None else self._issued.turned_back(word, grants=kinds)


def _turned(value: Any, back: _Back, kinds: frozenset[PiiKind], names: frozenset[Path], path: Path) -> Any:
    if isinstance(value, str):
        return back.text(value, OWNER_PII_KINDS if path in names else kinds)
    if isinstance(value, Mapping):
        return {name: _turned(part, back, kinds, names, (*path, name)) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        # nothing in a list is a name: the path of its parts is none that anybody lists
        return [_turned(part, back, kinds, names, (*path, "[]")) for part in value]
    return value
