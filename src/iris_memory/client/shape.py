"""What the generated shapes share, and the mark of what is left out."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict


class Unset(Enum):
    """The one mark of what is left out, so that `None` can be said."""

    UNSET = "unset"


UNSET: Final[Literal[Unset.UNSET]] = Unset.UNSET


class Shape(BaseModel):
    """A body or an answer that is no contract of the package. Fields of a newer service are left aside."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True, populate_by_name=True)

    @classmethod
    def of(cls, **given: Any) -> Self:
        """Return the shape of the fields that were not left out."""
        return cls(**{name: value for name, value in given.items() if value is not UNSET})
