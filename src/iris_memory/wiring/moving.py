"""Moving a store's data between its folder and a database. The vault and the heads stay in the folder's keeping."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from iris_memory.errors import SettingError, StorageError, StoreMissingError
from iris_memory.flows.migrate import Moved, Progress, migrate
from iris_memory.flows.seal import require_not_rolled_back
from iris_memory.flows.stamp import foreign, stamp_of
from iris_memory.ports.unit_of_work import Store
from iris_memory.ports.vault import KeyProvider
from iris_memory.storage.sqlite import SqliteStore
from iris_memory.storage.vault import SqliteVault
from iris_memory.wiring.addresses import IN_FOLDER, IN_POSTGRES, Database, place_of
from iris_memory.wiring.layout import Layout, key_provider, lay, now_in
from iris_memory.wiring.opening import Parts, all_heads, open_database, place_of_data, plain_instruments
from iris_memory.wiring.presence import Presence
from iris_memory.wiring.settings import Settings, read_settings


def move(
    source: str,
    target: str,
    *,
    home: Path | None = None,
    settings: Settings | None = None,
    key: KeyProvider | None = None,
    progress: Progress = lambda done, of: None,
) -> Moved:
    """Move the data of a store; from the last step on it is looked for at the target.

    The process must be the only one that has the store open, and holds it alone until it is done. Killed at any point
    it leaves the source as it was and in use; running it again goes on.

    Args:
        source: where the data lies now: the store's folder, `sqlite:FOLDER`, or an address of PostgreSQL.
        target: where it shall lie; likewise. A database is prepared by its owner before.
        home: the folder of the store, where vault and heads are; needed between two databases only.
        settings: read from the environment where left out.
        key: where the root key comes from; by default as when the store is opened.
        progress: told how many people are done, of how many.

    Raises:
        SettingError: the addresses do not fit together, or the data does not lie at the source.
        StoreBusyError: another process has the store open.
        StorageError: the target holds something else, or both sides differ at the end.
    """
    settings = settings or read_settings()
    at_source, at_target = _place(source, settings), _place(target, settings)
    layout, _ = lay(_home(at_source, at_target, home), create=False)
    _require_source(layout, at_source)
    presence = Presence(layout.folder, alone=True)
    try:
        layout, _ = lay(layout.folder, create=False)  # somebody may have moved it before we were alone
        _require_source(layout, at_source)
        provider = key or key_provider(layout, settings, is_new=False)
        vault = SqliteVault(layout.vault, provider)
        try:
            moved = _between(layout, vault, at_source, at_target, settings, progress)
        finally:
            vault.close()
        now_in(layout, IN_POSTGRES if isinstance(at_target, Database) else IN_FOLDER)
        return moved
    finally:
        presence.release()


def _between(
    layout: Layout,
    vault: SqliteVault,
    at_source: Path | Database,
    at_target: Path | Database,
    settings: Settings,
    progress: Progress,
) -> Moved:
    source = _open(layout, at_source, create=False)
    try:
        target = _open(layout, at_target, create=True)
        try:
            with source.read() as reading:
                stamp = stamp_of(reading)
            if stamp is not None and stamp.store_id != layout.store_id:
                raise foreign()
            if stamp is not None and stamp.moving:
                raise StorageError("the source is itself a copy that was not finished; move from where the data lies")
            instruments = plain_instruments(layout, Parts(source, vault), settings)
            for heads in all_heads(layout, settings):
                require_not_rolled_back(replace(instruments, heads=heads))
            return migrate(instruments, target, store_id=layout.store_id, progress=progress)
        finally:
            target.close()
    finally:
        source.close()


def _place(address: str, settings: Settings) -> Path | Database:
    found = place_of(address)
    if isinstance(found, Path):
        return found
    known = place_of_data(found.url, settings)
    assert known is not None
    return known


def _home(at_source: Path | Database, at_target: Path | Database, home: Path | None) -> Path:
    folders = [place for place in (at_source, at_target) if isinstance(place, Path)]
    if len(folders) == 2:
        raise SettingError("a store is moved from folder to folder by moving its folder; one side is a database")
    if not folders:
        if at_source == at_target:
            raise SettingError("source and target are the same database")
        if home is None:
            raise SettingError("between two databases the folder of the store is named as well, with --store")
        return home
    if not (folders[0] / "store.json").exists():
        raise StoreMissingError(
            "the folder holds no store: the vault and the heads do not move, so name the folder they lie in"
        )
    return folders[0]


def _require_source(layout: Layout, at_source: Path | Database) -> None:
    lies_in = layout.data_in or (IN_FOLDER if layout.data.exists() else IN_POSTGRES)
    if lies_in == IN_FOLDER and isinstance(at_source, Database):
        raise SettingError("the data of this store lies in its folder, not in a database")
    if lies_in == IN_POSTGRES and isinstance(at_source, Path):
        raise SettingError("the data of this store lies in PostgreSQL, not in its folder")


def _open(layout: Layout, place: Path | Database, *, create: bool) -> Store:
    if isinstance(place, Database):
        return open_database(place, is_new=False)
    return SqliteStore(layout.data, create=create)
