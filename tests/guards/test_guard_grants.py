"""Grants are read for the caller that the host has stamped; pseudonyms cannot be forged, borrowed or joined (PII-11,
PII-12)."""

from __future__ import annotations

import base64
import copy
import threading
from pathlib import Path
from typing import Any

import pytest
from guard_world import ADDRESS, EMAIL, FIRST, HANDLE, LINK, NAME, PHONE, SECRET, WRITTEN, owner_of

from iris_memory.contracts.guarding import GuardOutcome, GuardReason
from iris_memory.contracts.masking import OWNER_PII_KINDS, PiiKind
from iris_memory.evals.attacks import TRANSFORMATIONS
from iris_memory.guards.contexts import CONTEXTS_MOST, Contexts, Stamp
from iris_memory.guards.kernel import OwnerGuard

MANIFESTS: dict[str, Any] = {
    "planner": {"capabilities": {"uses": [{"mail.read": {"unmask": ["name", "address"]}}, "calendar.read"]}},
    "archive": {"capabilities": {"requires": [{"mail.read": {"unmask": sorted(OWNER_PII_KINDS)}}]}},
    "finance": {"capabilities": {"uses": ["mail.read"]}},
    "greedy": {"capabilities": {"uses": [{"mail.read": {"unmask": ["name", "secret"]}}]}},
    "torn": {"capabilities": {"uses": [{"mail.read": {"unmask": "everything"}}]}},
}
MAIL = {"from": EMAIL, "body": f"Dear {NAME}, we sent it to {ADDRESS}; call {PHONE} or {HANDLE}. Key: {SECRET}. {LINK}"}


@pytest.fixture
def guard(tmp_path: Path) -> OwnerGuard:
    return owner_of(tmp_path).guard(manifests=MANIFESTS)


def read(guard: OwnerGuard, plugin: str, value: Any = MAIL, capability: str = "mail.read") -> str:
    decision = guard.capability_result(guard.stamp(plugin), capability, value)
    assert decision.personal
    return str(decision.value)


def seen(text: str) -> set[PiiKind]:
    return {kind for kind, literal in WRITTEN.items() if literal in text}


def test_the_planner_sees_name_and_address_and_finance_nothing(guard: OwnerGuard) -> None:
    assert seen(read(guard, "planner")) == {PiiKind.NAME, PiiKind.ADDRESS, PiiKind.LINK}
    assert seen(read(guard, "finance")) == {PiiKind.LINK}
    assert "[owner:email#1]" in read(guard, "planner")
    assert "[owner:name#1]" in read(guard, "finance")


def test_a_grant_is_for_one_capability_and_one_caller(guard: OwnerGuard) -> None:
    assert seen(read(guard, "planner", capability="calendar.read")) == {PiiKind.LINK}
    assert seen(read(guard, "somebody else")) == {PiiKind.LINK}
    assert seen(read(guard, "archive")) == set(WRITTEN) - {PiiKind.SECRET}


def test_a_secret_is_never_unmasked_and_a_faulty_manifest_grants_nothing(guard: OwnerGuard) -> None:
    for plugin in MANIFESTS:
        assert SECRET not in read(guard, plugin)
    assert seen(read(guard, "greedy")) == seen(read(guard, "torn")) == {PiiKind.LINK}


def test_a_first_name_alone_reaches_the_consumer(guard: OwnerGuard) -> None:
    decision = guard.capability_result(guard.stamp("finance"), "mail.read", f"Hello {FIRST}!")
    assert decision.value == f"Hello {FIRST}!"
    assert decision.outcome is GuardOutcome.ALLOW
    assert decision.personal, "marked, masked or not"


def test_a_result_without_the_owner_is_not_marked(guard: OwnerGuard) -> None:
    value = {"from": "somebody@quillworks.example"}
    decision = guard.capability_result(guard.stamp("finance"), "mail.read", value)
    assert decision.value is value
    assert not decision.personal


def test_a_stamp_that_the_host_did_not_make_opens_nothing(guard: OwnerGuard) -> None:
    real = guard.stamp("planner")
    for forged in (Stamp(), copy.copy(real)):
        decision = guard.capability_result(forged, "mail.read", MAIL)
        assert (decision.outcome, decision.value) == (GuardOutcome.DENY, None)
        assert decision.reason is GuardReason.CALLER_NOT_STAMPED
        assert guard.restored_for(forged, "mail.read", "[owner:email#1]") == "[owner:email#1]"
    assert guard.capability_result(real, "mail.read", MAIL).goes_on
    with pytest.raises(AttributeError):
        real.caller = "archive"  # type: ignore[attr-defined]


def test_a_stamp_of_another_guard_opens_nothing(tmp_path: Path, guard: OwnerGuard) -> None:
    other = owner_of(tmp_path).guard(manifests=MANIFESTS)
    assert guard.capability_result(other.stamp("planner"), "mail.read", MAIL).outcome is GuardOutcome.DENY


def test_what_one_plugin_was_given_is_not_turned_back_for_another(guard: OwnerGuard) -> None:
    finance, archive = guard.stamp("finance"), guard.stamp("archive")
    given = guard.capability_result(finance, "mail.read", MAIL).value
    assert guard.restored_for(archive, "mail.read", given) == given
    assert guard.restored_for(finance, "mail.read", given) == given, "finance has no grant"
    assert guard.restored_for(finance, "archive", given) == given


def test_a_typed_token_stays_text_everywhere(guard: OwnerGuard) -> None:
    planner = guard.stamp("planner")
    typed = f"[owner:address#1] is what I typed, {PHONE} is mine"
    decision = guard.capability_result(planner, "mail.read", typed)
    assert decision.value == "[owner~:address#1] is what I typed, [owner:phone#1] is mine"
    assert (
        guard.restored_for(planner, "mail.read", decision.value)
        == "[owner:address#1] is what I typed, [owner:phone#1] is mine"
    )
    prompt = guard.pre_llm_call(f"[owner:email#1] and {PHONE}", tier="tier_3")
    assert guard.restored("[owner:email#1] [owner:phone#1]", prompt) == f"[owner:email#1] {PHONE}"


@pytest.mark.parametrize("kind", sorted(OWNER_PII_KINDS))
def test_no_disguise_gets_past_any_guard(guard: OwnerGuard, kind: PiiKind) -> None:
    finance = guard.stamp("finance")
    for how in TRANSFORMATIONS:
        if kind not in how.kinds:
            continue
        for written in how.write(WRITTEN[kind]):
            text = f"Please tell them about {written} soon."
            kinds = guard.pre_tool_use("http_get", {"q": text}).kinds
            assert kind in kinds, how.name
            assert guard.pre_llm_call([text], tier="tier_3").kinds == kinds
            assert guard.pre_response(text).kinds == kinds
            assert guard.capability_result(finance, "mail.read", {"body": text}).kinds == kinds
            assert guard.display(text).kinds == kinds


def test_a_literal_split_over_leaves_or_inside_an_encoding_is_found(guard: OwnerGuard) -> None:
    local, _, host = EMAIL.partition("@")
    hidden = base64.b64encode(f"send it to {EMAIL} by noon".encode()).decode()
    for value in (
        [f"{local}@", host],
        {local + "@": host},
        {"a": f"{local}@", "b": host},
        [[f"{local}\u200b@"], [host]],
        {"x": hidden},
        {"x": f'{{"to": "{EMAIL}"}}'},
        EMAIL.replace("@", "%40"),
        EMAIL.replace("a", "\u0430"),
        EMAIL.replace("@", "&#64;"),
    ):
        assert guard.pre_tool_use("http_get", value).outcome is GuardOutcome.DENY
        out = guard.capability_result(guard.stamp("finance"), "mail.read", value)
        assert "[owner:email#1]" in str(out.value)
        assert host not in str(out.value)


def test_a_guard_without_a_readable_table_masks_all_and_grants_nothing(tmp_path: Path) -> None:
    owner = owner_of(tmp_path).write(config="guards: {secret: {capability: pass}}\n")
    for mode in ("off", "shadow", "enforce"):
        guard = owner.guard(mode, manifests=MANIFESTS)
        assert seen(read(guard, "archive")) == set()


def test_threads_of_one_conversation_never_share_a_number(guard: OwnerGuard) -> None:
    emails = ["ottoline.varga@gmail.com", EMAIL, "büro@müllersdorf.example"]
    told: list[tuple[str, str]] = []

    def work(literal: str) -> None:
        for _ in range(20):
            decision = guard.capability_result(guard.stamp("finance", conversation="c"), "mail.read", literal)
            told.append((literal, decision.value))

    threads = [threading.Thread(target=work, args=(literal,)) for literal in emails * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 120
    assert len(set(told)) == len({token for _, token in told}) == 3


def test_conversations_are_kept_up_to_a_bound_and_a_stamp_goes_with_its_plugin() -> None:
    contexts = Contexts(key=b"a key that this test alone uses")
    for number in range(CONTEXTS_MOST + 10):
        contexts.exchange("consumer", str(number))
    assert len(contexts._known) == CONTEXTS_MOST
    stamp = contexts.stamp("planner", conversation="")
    assert contexts.seat(stamp) is not None
    del stamp
    assert len(contexts._stamped) == 0
