"""What memory says of its owner and what plugins provide reach every guard, fresh, and nothing else does (PII-10)."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from guard_world import EMAIL, Owner, owner_of

from flows.stores import KEY, ROOT_KEY, OpenIris, person, written
from iris_memory.contracts.masking import Charge, MaskingReason, PiiKind
from iris_memory.contracts.scope import SessionScope
from iris_memory.contracts.write import ActorMention, Written
from iris_memory.front.person import PersonMemory
from iris_memory.guards.kernel import OwnerGuard
from iris_memory.guards.opening import open_guard
from iris_memory.masking.stated import values_in
from iris_memory.sources.corpora import CHECK_SECONDS, Corpora
from iris_memory.sources.registered import LITERALS_MOST, RegisteredSources, declared_kinds

NEW = "zora.quill@elsewhere.example"


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    return owner_of(tmp_path)


@pytest.fixture
def me(open_iris: OpenIris) -> PersonMemory:
    return person(open_iris())


def is_masked(guard: OwnerGuard, text: str) -> bool:
    return bool(guard.pre_response(text).value != text)


# -- memory ------------------------------------------------------------------------------------------------------


def test_what_the_owner_states_is_guarded_at_once_and_what_they_forget_is_not(owner: Owner, me: PersonMemory) -> None:
    guard = owner.guard(memory=me)
    assert not is_masked(guard, NEW)
    kept = written(me.remember(f"My email is {NEW}.", subject="email")).entry
    assert is_masked(guard, NEW)
    me.revise(kept.logical_id, body="My email is zora@moved.example.")
    assert is_masked(guard, "zora@moved.example")
    assert not is_masked(guard, NEW)
    me.forget(kept.logical_id, scan=False)
    assert not is_masked(guard, "zora@moved.example")
    assert is_masked(guard, EMAIL), "the documents stay"


@pytest.mark.parametrize(
    ("subject", "body", "text"),
    [
        ("name", "My name is Zora Quill.", "Zora Quill"),
        ("alias", "Zora Quill", "Zora Quill"),
        ("My Phone", "You reach me under +44 20 7946 0111 in the evening", "+44 20 7946 0111"),
        ("github", "https://github.com/zoraquill", "https://github.com/zoraquill"),
        ("linkedin", "I am @zoraquill there", "@zoraquill"),
        ("blog", "I write at https://zoraquill.example/notes, every week", "https://zoraquill.example/notes"),
    ],
)
def test_each_attribute_counts_as_its_kind(owner: Owner, me: PersonMemory, subject: str, body: str, text: str) -> None:
    guard = owner.guard(memory=me)
    written(me.remember(body, subject=subject))
    (found,) = [literal for literal in guard.identity().corpus.literals if literal.source == "memory"]
    assert found.kind is guard.identity().table.ontology_kinds["_".join(subject.lower().split()).removeprefix("my_")]
    decision = guard.pre_tool_use("http_get", {"q": f"see {text} for more"})
    assert decision.kinds == {found.kind}


def test_only_the_owners_own_confirmed_words_count(owner: Owner, me: PersonMemory) -> None:
    guard = owner.guard(memory=me)
    mention = ActorMention(name="Rudi")
    inferred = "their address is zora1@elsewhere.example"
    outcomes = [
        me.remember("zora2@elsewhere.example", subject="email", actor=mention),
        me.remember("zora3@elsewhere.example", subject="email", category="family", again=True),
        me.remember("zora4@elsewhere.example", subject="email", category="relationship"),
        me.remember("zora5@elsewhere.example", subject="favourite address"),
        me.remember("zora6@elsewhere.example"),
        me.remember("12 Quill Lane, London NW1 6XE", subject="address"),
    ]
    assert sum(isinstance(outcome, Written) for outcome in outcomes) >= 4
    scope = SessionScope(user_id="ada", session_id="s")
    written(
        me.remember(inferred, subject="email", origin="model-inferred", label="assistant", session="s", scope=scope)
    )
    memory = [literal for literal in guard.identity().corpus.literals if literal.source == "memory"]
    assert memory == []


def test_the_mapping_of_attributes_is_the_deployments(tmp_path: Path, me: PersonMemory) -> None:
    owner = owner_of(tmp_path, config="ontology_kinds: {work mail: email}\n".replace("work mail", "work_mail"))
    guard = owner.guard(memory=me)
    me.remember(NEW, subject="work mail")
    me.remember("zora@private.example", subject="email")
    assert is_masked(guard, NEW)
    assert not is_masked(guard, "zora@private.example")


def test_another_owner_of_the_same_store_is_not_read(owner: Owner, open_iris: OpenIris) -> None:
    iris = open_iris()
    ada, bea = person(iris, "ada"), person(iris, "bea")
    bea.remember(NEW, subject="email")
    assert not is_masked(owner.guard(memory=ada), NEW)
    assert is_masked(owner.guard(memory=bea), NEW)


def test_another_process_that_writes_is_seen_within_five_seconds(
    owner: Owner, open_iris: OpenIris, folder: Path
) -> None:
    iris = open_iris()
    me = person(iris)
    guard = owner.guard(memory=me)
    assert not is_masked(guard, NEW)
    program = (
        "import sys; from iris_memory import Iris; from iris_memory.storage.keys import FixedKey\n"
        "with Iris.open(sys.argv[1], key=FixedKey(bytes.fromhex(sys.argv[2])), tended=False) as iris:\n"
        "    iris.for_user(tenant='acme', user='ada').remember(sys.argv[3], subject='email')\n"
    )
    subprocess.run([sys.executable, "-c", program, str(folder), ROOT_KEY.hex(), NEW], check=True, timeout=120)
    began = time.monotonic()
    while not is_masked(guard, NEW):
        assert time.monotonic() - began < CHECK_SECONDS + 1.0
        time.sleep(0.1)


def test_only_the_source_that_moved_is_read(owner: Owner, me: PersonMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    seconds = [0.0]
    statements = me.guarding.statements()
    watched = statements.watched()
    inner = watched._read
    monkeypatch.setattr(watched, "_read", lambda: (reads.append("memory"), inner())[1])
    corpora = Corpora(
        {"USER.md": owner.folder / "USER.md"}, statements=watched, stirred=statements.stirred, clock=lambda: seconds[0]
    )
    for _ in range(5):
        seconds[0] += CHECK_SECONDS
        corpora.current()
    assert reads == ["memory"], "once more after the first reading, then never"
    (owner.folder / "USER.md").write_text("nothing")
    seconds[0] += CHECK_SECONDS
    corpora.current()
    assert reads == ["memory"]
    me.remember(NEW, subject="email")
    corpora.current()
    assert len(reads) == 2


@pytest.mark.parametrize(
    ("kind", "statement", "values"),
    [
        (PiiKind.EMAIL, "a@b.example or c@d.example", ["a@b.example", "c@d.example"]),
        (PiiKind.EMAIL, "the one that begins with an a and is rather long", []),
        (PiiKind.NAME, "Ich heiße Zora Quill", ["Zora Quill"]),
        (PiiKind.NAME, "call me Zo", ["Zo"]),
        (PiiKind.NAME, "a name that nobody would ever write again in a text", []),
        (PiiKind.HANDLE, "zoraquill", ["zoraquill"]),
        (PiiKind.HANDLE, "github.com/zoraquill", ["github.com/zoraquill"]),
        (PiiKind.PHONE, "020 7946 0111", ["020 7946 0111"]),
        (PiiKind.LINK, "zoraquill.example", ["zoraquill.example"]),
    ],
)
def test_a_literal_is_taken_out_of_what_was_said(kind: PiiKind, statement: str, values: list[str]) -> None:
    assert list(values_in(kind, statement)) == values


# -- plugins -----------------------------------------------------------------------------------------------------


def test_a_plugin_provides_what_its_manifest_declares_and_is_charged_for_the_rest(owner: Owner) -> None:
    guard = owner.guard()
    identity = guard.plugin_identity("mail", {"identity": {"provides": ["email"]}})
    offers = [("email", NEW), ("name", "Zora Quill"), ("phone", "+44 20 7946 0111"), ("nonsense", "x"), 7]
    assert identity.register_owner_identity_source(lambda: offers) is None  # type: ignore[arg-type]
    assert is_masked(guard, NEW)
    assert not is_masked(guard, "Zora Quill")
    charges = {(charge.source, charge.reason, charge.kind, charge.count) for charge in guard.identity().charges}
    undeclared = MaskingReason.KIND_UNDECLARED
    assert charges >= {
        ("plugin:mail", undeclared, PiiKind.NAME, 1),
        ("plugin:mail", undeclared, PiiKind.PHONE, 1),
        ("plugin:mail", undeclared, None, 2),
    }
    assert {literal.source for literal in guard.identity().corpus.literals} >= {"plugin:mail"}


@pytest.mark.parametrize(
    ("provides", "reason"),
    [
        ([], MaskingReason.NOTHING_DECLARED),
        (["secret"], MaskingReason.KIND_NOT_PROVIDABLE),
        (["email", "secret"], MaskingReason.KIND_NOT_PROVIDABLE),
        (["link"], MaskingReason.KIND_NOT_PROVIDABLE),
        (["address"], MaskingReason.KIND_NOT_PROVIDABLE),
        (["shoe size"], MaskingReason.KIND_NOT_PROVIDABLE),
    ],
)
def test_what_no_plugin_provides_is_refused(owner: Owner, provides: list[str], reason: MaskingReason) -> None:
    def never() -> list[tuple[str, str]]:
        raise AssertionError("a refused source was read")

    guard = owner.guard()
    assert guard.register_owner_identity_source("mail", provides, never) is reason
    assert (
        guard.plugin_identity("mail", {"identity": {"provides": provides}}).register_owner_identity_source(never)
        is reason
    )
    charge = Charge(source="plugin:mail", reason=reason, kind=None, count=2)
    assert charge in guard.identity().charges


@pytest.mark.parametrize(
    "manifest", [None, {}, {"identity": 1}, {"identity": {"provides": "email"}}, {"identity": {"provides": [1]}}]
)
def test_a_manifest_that_cannot_be_read_declares_nothing(manifest: object) -> None:
    assert declared_kinds(manifest) == ()


def test_a_link_is_the_composition_roots_alone(owner: Owner) -> None:
    guard = owner.guard()
    link = "https://zoraquill.example/notes"
    read: Callable[[], list[tuple[str, str]]] = lambda: [("link", link), ("secret", "plum-Zora-7781-green")]  # noqa: E731
    refused = guard.register_owner_identity_source("root", ["link", "secret"], read, composition_root=True)
    assert refused is MaskingReason.KIND_NOT_PROVIDABLE, "a secret is nobody's to provide"
    assert guard.register_owner_identity_source("root", ["link"], read, composition_root=True) is None
    assert guard.pre_tool_use("http_get", [link]).kinds == {PiiKind.LINK}
    assert not guard.pre_tool_use("http_get", ["plum-Zora-7781-green"]).kinds


def test_a_late_registration_takes_effect_at_once_and_a_second_replaces_the_first(owner: Owner) -> None:
    guard = owner.guard()
    assert not is_masked(guard, NEW)
    guard.register_owner_identity_source("mail", ["email"], lambda: [("email", NEW)])
    assert is_masked(guard, NEW)
    guard.register_owner_identity_source("mail", ["email"], lambda: [("email", "zora@moved.example")])
    assert is_masked(guard, "zora@moved.example")
    assert not is_masked(guard, NEW)


def test_a_source_that_moves_is_seen_and_one_that_fails_keeps_what_it_said(owner: Owner) -> None:
    sources, seconds, said = RegisteredSources(), [0.0], [[("email", NEW)]]

    def read() -> list[tuple[str, str]]:
        if not said:
            raise RuntimeError(NEW)
        return said[-1]

    corpora = Corpora({"USER.md": owner.folder / "USER.md"}, registered=sources, clock=lambda: seconds[0])

    def emails() -> set[str]:
        seconds[0] += CHECK_SECONDS
        return {literal.text for literal in corpora.current().corpus.literals if literal.source == "plugin:mail"}

    sources.register("mail", provides=["email"], read=read)
    assert emails() == {NEW}
    said.append([("email", "zora@moved.example")])
    assert emails() == {"zora@moved.example"}
    said.clear()
    assert emails() == {"zora@moved.example"}
    assert corpora.current().fault == "RuntimeError"
    said.append([])
    assert emails() == set()
    assert corpora.current().fault is None


def test_a_source_that_is_not_ready_is_read_later(owner: Owner) -> None:
    sources, ready = RegisteredSources(), []

    def read() -> list[tuple[str, str]]:
        if not ready:
            raise RuntimeError("not yet")
        return [("email", NEW)]

    assert sources.register("mail", provides=["email"], read=read) is None
    assert sources.fault == "RuntimeError"
    ready.append(True)
    assert sources.refresh()
    assert [literal.text for literal in sources.provided()[0].literals] == [NEW]


def test_a_plugin_cannot_flood_the_corpus(owner: Owner) -> None:
    guard = owner.guard()
    offers = [("email", f"zora{number}@elsewhere.example") for number in range(LITERALS_MOST + 5)]
    guard.register_owner_identity_source("mail", ["email"], lambda: offers)
    assert sum(literal.source == "plugin:mail" for literal in guard.identity().corpus.literals) == LITERALS_MOST
    assert 5 in {charge.count for charge in guard.identity().charges if charge.source == "plugin:mail"}


def test_opening_needs_no_store_and_no_document(tmp_path: Path) -> None:
    guard = open_guard(folder=tmp_path, mode="off")
    assert guard.capability_result(guard.stamp("x"), "mail.read", "text").value == "text"
    assert KEY.root_key() == ROOT_KEY
