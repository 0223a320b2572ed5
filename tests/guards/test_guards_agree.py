"""One matcher, one corpus, every guard: on 5,000 texts all of them see the same stretches (PII-1)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from guard_world import Owner, owner_of

from iris_memory.contracts.masking import OWNER_PII_KINDS, Audience
from iris_memory.evals.masking_cases import disguised
from iris_memory.evals.ordinary_text import SORTS
from iris_memory.evals.stage import Draws
from iris_memory.guards.kernel import OwnerGuard

TEXTS = 5_000


def texts_of(guard: OwnerGuard) -> Iterator[str]:
    """Yield literals in every disguise, alone and among each other and ordinary text, without end."""
    cases = [case.text for case in disguised(guard.identity().corpus)]
    yield from cases
    ordinary = [write(60_000) for write in SORTS.values()]
    draws = Draws("guards agree")
    while True:
        parts = []
        for _ in range(1 + draws.below(3)):
            text = ordinary[draws.below(len(ordinary))]
            start = draws.below(len(text) - 80)
            parts += [text[start : start + draws.below(80)], cases[draws.below(len(cases))]]
        yield " ".join(parts[draws.below(2) :])


def test_all_guards_find_the_same_spans_in_five_thousand_texts(tmp_path: Path) -> None:
    owner: Owner = owner_of(tmp_path)
    guard = owner.guard("shadow")
    found = 0
    rows: list[object] = []
    keep = type("Kept", (), {"write": lambda _, firing: rows.append(firing), "read": None, "key": lambda _: None})()
    guard._shadow_log = keep
    finance = guard.stamp("finance")
    for text in islice(texts_of(guard), TEXTS):
        rows.clear()
        guard.pre_tool_use("research", text, sends_to=["search_engine"])
        guard.pre_llm_call(text, tier="tier_3")
        guard.pre_response(text, audience=Audience.OWNER)
        guard.pre_response(text, audience=Audience.OTHER)
        guard.capability_result(finance, "mail.read", text)
        seen: dict[str, set[tuple[int, ...]]] = {}
        for firing in rows:
            for column in firing.row.columns:  # type: ignore[attr-defined]
                seen.setdefault(column, set())
            for tally in firing.row.tallies:  # type: ignore[attr-defined]
                assert tally.count == len(tally.spans)
                seen[tally.guard].update(tally.spans)
        assert len(seen) == 6
        first = seen["egress"]
        assert all(spans == first for spans in seen.values()), text
        found += len(first)
    assert found > TEXTS


def test_what_is_enforced_is_stable_and_comes_back(tmp_path: Path) -> None:
    guard = owner_of(tmp_path).guard()
    for text in islice(texts_of(guard), 974, 1_300):
        decision = guard.pre_llm_call(text, tier="tier_3")
        assert decision.goes_on
        again = guard.pre_llm_call(decision.value, tier="tier_3", exchange=decision.exchange)
        assert again.value == decision.value
        if decision.kinds <= OWNER_PII_KINDS:
            back = guard.restored(decision.value, decision)
            assert "[owner:" not in back
