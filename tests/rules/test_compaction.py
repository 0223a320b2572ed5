"""Which memories become one summary, what it keeps of each, and what is left when one of them goes (POI-1)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Label, MemoryEntry, MultiActor, Origin, ProvenanceKind, ProvenanceLink
from iris_memory.contracts.scope import SessionScope
from iris_memory.rules.compaction import (
    LINKS_MOST,
    SOURCES_MOST,
    gather,
    group_of,
    made_by,
    read_ref,
    summary_of,
    without,
)
from iris_memory.rules.extracting import Digest, extract
from iris_memory.tables.labels import LABELS

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
WORDS = ["Likes tea.", "Flies on 3 May.", "Met Dr. Vale.", "Paid 12 euro.", "Sleeps late.", "Reads at night."]


def source(number: int, body: str = "", **more: Any) -> MemoryEntry:
    """Return one memory of a session."""
    label = more.pop("label", Label.USER_TYPED)
    turns = more.pop("turns", 1)
    return MemoryEntry(
        id=f"e{number}",
        logical_id=f"m{number}",
        tenant_id="t",
        user_id="u",
        scope=more.pop("scope", SessionScope(user_id="u", session_id="s")),
        category=more.pop("category", Category.FACT),
        body=body or f"{WORDS[number % len(WORDS)]} Number {number} is here.",
        origin=Origin.USER_STATED,
        provenance_chain=tuple(
            ProvenanceLink(kind=ProvenanceKind.SESSION_TURN, ref=f"turn-{number}-{n}", captured_at=AT, label=label)
            for n in range(turns)
        ),
        label=label,
        created_at=AT + timedelta(minutes=number),
        updated_at=AT + timedelta(minutes=number),
        expires_at=AT + DAY,
        **more,
    )


def summarised(sources: list[MemoryEntry], digest: Digest | None = None) -> MemoryEntry:
    """Return the summary of memories."""
    made = digest or extract([one.body for one in sources], most=4000)
    assert made is not None
    return summary_of(sources, made, made_by="iris-extractive-1", entry_id="s1", consents=(), now=AT + DAY)


@given(st.lists(st.sampled_from(Label), min_size=1, max_size=SOURCES_MOST))
def test_a_summary_has_the_lowest_label_of_its_sources(labels: list[Label]) -> None:
    made = summarised([source(number, label=label) for number, label in enumerate(labels)])
    assert LABELS[made.label].trust == min(LABELS[label].trust for label in labels)
    assert made.origin is Origin.SUMMARIZED_FROM_SESSION
    assert made.subject is None
    assert MemoryEntry.model_validate_json(made.model_dump_json()) == made


KINDS = st.fixed_dictionaries(
    {
        "category": st.sampled_from([Category.FACT, Category.MEDICAL, Category.WORK]),
        "scope": st.sampled_from([SessionScope(user_id="u", session_id=name) for name in "ab"]),
        "multi_actor": st.sampled_from(
            [None, *(MultiActor(actor_handle="x", sensitive_interaction=flag) for flag in (True, False))]
        ),
        "turns": st.integers(1, 64),
    }
)


@given(st.lists(KINDS, max_size=80), st.randoms(use_true_random=False))
def test_a_handful_shares_its_group_and_is_bounded(kinds: list[dict[str, Any]], chance: Any) -> None:
    entries = [source(number, **kind) for number, kind in enumerate(kinds)]
    shuffled = list(entries)
    chance.shuffle(shuffled)
    handfuls = list(gather(shuffled))
    assert handfuls == list(gather(entries)), "the order they come in changes nothing"
    assert sorted(one.id for handful in handfuls for one in handful) == sorted(one.id for one in entries)
    for handful in handfuls:
        assert len({group_of(one) for one in handful}) == 1
        assert len(handful) <= SOURCES_MOST
        links = 1 + sum(1 + len(one.provenance_chain) for one in handful)
        assert links <= LINKS_MOST or len(handful) == 1
        made = summarised(handful)
        assert group_of(made) == group_of(handful[0])
        assert made.created_at == min(one.created_at for one in handful)
        assert made.expires_at == made.created_at + 30 * DAY


@given(st.integers(1, 12), st.data())
def test_provenance_leads_back_to_every_source_and_every_turn(count: int, data: st.DataObject) -> None:
    sources = [source(number) for number in range(count)]
    made = summarised(sources)
    named = [read_ref(link.kind, link.ref) for link in made.provenance_chain]
    assert [(one.logical_id, one.revision) for one in named if one] == [(one.logical_id, 1) for one in sources]
    assert made_by(made) == "iris-extractive-1"
    turns = {link.ref for link in made.provenance_chain if link.kind is ProvenanceKind.SESSION_TURN}
    assert turns == {link.ref for one in sources for link in one.provenance_chain}


@given(st.integers(2, 12), st.data())
def test_what_is_left_without_some_sources_is_what_the_others_gave(count: int, data: st.DataObject) -> None:
    sources = [source(number) for number in range(count)]
    gone = data.draw(st.sets(st.sampled_from([one.logical_id for one in sources]), min_size=1))
    made = summarised(sources)
    left = without(made, gone)
    rest = [one for one in sources if one.logical_id not in gone]
    shared = {piece for one in sources if one.logical_id in gone for piece in WORDS if piece in one.body}
    if left is None:
        assert not rest
        return
    body, chain = left
    for one in sources:
        told = f"Number {int(one.logical_id[1:])} is here."
        assert (told in body) == (one in rest)
    assert not any(piece in body for piece in shared), "what a source that went said too is gone"
    again = made.model_copy(update={"body": body, "provenance_chain": chain})
    named = [read_ref(link.kind, link.ref) for link in chain]
    assert {one.logical_id for one in named if one} == {one.logical_id for one in rest}
    for one in named:
        if one is not None:
            assert one.places is not None
            assert all(body[start:end] for start, end in one.places)
    turns = {link.ref for link in chain if link.kind is ProvenanceKind.SESSION_TURN}
    assert turns == {link.ref for one in rest for link in one.provenance_chain}
    # once more, from what is left: step by step is the same as at once
    more = without(again, {rest[0].logical_id})
    assert more == without(made, {*gone, rest[0].logical_id})


def test_a_summary_that_cannot_be_taken_apart_goes_whole() -> None:
    made = summarised([source(0), source(1)], Digest("About tea and a flight.", None))
    assert without(made, {"m0"}) is None


def test_the_persons_own_later_words_stay() -> None:
    made = summarised([source(0), source(1)])
    typed = ProvenanceLink(kind=ProvenanceKind.SESSION_TURN, ref="direct", captured_at=AT, label=Label.USER_TYPED)
    own = made.model_copy(
        update={
            "body": "I drink tea at four.",
            "origin": Origin.USER_STATED,
            "revision": 2,
            "supersedes": made.id,
            "provenance_chain": (typed, *made.provenance_chain),
        }
    )
    left = without(own, {"m0"})
    assert left is not None
    body, chain = left
    assert body == own.body
    assert "m0" not in {one.logical_id for link in chain if (one := read_ref(link.kind, link.ref))}


def test_a_copy_of_a_memory_goes_with_it() -> None:
    """A promotion holds the words of its source: nothing of it can be kept."""
    link = ProvenanceLink(kind=ProvenanceKind.PROFILE_PROMOTION, ref="m0", captured_at=AT, label=Label.USER_TYPED)
    copy = source(5).model_copy(update={"provenance_chain": (link,)})
    assert without(copy, {"m0"}) is None
    made = summarised([copy, source(6)])
    left = without(made, {"m0"})
    assert left is not None
    assert "Number 5" not in left[0]
    assert "Number 6" in left[0]


@pytest.mark.parametrize(
    ("kind", "ref", "found"),
    [
        (ProvenanceKind.SESSION_SUMMARY, "of:a@b@3#0-4,9-12", ("a@b", 3, ((0, 4), (9, 12)))),
        (ProvenanceKind.SESSION_SUMMARY, "of:m@1", ("m", 1, None)),
        (ProvenanceKind.PROFILE_PROMOTION, "m", ("m", None, None)),
        (ProvenanceKind.INFERENCE_BATCH, "m@2", ("m", 2, None)),
        (ProvenanceKind.SESSION_SUMMARY, "by:iris-extractive-1", None),
        (ProvenanceKind.SESSION_TURN, "of:m@1", None),
        (ProvenanceKind.SESSION_SUMMARY, "m#3-", ("m", None, None)),
    ],
)
def test_references_are_read_as_they_are_written(kind: ProvenanceKind, ref: str, found: Any) -> None:
    source_ref = read_ref(kind, ref)
    assert (None if source_ref is None else tuple(source_ref)) == found
