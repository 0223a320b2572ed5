"""Iris's own lines: what is known is taken, what is not known is a bad row."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from reading import dump, lines, read_all, reasons, texts

from iris_memory.formats import Author, Format, ImportRow, RowNote, UnreadableReason


def test_a_full_line_carries_all_of_it() -> None:
    line = {
        "ref": "notes:7",
        "text": "Likes tea",
        "author": "user",
        "said_at": "2024-05-01T10:00:00+02:00",
        "conversation": "notes",
        "category": "preference",
        "subject": "drink",
    }
    assert read_all(lines([line]), Format.JSONL) == [
        ImportRow(
            ref="jsonl:notes:7",
            text="Likes tea",
            author=Author.USER,
            said_at=datetime(2024, 5, 1, 8, tzinfo=UTC),
            conversation="notes",
            category="preference",
            subject="drink",
        )
    ]


def test_a_bare_line_goes_by_its_number() -> None:
    data = b"\n" + dump({"body": "a"}) + b"\r\n  \n" + dump({"text": "b", "id": 12}) + b"\n" + dump({"text": "c"})
    rows = read_all(data, Format.JSONL)
    assert [(row.ref, row.text) for row in rows if isinstance(row, ImportRow)] == [
        ("jsonl:@2", "a"),
        ("jsonl:12", "b"),
        ("jsonl:@5", "c"),
    ]


def test_a_time_without_a_zone_is_noted() -> None:
    (row,) = read_all(lines([{"text": "a", "said_at": "2024-05-01T10:00:00"}]), Format.JSONL)
    assert isinstance(row, ImportRow)
    assert (row.said_at, row.note) == (None, RowNote.NAIVE_TIME)


@pytest.mark.parametrize(
    "line",
    [
        {"text": "a", "mood": "good"},
        {"text": "a", "body": "a"},
        {"text": "a", "id": "x", "ref": "x"},
        {"author": "user"},
        {"text": 5},
        {"text": "a", "author": "me"},
        {"text": "a", "author": 5},
        {"text": "a", "said_at": "yesterday"},
        {"text": "a", "said_at": 1700000000},
        {"text": "a", "subject": ["b"]},
        5,
        [{"text": "a"}],
        None,
    ],
)
def test_a_line_of_another_shape_is_a_bad_row(line: object) -> None:
    rows = read_all(lines([{"text": "ok"}, line]), Format.JSONL)
    assert texts(rows) == ["ok"]
    assert [reason for _, reason in reasons(rows)] == [UnreadableReason.BAD_ROW]


def test_empty_and_repeated_lines_are_counted() -> None:
    same, empty = {"text": "a", "id": "x"}, {"text": " "}
    rows = read_all(lines([same, empty, {"text": None}, same]), Format.JSONL)
    assert texts(rows) == ["a"]
    assert reasons(rows) == [
        ("jsonl:@2", UnreadableReason.EMPTY),
        ("jsonl:@3", UnreadableReason.EMPTY),
        ("jsonl:@4", UnreadableReason.DUPLICATE_REF),
    ]


def test_an_id_that_may_be_words_stays_out_of_the_ref() -> None:
    (row,) = read_all(lines([{"text": "a", "id": "Alex Smith"}]), Format.JSONL)
    assert row.ref == "jsonl:@1"


def test_the_last_line_may_be_cut() -> None:
    data = lines([{"text": "a"}]) + b'{"text": "b'
    assert reasons(read_all(data, Format.JSONL)) == [("jsonl:@2", UnreadableReason.TRUNCATED)]


def test_no_lines_are_no_rows() -> None:
    assert read_all(b"", Format.JSONL) == read_all(b" \n\n", Format.JSONL) == []
