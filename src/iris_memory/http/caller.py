"""Who asks: the person behind the token, bound for one request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer

from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.http.problems import NotPermittedError
from iris_memory.http.tokens import Holder

BEARER = HTTPBearer(scheme_name="token", description="The subject of every request is the token's.", auto_error=False)
"""Tells OpenAPI of the token. The shield has checked it before a route runs."""


@dataclass(frozen=True, slots=True)
class Asking:
    """The store and the holder of the token."""

    iris: Iris
    holder: Holder

    def memory(self, session: str | None = None) -> PersonMemory:
        """Return the holder's memory."""
        holder = self.holder
        return self.iris.for_user(
            tenant=holder.tenant,
            user=holder.user,
            consumer=holder.consumer,
            assistant_id=holder.assistant_id,
            session=session,
        )


async def _asking(request: Request) -> Asking:
    return Asking(request.app.state.iris, request.state.holder)


async def _auditing(request: Request) -> Asking:
    asking = await _asking(request)
    if not asking.holder.may_audit:
        raise NotPermittedError
    return asking


Caller = Annotated[Asking, Depends(_asking)]
Auditor = Annotated[Asking, Depends(_auditing)]
TOKEN = Security(BEARER)
