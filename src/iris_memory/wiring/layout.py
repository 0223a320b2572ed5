"""Layout: where the parts of an embedded store lie.

    store.json        the id of the store
    data/iris.db      the data, sealed
    vault/vault.db    the keys, wrapped
    heads/            copies of signed audit heads

The root key lies outside: in the environment, or in a key file in the user's configuration folder.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from iris_memory.errors import StoreCorruptError, StoreMissingError, StoreReadOnlyError, StoreVersionError
from iris_memory.ports.vault import KeyProvider
from iris_memory.storage.keys import EnvironmentKey, KeyFile
from iris_memory.wiring.settings import Settings

LAYOUT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of one store."""

    folder: Path
    store_id: str

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


def lay(folder: Path, *, create: bool) -> tuple[Layout, bool]:
    """Return the layout of a store and whether it is new.

    Raises:
        StoreMissingError: there is no store and none may be made.
        StoreReadOnlyError: the folder cannot be written.
    """
    marker = folder / "store.json"
    try:
        return Layout(folder, _read(marker)), False
    except (NotADirectoryError, PermissionError, IsADirectoryError) as problem:
        raise StoreReadOnlyError(f"the store's folder cannot be read ({problem.strerror})") from None
    except FileNotFoundError:
        if not create:
            raise StoreMissingError("there is no store here; make one with `iris init`") from None
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        text = json.dumps({"layout": LAYOUT_VERSION, "store_id": secrets.token_hex(16)}) + "\n"
        draft = folder / f".store-{secrets.token_hex(8)}"
        with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as handle:
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        try:
            os.link(draft, marker)  # the first of two processes wins; both read the same id
        except FileExistsError:
            pass
        finally:
            draft.unlink(missing_ok=True)
    except OSError as problem:
        raise StoreReadOnlyError(f"the store's folder cannot be made or written ({problem.strerror})") from None
    return Layout(folder, _read(marker)), True


def key_provider(layout: Layout, settings: Settings, *, is_new: bool) -> KeyProvider:
    """Return where the root key comes from: the environment when it is set there, else a key file."""
    if settings.root_key_in_environment:
        return EnvironmentKey()
    return KeyFile(key_file(layout, settings), create=is_new)


def key_file(layout: Layout, settings: Settings) -> Path:
    """Return where the root key is kept when the environment does not hold it."""
    if settings.key_file is not None:
        return Path(settings.key_file)
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(home) / "iris" / "keys" / f"{layout.store_id}.key"


def _read(marker: Path) -> str:
    try:
        fields = json.loads(marker.read_bytes())
        layout, store_id = fields["layout"], fields["store_id"]
    except (ValueError, KeyError, TypeError):
        raise StoreCorruptError("store.json cannot be read; restore it from a backup") from None
    if layout != LAYOUT_VERSION:
        raise StoreVersionError("the store was laid out by a newer Iris; upgrade Iris to open it")
    if not isinstance(store_id, str) or not store_id.isalnum():
        raise StoreCorruptError("store.json cannot be read; restore it from a backup")
    return store_id
