"""Rendering: templates, the headers every page carries, and the two files it loads."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from iris_memory.access.issuers import Role
from iris_memory.tables.categories import CATEGORIES as CATEGORY_ROWS
from iris_memory.web.visitor import Visitor
from iris_memory.web.wording import CATEGORIES, LIFECYCLES, ORIGINS, SCOPES, ago, counted

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)
"""What a page may load: its own script, style and pictures, and nothing written inside it."""

_STATIC: Final = {
    "iris.css": "text/css; charset=utf-8",
    "htmx.min.js": "text/javascript; charset=utf-8",
    "mark.svg": "image/svg+xml",
}
_YEAR: Final = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the pages, packed, under a name that changes with its bytes."""

    path: str
    kind: str
    packed: bytes


def _assets() -> dict[str, Asset]:
    found = {}
    for name, kind in _STATIC.items():
        body = files("iris_memory.web").joinpath("static", name).read_bytes()
        stem, _, ending = name.partition(".")
        path = f"/static/{stem}-{sha256(body).hexdigest()[:12]}.{ending}"
        found[name] = Asset(path, kind, gzip.compress(body, 9, mtime=0))
    return found


ASSETS: Final = _assets()
_BY_PATH: Final = {asset.path: asset for asset in ASSETS.values()}


def asset_response(path: str) -> Response | None:
    """Return a file by its path. It may be kept for good, since another one has another path."""
    asset = _BY_PATH.get(path)
    if asset is None:
        return None
    headers = {"Content-Encoding": "gzip", "Cache-Control": _YEAR, "Vary": "Accept-Encoding"}
    return Response(asset.packed, media_type=asset.kind, headers=headers)


def _time(then: datetime | None, now: datetime, *, never: str = "never") -> Markup:
    """Return an instant as words, with the exact instant beside them for who wants it."""
    if then is None:
        return Markup("{}").format(never)
    exact = then.strftime("%Y-%m-%d %H:%M:%S UTC")
    return Markup('<time datetime="{}" title="{}">{}</time>').format(then.isoformat(), exact, ago(then, now))


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("iris_memory.web"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        asset=lambda name: ASSETS[name].path,
        category_word=lambda category: CATEGORIES[category],
        is_sensitive=lambda category: CATEGORY_ROWS[category].sensitive,
        origin_word=lambda origin: ORIGINS[origin],
        scope_word=lambda scope: SCOPES[scope],
        lifecycle_word=lambda lifecycle: LIFECYCLES[lifecycle],
        counted=counted,
        time=_time,
        Role=Role,
    )
    return environment


_TEMPLATES: Final = _environment()


def render(
    request: Request, template: str, visitor: Visitor | None = None, *, status: int = 200, **facts: Any
) -> HTMLResponse:
    """Return a page.

    Args:
        request: whose answer it is.
        template: the name of the template.
        visitor: who is signed in; the frame shows their pages and whether remembering is paused.
        status: the status of the answer.
        facts: what the template shows.
    """
    body = _TEMPLATES.get_template(template).render(
        visitor=visitor,
        path=request.url.path,
        now=request.app.state.iris.instruments.clock.now(),
        pauses=tuple(visitor.memory.pauses()) if visitor is not None else (),
        for_development=request.app.state.for_development,
        is_part=request.headers.get("hx-request") == "true",
        **facts,
    )
    return HTMLResponse(body, status, headers={"Content-Security-Policy": POLICY, "Vary": "HX-Request"})
