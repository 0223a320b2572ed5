"""The routes, a file for each part of the library's face."""

from iris_memory.http.routes import attention, audits, consents, forgetting, health, imports, memories, recalling

__all__ = ["attention", "audits", "consents", "forgetting", "health", "imports", "memories", "recalling"]
