"""The page of settings, from the one table of them."""

from __future__ import annotations

from iris_memory.cli.markdown import code, page, table
from iris_memory.wiring.settings import SETTINGS


def settings_page() -> str:
    """Return the page."""
    rows = [(code(row.name), row.what, row.accepts, code(row.default) if row.default else "none") for row in SETTINGS]
    return page(
        "Settings",
        "Every environment variable Iris reads. A setting with a value it cannot have is an error, never a guess.",
        table(("name", "what it is", "accepts", "default"), rows),
    )
