"""The reference pages: made from tables, contracts, settings, reason codes and commands, so that they cannot lag."""

from __future__ import annotations

from typing import Any

from iris_memory.cli.reference_commands import commands_page
from iris_memory.cli.reference_contracts import contracts_page
from iris_memory.cli.reference_reasons import reasons_page
from iris_memory.cli.reference_scopes import scopes_page
from iris_memory.cli.reference_settings import settings_page
from iris_memory.cli.reference_tables import tables_page


def pages(root: Any) -> dict[str, str]:
    """Return the text of every generated page by its file name. `root` is the root command."""
    return {
        "cli.md": commands_page(root),
        "contracts.md": contracts_page(),
        "reason-codes.md": reasons_page(),
        "scopes.md": scopes_page(),
        "settings.md": settings_page(),
        "tables.md": tables_page(),
    }
