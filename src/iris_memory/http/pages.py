"""Two plain pages: what this is, and the reference. No script, no form, nothing from any other place."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from html import escape
from typing import Any, Final

from iris_memory.http.problems import ALL

STYLE: Final = """
:root { color-scheme: light dark; --ink: #1d2124; --paper: #fdfdfc; --line: #c9cdd1; --muted: #565d63;
  --accent: #0b5cad; --tint: #f0f2f4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7e9ea; --paper: #16191b; --line: #41474c; --muted: #a5adb3;
  --accent: #7fb8f0; --tint: #202427; } }
body { margin: 0 auto; max-width: 54rem; padding: 24px 16px 64px; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.75rem; } h2 { font-size: 1.45rem; margin-top: 48px; } h3 { font-size: 1.2rem; margin-top: 32px; }
h4 { font-size: 1rem; margin-bottom: 4px; } p { max-width: 68ch; } a { color: var(--accent); }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; } .quiet { color: var(--muted); }
pre { background: var(--tint); border: 1px solid var(--line); overflow-x: auto; padding: 8px 16px; }
table { border-collapse: collapse; width: 100%; } .wide { overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: 8px 16px 8px 0; text-align: left; vertical-align: top; }
a:focus-visible, pre:focus-visible, .wide:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
"""
_STYLE_HASH: Final = base64.b64encode(sha256(STYLE.encode()).digest()).decode()


def page_headers() -> dict[str, str]:
    """Return the headers of a page: its own style, by its hash, and nothing else may be loaded."""
    policy = (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    )
    return {"Content-Security-Policy": policy}


def front_page() -> str:
    """Return the page that says what this is."""
    return _page(
        "Iris",
        "<h1>Iris</h1>"
        "<p>This is the memory of an AI assistant. Every write is consented, every recall is gated, explained and"
        " audited, and what is forgotten is gone.</p>"
        "<p>Programs talk to it under <code>/v1</code> with a bearer token. The token says whose memory it is.</p>"
        '<p><a href="/docs">Read the reference</a>, or take the <a href="/openapi.json">OpenAPI document</a>.</p>',
    )


def reference_page(told: Mapping[str, Any]) -> str:
    """Return the reference of an OpenAPI document."""
    operations = list(_operations(told))
    parts = [
        f"<h1>{escape(told['info']['title'])} {escape(told['info']['version'])}: reference</h1>",
        f"<p>{escape(told['info']['description'])}</p>",
        "<p>Send <code>Authorization: Bearer TOKEN</code> with everything under <code>/v1</code>. Errors are"
        ' <code>application/problem+json</code>; <a href="#problems">their codes</a> stand at the end. The same facts'
        ' for programs: <a href="/openapi.json">OpenAPI 3.1</a>.</p>',
        "<nav aria-label='Operations'><ul>",
        *(f'<li><a href="#{escape(name)}">{escape(told_of["summary"])}</a></li>' for name, _, _, told_of in operations),
        "</ul></nav>",
    ]
    tag = ""
    for name, method, path, operation in operations:
        if operation["tags"][0] != tag:
            tag = operation["tags"][0]
            parts.append(f"<h2>{escape(tag.capitalize())}</h2>")
        parts.extend(_operation(name, method, path, operation))
    parts.extend(_schemas(told["components"]["schemas"]))
    parts.extend(_problems())
    return _page("Iris reference", "".join(parts))


def _page(title: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>{body}</main></body></html>"
    )


def _operations(told: Mapping[str, Any]) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
    for path, methods in told["paths"].items():
        for method, operation in methods.items():
            yield operation["operationId"], method.upper(), path, operation


def _operation(name: str, method: str, path: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield f'<h3 id="{escape(name)}">{escape(operation["summary"])}</h3>'
    yield f"<p><code>{method} {escape(path)}</code></p>"
    yield f"<p>{escape(operation.get('description', ''))}</p>"
    if operation.get("parameters"):
        rows = [
            (f"<code>{escape(each['name'])}</code>", escape(each["in"]), _kind(each["schema"]), _about(each))
            for each in operation["parameters"]
        ]
        yield _table(f"Parameters of {operation['summary']}", ("Name", "In", "Kind", "About"), rows)
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        yield f"<h4>Body</h4><p>{_kind(content['schema'])} as <code>{escape(media)}</code></p>"
        for example in content.get("examples", {}).values():
            yield f"<p class='quiet'>{escape(example['summary'])}</p>{_shown(example['value'])}"
    yield "<h4>Answers</h4>"
    told = [
        (f"<code>{escape(status)}</code>", escape(answer["description"]), _answer_kind(answer))
        for status, answer in operation["responses"].items()
    ]
    yield _table(f"Answers of {operation['summary']}", ("Status", "About", "Kind"), told)
    for answer in operation["responses"].values():
        for content in answer.get("content", {}).values():
            if "example" in content:
                yield _shown(content["example"])


def _schemas(schemas: Mapping[str, Any]) -> Iterator[str]:
    yield "<h2>Shapes</h2>"
    for name, schema in sorted(schemas.items()):
        yield f'<h3 id="shape-{escape(name)}">{escape(name)}</h3><p>{escape(schema.get("description", ""))}</p>'
        if "enum" in schema:
            yield f"<p>One of {', '.join(f'<code>{escape(str(each))}</code>' for each in schema['enum'])}.</p>"
        needed = set(schema.get("required", ()))
        rows = [
            (f"<code>{escape(field)}</code>", _kind(about), "yes" if field in needed else "no")
            for field, about in schema.get("properties", {}).items()
        ]
        if rows:
            yield _table(f"Fields of {name}", ("Field", "Kind", "Required"), rows)


def _problems() -> Iterator[str]:
    yield '<h2 id="problems">Problems</h2>'
    rows = [
        (f'<code id="problem-{escape(code)}">{escape(code)}</code>', str(row.status), escape(row.title))
        for code, row in sorted(ALL.items(), key=lambda item: (item[1].status, item[0]))
    ]
    yield _table("Codes of problems", ("Code", "Status", "What it says"), rows)


def _table(caption: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    titles = "".join(f'<th scope="col">{title}</th>' for title in head)
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    label = escape(caption)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{label}"><table aria-label="{label}">'
        f"<thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return f'<pre tabindex="0"><code>{escape(text)}</code></pre>'


def _answer_kind(answer: Mapping[str, Any]) -> str:
    kinds = [_kind(content["schema"]) for content in answer.get("content", {}).values() if content.get("schema")]
    return ", ".join(kinds) or "text"


def _about(parameter: Mapping[str, Any]) -> str:
    needed = "required" if parameter.get("required") else "may be left out"
    return escape(f"{parameter['description']} ({needed})" if parameter.get("description") else needed)


def _kind(schema: Mapping[str, Any]) -> str:
    """Return what kind of value a schema takes, in words, as HTML."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f'<a href="#shape-{escape(name)}">{escape(name)}</a>'
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(_kind(each) for each in schema[several]))
    if "const" in schema:
        return f"<code>{escape(str(schema['const']))}</code>"
    if "enum" in schema:
        return "one of " + ", ".join(f"<code>{escape(str(each))}</code>" for each in schema["enum"])
    kind = str(schema.get("type", "any value"))
    if kind == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return f"names to {_kind(schema['additionalProperties'])}"
    return _bounded(kind, schema)


def _bounded(kind: str, schema: Mapping[str, Any]) -> str:
    low = schema.get("minLength", schema.get("minimum"))
    high = schema.get("maxLength", schema.get("maximum"))
    if low is None and high is None:
        return escape(kind)
    return escape(f"{kind}, {low if low is not None else ''} to {high if high is not None else ''}")
