"""The `masking` extra: whether what masking stands on is installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from iris_memory.errors import SettingError

PACKAGES: Final = ("ahocorasick_rs", "phonenumbers", "idna", "confusable_homoglyphs", "yaml")
"""What the extra installs, as it is imported."""


def require_masking() -> None:
    """Go on only where masking can run.

    Raises:
        SettingError: a package of the extra is missing; the message says how to install it.
    """
    if any(find_spec(name) is None for name in PACKAGES):
        raise SettingError("masking is an extra of its own: install iris-memory[masking]")
