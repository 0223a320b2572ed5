"""The ten tools through the real client: one envelope, the subject from the credential, no words in errors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from flows.stores import BASE, TERMS, person, sound
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.mcp.envelope import Envelope
from iris_memory.mcp.speaking import create_server
from iris_memory.mcp.tools import TOOLS, Asker
from mcp import Client

SECRET = "a canary that sings at dawn"
Call = Callable[..., Coroutine[Any, Any, dict[str, Any]]]


def spoken(me: PersonMemory, script: Callable[[Call], Coroutine[Any, Any, None]], **more: Any) -> None:
    """Run a script of calls against the tools of one person."""

    async def run() -> None:
        async with Client(create_server(lambda context: Asker(me, "acme", "ada", **more))) as client:

            async def call(tool: str, **arguments: Any) -> dict[str, Any]:
                answer = await client.call_tool(tool, arguments)
                told = Envelope.model_validate_json(answer.content[0].text).model_dump(mode="json")
                assert answer.is_error is not told["ok"]
                assert json.loads(answer.content[0].text) == answer.structured_content
                return told

            await script(call)

    asyncio.run(run())


def test_ten_tools_are_told_with_their_shapes(me: PersonMemory) -> None:
    async def run() -> None:
        async with Client(create_server(lambda context: Asker(me, "acme", "ada"))) as client:
            told = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(told) == list(TOOLS)
        assert 8 <= len(told) <= 10
        for tool in told.values():
            named = json.dumps(tool.input_schema)
            assert "tenant_id" not in named
            assert '"user_id"' not in named, "no tool lets a caller name the person"
            assert tool.input_schema["additionalProperties"] is False
            assert set(tool.output_schema["properties"]) == {"ok", "data", "error"}
        assert told["forget"].annotations.destructive_hint
        assert told["recall"].annotations.read_only_hint

    asyncio.run(run())


def test_a_memory_lives_and_ends(iris: Iris, me: PersonMemory) -> None:
    async def script(call: Call) -> None:
        kept = await call("remember", body="Prefers the window seat", subject="seat", session_id="s-1")
        logical = kept["data"]["entry"]["logical_id"]
        assert kept["data"]["outcome"] == "written"
        found = await call("recall", text="window seat")
        assert [hit["entry"]["body"] for hit in found["data"]["hits"]] == ["Prefers the window seat"]
        assert found["data"]["hits"][0]["entry"]["label"] == "user-typed", "each hit says who wrote it"
        why = await call("explain", logical_id=logical, text="window seat")
        assert why["ok"]
        revised = await call("revise", logical_id=logical, body="Prefers the aisle seat")
        assert revised["data"]["entry"]["revision"] == 2
        assert len((await call("history", logical_id=logical))["data"]["revisions"]) == 2
        assert (await call("list"))["data"]["total"] == 1
        before = await call("forget", logical_id=logical, preview=True)
        assert before["data"]["memories"] == 1
        assert (await call("list"))["data"]["total"] == 1, "a preview changes nothing"
        gone = await call("forget", logical_id=logical)
        assert gone["data"]["receipt_id"]
        assert (await call("list"))["data"]["total"] == 0

    spoken(me, script)
    sound(iris)


def test_a_refusal_is_an_answer_that_says_what_is_needed(iris: Iris) -> None:
    async def script(call: Call) -> None:
        told = await call("remember", body=SECRET, category="medical")
        assert told["error"]["code"] == "sensitive-category-without-consent"
        assert told["error"]["needs"] == ["category:medical"]
        assert SECRET not in json.dumps(told)

    spoken(person(iris), script)


def test_a_question_is_listed_and_the_persons_answer_passed_on(me: PersonMemory) -> None:
    async def script(call: Call) -> None:
        await call("remember", body="Lives in Lisbon", subject="home")
        asked = await call("remember", body="Lives in Porto", subject="home")
        assert asked["data"]["outcome"] == "ask-user"
        question = (await call("answer_question"))["data"]["questions"][0]
        wrong = await call("answer_question", question_id=question["question_id"], decision="replace", digest="0" * 64)
        assert not wrong["ok"], "an answer to other texts is none"
        done = await call(
            "answer_question", question_id=question["question_id"], decision="replace", digest=question["digest"]
        )
        assert done["data"]["entry"]["body"] == "Lives in Porto"
        assert not (await call("answer_question", question_id=question["question_id"]))["ok"]

    spoken(me, script)


def test_off_the_record_nothing_is_written_or_read(me: PersonMemory) -> None:
    async def script(call: Call) -> None:
        await call("remember", body="Takes tea at four")
        assert len((await call("pause"))["data"]["pauses"]) == 1
        assert (await call("remember", body="Another thing"))["error"]["code"] == "off-the-record"
        assert (await call("recall", text="tea"))["data"]["hits"] == []
        assert (await call("consent_status"))["data"]["pauses"]
        assert (await call("pause", resume=True))["data"]["pauses"] == []
        assert len((await call("recall", text="tea"))["data"]["hits"]) == 1

    spoken(me, script)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("remember", {"body": 7}),
        ("remember", {"body": SECRET, "category": SECRET}),
        ("remember", {"body": SECRET, "user_id": "eve"}),
        ("remember", {"body": SECRET * 200}),
        ("remember", {"body": SECRET, "scope": {"kind": "profile", "user_id": "eve"}}),
        ("recall", {"text": SECRET, "limit": "many"}),
        ("recall", {"contexts": [SECRET]}),
        ("answer_question", {"question_id": "q", "digest": SECRET}),
        ("pause", {"session_id": "\x00" + SECRET}),
        ("nothing", {"body": SECRET}),
    ],
)
def test_bad_input_is_told_without_a_word_of_it(me: PersonMemory, tool: str, arguments: dict[str, Any]) -> None:
    async def script(call: Call) -> None:
        told = await call(tool, **arguments)
        assert told["error"]["code"] in {"invalid", "no-such-tool"}
        assert SECRET not in json.dumps(told)
        assert told["error"]["detail"]

    spoken(me, script)


def test_ids_of_somebody_else_read_as_ids_that_never_were(iris: Iris, me: PersonMemory) -> None:
    theirs = iris.for_user(tenant="acme", user="eve")
    theirs.consent.grant(*BASE, terms=TERMS)
    kept = theirs.remember("Keeps bees")
    assert kept.outcome == "written"

    async def script(call: Call) -> None:
        for tool in ("explain", "history", "forget"):
            foreign = await call(tool, logical_id=kept.entry.logical_id)
            absent = await call(tool, logical_id="0195f2b0-0000-7000-8000-00000000dead")
            assert foreign == absent
            assert foreign["error"]["code"] == "unknown-memory"

    spoken(me, script)


def test_what_breaks_is_told_by_its_kind_alone(me: PersonMemory) -> None:
    async def run() -> None:
        def nobody(context: object) -> Asker:
            raise RuntimeError(SECRET)

        async with Client(create_server(nobody)) as client:
            answer = await client.call_tool("list", {})
        assert answer.structured_content["error"]["code"] == "defect"
        assert SECRET not in answer.model_dump_json()

    asyncio.run(run())


def test_a_stale_credential_may_look_and_not_destroy(me: PersonMemory) -> None:
    async def script(call: Call) -> None:
        kept = await call("remember", body="Takes tea at four")
        logical = kept["data"]["entry"]["logical_id"]
        assert (await call("forget", logical_id=logical, preview=True))["ok"]
        assert (await call("forget", logical_id=logical))["error"]["code"] == "step-up-needed"
        assert (await call("list"))["data"]["total"] == 1

    spoken(me, script, may_forget=False)
