"""Exports of other products, read into one neutral stream of rows."""

from iris_memory.formats.detect import detect
from iris_memory.formats.limits import LIMITS, Limits
from iris_memory.formats.read import read
from iris_memory.formats.row import Author, Format, ImportRow, Row, RowNote, Unreadable, UnreadableReason
from iris_memory.formats.source import open_source
from iris_memory.formats.split import MAX_TEXT

__all__ = [
    "LIMITS",
    "MAX_TEXT",
    "Author",
    "Format",
    "ImportRow",
    "Limits",
    "Row",
    "RowNote",
    "Unreadable",
    "UnreadableReason",
    "detect",
    "open_source",
    "read",
]
