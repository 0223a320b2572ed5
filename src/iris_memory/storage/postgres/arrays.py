"""Columns of many rows as PostgreSQL arrays in their binary form, made at once.

The driver dumps a list element by element, which for a batch of rows takes as long as the server needs to keep them.
The form is that of `array_recv`: dimensions, a flag for nulls, the element's type; length and lower bound of each
dimension; then each element after its length in bytes, -1 for null. All integers are big-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from struct import Struct
from typing import Any, Final

import numpy as np
from psycopg import Connection, DataError
from psycopg.abc import Buffer
from psycopg.adapt import Dumper
from psycopg.pq import Format

_HEAD: Final = Struct(">iIIii")
_LENGTH: Final = Struct(">i")
_NUMBER: Final = Struct(">iq")
_BIGINT: Final = np.dtype([("length", ">i4"), ("value", ">i8")])
_BIGINT_OID, _TEXT_OID, _BYTEA_OID = 20, 25, 17
_NULL: Final = _LENGTH.pack(-1)


class Column:
    """Values that become an array once they are sent, so that what has no form there fails the statement."""

    __slots__ = ("values",)

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = values


class Bigints(Column):
    """A column of whole numbers."""

    __slots__ = ()

    def made(self) -> bytes:
        """Return the array."""
        made = np.empty(len(self.values), _BIGINT)
        made["length"] = 8
        made["value"] = self.values
        return _head(len(self.values), _BIGINT_OID, has_nulls=False) + made.tobytes()


class BigintsOrNone(Column):
    """A column of whole numbers, some of which are missing."""

    __slots__ = ()

    def made(self) -> bytes:
        """Return the array."""
        pack = _NUMBER.pack
        made = b"".join([_NULL if value is None else pack(8, value) for value in self.values])
        return _head(len(self.values), _BIGINT_OID, has_nulls=True) + made


class Texts(Column):
    """A column of texts."""

    __slots__ = ()

    def made(self) -> bytes:
        """Return the array."""
        return _head(len(self.values), _TEXT_OID, has_nulls=False) + _joined([each.encode() for each in self.values])


class TextsOrNone(Column):
    """A column of texts, some of which are missing."""

    __slots__ = ()

    def made(self) -> bytes:
        """Return the array."""
        made = b"".join([_NULL if value is None else _joined([value.encode()]) for value in self.values])
        return _head(len(self.values), _TEXT_OID, has_nulls=True) + made


class Blobs(Column):
    """A column of bytes."""

    __slots__ = ()

    def made(self) -> bytes:
        """Return the array."""
        return _head(len(self.values), _BYTEA_OID, has_nulls=False) + _joined(self.values)


def bigints(values: Sequence[int]) -> Bigints:
    """Return a column of whole numbers."""
    return Bigints(values)


def bigints_or_none(values: Sequence[int | None]) -> BigintsOrNone | None:
    """Return a column of whole numbers, some of which are missing; None where all are."""
    return None if all(value is None for value in values) else BigintsOrNone(values)


def texts(values: Sequence[str]) -> Texts:
    """Return a column of texts."""
    return Texts(values)


def texts_or_none(values: Sequence[str | None]) -> TextsOrNone | None:
    """Return a column of texts, some of which are missing; None where all are."""
    return None if all(value is None for value in values) else TextsOrNone(values)


def blobs(values: Sequence[bytes]) -> Blobs:
    """Return a column of bytes."""
    return Blobs(values)


def register(connection: Connection[object]) -> None:
    """Let a connection take columns as values."""
    for kind, dumper in _DUMPERS.items():
        connection.adapters.register_dumper(kind, dumper)


class _ColumnDumper(Dumper):
    """Gives the driver the array."""

    format = Format.BINARY

    def dump(self, obj: Any) -> Buffer:
        try:
            made: bytes = obj.made()
        except (OverflowError, struct.error):
            raise DataError from None
        return made


class _BigintsDumper(_ColumnDumper):
    oid = 1016


class _TextsDumper(_ColumnDumper):
    oid = 1009


class _BlobsDumper(_ColumnDumper):
    oid = 1001


_DUMPERS: Final[Mapping[type[Column], type[Dumper]]] = {
    Bigints: _BigintsDumper,
    BigintsOrNone: _BigintsDumper,
    Texts: _TextsDumper,
    TextsOrNone: _TextsDumper,
    Blobs: _BlobsDumper,
}


def _head(count: int, element: int, *, has_nulls: bool) -> bytes:
    if count == 0:
        return Struct(">iII").pack(0, 0, element)
    return _HEAD.pack(1, has_nulls, element, count, 1)


def _joined(values: Sequence[bytes]) -> bytes:
    pack = _LENGTH.pack
    return b"".join([part for value in values for part in (pack(len(value)), value)])
