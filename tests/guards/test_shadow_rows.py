"""The row of the shadow log: what is in it, where it is kept, and that no literal ever is (PII-13)."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from guard_world import ADDRESS, EMAIL, FIRST, NAME, PHONE, SECRET, WRITTEN, owner_of, sentence

from flows.stores import OpenIris, SteppingClock, person
from iris_memory.contracts.guarding import Firing, GuardOutcome, GuardPoint
from iris_memory.contracts.masking import SPANS_MOST, Action, Audience, Column, Mode, PiiKind, ShadowRow
from iris_memory.evals.owner import USER_MD
from iris_memory.guards.log_file import FileShadowLog
from iris_memory.guards.opening import open_guard
from iris_memory.tables.limits import SHADOW_LIFETIME

CANARY = "qzx7canary"
CANARIES = {
    PiiKind.NAME: f"{CANARY.capitalize()} Brightwell",
    PiiKind.EMAIL: f"{CANARY}@quillworks.example",
    PiiKind.HANDLE: f"@{CANARY}",
    PiiKind.LINK: f"https://{CANARY}.example.com/garden-77-notes",
    PiiKind.SECRET: f"plum-{CANARY}-4471-green",
}
CANARY_MD = f"""---
identity:
  names: ["{CANARIES[PiiKind.NAME]}"]
  emails: ["{CANARIES[PiiKind.EMAIL]}"]
  handles: ["{CANARIES[PiiKind.HANDLE]}"]
---
I write at {CANARIES[PiiKind.LINK]} and my door code is {CANARIES[PiiKind.SECRET]}.
"""
AROUND = "wordbefore {} wordafter"


def test_a_row_says_columns_counts_and_places(tmp_path: Path) -> None:
    owner = owner_of(tmp_path)
    guard = owner.guard("shadow")
    guard.pre_tool_use("research", {"q": [f"{NAME} and {FIRST}", EMAIL]}, sends_to=["search_engine"])
    (firing,) = owner.firings()
    assert (firing.point, firing.mode, firing.outcome) == (GuardPoint.PRE_TOOL_USE, Mode.SHADOW, GuardOutcome.ALLOW)
    row = firing.row
    assert row.columns == (Column.EGRESS, Column.WEB_SEARCH)
    told = {
        (one.guard, one.kind, one.action, one.first_name_alone): (one.count, one.spans, one.marks)
        for one in row.tallies
    }
    assert told == {
        (Column.EGRESS, PiiKind.NAME, Action.LOG, False): (1, ((1, 0, len(NAME)),), None),
        (Column.EGRESS, PiiKind.NAME, Action.LOG, True): (1, ((1, 25, 25 + len(FIRST)),), None),
        (Column.EGRESS, PiiKind.EMAIL, Action.DENY, False): (1, ((2, 0, len(EMAIL)),), None),
        (Column.WEB_SEARCH, PiiKind.NAME, Action.MASK, False): (1, ((1, 0, len(NAME)),), None),
        (Column.WEB_SEARCH, PiiKind.NAME, Action.MASK, True): (1, ((1, 25, 25 + len(FIRST)),), None),
        (Column.WEB_SEARCH, PiiKind.EMAIL, Action.DENY, False): (1, ((2, 0, len(EMAIL)),), None),
    }
    assert (row.digests, row.failed) == (None, None)


def test_every_firing_writes_one_row_and_shows_at_most_twenty_places(tmp_path: Path) -> None:
    owner = owner_of(tmp_path)
    guard = owner.guard("shadow")
    guard.pre_llm_call("nothing", tier="tier_3")
    guard.pre_llm_call(EMAIL, tier="tier_1")
    guard.pre_response(" and ".join([EMAIL] * (SPANS_MOST + 3)), audience=Audience.OWNER)
    nothing, unread, many = owner.firings()
    assert (nothing.row, unread.row) == (ShadowRow(columns=(Column.TIER3,)), ShadowRow(columns=()))
    (tally,) = many.row.tallies
    assert (tally.count, len(tally.spans)) == (SPANS_MOST + 3, SPANS_MOST)


def test_digests_are_there_only_with_a_key_and_name_different_literals(tmp_path: Path) -> None:
    owner = owner_of(tmp_path)
    text = f"{EMAIL} {EMAIL.upper()} ottoline.varga@gmail.com"
    owner.guard("shadow", keyed=True).pre_llm_call(text, tier="tier_3")
    owner.guard("shadow").pre_llm_call(text, tier="tier_3")
    keyed, plain = (firing.row for firing in owner.firings())
    assert len(keyed.digests or ()) == 2
    assert [(tally.count, tally.marks) for tally in keyed.tallies] == [(3, (0, 1))]
    assert plain.digests is None
    assert [tally.marks for tally in plain.tallies] == [None]


def test_a_row_whose_marks_lead_nowhere_is_refused() -> None:
    tally = {"guard": "egress", "kind": "email", "action": "deny", "count": 1, "spans": [], "marks": [1]}
    with pytest.raises(ValueError, match="place of one of the digests"):
        ShadowRow.model_validate_json(json.dumps({"columns": ["egress"], "tallies": [tally], "digests": ["a" * 64]}))


def test_the_file_is_the_owners_alone_and_a_torn_line_is_passed_over(tmp_path: Path) -> None:
    owner = owner_of(tmp_path)
    guard = owner.guard("shadow")
    guard.pre_llm_call(EMAIL, tier="tier_3")
    assert owner.file.stat().st_mode & 0o777 == 0o600
    with owner.file.open("ab") as file:
        file.write(b'{"at": "2026-03-01T12:00:00Z", "po\nnot even json\n')
    guard.pre_llm_call(EMAIL, tier="tier_3")
    assert len(owner.firings()) == 2
    assert list(FileShadowLog(tmp_path / "none").read(since=datetime.min.replace(tzinfo=UTC))) == []
    later = datetime.now(UTC) + timedelta(hours=1)
    assert list(FileShadowLog(owner.file).read(since=later)) == []


def test_many_threads_and_processes_append_whole_lines(tmp_path: Path) -> None:
    owner = owner_of(tmp_path)
    program = (
        "import sys; from pathlib import Path; from iris_memory.guards.opening import open_guard\n"
        "guard = open_guard(folder=Path(sys.argv[1]), mode='shadow', log=Path(sys.argv[2]))\n"
        "for n in range(50): guard.pre_llm_call('o_varga@quillworks.example ' * 40, tier='tier_3')\n"
    )
    other = subprocess.Popen([sys.executable, "-c", program, str(owner.folder), str(owner.file)])
    guard = owner.guard("shadow")

    def work() -> None:
        for _ in range(50):
            guard.pre_llm_call(f"{EMAIL} " * 40, tier="tier_3")

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert other.wait(timeout=120) == 0
    assert len(owner.file.read_bytes().splitlines()) == len(owner.firings()) == 200


def test_rows_in_a_store_are_sealed_and_chained_and_go_with_their_owner(
    tmp_path: Path, open_iris: OpenIris, clock: SteppingClock
) -> None:
    owner = owner_of(tmp_path)
    iris = open_iris()
    me = person(iris)
    guard = open_guard(memory=me, folder=owner.folder, mode="shadow", clock=clock)
    for text in (EMAIL, "nothing", f"{PHONE} {ADDRESS}"):
        guard.pre_llm_call(text, tier="tier_3")
        clock.step()
    kept = me.guarding.log().read(since=clock.now() - timedelta(days=1))
    assert [len(firing.row.tallies) for firing in kept] == [1, 0, 2]
    assert all(firing.row.digests is not None for firing in kept), "the key was there: consent was given before"
    assert len(me.guarding.log().read(since=clock.now() - timedelta(seconds=2))) == 2
    assert iris.verify_audit(tenant="acme").ok
    events = [json.loads(line) for line in iris.export_audit(tenant="acme") if b"guard.fired" in line]
    assert len(events) == 3
    assert "tier3.email.mask" in json.dumps(events[0])
    assert iris.for_user(tenant="acme", user="bea").guarding.report().rows == 0, "another owner sees nothing of it"
    assert iris.for_user(tenant="other", user="ada").guarding.report().rows == 0
    me.erase(scan=False)
    assert me.guarding.report().rows == 0
    guard.pre_llm_call(EMAIL, tier="tier_3")
    assert me.guarding.report().rows == 1, "what comes after belongs to a new subject"
    assert guard.unwritten == 0
    assert iris.verify_audit(tenant="acme").ok


def test_a_row_ends_after_its_time(tmp_path: Path, open_iris: OpenIris, clock: SteppingClock) -> None:
    from iris_memory.flows.tend import hourly

    iris = open_iris()
    me = person(iris)
    guard = open_guard(memory=me, folder=owner_of(tmp_path).folder, mode="shadow", clock=clock)
    guard.pre_llm_call(EMAIL, tier="tier_3")
    clock.step(SHADOW_LIFETIME - timedelta(seconds=1))
    hourly(iris.instruments)
    assert me.guarding.report(days=3650).rows == 1
    clock.step(timedelta(seconds=1))
    hourly(iris.instruments)
    assert me.guarding.report(days=3650).rows == 0


def test_a_new_owner_has_digests_from_the_second_row_on(
    tmp_path: Path, open_iris: OpenIris, clock: SteppingClock
) -> None:
    me = open_iris().for_user(tenant="acme", user="new")
    log = me.guarding.log()
    assert log.key() is None, "no key is opened for it"
    guard = open_guard(memory=me, folder=owner_of(tmp_path).folder, mode="shadow", clock=clock, log=log)
    for _ in range(2):
        guard.pre_llm_call(EMAIL, tier="tier_3")
        clock.step()
    first, second = log.read(since=clock.now() - timedelta(days=1))
    assert first.row.digests is None
    assert second.row.digests is not None
    assert len(second.row.digests) == 1


def test_no_canary_is_in_any_row_log_line_error_repr_or_file(
    tmp_path: Path, open_iris: OpenIris, folder: Path, clock: SteppingClock, caplog: pytest.LogCaptureFixture
) -> None:
    owner = owner_of(tmp_path).write(user=CANARY_MD)
    iris = open_iris()
    me = person(iris)
    told: list[str] = []
    with caplog.at_level(logging.DEBUG):
        for mode in ("shadow", "enforce", CANARY):
            for log in (None, owner.file):
                guard = open_guard(memory=me, folder=owner.folder, mode=mode, clock=clock, log=log)
                for literal in (*CANARIES.values(), " ".join(CANARIES.values())):
                    text = AROUND.format(literal)
                    decisions = [
                        guard.pre_tool_use("http_get", {text: [text]}, sends_to=["search_engine"]),
                        guard.pre_llm_call([text, {"k": text}], tier="tier_3"),
                        guard.pre_response(text, audience=Audience.OTHER),
                        guard.pre_response({1: text}, audience=Audience.OWNER),
                        guard.capability_result(guard.stamp("finance"), "mail.read", text),
                        guard.display({text}),
                    ]
                    told += map(repr, decisions)
                    told += [decision.halted.model_dump_json() for decision in decisions if decision.halted]
                told += [repr(guard), repr(guard.identity()), repr(guard.stamp("finance"))]
    told += [firing.model_dump_json() for firing in me.guarding.log().read(since=clock.now() - timedelta(days=1))]
    told += [me.guarding.report().model_dump_json(), owner.file.read_text(), caplog.text]
    told += [line.decode() for line in iris.export_audit(tenant="acme")]
    assert len(told) > 200
    iris.flush()
    everything = "\n".join(told).casefold()
    for word in (CANARY, "brightwell", "wordbefore", "wordafter", "quillworks"):
        assert word not in everything
        for path in folder.rglob("*"):
            assert not path.is_file() or word.encode() not in path.read_bytes().lower()


def test_an_error_that_names_a_literal_is_told_by_its_class_alone(tmp_path: Path) -> None:
    owner = owner_of(tmp_path)
    guard = owner.guard("shadow")

    class Torn(dict):  # type: ignore[type-arg]
        def items(self) -> None:  # type: ignore[override]
            raise RuntimeError(EMAIL)

    guard.pre_tool_use("http_get", Torn(a=1))
    (firing,) = owner.firings()
    assert firing.row.failed == "RuntimeError"
    assert EMAIL not in owner.file.read_text()


def test_a_firing_reads_back_as_it_was_written() -> None:
    row = ShadowRow(columns=(Column.TIER3,))
    at = datetime(2026, 3, 1, tzinfo=UTC)
    firing = Firing(at=at, point=GuardPoint.DISPLAY, mode=Mode.SHADOW, outcome=GuardOutcome.ALLOW, row=row)
    assert Firing.model_validate_json(firing.model_dump_json()) == firing


def test_the_sample_is_what_these_tests_think_it_is() -> None:
    assert all(literal in USER_MD for literal in (*WRITTEN.values(), sentence(SECRET).split()[4]))
