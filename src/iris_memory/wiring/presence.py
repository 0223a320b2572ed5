"""Presence: who has a store open. Everybody shares it; who moves or restores it must be alone.

A lock on the folder itself (`flock`), which the system lets go of when the process ends, however it ends. The folder
holds the vault, so every process that can read the store has it, whichever engine keeps the data.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from types import ModuleType

from iris_memory.errors import StoreBusyError, StoreReadOnlyError


class Presence:
    """A hold on a store's folder, from its making to `release`."""

    def __init__(self, folder: Path, *, alone: bool = False) -> None:
        """Take hold of a folder that is there.

        Raises:
            StoreBusyError: somebody moves or restores the store; or, with `alone`, somebody has it open.
            StoreReadOnlyError: the folder cannot be read, or, with `alone`, nothing can be held alone here.
        """
        self._handle = -1
        locks = _locks()
        if locks is None:
            if alone:
                raise StoreReadOnlyError("this system has no lock on folders; move and restore the store on another")
            return
        try:
            self._handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
            kind = locks.LOCK_EX if alone else locks.LOCK_SH
            locks.flock(self._handle, kind | locks.LOCK_NB)
        except BlockingIOError:
            self.release()
            raise StoreBusyError(
                "another process has the store open; stop it first"
                if alone
                else "the store is being moved or restored by another process; wait until it is done"
            ) from None
        except OSError as problem:
            self.release()
            if alone:
                raise StoreReadOnlyError(
                    f"the store's folder cannot be held by one process alone ({problem.strerror})"
                ) from None

    def release(self) -> None:
        """Let go. Letting go twice is allowed."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def _locks() -> ModuleType | None:
    return import_module("fcntl") if os.name == "posix" else None
