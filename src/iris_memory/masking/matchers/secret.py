"""Secrets: the owner's own secret literals, and keys of known issuers by prefix and shape. Never by entropy.

A literal matches in any case, and across line breaks. An issuer's key matches as issued: prefix, alphabet and length.
What is public by its shape (UUIDs, content hashes, lock-file hashes, commit ids, instants) is never taken for a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking.folding import Folded, cleaned, fold
from iris_memory.masking.pattern import Hit

SECRET_LEAST: Final = 14
"""How many characters a literal needs, a letter and a digit among them, to have the shape of a secret."""

ISSUED_MOST: Final = 8192
"""How many characters of an issued secret are read."""

_PUBLIC: Final = tuple(
    re.compile(shape)
    for shape in (
        r"\{?[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\}?",
        r"(?:(?:md5|sha1|sha224|sha256|sha384|sha512|blake2b)[:=-])?(?:[0-9a-f]{7,128}|[0-9A-F]{7,128})",
        r"(?:sha1|sha256|sha384|sha512)-[A-Za-z0-9+/]{27,88}={0,2}",
        r"h1:[A-Za-z0-9+/]{43}=",
        r"\d{4}-?\d{2}-?\d{2}(?:[T ]?\d{2}:?\d{2}(?::?\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?",
    )
)

_BODY = "[A-Za-z0-9_-]{20,512}"
_PEM_OPENS: Final = r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----\s*"
_ISSUERS: Final = {
    "ghp_": r"ghp_[A-Za-z0-9]{30,255}",
    "gho_": r"gho_[A-Za-z0-9]{30,255}",
    "ghu_": r"ghu_[A-Za-z0-9]{30,255}",
    "ghs_": r"ghs_[A-Za-z0-9]{30,255}",
    "ghr_": r"ghr_[A-Za-z0-9]{30,255}",
    "github_pat_": r"github_pat_[A-Za-z0-9_]{36,255}",
    "glpat-": r"glpat-[A-Za-z0-9_.-]{20,255}",
    "AKIA": r"AKIA[A-Z2-7]{16}(?![A-Za-z0-9])",
    "ASIA": r"ASIA[A-Z2-7]{16}(?![A-Za-z0-9])",
    "AIza": r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])",
    "GOCSPX-": r"GOCSPX-[A-Za-z0-9_-]{28}",
    "ya29.": r"ya29\.[A-Za-z0-9_-]{30,1024}",
    "sk-": rf"sk-(?=[A-Za-z0-9_-]{{0,64}}[0-9])(?=[A-Za-z0-9_-]{{0,64}}[A-Za-z]){_BODY}",
    "sk_live_": r"sk_live_[A-Za-z0-9]{16,255}",
    "sk_test_": r"sk_test_[A-Za-z0-9]{16,255}",
    "rk_live_": r"rk_live_[A-Za-z0-9]{16,255}",
    "whsec_": r"whsec_[A-Za-z0-9+/]{24,255}={0,2}",
    "xoxb-": r"xoxb-[A-Za-z0-9-]{20,255}",
    "xoxp-": r"xoxp-[A-Za-z0-9-]{20,255}",
    "xoxa-": r"xoxa-[A-Za-z0-9-]{20,255}",
    "xoxs-": r"xoxs-[A-Za-z0-9-]{20,255}",
    "xapp-": r"xapp-\d-[A-Za-z0-9-]{20,255}",
    "npm_": r"npm_[A-Za-z0-9]{36}",
    "pypi-AgEI": r"pypi-AgEI[A-Za-z0-9_-]{40,1024}",
    "hf_": r"hf_[A-Za-z0-9]{30,64}(?![A-Za-z0-9_])",
    "SG.": r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}",
    "dop_v1_": r"dop_v1_[a-f0-9]{64}",
    "shpat_": r"shpat_[a-fA-F0-9]{32}",
    "hvs.": r"hvs\.[A-Za-z0-9_-]{24,1024}",
    "glsa_": r"glsa_[A-Za-z0-9_]{32,128}",
    "AGE-SECRET-KEY-1": r"AGE-SECRET-KEY-1[A-Z0-9]{58}",
    "eyJ": rf"eyJ[A-Za-z0-9_-]{{10,400}}\.eyJ[A-Za-z0-9_-]{{6,{ISSUED_MOST}}}\.[A-Za-z0-9_-]{{16,1024}}",
    "-----BEGIN ": rf"{_PEM_OPENS}(?:[A-Za-z-]{{1,24}}: [^\n]{{1,200}}\r?\n){{0,4}}"
    rf"[A-Za-z0-9+/=\s\\]{{16,{ISSUED_MOST}}}"
    r"(?:-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----)?",
}

ISSUER_PREFIXES: Final = tuple(_ISSUERS)
"""What every issued secret starts with; the scan looks for these."""

_SHAPES: Final = tuple(re.compile(shape) for shape in _ISSUERS.values())
_PEM: Final = ISSUER_PREFIXES.index("-----BEGIN ")
_CHAINED: Final = frozenset(index for index, shape in enumerate(_ISSUERS.values()) if "-]" in shape and index != _PEM)
"""Issuers whose secrets hold hyphens: after `x-` their prefix starts nothing, or a hostile text could chain them."""

_GOES_ON = re.compile(r"[A-Za-z0-9_]\Z")
_GOES_ON_CHAINED = re.compile(r"[A-Za-z0-9_]-\Z")
_PEM_OPENED = re.compile(_PEM_OPENS)
_PEM_BEGUN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,64}-{0,5}\s*")
_PEM_BODY = re.compile(r"[A-Za-z0-9+/=\s\\:,-]*?(?=-----|\Z)|[A-Za-z0-9+/=\s\\:,]*")
_RUN = re.compile(r"[A-Za-z0-9_.+/=-]*")


def issued(text: str, *, prefix: int, start: int) -> tuple[int, int] | None:
    """Return the secret of issuer `prefix` (an index into ISSUER_PREFIXES) that starts at `start`, if there is one."""
    before = text[max(0, start - 2) : start]
    if _GOES_ON.search(before) or (prefix in _CHAINED and _GOES_ON_CHAINED.search(before)):
        return None
    found = _SHAPES[prefix].match(text, start)
    return None if found is None else found.span()


def is_unfinished(text: str, *, prefix: int, start: int) -> bool:
    """Whether more text could make, or lengthen, an issued secret that starts here. For streams."""
    if len(text) - start > 3 * ISSUED_MOST:
        return False
    if prefix == _PEM:
        opened = _PEM_OPENED.match(text, start)
        if opened is None:
            return _PEM_BEGUN.fullmatch(text, start) is not None
        body = _PEM_BODY.match(text, opened.end())
        return body is not None and len(text) - body.end() < 64
    run = _RUN.match(text, start)
    return run is not None and run.end() == len(text)


def is_public(token: str) -> bool:
    """Whether a token is public by its shape."""
    return any(shape.fullmatch(token) for shape in _PUBLIC)


def is_secret_shaped(token: str) -> bool:
    """Whether a token of a document has the shape of a secret: long, with a letter and a digit, not public."""
    return (
        len(token) >= SECRET_LEAST
        and any(char.isalpha() for char in token)
        and any(char.isdigit() for char in token)
        and not is_public(token)
    )


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """A secret literal. `marks` is the punctuation between its units."""

    units: str
    literal: int
    marks: tuple[tuple[int, str], ...]
    edges: tuple[str, str]
    whole_start: bool = False
    whole_end: bool = False
    reach: int = 0

    def check(self, text: Folded, start: int, end: int) -> Hit | None:
        if not text.fits(start, end, most=self.reach - 8):
            return None
        written = dict(self.marks)
        for unit in range(1, end - start):
            if unit in written or text.separated(start + unit):
                gap = "".join(text.gap(start + unit).split()).replace("\x1f", "")
                if gap != written.get(unit, ""):
                    return None
        begin, finish = text.begin(start), text.end(end)
        lead, tail = self.edges
        if lead and text.text.endswith(lead, 0, begin):
            begin -= len(lead)
        if tail and text.text.startswith(tail, finish):
            finish += len(tail)
        return Hit(begin, finish, PiiKind.SECRET, self.literal)


def canonical(value: str) -> str | None:
    """Return the secret as written, or None where it has too few units to act."""
    value = cleaned(value.strip())
    return value if len(fold(value)) >= SECRET_LEAST // 2 else None


def patterns(value: str, *, literal: int) -> Iterator[SecretPattern]:
    """Yield the pattern of one secret literal."""
    value = value.strip()
    if canonical(value) is None:
        return
    units, marks, gap, lead = "", [], "", ""
    for char in cleaned(value):
        part = fold(char)
        if part and gap:
            if units:
                marks.append((len(units), gap))
            else:
                lead = gap
        gap = "" if part else gap + char
        units += part
    yield SecretPattern(units, literal, tuple(marks), (lead, gap), reach=2 * len(value) + 40)
