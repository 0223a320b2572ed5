"""LoCoMo dialogues, as each product would export them.

LoCoMo is CC BY-NC 4.0: it is read where it lies beside the repository and nothing of it is kept here. Speaker A plays
the person, speaker B the assistant. A session has one time; its turns follow each other by a second and a microsecond,
so that a time that was rounded on the way shows.
"""

from __future__ import annotations

import gzip
import io
import json
import uuid
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

Dialogue = dict[str, Any]

SHARED_DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
_LOCOMO = SHARED_DATA / "locomo" / "locomo_dev4.json.gz"
_NAMESPACE = uuid.UUID("6d0b5f3e-6c5c-4a51-9d5e-1d1c5f0a7a11")
_ROOT = "00000000-0000-4000-8000-000000000000"


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance. `by_user` is true for speaker A."""

    session: int
    dia_id: str
    speaker: str
    by_user: bool
    text: str
    said_at: datetime


def load_dialogues() -> list[Dialogue]:
    """The four dialogues of the development split; the test is skipped where they are absent."""
    if not _LOCOMO.exists():
        pytest.skip("../shared/data/locomo is not beside the repository")
    with gzip.open(_LOCOMO) as file:
        return json.load(file)


def turns(dialogue: Dialogue) -> list[Turn]:
    """Every turn, in the order it was said."""
    said = dialogue["conversation"]
    numbers = sorted(int(name.split("_")[1]) for name, value in said.items() if isinstance(value, list))
    found = []
    for number in numbers:
        began = datetime.strptime(said[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for index, turn in enumerate(said[f"session_{number}"]):
            at = began + timedelta(seconds=index, microseconds=index)
            by_user = turn["speaker"] == said["speaker_a"]
            found.append(Turn(number, turn["dia_id"], turn["speaker"], by_user, turn["text"], at))
    return found


def sessions(dialogue: Dialogue) -> list[list[Turn]]:
    """The turns by session."""
    by_number: dict[int, list[Turn]] = {}
    for turn in turns(dialogue):
        by_number.setdefault(turn.session, []).append(turn)
    return [*by_number.values()]


def _id(dialogue: Dialogue, *names: object) -> str:
    return str(uuid.uuid5(_NAMESPACE, "/".join(map(str, (dialogue["sample_id"], *names)))))


def _epoch(at: datetime) -> float:
    return round((at - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1)) / 1_000_000


def _zulu(at: datetime) -> str:
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _lines(values: list[dict[str, Any]]) -> bytes:
    return b"".join(_json(value) + b"\n" for value in values)


def _zip(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def _chatgpt_conversation(dialogue: Dialogue, session: list[Turn]) -> dict[str, Any]:
    number = session[0].session
    root = _id(dialogue, number, "root")
    nodes: dict[str, Any] = {root: {"id": root, "message": None, "parent": None, "children": []}}
    last = root
    for turn in session:
        node = _id(dialogue, turn.dia_id)
        nodes[last]["children"].append(node)
        nodes[node] = {
            "id": node,
            "message": {
                "id": node,
                "author": {"role": "user" if turn.by_user else "assistant", "name": None, "metadata": {}},
                "create_time": _epoch(turn.said_at),
                "update_time": None,
                "content": {"content_type": "text", "parts": [turn.text]},
                "status": "finished_successfully",
                "end_turn": True,
                "weight": 1.0,
                "metadata": {"request_id": _id(dialogue, turn.dia_id, "request"), "citations": []},
                "recipient": "all",
                "channel": None,
            },
            "parent": last,
            "children": [],
        }
        last = node
    conversation = _id(dialogue, number)
    return {
        "title": f"Session {number}",
        "create_time": _epoch(session[0].said_at),
        "update_time": _epoch(session[-1].said_at),
        "mapping": nodes,
        "moderation_results": [],
        "current_node": last,
        "conversation_id": conversation,
        "is_archived": False,
        "id": conversation,
    }


def as_chatgpt(dialogue: Dialogue) -> bytes:
    """`conversations.json` of a ChatGPT export: one conversation a session."""
    return _json([_chatgpt_conversation(dialogue, session) for session in sessions(dialogue)])


def as_chatgpt_zip(dialogue: Dialogue, *, shards: int = 0) -> bytes:
    """A ChatGPT export as it is downloaded; with `shards`, in the numbered files of newer exports."""
    around = {"user.json": b'{"id":"user-1"}', "chat.html": b"<html></html>", "message_feedback.json": b"[]"}
    if not shards:
        return _zip({**around, "conversations.json": as_chatgpt(dialogue)})
    listed = [_chatgpt_conversation(dialogue, session) for session in sessions(dialogue)]
    size = -(-len(listed) // shards)
    numbered = {f"conversations-{n:03}.json": _json(listed[n * size : (n + 1) * size]) for n in range(shards)}
    # The order of the members in the file says nothing: only the numbers do.
    return _zip({**around, **dict(reversed(numbered.items())), "export_manifest.json": b"{}"})


def as_claude(dialogue: Dialogue) -> bytes:
    """`conversations.json` of a Claude export: one conversation a session."""
    listed = []
    for session in sessions(dialogue):
        messages: list[dict[str, Any]] = []
        for turn in session:
            at = _zulu(turn.said_at)
            messages.append(
                {
                    "uuid": _id(dialogue, turn.dia_id),
                    "text": turn.text,
                    "content": [{"start_timestamp": at, "type": "text", "text": turn.text, "citations": []}],
                    "sender": "human" if turn.by_user else "assistant",
                    "created_at": at,
                    "updated_at": at,
                    "attachments": [],
                    "files": [],
                    "parent_message_uuid": messages[-1]["uuid"] if messages else _ROOT,
                }
            )
        listed.append(
            {
                "uuid": _id(dialogue, session[0].session),
                "name": f"Session {session[0].session}",
                "summary": "",
                "created_at": _zulu(session[0].said_at),
                "updated_at": _zulu(session[-1].said_at),
                "account": {"uuid": _id(dialogue, "account")},
                "chat_messages": messages,
            }
        )
    return _json(listed)


def as_claude_zip(dialogue: Dialogue) -> bytes:
    """A Claude export as it is downloaded."""
    return _zip({"users.json": b"[]", "projects.json": b"[]", "conversations.json": as_claude(dialogue)})


def as_mem0(dialogue: Dialogue) -> bytes:
    """The answer of mem0's `get_all`: one memory a turn, times seven hours west as mem0 writes them."""
    west = timezone(timedelta(hours=-7))
    results = [
        {
            "id": _id(dialogue, turn.dia_id),
            "memory": turn.text,
            "hash": _id(dialogue, turn.dia_id, "hash").replace("-", ""),
            "metadata": None,
            "created_at": turn.said_at.astimezone(west).isoformat(timespec="microseconds"),
            "updated_at": None,
            "user_id": "person",
        }
        for turn in turns(dialogue)
    ]
    return _json({"results": results, "relations": []})


def as_mcp_memory(dialogue: Dialogue) -> bytes:
    """The file of an MCP memory server: one entity a speaker, one observation a turn, one relation."""
    names = [dialogue["conversation"]["speaker_a"], dialogue["conversation"]["speaker_b"]]
    entities = [
        {
            "type": "entity",
            "name": name,
            "entityType": "person",
            "observations": [turn.text for turn in turns(dialogue) if turn.speaker == name],
        }
        for name in names
    ]
    return _lines([*entities, {"type": "relation", "from": names[0], "to": names[1], "relationType": "talks_to"}])


def as_jsonl(dialogue: Dialogue) -> bytes:
    """Iris's own JSON lines: one line a turn."""
    return _lines(
        [
            {
                "id": _id(dialogue, turn.dia_id),
                "text": turn.text,
                "author": "user" if turn.by_user else "assistant",
                "said_at": turn.said_at.isoformat(),
                "conversation": f"session-{turn.session}",
            }
            for turn in turns(dialogue)
        ]
    )
