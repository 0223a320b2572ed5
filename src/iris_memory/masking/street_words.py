"""Street words: the spellings of what an address calls a street, per language, in folded units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# each line is one word in its spellings; the first is the full one
_SPELLINGS: Final = """
street st str
avenue ave av
road rd
lane ln
drive dr
court ct
place pl
square sq
boulevard blvd bd boul bvd
terrace ter terr
highway hwy
parkway pkwy
crescent cres
gardens gdns
circle cir
trail trl
grove gr
mount mt
saint st
north n
south s
east e
west w
northeast ne
northwest nw
southeast se
southwest sw
apartment apt
floor fl
suite ste
strasse str
platz pl
gasse g
rue r
chemin ch
allee all
impasse imp
faubourg fbg
calle c
avenida avda av avd
plaza pza pl
paseo po pso
carretera ctra
via v
viale vle
piazza pza
corso cso
rua r
praca pca
travessa tv
straat str
laan ln
plein pln
gracht gr
ulica ul
aleja al
gata g
vagen v
gade g
vej v
"""

_ATTACHED: Final = (("strasse", "str"), ("straat", "str"), ("platz", "pl"))
"""Endings of a word that are shortened in place (`Hauptstr.`)."""


def _table() -> Mapping[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in _SPELLINGS.split("\n"):
        words = line.split()
        for word in words:
            table.setdefault(word, set()).update(words)
    return {word: frozenset(words) for word, words in table.items()}


STREET_WORDS: Final = _table()
"""Every spelling of a street word, with all that mean the same."""


def spellings(word: str) -> tuple[str, ...]:
    """Return the ways to write one word of a street, the given one first."""
    ways = dict.fromkeys((word, *sorted(STREET_WORDS.get(word, ()))))
    for full, short in _ATTACHED:
        for ending, other in ((full, short), (short, full)):
            if word.endswith(ending) and len(word) > len(ending) + 2:
                ways[word.removesuffix(ending) + other] = None
    return tuple(ways)


def is_street_word(word: str) -> bool:
    """Whether a word only says that a street is a street."""
    return word in STREET_WORDS
