"""Answers of a model turned back event by event: however they are cut, they read as the whole does (PII-8)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from guard_world import EMAIL, NAME, PHONE, SECRET, owner_of
from hypothesis import given, settings
from hypothesis import strategies as st

from iris_memory.contracts.masking import OWNER_PII_KINDS, Mode, PiiKind
from iris_memory.guards.proxies.event_streams import EVENT_MOST, Events, TooLongError, data_of, with_data
from iris_memory.guards.proxies.llm_answers import Answers, AnswerStream
from iris_memory.masking.pseudonyms import Exchange, Pseudonyms

ALIAS = 'Jean-Luc "JL" d\'Aubrey\\'


def exchange() -> Exchange:
    """Return an exchange that issued a few pseudonyms, one of a literal that JSON has to escape."""
    made = Pseudonyms(key=b"k" * 32, consumer="llm", conversation="").exchange()
    for kind, text in ((PiiKind.EMAIL, EMAIL), (PiiKind.NAME, ALIAS), (PiiKind.PHONE, PHONE), (PiiKind.SECRET, SECRET)):
        made.issue(kind, text, meaning=text, kinds=frozenset({kind}))
    made.note("[owner:email#7]", escaped="[owner~:email#7]")
    return made


def answers(*, as_json: bool = False, kinds: frozenset[PiiKind] = OWNER_PII_KINDS) -> Answers:
    return Answers(exchange(), kinds=kinds, as_json=as_json)


_WORDS = (
    "[owner:email#1]",
    "[owner:name#1]",
    "[owner:phone#1]",
    "[owner:secret#1]",
    "[owner~:email#7]",
    "[owner:email#2]",
)
_TEXT = st.lists(st.sampled_from([*_WORDS, "[", "[owner", "o", " ", "é", "]", "#1]", "\n", '"']), max_size=12).map(
    "".join
)


@st.composite
def cut(draw: st.DrawFn) -> tuple[str, list[str]]:
    text = draw(_TEXT)
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=10)))
    return text, [text[low:high] for low, high in zip([0, *places], [*places, len(text)], strict=True)]


def chunk(delta: dict[str, Any], *, index: int = 0, finish: str | None = None) -> dict[str, Any]:
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def put_together(chunks: list[Any]) -> dict[tuple[Any, ...], str]:
    """Put the texts of chunks together, as clients do."""
    texts: dict[tuple[Any, ...], str] = {}
    for one in chunks:
        for choice in one["choices"]:
            delta = choice.get("delta", choice)
            for name in ("content", "refusal", "text"):
                if delta.get(name):
                    texts[choice["index"], name] = texts.get((choice["index"], name), "") + delta[name]
            for call in delta.get("tool_calls") or ():
                key = (choice["index"], "call", call["index"])
                texts[key] = texts.get(key, "") + call["function"].get("arguments", "")
    return texts


@settings(max_examples=150, deadline=None)
@given(first=cut(), second=cut(), call=cut(), ended=st.booleans())
def test_chunks_read_as_the_whole_does(
    first: tuple[str, list[str]], second: tuple[str, list[str]], call: tuple[str, list[str]], ended: bool
) -> None:
    chunks = [chunk({"role": "assistant", "content": ""})]
    # two choices take turns; then the first calls a tool
    for number in range(max(len(first[1]), len(second[1]))):
        chunks += [chunk({"content": piece}) for piece in first[1][number : number + 1]]
        chunks += [chunk({"content": piece}, index=1) for piece in second[1][number : number + 1]]
    for piece in call[1]:
        chunks.append(chunk({"tool_calls": [{"index": 2, "function": {"arguments": piece}}]}))
    if ended:
        chunks += [chunk({}, finish="tool_calls"), chunk({}, index=1, finish="stop")]
    stream, whole = AnswerStream(answers()), answers()
    out = [event for one in chunks for event in stream.feed(one)]
    if ended:
        assert stream.finish() == []
    else:
        out += stream.finish()
    expected = {
        (0, "content"): whole.text_of(first[0], "content"),
        (1, "content"): whole.text_of(second[0], "content"),
        (0, "call", 2): whole.text_of(call[0], "arguments"),
    }
    assert {key: text for key, text in put_together(out).items() if text} == {
        key: text for key, text in expected.items() if text
    }


@settings(max_examples=100, deadline=None)
@given(text=cut(), done=st.booleans(), arguments=st.booleans())
def test_events_of_a_response_read_as_the_whole_does_and_their_numbers_have_no_gap(
    text: tuple[str, list[str]], done: bool, arguments: bool
) -> None:
    kind = "response.function_call_arguments" if arguments else "response.output_text"
    name = "arguments" if arguments else "text"
    place = {"item_id": "i", "output_index": 0} | ({} if arguments else {"content_index": 0})
    events: list[dict[str, Any]] = [{"type": "response.created", "response": {"output": []}}]
    events += [{"type": f"{kind}.delta", **place, "delta": piece} for piece in text[1]]
    if done:
        events.append({"type": f"{kind}.done", **place, name: text[0]})
    events.append({"type": "response.completed", "response": {"output": [{name: text[0]}]}})
    events = [{**event, "sequence_number": number} for number, event in enumerate(events)]
    stream = AnswerStream(answers())
    out = [event for one in events for event in stream.feed(one)]
    assert stream.finish() == []
    expected = answers().text_of(text[0], name)
    assert "".join(event["delta"] for event in out if event["type"].endswith(".delta")) == expected
    assert [event[name] for event in out if event["type"].endswith(f"{kind}.done")] == [expected] * done
    assert out[-1]["response"]["output"][0][name] == expected
    assert [event["sequence_number"] for event in out] == list(range(len(out)))


def test_arguments_stay_json_whatever_is_put_into_them() -> None:
    whole = answers()
    call = {
        "tool_calls": [{"function": {"name": "f", "arguments": '{"to":"[owner:name#1]"}'}}],
        "content": "[owner:name#1]",
    }
    back = whole.whole(call)
    assert json.loads(back["tool_calls"][0]["function"]["arguments"]) == {"to": ALIAS}
    assert back["content"] == ALIAS
    asked_for_json = answers(as_json=True).whole({"content": '{"to":"[owner:name#1]"}'})
    assert json.loads(asked_for_json["content"]) == {"to": ALIAS}


def test_a_kind_that_is_not_granted_and_a_secret_stay_as_they_are() -> None:
    text = " ".join(_WORDS)
    assert answers(kinds=frozenset({PiiKind.EMAIL, PiiKind.SECRET})).text_of(text, "content") == (
        f"{EMAIL} [owner:name#1] [owner:phone#1] [owner:secret#1] [owner:email#7] [owner:email#2]"
    )


def test_a_text_that_ends_where_another_begins_is_given_out_first() -> None:
    stream = AnswerStream(answers())
    out = stream.feed(chunk({"content": "see [owner:em"}))
    out += stream.feed(chunk({"tool_calls": [{"index": 0, "id": "x", "function": {"name": "f", "arguments": "{"}}]}))
    assert [one["choices"][0]["delta"] for one in out] == [
        {"content": "see "},
        {"content": "[owner:em"},
        {"tool_calls": [{"index": 0, "id": "x", "function": {"name": "f", "arguments": "{"}}]},
    ]


_EVENT = st.sampled_from(
    ["data: a\n\n", "data: a\r\n\r\n", ": note\n\n", "id: 1\ndata:b\ndata: c\n\n", "event: x\rdata: d\r\r"]
)


@settings(max_examples=150, deadline=None)
@given(events=st.lists(_EVENT, max_size=6), places=st.lists(st.integers(0, 200), max_size=12))
def test_events_are_cut_alike_however_they_come(events: list[str], places: list[int]) -> None:
    raw = "".join(events).encode()
    bounds = sorted({min(place, len(raw)) for place in places})
    cutter = Events()
    found = [
        event
        for low, high in zip([0, *bounds], [*bounds, len(raw)], strict=True)
        for event in cutter.feed(raw[low:high])
    ]
    rest = cutter.finish()
    assert b"".join(found) + rest == raw
    assert [data_of(event) for event in [*found, rest] if event.strip()] == [
        data_of(event.encode()) for event in events
    ]


def test_an_event_is_rewritten_with_everything_but_its_comments() -> None:
    assert with_data(b": o_varga\nid: 7\ndata: old\ndata: er\n\n", b"new\ner") == b"id: 7\ndata: new\ndata: er\n\n"
    with pytest.raises(TooLongError):
        Events().feed(b"x" * (EVENT_MOST + 1))


def test_what_the_guard_issues_is_what_is_turned_back(tmp_path: Path) -> None:
    guard = owner_of(tmp_path).guard(Mode.ENFORCE)
    decision = guard.pre_llm_call({"messages": [{"role": "user", "content": f"{EMAIL} {PHONE} {SECRET} {NAME}"}]})
    assert decision.exchange is not None
    back = Answers(decision.exchange, kinds=OWNER_PII_KINDS).whole(decision.value)
    assert back["messages"][0]["content"] == f"{EMAIL} {PHONE} [owner:secret#1] {NAME}"
