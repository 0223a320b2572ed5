"""A large export is read in the memory of one conversation."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

from reading import chatgpt_chain, chatgpt_message

from iris_memory.formats import Format, ImportRow, open_source, read

_MIB = 1 << 20


def _write(file: Path, *, size: int) -> int:
    """Conversations of 30 messages of some 3,000 characters each; returns how many messages."""
    text = 'A line with "quotes", a tab\t and café. ' * 75
    messages = [chatgpt_message("user" if n % 2 else "assistant", text, create_time=1.7e9 + n) for n in range(30)]
    one = json.dumps(chatgpt_chain(*messages, conversation="THE-ID")).encode()
    count = size // len(one) + 1
    with file.open("wb") as out:
        for n in range(count):
            out.write((b"," if n else b"[") + one.replace(b"THE-ID", f"c{n}".encode()))
        out.write(b"]")
    return count * len(messages)


def test_sixty_megabytes_are_read_in_less_than_half_of_that(tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    expected = _write(file, size=60 * _MIB)
    assert file.stat().st_size > 60 * _MIB
    tracemalloc.start()
    try:
        with open_source(file) as stream:
            found = sum(isinstance(row, ImportRow) for row in read(stream, format=Format.CHATGPT))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == expected
    assert peak < 32 * _MIB
