"""Masking: every kind of owner identity is found in every listed disguise, by every guard, and nothing else is."""

from __future__ import annotations

from iris_memory.errors import SettingError
from iris_memory.evals.tally import Tally
from iris_memory.sources.extra import require_masking


def run(tally: Tally) -> str:
    """Look at recall by kind and disguise, at what is left of a masked text, at forgery, streaming and precision."""
    try:
        require_masking()
    except SettingError as missing:
        tally.check(str(missing), holds=False)
        return "nothing was looked at"
    from iris_memory.evals import masking_cases

    return masking_cases.look(tally)
