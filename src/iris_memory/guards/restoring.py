"""Restoring: pseudonyms of one exchange turned back in a text or a JSON value, for the kinds that were granted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iris_memory.contracts.masking import PiiKind
from iris_memory.masking.leaves import leaves_of
from iris_memory.masking.pseudonyms import Exchange
from iris_memory.masking.render import unmasked


def restored(value: Any, *, exchange: Exchange, grants: frozenset[PiiKind]) -> Any:
    """Turn back, in every text of a value, what this exchange issued and these kinds allow.

    Raises:
        MaskingError: the value is no JSON, or nested deeper than is read.
    """
    if isinstance(value, str):
        return unmasked(value, exchange=exchange, grants=grants)
    leaves_of(value)
    return _restored(value, exchange, grants)


def _restored(value: Any, exchange: Exchange, grants: frozenset[PiiKind]) -> Any:
    if isinstance(value, str):
        return unmasked(value, exchange=exchange, grants=grants)
    if isinstance(value, Mapping):
        # names stay as they are: two of them must not come to read the same
        return {name: _restored(part, exchange, grants) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_restored(part, exchange, grants) for part in value]
    return value
