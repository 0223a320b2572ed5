"""What one format is: where its items stand, how one is known, and the rows it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from iris_memory.formats.row import Row


@dataclass(frozen=True, slots=True)
class Item:
    """One item, parsed. `member` is the list of the top object it stood in; `ref` names it for good."""

    ref: str
    member: str | None
    value: dict[str, object]

    @property
    def key(self) -> str:
        """The ref without the name of the format."""
        return self.ref.partition(":")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One format. Items that are not JSON objects never reach it.

    * `expects`: what the file should hold, for the person who named the wrong format.
    * `on_lines`: one item a line; otherwise the items of a top list and of the lists named in `members`.
    * `is_one`: whether the item could be of this format. Asked of the first item only: one odd item later on is a bad
      row, not a wrong file.
    * `own_id`: the id the item goes by, already safe, or none.
    * `rows`: everything the item holds, as rows and as reasons, in a fixed order. Never raises.
    """

    expects: str
    is_one: Callable[[Item], bool]
    own_id: Callable[[dict[str, object]], str | None]
    rows: Callable[[Item], Iterator[Row]]
    on_lines: bool = False
    members: frozenset[str] = field(default_factory=frozenset)
