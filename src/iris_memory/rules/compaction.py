"""Compaction: which memories may become one summary, and how the summary remembers each of them.

Sources share a scope, an adapter scope, a category, an actor and a suppression; the summary keeps all of these, so
nothing sensitive leaks into a harmless summary. Its label is the lowest of its sources' (POI-1), it fills no subject
slot, and its provenance names who made it, then every source by logical id and revision, with the places of the
summary that came from it where they are known, each followed by everything that source itself came from.

A reference reads `by:<summarizer>` or `of:<logical id>@<revision>`, the latter with `#<start>-<end>,…` where places are
known.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import (
    BODY_MOST,
    ConsentEntry,
    Lifecycle,
    MemoryEntry,
    MultiActor,
    Origin,
    ProvenanceKind,
    ProvenanceLink,
    Suppression,
)
from iris_memory.contracts.scope import AdapterScope, Scope
from iris_memory.contracts.shape import trusted
from iris_memory.rules.extracting import Digest, join
from iris_memory.rules.retention import expiry
from iris_memory.tables.labels import lowest

SOURCES_MOST: Final = 32
"""Sources of one summary; more become several summaries."""
LINKS_MOST: Final = 60
"""Provenance links of a summary of more than one source: less than what a correction by the person carries on."""

ROOM_LEAST: Final = 600
_PLACES_MOST: Final = 440
"""Code points of a reference that places may take; beyond, they are taken for unknown."""

DERIVING: Final = frozenset(
    {ProvenanceKind.SESSION_SUMMARY, ProvenanceKind.PROFILE_PROMOTION, ProvenanceKind.INFERENCE_BATCH}
)
"""Kinds of links whose reference may name another memory of the person."""

_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SOURCE: Final = re.compile(
    r"(?:of:)?(?P<id>.{1,128}?)(?:@(?P<revision>[1-9]\d{0,8}))?(?:#(?P<places>[0-9,-]+))?", re.S
)
_BY, _OF = "by:", "of:"


class Group(NamedTuple):
    """What the sources of one summary have in common."""

    scope: Scope
    adapter_scope: AdapterScope
    category: Category
    multi_actor: MultiActor | None
    suppression: Suppression | None


class SourceRef(NamedTuple):
    """A source as a link names it: the memory, its revision where known, and the places of what came from it."""

    logical_id: str
    revision: int | None
    places: tuple[tuple[int, int], ...] | None


def group_of(entry: MemoryEntry) -> Group:
    """Return what an entry shares with those it may be summarised with."""
    return Group(entry.scope, entry.adapter_scope, entry.category, entry.multi_actor, entry.suppression)


def gather(entries: Collection[MemoryEntry]) -> Iterator[list[MemoryEntry]]:
    """Yield the memories that become one summary together, oldest first: groups, in handfuls where they are large.

    Which handful a memory is in depends on the memories alone, not on the order they come in.
    """
    grouped: dict[str, list[MemoryEntry]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.created_at, entry.logical_id)):
        grouped.setdefault(_name(group_of(entry)), []).append(entry)
    for members in grouped.values():
        handful: list[MemoryEntry] = []
        links = 1
        for entry in members:
            needs = 1 + len(entry.provenance_chain)
            if handful and (len(handful) == SOURCES_MOST or links + needs > LINKS_MOST):
                yield handful
                handful, links = [], 1
            handful.append(entry)
            links += needs
        yield handful


def _name(group: Group) -> str:
    actor = group.multi_actor.model_dump_json() if group.multi_actor else ""
    held = group.suppression.model_dump_json() if group.suppression else ""
    return "\x1f".join((group.scope.text(), group.adapter_scope.value, group.category.value, actor, held))


def room(texts: Collection[str]) -> int:
    """Return how many code points a summary of texts may take: a third of theirs, but never next to nothing."""
    return min(BODY_MOST, max(ROOM_LEAST, sum(map(len, texts)) // 3))


def summary_of(
    sources: Sequence[MemoryEntry],
    digest: Digest,
    *,
    made_by: str,
    entry_id: str,
    consents: tuple[ConsentEntry, ...],
    now: datetime,
) -> MemoryEntry:
    """Return the summary of a handful of memories that share a group.

    Args:
        sources: what it was made from, oldest first.
        digest: its words.
        made_by: the summarizer's name and version.
        entry_id: the id of its first revision.
        consents: the consent it is stored under.
        now: when.
    """
    first, group = sources[0], group_of(sources[0])
    label = lowest(*(entry.label for entry in sources))
    created_at = min(entry.created_at for entry in sources)
    made = ProvenanceLink(
        kind=ProvenanceKind.SESSION_SUMMARY, ref=f"{_BY}{made_by}"[:512], captured_at=now, label=label
    )
    links: list[ProvenanceLink] = []
    for number, entry in enumerate(sources):
        links += [source_link(entry, _places_of(digest, number)), *entry.provenance_chain]
    asked = [entry.expires_at for entry in sources if entry.expires_at is not None and entry.expires_at > now]
    return trusted(
        MemoryEntry,
        id=entry_id,
        logical_id=entry_id,
        tenant_id=first.tenant_id,
        user_id=first.user_id,
        scope=group.scope,
        adapter_scope=group.adapter_scope,
        category=group.category,
        subject=None,
        body=digest.text,
        origin=Origin.SUMMARIZED_FROM_SESSION,
        lifecycle=Lifecycle.ACTIVE,
        revision=1,
        supersedes=None,
        superseded_by=None,
        provenance_chain=(made, *links),
        label=label,
        quarantine=None,
        consents=consents,
        suppression=group.suppression,
        multi_actor=group.multi_actor,
        reference_count=0,
        last_referenced_at=None,
        confidence=None,
        created_at=created_at,
        updated_at=max(now, created_at),
        expires_at=expiry(
            group.adapter_scope,
            Origin.SUMMARIZED_FROM_SESSION,
            created_at=created_at,
            asked=min(asked, default=None),
        ),
    )


def source_link(entry: MemoryEntry, places: Sequence[tuple[int, int]] | None) -> ProvenanceLink:
    """Return the link that names a memory as a source."""
    ref = f"{_OF}{entry.logical_id}@{entry.revision}"
    if places is not None:
        told = ",".join(f"{start}-{end}" for start, end in places) or "0-0"
        if len(told) <= _PLACES_MOST - len(entry.logical_id):
            ref = f"{ref}#{told}"
    return ProvenanceLink(kind=ProvenanceKind.SESSION_SUMMARY, ref=ref, captured_at=entry.created_at, label=entry.label)


def made_by(entry: MemoryEntry) -> str | None:
    """Return which summarizer made an entry; None for one that none made."""
    for link in entry.provenance_chain:
        if link.kind is ProvenanceKind.SESSION_SUMMARY and link.ref.startswith(_BY):
            return link.ref.removeprefix(_BY)
    return None


def read_ref(kind: ProvenanceKind, ref: str) -> SourceRef | None:
    """Return the memory that a link names; None where it names a turn, a file or the like."""
    if kind not in DERIVING or ref.startswith(_BY):
        return None
    found = _SOURCE.fullmatch(ref)
    if found is None:
        return None
    places = None
    if found["places"] is not None:
        pairs = [part.partition("-") for part in found["places"].split(",")]
        if all(first.isdecimal() and last.isdecimal() for first, _, last in pairs):
            places = tuple((int(first), int(last)) for first, _, last in pairs)
    revision = int(found["revision"]) if found["revision"] else None
    return SourceRef(_named(found["id"]), revision, places)


def _named(found: str) -> str:
    """Return the id of a memory as a reference gives it, with something before or after it or not.

    What a move or a copy left has its own form, with a slash (see `flows.change_scope` and `flows.copies`).
    """
    named = None if "/" in found else _ID.search(found)
    return named.group() if named is not None else found


def without(entry: MemoryEntry, gone: Collection[str]) -> tuple[str, tuple[ProvenanceLink, ...]] | None:
    """Return what is left of a memory's words and provenance once some of its sources are gone.

    None where the rest cannot be told apart from what came from them: then the whole memory has to go. The person's own
    later words stay whole.
    """
    blocks = _blocks(entry.provenance_chain)
    is_gone = [any(_names(link, gone) for link in block) for block in blocks]
    kept = [block for block, leaves in zip(blocks, is_gone, strict=True) if not leaves]
    if _is_own_words(entry):
        links = [link for block in blocks for link in block if not _names(link, gone)]
        return (entry.body, tuple(links)) if blocks[0] and not is_gone[0] else None
    if is_gone[0] or entry.origin is not Origin.SUMMARIZED_FROM_SESSION or entry.revision != 1:
        return None
    places = [_places(block[0]) for block in blocks[1:]]
    if any(found is None for found in places):
        return None
    leaving = [place for found, leaves in zip(places, is_gone[1:], strict=True) if leaves for place in found or ()]
    pieces: dict[tuple[int, int], list[int]] = {}
    for number, block in enumerate(kept[1:]):
        for place in _places(block[0]) or ():
            if place[0] < place[1] and not any(_meet(place, other) for other in leaving):
                pieces.setdefault(place, []).append(number)
    digest = join([(numbers, entry.body[start:end]) for (start, end), numbers in sorted(pieces.items())])
    if digest is None:
        return None
    chain = list(kept[0])
    for number, (head, *rest) in enumerate(kept[1:]):
        chain += [_moved(head, _places_of(digest, number)), *rest]
    return digest.text, tuple(chain)


def _blocks(chain: Sequence[ProvenanceLink]) -> list[list[ProvenanceLink]]:
    """Return the links before the first source, then each source with the links of its own."""
    blocks: list[list[ProvenanceLink]] = [[]]
    for link in chain:
        if link.kind is ProvenanceKind.SESSION_SUMMARY and link.ref.startswith(_OF):
            blocks.append([])
        blocks[-1].append(link)
    return blocks


def _names(link: ProvenanceLink, gone: Collection[str]) -> bool:
    source = read_ref(link.kind, link.ref)
    return source is not None and source.logical_id in gone


def _is_own_words(entry: MemoryEntry) -> bool:
    """Say whether the person put words of their own in the place of what was made."""
    first = entry.provenance_chain[0]
    return entry.revision > 1 and entry.origin is Origin.USER_STATED and read_ref(first.kind, first.ref) is None


def _places(link: ProvenanceLink) -> tuple[tuple[int, int], ...] | None:
    source = read_ref(link.kind, link.ref)
    return source.places if source is not None else None


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _moved(link: ProvenanceLink, places: Sequence[tuple[int, int]] | None) -> ProvenanceLink:
    told = ",".join(f"{start}-{end}" for start, end in places or ()) or "0-0"
    return link.model_copy(update={"ref": f"{link.ref.rpartition('#')[0]}#{told}"})


def _places_of(digest: Digest, source: int) -> list[tuple[int, int]] | None:
    if digest.parts is None:
        return None
    return [(part.start, part.end) for part in digest.parts if part.source == source]


__all__ = [
    "SOURCES_MOST",
    "Group",
    "SourceRef",
    "gather",
    "group_of",
    "made_by",
    "read_ref",
    "room",
    "source_link",
    "summary_of",
    "without",
]
