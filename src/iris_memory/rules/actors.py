"""Other people: a mentioned person is a keyed opaque handle in the user's namespace, never a profile.

A plain hash of a name can be guessed; the handle is an HMAC under a key of the subject and goes with it.
"""

from __future__ import annotations

import hmac

from iris_memory.rules.hygiene import normalise_for_match


def actor_handle(name: str, *, key: bytes) -> str:
    """Return the handle of a name (compared after NFKC, casefold and trim) under the subject's actor key."""
    return "actor-" + hmac.digest(key, normalise_for_match(name).encode(), "sha256").hex()[:32]
