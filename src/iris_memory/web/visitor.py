"""Who visits: the session behind the cookie, and what it may open. Nothing in an address or form names a person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from urllib.parse import quote

from fastapi import Depends, Request

from iris_memory.access.issuers import Role
from iris_memory.access.sessions import COOKIE, Session, Sessions
from iris_memory.access.step_up import is_fresh
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory

OPERATORS = frozenset({Role.SUPPORT, Role.ADMIN, Role.LEGAL, Role.TRUST_AND_SAFETY, Role.AUDITOR})


class SignInNeededError(Exception):
    """Nobody is signed in; the pages send the browser to sign in and back."""

    def __init__(self, back: str, *, fresh: bool = False) -> None:
        """Take the path to come back to; with `fresh`, a sign-in of the last five minutes is needed."""
        super().__init__()
        self.location = f"/sign-in?back={quote(back, safe='')}" + ("&fresh=1" if fresh else "")


class NotForYouError(Exception):
    """The role does not open this page."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who is signed in."""

    iris: Iris
    session: Session
    path: str

    @property
    def now(self) -> datetime:
        """The instant of this visit."""
        return self.iris.instruments.clock.now()

    @property
    def is_operator(self) -> bool:
        """Whether one of their roles opens operators' pages."""
        return bool(self.session.roles & OPERATORS)

    @property
    def memory(self) -> PersonMemory:
        """Their own memory."""
        session = self.session
        return self.iris.for_user(tenant=session.tenant, user=session.user, consumer=session.consumer)

    def require_fresh(self, back: str = "") -> None:
        """Send the browser to sign in again unless that was within the last five minutes (AUT-10)."""
        if not is_fresh(self.session.holder(), now=self.now):
            raise SignInNeededError(back or self.path, fresh=True)

    def require(self, *roles: Role) -> None:
        """Turn away everybody without one of the roles."""
        if not self.session.roles & set(roles):
            raise NotForYouError


async def _visitor(request: Request) -> Visitor:
    sessions: Sessions = request.app.state.sessions
    cookie = request.cookies.get(COOKIE)
    session = sessions.read(cookie) if cookie else None
    path = request.url.path + (f"?{request.url.query}" if request.url.query and request.method == "GET" else "")
    if session is None:
        raise SignInNeededError(path if request.method == "GET" else "/")
    return Visitor(request.app.state.iris, session, path)


Visits = Annotated[Visitor, Depends(_visitor)]
