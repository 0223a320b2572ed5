"""Opening an embedded store: engines, keys, what a crash left behind, and the keeper."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from iris_memory.errors import KeyMissingError, SettingError
from iris_memory.flows.forget import finish_forgets
from iris_memory.flows.instruments import CrisisFrame, Durability, Instruments, RecallAuditSink, no_crisis
from iris_memory.flows.people import People
from iris_memory.flows.seal import require_not_rolled_back, seal_all
from iris_memory.flows.tend import overdue
from iris_memory.ports.clock import Clock
from iris_memory.ports.ids import Ids
from iris_memory.ports.unit_of_work import Store
from iris_memory.ports.vault import KeyProvider
from iris_memory.recall.options import DEFAULT_OPTIONS, RecallOptions
from iris_memory.recall.pipeline import RecallPipeline
from iris_memory.storage.heads import FolderHeads
from iris_memory.storage.residue import SubprocessScanner
from iris_memory.storage.sqlite import SqliteStore
from iris_memory.storage.vault import SqliteVault
from iris_memory.wiring.clock import SystemClock
from iris_memory.wiring.ids import SystemIds
from iris_memory.wiring.keeper import Keeper
from iris_memory.wiring.layout import Layout, key_provider, lay
from iris_memory.wiring.settings import Settings, read_settings


@dataclass(frozen=True, slots=True)
class Opened:
    """An open store."""

    layout: Layout
    instruments: Instruments
    provider: KeyProvider
    close: Callable[[], None]


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
    tended: bool = True,
    database: str | None = None,
) -> Opened:
    """Open an embedded store, making it with `create` where there is none.

    With `database`, the address of a PostgreSQL database that is prepared for Iris, the data lies there, and only the
    vault and the heads lie in the folder.

    Raises:
        StoreMissingError, StoreReadOnlyError, StoreVersionError, StoreCorruptError: see `errors`.
        KeyMissingError, KeyWrongError: the root key is not there, or is another store's.
        StoreRolledBackError: the store is older than a head kept outside it.
    """
    settings = settings or read_settings()
    layout, _ = lay(folder, create=create)
    is_new = not layout.vault.exists() and not layout.data.exists()
    if layout.data.exists() and not layout.vault.exists():
        raise KeyMissingError("the vault of this store is not where it was; restore it, without it nothing can be read")
    provider = key or key_provider(layout, settings, is_new=is_new)
    if is_new:
        provider.root_key()  # made before the vault: who finds a vault that is being made finds its key as well
    store: Store | None = None if database is None else _open_database(database, is_new=is_new)
    try:
        vault = SqliteVault(layout.vault, provider, create=create)
    except BaseException:
        if store is not None:
            store.close()
        raise
    try:
        store = store or SqliteStore(layout.data, create=create)
    except BaseException:
        vault.close()
        raise
    ids = ids or SystemIds()
    instruments = Instruments(
        store=store,
        vault=vault,
        people=People(vault, ids.secret),
        clock=clock or SystemClock(),
        ids=ids,
        heads=FolderHeads(layout.heads),
        scanner=SubprocessScanner(),
        pipeline=RecallPipeline(options),
        durability=durability or settings.durability,
        sink=sink,
        vault_backup_days=settings.vault_backup_days,
        crisis=crisis or no_crisis,
    )
    try:
        require_not_rolled_back(instruments)
        finish_forgets(instruments)
        overdue(instruments)
    except BaseException:
        store.close()
        vault.close()
        raise
    keeper = Keeper(instruments) if tended else None
    done = False

    def close() -> None:
        nonlocal done
        if done:
            return
        done = True
        atexit.unregister(close)
        if keeper is not None:
            keeper.stop()
        try:
            instruments.people.usage.flush(store)
            seal_all(instruments)
        finally:
            store.close()
            vault.close()

    atexit.register(close)
    return Opened(layout, instruments, provider, close)


def _open_database(address: str, *, is_new: bool) -> Store:
    """Open the store in a database; its driver is an extra, so it is looked for only now."""
    try:
        from iris_memory.storage.postgres import PostgresStore
    except ImportError:
        raise SettingError(
            "a database is named and its driver is not installed; install iris-memory[postgres]"
        ) from None
    store = PostgresStore(address)
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
