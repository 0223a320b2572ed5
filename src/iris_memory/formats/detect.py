"""Which export a file looks like: a guess, for the words of an error and nothing else."""

from __future__ import annotations

import re

from iris_memory.formats.row import Format

# In order: a chat export may hold anything in its texts, but there every quote is escaped.
_MARKS = (
    (Format.CHATGPT, re.compile(rb'"mapping"\s*:\s*\{')),
    (Format.CLAUDE, re.compile(rb'"chat_messages"\s*:')),
    (Format.LETTA, re.compile(rb'"(?:agent_type|memory_blocks|core_memory)"\s*:|\A\s*\{\s*"agents"\s*:\s*\[')),
    (Format.MCP_MEMORY, re.compile(rb'\A\s*\{[^\n]*"type"\s*:\s*"(?:entity|relation)"')),
    (Format.IRIS_EXPORT, re.compile(rb'\A\s*\[?\s*\{\s*"id"\s*:\s*"[^"]*",\s*"logical_id"\s*:')),
    (Format.MEM0, re.compile(rb'"memory"\s*:\s*"')),
    (Format.JSONL, re.compile(rb'\A\s*\{[^\n]*"(?:text|body)"\s*:\s*"')),
)


def detect(head: bytes) -> Format | None:
    """The format that the first bytes of an unpacked file look like (64 KiB are plenty), or none."""
    return next((likely for likely, mark in _MARKS if mark.search(head)), None)
