"""Personal details by their shape: where nobody's identity is known, only what a text itself gives away is found.

Laws:
- every pattern has bounded repetition, so the time is linear in the length of the text;
- a checksum decides where a kind has one (cards by Luhn, ISO/IEC 7812-1; accounts by mod 97, ISO 13616-1);
- a name is found by what stands around it: a title, a relation ("my friend ..."), "called ...", or a first name of the
  list. A name without any of these is not found; names that are known are given as `names`.

It finds what most texts hold and no more: what is promised to be masked is a known identity (`masking.scan`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from iris_memory.contracts.privacy import PiiTokenKind as K
from iris_memory.masking.given_names import GIVEN_NAMES
from iris_memory.masking.words import listed

NAME_MOST: Final = 200
"""Longer names are not looked for."""


class Detail(NamedTuple):
    """A detail of a text, by its offsets."""

    start: int
    end: int
    kind: K


TOKEN: Final = re.compile(r"\[(?:" + "|".join(K) + r"):[0-9a-f]{16}\]")
"""A token in a text. What looks like one is left alone, so that redacting twice is redacting once."""

_EMAIL = re.compile(
    r"(?<![\w.+%-])[\w.+%-]{1,64}(?:@|\s?[\[(]\s?(?:at|@)\s?[\])]\s?)"
    r"(?:[\w-]{1,63}(?:\.|\s?[\[(]\s?(?:dot|\.)\s?[\])]\s?)){1,6}[^\W\d_]{2,24}(?![\w-])",
    re.I,
)
_HANDLE = re.compile(r"(?<![\w@./])@[A-Za-z0-9_]{3,30}(?![\w@])")
_IBAN = re.compile(r"(?<![^\W_])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{1,4}){3,8}(?![^\W_])")
_CARD = re.compile(r"(?<![\w.])\d(?:[ -]?\d){12,18}(?!\w)")
_PHONE = re.compile(r"(?<![\w.,:/-])(?:\+|\(\+?)?\d(?:[ \-.()/\u00a0\u2011]{0,3}\d){6,14}(?![\w:]|[.,]\d)")
_DATE = re.compile(
    r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}|(?:19|20)\d{2}[ /-]{1,3}(?:19|20)\d{2}"
)
_NORTH_AMERICAN = re.compile(r"\(?\d{3}\)?[ .\-]{1,2}\d{3}[ .\-]\d{4}")
_PHONE_WORD = re.compile(
    r"(?:phone|telephone|tel|mobile|cell|number is|call|text|whatsapp|fax|handy|telefon|nummer|mobil|anrufen|"
    r"t[eé]l[eé]phone|portable|num[eé]ro|tel[eé]fono|m[oó]vil|cellulare|telefone|celular|telemovel|gsm|mobiel)"
    r"[^\d\n]{0,24}\Z",
    re.I,
)
_ID_WORD = re.compile(
    r"(?:passport|social security|ssn|national insurance|driver'?s? licen[cs]e|licen[cs]e|identity card|id card|tax id|"
    r"reisepass|personalausweis|ausweis|steuer-?id|passeport|carte d'identit[eé]|pasaporte|dni|nie|passaporto|"
    r"codice fiscale|passaporte|cpf|paspoort|bsn)(?: (?:number|no|nr|nummer|num[eé]ro|n[uú]mero|is|ist|est|es|[eèé]))"
    r"{0,3}[.:#]{0,2}\s{0,2}(?P<id>[A-Z]{0,3}\d[A-Z0-9-]{4,14})(?!\w)",
    re.I,
)
_ID_SHAPES = re.compile(
    r"(?<![\w-])(?:\d{3}-\d{2}-\d{4}|\d{3}\.\d{3}\.\d{3}-\d{2}|[A-CEGHJ-PR-TW-Z]{2}\d{6}[A-D]|\d{8}[A-HJ-NP-TV-Z]|"
    r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z])(?![\w-])"
)
_CAP = r"(?:[A-ZÀ-ÖØ-ÞĀ-Ž][\w'’-]{0,30})"
_ADDRESSES: Final = (
    re.compile(
        rf"(?<!\w)\d{{1,5}}[A-Za-z]?,?\s{_CAP}(?:\s{_CAP}){{0,3}}\s(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|"
        r"Boulevard|Blvd|Court|Ct|Place|Pl|Square|Sq|Terrace|Way|Close|Crescent|Parkway|Highway)\b\.?"
        rf"(?:,\s{_CAP}(?:\s{_CAP})?)?(?:,?\s[A-Z]{{2}})?(?:,?\s(?:\d{{5}}|[A-Z]{{1,2}}\d[A-Z\d]?\s?\d[A-Z]{{2}}))?"
    ),
    re.compile(
        r"(?<!\w)(?:[A-ZÄÖÜ][\wäöüß-]{1,30}(?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|ring|damm|ufer|straat|laan|"
        rf"plein|gracht|kade|dreef)|{_CAP}\s(?:Stra(?:ß|ss)e|Allee|Platz|Weg|Straat|Laan))\s\d{{1,4}}\s?[a-z]?(?!\w)"
        rf"(?:,?\s(?:\d{{5}}|\d{{4}}\s?[A-Z]{{2}})\s{_CAP})?"
    ),
    re.compile(
        r"(?<!\w)(?:\d{1,4}(?:\sbis)?,?\s)?(?i:rue|avenue|boulevard|place|chemin|quai|impasse|calle|avenida|plaza|paseo|"
        r"via|viale|piazza|corso|rua|travessa|pra[cç]a|largo|alameda)\s(?:(?:d[aeiou]s?|del|della|dei|de\sla|du|des|l')\s?)"
        rf"{{0,2}}{_CAP}(?:\s{_CAP}){{0,3}}(?:,?\s(?:n[.º°]\s?)?\d{{1,4}}(?!\w))?(?:,?\s\d{{4,5}}(?:-\d{{3}})?\s{_CAP})?",
    ),
)
_HAS_DIGIT = re.compile(r"\d")
_HAS_CAPITAL = re.compile(r"[A-ZÀ-ÖØ-ÞĀ-Ž]")
_DIGITS = re.compile(r"\d(?:[^\d\n]{0,12}\d){4}")
_NAME_WORD = r"(?:[A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-Я][\w’'-]{0,30}[\wà-ÿ])"
_PARTICLE = r"(?:(?:van|von|de|der|den|di|da|dos|del|la|le|bin|al|el)\s){0,2}"
_CAPITALISED = re.compile(rf"(?<![\w@.]){_NAME_WORD}(?:\s{_PARTICLE}{_NAME_WORD}){{0,3}}")
_LOOK_BACK: Final = 26
_TITLES: Final = listed(
    """
    mr mrs ms mx miss dr prof professor doctor sir herr frau monsieur madame mme m sr sra señor señora signor signora
    sig dott senhor senhora dom dona meneer mevrouw dhr
    """
)
_RELATIONS: Final = listed(
    """
    ami amica amico amie amiga amigo aunt baas boss boyfriend broer brother bruder buurman buurvrouw chef chefe
    chefin classmate co-worker colega colleague collega collegue collègue copain copine cousin cousine coworker
    cugina cugino dad daughter dochter doctor esposa esposo ex father femme fiance fiancee fidanzata fidanzato
    figlia figlio filha filho fille fils flatmate fratello frau frere freund freundin friend frère girlfriend
    grandfather grandma grandmother grandpa hermana hermano hija hijo husband in-law irma irmao irmã irmão jefa jefe
    kollege kollegin landlady landlord lawyer lehrer lehrerin madre mae manager mann mari marido marito mere moeder
    moglie mom mother mum mutter mãe mère nachbar nachbarin namorada namorado neighbor neighbour nephew niece novia
    novio oma oncle onkel oom opa padre pai partner patron pere prima primo professor père roommate schwester sister
    soeur sohn son sorella sour spouse stepfather stepmother sœur tante teacher therapist tia tio tochter tía
    tío uncle vader vater vecina vecino vizinha vizinho voisin voisine vriend vriendin vrouw wife zia zio zoon zus
    """
)
_CALLED: Final = listed(
    """
    called named name's namens heißt heisst s'appelle appelé appelée llama llamado llamada chiama chiamato chiamata
    chama chamado chamada heet genaamd
    """
)
_CUES: Final = _TITLES | _RELATIONS | _CALLED
_NAME_IS: Final = listed("is ist est es è é")
_STARTERS: Final = listed(
    """
    i the a an my his her our their we he she they it this that on in at when today yesterday tomorrow monday tuesday
    wednesday thursday friday saturday sunday january february march april may june july august september october
    november december ich der die das mein meine je le la les mon ma el los mi il lo o os meu minha de het mijn
    """
)


def details(text: str, *, kinds: Iterable[K], names: Iterable[str] = ()) -> list[Detail]:
    """Return the details of a text in order; of two that overlap the longer stays, of equals the surer kind.

    Args:
        text: any text.
        kinds: what is looked for.
        names: names that are known to be somebody's.
    """
    wanted = frozenset(kinds)
    taken: list[tuple[int, int]] = [match.span() for match in TOKEN.finditer(text)]
    kept: list[Detail] = []
    for detail in _by_surety(text, wanted, names):
        if not any(start < detail.end and detail.start < end for start, end in taken):
            taken.append((detail.start, detail.end))
            kept.append(detail)
    return sorted(kept)


def _by_surety(text: str, wanted: frozenset[K], names: Iterable[str]) -> Iterator[Detail]:
    if K.EMAIL in wanted and ("@" in text or "at)" in text or "at]" in text or "at )" in text or "at ]" in text):
        yield from (Detail(*match.span(), K.EMAIL) for match in _EMAIL.finditer(text))
    if K.PERSON in wanted:
        yield from _known(text, names)
    if _HAS_DIGIT.search(text):
        yield from (detail for detail in _numbers(text) if detail.kind in wanted)
    if K.HANDLE in wanted and "@" in text:
        yield from (Detail(*match.span(), K.HANDLE) for match in _HANDLE.finditer(text))
    if K.PERSON in wanted:
        yield from _people(text)


def _numbers(text: str) -> Iterator[Detail]:
    several = _DIGITS.search(text) is not None
    if several:
        yield from (Detail(*match.span(), K.ACCOUNT) for match in _IBAN.finditer(text) if _is_iban(match.group()))
        yield from (Detail(*match.span(), K.CARD) for match in _CARD.finditer(text) if _is_card(match.group()))
        yield from (Detail(*match.span("id"), K.ID) for match in _ID_WORD.finditer(text))
        yield from (Detail(*match.span(), K.ID) for match in _ID_SHAPES.finditer(text))
    if _HAS_CAPITAL.search(text):
        for shape in _ADDRESSES:
            for match in shape.finditer(text):
                if _HAS_DIGIT.search(match.group()):
                    yield Detail(*match.span(), K.ADDRESS)
    if several:
        for match in _PHONE.finditer(text):
            if _is_phone(text, match):
                yield Detail(*match.span(), K.PHONE)


def _is_phone(text: str, match: re.Match[str]) -> bool:
    written = match.group()
    digits = sum(mark.isdigit() for mark in written)
    if len({mark for mark in written if mark.isdigit()}) < 2:
        return False
    if written.startswith(("+", "(+")):
        return True
    if _DATE.match(written):
        return False
    if written.startswith("00"):
        return digits >= 10
    if _NORTH_AMERICAN.fullmatch(written):
        return True
    if written.lstrip("(").startswith("0") and digits >= 9:
        return True
    return _PHONE_WORD.search(text, max(0, match.start() - 48), match.start()) is not None


def _is_card(written: str) -> bool:
    digits = [int(mark) for mark in written if mark.isdigit()]
    if len(set(digits)) < 2:
        return False
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = digit * 2 if place % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def _is_iban(written: str) -> bool:
    plain = "".join(mark for mark in written if mark.isalnum())
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(mark, 36)) for mark in plain[4:] + plain[:4])) % 97 == 1


def _known(text: str, names: Iterable[str]) -> Iterator[Detail]:
    for name in sorted({name.strip() for name in names if 2 <= len(name.strip()) <= NAME_MOST}, key=len, reverse=True):
        words = [re.escape(word) for word in unicodedata.normalize("NFC", name).split()]
        if words:
            pattern = re.compile(r"(?<!\w)" + r"[\s\u00a0-]{1,3}".join(words) + r"(?!\w)", re.I)
            yield from (Detail(*match.span(), K.PERSON) for match in pattern.finditer(text))


def _people(text: str) -> Iterator[Detail]:
    for match in _CAPITALISED.finditer(text):
        start, end = match.span()
        words = match.group().split(" ")
        before = _word_before(text, start)
        if before in _NAME_IS and _word_before(text, start - len(before) - 1) in {"name", "nombre", "nom", "nome"}:
            before = "called"
        for place, word in enumerate(words):
            plain = word.casefold().rstrip(".,")
            if plain not in _CUES and plain not in _STARTERS and (before in _CUES or _given(plain)):
                finish = _trimmed(text, start, end)
                if finish > start:
                    yield Detail(start, finish, K.PERSON)
                break
            before = plain
            start += len(word) + (place < len(words) - 1)


def _word_before(text: str, at: int) -> str:
    """Return the word directly before a place; nothing where a sentence ends between."""
    window = text[max(0, at - _LOOK_BACK) : max(0, at)]
    if not window[-1:].isspace() or not (words := window.split()):
        return ""
    word = words[-1].casefold().rstrip(",")
    return word.rstrip(".") if word.rstrip(".") in _TITLES else word


def _given(plain: str) -> bool:
    return plain.removesuffix("'s").removesuffix("’s") in GIVEN_NAMES


def _trimmed(text: str, start: int, end: int) -> int:
    """Return where a name ends: an English genitive is none of it, and neither is a word that begins a sentence."""
    words = text[start:end].split(" ")
    while words and words[-1].casefold() in _STARTERS:
        end -= len(words.pop()) + 1
    for ending in ("'s", "’s"):
        if text[start:end].endswith(ending):
            return end - 2
    return max(end, start)
