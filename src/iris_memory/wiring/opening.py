"""Opening an embedded store: engines, keys, what a crash left behind, and the keeper."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from iris_memory.errors import KeyMissingError, SettingError
from iris_memory.flows.dropping import drop_all_erased, drop_erased
from iris_memory.flows.forget import finish_forgets
from iris_memory.flows.instruments import (
    CrisisFrame,
    Deliver,
    Durability,
    Instruments,
    RecallAuditSink,
    no_crisis,
)
from iris_memory.flows.people import People
from iris_memory.flows.seal import require_not_rolled_back, seal_all
from iris_memory.flows.stamp import claim
from iris_memory.flows.tend import overdue
from iris_memory.ports.clock import Clock
from iris_memory.ports.erasures import HearsErasures
from iris_memory.ports.ids import Ids
from iris_memory.ports.unit_of_work import Store
from iris_memory.ports.vault import KeyProvider, Vault
from iris_memory.recall.options import DEFAULT_OPTIONS, RecallOptions
from iris_memory.recall.pipeline import RecallPipeline
from iris_memory.storage.heads import FolderHeads
from iris_memory.storage.residue import SubprocessScanner
from iris_memory.storage.sqlite import SqliteStore
from iris_memory.storage.vault import SqliteVault
from iris_memory.wiring.addresses import IN_FOLDER, IN_POSTGRES, Database, database_of
from iris_memory.wiring.clock import SystemClock
from iris_memory.wiring.courier import Sender
from iris_memory.wiring.ids import SystemIds
from iris_memory.wiring.keeper import Keeper
from iris_memory.wiring.layout import Layout, heads_folder, key_provider, lay, require_place, unlay
from iris_memory.wiring.presence import Presence
from iris_memory.wiring.settings import Settings, read_settings
from iris_memory.wiring.summarizer import summarizer_of


@dataclass(frozen=True, slots=True)
class Opened:
    """An open store."""

    layout: Layout
    instruments: Instruments
    provider: KeyProvider
    close: Callable[[], None]
    settings: Settings
    database: Database | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """The open engines of a store, before anything was asked of them."""

    store: Store
    vault: Vault

    def close(self) -> None:
        """Let go of both."""
        try:
            self.store.close()
        finally:
            self.vault.close()


def open_embedded(
    folder: Path,
    *,
    create: bool = True,
    settings: Settings | None = None,
    key: KeyProvider | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
    options: RecallOptions = DEFAULT_OPTIONS,
    durability: Durability | None = None,
    sink: RecallAuditSink | None = None,
    crisis: CrisisFrame | None = None,
    deliver: Deliver | None = None,
    tended: bool = True,
    database: str | Database | None = None,
) -> Opened:
    """Open an embedded store, making it with `create` where there is none.

    With `database`, the address of a PostgreSQL database that is prepared for Iris, the data lies there, and only the
    vault and the heads lie in the folder. None takes the setting IRIS_DATABASE_URL; an empty text takes none.

    Raises:
        StoreMissingError, StoreReadOnlyError, StoreVersionError, StoreCorruptError: see `errors`.
        SettingError: the data lies in the other kind of place.
        StorageError: the data is another store's, or a move of it is not finished.
        KeyMissingError, KeyWrongError: the root key is not there, or is another store's.
        StoreRolledBackError: the store is older than a head kept outside it.
    """
    settings = settings or read_settings()
    summarizer = summarizer_of(*settings.summarizer)
    place = place_of_data(database, settings)
    layout, is_made = lay(folder, create=create, data_in=IN_FOLDER if place is None else IN_POSTGRES)
    require_place(layout, in_database=place is not None)
    presence = Presence(layout.folder)
    try:
        is_new = not layout.vault.exists() and not layout.data.exists()
        provider = key or key_provider(layout, settings, is_new=is_new)
        parts = open_parts(layout, provider, place=place, create=create)
    except BaseException:
        if is_made:
            unlay(layout)
        presence.release()
        raise
    instruments = replace(
        plain_instruments(layout, parts, settings, clock=clock, ids=ids),
        pipeline=RecallPipeline(options),
        durability=durability or settings.durability,
        summarizer=summarizer,
        sink=sink,
        crisis=crisis or no_crisis,
        deliver=deliver,
    )
    try:
        claim(parts.store, layout.store_id)
        for heads in all_heads(layout, settings):
            require_not_rolled_back(replace(instruments, heads=heads))
        finish_forgets(instruments)
        overdue(instruments)
    except BaseException:
        parts.close()
        presence.release()
        raise
    if isinstance(parts.store, HearsErasures):
        parts.store.on_erasure(partial(drop_erased, instruments), missed=partial(drop_all_erased, instruments))
    keeper = Keeper(instruments) if tended else None
    sender = Sender(instruments) if tended else None
    done = False

    def close() -> None:
        nonlocal done
        if done:
            return
        done = True
        atexit.unregister(close)
        if sender is not None:
            sender.stop()
        if keeper is not None:
            keeper.stop()
        try:
            instruments.people.sessions.clear()
            instruments.people.usage.flush(parts.store)
            seal_all(instruments)
        finally:
            parts.close()
            presence.release()

    atexit.register(close)
    return Opened(layout, instruments, provider, close, settings, place)


def plain_instruments(
    layout: Layout, parts: Parts, settings: Settings, *, clock: Clock | None = None, ids: Ids | None = None
) -> Instruments:
    """Return the instruments of open engines with the choices of the settings alone."""
    ids = ids or SystemIds()
    return Instruments(
        store=parts.store,
        vault=parts.vault,
        people=People(parts.vault, ids.secret),
        clock=clock or SystemClock(),
        ids=ids,
        heads=FolderHeads(heads_folder(layout, settings)),
        scanner=SubprocessScanner(),
        durability=settings.durability,
        vault_backup_days=settings.vault_backup_days,
        notes_rollout=settings.notes_rollout,
    )


def place_of_data(database: str | Database | None, settings: Settings) -> Database | None:
    """Return the database that holds the data; None for the store's folder."""
    if database is None:
        return settings.database
    if isinstance(database, Database):
        return database
    if not database:
        return None
    known = settings.database
    same = known is not None and known.url == database
    return known if same else database_of(database, pooled=known.pooled if known else settings.pooled)


def all_heads(layout: Layout, settings: Settings) -> list[FolderHeads]:
    """Return every place where heads may have been kept: where they are now, and in the folder from before."""
    folders = dict.fromkeys((heads_folder(layout, settings), layout.heads))
    return [FolderHeads(folder) for folder in folders]


def open_parts(layout: Layout, provider: KeyProvider, *, place: Database | None, create: bool) -> Parts:
    """Open the vault and the data.

    Raises:
        KeyMissingError: there is data and no vault; or there is no root key.
    """
    is_new = not layout.vault.exists() and not layout.data.exists()
    if layout.data.exists() and not layout.vault.exists():
        raise KeyMissingError("the vault of this store is not where it was; restore it, without it nothing can be read")
    if is_new:
        provider.root_key()  # made before the vault: who finds a vault that is being made finds its key as well
    store: Store | None = None if place is None else open_database(place, is_new=is_new)
    try:
        vault = SqliteVault(layout.vault, provider, create=create)
    except BaseException:
        if store is not None:
            store.close()
        raise
    try:
        return Parts(store or SqliteStore(layout.data, create=create), vault)
    except BaseException:
        vault.close()
        raise


def open_database(place: Database, *, is_new: bool) -> Store:
    """Open the store in a database; its driver is an extra, so it is looked for only now.

    Raises:
        SettingError: the driver is not installed.
        KeyMissingError: the database holds a store, and there is no vault for it.
    """
    try:
        from iris_memory.storage.postgres import PostgresStore
    except ImportError:
        raise SettingError(
            "a database is named and its driver is not installed; install iris-memory[postgres]"
        ) from None
    store = PostgresStore(place.url, pooled=place.pooled, direct=place.direct)
    if is_new:
        try:
            with store.read() as view:
                known = view.tenants()
        except BaseException:
            store.close()
            raise
        if known:
            store.close()
            raise KeyMissingError(
                "the vault of this store is not in the folder; restore it, without it nothing can be read"
            )
    return store
