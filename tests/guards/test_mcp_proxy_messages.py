"""An MCP conversation message by message: what goes on, what is answered instead, and what is turned back (PII-12)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from guard_world import EMAIL, FIRST, NAME, PHONE, SECRET, Owner, owner_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from proxy_world import without_canaries

from iris_memory.contracts.guarding import SendsTo
from iris_memory.contracts.masking import Mode, PiiKind
from iris_memory.guards.proxies.mcp_conversation import McpConversation, Passage


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    return owner_of(
        tmp_path, config="destinations: {mcp_mail_archive: [email]}\nlog_only_destinations: [mcp_mail_log]\n"
    )


def conversation(owner: Owner, mode: Mode = Mode.ENFORCE, **more: Any) -> McpConversation:
    return McpConversation(owner.guard(mode), server="mail", **more)


def call(tool: str, number: int | str = 1, **arguments: Any) -> bytes:
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()


def result(value: Any, number: int | str = 1) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": value}).encode()


def said(raw: bytes | None) -> Any:
    assert raw is not None
    return json.loads(raw)


def test_a_call_without_the_owner_goes_on_byte_by_byte(owner: Owner) -> None:
    raw = (
        b'{ "jsonrpc":"2.0","id" : 1e0,"method":"tools/call","params":{"name":"send","arguments":{"to":"b\\u00f6b"}} }'
    )
    assert conversation(owner).to_server(raw) == Passage(raw)


@pytest.mark.parametrize("written", [EMAIL, PHONE, SECRET, EMAIL.upper(), EMAIL.replace("o", "о")])
def test_a_denied_call_is_a_result_that_says_why_and_nothing_else(owner: Owner, written: str) -> None:
    passage = conversation(owner).to_server(call("send", "seven", to=f"to {written}"))
    assert passage.onward is None
    answer = said(passage.back)
    assert answer["id"] == "seven"
    assert answer["result"]["isError"] is True
    assert answer["result"]["_meta"]["iris/stopped"]["reason"] == "owner-pii-denied"
    assert len(answer["result"]["_meta"]["iris/stopped"]["kinds"]) == 1
    without_canaries(passage.back.decode())


def test_a_literal_is_found_in_names_numbers_nested_json_and_over_adjacent_leaves(owner: Owner) -> None:
    hidden: list[dict[str, Any]] = [
        {EMAIL: 1},
        {"phone": 442079460958},
        {"body": json.dumps({"to": json.dumps([EMAIL])})},
        {"body": base64.b64encode(f"write to {EMAIL} now".encode()).decode()},
        {"parts": ["o_varga", "@quillworks.example"]},
        {"q": EMAIL.replace("@", "%40")},
    ]
    assert conversation(owner).to_server(call("send", 442079460958)).onward is None
    for arguments in hidden:
        passage = conversation(owner).to_server(call("send", **arguments))
        assert passage.onward is None, arguments
        without_canaries((passage.back or b"").decode())


def test_a_destination_is_the_server_and_the_tool(owner: Owner) -> None:
    talk = conversation(owner)
    assert talk.to_server(call("archive", to=EMAIL)).onward == call("archive", to=EMAIL)
    assert talk.to_server(call("archive", to=PHONE)).onward is None
    assert talk.to_server(call("log", to=EMAIL)).onward == call("log", to=EMAIL)
    assert talk.to_server(call("log", to=SECRET)).onward is None
    assert McpConversation(owner.guard(), server="other").to_server(call("archive", to=EMAIL)).onward is None


def test_a_tool_declared_a_search_engine_has_names_masked(owner: Owner) -> None:
    talk = conversation(owner, sends_to={"search": [SendsTo.SEARCH_ENGINE]})
    masked = said(talk.to_server(call("search", q=f"who is {NAME}? They say that {FIRST} writes")).onward)
    assert masked["params"]["arguments"]["q"].startswith("who is [owner:name#1]? They say that [owner:name#")
    assert talk.to_server(call("other", q=NAME)).onward == call("other", q=NAME)
    everywhere = conversation(owner, sends_to={"*": [SendsTo.SEARCH_ENGINE]})
    assert said(everywhere.to_server(call("other", q=NAME)).onward)["params"]["arguments"]["q"] == "[owner:name#1]"


def test_what_masking_wrote_on_the_way_out_is_never_turned_back(owner: Owner) -> None:
    talk = conversation(owner, sends_to={"*": [SendsTo.SEARCH_ENGINE]}, restore=frozenset({PiiKind.NAME}))
    talk.to_client(result({"a": NAME}))
    value = said(talk.to_server(call("search", q=f"{NAME} and [owner:name#1]")).onward)["params"]["arguments"]["q"]
    # the first was typed and stays masked; the second came from this very server and goes back to it
    assert value == f"[owner:name#1] and {NAME}"


def test_requests_that_are_no_tool_calls_are_answered_with_an_error(owner: Owner) -> None:
    talk = conversation(owner)
    for method in ("prompts/get", "resources/read", "completion/complete", "anything/new"):
        raw = json.dumps({"jsonrpc": "2.0", "id": 4, "method": method, "params": {"uri": EMAIL}}).encode()
        passage = talk.to_server(raw)
        assert passage.onward is None
        assert said(passage.back)["error"]["data"] == {"reason": "owner-pii-denied", "kinds": ["email"]}
        without_canaries((passage.back or b"").decode())


def test_a_notification_is_dropped_and_a_cancellation_loses_its_reason(owner: Owner) -> None:
    talk = conversation(owner)
    progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "message": EMAIL}}
    assert talk.to_server(json.dumps(progress).encode()) == Passage(None)
    cancelled = {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": "a-1", "reason": f"{EMAIL} left"},
    }
    passage = talk.to_server(json.dumps(cancelled).encode())
    assert said(passage.onward) == {**cancelled, "params": {"requestId": "a-1"}}
    cancelled["params"] = {"requestId": EMAIL, "reason": EMAIL}
    assert talk.to_server(json.dumps(cancelled).encode()) == Passage(None)


def test_the_answer_of_a_client_is_judged_and_the_server_does_not_wait(owner: Owner) -> None:
    raw = result({"role": "assistant", "content": {"type": "text", "text": f"write {EMAIL}"}}, 9)
    passage = conversation(owner).to_server(raw)
    assert passage.back is None
    assert said(passage.onward)["id"] == 9
    assert said(passage.onward)["error"]["data"]["kinds"] == ["email"]


@pytest.mark.parametrize(
    "message",
    [
        {"id": 1, "result": {"content": [{"type": "text", "text": EMAIL}], "structuredContent": {"from": [EMAIL]}}},
        {"id": 1, "result": {"contents": [{"uri": f"mail://{EMAIL}", "text": json.dumps({"a": EMAIL})}]}},
        {"id": 1, "result": {"messages": [{"role": "user", "content": {"type": "text", "text": EMAIL}}]}},
        {"id": 1, "error": {"code": -32000, "message": f"no {EMAIL}", "data": {"who": EMAIL}}},
        {"id": "x", "method": "sampling/createMessage", "params": {"systemPrompt": EMAIL, "messages": [EMAIL]}},
        {"id": 3, "method": "elicitation/create", "params": {"message": EMAIL, "requestedSchema": {"title": EMAIL}}},
        {"method": "notifications/progress", "params": {"progressToken": 1, "progress": 1, "message": EMAIL}},
        {"method": "notifications/message", "params": {"level": "info", "data": {"deep": [EMAIL]}}},
        {"id": 1, "result": {"tools": [{"name": "t", "description": EMAIL, "inputSchema": {"default": EMAIL}}]}},
        {"id": 1, "result": {"instructions": EMAIL, "serverInfo": {"name": EMAIL}}},
        {"method": "notifications/unheard-of", "anything": {EMAIL: EMAIL}},
    ],
)
def test_everything_a_server_says_is_read(owner: Owner, message: dict[str, Any]) -> None:
    raw = json.dumps({"jsonrpc": "2.0", **message}).encode()
    passage = conversation(owner).to_client(raw)
    without_canaries((passage.onward or b"").decode())
    masked = said(passage.onward)
    assert "[owner:email#1]" in json.dumps(masked)
    assert (masked.get("id"), masked.get("method")) == (message.get("id"), message.get("method"))


def test_base64_parts_stay_base64(owner: Owner) -> None:
    text = base64.b64encode(f"to {EMAIL}".encode()).decode()
    image = base64.b64encode(b"\x89PNG\xff" + EMAIL.encode() + b"\x00\xfe").decode()
    plain = base64.b64encode(bytes(range(256))).decode()
    parts = [{"blob": text}, {"type": "image", "data": image}, {"type": "audio", "data": plain}, {"blob": "not b64!"}]
    masked = said(conversation(owner).to_client(result({"content": parts})).onward)["result"]["content"]
    assert base64.b64decode(masked[0]["blob"]) == b"to [owner:email#1]"
    assert base64.b64decode(masked[1]["data"]) == b"\x89PNG\xff[owner:email#1]\x00\xfe"
    assert masked[2:] == parts[2:]


def test_only_granted_kinds_are_turned_back_and_only_to_the_server_they_came_from(owner: Owner) -> None:
    guard = owner.guard()
    mail = McpConversation(guard, server="mail", restore=frozenset({PiiKind.EMAIL, PiiKind.SECRET}))
    mail.to_client(result({"text": f"{EMAIL} {PHONE} {SECRET}"}))
    sent = said(mail.to_server(call("send", to="[owner:email#1]", body="[owner:phone#1] [owner:secret#1]")).onward)
    assert sent["params"]["arguments"] == {"to": EMAIL, "body": "[owner:phone#1] [owner:secret#1]"}
    evil = McpConversation(guard, server="evil", restore=frozenset({PiiKind.EMAIL}))
    raw = call("take", to="[owner:email#1] [owner:email#2]")
    assert evil.to_server(raw).onward == raw


def test_tokens_of_another_consumer_or_conversation_are_text(owner: Owner) -> None:
    guard = owner.guard()
    granted = {"server": "mail", "restore": frozenset({PiiKind.EMAIL})}
    first = McpConversation(guard, client="planner", **granted)
    first.to_client(result(EMAIL))
    for other in (
        McpConversation(guard, client="finance", **granted),
        McpConversation(guard, client="planner", conversation="b", **granted),
    ):
        assert said(other.to_server(call("send", to="[owner:email#1]")).onward)["params"]["arguments"]["to"] == (
            "[owner:email#1]"
        )
        other.to_client(result({"ottoline": "ottoline.varga@gmail.com"}))
        # it has a number one of its own by now, which stands for something else
        assert said(other.to_server(call("send", to="[owner:email#1]")).onward)["params"]["arguments"]["to"] == (
            "ottoline.varga@gmail.com"
        )


def test_a_typed_token_means_nothing(owner: Owner) -> None:
    talk = conversation(owner, restore=frozenset(PiiKind))
    shown = said(talk.to_client(result(f"[owner:email#1] is what {EMAIL} typed: [owner:email#9]")).onward)["result"]
    assert shown == "[owner~:email#1] is what [owner:email#1] typed: [owner~:email#9]"
    sent = said(talk.to_server(call("send", to=shown)).onward)["params"]["arguments"]["to"]
    assert sent == f"[owner:email#1] is what {EMAIL} typed: [owner:email#9]"


def test_a_token_split_over_leaves_is_not_one(owner: Owner) -> None:
    talk = conversation(owner, restore=frozenset({PiiKind.EMAIL}))
    talk.to_client(result(EMAIL))
    for arguments in ({"parts": ["[owner:em", "ail#1]"]}, {"[owner:email#1]": "a"}, {"to": "[ owner:email#1 ]"}):
        raw = call("send", **arguments)
        assert talk.to_server(raw).onward == raw


def test_names_of_the_servers_own_find_their_way_back(owner: Owner) -> None:
    talk = conversation(owner)
    listed = said(talk.to_client(result({"resources": [{"uri": f"mail://{EMAIL}/1"}], "nextCursor": EMAIL})).onward)
    uri = listed["result"]["resources"][0]["uri"]
    read = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri, "note": "[owner:email#1]"}}
    onward = said(talk.to_server(json.dumps(read).encode()).onward)
    assert onward["params"] == {"uri": f"mail://{EMAIL}/1", "note": "[owner:email#1]"}
    asked = {"jsonrpc": "2.0", "id": f"q-{EMAIL}", "method": "roots/list"}
    number = said(talk.to_client(json.dumps(asked).encode()).onward)["id"]
    assert said(talk.to_server(result({"roots": []}, number)).onward)["id"] == f"q-{EMAIL}"
    # an argument of the same name is no name of the server's
    assert b"varga" not in (talk.to_server(call("send", uri="[owner:email#1]")).onward or b"")


def test_headers_that_repeat_a_message_are_rewritten_with_it(owner: Owner) -> None:
    talk = conversation(owner, restore=frozenset({PiiKind.EMAIL}))
    talk.to_client(result(EMAIL))
    plain = {"mcp-param-to": "[owner:email#1]", "Mcp-Name": "send", "accept": "x"}
    passage = talk.to_server(call("send", to="[owner:email#1]"), headers=plain)
    assert passage.headers == {"mcp-param-to": EMAIL}
    wrapped = f"=?base64?{base64.b64encode(EMAIL.encode()).decode()}?="
    assert talk.to_server(call("send", to="x"), headers={"Mcp-Param-To": wrapped}).onward is None


@pytest.mark.parametrize(
    "raw",
    [
        b"no json",
        b'{"a":1,"a":2}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":"o_varga@quillworks.example","x":""}}}',
        b"\xff\xfe",
        b"[" * 100_000,
        '{"jsonrpc":"2.0"}'.encode("utf-16"),
    ],
)
def test_what_is_no_json_that_everybody_reads_alike_goes_nowhere(owner: Owner, raw: bytes) -> None:
    talk = conversation(owner)
    passage = talk.to_server(raw)
    assert passage.onward is None
    assert said(passage.back)["error"]["code"] == -32700
    assert talk.to_client(raw) == Passage(None)
    for mode in (Mode.OFF, Mode.SHADOW):
        talk = conversation(owner, mode)
        assert talk.to_server(raw).onward is raw
        assert talk.to_client(raw).onward is raw


def test_a_value_too_deep_to_be_read_is_answered_for(owner: Owner) -> None:
    deep: Any = EMAIL
    for _ in range(300):
        deep = [deep]
    talk = conversation(owner)
    assert said(talk.to_server(call("send", deep=deep)).back)["result"]["_meta"]["iris/stopped"]["reason"] == (
        "not-observed"
    )
    assert said(talk.to_client(result(deep, 8)).onward)["error"]["data"]["reason"] == "not-observed"
    asked = {"jsonrpc": "2.0", "id": 2, "method": "sampling/createMessage", "params": {"deep": deep}}
    passage = talk.to_client(json.dumps(asked).encode())
    assert passage.onward is None
    assert said(passage.back)["id"] == 2


def test_a_batch_stands_and_falls_together(owner: Owner) -> None:
    talk = conversation(owner)
    clean = b"[" + call("a", 1, x="y") + b" ," + call("b", 2) + b"]"
    assert talk.to_server(clean) == Passage(clean)
    passage = talk.to_server(b"[" + call("a", 1, x="y") + b"," + call("b", 2, to=EMAIL) + b"]")
    assert passage.onward is None
    assert [answer["id"] for answer in said(passage.back)] == [1, 2]
    masked = said(talk.to_client(b"[" + result(EMAIL, 1) + b"," + result("x", 2) + b"]").onward)
    assert [answer["result"] for answer in masked] == ["[owner:email#1]", "x"]


def test_an_owner_nobody_knows_stops_everything_in_enforce(tmp_path: Path) -> None:
    nobody = Owner(tmp_path / "nobody").write(user="nothing", config="enforce: [email]\n")
    assert said(conversation(nobody).to_server(call("a", x=1)).back)["result"]["_meta"]["iris/stopped"] == {
        "reason": "not-observed",
        "kinds": [],
    }
    assert conversation(nobody, Mode.SHADOW).to_server(call("a", x=1)).onward == call("a", x=1)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(max_size=12)
    | st.sampled_from([EMAIL, NAME, PHONE]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=_JSON, spaced=st.booleans())
def test_off_and_shadow_change_no_byte(owner: Owner, value: Any, spaced: bool) -> None:
    for raw in (
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": value}, indent=1 if spaced else None),
        json.dumps({"jsonrpc": "2.0", "id": 1, "result": value}, ensure_ascii=False),
    ):
        message = raw.encode("utf-8", "surrogatepass")
        for mode in (Mode.OFF, Mode.SHADOW):
            talk = conversation(owner, mode)
            assert talk.to_server(message) == Passage(message)
            assert talk.to_client(message) == Passage(message)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=_JSON)
def test_what_came_masked_goes_back_as_it_was_where_all_is_granted(owner: Owner, value: Any) -> None:
    talk = conversation(owner, restore=frozenset(PiiKind))
    masked = said(talk.to_client(result({"v": value})).onward)["result"]["v"]
    if any(EMAIL in text or PHONE in text or NAME in text for text in _names(value)):
        return
    back = said(talk.to_server(call("send", v=masked)).onward)["params"]["arguments"]["v"]
    assert json.dumps(back) == json.dumps(value)


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from _names(part)
    elif isinstance(value, list):
        for part in value:
            yield from _names(part)


def test_rows_hold_no_literal(owner: Owner) -> None:
    for mode in (Mode.SHADOW, Mode.ENFORCE):
        talk = conversation(owner, mode)
        talk.to_server(call("send", to=EMAIL, phone=PHONE, code=SECRET))
        talk.to_client(result(f"{EMAIL} {PHONE} {SECRET} {NAME}"))
        talk.to_server(b"broken " + EMAIL.encode())
    without_canaries(owner.file.read_text())
    outcomes = [(firing.point.value, firing.outcome.value) for firing in owner.firings()]
    assert outcomes == [
        ("pre_tool_use", "allow"),
        ("capability_result", "allow"),
        ("pre_tool_use", "allow"),
        ("pre_tool_use", "deny"),
        ("capability_result", "transform"),
        ("pre_tool_use", "deny"),
    ]
    assert [firing.row.failed for firing in owner.firings()][2::3] == ["MaskingError", "MaskingError"]
