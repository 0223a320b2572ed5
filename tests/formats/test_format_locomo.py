"""Real dialogues go out in every product's form and come back the same: words, order, authors, instants."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
import rendering
from reading import read_all, reasons, texts

from iris_memory.formats import Author, Format, ImportRow, Row, open_source, read

Renderer = Callable[[rendering.Dialogue], bytes]


@pytest.fixture(scope="module")
def dialogues() -> list[rendering.Dialogue]:
    return rendering.load_dialogues()


def _shards(dialogue: rendering.Dialogue) -> bytes:
    return rendering.as_chatgpt_zip(dialogue, shards=3)


def _gzip(dialogue: rendering.Dialogue) -> bytes:
    return gzip.compress(rendering.as_chatgpt(dialogue))


@pytest.mark.parametrize(
    ("render", "source"),
    [
        (rendering.as_chatgpt, Format.CHATGPT),
        (rendering.as_chatgpt_zip, Format.CHATGPT),
        (_shards, Format.CHATGPT),
        (_gzip, Format.CHATGPT),
        (rendering.as_claude, Format.CLAUDE),
        (rendering.as_claude_zip, Format.CLAUDE),
        (rendering.as_mem0, Format.MEM0),
        (rendering.as_jsonl, Format.JSONL),
    ],
    ids=lambda each: getattr(each, "__name__", str(each)),
)
def test_every_turn_comes_back_in_order(
    dialogues: list[rendering.Dialogue], render: Renderer, source: Format, tmp_path: Path
) -> None:
    for dialogue in dialogues:
        file = tmp_path / "export"
        file.write_bytes(render(dialogue))
        with open_source(file) as stream:
            rows = [*read(stream, format=source)]
        expected = rendering.turns(dialogue)
        assert len(expected) > 300
        assert reasons(rows) == []
        assert texts(rows) == [turn.text for turn in expected]
        assert [_instant(row) for row in rows] == [turn.said_at for turn in expected]
        if source is not Format.MEM0:
            assert [_by_user(row) for row in rows] == [turn.by_user for turn in expected]


def test_sessions_stay_apart(dialogues: list[rendering.Dialogue]) -> None:
    for render, source in ((rendering.as_chatgpt, Format.CHATGPT), (rendering.as_claude, Format.CLAUDE)):
        rows = read_all(render(dialogues[0]), source)
        sessions = rendering.sessions(dialogues[0])
        titles = [f"Session {turn.session}" for session in sessions for turn in session]
        assert [row.title for row in rows if isinstance(row, ImportRow)] == titles
        assert len({row.conversation for row in rows if isinstance(row, ImportRow)}) == len(sessions)


def test_a_graph_gives_each_observation_behind_its_name(dialogues: list[rendering.Dialogue]) -> None:
    for dialogue in dialogues:
        said = rendering.turns(dialogue)
        names = [dialogue["conversation"]["speaker_a"], dialogue["conversation"]["speaker_b"]]
        expected = [f"{name}: {turn.text}" for name in names for turn in said if turn.speaker == name]
        rows = read_all(rendering.as_mcp_memory(dialogue), Format.MCP_MEMORY)
        assert texts(rows) == [*expected, f"{names[0]} talks_to {names[1]}"]
        assert not any(name in row.ref for row in rows for name in names)


def _instant(row: Row) -> object:
    assert isinstance(row, ImportRow)
    return row.said_at


def _by_user(row: Row) -> bool:
    assert isinstance(row, ImportRow)
    assert row.author in (Author.USER, Author.ASSISTANT)
    return row.author is Author.USER
