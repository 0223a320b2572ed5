"""Idempotency keys of calls that make something other than memory: see `flows.once`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Request
from pydantic import BaseModel

from iris_memory.flows.once import Call, once
from iris_memory.http.caller import Asking, Caller

T = TypeVar("T")
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=128,
        description="For seven days, the same key and body are answered with what was made first, as it stands now;"
        " another body is a conflict, and a first call whose end is not known is `idempotency-pending`.",
    ),
]


class Once:
    """The idempotency key of a request; without one, whatever is asked for is made each time."""

    def __init__(self, caller: Asking, operation: str, key: str | None) -> None:
        """Take the caller, the operation with its query, and the key."""
        self._caller, self._operation, self._key = caller, operation, key

    def make(
        self, wish: BaseModel, make: Callable[[], T], *, name: Callable[[T], str | None], again: Callable[[str], T]
    ) -> T:
        """Make what a body wishes, or return what was made of it before."""
        if self._key is None:
            return make()
        holder = self._caller.holder
        call = Call(holder.tenant, holder.user, self._operation, self._key, wish.model_dump_json())
        return once(self._caller.iris.instruments, call, make, name=name, again=again)


def _once(request: Request, caller: Caller, key: Key = None) -> Once:
    return Once(caller, f"{request.url.path}?{request.url.query}", key)


OnlyOnce = Annotated[Once, Depends(_once)]
