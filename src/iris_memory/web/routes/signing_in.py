"""Signing in and out: through an OpenID provider, or in development as one of a few people of this machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Form, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from iris_memory.access.issuers import Role
from iris_memory.access.sessions import COOKIE, Sessions, set_cookie
from iris_memory.access.sign_in import COOKIE as LEAVING
from iris_memory.access.sign_in import SignIn, SignInError, own_path
from iris_memory.access.sign_in import set_cookie as set_leaving
from iris_memory.access.tokens import Holder
from iris_memory.web.rendering import render

router = APIRouter()

SEE_OTHER: Final = 303
_PROBLEM: Final = "The provider did not confirm who you are. Try again; nothing was changed."


@dataclass(frozen=True, slots=True)
class DemoPerson:
    """Somebody who can sign in without proof, in development."""

    name: str
    tenant: str
    user: str
    roles: frozenset[Role]


@router.get("/sign-in")
def show_sign_in(request: Request, back: str = "/", fresh: bool = False) -> Response:
    """Show the ways to sign in."""
    return _page(request, back=own_path(back), fresh=fresh)


@router.post("/sign-in")
def sign_in_for_development(
    request: Request, person: Annotated[str, Form()], back: Annotated[str, Form()] = "/"
) -> Response:
    """Sign in as a person of this machine; there is nobody to choose beyond development."""
    state = request.app.state
    chosen = next((one for one in state.people if one.name == person), None)
    if chosen is None:
        return _page(request, back=own_path(back), problem="Choose one of the people shown.", status=422)
    holder = Holder(chosen.tenant, chosen.user, roles=chosen.roles)
    sessions: Sessions = state.sessions
    cookie = sessions.begin(holder, signed_in_at=state.iris.instruments.clock.now(), for_development=True)
    return RedirectResponse(own_path(back), SEE_OTHER, headers={"Set-Cookie": set_cookie(cookie)})


@router.get("/sign-in/go")
def leave_for_provider(request: Request, issuer: str, back: str = "/", fresh: bool = False) -> Response:
    """Send the browser to a provider."""
    signing_in: SignIn | None = request.app.state.sign_in
    try:
        if signing_in is None:
            raise SignInError("no-such-issuer")
        leaving = signing_in.leave(issuer, redirect=_own_address(request), back=back, fresh=fresh)
    except SignInError:
        return _page(request, back=own_path(back), fresh=fresh, problem=_PROBLEM, status=502)
    return RedirectResponse(leaving.location, SEE_OTHER, headers={"Set-Cookie": set_leaving(leaving.cookie)})


@router.get("/sign-in/back")
async def come_back(request: Request, state: str = "", code: str = "") -> Response:
    """Take the browser back from a provider."""
    signing_in: SignIn | None = request.app.state.sign_in
    try:
        if signing_in is None or not code:
            raise SignInError("not-signed-in")
        holder, at, back = await run_in_threadpool(
            signing_in.come_back,
            request.cookies.get(LEAVING, ""),
            state=state,
            code=code,
            redirect=_own_address(request),
        )
    except SignInError:
        return _page(request, back="/", problem=_PROBLEM, status=401)
    sessions: Sessions = request.app.state.sessions
    response = RedirectResponse(back, SEE_OTHER)
    response.headers.append("Set-Cookie", set_cookie(sessions.begin(holder, signed_in_at=at)))
    response.headers.append("Set-Cookie", set_leaving(""))
    return response


@router.post("/sign-out")
def sign_out(request: Request) -> Response:
    """Sign out; the cookie is dropped and not good any more."""
    sessions: Sessions = request.app.state.sessions
    session = sessions.read(request.cookies.get(COOKIE, ""))
    if session is not None:
        sessions.end(session)
    return RedirectResponse("/sign-in", SEE_OTHER, headers={"Set-Cookie": set_cookie("")})


def _own_address(request: Request) -> str:
    return f"{request.app.state.address}/sign-in/back"


def _page(request: Request, *, back: str, fresh: bool = False, problem: str = "", status: int = 200) -> Response:
    state = request.app.state
    issuers = state.sign_in.names if state.sign_in is not None else ()
    session = state.sessions.read(request.cookies.get(COOKIE, ""))
    who = (session.tenant, session.user) if session is not None else None
    same = next((one for one in state.people if (one.tenant, one.user) == who), None)
    return render(
        request,
        "sign_in.html",
        status=status,
        back=back,
        fresh=fresh,
        problem=problem,
        issuers=issuers,
        people=state.people,
        chosen=same or next(iter(state.people), None),
    )
