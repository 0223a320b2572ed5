"""The page of a bundle: what a person reads. One HTML file, nothing fetched, no script, and it prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Final

from iris_memory.contracts.bundle import Payload
from iris_memory.contracts.disclosure import ProcessingInformation
from iris_memory.contracts.entry import MemoryEntry
from iris_memory.contracts.shape import format_instant

_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #767676; padding: .3rem .5rem .3rem 0; text-align: left; vertical-align: top; }
article { border-bottom: 1px solid #767676; padding: .5rem 0; }
article p { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
small { display: block; }
@media print {
  body { font-size: 10pt; margin: 0; max-width: none; }
  article, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
}
"""
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_TITLES: Final = {
    Payload.MEMORIES: "Memories",
    Payload.NOTEBOOKS: "Notebooks",
    Payload.SESSION_MEMORY: "Memory of sessions and conversations",
    Payload.SCENE_MEMORY: "Memory of scenes",
    Payload.POSE_MEMORY: "Memory of poses (aggregates only)",
    Payload.USES: "Uses of memories",
    Payload.CONSENTS: "Consents",
    Payload.OPT_OUTS: "Opt-outs",
    Payload.RECORDS: "Small records",
    Payload.REQUESTS: "Data-rights requests",
    Payload.LEGAL_HOLDS: "Legal holds",
    Payload.TOMBSTONES: "What was forgotten",
}


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What the page says besides the memories."""

    user_id: str
    tenant_id: str
    as_of: datetime
    information: ProcessingInformation
    counts: dict[Payload, int]
    masked: int
    left_out: tuple[str, ...]


def page(facts: PageFacts, memories: Iterable[tuple[Payload, MemoryEntry]]) -> Iterator[str]:
    """Yield the page piece by piece. Every word that comes from memory is escaped."""
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>What is remembered of you</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        "<h1>What is remembered of you</h1>\n"
    )
    yield _line("For", facts.user_id) + _line("From", facts.tenant_id) + _line("As of", format_instant(facts.as_of))
    yield from _information(facts.information)
    yield "<h2>What this export holds</h2>\n<table>\n<tr><th>Payload</th><th>Items</th></tr>\n"
    for payload, count in facts.counts.items():
        yield f"<tr><td>{escape(_TITLES[payload])}</td><td>{count}</td></tr>\n"
    yield "</table>\n"
    if facts.masked:
        yield f"<p>Details of other people that you did not write yourself are masked: {facts.masked}.</p>\n"
    yield _list("Left out", facts.left_out)
    at: Payload | None = None
    for payload, entry in memories:
        if payload is not at:
            at = payload
            yield f"<h2>{escape(_TITLES[payload])}</h2>\n"
        yield _memory(entry)
    yield "</main>\n</body>\n</html>\n"


def _memory(entry: MemoryEntry) -> str:
    said = [
        entry.category.value,
        *([entry.subject] if entry.subject else []),
        entry.origin.value,
        entry.lifecycle.value,
    ]
    when = f"first written {format_instant(entry.created_at)}, revision {entry.revision}"
    return (
        f'<article><p dir="auto">{escape(entry.body)}</p>'
        f"<small>{escape(' · '.join(said))}</small><small>{escape(when)}</small></article>\n"
    )


def _information(told: ProcessingInformation) -> Iterator[str]:
    yield _list("Why it is kept", told.purposes)
    yield _list("Categories", [category.value for category in told.categories])
    yield _list("Who may use it", [consumer.value for consumer in told.recipients])
    yield _list("For how long", [f"{scope.value}: {text}" for scope, text in told.retention.items()])
    yield _list("Where it came from", [f"{name}: {count}" for name, count in told.sources.items()])
    yield _list("What you can do", told.rights)
    yield f"<h2>Decisions by machine</h2>\n<p>{escape(told.automated_decisions)}</p>\n"
    yield f"<h2>Transfers</h2>\n<p>{escape(told.transfers)}</p>\n"


def _list(title: str, items: Iterable[str]) -> str:
    rows = "".join(f"<li>{escape(item)}</li>\n" for item in items)
    return f"<h2>{escape(title)}</h2>\n<ul>\n{rows}</ul>\n" if rows else ""


def _line(name: str, value: str) -> str:
    return f"<p><strong>{escape(name)}</strong> {escape(value)}</p>\n"
