"""Threads and files around an engine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread


def together(actions: list[Callable[[], object]]) -> None:
    """Run actions in threads of their own, all at once; raise what one of them raised."""
    errors: list[BaseException] = []

    def run(action: Callable[[], object]) -> None:
        try:
            action()
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=run, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def bytes_of(path: Path) -> bytes:
    """Return what a file holds; one that is not there holds nothing.

    Only once the engine is closed: to open a file that SQLite of this process uses would drop its locks.
    """
    with suppress(FileNotFoundError):
        return path.read_bytes()
    return b""
