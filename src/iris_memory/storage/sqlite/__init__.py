"""The default engine: SQLite through apsw."""

from iris_memory.storage.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
