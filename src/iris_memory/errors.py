"""Every error Iris raises.

A refusal is never an error: it is a value with a reason code (see `contracts.decision`). What stands here is for broken
programs, broken storage and broken chains. A message says what to do, in lower case, and carries no personal text.
"""

from __future__ import annotations


class IrisError(Exception):
    """Root of all errors raised by Iris."""


class ContractError(IrisError):
    """A value breaks a contract. The surface answers 422; the caller mends the input.

    The message lists field paths and rules, never the values that were given.
    """


class TableError(IrisError):
    """A policy table is not total over its enum. Raised at import: nothing starts on half a policy."""


class CanonicalError(IrisError):
    """A value has no canonical JSON form (RFC 8785 without floats)."""


class ChainError(IrisError):
    """A chain operation was asked for something that would break the chain. A programmer's error."""


class CheckpointError(IrisError):
    """A signed checkpoint is malformed or not signed by a known key. Page an operator."""


class FormatError(IrisError):
    """A file is not in the format that was named. The message says which format to name instead, if known."""


class MaskingError(IrisError):
    """Masking could not be done. Callers in enforce mode deny."""


class GuardStoppedError(MaskingError):
    """A guard stopped a call of a host's run. The message says the reason and the kinds, and no value."""


class CorpusMissingError(MaskingError):
    """There is no corpus of the owner to guard with: their documents say nothing. Callers in enforce mode deny."""


class TableClosedError(MaskingError):
    """The guard table was refused, so what it would have done is not known. Mend `identity.yaml`."""


class IdentityConfigError(IrisError):
    """The owner-identity configuration does not validate. Nothing of it is used."""


class StorageError(IrisError):
    """The store cannot be read or written. Nothing that was acknowledged is lost."""


class StoreBusyError(StorageError):
    """Another process holds the store for too long. Retry."""


class StoreFullError(StorageError):
    """There is no room left on the disk. Free some space and retry; nothing was half-written."""


class StoreReadOnlyError(StorageError):
    """The store's folder or file cannot be written. Check its owner and mode."""


class StoreCorruptError(StorageError):
    """A page or row of the store fails its check. Stop, keep the files, restore a backup."""


class StoreVersionError(StorageError):
    """The store was written by a newer Iris. Upgrade Iris; the store was not touched."""


class StoreMissingError(StorageError):
    """There is no store at the place named. Create one with `iris init`."""


class StoreRolledBackError(StorageError):
    """The store is older than the audit head kept outside it: an old copy was put in its place. Page an operator."""


class KeyMissingError(IrisError):
    """The root key is not where it was said to be. Restore it; without it nothing can be read."""


class KeyWrongError(IrisError):
    """The key given does not open this vault. Nothing was decrypted and nothing was changed."""


class KeyDestroyedError(IrisError):
    """The key of this item was destroyed. The item is gone for good; this is what forgetting does."""


class IdempotencyConflictError(IrisError):
    """The idempotency key was used before with another body. The surface answers 409."""


class IdempotencyPendingError(IrisError):
    """A call under the idempotency key began, and what came of it is not known. The surface answers 409."""


class UnknownMemoryError(IrisError):
    """No such memory for this person. Foreign ids look exactly like missing ones. The surface answers 404."""


class InspectionTransitionError(IrisError):
    """An inspection does not move that way: there is no way back, and nothing leaves a terminal state."""


class SettingError(IrisError):
    """A setting has a value it cannot have. The message names the setting and what it accepts."""


class ServingError(IrisError):
    """The service was asked for something it must refuse, such as a development token beyond loopback."""


__all__ = [
    "CanonicalError",
    "ChainError",
    "CheckpointError",
    "ContractError",
    "CorpusMissingError",
    "FormatError",
    "IdempotencyConflictError",
    "IdentityConfigError",
    "InspectionTransitionError",
    "IrisError",
    "KeyDestroyedError",
    "KeyMissingError",
    "KeyWrongError",
    "MaskingError",
    "ServingError",
    "SettingError",
    "StorageError",
    "StoreBusyError",
    "StoreCorruptError",
    "StoreFullError",
    "StoreMissingError",
    "StoreReadOnlyError",
    "StoreRolledBackError",
    "StoreVersionError",
    "TableClosedError",
    "TableError",
    "UnknownMemoryError",
]
