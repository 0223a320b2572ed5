"""The application: the routes behind the shield, and every error a problem."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.datastructures import URLPath
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match, NoMatchFound
from starlette.types import ASGIApp, Receive, Scope, Send

from iris_memory.access.service_tokens import PersonTokens
from iris_memory.access.step_up import StepUpNeededError
from iris_memory.access.tokens import EveryToken, Tokens
from iris_memory.errors import IrisError
from iris_memory.front.iris import Iris
from iris_memory.http.answering import RecallLine
from iris_memory.http.caller import TOKEN
from iris_memory.http.conduct import PLAIN, Conduct
from iris_memory.http.documenting import mend
from iris_memory.http.examples import ANSWERS
from iris_memory.http.metrics import Metrics
from iris_memory.http.observing import Observed
from iris_memory.http.problems import (
    NotPermittedError,
    Problem,
    RefusedError,
    problem_of_error,
    problem_of_status,
    problem_of_validation,
    respond,
)
from iris_memory.http.routes import (
    approvals,
    assistants,
    attention,
    audits,
    bridge,
    consents,
    continuity,
    events,
    exports,
    forgetting,
    governance,
    health,
    holdings,
    imports,
    inbox,
    inspection,
    memories,
    metrics,
    operator_notes,
    others,
    recalling,
    retaining,
    rights,
    scope_change,
    service_tokens,
)
from iris_memory.http.shield import BATCH_BODY_MOST, CLOSED, IMPORT_BODY_MOST, Shield, tell

DESCRIPTION: Final = (
    "Governed memory for AI assistants: every write is consented, every recall is gated, ranked, explained and"
    " audited, and what is forgotten is gone. The subject of every request is the token's; no request names a person."
)


def create_app(
    iris: Iris,
    *,
    tokens: Tokens,
    import_most: int = IMPORT_BODY_MOST,
    mounts: Mapping[str, ASGIApp] | None = None,
    running: AbstractAsyncContextManager[None] | None = None,
    conduct: Conduct = PLAIN,
) -> FastAPI:
    """Return the application over an open store, which stays the caller's to close.

    Args:
        iris: the store.
        tokens: knows which bearer tokens are good and whose they are.
        import_most: the largest upload, in bytes.
        mounts: other surfaces by the path they stand at; `/` gets what nothing else answers.
        running: the context they run in.
        conduct: rates, patience, and what is logged.
    """
    app = FastAPI(
        title="Iris",
        version=version("iris-memory"),
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=_name_of,
        lifespan=None if running is None else lambda app: running,
        telemetry={
            "tracing": False,
            "metrics": False,
            "logs": False,
            "operation_spans": False,
            "auto_configure": False,
        },
    )
    app.state.iris = iris
    app.state.persons = PersonTokens(iris)
    app.state.tokens = EveryToken(tokens, app.state.persons)
    app.state.metrics = Metrics()
    app.state.recalls = RecallLine(iris)
    app.add_middleware(
        Shield,
        tokens=app.state.tokens,
        persons=app.state.persons,
        body_most={"/v1/memories/batch": BATCH_BODY_MOST, "/v1/import": import_most},
        metrics=app.state.metrics,
        conduct=conduct,
    )
    app.add_middleware(
        Observed,
        metrics=app.state.metrics,
        requests=conduct.requests,
        log=conduct.log,
        tracer=conduct.tracer,
    )
    for closed in (memories, recalling, forgetting, attention, consents, imports, audits, governance):
        app.include_router(closed.router, dependencies=[TOKEN])
    app.include_router(operator_notes.router, dependencies=[TOKEN])
    for about_others in (others, scope_change, rights):
        app.include_router(about_others.router, dependencies=[TOKEN])
    app.include_router(retaining.router, dependencies=[TOKEN])
    app.include_router(holdings.router, dependencies=[TOKEN])
    app.include_router(exports.router, dependencies=[TOKEN])
    for bridged in (continuity, bridge, events, assistants):
        app.include_router(bridged.router, dependencies=[TOKEN])
    app.include_router(approvals.router, dependencies=[TOKEN])
    app.include_router(governance.plain, dependencies=[TOKEN])
    app.include_router(inbox.router, dependencies=[TOKEN])
    app.include_router(inspection.router, dependencies=[TOKEN])
    app.include_router(service_tokens.router, dependencies=[TOKEN])
    app.include_router(health.router)
    app.include_router(metrics.router)
    if "/" not in (mounts or {}):
        app.include_router(health.bare)
    for path, other in sorted((mounts or {}).items(), reverse=True):  # `/` last
        app.router.routes.append(Beside(path, other))
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _by_status)
    for expected in (IrisError, RefusedError, NotPermittedError, StepUpNeededError):
        app.add_exception_handler(expected, _expected)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


class Beside(BaseRoute):
    """Another surface at a path. It gets its requests as they came, and nothing that the API is closed over."""

    def __init__(self, path: str, other: ASGIApp) -> None:
        """Take the path, `/` for whatever no route answers, and the application."""
        self._path = path
        self._other = other

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Say whether a request is for this surface."""
        path = scope.get("path", "")
        is_for = not path.startswith(CLOSED) if self._path == "/" else path == self._path
        return (Match.FULL if scope["type"] == "http" and is_for else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        await self._other(scope, receive, send)

    def url_path_for(self, name: str, /, **path_params: Any) -> URLPath:
        """Refuse: nothing here has a name."""
        raise NoMatchFound(name, path_params)


def _name_of(route: APIRoute) -> str:
    return route.name


async def _invalid(request: Request, error: Exception) -> Response:
    del request
    assert isinstance(error, RequestValidationError)
    return respond(problem_of_validation(error.errors()))


async def _by_status(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    is_wrong_method = error.status_code == HTTPStatus.METHOD_NOT_ALLOWED
    headers = _allowed(request.app, request.url.path) if is_wrong_method else {}
    return respond(problem_of_status(error.status_code), headers=headers)


def _allowed(app: FastAPI, path: str) -> dict[str, str]:
    """Return the header of every method of an address (RFC 9110 §10.2.1): the framework names those of one route."""
    fitting = [(known.count("{"), known) for known in app.openapi()["paths"] if _fits(known, path)]
    methods = app.openapi()["paths"][min(fitting)[1]] if fitting else ()
    return {"Allow": ", ".join(sorted(method.upper() for method in methods))} if methods else {}


def _fits(template: str, path: str) -> bool:
    asked, known = path.split("/"), template.split("/")
    return len(asked) == len(known) and all(
        one == other or (other.startswith("{") and bool(one)) for one, other in zip(asked, known, strict=True)
    )


async def _expected(request: Request, error: Exception) -> Response:
    problem = problem_of_error(error)
    if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        tell(request.scope, error)
    return respond(problem)


def _openapi(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        told = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
        schemas = told.setdefault("components", {}).setdefault("schemas", {})
        schemas.update(problem.pop("$defs", {}))
        schemas["Problem"] = problem
        for path, method, status, example in ANSWERS:  # put in here, because FastAPI takes every null out of an example
            content = told["paths"][path][method]["responses"][status]["content"]["application/json"]
            content["example"] = example.model_dump(mode="json")
        mend(told)
        app.openapi_schema = told
    return app.openapi_schema
