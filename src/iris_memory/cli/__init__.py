"""The command line: it prints, and never decides."""

from iris_memory.cli.application import main

__all__ = ["main"]
