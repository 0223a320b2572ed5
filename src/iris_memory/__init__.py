"""Iris: governed memory for AI assistants."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from iris_memory.contracts.category import Category, Consumer, Context, Surface
    from iris_memory.contracts.entry import Label, MemoryEntry, Origin
    from iris_memory.contracts.recall import RecallRequest, RecallResult
    from iris_memory.contracts.scope import (
        AdapterScope,
        CrisisScope,
        NotebookScope,
        OperatorCopilotScope,
        PoseScope,
        ProfileScope,
        SceneScope,
        SessionScope,
        TenantScope,
        parse_scope,
    )
    from iris_memory.contracts.write import AskUser, Refused, Statement, Written
    from iris_memory.errors import IrisError
    from iris_memory.front.iris import Iris
    from iris_memory.front.person import PersonMemory
    from iris_memory.recall.options import Dedupe, RecallOptions
    from iris_memory.recall.pipeline import RecallPipeline
else:
    from iris_memory.front.names import __getattr__ as __getattr__

__all__ = [
    "AdapterScope",
    "AskUser",
    "Category",
    "Consumer",
    "Context",
    "CrisisScope",
    "Dedupe",
    "Iris",
    "IrisError",
    "Label",
    "MemoryEntry",
    "NotebookScope",
    "OperatorCopilotScope",
    "Origin",
    "PersonMemory",
    "PoseScope",
    "ProfileScope",
    "RecallOptions",
    "RecallPipeline",
    "RecallRequest",
    "RecallResult",
    "Refused",
    "SceneScope",
    "SessionScope",
    "Statement",
    "Surface",
    "TenantScope",
    "Written",
    "parse_scope",
]
