"""Privacy: typed tokens that stand for personal details, and what a text looks like before it is kept."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from iris_memory.contracts.shape import Contract, Count


class PiiTokenKind(StrEnum):
    """What kind of detail a token stands for. The value is the word in the token's text form."""

    PERSON = "person"
    EMAIL = "email"
    PHONE = "phone"
    ADDRESS = "address"
    CARD = "card"
    ACCOUNT = "account"
    ID = "id"
    HANDLE = "handle"


class PiiToken(Contract):
    """A detail that was taken out of a text. Equal details have equal tags under one key, and under no two keys.

    `tag` is a keyed digest (HMAC-SHA256, 64 bits in hex): it is never turned back into the detail.
    """

    kind: PiiTokenKind
    tag: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    start: Count
    end: Count

    def text(self) -> str:
        """Return the token as it stands in a text."""
        return f"[{self.kind.value}:{self.tag}]"


class RedactedText(Contract):
    """A text without its details. `start` and `end` of a token are offsets in the text it was taken from."""

    text: str
    tokens: Annotated[tuple[PiiToken, ...], Field(strict=False)] = ()
