"""Who asks: the person behind the token, bound for one request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer

from iris_memory.access.step_up import StepUpNeededError, is_fresh
from iris_memory.access.tokens import Holder
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.http.authority import AUDITOR, roles_of, row_of
from iris_memory.http.problems import NotPermittedError

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

    def require_fresh(self) -> None:
        """Refuse whoever did not sign in a moment ago.

        Raises:
            StepUpNeededError: they did not.
        """
        if not is_fresh(self.holder, now=self.iris.instruments.clock.now()):
            raise StepUpNeededError


async def _asking(request: Request) -> Asking:
    return Asking(request.app.state.iris, request.state.holder)


async def _fresh(request: Request) -> Asking:
    asking = await _asking(request)
    asking.require_fresh()
    return asking


async def _auditing(request: Request) -> Asking:
    asking = await _asking(request)
    if not roles_of(asking.holder) & AUDITOR:
        raise NotPermittedError
    return asking


Caller = Annotated[Asking, Depends(_asking)]
FreshCaller = Annotated[Asking, Depends(_fresh)]
"""A caller who signed in a moment ago: for acts that destroy or open much."""
Auditor = Annotated[Asking, Depends(_auditing)]


async def _closed(request: Request, token: Annotated[object, Security(BEARER)]) -> None:
    # the shield has let the holder's roles in where the address has a row; one without a row opens to nobody
    del token
    if row_of(request.url.path) is None:
        raise NotPermittedError


TOKEN = Security(_closed)
"""Tells OpenAPI of the token, and refuses an address that the table of authority does not know."""
