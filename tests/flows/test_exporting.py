"""Exports through a store: what is in them, who is masked, what takes them along, the way back in (DSR-14, DSR-15)."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flows.stores import BASE, DAY, TERMS, OpenIris, SteppingClock, actions, chain, person, sound, written
from iris_memory.contracts.bridge import Turn, TurnRole
from iris_memory.contracts.bundle import ExportState, Signature, StoredExport
from iris_memory.contracts.entry import Label
from iris_memory.contracts.rights import RightsRefusal, RightsRefused, RightsRequest, RightsState
from iris_memory.contracts.scope import NotebookScope, PoseScope, SessionScope
from iris_memory.errors import ContractError, KeyDestroyedError, UnknownMemoryError
from iris_memory.flows import exports_kept, tend
from iris_memory.flows.import_ import ImportWish, Into
from iris_memory.flows.seal import key_periods
from iris_memory.formats.bundle_check import check_bundle
from iris_memory.front.bridge import create_memory_bridge
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.ports.rows import RecordKind
from words import stands_in

SLOW = {"deadline": None, "max_examples": 6, "suppress_health_check": [HealthCheck.function_scoped_fixture]}


def verified(iris: Iris, me: PersonMemory, **wishes: Any) -> str:
    request = me.rights.submit("export", **wishes)
    seen = iris.rights_desk("acme").sign_off(request.request_id, "operator-signoff", actor="op-0", declared=True)
    assert isinstance(seen, RightsRequest)
    return request.request_id


def exported(iris: Iris, me: PersonMemory, **wishes: Any) -> bytes:
    name = verified(iris, me, format="ndjson", **wishes)
    done = me.exports.make(name)
    assert isinstance(done, RightsRequest), done
    assert done.state is RightsState.COMPLETED
    pieces = me.exports.collect(name)
    assert not isinstance(pieces, RightsRefused)
    return b"".join(pieces)


def items(data: bytes, payload: str) -> list[dict[str, Any]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [json.loads(line) for line in archive.read(f"data/{payload}.ndjson").splitlines()]


def keys(iris: Iris) -> list[Any]:
    return [period.key for period in key_periods(iris.instruments, "acme")]


def standing(me: PersonMemory, name: str) -> StoredExport:
    found = me.exports.status(name)
    assert isinstance(found, StoredExport), found
    return found


def test_an_export_holds_everything_and_verifies(me: PersonMemory, iris: Iris) -> None:
    tea = written(me.remember("Likes green tea", subject="drink", category="preference")).entry
    me.revise(tea.logical_id, "Likes black tea")
    me.remember("Trip on Friday", scope=SessionScope(user_id="ada", session_id="trip"), session="trip")
    me.remember("A note", scope=NotebookScope(user_id="ada", notebook_id="n"))
    gone = written(me.remember("Owns a green bicycle")).entry
    me.forget(gone.logical_id, scan=False)
    me.opt_out("history")
    me.pause("monday")
    me.recall("tea")
    iris.flush()
    data = exported(iris, me)
    report = check_bundle(io.BytesIO(data), keys=keys(iris))
    assert (report.ok, report.signature, report.problems) == (True, Signature.FITS, ())
    assert [(one["body"], one["revision"]) for one in items(data, "memories")] == [
        ("Likes green tea", 1),
        ("Likes black tea", 2),
    ]
    assert items(data, "memories")[0]["superseded_by"] == items(data, "memories")[1]["id"]
    assert [one["body"] for one in items(data, "session_memory")] == ["Trip on Friday"]
    assert [one["body"] for one in items(data, "notebooks")] == ["A note"]
    assert [len(one["recent"]) for one in items(data, "uses") if one["logical_id"] == tea.logical_id] == [1]
    assert [one["iris:consent"] for one in items(data, "consents")] == list(BASE)
    assert items(data, "opt_outs") == [{"name": "history"}]
    assert [one["value"]["session_id"] for one in items(data, "records") if one["kind"] == "pause"] == ["monday"]
    assert [one["state"] for one in items(data, "requests")] == ["in-progress"]
    assert [one["logical_id"] for one in items(data, "tombstones")] == [gone.logical_id]
    assert b"bicycle" not in b"".join(
        zipfile.ZipFile(io.BytesIO(data)).read(n) for n in zipfile.ZipFile(io.BytesIO(data)).namelist()
    )
    assert "rights.export.made" in actions(iris)
    made = next(event for event in chain(iris) if event["action"] == "rights.export.made")
    assert made["counts"]["memories"] == 2
    assert not stands_in("tea", json.dumps(chain(iris)))
    sound(iris)


def test_the_result_is_bound_to_the_file(me: PersonMemory, iris: Iris) -> None:
    me.remember("Likes green tea")
    name = verified(iris, me)
    done = me.exports.make(name)
    assert isinstance(done, RightsRequest)
    assert done.result is not None
    assert done.result.fingerprint == standing(me, name).sha256


def test_the_same_state_gives_the_same_bytes(me: PersonMemory, iris: Iris) -> None:
    me.remember("Likes green tea")
    name = verified(iris, me)
    desk = iris.rights_desk("acme")
    assert isinstance(desk.start(name, actor="op-1"), RightsRequest)
    person_of = iris.instruments.people.get("acme", "ada")
    from iris_memory.flows.export import build
    from iris_memory.flows.instruments import Caller

    request = me.rights.show(name)
    digests = set()
    for _ in range(2):
        made = build(iris.instruments, Caller("acme", "ada"), request)
        assert isinstance(made, StoredExport)
        digests.add(made.sha256)
        exports_kept.discard(iris.instruments, "acme", person_of.person, name)
    assert len(digests) == 1


def test_flags_and_scopes_say_what_is_in_it(me: PersonMemory, iris: Iris) -> None:
    me.consent.grant("sensitive_data", terms=TERMS)
    me.remember("Likes green tea")
    me.remember("A note", scope=NotebookScope(user_id="ada", notebook_id="n"))
    less = exported(iris, me, include_notebooks=False, include_consents=False, include_opt_outs=False)
    with zipfile.ZipFile(io.BytesIO(less)) as archive:
        names = set(archive.namelist())
    assert not names & {"data/notebooks.ndjson", "data/consents.ndjson", "data/opt_outs.ndjson"}
    assert "data/scene_memory.ndjson" not in names, "scenes and poses are given when they are asked for"
    only = exported(iris, me, scopes=["notebook"])
    assert items(only, "memories") == []
    assert [one["body"] for one in items(only, "notebooks")] == ["A note"]


def test_of_poses_only_aggregates_are_given(me: PersonMemory, iris: Iris) -> None:
    me.consent.grant("sensitive_data", "category:pose_alignment", terms=TERMS)
    ends = iris.instruments.clock.now() + 30 * DAY
    iris.approve_scope(tenant="acme", adapter_scope="pose", approver="dpo", reason="pilot", expires_at=ends)
    tara = iris.for_user(tenant="acme", user="ada", consumer="tara")
    scope = PoseScope(user_id="ada", session_id="s", scene_id="x", pose_id="p")
    written(tara.remember("left_knee_angle: 91.5", scope=scope, category="pose_alignment"))
    data = exported(iris, me, include_pose_memory=True)
    assert items(data, "pose_memory") == []
    report = check_bundle(io.BytesIO(data), keys=keys(iris))
    assert report.manifest is not None
    assert report.manifest.biometric_aggregate_only
    assert "pose samples, of which only aggregates are given: 1" in report.manifest.left_out


def test_others_are_masked_unless_the_subject_wrote_it(me: PersonMemory, iris: Iris) -> None:
    """DSR-15."""
    mine, theirs = "Mail Anna at anna@example.org", "Bo asked to be called at bo@example.net"
    written(me.remember(mine))
    written(me.remember(theirs, label="assistant", origin="model-inferred"))
    data = exported(iris, me)
    told = {one["label"]: one["body"] for one in items(data, "memories")}
    assert told["user-typed"] == mine
    assert "bo@example.net" not in told["assistant"]
    assert "[email:" in told["assistant"]
    report = check_bundle(io.BytesIO(data), keys=keys(iris))
    assert report.manifest is not None
    assert report.manifest.masked >= 1
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert b"bo@example.net" not in archive.read("index.html")


def test_turns_are_given_and_what_others_wrote_is_masked(me: PersonMemory, iris: Iris) -> None:
    """The log of a bridge goes out with everything else (DSR-15)."""
    bridge = create_memory_bridge(iris, tenant="acme", user="ada", session="monday")
    mine, theirs = "Ask Anna at anna@example.org", "Bo wrote from bo@example.net"
    bridge.append(
        Turn(turn_id="t1", sequence=1, role=TurnRole.USER, text=mine),
        Turn(turn_id="t2", sequence=2, role=TurnRole.ASSISTANT, text=theirs, label=Label.ASSISTANT),
    )
    told = [one["value"]["text"] for one in items(exported(iris, me), "records") if one["kind"] == "turn-text"]
    assert mine in told
    assert len(told) == 2
    assert not any("bo@example.net" in text for text in told)


def test_a_sealed_hold_is_not_in_it(me: PersonMemory, iris: Iris) -> None:
    me.remember("Likes green tea")
    desk = iris.rights_desk("acme")
    ends = iris.instruments.clock.now() + 9 * DAY
    for sealed in (True, False):
        hold = desk.place_hold(
            user="ada", actor="op-1", reference=f"case {sealed}", reason="asked", expires_at=ends, is_sealed=sealed
        )
        desk.confirm_hold(hold.hold_id, actor="op-2")
    assert [one["reference"] for one in items(exported(iris, me), "legal_holds")] == ["case False"]


def test_forgetting_takes_along_what_waits_to_be_collected(me: PersonMemory, iris: Iris) -> None:
    tea = written(me.remember("Likes green tea")).entry
    me.remember("Likes trains")
    name = verified(iris, me)
    me.exports.make(name)
    pieces = me.exports.collect(name)
    assert not isinstance(pieces, RightsRefused)
    me.forget(tea.logical_id, scan=False)
    with pytest.raises(KeyDestroyedError):
        list(pieces)
    assert isinstance(me.exports.status(name), RightsRefused)
    assert isinstance(me.exports.collect(name), RightsRefused)
    person_of = iris.instruments.people.get("acme", "ada")
    with iris.instruments.store.read() as reading:
        for kind in exports_kept.KINDS:
            assert reading.records("acme", person_of.person, kind) == []


def test_a_withdrawal_takes_it_along(me: PersonMemory, iris: Iris) -> None:
    me.consent.grant("category:medical", terms=TERMS)
    me.remember("Takes insulin", category="medical")
    name = verified(iris, me)
    me.exports.make(name)
    standing(me, name)
    me.consent.revoke("category:medical", scan=False)
    assert isinstance(me.exports.status(name), RightsRefused)


def test_what_is_forgotten_while_it_is_made_ends_the_making(
    me: PersonMemory, iris: Iris, monkeypatch: pytest.MonkeyPatch
) -> None:
    tea = written(me.remember("Likes green tea")).entry
    name = verified(iris, me)
    real = exports_kept.Keeping.chunk

    def chunk(keeping: exports_kept.Keeping, piece: bytes) -> None:
        monkeypatch.setattr(exports_kept.Keeping, "chunk", real)
        me.forget(tea.logical_id, scan=False)
        real(keeping, piece)

    monkeypatch.setattr(exports_kept.Keeping, "chunk", chunk)
    refused = me.exports.make(name)
    assert isinstance(refused, RightsRefused)
    assert refused.reason is RightsRefusal.FULFILMENT_REFUSED
    done = me.exports.make(name)
    assert isinstance(done, RightsRequest)
    assert b"green" not in b"".join(me.exports.collect(name))  # type: ignore[arg-type]


def test_it_waits_a_week_and_a_day_after_it_was_collected(me: PersonMemory, iris: Iris, clock: SteppingClock) -> None:
    me.remember("Likes green tea")
    first, second = verified(iris, me), verified(iris, me, format="ndjson")
    me.exports.make(first)
    me.exports.make(second)
    list(me.exports.collect(second))  # type: ignore[arg-type]
    assert standing(me, second).state is ExportState.COLLECTED
    clock.step(DAY)
    tend.hourly(iris.instruments)
    assert isinstance(me.exports.status(second), RightsRefused)
    standing(me, first)
    clock.step(6 * DAY)
    tend.hourly(iris.instruments)
    assert isinstance(me.exports.status(first), RightsRefused)
    sound(iris)


def test_an_unfinished_one_is_made_anew(me: PersonMemory, iris: Iris, monkeypatch: pytest.MonkeyPatch) -> None:
    me.remember("Likes green tea")
    name = verified(iris, me)

    def die(keeping: exports_kept.Keeping, piece: bytes) -> None:
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr(exports_kept.Keeping, "chunk", die)
        with pytest.raises(OSError):
            me.exports.make(name)
    assert standing(me, name).state is ExportState.BUILDING
    assert isinstance(me.exports.collect(name), RightsRefused)
    assert isinstance(me.exports.make(name), RightsRequest)
    assert check_bundle(io.BytesIO(b"".join(me.exports.collect(name)))).ok  # type: ignore[arg-type]


def test_an_encrypted_one_is_not_given_plain(me: PersonMemory, iris: Iris) -> None:
    me.remember("Likes green tea")
    name = verified(iris, me, encrypted=True)
    me.exports.make(name)
    with pytest.raises(ContractError, match="encrypted"):
        me.exports.collect(name)
    with pytest.raises(ContractError, match="at least 12"):
        me.exports.collect(name, passphrase="short")
    with pytest.raises(ContractError, match="base64"):
        me.exports.collect(name, recipient="no key")


def test_it_is_nobody_elses(me: PersonMemory, iris: Iris) -> None:
    me.remember("Likes green tea")
    name = verified(iris, me)
    me.exports.make(name)
    other = person(iris, "bob")
    assert isinstance(other.exports.status(name), RightsRefused)
    with pytest.raises(UnknownMemoryError):
        other.exports.make(name)
    assert not other.exports.discard(name)
    standing(me, name)


def test_it_outlives_the_process_and_is_sealed(me: PersonMemory, iris: Iris, open_iris: OpenIris, folder: Path) -> None:
    me.remember("Likes Zanzibar quokkas")
    name = verified(iris, me, format="ndjson")
    me.exports.make(name)
    before = standing(me, name)
    iris.close()
    for file in folder.rglob("*"):
        assert not file.is_file() or b"PK\x03\x04" not in file.read_bytes()
    again = open_iris().for_user(tenant="acme", user="ada")
    assert standing(again, name) == before


def test_what_was_imported_goes_out_and_in_and_is_the_same(open_iris: OpenIris, tmp_path: Path) -> None:
    """DSR-14: import, export, import is the identity; no label rises and no consent comes in by a file (POI-1)."""
    iris = open_iris()
    numbers = iter(range(10_000))

    @given(
        st.lists(
            st.tuples(
                st.text(st.characters(codec="utf-8", categories=("L", "Nd", "Zs")), min_size=1, max_size=60).filter(
                    str.strip
                ),
                st.sampled_from(["preference", "fact", "work", "hobby-unknown"]),
                st.none() | st.sampled_from(["seat", "drink"]),
            ),
            max_size=5,
        )
    )
    @settings(**SLOW)  # type: ignore[arg-type]
    def round_trip(rows: list[tuple[str, str, str | None]]) -> None:
        number = next(numbers)
        notes = tmp_path / f"notes-{number}.jsonl"
        notes.write_text(
            "".join(
                json.dumps({"id": f"{place}", "text": text, "category": category, "subject": subject}) + "\n"
                for place, (text, category, subject) in enumerate(rows)
            )
        )
        me = person(iris, f"first-{number}")
        me.import_file(notes, format="jsonl")
        once = exported(iris, me)
        (tmp_path / f"{number}.zip").write_bytes(once)
        other = iris.for_user(tenant="acme", user=f"second-{number}")
        other.consent.grant(*BASE, terms=TERMS)
        trail = len(other.consent.trail())
        if items(once, "memories"):
            report = other.import_file(tmp_path / f"{number}.zip", format="iris-export")
            assert report.taken == len(plain(once))
        assert len(other.consent.trail()) == trail
        assert plain(exported(iris, other)) == plain(once)

    round_trip()


def plain(data: bytes) -> list[tuple[Any, ...]]:
    """Return what memories in use say, without ids and times of writing."""
    return sorted(
        (
            one["body"],
            one["category"],
            one["subject"] or "",
            one["label"],
            one["origin"],
            one["scope"]["kind"],
            one["provenance_chain"][0]["captured_at"],
        )
        for payload in ("memories", "session_memory")
        for one in items(data, payload)
        if one["superseded_by"] is None
    )


def test_what_the_person_typed_comes_back_as_imported(me: PersonMemory, iris: Iris, tmp_path: Path) -> None:
    me.consent.grant("category:medical", terms=TERMS)
    tea = written(me.remember("Likes green tea", subject="drink")).entry
    me.revise(tea.logical_id, "Likes black tea")
    me.remember("Takes insulin", category="medical")
    me.remember("Trip on Friday", scope=SessionScope(user_id="ada", session_id="trip"), session="trip")
    file = tmp_path / "export.zip"
    file.write_bytes(exported(iris, me))
    other = person(iris, "bob")
    report = other.import_file(file, format="iris-export", wish=ImportWish(into=Into.CONVERSATION))
    assert (report.taken, dict(report.held), dict(report.unreadable)) == (
        2,
        {"consent-missing": 1},
        {"abandoned-branch": 1},
    )
    listed = other.list().entries
    assert {(one.body, one.label.value, one.origin.value) for one in listed} == {
        ("Likes black tea", "import", "imported"),
        ("Trip on Friday", "import", "imported"),
    }
    assert other.import_file(file, format="iris-export", wish=ImportWish(into=Into.CONVERSATION)).taken == 0


def test_an_export_has_no_record_kind_that_cannot_be_read(me: PersonMemory, iris: Iris) -> None:
    """Every kind of the register is looked at; one that is sealed under the tenant's key is named and not told."""
    me.remember("Likes green tea")
    ends = iris.instruments.clock.now() + 9 * DAY
    iris.rights_desk("acme").place_hold(user="ada", actor="op-1", reference="case", reason="asked", expires_at=ends)
    data = exported(iris, me)
    assert RecordKind.LEGAL_HOLD.value not in {one["kind"] for one in items(data, "records")}
    assert not stands_in("case", json.dumps(items(data, "records")))
