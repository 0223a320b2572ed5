"""Rendering: templates, the headers every page carries, and the two files it loads."""

from __future__ import annotations

import gzip
import re
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
from iris_memory.web.consent_words import OPT_OUTS
from iris_memory.web.visitor import Visitor
from iris_memory.web.wording import (
    ACTIONS,
    CATEGORIES,
    CONSUMERS,
    DONE,
    LABELS,
    LIFECYCLES,
    ORIGINS,
    PROVENANCE,
    QUARANTINES,
    RATIONALES,
    SCOPES,
    SUPPRESSIONS,
    SURFACES,
    TOMBSTONES,
    ago,
    counted,
    left,
    listed,
    reached,
)

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


_INSTANT: Final = re.compile(r"\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z")


def _instants(text: str) -> str:
    """Write the instants of a sentence as people do: `2026-04-02 17:00 UTC`."""
    return _INSTANT.sub(r"\1 \2 UTC", text)


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
        provenance_word=lambda kind: PROVENANCE[kind],
        label_word=lambda label: LABELS[label],
        surface_word=lambda surface: SURFACES[surface],
        consumer_word=lambda consumer: CONSUMERS[consumer],
        suppression_word=lambda reason: SUPPRESSIONS[reason],
        quarantine_word=lambda reason: QUARANTINES[reason],
        tombstone_word=lambda reason: TOMBSTONES[reason],
        action_word=lambda action: ACTIONS.get(action, action.value),
        reached=reached,
        counted=counted,
        left=left,
        listed=listed,
        time=_time,
        Role=Role,
    )
    environment.filters["instants"] = _instants
    environment.filters["category"] = CATEGORIES.__getitem__
    environment.filters["consumer"] = CONSUMERS.__getitem__
    environment.filters["opted"] = OPT_OUTS.__getitem__
    environment.filters["rationale"] = lambda code: RATIONALES.get(code, code)
    return environment


_TEMPLATES: Final = _environment()

THEME_COOKIE: Final = "iris-theme"
THEMES: Final = ("light", "dark")


def theme_of(request: Request) -> str:
    """Return the look that was chosen in this browser: `light`, `dark`, or nothing where it follows the system."""
    chosen = request.cookies.get(THEME_COOKIE, "")
    return chosen if chosen in THEMES else ""


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
        said=DONE.get(request.query_params.get("done", ""), ""),
        theme=theme_of(request),
        **facts,
    )
    return HTMLResponse(body, status, headers={"Content-Security-Policy": POLICY, "Vary": "HX-Request"})
