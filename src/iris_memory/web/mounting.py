"""The application of the pages: its routes, who may call them from where, and what is shown where nothing is."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from iris_memory.access.origins import is_own
from iris_memory.access.sessions import Sessions
from iris_memory.access.sign_in import SignIn
from iris_memory.errors import ContractError, StorageError, UnknownMemoryError
from iris_memory.front.iris import Iris
from iris_memory.web.doors import DoorShutError, tell_door
from iris_memory.web.operating import OPERATOR_ROUTERS
from iris_memory.web.rendering import POLICY, asset_response, render
from iris_memory.web.routes import (
    consenting,
    devices,
    editing,
    exporting,
    forgetting,
    inbox,
    looked,
    memory,
    never,
    pausing,
    rights,
    signing_in,
)
from iris_memory.web.routes.signing_in import SEE_OTHER, DemoPerson
from iris_memory.web.visitor import NotForYouError, SignInNeededError

ROUTERS: Final = (
    signing_in.router,
    memory.router,
    editing.router,
    forgetting.router,
    inbox.router,
    consenting.router,
    rights.router,
    exporting.router,
    pausing.router,
    devices.router,
    looked.router,
    never.router,
)

_log = logging.getLogger(__name__)


def create_pages(
    iris: Iris,
    *,
    sessions: Sessions,
    address: str,
    sign_in: SignIn | None = None,
    people: Sequence[DemoPerson] = (),
) -> FastAPI:
    """Return the application of the pages over an open store, to be mounted at the root of the service.

    Args:
        iris: the store.
        sessions: makes and reads the cookies.
        address: where the service is reached, such as `https://memory.example`; providers send browsers back there.
        sign_in: the OpenID providers people sign in with.
        people: people that can sign in without proof; given in development alone.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    state = app.state
    state.iris, state.sessions, state.sign_in, state.people = iris, sessions, sign_in, tuple(people)
    state.address, state.for_development = address, bool(people)
    app.middleware("http")(_guarded)
    for router in (*ROUTERS, *OPERATOR_ROUTERS):
        app.include_router(router)
    app.add_exception_handler(SignInNeededError, _to_sign_in)
    app.add_exception_handler(NotForYouError, _not_here)
    app.add_exception_handler(DoorShutError, tell_door)
    app.add_exception_handler(UnknownMemoryError, _not_here)
    app.add_exception_handler(HTTPException, _not_here)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(ContractError, _wrong)
    app.add_exception_handler(StorageError, _broken)
    return app


async def _guarded(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
    found = asset_response(request.url.path) if request.method == "GET" else None
    if found is not None:
        return found
    if not is_own(request.method, request.headers):
        words = "This came from another site, or from a browser that does not say where it comes from."
        return render(
            request, "told.html", status=403, title="Not from here", words=words, back="/", back_word="To the pages"
        )
    response = await go_on(request)
    response.headers.setdefault("Content-Security-Policy", POLICY)
    return response


async def _to_sign_in(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, SignInNeededError)
    if request.headers.get("hx-request") == "true":
        return Response(status_code=204, headers={"HX-Redirect": problem.location})
    return RedirectResponse(problem.location, SEE_OTHER)


async def _not_here(request: Request, problem: Exception) -> Response:
    status = problem.status_code if isinstance(problem, HTTPException) else 404
    words = "There is nothing at this address, or it is not yours to see."
    return render(
        request, "told.html", status=status, title="Not found", words=words, back="/", back_word="To your memory"
    )


async def _not_understood(request: Request, problem: Exception) -> Response:
    del problem
    words = "What was sent is nothing these pages send. Nothing was changed."
    return render(
        request, "told.html", status=422, title="Not understood", words=words, back="/", back_word="To your memory"
    )


async def _wrong(request: Request, problem: Exception) -> Response:
    # the message of a contract error names fields and rules, never what was given
    return render(
        request,
        "told.html",
        status=422,
        title="That cannot be kept so",
        words=f"{str(problem).capitalize()}.",
        back="/",
        back_word="To your memory",
    )


async def _broken(request: Request, problem: Exception) -> Response:
    _log.error("a page failed with %s", type(problem).__name__)
    words = "The store cannot be read or written just now. What was acknowledged stays. Try again in a moment."
    return render(request, "told.html", status=503, title="Not now", words=words, back="/", back_word="To your memory")
