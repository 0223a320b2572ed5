"""What a source may cost, so that a hostile file costs little.

One item (a conversation, a memory, a line) is the unit held in memory; everything else streams by.
"""

from __future__ import annotations

from dataclasses import dataclass

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bytes unless the name says otherwise."""

    item_bytes: int = 64 * MIB
    item_values: int = 2_000_000  # a tiny value costs up to 100 times its bytes once parsed
    item_depth: int = 128
    unpacked_bytes: int = 16 * GIB
    unpacked_ratio: int = 200  # chat exports pack 5 to 20 times
    ratio_from_bytes: int = 64 * MIB  # below this much a high ratio harms nobody
    directory_bytes: int = 16 * MIB  # the list of names in a zip


LIMITS = Limits()
