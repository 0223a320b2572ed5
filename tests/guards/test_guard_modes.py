"""`off` and `shadow` change nothing, `enforce` exactly the kinds it is told (decision record: amendments to PR 4)."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from guard_world import ADDRESS, EMAIL, FIRST, HANDLE, LINK, NAME, PHONE, SECRET, WRITTEN, Owner, owner_of, sentence

from iris_memory.contracts.guarding import GuardOutcome, GuardReason
from iris_memory.contracts.masking import Audience, Mode, PiiKind
from iris_memory.errors import IdentityConfigError
from iris_memory.guards.decision import GuardDecision
from iris_memory.guards.kernel import OwnerGuard
from iris_memory.sources.corpora import OwnerIdentity

TEXTS = [
    sentence(NAME),
    sentence(FIRST),
    f"{EMAIL}; {PHONE}; {ADDRESS}",
    f"{HANDLE} wrote {LINK}",
    SECRET,
    "nothing of anybody",
    "",
    "[owner:email#1]",
    "\ud83d broken",
]
VALUES: list[Any] = [*TEXTS, {"a": TEXTS}, [1, None, True, 2.5, {EMAIL: {"n": 442079460958}}], {1, 2}, object()]
NOT_JSON = VALUES[-2:]


Ask = Callable[[OwnerGuard, Any], GuardDecision]
POINTS: dict[str, Ask] = {
    "network tool": lambda guard, value: guard.pre_tool_use("http_get", value),
    "search tool": lambda guard, value: guard.pre_tool_use("find", value, sends_to=["search_engine"]),
    "local tool": lambda guard, value: guard.pre_tool_use("open", value, network=False),
    "cloud model": lambda guard, value: guard.pre_llm_call(value, tier="tier_3"),
    "local model": lambda guard, value: guard.pre_llm_call(value, tier="tier_1"),
    "answer to the owner": lambda guard, value: guard.pre_response(value, audience=Audience.OWNER),
    "answer to others": lambda guard, value: guard.pre_response(value, audience=Audience.OTHER),
}


@dataclass
class HostKernel:
    """A host's own kernel: hooks in the order of their priority, each given what the one before made of the call.

    It has the guards that hosts have: one that refuses what looks like a key, one that rewrites arguments, one that
    sets labels. It writes an audit row of every call; the final decision is the last hook's.
    """

    first: Callable[[str, Any], GuardDecision] | None = None
    rows: list[str] = field(default_factory=list)

    def run(self, point: str, value: Any) -> str:
        context: dict[str, Any] = {"value": value, "labels": []}
        decision: dict[str, Any] = {"outcome": "allow"}
        if self.first is not None:
            said = self.first(point, context["value"])
            if not said.goes_on:
                decision = {"outcome": said.outcome.value, "reason": said.reason}
            context["value"] = said.value
            context["labels"] += ["personal"] if said.personal else []
        if decision["outcome"] == "allow" and SECRET in repr(context["value"]):
            decision = {"outcome": "deny", "reason": "key-like"}
        elif isinstance(context["value"], dict):
            context["value"] = {**context["value"], "rewritten": True}
            decision = {"outcome": "transform", "dump_flag": point.startswith("answer")}
        context["labels"].append(f"seen at {point}")
        row = json.dumps([point, decision, context], default=lambda value: f"<{type(value).__name__}>")
        self.rows.append(row)
        return row


def kernel_with(guard: OwnerGuard) -> HostKernel:
    return HostKernel(lambda point, value: POINTS[point](guard, value))


@pytest.mark.parametrize("point", POINTS)
def test_a_matrix_of_calls_is_decided_byte_for_byte_as_without_the_hook(tmp_path: Path, point: str) -> None:
    owner = owner_of(tmp_path)
    kernels = [HostKernel(), kernel_with(owner.guard("off")), kernel_with(owner.guard("shadow", keyed=True))]
    for value in VALUES:
        assert len({kernel.run(point, value) for kernel in kernels}) == 1
    assert kernels[0].rows == kernels[1].rows == kernels[2].rows
    enforcing = kernel_with(owner.guard("enforce"))
    for value in VALUES:
        enforcing.run(point, value)
    touched = point not in ("local tool", "local model")
    assert (enforcing.rows != kernels[0].rows) is touched, "the matrix would show a hook that acts"


@pytest.mark.parametrize("point", POINTS)
def test_off_and_shadow_answer_the_same_decision_about_the_same_object(tmp_path: Path, point: str) -> None:
    owner = owner_of(tmp_path)
    off, shadow = owner.guard("off"), owner.guard("shadow")
    for value in VALUES:
        one, other = POINTS[point](off, value), POINTS[point](shadow, value)
        assert one == other == GuardDecision(GuardOutcome.ALLOW, value)
        assert repr(one) == repr(other)
        assert one.value is other.value is value
        assert one.exchange is other.exchange is None


def test_off_reads_nothing_and_writes_nothing(tmp_path: Path) -> None:
    def never() -> OwnerIdentity:
        raise AssertionError("off asked for the identity")

    owner = owner_of(tmp_path)
    guard = OwnerGuard(never, mode=Mode.OFF)
    for ask in POINTS.values():
        ask(guard, sentence(EMAIL))
    for ask in POINTS.values():
        ask(owner.guard("off"), sentence(EMAIL))
    assert owner.firings() == []


@pytest.mark.parametrize("value", ["", "0", "no", "false", "off", "OFF "])
def test_the_words_for_off(tmp_path: Path, value: str, caplog: pytest.LogCaptureFixture) -> None:
    assert owner_of(tmp_path).guard(value).mode is Mode.OFF
    assert caplog.records == []


@pytest.mark.parametrize("value", ["enfroce", "on", "1", "true", "shadow,enforce"])
def test_an_unknown_word_runs_shadow_with_a_warning(
    tmp_path: Path, value: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        guard = owner_of(tmp_path).guard(value)
    assert guard.mode is Mode.SHADOW
    assert guard.pre_llm_call(EMAIL, tier="tier_3").value == EMAIL
    (record,) = caplog.records
    for word in ("off", "shadow", "enforce", "IRIS_GOVERNANCE_OWNER_PII", "nothing is masked or denied"):
        assert word in record.getMessage()
    assert value not in record.getMessage().split(), "what was typed is not repeated"


def test_the_mode_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from iris_memory.guards.opening import open_guard

    owner = owner_of(tmp_path, enforce=[PiiKind.EMAIL])
    monkeypatch.setenv("IRIS_IDENTITY_FOLDER", str(owner.folder))
    monkeypatch.setenv("IRIS_GUARD_LOG", str(owner.file))
    monkeypatch.setenv("IRIS_GOVERNANCE_OWNER_PII", "enforce")
    assert open_guard().pre_llm_call(EMAIL, tier="tier_3").value == "[owner:email#1]"
    assert len(owner.firings()) == 1
    monkeypatch.setenv("IRIS_IDENTITY_CONFIG", str(tmp_path / "another.yaml"))
    assert open_guard().pre_llm_call(EMAIL, tier="tier_3").value == EMAIL, "another table, and it enforces nothing"
    monkeypatch.delenv("IRIS_GOVERNANCE_OWNER_PII")
    assert open_guard().mode is Mode.OFF


@pytest.mark.parametrize("kind", PiiKind)
def test_enforce_acts_on_exactly_the_kinds_it_is_told(tmp_path: Path, kind: PiiKind) -> None:
    guard = owner_of(tmp_path, enforce=[kind]).guard()
    for other, literal in WRITTEN.items():
        acts = [ask(guard, sentence(literal)).outcome is not GuardOutcome.ALLOW for ask in POINTS.values()]
        assert any(acts) is (other is kind)


def test_enforcing_nothing_is_a_bare_allow_with_what_was_seen(tmp_path: Path) -> None:
    decision = owner_of(tmp_path, enforce=[]).guard().pre_tool_use("http_get", [EMAIL])
    assert decision.goes_on
    assert decision.personal
    assert decision.kinds == {PiiKind.EMAIL}


def test_capability_pseudonyms_are_live_in_every_mode(tmp_path: Path) -> None:
    for mode in Mode:
        guard = owner_of(tmp_path, enforce=[]).guard(mode)
        result = guard.capability_result(guard.stamp("finance"), "mail.read", {"from": EMAIL, "to": FIRST})
        assert result.value == {"from": "[owner:email#1]", "to": FIRST}


def broken_of(how: str, tmp_path: Path) -> tuple[OwnerGuard, OwnerGuard, Owner, str]:
    """Return a shadow and an enforcing guard whose observations fail, and the class that is told."""
    owner = owner_of(tmp_path)
    match how:
        case "no corpus":
            owner.write(user="nothing about anybody")
            return owner.guard("shadow"), owner.guard("enforce"), owner, "CorpusMissingError"
        case "a document that is torn":
            owner.write(user="---\nidentity: [\n---\n")
            return owner.guard("shadow"), owner.guard("enforce"), owner, "IdentityConfigError"
        case _:

            def fails() -> OwnerIdentity:
                raise type("Zoë_Quill", (Exception,), {})(EMAIL)

            log = owner.guard()._shadow_log
            return (
                OwnerGuard(fails, mode=Mode.SHADOW, log=log),
                OwnerGuard(fails, mode=Mode.ENFORCE, log=log),
                owner,
                "Exception",
            )


@pytest.mark.parametrize("how", ["no corpus", "a document that is torn", "anything at all"])
@pytest.mark.parametrize("point", [point for point in POINTS if not point.startswith("local")])
def test_what_cannot_be_observed_is_written_and_goes_on_in_shadow_and_is_denied_in_enforce(
    tmp_path: Path, how: str, point: str
) -> None:
    shadow, enforce, owner, failure = broken_of(how, tmp_path)
    assert POINTS[point](shadow, EMAIL) == GuardDecision(GuardOutcome.ALLOW, EMAIL)
    denied = POINTS[point](enforce, EMAIL)
    assert (denied.outcome, denied.value, denied.reason) == (GuardOutcome.DENY, None, GuardReason.NOT_OBSERVED)
    first, second = owner.firings()
    assert (first.row.failed, second.row.failed) == (failure, failure)
    assert (first.outcome, second.outcome) == (GuardOutcome.ALLOW, GuardOutcome.DENY)
    assert first.row.columns
    assert first.row.tallies == ()


@pytest.mark.parametrize("value", NOT_JSON)
def test_a_value_that_cannot_be_read_is_denied_in_enforce(tmp_path: Path, value: Any) -> None:
    owner = owner_of(tmp_path)
    assert owner.guard("shadow").pre_tool_use("http_get", value).value is value
    assert owner.guard("enforce").pre_tool_use("http_get", value).reason is GuardReason.NOT_OBSERVED
    assert [firing.row.failed for firing in owner.firings()] == ["MaskingError", "MaskingError"]


def test_a_call_that_no_column_reads_needs_no_corpus(tmp_path: Path) -> None:
    _, enforce, owner, _ = broken_of("no corpus", tmp_path)
    assert enforce.pre_llm_call(EMAIL, tier="tier_1").goes_on
    assert [firing.row.columns for firing in owner.firings()] == [()]


def test_what_is_live_is_closed_where_it_fails_in_every_mode(tmp_path: Path) -> None:
    for mode in Mode:
        owner = owner_of(tmp_path).write(user="---\nidentity: [\n---\n")
        guard = owner.guard(mode)
        for decision in (guard.capability_result(guard.stamp("x"), "mail.read", EMAIL), guard.display(EMAIL)):
            assert (decision.outcome, decision.value) == (GuardOutcome.DENY, None)
    assert {firing.row.failed for firing in owner.firings()} == {"IdentityConfigError"}


def test_a_closed_table_masks_everything_in_enforce_and_counts_nothing_in_shadow(tmp_path: Path) -> None:
    owner = owner_of(tmp_path).write(config="enforce: [no such kind]\n")
    text = " and ".join(WRITTEN.values())
    assert owner.guard("shadow").pre_llm_call(text, tier="tier_3").value == text
    assert owner.firings()[0].row.failed == "TableClosedError"
    for ask in (POINTS["network tool"], POINTS["cloud model"], POINTS["answer to the owner"]):
        masked = ask(owner.guard("enforce"), text)
        assert masked.outcome is GuardOutcome.TRANSFORM
        assert not any(literal in masked.value for literal in WRITTEN.values())


def test_a_document_that_is_mended_is_read_without_a_new_start(tmp_path: Path) -> None:
    from iris_memory.guards.opening import AGAIN_SECONDS, Late
    from iris_memory.sources.corpora import Corpora

    owner = owner_of(tmp_path).write(user="---\nidentity: [\n---\n")
    seconds = [0.0]
    late = Late(lambda: Corpora({"USER.md": owner.folder / "USER.md"}), clock=lambda: seconds[0])
    with pytest.raises(IdentityConfigError):
        late.current()
    owner.write()
    with pytest.raises(IdentityConfigError):
        late.current()
    seconds[0] += AGAIN_SECONDS
    assert late.current().corpus.literals


def test_a_log_that_cannot_be_written_stops_nothing_in_shadow_and_everything_in_enforce(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    owner = owner_of(tmp_path)
    owner.file.mkdir()
    shadow = owner.guard("shadow")
    assert shadow.pre_llm_call(EMAIL, tier="tier_3") == GuardDecision(GuardOutcome.ALLOW, EMAIL)
    assert shadow.unwritten == 1
    assert "IsADirectoryError" in caplog.text
    assert owner.guard("enforce").pre_llm_call("nothing", tier="tier_3").reason is GuardReason.NOT_OBSERVED
