"""The canonical text form of a scope parses back to the same scope, and nothing else parses."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest
from contract_examples import SCOPES
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.contracts.entry import RecentRecall
from iris_memory.contracts.scope import (
    SCOPE_CLASSES,
    SCOPE_TEXT_MOST,
    OperatorCopilotScope,
    Scope,
    ScopeKind,
    owner_of,
    parse_scope,
)
from iris_memory.errors import ContractError

PLAIN = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=128)
TRICKY = st.text(st.sampled_from(":%3A25ab%Aé座 "), min_size=1, max_size=40)
IDS = (
    (PLAIN | TRICKY)
    .map(lambda text: unicodedata.normalize("NFC", text)[:128])
    .filter(lambda text: unicodedata.is_normalized("NFC", text))
)


@st.composite
def scopes(draw: st.DrawFn) -> Scope:
    """Draw a scope of any kind with any identifiers."""
    kind = draw(st.sampled_from(ScopeKind))
    names = [name for name in SCOPES[kind] if name != "kind"]
    made: Any = SCOPE_CLASSES[kind](**{name: draw(IDS) for name in names})
    return made


@given(scopes())
def test_text_parses_back_to_the_same_scope(scope: Scope) -> None:
    text = scope.text()
    assert parse_scope(text) == scope
    assert text.split(":")[0] == scope.kind
    assert text.count(":") == len(scope.identifiers())
    assert len(text) <= SCOPE_TEXT_MOST


@given(scopes(), scopes())
def test_two_scopes_never_share_a_text(first: Scope, second: Scope) -> None:
    assert (first.text() == second.text()) == (first == second)


@given(st.text(st.sampled_from(":%3A25aprofilesession"), max_size=30) | st.text(max_size=30))
def test_what_parses_is_canonical_and_all_else_is_refused(text: str) -> None:
    for form in (text, f"profile:{text}", f"session:{text}"):
        try:
            scope = parse_scope(form)
        except ContractError:
            continue
        assert scope.text() == form


@pytest.mark.parametrize(
    "form",
    [
        "", "profile", "profile:", "profile:a:b", "session:a", "session:a:", "Profile:a", "profil:a", ":a",
        "profile:a%3a", "profile:%61", "profile:%", "profile:%2", "profile:a%25%", "profile:e\u0301", "profile:\x00",
        "profile:a\n", "profile:\ud800", "profile:" + "a" * 129, "crisis:a", "tenant:t", "operator-copilot:t",
        "scene:a:b:c", "pose:a:b:c:d:e",
    ],
)  # fmt: skip
def test_what_is_not_canonical_is_refused(form: str) -> None:
    with pytest.raises(ContractError):
        parse_scope(form)


def test_longest_scope_fits_a_recent_recall() -> None:
    longest = ":" * 128
    for kind in ScopeKind:
        names = [name for name in SCOPES[kind] if name != "kind"]
        scope: Any = SCOPE_CLASSES[kind](**dict.fromkeys(names, longest))
        assert parse_scope(scope.text()) == scope
        recent = {"at": "2026-03-01T12:00:00Z", "surface": "assistant", "consumer": "assistant"}
        form = {**recent, "request_scope": scope.text()}
        assert RecentRecall.model_validate_json(json.dumps(form)).request_scope == scope.text()


@given(scopes())
def test_owner_is_the_person_or_the_operator(scope: Scope) -> None:
    expected = scope.operator_id if isinstance(scope, OperatorCopilotScope) else scope.user_id
    assert owner_of(scope) == expected
