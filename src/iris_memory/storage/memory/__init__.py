"""The reference engine: plain dictionaries, nothing on disk."""

from iris_memory.storage.memory.store import MemoryStore, Shelf

__all__ = ["MemoryStore", "Shelf"]
