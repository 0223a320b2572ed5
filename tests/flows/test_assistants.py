"""A registered assistant reaches no more than its identity says, and its persona has no part in what it reaches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flows.stores import OpenIris, actions, bodies, open_store, person, refused, sound, written
from iris_memory.contracts.category import Surface
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.identity import AssistantIdentity
from iris_memory.contracts.scope import AdapterScope, SessionScope
from iris_memory.errors import ContractError
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.rules.identity import EVERY_SCOPE, barred_scopes
from iris_memory.wiring.clock import SystemClock

SESSION = SessionScope(user_id="ada", session_id="s1")
NOVA: dict[str, Any] = {
    "display_name": "Nova",
    "persona_ref": "personas/nova-1",
    "surfaces": ["assistant"],
    "scopes": ["assistant_profile"],
}
_SCOPES = st.frozensets(st.sampled_from(sorted(AdapterScope)))
_SURFACES = st.frozensets(st.sampled_from(sorted(Surface)))
_PERSONA = st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9._/-]{0,30}\Z")
_CALLED = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=40)


def nova(iris: Iris, **more: Any) -> PersonMemory:
    """Bind ada with the assistant nova."""
    return iris.for_user(tenant="acme", user="ada", assistant_id="nova", **more)


@pytest.fixture
def filled(iris: Iris, me: PersonMemory) -> Iris:
    """A store where ada has one memory in her profile and one in a session."""
    written(me.remember("Prefers quiet trains"))
    written(me.remember("Sits in coach seven", scope=SESSION))
    return iris


def test_its_scopes_narrow_recall_and_the_account_says_so(filled: Iris) -> None:
    everything = {"Prefers quiet trains", "Sits in coach seven"}
    assert set(bodies(nova(filled), "trains coach", scope=SESSION)) == everything, "not registered: not narrowed"
    filled.assistants("acme").register("nova", **NOVA)
    result = nova(filled).recall("trains coach", scope=SESSION)
    assert [hit.entry.body for hit in result.hits] == ["Prefers quiet trains"]
    assert result.audit_envelope.suppression_counts == {"scope-suppressed": 1}
    other = filled.for_user(tenant="acme", user="ada", assistant_id="rigel")
    assert set(bodies(other, "trains coach", scope=SESSION)) == everything
    sound(filled)


def test_its_surfaces_narrow_recall(filled: Iris) -> None:
    filled.assistants("acme").register("nova", **{**NOVA, "surfaces": ["shell"]})
    assert bodies(nova(filled), "trains") == []
    assert bodies(nova(filled), "trains", surface="shell") == ["Prefers quiet trains"]


def test_its_scopes_narrow_writing(filled: Iris) -> None:
    filled.assistants("acme").register("nova", **NOVA)
    refusal = refused(nova(filled).remember("Sits in coach eight", scope=SESSION))
    assert refusal.reason is RefusalReason.ASSISTANT_NOT_ALLOWED
    written(nova(filled).remember("Carries a folding bicycle"))


def test_one_that_is_retired_reaches_nothing_until_it_is_registered_again(filled: Iris) -> None:
    desk = filled.assistants("acme")
    assert desk.retire("nova") is None
    first = desk.register("nova", **NOVA)
    retired = desk.retire("nova")
    assert retired is not None
    assert (retired.retired_at, desk.retire("nova")) == (retired.updated_at, retired)
    assert bodies(nova(filled), "trains") == []
    assert refused(nova(filled).remember("Anything")).reason is RefusalReason.ASSISTANT_NOT_ALLOWED
    again = desk.register("nova", **NOVA)
    assert (again.registered_at, again.retired_at) == (first.registered_at, None)
    assert bodies(nova(filled), "trains") == ["Prefers quiet trains"]
    assert actions(filled).count("assistant.changed") == 3


def test_another_process_obeys_at_once(filled: Iris, open_iris: OpenIris) -> None:
    other = open_iris()
    assert bodies(nova(other), "trains") == ["Prefers quiet trains"]
    filled.assistants("acme").register("nova", **{**NOVA, "scopes": []})
    assert bodies(nova(other), "trains") == [], "an answer stands on the tenant's version"
    assert refused(nova(other).remember("Anything")).reason is RefusalReason.ASSISTANT_NOT_ALLOWED


def test_another_tenants_assistant_of_the_same_id_is_another(filled: Iris) -> None:
    filled.assistants("globex").register("nova", **{**NOVA, "scopes": []})
    assert bodies(nova(filled), "trains") == ["Prefers quiet trains"]
    assert filled.assistants("acme").list() == ()


def test_every_recall_and_write_names_its_assistant(filled: Iris) -> None:
    nova(filled).recall("trains")
    recalls = [e for e in filled.export_audit(tenant="acme") if b"memory.recall.resolved" in e]
    assert b'"assistant_id":"nova"' in recalls[-1]


def test_what_is_no_identity_is_refused(iris: Iris) -> None:
    for change in ({"persona_ref": "a persona that is a sentence"}, {"scopes": ["everything"]}, {"display_name": ""}):
        with pytest.raises(ContractError):
            iris.assistants("acme").register("nova", **{**NOVA, **change})
    assert iris.assistants("acme").list() == ()


@given(scopes=_SCOPES, surfaces=_SURFACES, surface=st.none() | st.sampled_from(sorted(Surface)))
def test_a_rule_only_ever_bars(scopes: frozenset[AdapterScope], surfaces: frozenset[Surface], surface: Any) -> None:
    at = SystemClock().now()
    known = AssistantIdentity(
        assistant_id="a",
        display_name="A",
        persona_ref="p",
        surfaces=surfaces,
        scopes=scopes,
        registered_at=at,
        updated_at=at,
    )
    out = barred_scopes(known, surface)
    assert out == (EVERY_SCOPE - scopes if surface is None or surface in surfaces else EVERY_SCOPE)
    assert barred_scopes(None, surface) == frozenset()
    assert barred_scopes(known.model_copy(update={"retired_at": at}), surface) == EVERY_SCOPE


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Iris, Iterator[int]]]:
    """One filled store for the examples of the property."""
    folder: Path = tmp_path_factory.mktemp("personas") / "memory"
    with open_store(folder) as iris:
        me = person(iris)
        written(me.remember("Prefers quiet trains"))
        written(me.remember("Sits in coach seven", scope=SESSION))
        yield iris, count()


@given(scopes=_SCOPES, surfaces=_SURFACES, personas=st.lists(st.tuples(_PERSONA, _CALLED), min_size=2, max_size=2))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_change_of_persona_never_changes_what_it_reaches(
    shared: tuple[Iris, Iterator[int]], scopes: Any, surfaces: Any, personas: list[tuple[str, str]]
) -> None:
    iris, _ = shared
    reached = []
    for persona, called in personas:
        iris.assistants("acme").register(
            "nova", display_name=called, persona_ref=persona, surfaces=surfaces, scopes=scopes
        )
        results = [nova(iris).recall("trains coach", scope=SESSION, surface=surface) for surface in Surface]
        reached.append([([hit.entry.id for hit in r.hits], r.audit_envelope.suppression_counts) for r in results])
    assert reached[0] == reached[1]
    unbound = iris.for_user(tenant="acme", user="ada")
    for surface, (ids, _counts) in zip(Surface, reached[0], strict=True):
        free = [hit.entry.id for hit in unbound.recall("trains coach", scope=SESSION, surface=surface).hits]
        assert set(ids) <= set(free), "it narrows, and never widens"
