"""The attack generator: every way to write a literal that masking promises to see through.

Each transformation has a name, the kinds it is for, and a function from the literal to the ways it can be written.
"""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple
from urllib.parse import quote

from iris_memory.contracts.masking import PiiKind as K

ALL = frozenset(K)
TEXTUAL = frozenset({K.NAME, K.EMAIL, K.ADDRESS, K.HANDLE, K.LINK, K.SECRET})

CYRILLIC = str.maketrans("aceopxysijABCEHKMOPTXaceopxy", "асеорхуѕіјАВСЕНКМОРТХасеорху")
GREEK = str.maketrans("aiovpABEHIKMNOPTXYZ", "αιονρΑΒΕΗΙΚΜΝΟΡΤΧΥΖ")


class Transformation(NamedTuple):
    """One disguise: its name, the kinds it is for, the ways it writes a literal, and what of it may be left over.

    `around` counts folded letters that stand around the literal in these ways (a title, a scheme, a label).
    """

    name: str
    kinds: frozenset[K]
    write: Callable[[str], Iterator[str] | list[str]]
    around: int = 0


def every_other(text: str, table: dict[int, int]) -> str:
    """Return the text with every other letter put through a table."""
    return "".join(char.translate(table) if index % 2 else char for index, char in enumerate(text))


def between(mark: str) -> Callable[[str], list[str]]:
    """Return what writes a mark between all letters."""
    return lambda text: [mark.join(text)]


def wide(text: str) -> str:
    """Return the text in full-width forms."""
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def bold(text: str) -> str:
    """Return the text in mathematical bold."""
    out = []
    for char in text:
        if "a" <= char <= "z":
            out.append(chr(0x1D41A + ord(char) - 97))
        elif "A" <= char <= "Z":
            out.append(chr(0x1D400 + ord(char) - 65))
        elif "0" <= char <= "9":
            out.append(chr(0x1D7CE + ord(char) - 48))
        else:
            out.append(char)
    return "".join(out)


def digits(zero: int) -> Callable[[str], list[str]]:
    """Return what writes the digits of another script."""
    return lambda text: [text.translate({48 + n: zero + n for n in range(10)})]


def b64(text: str) -> list[str]:
    """Return base64 of the text at every alignment, in both alphabets."""
    raw = f"<{text}>"
    return [
        base64.b64encode(text.encode()).decode(),
        base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
        *(base64.b64encode((pad + raw).encode()).decode() for pad in (" ", "  ", "   ")),
    ]


def html_named(text: str) -> str:
    """Return the text with named HTML references for its punctuation."""
    return text.replace("@", "&commat;").replace(".", "&period;").replace(" ", "&nbsp;")


def name_orders(text: str) -> Iterator[str]:
    """Yield the orders, initials, titles and joints of a name."""
    words = text.split()
    if len(words) == 1:
        yield text + "'s"
        return
    given, last = words[0], words[-1]
    yield f"{last}, {given}"
    yield f"{last} {given}"
    yield f"{given[0]}. {last}"
    yield f"{given[0]} {last}"
    yield f"{last}, {given[0]}."
    for title in ("Mr", "Mrs.", "Dr.", "Prof.", "Herr", "Frau", "Señora", "Mme"):
        yield f"{title} {last}"
    yield f"{given} X. {last}"
    yield f"{given}-{last}"
    yield f"{given}_{last}"
    yield f"{given}\u00a0{last}"
    yield f"{given}{last}"
    yield f"{text}'s"
    yield f"{text}’s"
    if last.isascii():
        yield f"{text}s"


def without_accents(text: str) -> list[str]:
    """Return the text without its accents, and spelt out as German does."""
    bare = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    spelt = {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"}
    letters = "".join(spelt.get(char, char) for char in text)
    return [bare, letters]


def email_ways(text: str) -> Iterator[str]:
    """Yield an address as people, mailers and obfuscators write it."""
    local, domain = text.split("@")
    yield f"mailto:{text}"
    yield f"<{text}>"
    yield f"{local}+news@{domain}"
    yield f"{local} at {domain.replace('.', ' dot ')}"
    yield f"{local}[at]{domain.replace('.', '[dot]')}"
    yield f"{local} (at) {domain.replace('.', ' (dot) ')}"
    yield f"{local} [@] {domain.replace('.', ' [.] ')}"
    yield f"{local} @ {domain}"
    yield f"{local}@\n{domain}"
    yield f"{local[:3]}\n{local[3:]}@{domain}"
    yield f"{local[:3]}=\n{local[3:]}@{domain}"
    yield f"{local}@{domain[:4]}\n{domain[4:]}"
    if domain == "gmail.com":
        yield local.replace(".", "") + "@googlemail.com"
        yield ".".join(local.replace(".", "")) + "@gmail.com"
    if not domain.isascii():
        yield f"{local}@{domain.encode('idna').decode()}"


def phone_ways(text: str) -> Iterator[str]:
    """Yield a number as it is written at home and abroad."""
    country, rest = text[1:].split(" ", 1)
    bare = re.sub(r"\D", "", rest)
    for gap in ("", " ", "-", ".", "\u00a0", "‑", " - "):
        spread = gap.join(re.findall("..?", bare))
        yield f"+{country}{gap}{spread}"
        yield f"00{country} {spread}"
        yield f"0{spread}"
        yield f"+{country} (0) {spread}"
    yield f"(0{bare[:2]}) {bare[2:]}"
    yield f"tel:+{country}-{bare[:2]}-{bare[2:]}"
    yield f"{text} ext. 12"
    yield f"{text}x12"
    yield f"{country}{bare}"
    yield f"{bare[:4]}\n{bare[4:]}"


def address_ways(text: str) -> Iterator[str]:
    """Yield a postal address by its parts."""
    yield text.replace(", ", "\n")
    yield text.replace(",", "")
    yield text.split(",")[0]
    if "Street" in text:
        yield "221b thornfield st"
        yield "221 B Thornfield St., London"
        yield "Thornfield Street 221B"
        yield "Thornfield Str 221B"
        yield "221B, NW1 6XE"
        yield "221B London NW16XE"
    else:
        yield "Lindenhofstr. 17"
        yield "Lindenhof-Strasse 17"
        yield "lindenhofstrasse 17, berlin"
        yield "17 Lindenhofstraße"
        yield "Nr. 17, 10178 Berlin"


def handle_ways(text: str) -> Iterator[str]:
    """Yield a handle bare, with its sign, and in addresses of profiles."""
    bare = text.lstrip("@")
    yield bare
    yield f"@{bare}"
    yield f"https://github.com/{bare}"
    yield f"linkedin.com/in/{bare}/"
    yield f"https://x.com/{bare}?s=20"


def link_ways(text: str) -> Iterator[str]:
    """Yield a link with other schemes, cases, queries and fragments."""
    rest = text.split("://")[1]
    for lead in ("http://", "https://", "https://www.", "www.", "", "HTTPS://"):
        yield lead + rest
        yield lead + rest.upper() + "/"
        yield lead + rest + "?utm_source=x&y=1#top"


def secret_ways(text: str) -> Iterator[str]:
    """Yield a secret in an assignment, quoted, and broken over lines."""
    yield f"token={text}"
    yield f'"{text}"'
    yield f"{text[:9]}\n{text[9:]}"
    yield f"{text[:9]}\r\n  {text[9:]}"


def capital_words(text: str) -> list[str]:
    """Return the text with each word capitalised."""
    return [text.title()]


TRANSFORMATIONS: Final = (
    Transformation("as written", ALL, lambda text: [text]),
    Transformation("upper case", TEXTUAL, lambda text: [text.upper()]),
    Transformation("lower case", TEXTUAL, lambda text: [text.lower()]),
    Transformation("capital words", TEXTUAL, capital_words),
    Transformation("full case folding", TEXTUAL, lambda text: [text.casefold()]),
    Transformation("NFD", ALL, lambda text: [unicodedata.normalize("NFD", text)]),
    Transformation("NFKC", ALL, lambda text: [unicodedata.normalize("NFKC", text)]),
    Transformation("full width", ALL, lambda text: [wide(text)]),
    Transformation("mathematical bold", ALL, lambda text: [bold(text)]),
    Transformation("zero-width space", ALL, between("\u200b")),
    Transformation("zero-width joiner", ALL, between("\u200d")),
    Transformation("word joiner", ALL, between("\u2060")),
    Transformation("soft hyphen", ALL, between("\u00ad")),
    Transformation("variation selector", ALL, between("\ufe0f")),
    Transformation("tag character", ALL, between("\U000e0041")),
    Transformation("bidi mark", ALL, between("\u202e")),
    Transformation("flood of zero-width", ALL, between("\u200b" * 40)),
    Transformation("combining mark", TEXTUAL, lambda text: ["".join(c + "\u0301" if c.isalpha() else c for c in text)]),
    Transformation(
        "Cyrillic look-alikes", TEXTUAL, lambda text: [text.translate(CYRILLIC), every_other(text, CYRILLIC)]
    ),
    Transformation("Greek look-alikes", TEXTUAL, lambda text: [text.translate(GREEK), every_other(text, GREEK)]),
    Transformation("Arabic-Indic digits", ALL, digits(0x0660)),
    Transformation("Devanagari digits", ALL, digits(0x0966)),
    Transformation("Bengali digits", ALL, digits(0x09E6)),
    Transformation("no-break space", ALL, lambda text: [text.replace(" ", "\u00a0")]),
    Transformation("two spaces", ALL, lambda text: [text.replace(" ", "  ")]),
    Transformation("line break for space", ALL, lambda text: [text.replace(" ", "\n")]),
    Transformation("percent, all", ALL, lambda text: ["".join(f"%{byte:02X}" for byte in text.encode())]),
    Transformation("percent, as needed", ALL, lambda text: [quote(text, safe="")]),
    Transformation("percent, twice", ALL, lambda text: [quote(quote(text, safe=""), safe="")]),
    Transformation("HTML decimal", ALL, lambda text: ["".join(f"&#{ord(c)};" for c in text)]),
    Transformation("HTML hexadecimal", ALL, lambda text: ["".join(f"&#x{ord(c):x};" for c in text)]),
    Transformation("HTML named", ALL, lambda text: [html_named(text)]),
    Transformation("HTML twice", ALL, lambda text: ["".join(f"&amp;#{ord(c)};" for c in text)]),
    Transformation("JSON escapes", ALL, lambda text: ["".join(f"\\u{ord(c):04x}" for c in text if ord(c) < 0x10000)]),
    Transformation("JSON string", ALL, lambda text: [json.dumps(text), json.dumps(json.dumps({"a": text}))], len("an")),
    Transformation("base64", ALL, b64, 12),
    Transformation("orders of a name", frozenset({K.NAME}), name_orders, 1),
    Transformation("without accents", frozenset({K.NAME, K.ADDRESS}), without_accents),
    Transformation("ways of an email", frozenset({K.EMAIL}), email_ways, len("mailto")),
    Transformation("ways of a phone number", frozenset({K.PHONE}), phone_ways, len("tel")),
    Transformation("ways of an address", frozenset({K.ADDRESS}), address_ways, len("nr")),
    Transformation("ways of a handle", frozenset({K.HANDLE}), handle_ways, len("httpslinkedincominotto")),
    Transformation("ways of a link", frozenset({K.LINK}), link_ways, len("utmsourcexy1top")),
    Transformation("ways of a secret", frozenset({K.SECRET}), secret_ways, len("token")),
)
"""Every listed disguise. Recall on these is to be 1.00."""
