"""The second engine: PostgreSQL 16 or later, with row-level security that holds when a query forgets its filter."""

from iris_memory.storage.postgres.preparing import prepare
from iris_memory.storage.postgres.store import PostgresStore

__all__ = ["PostgresStore", "prepare"]
