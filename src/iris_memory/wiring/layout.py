"""Layout: where the parts of an embedded store lie.

    store.json        the id of the store, and where its data lies
    data/iris.db      the data, sealed, unless a database holds it
    vault/vault.db    the keys, wrapped
    heads/            copies of signed audit heads, unless IRIS_HEADS names another folder

The root key lies outside: in the environment, or in a key file in the user's configuration folder, wrapped by a key
service where there is one.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from iris_memory.errors import (
    SettingError,
    StoreCorruptError,
    StoreMissingError,
    StoreReadOnlyError,
    StoreVersionError,
)
from iris_memory.ports.vault import KeyProvider
from iris_memory.storage.key_command import CommandKey
from iris_memory.storage.keys import EnvironmentKey, KeyFile
from iris_memory.wiring.addresses import IN_FOLDER, IN_POSTGRES
from iris_memory.wiring.settings import Settings

LAYOUT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of one store."""

    folder: Path
    store_id: str
    data_in: str | None = None
    """Which kind of place holds the data; None for a store that was made before this was written down."""

    @property
    def data(self) -> Path:
        """Where the data lies."""
        return self.folder / "data" / "iris.db"

    @property
    def vault(self) -> Path:
        """Where the keys lie."""
        return self.folder / "vault" / "vault.db"

    @property
    def heads(self) -> Path:
        """Where copies of audit heads lie."""
        return self.folder / "heads"


def lay(folder: Path, *, create: bool, data_in: str = IN_FOLDER) -> tuple[Layout, bool]:
    """Return the layout of a store and whether it is new; `data_in` says which kind of place a new one's data gets.

    Raises:
        StoreMissingError: there is no store and none may be made.
        StoreReadOnlyError: the folder cannot be written.
    """
    marker = folder / "store.json"
    try:
        return Layout(folder, *_read(marker)), False
    except (NotADirectoryError, PermissionError, IsADirectoryError) as problem:
        raise StoreReadOnlyError(f"the store's folder cannot be read ({problem.strerror})") from None
    except FileNotFoundError:
        if not create:
            raise StoreMissingError("there is no store here; make one with `iris init`") from None
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = _draft(folder, store_id=secrets.token_hex(16), data_in=data_in)
        try:
            os.link(draft, marker)  # the first of two processes wins; both read the same id
        except FileExistsError:
            pass
        finally:
            draft.unlink(missing_ok=True)
    except OSError as problem:
        raise StoreReadOnlyError(f"the store's folder cannot be made or written ({problem.strerror})") from None
    return Layout(folder, *_read(marker)), True


def unlay(layout: Layout) -> None:
    """Take back what `lay` just wrote for a store that could not be made, so that it may be made elsewhere."""
    if not layout.vault.exists() and not layout.data.exists():
        with suppress(OSError):
            (layout.folder / "store.json").unlink()
            layout.folder.rmdir()


def now_in(layout: Layout, data_in: str) -> None:
    """Write down that the data lies in another kind of place from now on, in one step.

    Raises:
        StoreReadOnlyError: the folder cannot be written.
    """
    try:
        _draft(layout.folder, store_id=layout.store_id, data_in=data_in).replace(layout.folder / "store.json")
    except OSError as problem:
        raise StoreReadOnlyError(f"the store's folder cannot be written ({problem.strerror})") from None


def require_place(layout: Layout, *, in_database: bool) -> None:
    """Refuse to look for the data where it is not: a second, empty store would be begun there.

    Raises:
        SettingError: the data lies in the other kind of place.
    """
    if in_database and (layout.data_in == IN_FOLDER or (layout.data_in is None and layout.data.exists())):
        raise SettingError(
            "a database is named and the data of this store lies in its folder; move it with `iris migrate`, or leave"
            " the database out"
        )
    if not in_database and layout.data_in == IN_POSTGRES:
        raise SettingError("the data of this store lies in PostgreSQL; name it with --database or IRIS_DATABASE_URL")


def heads_folder(layout: Layout, settings: Settings) -> Path:
    """Return where copies of audit heads are kept."""
    return layout.heads if settings.heads is None else Path(settings.heads) / layout.store_id


def key_provider(layout: Layout, settings: Settings, *, is_new: bool) -> KeyProvider:
    """Return where the root key comes from: the environment when it is set there, else a key service, else a file."""
    if settings.root_key_in_environment:
        return EnvironmentKey()
    if settings.kms_command:
        return CommandKey(settings.kms_command, key_file(layout, settings), create=is_new)
    return KeyFile(key_file(layout, settings), create=is_new)


def key_file(layout: Layout, settings: Settings) -> Path:
    """Return where the root key is kept when the environment does not hold it."""
    if settings.key_file is not None:
        return Path(settings.key_file)
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    ending = "wrapped" if settings.kms_command else "key"
    return Path(home) / "iris" / "keys" / f"{layout.store_id}.{ending}"


def _draft(folder: Path, *, store_id: str, data_in: str) -> Path:
    text = json.dumps({"layout": LAYOUT_VERSION, "store_id": store_id, "data": data_in}) + "\n"
    draft = folder / f".store-{secrets.token_hex(8)}"
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    return draft


def _read(marker: Path) -> tuple[str, str | None]:
    try:
        fields = json.loads(marker.read_bytes())
        layout, store_id, data_in = fields["layout"], fields["store_id"], fields.get("data")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise StoreCorruptError("store.json cannot be read; restore it from a backup") from None
    if layout != LAYOUT_VERSION:
        raise StoreVersionError("the store was laid out by a newer Iris; upgrade Iris to open it")
    if not isinstance(store_id, str) or not store_id.isalnum():
        raise StoreCorruptError("store.json cannot be read; restore it from a backup")
    if data_in not in {None, IN_FOLDER, IN_POSTGRES}:
        raise StoreVersionError("the data of the store lies where this Iris does not look; upgrade Iris to open it")
    return store_id, data_in
