"""`identity.yaml`: the text of the file becomes the guard table, or closes it."""

from __future__ import annotations

from typing import Final

import yaml

from iris_memory.contracts.masking import MaskingReason
from iris_memory.tables.guards import DEFAULT_TABLE, GuardTable, closed_table, load

TEXT_MOST: Final = 262_144
"""How many characters of the file are read; a longer one is not read in part."""


def table_of(text: str | None) -> GuardTable:
    """Return the table that a deployment's `identity.yaml` asks for. None: there is no such file.

    A file that is there and cannot be read, or says something that is not valid, gives the closed table.
    """
    if text is None:
        return DEFAULT_TABLE
    if len(text) > TEXT_MOST:
        return closed_table(MaskingReason.CONFIG_UNREADABLE)
    try:
        # the base loader keeps every scalar as text: no word turns into a boolean
        data = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError, ValueError):
        return closed_table(MaskingReason.CONFIG_UNREADABLE)
    return load(data if data != "" else None)
