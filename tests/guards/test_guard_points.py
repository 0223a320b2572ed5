"""Each point reads the columns it should, and acts as the table says (contracts 11; decision record 13 to 17)."""

from __future__ import annotations

from pathlib import Path

import pytest
from guard_world import ADDRESS, EMAIL, FIRST, HANDLE, LINK, NAME, PHONE, SECRET, WRITTEN, owner_of, sentence

from iris_memory.contracts.guarding import GuardOutcome, GuardPoint, GuardReason, Halted, Locality, SendsTo, Tier
from iris_memory.contracts.masking import Action, Audience, Column, GuardRow, PiiKind
from iris_memory.guards.decision import GuardDecision
from iris_memory.guards.kernel import OwnerGuard
from iris_memory.tables.guards import DEFAULT_TABLE

OUTCOMES = {
    Action.PASS: GuardOutcome.ALLOW,
    Action.LOG: GuardOutcome.ALLOW,
    Action.MASK: GuardOutcome.TRANSFORM,
    Action.DENY: GuardOutcome.DENY,
    Action.HALT: GuardOutcome.HALT,
}


@pytest.fixture
def guard(tmp_path: Path) -> OwnerGuard:
    return owner_of(tmp_path).guard()


def ask(guard: OwnerGuard, column: Column, text: str) -> GuardDecision:
    match column:
        case Column.EGRESS:
            return guard.pre_tool_use("http_get", {"body": text})
        case Column.WEB_SEARCH:
            return guard.pre_tool_use("find", {"query": text}, sends_to=[SendsTo.SEARCH_ENGINE], network=False)
        case Column.TIER3:
            return guard.pre_llm_call(text, tier=Tier.TIER_3)
        case Column.ANSWER_OWNER:
            return guard.pre_response(text, audience=Audience.OWNER)
        case Column.ANSWER_OTHER:
            return guard.pre_response(text, audience=Audience.OTHER)
        case Column.CAPABILITY:
            return guard.capability_result(guard.stamp("finance"), "mail.read", text)


@pytest.mark.parametrize("column", Column)
@pytest.mark.parametrize("row", GuardRow)
def test_every_cell_of_the_table_is_what_its_guard_does(guard: OwnerGuard, row: GuardRow, column: Column) -> None:
    literal = FIRST if row is GuardRow.FIRST_NAME_ALONE else WRITTEN[PiiKind(row.value)]
    decision = ask(guard, column, sentence(literal))
    action = DEFAULT_TABLE.cell(row, column=column).action
    assert decision.outcome is OUTCOMES[action]
    assert [count.action for count in decision.counts] == [action]
    assert [count.first_name_alone for count in decision.counts] == [row is GuardRow.FIRST_NAME_ALONE]
    assert decision.personal
    assert decision.goes_on is (action not in (Action.DENY, Action.HALT))
    assert (literal in str(decision.value)) is (action in (Action.PASS, Action.LOG))
    assert (decision.value is None) is not decision.goes_on


def test_a_tool_that_is_both_gets_both_verdicts_and_the_stricter_acts(guard: OwnerGuard) -> None:
    both = guard.pre_tool_use("research", {"q": f"{NAME} news"}, sends_to=["search_engine"])
    assert {(one.guard, one.action) for one in both.counts} == {
        (Column.EGRESS, Action.LOG),
        (Column.WEB_SEARCH, Action.MASK),
    }
    assert both.value == {"q": "[owner:name#1] news"}
    assert guard.pre_tool_use("research", {"q": EMAIL}, sends_to=["search_engine"]).outcome is GuardOutcome.DENY


def test_an_undeclared_destination_is_no_search_engine_and_a_local_tool_is_not_read(guard: OwnerGuard) -> None:
    assert guard.pre_tool_use("web_search", {"q": NAME}).value == {"q": NAME}, "by declaration, not by name"
    local = guard.pre_tool_use("open_file", {"path": EMAIL}, network=False)
    assert (local.outcome, local.counts, local.personal) == (GuardOutcome.ALLOW, (), False)


def test_a_host_may_say_which_tools_are_network_tools(tmp_path: Path) -> None:
    guard = owner_of(tmp_path).guard(network_tools=("http_*", "fetch"))
    outcomes = {
        tool: guard.pre_tool_use(tool, [EMAIL]).outcome for tool in ("http_get", "fetch", "fetcher", "calendar")
    }
    assert [outcome is GuardOutcome.DENY for outcome in outcomes.values()] == [True, True, False, False]


def test_names_values_and_numbers_of_arguments_are_read(guard: OwnerGuard) -> None:
    for arguments in ({EMAIL: 1}, {"to": [[EMAIL]]}, {"n": 442079460958}, {"a": "o_varga@quill", "b": "works.example"}):
        assert guard.pre_tool_use("http_get", arguments).outcome is GuardOutcome.DENY
    assert guard.pre_tool_use("http_get", {"yes": True, "no": None}).outcome is GuardOutcome.ALLOW


def test_the_allowlist_and_the_log_only_list_of_destinations(tmp_path: Path) -> None:
    lists = "destinations: {github_*: [email]}\nlog_only_destinations: [mcp_*]\n"
    guard = owner_of(tmp_path, config=lists).guard()
    assert guard.pre_tool_use("github_issue", [EMAIL]).goes_on
    assert not guard.pre_tool_use("github_issue", [PHONE]).goes_on
    logged = guard.pre_tool_use("mcp_mail", [EMAIL, PHONE, ADDRESS])
    assert logged.goes_on
    assert all(one.log_only_destination for one in logged.counts)
    for kept in (LINK, SECRET):
        assert not guard.pre_tool_use("mcp_mail", [kept]).goes_on
        assert not guard.pre_tool_use("github_issue", [kept]).goes_on
    assert guard.pre_tool_use("send", [EMAIL], destination="mcp_other").goes_on, "the destination as the host names it"
    searched = guard.pre_tool_use("mcp_search", [EMAIL], sends_to=["search_engine"])
    assert searched.outcome is GuardOutcome.DENY, "the list relaxes egress alone"


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"tier": "tier_3"}, True),
        ({"tier": "tier_1"}, False),
        ({"tier": Tier.TIER_2}, False),
        ({}, True),
        ({"tier": "tier_9"}, True),
        ({"tier": "tier_3", "locality": Locality.LOCAL}, False),
        ({"tier": "tier_1", "locality": Locality.CLOUD}, True),
    ],
)
def test_the_tier_column_reads_locality_as_given(guard: OwnerGuard, given: dict[str, object], read: bool) -> None:
    decision = guard.pre_llm_call(sentence(EMAIL), **given)  # type: ignore[arg-type]
    assert (decision.outcome is GuardOutcome.TRANSFORM) is read
    assert bool(decision.counts) is read


def test_a_prompt_is_masked_and_its_answer_turned_back(guard: OwnerGuard) -> None:
    prompt = [{"role": "user", "content": f"Write to {EMAIL}, it is {NAME} of {ADDRESS}"}]
    asked = guard.pre_llm_call(prompt, tier=Tier.TIER_3)
    assert asked.value == [{"role": "user", "content": f"Write to [owner:email#1], it is {NAME} of [owner:address#1]"}]
    answer = {"tool": "send", "arguments": ["[owner:email#1]", "[owner:email#2]", "[owner:address#1]"]}
    assert guard.restored(answer, asked)["arguments"] == [EMAIL, "[owner:email#2]", ADDRESS]
    only = guard.restored(answer, asked, kinds=frozenset({PiiKind.EMAIL}))
    assert only["arguments"] == [EMAIL, "[owner:email#2]", "[owner:address#1]"]
    other = guard.pre_llm_call(sentence(PHONE), tier=Tier.TIER_3)
    assert guard.restored(answer, other)["arguments"][0] == "[owner:email#1]", "another request issued none of these"


@pytest.mark.parametrize(
    ("given", "masked"),
    [
        ({"audience": Audience.OWNER}, False),
        ({"audience": Audience.OTHER}, True),
        ({}, True),
        ({"audience": Audience.OWNER, "composed_for": Audience.OTHER}, True),
        ({"resumed": Audience.OWNER}, False),
        ({"resumed": Audience.OTHER}, True),
        ({"resumed": Audience.OTHER, "audience": Audience.OWNER}, True),
        ({"resumed": Audience.OWNER, "audience": Audience.OTHER}, True),
        ({"resumed": None}, True),
    ],
)
def test_the_audience_of_an_answer(guard: OwnerGuard, given: dict[str, Audience], masked: bool) -> None:
    if "resumed" in given:
        halted = Halted(point=GuardPoint.PRE_RESPONSE, audience=given["resumed"], reason=GuardReason.OWNER_PII_HALTED)
        # the approval row keeps its JSON
        given = {**given, "resumed": Halted.model_validate_json(halted.model_dump_json())}  # type: ignore[dict-item]
    decision = guard.pre_response(sentence(EMAIL), **given)  # type: ignore[arg-type]
    assert (decision.outcome is GuardOutcome.TRANSFORM) is masked


@pytest.mark.parametrize("audience", Audience)
def test_a_halted_run_resumes_with_the_audience_it_was_halted_with(guard: OwnerGuard, audience: Audience) -> None:
    halted = guard.pre_response(sentence(SECRET), audience=audience)
    assert halted.outcome is GuardOutcome.HALT
    assert halted.halted is not None
    assert (halted.halted.audience, halted.halted.kinds) == (audience, {PiiKind.SECRET})
    resumed = guard.pre_response(sentence(EMAIL), resumed=halted.halted)
    assert resumed.goes_on
    assert (resumed.outcome is GuardOutcome.TRANSFORM) is (audience is Audience.OTHER)


def test_the_display_mask_shows_what_others_may_read_in_every_mode(tmp_path: Path) -> None:
    for mode in ("off", "shadow", "enforce"):
        shown = owner_of(tmp_path).guard(mode).display(f"{NAME} {SECRET} {LINK}")
        assert shown.value == f"[owner:name#1] [owner:secret#1] {LINK}"


def test_masking_is_idempotent_within_one_context(guard: OwnerGuard) -> None:
    for text in (sentence(EMAIL), {"a": [EMAIL, "[owner:email#1]"]}, sentence(f"[owner:phone#7] {PHONE}")):
        once = guard.pre_llm_call(text, tier=Tier.TIER_3)
        again = guard.pre_llm_call(once.value, tier=Tier.TIER_3, exchange=once.exchange)
        assert again.value == once.value
        assert guard.restored(again.value, once) == text


def test_two_consumers_cannot_join_on_what_they_see(guard: OwnerGuard) -> None:
    first = guard.pre_tool_use("a", {"q": f"{HANDLE} and {NAME}"}, sends_to=["search_engine"])
    second = guard.pre_tool_use("b", {"q": f"{NAME}"}, sends_to=["search_engine"])
    assert first.value == {"q": "[owner:handle#1] and [owner:name#1]"}
    assert second.value == {"q": "[owner:name#1]"}
    same = guard.pre_tool_use("a", {"q": f"Νίκος Υψηλάντης, {NAME}"}, sends_to=["search_engine"])
    assert same.value == {"q": "[owner:name#2], [owner:name#1]"}, "numbers are kept within one conversation"


@pytest.mark.parametrize("text", ["nothing of anybody", "", "Grüße aus Berlin"])
def test_what_holds_nothing_of_the_owner_goes_on_as_the_same_object(guard: OwnerGuard, text: str) -> None:
    arguments = {"q": text}
    decision = guard.pre_tool_use("http_get", arguments, sends_to=["search_engine"])
    assert decision.value is arguments
    assert (decision.reason, decision.counts, decision.personal) == (None, (), False)
