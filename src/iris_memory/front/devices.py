"""A person's devices, and where each stopped."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from iris_memory.contracts.continuity import (
    Checkpoint,
    CheckpointKept,
    ContinuationToken,
    ContinuitySurface,
    Device,
    DeviceName,
    DeviceNotice,
)
from iris_memory.contracts.shape import refuse_invalid
from iris_memory.contracts.write import Refused
from iris_memory.errors import ContractError
from iris_memory.flows import devices, hand_off
from iris_memory.flows.hand_off import Removed
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.front.given import identifier, member
from iris_memory.tables.continuity import RECENT

_NAME: TypeAdapter[str] = TypeAdapter(DeviceName)


class Devices:
    """The devices a person continues on: seen, named by the person, removed."""

    def __init__(self, instruments: Instruments, caller: Caller) -> None:
        """Bind a caller; use `Iris.for_user(...).devices`."""
        self._instruments = instruments
        self._caller = caller

    def list(self) -> Sequence[Device]:
        """Return the devices, the one seen last first."""
        return devices.devices(self._instruments, self._caller)

    def name(self, device_id: str, name: str) -> Device | Refused:
        """Give a device a name, 1 to 60 code points; one that was never seen is entered.

        Raises:
            ContractError: the id or the name is none.
        """
        try:
            name = _NAME.validate_python(name, strict=True)
        except ValidationError as problem:
            refuse_invalid(problem, what="name")
        return devices.name_device(self._instruments, self._caller, identifier(device_id, what="device_id"), name)

    def remove(self, device_id: str) -> Removed | None:
        """Forget a device with its name, its notices and the places only it has; None where it is unknown."""
        return hand_off.remove_device(self._instruments, self._caller, identifier(device_id, what="device_id"))

    def notices(self, device_id: str) -> Sequence[DeviceNotice]:
        """Return what a device has not been told yet, oldest first."""
        return devices.notices(self._instruments, self._caller, device_id=identifier(device_id, what="device_id"))

    def seen(self, notice_id: str) -> bool:
        """Note that a notice was shown; say whether it was waiting."""
        return devices.seen(self._instruments, self._caller, identifier(notice_id, what="notice_id"))


class Continuation:
    """Where the person stopped. Places hold references and posture, never content."""

    def __init__(self, instruments: Instruments, caller: Caller) -> None:
        """Bind a caller; use `Iris.for_user(...).continuation`."""
        self._instruments = instruments
        self._caller = caller

    def checkpoint(self, wish: Checkpoint | Mapping[str, Any]) -> CheckpointKept | Refused:
        """Keep where a device stopped. The same key with the same body is answered as the first time.

        `wish` is a `Checkpoint`, or its JSON form as a mapping; the scope is the person's profile where it is left out.

        `stands` is False where another device wrote later: then `token` is its place and `notice` says so.

        Raises:
            IdempotencyConflictError: the key was used before with another body.
            ContractError: the mapping breaks the contract.
        """
        if not isinstance(wish, Checkpoint):
            profile = {"kind": "profile", "user_id": self._caller.user}
            try:
                wish = Checkpoint.model_validate_json(json.dumps({"scope": profile, **wish}))
            except ValidationError as problem:
                refuse_invalid(problem, what="checkpoint")
            except (TypeError, ValueError):
                raise ContractError("a checkpoint is a Checkpoint, or its JSON form as a mapping") from None
        return hand_off.checkpoint(self._instruments, self._caller, wish)

    def recent(self, *, device_id: str | None = None, limit: int = RECENT) -> Sequence[ContinuationToken]:
        """Return the places written last, newest first, at most 50. `device_id` notes that this device was seen."""
        seen = identifier(device_id, what="device_id") if device_id is not None else None
        return hand_off.recent(self._instruments, self._caller, device_id=seen, limit=limit)

    def resume(self, surface: ContinuitySurface | str, ref: str) -> ContinuationToken | None:
        """Return the exact place in one thing; None where there is none, or its consent ended."""
        known = member(ContinuitySurface, surface)
        return hand_off.resume(self._instruments, self._caller, surface=known, ref=identifier(ref, what="ref"))

    def drop(self, token_id: str) -> bool:
        """Forget one place; say whether it was there."""
        return hand_off.drop_token(self._instruments, self._caller, identifier(token_id, what="token_id"))
