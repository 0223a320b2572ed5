"""Copies of audit heads in a folder, one file a tenant, replaced atomically."""

from __future__ import annotations

import os
import secrets
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

from iris_memory.errors import CheckpointError, StoreReadOnlyError

_ENDING = ".note"
_NAME_MOST = 255


class FolderHeads:
    """Keeps heads in a folder. Put the folder on another disk, or copy it elsewhere, to be safe from a restore."""

    def __init__(self, folder: Path) -> None:
        """Name the folder; it is made when the first head is kept."""
        self._folder = folder

    def keep(self, tenant: str, note: str) -> None:
        """Replace the tenant's head, unless another process kept a newer one.

        Raises:
            StoreReadOnlyError: the folder cannot be written.
        """
        if _size(note) >= _size(self.kept(tenant)):
            self.put_back(tenant, note)

    def put_back(self, tenant: str, note: str) -> None:
        """Replace the tenant's head, a newer one too.

        Raises:
            StoreReadOnlyError: the folder cannot be written.
        """
        target = self._path(tenant)
        draft = target.with_name(f".{secrets.token_hex(8)}-{target.name}"[:_NAME_MOST])
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with os.fdopen(
                os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w", encoding="utf-8"
            ) as handle:
                handle.write(note)
                handle.flush()
                os.fsync(handle.fileno())
            draft.replace(target)
        except OSError as problem:
            raise StoreReadOnlyError(f"the folder of audit heads cannot be written ({problem.strerror})") from None

    def kept(self, tenant: str) -> str | None:
        """Return the tenant's newest head."""
        try:
            return self._path(tenant).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise StoreReadOnlyError(f"the folder of audit heads cannot be read ({problem.strerror})") from None

    def tenants(self) -> list[str]:
        """Return the tenants that have a head.

        Raises:
            CheckpointError: a head names another tenant than its file.
        """
        if not self._folder.is_dir():
            return []
        # a draft that a kill left behind starts with a dot
        return sorted(self._tenant_of(path) for path in self._folder.glob(f"[!.]*{_ENDING}"))

    def _tenant_of(self, path: Path) -> str:
        try:
            origin = path.read_text(encoding="utf-8").split("\n", 1)[0]
        except (OSError, UnicodeDecodeError):
            raise StoreReadOnlyError("a head in the folder of audit heads cannot be read") from None
        tenant = unquote(origin.rpartition("/")[2])
        if self._path(tenant) != path:
            raise CheckpointError("a head kept outside is not of the tenant its file was made for: it was changed")
        return tenant

    def _path(self, tenant: str) -> Path:
        # a tenant's id may be longer than a file name, or look like a path; the note itself says whose it is
        return self._folder / (sha256(tenant.encode()).hexdigest() + _ENDING)


def _size(note: str | None) -> int:
    if note is None:
        return -1
    lines = note.split("\n", 2)
    return int(lines[1]) if len(lines) > 1 and lines[1].isdecimal() else -1
