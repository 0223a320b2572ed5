"""Where each public name lives: it is loaded when it is first asked for, so that `iris --help` loads none (PEP 562)."""

from __future__ import annotations

import sys
from importlib import import_module
from types import MappingProxyType
from typing import Final

HOMES: Final = MappingProxyType(
    {
        "AdapterScope": "iris_memory.contracts.scope",
        "AskUser": "iris_memory.contracts.write",
        "Category": "iris_memory.contracts.category",
        "Consumer": "iris_memory.contracts.category",
        "Context": "iris_memory.contracts.category",
        "CrisisScope": "iris_memory.contracts.scope",
        "Dedupe": "iris_memory.recall.options",
        "Iris": "iris_memory.front.iris",
        "IrisError": "iris_memory.errors",
        "Label": "iris_memory.contracts.entry",
        "MemoryEntry": "iris_memory.contracts.entry",
        "NotebookScope": "iris_memory.contracts.scope",
        "OperatorCopilotScope": "iris_memory.contracts.scope",
        "Origin": "iris_memory.contracts.entry",
        "PersonMemory": "iris_memory.front.person",
        "PoseScope": "iris_memory.contracts.scope",
        "ProfileScope": "iris_memory.contracts.scope",
        "RecallOptions": "iris_memory.recall.options",
        "RecallPipeline": "iris_memory.recall.pipeline",
        "RecallRequest": "iris_memory.contracts.recall",
        "RecallResult": "iris_memory.contracts.recall",
        "Refused": "iris_memory.contracts.write",
        "SceneScope": "iris_memory.contracts.scope",
        "SessionScope": "iris_memory.contracts.scope",
        "Statement": "iris_memory.contracts.write",
        "Surface": "iris_memory.contracts.category",
        "TenantScope": "iris_memory.contracts.scope",
        "Written": "iris_memory.contracts.write",
        "parse_scope": "iris_memory.contracts.scope",
    }
)


def __getattr__(name: str) -> object:
    """Load a public name of the package."""
    if name not in HOMES:
        raise AttributeError(f"iris_memory has no name `{name}`")
    value = getattr(import_module(HOMES[name]), name)
    setattr(sys.modules["iris_memory"], name, value)
    return value
