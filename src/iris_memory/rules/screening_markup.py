"""Orders that hide in markup or in an encoding."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

_MARKUP: Final = (
    (
        "chat-markup",
        re.compile(
            r"<\|?(?:im_start|im_end|system|endoftext|start_header_id|end_of_turn|user|assistant)\|?>"
            r"|\[/?(?:inst|system|sys|system_prompt|admin|override)\]|<</?sys>>"
            r"|<(?:system|instructions?|important|admin|override|prompt|tool_call|function_calls?|sys|system[ _]mode)>"
            r"|\"role\"\s{0,4}:\s{0,4}\"system\"|\{\s{0,4}system\s{0,4}:|\{\{\s{0,4}#?system"
            r"|#{2,6}\s{0,4}(?:system|instructions?|new instructions?|response|end of)\b"
            r"|(?:^|\n)\s{0,8}(?:system|assistant|ai|developer)\s{0,4}:\s"
        ),
    ),
    (
        "comment-markup",
        re.compile(
            r"<!--[^>]{0,200}?(?:ignore|instruct|assistant|system|prompt|\bai\b|must|send|user)"
            r"|<[a-z]{1,10}[^>]{0,100}(?:display\s{0,2}:\s{0,2}none|font-size\s{0,2}:\s{0,2}0|visibility\s{0,2}:\s{0,2}hidden)"
        ),
    ),
    (
        # a picture or link that would carry what stands in the conversation to somebody's server
        "carrier-markup",
        re.compile(
            r"!\[[^\]]{0,100}\]\([a-z]{2,10}://[^)\s]{1,200}[?&{]"
            r"|<img[^>]{0,100}src=[\"']?[a-z]{2,10}://[^>\s\"']{1,200}[?{]"
            r"|\]\([a-z]{2,10}://[^)\s]{1,200}[?&][a-z_]{1,20}=[{\[<]"
        ),
    ),
)
_MARKS_OF_MARKUP: Final = "<[{#:"


def hidden_orders(folded: str) -> list[str]:
    """Return the rules of markup that carries orders or data. Every pattern is bounded."""
    if not any(mark in folded for mark in _MARKS_OF_MARKUP):
        return []
    return [rule for rule, pattern in _MARKUP if pattern.search(folded)]


ENCODED_LEAST: Final = 24
"""Letters and digits in a row before they are looked at as encoded text."""

_BASE64: Final = re.compile(rf"[A-Za-z0-9+/]{{{ENCODED_LEAST},4096}}={{0,2}}")
_HEXADECIMAL: Final = re.compile("[0-9A-Fa-f]{48,4096}")
_BINARY: Final = re.compile(r"(?:[01]{8}[ \n]?){8,}")
_PROSE: Final = re.compile(rb"[A-Za-z,.'!?:;-]{1,24}(?: [A-Za-z0-9,.'!?:;-]{1,24}){2,}")


def carries_encoded_text(text: str) -> bool:
    """Say whether the text holds words in base64, hexadecimal or binary. Hashes and keys do not decode to words."""
    if _BINARY.search(text):
        return True
    for found in _HEXADECIMAL.finditer(text):
        digits = found.group()
        if _PROSE.match(binascii.unhexlify(digits[: len(digits) // 2 * 2])):
            return True
    for found in _BASE64.finditer(text):
        letters = found.group().rstrip("=")
        if _PROSE.match(base64.b64decode(letters[: len(letters) // 4 * 4])):
            return True
    return False
