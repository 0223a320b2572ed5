"""LOG-2: a body has one byte form. RFC 8785 vectors, a second implementation, and everything that is refused."""

from __future__ import annotations

import json
from enum import IntEnum, StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

import iris_memory.chain.canonical as canonical_json
from iris_memory.chain.canonical import MAX_INTEGER, canonical, is_canonical
from iris_memory.errors import CanonicalError

VECTORS = Path(__file__).parents[2].parent / "shared" / "data" / "jcs"
VECTOR_NAMES = ["arrays", "french", "structures", "unicode", "values", "weird"]

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
# Keys on both sides of the surrogates, where code points and UTF-16 code units are ordered differently.
KEYS = TEXTS | st.text("a\u007f\u00e9\ud7ff\ue000\uffff\U00010000\U0010ffff", max_size=3)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | TEXTS,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(KEYS, inner),
    max_leaves=20,
)


@given(VALUES)
def test_agrees_with_a_second_implementation(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@given(VALUES)
def test_what_is_read_back_has_the_same_form(value: Any) -> None:
    stored = canonical(value)
    assert canonical(json.loads(stored)) == stored


def test_keys_are_in_the_order_of_their_utf_16_code_units() -> None:
    # U+1F602 is D83D DE02 in UTF-16 and so comes before U+FB33, though its code point is greater (RFC 8785 3.2.3).
    assert canonical({"\ufb33": 1, "\U0001f602": 2, "a": 3}) == '{"a":3,"\U0001f602":2,"\ufb33":1}'.encode()
    assert canonical([{"x": {"\ufb33": 1, "\U0001f602": 2}}]) == '[{"x":{"\U0001f602":2,"\ufb33":1}}]'.encode()


@pytest.mark.parametrize("name", VECTOR_NAMES)
def test_published_vectors(name: str) -> None:
    if not VECTORS.is_dir():
        pytest.skip("the public JCS vectors are not beside the checkout")
    value = json.loads((VECTORS / "input" / f"{name}.json").read_bytes())
    if _holds_float(value):
        with pytest.raises(CanonicalError):
            canonical(value)
        return
    wanted = bytes.fromhex((VECTORS / "outhex" / f"{name}.txt").read_text())
    assert canonical(value) == wanted == (VECTORS / "output" / f"{name}.json").read_bytes()
    assert is_canonical(wanted.decode(), value=value)


def _holds_float(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_float, value.values()))
    return any(map(_holds_float, value)) if isinstance(value, list) else isinstance(value, float)


def _endless() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    "value",
    [
        0.0,
        1.5,
        float("nan"),
        float("inf"),
        MAX_INTEGER + 1,
        -MAX_INTEGER - 1,
        pytest.param(10**400, id="a-huge-integer"),
        b"bytes",
        {"a set"},
        pytest.param(object(), id="an-object"),
        MappingProxyType({}),
        {1: "a"},
        {None: "a"},
        {True: "a"},
        {1.5: "a"},
        {("a",): "a"},
        {"a": 1, 2: "b"},
        "\ud800",
        "a\udfff",
        {"\ud800": 1},
        {"\u00e9": "\ud800"},
        _endless(),
    ],
    ids=repr,
)
@pytest.mark.parametrize("wrap", [lambda v: v, lambda v: [v], lambda v: {"k": ({"k": v},)}, lambda v: {"\u00e9": v}])
def test_refuses_what_has_no_canonical_form(value: Any, wrap: Any) -> None:
    with pytest.raises(CanonicalError):
        canonical(wrap(value))


@pytest.mark.parametrize(
    "value", ["canary\ud800", {"canary": 1.5}, {"canary\ud800": 1}, {"canary": {("canary",): 1}}], ids=ascii
)
def test_a_refusal_carries_no_content(value: Any) -> None:
    with pytest.raises(CanonicalError) as refusal:
        canonical(value)
    error: BaseException | None = refusal.value
    while error is not None:
        assert "canary" not in f"{error} {error.args!r}"
        error = error.__context__


def test_enums_are_their_values() -> None:
    class Word(StrEnum):
        YES = "yes"

    class Number(IntEnum):
        TWO = 2

    assert canonical({Word.YES: Word.YES, "n": [Number.TWO]}) == b'{"n":[2],"yes":"yes"}'


@given(VALUES)
def test_without_a_c_encoder_the_form_is_the_same(value: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canonical_json.json_encoder, "c_make_encoder", None)
        slow = canonical_json._encoder(sort_keys=False)
    assert slow(canonical_json._ordered(value)).encode() == canonical(value)


def _spellings(value: Any) -> st.SearchStrategy[str]:
    """Texts of a value: canonical ones, others, and some with a character put in, taken out or doubled."""
    texts = [
        canonical(value).decode(),
        json.dumps(value),
        json.dumps(value, separators=(",", ":")),
        json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=True),
    ]
    text = st.sampled_from(texts)
    cut = st.integers(0, max(map(len, texts)))
    return text | st.builds(
        lambda text, at, more, length: text[:at] + more + text[at + length :],
        text,
        cut,
        st.sampled_from(["", " ", "\n", "0", "-0", "1.0", '"', "\\", '"a":1,', '"":null,', "{}", ":", ",", "\u00e9"]),
        st.integers(0, 3),
    )


@given(VALUES.flatmap(_spellings))
def test_is_canonical_says_what_canonical_would_write(text: str) -> None:
    try:
        value = json.loads(text)
    except ValueError:
        return
    assert is_canonical(text, value=value) == _is_own_spelling(text, value)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"a":1,"b":[{"c":null}]}', True),
        ('{"a":":","b":1}', True),
        ('{"a":"\u00e9 \\n"}', True),
        ('{"\U0001f602":1,"\ufb33":2}', True),
        ('{"\ufb33":2,"\U0001f602":1}', False),
        ('{"a":1,"a":1}', False),
        ('{"a":{"b":1,"b":1}}', False),
        ('{"b":1,"a":1}', False),
        ('[{"b":1,"a":1}]', False),
        ('{"a": 1}', False),
        ('{"a":1}\n', False),
        ("[1,\t2]", False),
        ("[\r]", False),
        ('{"a":-0}', False),
        ("[-0]", False),
        ("[1,-0]", False),
        ("-0", False),
        ("[-1]", True),
        ("[1.0]", False),
        ("[1e2]", False),
        ("[9007199254740991]", True),
        ("[9007199254740992]", False),
        ('"\\u0041"', False),
        ('"\\/"', False),
        ('"\\u001F"', False),
        ('"\\u001f"', True),
        ('"\\ud800"', False),
        ("[NaN]", False),
    ],
)
def test_is_canonical_by_example(text: str, wanted: bool) -> None:
    value = json.loads(text)
    assert is_canonical(text, value=value) is wanted
    assert _is_own_spelling(text, value) is wanted


def _is_own_spelling(text: str, value: Any) -> bool:
    try:
        return canonical(value) == text.encode()
    except CanonicalError:
        return False
