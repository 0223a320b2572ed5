"""A packed entry gives back the entry, and its head says what columns need."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import BODY_MOST, Lifecycle, MemoryEntry, MultiActor, Origin, SuppressionReason
from iris_memory.contracts.shape import to_micros
from iris_memory.errors import StoreVersionError
from iris_memory.recall.columns import HOLDS, MATTERS, STANDINGS, Packed, body_digest_of, build, replace_rows
from iris_memory.recall.lexical import tokens
from iris_memory.recall.packing import (
    FOREVER,
    HAS_CONFLICT_KEY,
    HEAD,
    PACK_VERSION,
    QUARANTINED,
    SENSITIVE_INTERACTION,
    body_digest,
    conflict_key,
    fold,
    json_start,
    pack,
    token_bytes,
    unpack,
)
from reference.recall import key as plain_key
from reference.worlds import ENTRY_BYTES, effort, entry_of, seeds

ENTRIES = seeds(ENTRY_BYTES).map(entry_of)


@effort(200)
@given(ENTRIES)
def test_pack_gives_the_entry_back(entry: MemoryEntry) -> None:
    packed = pack(entry)
    assert unpack(packed) == entry
    assert packed[json_start(packed) :] == entry.model_dump_json().encode()
    assert np.frombuffer(token_bytes(packed), dtype="<u8").tolist() == tokens(entry.body)


@effort(200)
@given(ENTRIES)
def test_head_says_what_the_entry_says(entry: MemoryEntry) -> None:
    head = np.frombuffer(pack(entry)[: HEAD.itemsize], dtype=HEAD)[0]
    flags, actor, hold = int(head["flags"]), entry.multi_actor, entry.suppression
    assert int(head["version"]) == PACK_VERSION
    assert list(Category)[head["category"]] is entry.category
    assert list(Origin)[head["origin"]] is entry.origin
    assert list(Lifecycle)[head["lifecycle"]] is entry.lifecycle
    assert bool(flags & QUARANTINED) == (entry.quarantine is not None)
    assert bool(flags & SENSITIVE_INTERACTION) == (actor is not None and actor.sensitive_interaction)
    assert bool(flags & HAS_CONFLICT_KEY) == (conflict_key(entry) is not None)
    assert [None, *SuppressionReason][head["hold"]] == (hold.reason if hold else None)
    assert head["updated"] == to_micros(entry.updated_at)
    assert head["expires"] == (to_micros(entry.expires_at) if entry.expires_at else FOREVER)
    assert head["hold_ends"] == (to_micros(hold.ends_at) if hold and hold.ends_at else FOREVER)
    assert body_digest_of(build([Packed("l", entry.id, pack(entry))]), 0) == body_digest(entry.body)


@effort(200)
@given(ENTRIES, ENTRIES)
def test_conflict_keys_are_equal_when_the_contract_says_so(first: MemoryEntry, second: MemoryEntry) -> None:
    assert (conflict_key(first) is None) == (plain_key(first) is None)
    assert (conflict_key(first) == conflict_key(second)) == (plain_key(first) == plain_key(second))


def test_conflict_key_cannot_be_forged_with_its_own_separator() -> None:
    entry = entry_of(b"", subject="seat")
    for handle, subject in (("a :: b", "seat"), ("a", "b :: seat"), ("a", "b \x1f seat"), ("a", "b\x1fseat")):
        forged = entry.model_copy(update={"multi_actor": MultiActor(actor_handle=handle), "subject": subject})
        honest = entry.model_copy(update={"multi_actor": MultiActor(actor_handle="a")})
        assert conflict_key(forged) not in (conflict_key(entry), conflict_key(honest))
    split = entry.model_copy(update={"multi_actor": MultiActor(actor_handle="a :: b")})
    joined = entry.model_copy(update={"multi_actor": MultiActor(actor_handle="a"), "subject": "b :: seat"})
    assert conflict_key(split) != conflict_key(joined)


def test_codes_of_every_fact_fit_their_byte() -> None:
    """Every category, lifecycle and suppression, flagged or not, finds its own trait by code."""
    assert max(len(MATTERS), len(HOLDS), len(STANDINGS)) <= 256
    entries = [
        entry_of(b"", place, category=category, lifecycle=lifecycle, multi_actor=actor)
        for place, (category, lifecycle, actor) in enumerate(
            (category, lifecycle, actor)
            for category in Category
            for lifecycle in Lifecycle
            for actor in (None, MultiActor(actor_handle="a", sensitive_interaction=True))
        )
    ]
    columns = build([Packed(entry.id, entry.id, pack(entry)) for entry in entries])
    for row in range(columns.size):
        entry = columns.entry(row)
        matter = MATTERS[columns.traits.matter[row]]
        assert matter == (entry.category, entry.multi_actor is not None)
        assert STANDINGS[columns.traits.standing[row]] == (False, entry.lifecycle, False)


@pytest.mark.parametrize("body", ["a", "…" * BODY_MOST, "ab " * 1_333, "\u0301" * BODY_MOST, "\ufdfa" * BODY_MOST])
def test_extreme_bodies_are_packed(body: str) -> None:
    entry = entry_of(b"", body=body)
    assert unpack(pack(entry)) == entry


@pytest.mark.parametrize("version", [0, 2, 255])
def test_unknown_version_is_refused(version: int) -> None:
    foreign = bytes([version]) + pack(entry_of(b""))[1:]
    known = Packed("k", "k", pack(entry_of(b"")))
    for attempt in (
        lambda: unpack(foreign),
        lambda: build([known, Packed("x", "x", foreign)]),
        lambda: replace_rows(build([known]), [Packed("x", "x", foreign)], []),
    ):
        with pytest.raises(StoreVersionError, match="newer Iris"):
            attempt()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_folded_text_is_trimmed_and_single_spaced(text: str) -> None:
    folded = fold(text)
    assert folded == folded.strip()
    assert "  " not in folded
    assert fold(f"  {text}\n") == fold(text)
