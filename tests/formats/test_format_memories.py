"""mem0 dumps and MCP memory files: sentences that a model wrote, authored by nobody."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from reading import dump, lines, read_all, reasons, texts

from iris_memory.formats import Author, Format, ImportRow, RowNote, UnreadableReason

_MEMORY = {
    "id": "f38b689d-6b24-45b7-bced-17fbb4d8bac7",
    "memory": "Travels to Paris",
    "hash": "62bc074f56d1f909f1b4c2b639f56f6a",
    "metadata": None,
    "created_at": "2023-02-25T23:57:00.108347-07:00",
    "updated_at": "2024-07-25T23:57:00.108367-07:00",
    "user_id": "alex",
    "run_id": "run-7",
}


@pytest.mark.parametrize(
    "dumped", [[_MEMORY], {"results": [_MEMORY], "relations": []}, {"count": 1, "next": None, "results": [_MEMORY]}]
)
def test_a_mem0_memory_carries_its_source(dumped: object) -> None:
    assert read_all(dump(dumped), Format.MEM0) == [
        ImportRow(
            ref="mem0:f38b689d-6b24-45b7-bced-17fbb4d8bac7",
            text="Travels to Paris",
            author=Author.UNKNOWN,
            said_at=datetime(2023, 2, 26, 6, 57, 0, 108347, tzinfo=UTC),
            conversation="run-7",
        )
    ]


@pytest.mark.parametrize(
    ("known", "category"),
    [
        ({}, None),
        ({"categories": ["food", "travel"]}, "food"),
        ({"metadata": {"category": "health"}, "categories": ["food"]}, "health"),
        ({"metadata": {"categories": ["work"]}}, "work"),
        ({"metadata": {"category": 5}, "categories": None}, None),
    ],
)
def test_a_mem0_category_is_passed_through(known: dict[str, object], category: str | None) -> None:
    (row,) = read_all(dump([_MEMORY | known]), Format.MEM0)
    assert isinstance(row, ImportRow)
    assert row.category == category


def test_a_mem0_time_without_a_zone_is_noted() -> None:
    (row,) = read_all(dump([_MEMORY | {"created_at": "2023-02-25T23:57:00"}]), Format.MEM0)
    assert isinstance(row, ImportRow)
    assert (row.said_at, row.note) == (None, RowNote.NAIVE_TIME)


def test_mem0_relations_are_rows() -> None:
    edges = [
        {"source": "alex", "relationship": "lives_in", "target": "paris"},
        {"source": "alex", "relationship": "likes", "destination": "tea"},
        {"source": "alex"},
    ]
    rows = read_all(dump({"results": [_MEMORY], "relations": edges}), Format.MEM0)
    assert texts(rows) == ["Travels to Paris", "alex lives_in paris", "alex likes tea"]
    assert [row.ref for row in rows[1:]] == ["mem0:@1", "mem0:@2", "mem0:@3"]
    assert reasons(rows) == [("mem0:@3", UnreadableReason.BAD_ROW)]


def test_odd_mem0_memories_are_counted() -> None:
    rows = read_all(dump([_MEMORY, _MEMORY, {"id": "b", "memory": ""}, {"id": "c"}]), Format.MEM0)
    assert reasons(rows) == [
        ("mem0:@1", UnreadableReason.DUPLICATE_REF),
        ("mem0:b", UnreadableReason.EMPTY),
        ("mem0:c", UnreadableReason.BAD_ROW),
    ]


def test_a_list_that_is_none_is_counted() -> None:
    rows = read_all(dump({"results": [_MEMORY], "relations": {"source": "alex"}}), Format.MEM0)
    assert reasons(rows) == [("mem0:@1", UnreadableReason.BAD_ROW)]
    assert reasons(read_all(dump({"results": [_MEMORY], "relations": None}), Format.MEM0)) == []


def test_a_graph_gives_observations_and_relations() -> None:
    data = lines(
        [
            {"type": "entity", "name": "John_Smith", "observations": ["Speaks Spanish", "Likes tea"]},
            {"type": "relation", "from": "John_Smith", "to": "Anthropic", "relationType": "works_at"},
        ]
    )
    rows = read_all(data, Format.MCP_MEMORY)
    assert rows == [
        ImportRow("mcp-memory:@1:0", "John_Smith: Speaks Spanish", Author.UNKNOWN),
        ImportRow("mcp-memory:@1:1", "John_Smith: Likes tea", Author.UNKNOWN),
        ImportRow("mcp-memory:@2", "John_Smith works_at Anthropic", Author.UNKNOWN),
    ]


def test_odd_lines_of_a_graph_are_counted() -> None:
    data = lines(
        [
            {"type": "entity", "name": "A", "observations": []},
            {"type": "entity", "name": "A", "observations": ["", 5, "ok"]},
            {"type": "entity", "name": None, "observations": ["x"]},
            {"type": "relation", "from": "A", "to": "B"},
            {"type": "other"},
        ]
    )
    rows = read_all(data, Format.MCP_MEMORY)
    assert texts(rows) == ["A: ok"]
    assert reasons(rows) == [
        ("mcp-memory:@1", UnreadableReason.EMPTY),
        ("mcp-memory:@2:0", UnreadableReason.EMPTY),
        ("mcp-memory:@2:1", UnreadableReason.BAD_ROW),
        ("mcp-memory:@3", UnreadableReason.BAD_ROW),
        ("mcp-memory:@4", UnreadableReason.BAD_ROW),
        ("mcp-memory:@5", UnreadableReason.BAD_ROW),
    ]
