"""Nothing that is shown, raised or written down holds a literal (PII-13)."""

from __future__ import annotations

import json

import pytest
from owner_sample import USER_MD, exchange, owner, spans
from pydantic import ValidationError

from iris_memory.contracts.masking import (
    Action,
    Column,
    Guard,
    IdentityBlock,
    OwnerLiteral,
    OwnerStatement,
    PiiKind,
    ProvidedLiteral,
    ShadowRow,
    ShadowTally,
    Span,
)
from iris_memory.errors import IdentityConfigError, MaskingError
from iris_memory.masking.corpus import extract
from iris_memory.masking.leaves import decide_value
from iris_memory.masking.render import masked
from iris_memory.tables.guards import DEFAULT_ONTOLOGY_KINDS, DEFAULT_TABLE, load

CANARY = "kanarienvogel"


def take(front_matter: str) -> None:
    extract({"USER.md": f"---\n{front_matter}\n---\n"}, ontology_kinds=DEFAULT_ONTOLOGY_KINDS)


def shown(thing: object) -> str:
    return f"{thing!r} {thing!s}"


def test_no_shape_shows_its_literal():
    things = [
        OwnerLiteral(kind=PiiKind.NAME, text=CANARY, source="test"),
        OwnerStatement(subject_is_owner=True, confirmed=True, attribute="name", value=CANARY),
        ProvidedLiteral(kind=PiiKind.NAME, text=CANARY),
        IdentityBlock(**dict.fromkeys(IdentityBlock.model_fields, (CANARY,))),
    ]
    for thing in things:
        assert CANARY not in shown(thing)


def test_a_corpus_shows_counts_alone():
    assert shown(owner()).split()[0].startswith("Corpus(")
    for literal in owner().literals:
        assert literal.text not in shown(owner())


def test_pseudonyms_and_exchanges_show_nothing():
    mine = exchange()
    masked(f"{owner().literals[6].text}", spans(owner().literals[6].text), corpus=owner(), exchange=mine)
    assert "ottoline" not in shown(mine) + shown(mine.pseudonyms)


def test_a_span_holds_no_text():
    [span] = spans(owner().literals[6].text)
    assert not [value for value in span if type(value) is str]
    assert Span._fields == tuple(Span.__annotations__)


@pytest.mark.parametrize(
    "broken",
    [
        lambda: take(f"identity:\n  {CANARY}: [x]"),
        lambda: take(f"identity:\n  names: [[{CANARY}]]"),
        lambda: take(f"identity: {{a: [{CANARY}"),
        lambda: decide_value({CANARY: object()}, corpus=owner(), table=DEFAULT_TABLE, guard=Guard.EGRESS),
        lambda: decide_value({"x": {CANARY}}, corpus=owner(), table=DEFAULT_TABLE, guard=Guard.EGRESS),
        lambda: OwnerLiteral(kind=PiiKind.NAME, text=CANARY, source=""),
        lambda: ProvidedLiteral.model_validate({"kind": CANARY, "text": CANARY}),
    ],
)
def test_no_error_tells_what_it_choked_on(broken):
    with pytest.raises((IdentityConfigError, MaskingError, ValidationError)) as problem:
        broken()
    error = problem.value
    while error is not None:
        assert CANARY not in str(error)
        error = error.__cause__


def test_a_closed_table_does_not_repeat_what_closed_it():
    assert CANARY not in shown(load({"guards": {CANARY: {}}}))


def row(**values) -> dict:
    tally = {"guard": "egress", "kind": "email", "action": "deny", "count": 1, "spans": [[0, 3, 9]]}
    return {"columns": ["egress"], "tallies": [{**tally, **values}], "digests": None, "failed": None}


def test_a_shadow_row_is_columns_counts_spans_and_keyed_digests():
    tally = ShadowTally(guard=Column.EGRESS, kind=PiiKind.EMAIL, action=Action.DENY, count=2, spans=((0, 3, 9),))
    written = ShadowRow(columns=(Column.EGRESS,), tallies=(tally,), digests=("ab" * 32,)).model_dump_json()
    assert ShadowRow.model_validate_json(written).tallies == (tally,)
    assert json.loads(written)["tallies"][0]["spans"] == [[0, 3, 9]]


@pytest.mark.parametrize(
    "broken",
    [
        row(text="x"),
        row(spans=[[0, 1, 2]] * 21, count=21),
        row(spans=[[0, 1, 2]] * 2, count=1),
        row(count=0, spans=[]),
        row(spans=[[0, 1, "a@b"]]),
        {**row(), "digests": ["o@b.example"]},
        {**row(), "failed": "ValueError: o@b.example"},
        {**row(), "around": "text"},
    ],
)
def test_a_shadow_row_has_no_room_for_text(broken):
    with pytest.raises(ValidationError):
        ShadowRow.model_validate_json(json.dumps(broken))


def test_the_sample_is_what_the_tests_think_it_is():
    assert all(literal.text in USER_MD for literal in owner().literals)
