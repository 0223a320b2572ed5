"""Identity documents: what USER.md, SOUL.md and AGENTS.md say about their owner.

The `identity:` block in the front matter of USER.md is the owner's own word. Free text is a fallback, for emails and
phone numbers only, and only for a kind that the block leaves empty. Tokens with the shape of a secret are secrets, and
the ones among them that are addresses of pages are links. No names are guessed from prose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import phonenumbers
import yaml
from pydantic import ValidationError

from iris_memory.contracts.masking import IdentityBlock, PiiKind
from iris_memory.errors import IdentityConfigError
from iris_memory.masking.matchers import email, secret

OWNER_DOCUMENT: Final = "USER.md"
"""The one document whose front matter is read."""

FRONT_MATTER_MOST: Final = 65_536
"""How many characters of front matter are read."""

_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(?P<yaml>.*?)^---[ \t]*$\r?\n?", re.S | re.M)
_EMAIL = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._%+'-]{0,63}@[A-Za-z0-9\u00a1-\uffff](?:[A-Za-z0-9\u00a1-\uffff.-]{0,252})\.[^\W\d_]{2,24}"
)
_TOKEN = re.compile(r"[^\s\"'`<>()\[\]{},;|]+")
_URL = re.compile(r"(?:[a-z][a-z0-9+.-]{1,20}://|www\.)\S+|(?:[a-z0-9-]+\.)+[a-z]{2,24}/\S*", re.I)
_PATH = re.compile(r"(?:[~.]{0,2}/|[A-Za-z]:\\)\S*")
_NAMED = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,40}[=:](?P<value>.+)")
_TRAILING: Final = ".,:!?*_"


def front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """Split a document into its front matter and the rest. Raises IdentityConfigError for one that cannot be read."""
    found = _FRONT_MATTER.match(text)
    if found is None:
        return {}, text
    if len(found["yaml"]) > FRONT_MATTER_MOST:
        raise IdentityConfigError("the front matter is longer than is read")
    try:
        # the base loader keeps every scalar as it is written: no octal phone numbers, no `no` that becomes false
        data = yaml.load(found["yaml"], Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError, ValueError):
        raise IdentityConfigError("the front matter is not valid YAML") from None
    if data is None or data == "":
        data = {}
    if not isinstance(data, dict):
        raise IdentityConfigError("the front matter is not a mapping")
    return data, text[found.end() :]


def identity_block(text: str) -> tuple[IdentityBlock, str]:
    """Read the owner's block, and return it with the text of the document and the rest of its front matter.

    A scalar stands for a list of one. Raises IdentityConfigError where the block has an unknown key or a value that is
    not text, so that a mistyped block is noticed instead of protecting nothing.
    """
    data, body = front_matter(text)
    body = "\n".join((body, *_scalars({key: value for key, value in data.items() if key != "identity"})))
    block = data.get("identity")
    if block in (None, ""):
        return IdentityBlock(), body
    if not isinstance(block, dict):
        raise IdentityConfigError("the identity block is not a mapping")
    lists = {key: [value] if isinstance(value, str) else value for key, value in block.items()}
    try:
        return IdentityBlock.model_validate_json(
            json.dumps({key: value for key, value in lists.items() if value != [""]})
        ), body
    except (ValidationError, TypeError, ValueError, RecursionError):
        raise IdentityConfigError(
            "the identity block holds something else than lists of text under its six keys"
        ) from None


def _scalars(data: object) -> Iterator[str]:
    """Yield the texts of front matter, each node once, whatever refers to it."""
    seen: set[int] = set()
    waiting = [data]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            waiting += node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()


def emails_in(text: str) -> Iterator[str]:
    """Yield the addresses that stand in free text."""
    for found in _EMAIL.finditer(text):
        if email.canonical(found[0]) is not None:
            yield found[0]


def phones_in(text: str, *, regions: tuple[str, ...]) -> Iterator[str]:
    """Yield the numbers that stand in free text: valid ones, written internationally or as in one of the regions."""
    for region in regions or ("ZZ",):
        for found in phonenumbers.PhoneNumberMatcher(text, region):
            yield phonenumbers.format_number(found.number, phonenumbers.PhoneNumberFormat.E164)


def secrets_and_links_in(text: str) -> Iterator[tuple[PiiKind, str]]:
    """Yield tokens with the shape of a secret; those that are addresses of pages as links.

    Of `key=value` only the value is a secret, where it has the shape of one.
    """
    for found in _TOKEN.finditer(text):
        token = found[0].rstrip(_TRAILING).lstrip("*_")
        if _URL.match(token):
            if secret.is_secret_shaped(token):
                yield PiiKind.LINK, token
            continue
        named = _NAMED.fullmatch(token)
        value = named["value"] if named else ""
        if not (secret.is_public(token) or secret.is_public(value) or _is_something_else(token)):
            shaped = next((part for part in (value, token) if secret.is_secret_shaped(part)), None)
            if shaped is not None:
                yield PiiKind.SECRET, shaped


def _is_something_else(token: str) -> bool:
    return bool(_PATH.match(token) or _EMAIL.fullmatch(token.removeprefix("mailto:")))
