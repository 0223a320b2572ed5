"""Columns of many rows as PostgreSQL arrays in their binary form, made at once.

The driver dumps a list element by element, which for a batch of rows takes as long as the server needs to keep them.
The form is that of `array_recv`: dimensions, a flag for nulls, the element's type; length and lower bound of each
dimension; then each element after its length in bytes, -1 for null. All integers are big-endian.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import ClassVar, Final

import numpy as np
from psycopg import Connection
from psycopg.abc import Buffer
from psycopg.adapt import Dumper
from psycopg.pq import Format

_HEAD: Final = Struct(">iIIii")
_LENGTH: Final = Struct(">i")
_BIGINT: Final = np.dtype([("length", ">i4"), ("value", ">i8")])
_BIGINT_OID, _TEXT_OID, _BYTEA_OID = 20, 25, 17
_NULL: Final = _LENGTH.pack(-1)


class Column:
    """An array in its binary form."""

    __slots__ = ("bytes",)
    array: ClassVar[int]

    def __init__(self, made: bytes) -> None:
        self.bytes = made


class Bigints(Column):
    """A column of whole numbers."""

    __slots__ = ()
    array = 1016


class Texts(Column):
    """A column of texts."""

    __slots__ = ()
    array = 1009


class Blobs(Column):
    """A column of bytes."""

    __slots__ = ()
    array = 1001


def bigints(values: Sequence[int]) -> Bigints:
    """Return a column of whole numbers."""
    made = np.empty(len(values), _BIGINT)
    made["length"] = 8
    made["value"] = values
    return Bigints(_head(len(values), _BIGINT_OID, has_nulls=False) + made.tobytes())


def bigints_or_none(values: Sequence[int | None]) -> Bigints | None:
    """Return a column of whole numbers, some of which are missing; None where all are."""
    if all(value is None for value in values):
        return None
    pack = Struct(">iq").pack
    made = b"".join([_NULL if value is None else pack(8, value) for value in values])
    return Bigints(_head(len(values), _BIGINT_OID, has_nulls=True) + made)


def texts(values: Sequence[str]) -> Texts:
    """Return a column of texts.

    Raises:
        UnicodeEncodeError: a text holds a lone surrogate, which has no form in UTF-8.
    """
    return Texts(_head(len(values), _TEXT_OID, has_nulls=False) + _joined([value.encode() for value in values]))


def texts_or_none(values: Sequence[str | None]) -> Texts | None:
    """Return a column of texts, some of which are missing; None where all are."""
    if all(value is None for value in values):
        return None
    made = b"".join([_NULL if value is None else _joined([value.encode()]) for value in values])
    return Texts(_head(len(values), _TEXT_OID, has_nulls=True) + made)


def blobs(values: Sequence[bytes]) -> Blobs:
    """Return a column of bytes."""
    return Blobs(_head(len(values), _BYTEA_OID, has_nulls=False) + _joined(values))


def register(connection: Connection[object]) -> None:
    """Let a connection take columns as values."""
    for kind in (Bigints, Texts, Blobs):
        connection.adapters.register_dumper(kind, _DUMPERS[kind])


class _ColumnDumper(Dumper):
    """Gives the bytes to the driver as they are."""

    format = Format.BINARY

    def dump(self, obj: Column) -> Buffer:
        return obj.bytes


class _BigintsDumper(_ColumnDumper):
    oid = Bigints.array


class _TextsDumper(_ColumnDumper):
    oid = Texts.array


class _BlobsDumper(_ColumnDumper):
    oid = Blobs.array


_DUMPERS: Final = {Bigints: _BigintsDumper, Texts: _TextsDumper, Blobs: _BlobsDumper}


def _head(count: int, element: int, *, has_nulls: bool) -> bytes:
    if count == 0:
        return Struct(">iII").pack(0, 0, element)
    return _HEAD.pack(1, has_nulls, element, count, 1)


def _joined(values: Sequence[bytes]) -> bytes:
    pack = _LENGTH.pack
    return b"".join([part for value in values for part in (pack(len(value)), value)])
