"""What somebody might hand to the library: ids, instants, text and numbers that are none, and other people's ids."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from flows.stores import (
    DAY,
    START,
    TERMS,
    OpenIris,
    SteppingClock,
    asked,
    bodies,
    chain,
    open_store,
    person,
    remembered,
    sound,
    written,
)
from iris_memory.contracts.scope import NotebookScope, SessionScope
from iris_memory.contracts.write import AskUser, Statement
from iris_memory.errors import ContractError, IrisError, SettingError, StorageError, UnknownMemoryError
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory

STRANGE_IDS = [
    "a:b",
    "a%b",
    "a%3Ab",
    ":",
    "%",
    "..",
    ".",
    "a/b",
    "../../etc/passwd",
    "a\\b",
    "-",
    "*",
    " ",
    "Zo\u00eb",
    "\u5f20\u4f1f",
    "\U0001f9d1\u200d\U0001f680",
    "\u0430\u0434\u0430",
    "x" * 128,
    "'; DROP TABLE entry; --",
    '"quoted"',
    "<b>",
    "nobody",
    "CON",
    ".hidden.note",
]
NO_IDS = ["", "x" * 129, "a\x00b", "a\nb", "\x7f", "e\u0301", "\ud800", None, 7, b"ada", ["ada"]]


@pytest.mark.parametrize("name", STRANGE_IDS)
def test_a_strange_id_is_a_name_like_any_other(name: str, open_iris: OpenIris, folder: Path) -> None:
    """As tenant, user and session at once, through a restart; nobody is confused, no file is made elsewhere."""
    iris = open_iris()
    others = [("acme", "ada"), ("acme", name), (name, "ada")]
    for number, (tenant, user) in enumerate(others):
        person(iris, user, tenant=tenant).remember(f"Fact of {number}")
    me = person(iris, name, tenant=name, session=name, assistant_id=name)
    scope = SessionScope(user_id=name, session_id=name)
    me.remember("Of the session", scope=scope)
    me.remember("Of the profile")
    me.pause()
    assert bodies(me) == []
    me.resume()
    iris.close()
    iris = open_iris()
    me = iris.for_user(tenant=name, user=name, session=name)
    assert set(bodies(me, scope=scope)) == {"Of the session", "Of the profile"}
    for number, (tenant, user) in enumerate(others):
        assert bodies(iris.for_user(tenant=tenant, user=user)) == [f"Fact of {number}"]
    assert iris.tenants() == sorted({"acme", name})
    assert iris.instruments.heads.tenants() == sorted({"acme", name})
    made = {path.relative_to(folder).parts[0] for path in folder.rglob("*")}
    assert made == {"store.json", "data", "vault", "heads"}
    assert {path.name for path in folder.parent.iterdir()} == {folder.name}
    sound(iris)


@pytest.mark.parametrize("name", ["\u5f20" * 128, "%" * 128, "\U0001f600" * 128], ids=["cjk", "percent", "emoji"])
def test_a_long_tenant_has_a_head_outside(name: str, folder: Path) -> None:
    """128 code points are an identifier, however many bytes they take in a file name."""
    with open_store(folder) as iris:
        person(iris, tenant=name).remember("Likes tea")
        iris.flush()
        assert iris.instruments.heads.tenants() == [name]
    with open_store(folder) as iris:
        sound(iris, name)


def test_a_tenant_that_cannot_be_sealed_costs_the_others_nothing(folder: Path) -> None:
    iris = open_store(folder)
    for tenant in ("first", "middle", "zuletzt"):
        person(iris, tenant=tenant)
    blocked = folder / "heads" / (sha256(b"middle").hexdigest() + ".note")
    blocked.mkdir(parents=True)
    with pytest.raises((StorageError, OSError)):
        iris.flush()
    blocked.rmdir()
    assert iris.instruments.heads.tenants() == ["first", "zuletzt"]
    iris.close()
    with open_store(folder) as again:
        assert again.instruments.heads.tenants() == ["first", "middle", "zuletzt"]


@pytest.mark.parametrize("value", NO_IDS, ids=repr)
def test_what_is_no_identifier(value: Any, iris: Iris, me: PersonMemory) -> None:
    for bad in (
        partial(iris.for_user, tenant=value, user="ada"),
        partial(iris.for_user, tenant="acme", user=value),
        partial(iris.verify_audit, tenant=value),
        partial(iris.export_audit, tenant=value),
        partial(iris.set_tenant_policy, tenant=value, notebook_reaches_tenant=True),
        partial(iris.rotate_tenant_key, tenant=value),
        partial(iris.rotate_signing_key, tenant=value),
        partial(
            iris.approve_scope, tenant=value, adapter_scope="tenant", approver="e", reason="r", expires_at=START + DAY
        ),
    ):
        with pytest.raises(ContractError):
            bad()
    if value is not None:
        for bad in (
            partial(iris.for_user, tenant="acme", user="ada", session=value),
            partial(iris.for_user, tenant="acme", user="ada", assistant_id=value),
            partial(me.pause, value),
            partial(me.resume, value),
            partial(me.recall, session=value),
            partial(me.remember, "Likes tea", session=value),
        ):
            with pytest.raises(ContractError):
                bad()
    assert iris.tenants() == ["acme"]


@pytest.mark.parametrize("value", ["", "x" * 129, "a\x00b", "\ud800", "missing", "..", "%", 7, None], ids=repr)
def test_what_is_no_memory_looks_missing(value: Any, me: PersonMemory) -> None:
    verbs: list[Callable[..., Any]] = [
        me.show,
        me.history,
        me.explain,
        partial(me.revise, body="x"),
        partial(me.answer, decision="keep", digest="x"),
    ]
    if value is not None:
        verbs += [me.forget, me.preview_forget]
    for verb in verbs:
        with pytest.raises(UnknownMemoryError):
            verb(value)


def test_foreign_ids_look_missing(iris: Iris) -> None:
    """AUT-4: for another tenant, another user and nobody at all each verb says exactly what it says of a missing id."""
    me = person(iris)
    first = written(me.remember("Likes tea", subject="drink")).entry
    question = asked(me.remember("Likes gin", subject="drink"))
    (shown,) = me.questions()

    def said(who: PersonMemory, memory: str, asked_about: str) -> list[str]:
        words = []
        for attempt in (
            partial(who.show, memory),
            partial(who.history, memory),
            partial(who.explain, memory, "tea"),
            partial(who.revise, memory, "Likes rum"),
            partial(who.revise, memory, "Likes rum", expected=first.id),
            partial(who.preview_forget, memory),
            partial(who.forget, memory, scan=False),
            partial(who.answer, asked_about, "replace", digest=shown.digest),
        ):
            with pytest.raises(UnknownMemoryError) as caught:
                attempt()
            words.append(str(caught.value))
        return words

    strangers = [
        person(iris, "bob"),
        person(iris, "ada", tenant="other"),
        iris.for_user(tenant="acme", user="nobody"),
        iris.for_user(tenant="never", user="ada"),
    ]
    for stranger in strangers:
        for memory in (first.logical_id, first.id, question.entry.logical_id):
            assert said(stranger, memory, question.question_id) == said(stranger, "missing", "missing")
        assert stranger.list().total == 0
        assert bodies(stranger, "tea") == []
    assert remembered(me) == {"Likes tea", "Likes gin"}
    assert len(me.questions()) == 1
    sound(iris)


NAIVE = datetime(2030, 1, 1)


@pytest.mark.parametrize("instant", [NAIVE, "2030-01-01T00:00:00Z", 1_900_000_000, datetime.max], ids=repr)
def test_what_is_no_instant(instant: Any, me: PersonMemory, iris: Iris) -> None:
    entry = written(me.remember("Likes tea")).entry
    for bad in (
        partial(me.remember, "Likes gin", expires_at=instant),
        partial(me.revise, entry.logical_id, expires_at=instant),
        partial(me.consent.grant, "personalization", terms=TERMS, expires_at=instant),
        partial(
            iris.approve_scope, tenant="acme", adapter_scope="tenant", approver="e", reason="r", expires_at=instant
        ),
    ):
        with pytest.raises(ContractError):
            bad()


def test_an_instant_of_another_zone_is_the_same_instant(me: PersonMemory) -> None:
    ends = START + DAY
    entry = written(me.remember("Likes tea", expires_at=ends.astimezone(timezone(timedelta(hours=9))))).entry
    assert (entry.expires_at, entry.expires_at.utcoffset()) == (ends, timedelta(0))  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\x00", "x" * 20_001], ids=["high", "low", "nul", "long"])
def test_what_is_no_text(text: str, me: PersonMemory) -> None:
    entry = written(me.remember("Likes tea")).entry
    tries: list[Callable[[], Any]] = [
        partial(me.remember, text),
        partial(me.recall, text),
        partial(me.explain, entry.logical_id, text),
        partial(me.revise, entry.logical_id, text),
        partial(me.remember, "Likes gin", subject=text),
        partial(me.revise, entry.logical_id, subject=text),
    ]
    if len(text) < 10:
        tries += [partial(me.consent.grant, "personalization", terms=TERMS, note=text)]
    if text == "\ud800":
        tries += [partial(me.consent.grant, "personalization", terms=text)]
    for bad in tries:
        with pytest.raises(ContractError) as caught:
            bad()
        assert text not in str(caught.value)
    assert len(me.list().entries) == 1
    assert me.recall("x" * 20_000).hits


@pytest.mark.parametrize(
    "wish",
    [
        {"limit": -1},
        {"limit": True},
        {"limit": 1.5},
        {"limit": "3"},
        {"surface": "screen"},
        {"contexts": ["everything"]},
        {"contexts": "health"},
        {"scope": "profile:ada"},
        {"scope": {"kind": "profile", "user_id": "ada"}},
        {"adapter_scope": "nowhere"},
        {"adapter_scope": "session"},
        {"scope": SessionScope(user_id="ada", session_id="s"), "adapter_scope": "domain"},
        {"text": None},
        {"text": b"tea"},
    ],
    ids=str,
)
def test_what_is_no_question(wish: dict[str, Any], me: PersonMemory) -> None:
    entry = written(me.remember("Likes tea")).entry
    for verb in (me.recall, partial(me.explain, entry.logical_id)):
        with pytest.raises(ContractError):
            verb(**wish)


@pytest.mark.parametrize(
    "fields",
    [
        {"body": ""},
        {"body": "x" * 4_001},
        {"body": None},
        {"body": 7},
        {"subject": "x" * 201},
        {"subject": ""},
        {"category": "nothing"},
        {"origin": "nothing"},
        {"label": "nothing"},
        {"adapter_scope": "nothing"},
        {"scope": "profile:ada"},
        {"actor": "Bo"},
        {"again": "yes"},
    ],
    ids=str,
)
def test_what_is_no_statement(fields: dict[str, Any], me: PersonMemory) -> None:
    with pytest.raises(ContractError) as caught:
        me.remember(**{"body": "Zanzibar", **fields})
    assert "Zanzibar" not in str(caught.value)
    assert me.list(limit=0).total == 0


def test_choices_that_are_none(iris: Iris, me: PersonMemory, tmp_path: Path) -> None:
    for bad in (
        partial(iris.for_user, tenant="acme", user="ada", consumer="everybody"),
        partial(me.consent.grant, "personalization", terms=TERMS, legal_basis="because"),
        partial(me.consent.grant, "personalization", terms=TERMS, capture_method="guess"),
        partial(me.consent.grant, "personalization", terms=TERMS, terms_language=""),
        partial(me.consent.grant, "personalization", terms=TERMS, witness=""),
        partial(me.opt_out, "nothing"),
        partial(me.answer, "x", "maybe", digest="x"),
        partial(me.import_file, tmp_path / "x", format="docx"),
        partial(me.list, category="nothing"),
        partial(me.list, limit=-1),
        partial(me.list, cursor="x"),
        partial(me.list, cursor="99999999999999999999999.x"),
        partial(iris.approve_scope, tenant="acme", adapter_scope="x", approver="e", reason="r", expires_at=START + DAY),
        partial(
            iris.approve_scope, tenant="acme", adapter_scope="session", approver="e", reason="r", expires_at=START + DAY
        ),
        partial(
            iris.approve_scope, tenant="acme", adapter_scope="tenant", approver="", reason="r", expires_at=START + DAY
        ),
        partial(iris.approve_scope, tenant="acme", adapter_scope="tenant", approver="e", reason="r", expires_at=START),
    ):
        with pytest.raises(ContractError):
            bad()


def test_settings_that_are_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingError):
        open_store(folder, audit_durability="sometimes")
    for name, value in (("IRIS_AUDIT_DURABILITY", "sometimes"), ("IRIS_VAULT_BACKUP_DAYS", "-1")):
        monkeypatch.setenv(name, value)
        with pytest.raises(SettingError) as caught:
            open_store(folder)
        assert value not in str(caught.value)
        monkeypatch.delenv(name)


def test_one_slot_two_threads(open_iris: OpenIris) -> None:
    """Both say something of the same new slot at once: one stands, the other becomes a question, none is doubled."""
    iris = open_iris()
    me = person(iris)
    for number in range(12):
        start, outcomes = threading.Barrier(2), []

        def say(words: str, number: int = number, start: Any = start, outcomes: Any = outcomes) -> None:
            start.wait()
            outcomes.append(me.remember(words, subject=f"slot {number}"))

        threads = [threading.Thread(target=say, args=(f"{words} {number}",)) for words in ("Window", "Aisle")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcome.outcome for outcome in outcomes) == ["ask-user", "written"]
        (question,) = [outcome for outcome in outcomes if isinstance(outcome, AskUser)]
        assert question.conflicting_id in {outcome.entry.logical_id for outcome in outcomes if outcome is not question}
    assert len(me.questions()) == 12
    sound(iris)


def test_fifty_threads(open_iris: OpenIris) -> None:
    """Everybody at once, through two instances: nothing fails, nothing is lost, nothing forgotten is seen again."""
    one, two = open_iris(), open_iris()
    person(one)
    failures: list[BaseException] = []
    kept: list[str] = []
    guard = threading.Lock()

    def live(number: int) -> None:
        me = (one if number % 2 else two).for_user(tenant="acme", user="ada")
        try:
            mine = written(me.remember(f"Fact of thread {number}")).entry
            me.recall(f"thread {number}", surface="notebook")
            after = written(me.revise(mine.logical_id, f"Corrected by thread {number}")).entry
            assert after.body in {hit.entry.body for hit in me.recall(after.body, surface="notebook").hits}
            if number % 3 == 0:
                me.forget(mine.logical_id, scan=False)
                with pytest.raises(UnknownMemoryError):
                    me.show(mine.logical_id)
            else:
                with guard:
                    kept.append(after.body)
            if number % 10 == 0:
                (one if number % 2 else two).flush()
        except BaseException as problem:
            failures.append(problem)

    threads = [threading.Thread(target=live, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for iris in (one, two):
        assert remembered(iris.for_user(tenant="acme", user="ada")) == set(kept)
    sequence = [event["sequence"] for event in chain(one)]
    assert sequence == list(range(1, len(sequence) + 1))
    sound(one)


def test_clocks_of_all_kinds(open_iris: OpenIris, clock: SteppingClock) -> None:
    """REL-12: leap day, summer time, 2038, the years 1970 and 2250, forwards and back, in one life of a store."""
    iris = open_iris()
    me = person(iris)
    for moment in (
        datetime(2028, 2, 29, 23, 59, 59, 999_999),
        datetime(2026, 3, 29, 1, 30),
        datetime(2038, 1, 19, 3, 14, 8),
        datetime(1970, 1, 1, 0, 0, 1),
        datetime(2250, 1, 1),
        datetime(2026, 3, 1),
    ):
        clock.instant = moment.replace(tzinfo=START.tzinfo)
        entry = written(me.remember(f"Fact of {moment.year}")).entry
        written(me.revise(entry.logical_id, f"Fact of {moment.year} again"))
        assert len(me.recall(surface="notebook").hits) == me.list(limit=0).total
        iris.flush()
    iris.close()
    iris = open_iris()
    sound(iris)
    me = iris.for_user(tenant="acme", user="ada")
    assert me.forget(everything=True, scan=False).memories == 6
    sound(iris)


def test_after_the_end(folder: Path) -> None:
    iris = open_store(folder)
    me = person(iris)
    me.remember("Likes tea")
    iris.close()
    iris.close()
    for verb in (
        partial(me.remember, "Likes gin"),
        me.recall,
        me.list,
        partial(me.forget, everything=True),
        iris.doctor,
    ):
        with pytest.raises(StorageError):
            verb()
    with open_store(folder) as again:
        assert bodies(again.for_user(tenant="acme", user="ada")) == ["Likes tea"]


def test_every_error_is_one_of_ours(iris: Iris, me: PersonMemory) -> None:
    """Whatever breaks a contract is an IrisError; none of it is the validator's own, which would show the value."""
    for bad in (
        partial(me.remember, "Zanzibar\ud800"),
        partial(me.recall, "Zanzibar" * 4_000),
        partial(iris.for_user, tenant="acme", user="Zanzibar\x00"),
        partial(me.consent.grant, "Zanzibar", terms=TERMS),
        partial(me.remember_many, [Statement(body="Zanzibar")] * 1_001),
    ):
        with pytest.raises(IrisError) as caught:
            bad()
        assert "Zanzibar" not in f"{caught.value!r} {caught.value.__cause__!r}"


def test_listing_in_pages(me: PersonMemory, clock: SteppingClock) -> None:
    """A page goes on where the one before ended, though memories were corrected and forgotten in between."""
    names = []
    for number in range(25):
        clock.step()
        names.append(written(me.remember(f"Fact {number}", category="goal" if number % 5 == 0 else "fact")).entry)
    first = me.list(limit=10)
    assert [entry.body for entry in first.entries] == [f"Fact {number}" for number in range(24, 14, -1)]
    assert (first.total, first.matching) == (25, 25)
    clock.step()
    me.revise(first.entries[-1].logical_id, "Moved to the front")
    me.forget(first.entries[0].logical_id, scan=False)
    second = me.list(limit=10, cursor=first.next_cursor)
    assert [entry.body for entry in second.entries] == [f"Fact {number}" for number in range(14, 4, -1)]
    third = me.list(limit=10, cursor=second.next_cursor)
    assert [entry.body for entry in third.entries] == [f"Fact {number}" for number in range(4, -1, -1)]
    assert third.next_cursor is None
    goals = me.list(category="goal", limit=2)
    assert (goals.total, goals.matching, len(goals.entries)) == (24, 5, 2)
    assert [entry.body for entry in me.list(words="fact 1", limit=50).entries][:2] == ["Fact 19", "Fact 18"]
    nothing = me.list(limit=0)
    assert (nothing.entries, nothing.total, nothing.next_cursor) == ([], 24, None)
    assert me.list(adapter_scope="notebook").matching == 0
    me.remember("Of the notebook", scope=NotebookScope(user_id="ada", notebook_id="n"))
    assert me.list(adapter_scope="notebook").matching == 1
    assert me.list(origin="imported").matching == 0
