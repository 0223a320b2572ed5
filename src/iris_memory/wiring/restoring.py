"""Restoring: an older copy of the data is looked at, and served only once every erasure was replayed on it."""

from __future__ import annotations

from pathlib import Path

from iris_memory.flows.restore import Restored, accept_older, look
from iris_memory.flows.stamp import claim
from iris_memory.ports.clock import Clock
from iris_memory.ports.vault import KeyProvider
from iris_memory.wiring.addresses import Database
from iris_memory.wiring.layout import key_provider, lay, require_place
from iris_memory.wiring.opening import all_heads, open_parts, place_of_data, plain_instruments
from iris_memory.wiring.presence import Presence
from iris_memory.wiring.settings import Settings, read_settings


def restore(
    folder: Path,
    *,
    accept: bool,
    database: str | Database | None = None,
    settings: Settings | None = None,
    key: KeyProvider | None = None,
    clock: Clock | None = None,
) -> Restored:
    """Say what of a restored copy is older than the vault and the heads; with `accept`, make it fit to be served.

    Args:
        folder: the folder of the store, with the live vault.
        accept: replay every erasure, tell the chains, and give the newer heads up. Without it nothing is changed.
        database: where the data lies when it is not in the folder; as when the store is opened.
        settings: read from the environment where left out.
        key: where the root key comes from.
        clock: tells the time.

    Raises:
        StoreBusyError: another process has the store open.
        StoreRolledBackError: it is no older copy of this store, or the vault is older than the data.
    """
    settings = settings or read_settings()
    place = place_of_data(database, settings)
    layout, _ = lay(folder, create=False)
    require_place(layout, in_database=place is not None)
    presence = Presence(layout.folder, alone=True)
    try:
        provider = key or key_provider(layout, settings, is_new=False)
        parts = open_parts(layout, provider, place=place, create=False)
        try:
            claim(parts.store, layout.store_id)
            instruments = plain_instruments(layout, parts, settings, clock=clock)
            places = all_heads(layout, settings)
            return accept_older(instruments, places) if accept else look(instruments, places)
        finally:
            parts.close()
    finally:
        presence.release()
