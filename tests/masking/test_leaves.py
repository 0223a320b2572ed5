"""Structured values: keys, values, numbers, nested JSON strings and what adjacent leaves join to (PII-7)."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from owner_sample import exchange, owner
from texts import disguises, texts

from iris_memory.contracts.masking import OWNER_PII_KINDS, Action, Guard, PiiKind
from iris_memory.errors import MaskingError
from iris_memory.masking.leaves import decide_value, leaves_of, masked_value
from iris_memory.masking.pseudonyms import Exchange
from iris_memory.masking.render import unmasked
from iris_memory.tables.guards import DEFAULT_TABLE


def decided(value, guard=Guard.EGRESS):
    return decide_value(value, corpus=owner(), table=DEFAULT_TABLE, guard=guard)


def mask(value, mine: Exchange | None = None):
    found = [item._replace(span=item.span._replace(action=Action.MASK)) for item in decided(value)]
    return masked_value(value, found, corpus=owner(), exchange=mine or exchange()).value


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ({"to": "ottoline.varga@gmail.com"}, {"to": "[owner:email#1]"}),
        ({"ottoline.varga@gmail.com": True}, {"[owner:email#1]": True}),
        ({"phone": 442079460958}, {"phone": "[owner:phone#1]"}),
        ([2079460958, 7], ["[owner:phone#1]", 7]),
        ({"a": [{"b": ["x", "Ottoline Varga-Quill"]}]}, {"a": [{"b": ["x", "[owner:name#1]"]}]}),
        ({"first": "Zoë", "last": "Müllersdorf"}, {"first": "[owner:name#1]", "last": ""}),
        (["Zoë", "Müllersdorf", "x"], ["[owner:name#1]", "", "x"]),
        (["o_varga", "@", "quillworks.example"], ["[owner:email#1]", "", ""]),
        (["o_varga@quillworks", ".example"], ["[owner:email#1]", ""]),
        (["+44", 20, 7946, "0958"], ["[owner:phone#1]", "", "", ""]),
        ({"street": "Thornfield Street", "no": "221B"}, {"street": "[owner:address#1]", "no": ""}),
        ({"Zoë": {"Müllersdorf": 1}}, {"[owner:name#1]": {"": 1}}),
        ({"Zoë": 1, "Müllersdorf": 2}, {"[owner:name#1]": 1, "": 2}),
        ({"Zoë": "Müllersdorf"}, {"[owner:name#1]": ""}),
        (["plum-Teapot", "-4471-green"], ["[owner:secret#1]", ""]),
        ("Ottoline Varga-Quill", "[owner:name#1]"),
        (442079460958, "[owner:phone#1]"),
        ({"nothing": [None, True, 1.5, "here", {}], "x": []}, {"nothing": [None, True, 1.5, "here", {}], "x": []}),
        (None, None),
    ],
)
def test_a_value_is_masked_in_keys_values_numbers_and_across_leaves(value, masked):
    assert mask(value) == masked


def test_a_nested_json_string_stays_json():
    inner = json.dumps(
        {
            "mail": "ottoline.varga@gmail.com",
            "who": 'the "Ottoline Varga-Quill"',
            "u": "b\u00fcro@m\u00fcllersdorf.example",
        }
    )
    value = {"arguments": inner, "deeper": json.dumps({"again": inner})}
    out = mask(value)
    assert json.loads(out["arguments"]) == {
        "mail": "[owner:email#1]",
        "who": 'the "[owner:name#1]"',
        "u": "[owner:email#2]",
    }
    assert json.loads(json.loads(out["deeper"])["again"]) == json.loads(out["arguments"])


def test_the_longest_of_overlapping_readings_wins():
    """`Ottoline` alone is found in its leaf; joined with the next leaf it is the whole name."""
    [item] = decided({"first": "Ottoline", "last": "Varga-Quill"})
    assert not item.span.first_name_alone
    assert [tuple(piece) for piece in item.pieces] == [(1, 0, 8), (3, 0, 11)]


def test_keys_that_come_to_read_the_same_are_kept_apart():
    out = mask({"ottoline.varga@gmail.com": 1, "ottolinevarga@gmail.com": 2, "x": 3})
    assert out == {"[owner:email#1]": 1, "[owner:email#1] (2)": 2, "x": 3}


def test_leaves_are_numbered_in_document_order():
    value = {"a": [1, {"b": "c"}], "d": None, "e": False, "f": 2.5}
    assert [(leaf.text, leaf.is_key) for leaf in leaves_of(value)] == [
        ("a", True), ("1", False), ("b", True), ("c", False), ("d", True), ("e", True), ("f", True), ("2.5", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [{1: "x"}, {"x": b"bytes"}, {"x": object()}, {"x": {1, 2}}, 10**5000],
    ids=["a key that is a number", "bytes", "an object", "a set", "a very long number"],
)
def test_what_cannot_be_read_is_an_error_and_not_a_pass(value):
    with pytest.raises(MaskingError):
        decided(value)


def test_a_value_that_is_nested_without_end_is_an_error():
    value: list = []
    for _ in range(5000):
        value = [value]
    with pytest.raises(MaskingError):
        decided(value)


def test_typed_look_alikes_in_leaves_are_escaped_and_come_back():
    mine = exchange()
    value = {"note": "[owner:email#1]", "to": "ottoline.varga@gmail.com"}
    out = mask(value, mine)
    assert out == {"note": "[owner~:email#1]", "to": "[owner:email#1]"}
    assert unmasked(out["note"], exchange=mine, grants=OWNER_PII_KINDS) == "[owner:email#1]"
    assert mask(out, mine) == out


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), texts, disguises),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(disguises, inner, max_size=3)),
    max_leaves=8,
)


@given(json_values)
def test_pieces_are_inside_their_leaves_and_apart(value):
    leaves = leaves_of(value)
    taken: dict[int, list[tuple[int, int]]] = {}
    for item in decided(value):
        assert item.pieces
        for piece in item.pieces:
            assert 0 <= piece.start < piece.end <= len(leaves[piece.leaf].text)
            taken.setdefault(piece.leaf, []).append((piece.start, piece.end))
    for pieces in taken.values():
        pieces.sort()
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(pieces))


@given(json_values)
def test_masking_keeps_the_shape_and_is_idempotent(value):
    mine = exchange()
    out = mask(value, mine)
    json.dumps(out)
    assert mask(out, mine) == out
    assert _shape(out) == _shape(value)


def _shape(value):
    if isinstance(value, dict):
        return [_shape(part) for part in value.values()]
    if isinstance(value, list):
        return [_shape(part) for part in value]
    return None


@given(st.lists(disguises, min_size=1, max_size=4))
def test_what_is_found_in_a_text_is_found_in_a_leaf(parts):
    value = {f"k{index}": part for index, part in enumerate(parts)}
    leaves = leaves_of(value)
    found = decided(value)
    for index, leaf in enumerate(leaves):
        for alone in decided(leaf.text):
            [span] = alone.pieces
            covered = {
                place
                for item in found
                for piece in item.pieces
                if piece.leaf == index
                for place in range(piece.start, piece.end)
            }
            assert covered >= set(range(span.start, span.end)) or alone.span.kind is PiiKind.NAME
