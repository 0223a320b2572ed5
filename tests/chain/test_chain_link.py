"""Lines of a log: what they hold, how they are bound to each other, and that time does not run backwards (LOG-2)."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.chain.canonical import MAX_INTEGER, JsonValue, canonical
from iris_memory.chain.link import RESERVED, Head, genesis, head_from_bytes, head_to_bytes, link
from iris_memory.chain.merkle import EMPTY_ROOT, root
from iris_memory.errors import CanonicalError, ChainError

SCALARS = st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | st.text(st.characters(codec="utf-8"))
BODIES = st.dictionaries(
    st.text(st.characters(codec="utf-8")).filter(lambda key: key not in RESERVED), SCALARS | st.lists(SCALARS)
)
TIMES = st.integers(0, 10**6)


def test_the_first_line() -> None:
    line, head = link(genesis("acme"), {"action": "memory.written", "count": 2}, at=1_700_000_000_000_000)
    assert line == (
        b'{"action":"memory.written","at":1700000000000000,"count":2,"previous":"' + b"0" * 64 + b'",'
        b'"record_version":1,"sequence":1,"tenant_id":"acme"}'
    )
    leaf = sha256(b"\x00" + line).digest()
    assert head == Head("acme", 1, leaf, genesis("acme").frontier.append(leaf), 1_700_000_000_000_000)
    assert head.frontier.root() == leaf


@given(st.lists(st.tuples(BODIES, TIMES), min_size=1, max_size=20))
def test_lines_are_gapless_linked_and_in_time(events: list[tuple[dict[str, JsonValue], int]]) -> None:
    head, leaves, latest = genesis("acme"), [], 0
    for sequence, (body, at) in enumerate(events, 1):
        line, after = link(head, body, at=at)
        fields: dict[str, Any] = json.loads(line)
        latest = max(latest, at)
        assert canonical(fields) == line
        assert {key: fields.pop(key) for key in sorted(RESERVED)} == {
            "at": latest,
            "previous": head.previous.hex(),
            "record_version": 1,
            "sequence": sequence,
            "tenant_id": "acme",
        }
        assert canonical(fields) == canonical(body)
        leaves.append(sha256(b"\x00" + line).digest())
        head = head_from_bytes(head_to_bytes(after))
        assert head == after
    assert head.size == head.frontier.size == len(events)
    assert head.previous == leaves[-1]
    assert head.frontier.root() == root(leaves)


@pytest.mark.parametrize("field", sorted(RESERVED))
def test_a_body_may_not_name_a_reserved_field(field: str) -> None:
    with pytest.raises(ChainError):
        link(genesis("acme"), {"action": "a", field: 1}, at=0)


@pytest.mark.parametrize("at", [-1, MAX_INTEGER + 1, 1.0, True, "0", None])
def test_a_time_is_whole_microseconds(at: Any) -> None:
    with pytest.raises(ChainError):
        link(genesis("acme"), {}, at=at)


def test_a_body_without_canonical_form_is_refused() -> None:
    with pytest.raises(CanonicalError):
        link(genesis("acme"), {"score": 0.5}, at=0)  # type: ignore[dict-item]


def test_a_log_has_a_tenant() -> None:
    assert genesis("acme").frontier.root() == EMPTY_ROOT
    with pytest.raises(ChainError):
        genesis("")


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data + b"\0",
        lambda data: b"\x02" + data[1:],
        lambda data: data.replace(b"acme", b"ac\xff\xfe"),
        lambda data: data[:40],
    ],
)
def test_a_damaged_head_is_refused(change: Any) -> None:
    _, head = link(genesis("acme"), {}, at=7)
    with pytest.raises(ChainError):
        head_from_bytes(change(head_to_bytes(head)))


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=128))
def test_a_head_keeps_any_tenant_id(tenant_id: str) -> None:
    head = replace(genesis(tenant_id), last_at=MAX_INTEGER)
    assert head_from_bytes(head_to_bytes(head)) == head
