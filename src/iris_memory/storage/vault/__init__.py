"""The vault in a file."""

from iris_memory.storage.vault.vault import SqliteVault

__all__ = ["SqliteVault"]
