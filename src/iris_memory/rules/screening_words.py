"""How lists of words are written down, and the words that tie a matter to a person.

A list has a line per language (`en: ...`), parts entries by commas, may write `a|b` for alternatives at one place of a
phrase and `*` for any ending. Words are written as tokens: lower case, no apostrophes ("dont", "j ai").
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from iris_memory.contracts.category import Category
from iris_memory.rules.screening_fold import fold, without_accents

LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt", "nl")
"""The languages every list speaks. Lists of orders speak some more."""

_LABEL: Final = re.compile(r"^\s*([a-z]{2}):", re.MULTILINE)
_WRAPPED: Final = re.compile(r"\|\s+")


class Topic(NamedTuple):
    """The words of one sensitive category, by how much each says.

    `sure` says it alone; `own` where somebody has it ("my ...", "takes ...") or beside another word of the topic;
    `being` where somebody is it ("she is ..."); `pair` only beside an `own` word.
    """

    category: Category
    sure: str
    own: str
    pair: str
    being: str = ""


def entries(words: str) -> tuple[str, ...]:
    """Return the entries of a list, without language labels."""
    found = (" ".join(entry.split()) for entry in _LABEL.sub(",", _unwrapped(words)).split(","))
    return tuple(dict.fromkeys(entry for entry in found if entry))


def _unwrapped(words: str) -> str:
    return _WRAPPED.sub("|", without_accents(fold(words)))


def by_language(words: str) -> dict[str, tuple[str, ...]]:
    """Return the entries of a list by the language they are written under."""
    parts = _LABEL.split(words)
    return {label: entries(listed) for label, listed in zip(parts[1::2], parts[2::2], strict=True)}


OWNERS: Final = """
en: my, his, her, our, their, s, users, patients, mum, mom, dad, wife, husband, son, daughter, brother, sister
de: mein, meine, meiner, meinem, meinen, meines, sein, seine, seiner, seinem, ihr, ihre, ihrer, ihrem, unser, unsere
fr: mon, ma, mes, son, sa, ses, notre, nos
es: mi, mis, su, sus, nuestro, nuestra
it: mio, mia, miei, mie, suo, sua, suoi, sue, nostro, nostra
pt: meu, minha, meus, minhas, seu, seus, dele, dela, nosso, nossa
nl: mijn, zijn, haar, onze, ons
"""
"""Somebody's. `s` is what is left of an English genitive."""

HAVING: Final = """
en: have, has, had, having, ve, take, takes, took, taking, suffer, suffers, suffered, suffering, got, gets, on,
    need, needs, needed, with, received, receive, receives, undergo, underwent, undergoing, recovering, prescribed,
    been, lost, owes, owe, manage, manages, managing, feel, feels, felt, battle, battling, reports, rates,
    experiences, experienced
de: habe, hat, hatte, nehme, nimmt, nahm, leide, leidet, litt, bekomme, bekam, brauche, braucht, wegen, gegen, ich,
    seit
fr: ai, avait, avais, prends, prend, souffre, souffrait, contre, j
es: tengo, tiene, tenia, tuve, tuvo, tomo, padezco, padece, sufro, sufre, contra
it: ho, aveva, avevo, soffro, soffre, prendo, prende, avuto, contro
pt: tenho, tem, tinha, tive, teve, sofro, sofre, tomo, contra, faco
nl: heb, heeft, had, lijd, lijdt, slik, slikt, neem, neemt, kreeg, tegen, krijg
"""
"""Somebody has, takes or suffers it."""

BEING: Final = """
en: am, m, im, is, are, re, was, were, being, as, identifies, identify, became, openly, turned, raised
de: bin, ist, war, sind, seit, wurde
fr: suis, est, etais, etait, sommes, devenu, devenue
es: soy, es, era, somos, siendo
it: sono, era, siamo, diventato, diventata
pt: sou, eh, era, somos, virei
nl: ben, was, zijn
"""
"""Somebody is it."""
