"""Exit codes: one table, for scripts. Every error of Iris has one."""

from __future__ import annotations

from enum import IntEnum
from types import MappingProxyType
from typing import Final

from iris_memory import errors


class ExitCode(IntEnum):
    """What a command ends with."""

    OK = 0
    CHECK_FAILED = 1
    USAGE = 2
    REFUSED = 3
    NOT_FOUND = 4
    STORAGE = 5
    KEY = 6
    CONFLICT = 7
    BUSY = 8
    DECLINED = 9
    DEFECT = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141


MEANINGS: Final = MappingProxyType(
    {
        ExitCode.OK: "done; a write that waits for an answer counts as done",
        ExitCode.CHECK_FAILED: "a check failed: an audit chain, a receipt, a residue scan, a finding of the doctor,"
        " a suite, a measured limit, a reference page",
        ExitCode.USAGE: "the command cannot be understood, or a value, setting or file is not what it must be",
        ExitCode.REFUSED: "refused by policy; the answer says why and what would be needed",
        ExitCode.NOT_FOUND: "there is no such memory, question, person or tenant",
        ExitCode.STORAGE: "the store or a file cannot be read or written",
        ExitCode.KEY: "the root key is missing or wrong, or the key of the item was destroyed",
        ExitCode.CONFLICT: "the idempotency key was used before with other words",
        ExitCode.BUSY: "another process holds the store; try again",
        ExitCode.DECLINED: "the question was not answered with yes; nothing was changed",
        ExitCode.DEFECT: "a defect in Iris",
        ExitCode.INTERRUPTED: "interrupted by Ctrl-C; what was acknowledged stays",
        ExitCode.BROKEN_PIPE: "the reader of the output went away",
    }
)

OF_ERRORS: Final = MappingProxyType(
    {
        errors.IrisError: ExitCode.DEFECT,
        errors.ContractError: ExitCode.USAGE,
        errors.FormatError: ExitCode.USAGE,
        errors.SettingError: ExitCode.USAGE,
        errors.ServingError: ExitCode.USAGE,
        errors.IdentityConfigError: ExitCode.USAGE,
        errors.CheckpointError: ExitCode.CHECK_FAILED,
        errors.MaskingError: ExitCode.REFUSED,
        errors.UnknownMemoryError: ExitCode.NOT_FOUND,
        errors.StorageError: ExitCode.STORAGE,
        errors.StoreBusyError: ExitCode.BUSY,
        errors.KeyMissingError: ExitCode.KEY,
        errors.KeyWrongError: ExitCode.KEY,
        errors.KeyDestroyedError: ExitCode.KEY,
        errors.IdempotencyConflictError: ExitCode.CONFLICT,
        errors.IdempotencyPendingError: ExitCode.CONFLICT,
    }
)
"""The code of an error is that of its nearest class here."""


def code_of(problem: errors.IrisError) -> ExitCode:
    """Return the exit code of an error."""
    kinds: tuple[type, ...] = type(problem).__mro__
    return next(code for kind in kinds for of, code in OF_ERRORS.items() if kind is of)
