"""Every way in and out of a person's memory, with a consumer outside the allow-list, and without the review in force.

Each public method stands in one of two lists. What opens memory shows no word of it and writes none. What is the
person's own right works whatever the consumer, and shows no word of a memory either. A method in no list fails here.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from iris_memory.contracts.consent import OptOut
from iris_memory.contracts.scope import NotebookScope, TenantScope
from iris_memory.contracts.write import Refused, Statement
from iris_memory.errors import IrisError, UnknownMemoryError
from iris_memory.flows.import_ import ImportWish
from iris_memory.front.asking import recall_all, wish_of
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.storage.keys import FixedKey

WORD = "Fernweh"
DIGEST = "0" * 64
LATER = datetime(2126, 1, 1, tzinfo=UTC)


class Filled:
    """Ada's memory, and the ids of what it holds."""

    def __init__(self, iris: Iris, folder: Path) -> None:
        self.iris, self.folder = iris, folder
        me = iris.for_user(tenant="acme", user="ada", session="s1")
        me.consent.grant("data_processing", "data_storage", "tenant_processing", terms="We keep what you tell us.")
        first = me.remember(f"{WORD} by the window", subject="seat")
        me.remember(f"{WORD} by the aisle", subject="seat")
        self.name = first.entry.logical_id  # type: ignore[union-attr]
        (self.question,) = me.questions()
        self.file = folder / "notes.jsonl"
        self.file.write_text(json.dumps({"ref": "a", "author": "user", "text": f"{WORD} in the evening"}) + "\n")

    def as_(self, consumer: str) -> PersonMemory:
        return self.iris.for_user(tenant="acme", user="ada", consumer=consumer, session="s1")


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Filled]:
    with Iris.open(tmp_path / "store", key=FixedKey(b"\x04" * 32), tended=False) as iris:
        yield Filled(iris, tmp_path)


OPENS: dict[str, Callable[[PersonMemory, Filled], Any]] = {
    "remember": lambda me, f: me.remember(f"{WORD} again"),
    "remember_many": lambda me, f: me.remember_many([Statement(body=f"{WORD} twice")]),
    "recall": lambda me, f: me.recall(WORD).hits,
    "asking": lambda me, f: [told.hits for told in recall_all([me.asking(wish_of(WORD))] * 2)],  # type: ignore[union-attr]
    "explain": lambda me, f: me.explain(f.name, WORD),
    "list": lambda me, f: me.list().entries,
    "show": lambda me, f: me.show(f.name),
    "history": lambda me, f: me.history(f.name),
    "revise": lambda me, f: me.revise(f.name, f"{WORD} anew"),
    "preview_revise": lambda me, f: me.preview_revise(f.name, f"{WORD} anew"),
    "questions": lambda me, f: me.questions(),
    "answer": lambda me, f: me.answer(f.question.question_id, "replace", digest=f.question.digest),
    "import_file": lambda me, f: me.import_file(f.file, format="jsonl", wish=ImportWish()).refused,
    "held": lambda me, f: me.held(),
    "expand": lambda me, f: me.expand(f.name),
    "reviews": lambda me, f: me.reviews(),
    "change_scope": lambda me, f: me.change_scope(f.name, NotebookScope(user_id="ada", notebook_id="n")),
}
RIGHTS: dict[str, Callable[[PersonMemory, Filled], Any]] = {
    "preview_forget": lambda me, f: me.preview_forget(everything=True),
    "forget": lambda me, f: me.forget(f.name, scan=False),
    "erase": lambda me, f: me.erase(scan=False),
    "end_session": lambda me, f: me.end_session(),
    "pause": lambda me, f: me.pause(),
    "resume": lambda me, f: me.resume(),
    "pauses": lambda me, f: me.pauses(),
    "opt_out": lambda me, f: me.opt_out(OptOut.HISTORY),
    "opt_outs": lambda me, f: me.opt_outs(),
    "scope_policies": lambda me, f: me.scope_policies(),
    "consent_trail": lambda me, f: me.consent_trail(),
    "looked": lambda me, f: me.looked(),
    "notices": lambda me, f: me.notices(),
}
ELSEWHERE = {
    "decide_review": "a decision about a memory whose time is over: see the tests of reviews",
}
"""Methods of areas whose own tests look at the consumer."""


def test_every_method_stands_in_a_list() -> None:
    public = {name for name, _ in inspect.getmembers(PersonMemory, inspect.isfunction) if not name.startswith("_")}
    assert public - set(ELSEWHERE) == set(OPENS) | set(RIGHTS)


@pytest.mark.parametrize("consumer", ["studio", "admin", "support"])
@pytest.mark.parametrize("name", OPENS)
def test_a_foreign_consumer_is_shown_no_word_and_writes_none(name: str, consumer: str, filled: Filled) -> None:
    before = _words(filled)
    try:
        told = OPENS[name](filled.as_(consumer), filled)
    except UnknownMemoryError:
        told = None
    assert WORD not in _told(told)
    if name in {"remember", "revise", "answer", "import_file"} and told is not None:
        assert isinstance(told, Refused)
    assert _words(filled) == before


@pytest.mark.parametrize("name", RIGHTS)
def test_a_right_works_and_shows_no_word(name: str, filled: Filled) -> None:
    assert WORD not in _told(RIGHTS[name](filled.as_("support"), filled))


@pytest.mark.parametrize("name", OPENS)
def test_the_same_acts_work_for_an_allowed_consumer(name: str, filled: Filled) -> None:
    """The walls are the consumer's: what shows nothing to others shows it to the assistant."""
    told = OPENS[name](filled.as_("assistant"), filled)
    if name in {"held", "import_file", "reviews"}:
        return
    if name == "explain":
        assert told.outcome == "returned"
        return
    assert WORD in _told(told)


@pytest.mark.parametrize("name", ["list", "recall", "show", "history", "explain"])
def test_a_scope_whose_review_is_not_in_force_shows_nothing(name: str, filled: Filled) -> None:
    me, governance = filled.as_("assistant"), filled.iris.governance(tenant="acme")
    scope = TenantScope(tenant_id="acme", user_id="ada")
    ends = datetime.now(tz=UTC).replace(microsecond=0)
    request = governance.ask("tenant", asked_by="olaf", reason="pilot", until=ends.replace(year=ends.year + 1, day=1))
    governance.grant(request.request_id, granted_by="petra")
    kept = me.remember(f"{WORD} at the office", scope=scope)
    filled.name = kept.entry.logical_id  # type: ignore[union-attr]
    assert f"{WORD} at the office" in _told(me.list().entries)
    governance.withdraw(request.request_id, withdrawn_by="petra")
    acts = {**OPENS, "recall": lambda me, f: me.recall(WORD, scope=scope).hits}
    try:
        told = acts[name](me, filled)
    except IrisError:
        told = None
    assert "at the office" not in _told(told)
    assert me.list().withheld == 1


def _told(value: Any) -> str:
    if hasattr(value, "model_dump_json"):
        return str(value.model_dump_json())
    if isinstance(value, (list, tuple)):
        return " ".join(map(_told, value))
    return repr(value)


def _words(filled: Filled) -> list[str]:
    return sorted(entry.body for entry in filled.as_("assistant").list().entries)
