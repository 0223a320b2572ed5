"""A place goes from one device to another: once, without content, under consent, and only until its time is over."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.stores import TERMS, OpenIris, SteppingClock, actions, chain, person, refused, sound
from iris_memory.contracts.category import Category
from iris_memory.contracts.continuity import (
    AnchorRef,
    Checkpoint,
    CheckpointKept,
    ContinuitySurface,
    PositionUnit,
    Posture,
    SurfaceContext,
)
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.scope import OperatorCopilotScope, ProfileScope, SessionScope
from iris_memory.errors import IdempotencyConflictError
from iris_memory.flows.tend import chores
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.ports.rows import RecordKind
from iris_memory.rules.continuity import ALSO_PLAYING, Mark, decide
from iris_memory.tables.continuity import CONFLICT_WINDOW, CONTINUITY, DEVICES_MOST, TOKEN_LIFETIME, TOKENS_MOST

FLOOR = Mark("phone", SteppingClock().now())


def at(
    position: int,
    *,
    device: str = "phone",
    key: str | None = None,
    surface: str = "ritual",
    unit: str = "step",
    posture: str = "paused",
    ref: str = "evening-wind-down",
    **more: Any,
) -> Checkpoint:
    """Return a checkpoint of ada's."""
    return Checkpoint(
        device_id=device,
        scope=more.pop("scope", ProfileScope(user_id="ada")),
        surface_context=SurfaceContext(surface=ContinuitySurface(surface), title_ref="title-7", locale="en-GB"),
        anchor_ref=AnchorRef(surface=ContinuitySurface(surface), ref=ref, position=position, unit=PositionUnit(unit)),
        posture=Posture(posture),
        sensitive_categories=frozenset(map(Category, more.pop("sensitive_categories", ()))),
        idempotency_key=key or f"{device}-{surface}-{ref}-{position}",
        **more,
    )


def kept(outcome: object) -> CheckpointKept:
    """Return an outcome that must be kept."""
    assert isinstance(outcome, CheckpointKept), outcome
    return outcome


def crossing(me: PersonMemory, *categories: str) -> str:
    """Give the cross-device consent, and those of categories; return the id of the event."""
    if categories:
        me.consent.grant(*(f"category:{name}" for name in categories), terms=TERMS)
    (event,) = me.consent.grant("cross_device", terms=TERMS)
    return event.event_id


def records(iris: Iris, kind: RecordKind) -> list[bytes]:
    with iris.instruments.store.read() as reading:
        return [row.blob for _, _, row in reading.records_everywhere(kind)]


def test_another_device_goes_on_where_the_first_stopped(me: PersonMemory, clock: SteppingClock) -> None:
    first = kept(me.continuation.checkpoint(at(3)))
    clock.step(timedelta(minutes=1))
    (card,) = me.continuation.recent(device_id="tablet")
    assert card == first.token
    place = me.continuation.resume("ritual", "evening-wind-down")
    assert place is not None
    assert (place.anchor_ref.position, place.anchor_ref.unit, place.posture) == (3, "step", "paused")
    later = kept(me.continuation.checkpoint(at(4, device="tablet")))
    assert (later.stands, later.token.version, later.notice) == (True, 2, None)
    assert later.token.token_id == first.token.token_id
    assert later.token.sequence > first.token.sequence


@pytest.mark.parametrize("surface", ContinuitySurface)
def test_every_surface_resumes_mid_segment(
    open_iris: OpenIris, clock: SteppingClock, surface: ContinuitySurface
) -> None:
    row = CONTINUITY[surface]
    iris = open_iris()
    me = person(iris)
    for unit, most in row.units.items():
        for posture in sorted(row.postures):
            clock.step(timedelta(seconds=10))
            wish = at(
                most, surface=surface, unit=unit, posture=posture, ref=f"{surface}-{unit}", key=f"{unit}{posture}"
            )
            kept(me.continuation.checkpoint(wish))
    iris.close()
    again = open_iris().for_user(tenant="acme", user="ada")  # what was kept survives the process
    for unit, most in row.units.items():
        place = again.continuation.resume(surface, f"{surface}-{unit}")
        assert place is not None
        assert place.anchor_ref == AnchorRef(surface=surface, ref=f"{surface}-{unit}", position=most, unit=unit)


@pytest.mark.parametrize("surface", ContinuitySurface)
def test_a_place_that_its_surface_has_not_is_refused(me: PersonMemory, surface: ContinuitySurface) -> None:
    row = CONTINUITY[surface]
    unit, posture = sorted(row.units)[0], sorted(row.postures)[0]
    wrong = [at(row.units[unit] + 1, surface=surface, unit=unit, posture=posture)]
    wrong += [at(1, surface=surface, unit=each, posture=posture) for each in set(PositionUnit) - set(row.units)]
    wrong += [at(1, surface=surface, unit=unit, posture=each) for each in set(Posture) - row.postures]
    for wish in wrong:
        assert refused(me.continuation.checkpoint(wish)).reason is RefusalReason.PLACE_NOT_OF_SURFACE
    assert me.continuation.recent() == ()


def test_both_laws_across_fields_are_the_contracts() -> None:
    with pytest.raises(ValueError, match="surface that is shown"):
        Checkpoint.model_validate({**at(1).model_dump(), "anchor_ref": at(1, surface="voice", unit="ms").anchor_ref})
    with pytest.raises(ValueError, match="cross-device consent"):
        at(1, sensitive_categories=frozenset({"medical"}))


def test_the_same_key_is_answered_as_the_first_time_and_another_body_is_an_error(
    me: PersonMemory, clock: SteppingClock, iris: Iris
) -> None:
    first = me.continuation.checkpoint(at(3, key="k"))
    clock.step(timedelta(minutes=1))
    kept(me.continuation.checkpoint(at(9, key="other")))
    before = len(chain(iris))
    assert me.continuation.checkpoint(at(3, key="k")) == first
    assert len(chain(iris)) == before
    assert me.continuation.recent()[0].anchor_ref.position == 9
    with pytest.raises(IdempotencyConflictError):
        me.continuation.checkpoint(at(4, key="k"))


def test_within_the_window_the_later_server_time_wins_and_the_other_device_is_told(
    me: PersonMemory, clock: SteppingClock
) -> None:
    kept(me.continuation.checkpoint(at(3, device="phone")))
    clock.step(CONFLICT_WINDOW)
    won = kept(me.continuation.checkpoint(at(7, device="tablet")))
    assert (won.stands, won.notice, won.token.device_id) == (True, None, "tablet")
    (notice,) = me.devices.notices("phone")
    assert (notice.told, notice.other_device_id, notice.token_id) == (ALSO_PLAYING, "tablet", won.token.token_id)
    assert me.devices.notices("tablet") == ()
    assert me.devices.seen(notice.notice_id)
    assert not me.devices.seen(notice.notice_id)
    assert me.devices.notices("phone") == ()


def test_a_write_that_is_older_by_the_servers_clock_loses_and_says_so(me: PersonMemory, clock: SteppingClock) -> None:
    stood = kept(me.continuation.checkpoint(at(3, device="phone")))
    clock.step(timedelta(seconds=-2))  # another process, whose clock is behind
    lost = kept(me.continuation.checkpoint(at(9, device="tablet")))
    assert (lost.stands, lost.token) == (False, stood.token)
    assert lost.notice is not None
    assert lost.notice.told == ALSO_PLAYING
    assert me.devices.notices("tablet") == (lost.notice,)
    assert me.continuation.recent()[0].anchor_ref.position == 3


def test_beyond_the_window_and_about_other_things_nobody_is_told(me: PersonMemory, clock: SteppingClock) -> None:
    kept(me.continuation.checkpoint(at(3, device="phone")))
    clock.step(CONFLICT_WINDOW + timedelta(microseconds=1))
    kept(me.continuation.checkpoint(at(4, device="tablet")))
    kept(me.continuation.checkpoint(at(1, device="phone", ref="another")))
    assert me.devices.notices("phone") == me.devices.notices("tablet") == ()


def test_a_notice_goes_when_its_time_is_over(me: PersonMemory, clock: SteppingClock, iris: Iris) -> None:
    kept(me.continuation.checkpoint(at(3, device="phone")))
    kept(me.continuation.checkpoint(at(4, device="tablet")))
    clock.step(timedelta(days=7))
    assert me.devices.notices("phone") == ()
    chores(iris.instruments)
    assert records(iris, RecordKind.DEVICE_NOTICE) == []


@given(seconds=st.integers(min_value=-20_000_000, max_value=20_000_000), device=st.sampled_from(["phone", "tablet"]))
def test_the_decision_is_total_and_never_goes_back_in_time(seconds: int, device: str) -> None:
    new = Mark(device, FLOOR.at + timedelta(microseconds=seconds))
    decision = decide(FLOOR, new)
    is_conflict = device != "phone" and abs(new.at - FLOOR.at) <= CONFLICT_WINDOW
    assert decision.at >= FLOOR.at
    assert (decision.told is not None) is is_conflict
    assert decision.stands or (is_conflict and new.at < FLOOR.at)
    assert decision.told != (device if decision.stands else "phone")


def test_what_is_sensitive_crosses_under_the_consent_in_force_alone(
    me: PersonMemory, clock: SteppingClock, iris: Iris
) -> None:
    sensitive: dict[str, Any] = {"sensitive_categories": frozenset({"medical"})}
    no_category = me.continuation.checkpoint(at(1, **sensitive, cross_device_consent_id="made-up"))
    assert refused(no_category).reason is RefusalReason.SENSITIVE_CATEGORY_WITHOUT_CONSENT
    me.consent.grant("category:medical", terms=TERMS)
    none = refused(me.continuation.checkpoint(at(1, **sensitive, cross_device_consent_id="made-up")))
    assert (none.reason, none.needs) == (RefusalReason.CONSENT_MISSING, ("cross_device",))
    consent_id = crossing(me)
    assert refused(me.continuation.checkpoint(at(1, **sensitive, cross_device_consent_id="made-up")))
    kept(me.continuation.checkpoint(at(1, **sensitive, cross_device_consent_id=consent_id)))
    kept(me.continuation.checkpoint(at(2, device="tablet", **sensitive, cross_device_consent_id=consent_id)))
    kept(me.continuation.checkpoint(at(1, ref="plain")))
    assert len(me.continuation.recent()) == 2
    assert len(me.devices.notices("phone")) == 1
    me.consent.revoke("cross_device", scan=False)
    assert [token.anchor_ref.ref for token in me.continuation.recent()] == ["plain"]
    assert len(records(iris, RecordKind.CONTINUATION)) == 1, "it went with the withdrawal, not with the next sweep"
    assert len(records(iris, RecordKind.CONTINUATION_KEY)) == 1
    reached = next(event["reached"] for event in chain(iris) if event["action"] == "consent.cascade.applied")
    assert reached == {"records: continuation": 1, "records: continuation-key": 2}
    assert me.devices.notices("phone") == (), "nor does a notice tell of it"
    again = refused(me.continuation.checkpoint(at(1, **sensitive, cross_device_consent_id=consent_id)))
    assert again.reason is RefusalReason.CONSENT_MISSING, "the first answer is not said again without consent"
    sound(iris)


def test_a_category_that_is_withdrawn_takes_its_places_along(me: PersonMemory, iris: Iris) -> None:
    consent_id = crossing(me, "medical", "financial")
    for category in ("medical", "financial"):
        wish = at(1, ref=category, sensitive_categories=frozenset({category}), cross_device_consent_id=consent_id)
        kept(me.continuation.checkpoint(wish))
    me.consent.revoke("category:medical", scan=False)
    assert [token.anchor_ref.ref for token in me.continuation.recent()] == ["financial"]
    assert len(records(iris, RecordKind.CONTINUATION)) == 1


def test_a_consent_that_ends_by_itself_ends_the_place_with_it(me: PersonMemory, clock: SteppingClock) -> None:
    me.consent.grant("category:medical", terms=TERMS)
    ends = clock.now() + timedelta(hours=1)
    (event,) = me.consent.grant("cross_device", terms=TERMS, expires_at=ends)
    wish = at(1, sensitive_categories=frozenset({"medical"}), cross_device_consent_id=event.event_id)
    assert kept(me.continuation.checkpoint(wish)).token.expires_at == ends
    clock.instant = ends
    assert me.continuation.recent() == ()
    assert me.continuation.resume("ritual", "evening-wind-down") is None


def test_a_category_that_is_not_sensitive_is_not_called_so(me: PersonMemory) -> None:
    wish = at(1, sensitive_categories=frozenset({"preference"}), cross_device_consent_id=crossing(me))
    assert refused(me.continuation.checkpoint(wish)).reason is RefusalReason.PLACE_NOT_OF_SURFACE


def test_nothing_is_kept_without_consent_off_the_record_or_in_anothers_scope(iris: Iris, me: PersonMemory) -> None:
    stranger = iris.for_user(tenant="acme", user="bob")
    mine = at(1, scope=ProfileScope(user_id="bob"))
    assert refused(stranger.continuation.checkpoint(mine)).reason is RefusalReason.CONSENT_MISSING
    assert refused(stranger.devices.name("phone", "Phone")).reason is RefusalReason.CONSENT_MISSING
    assert refused(me.continuation.checkpoint(mine)).reason is RefusalReason.SCOPE_NOT_OF_SUBJECT
    copilot = at(1, scope=OperatorCopilotScope(tenant_id="acme", operator_id="ada"))
    assert refused(me.continuation.checkpoint(copilot)).reason is RefusalReason.SCOPE_NOT_OF_SUBJECT
    me.pause("s1")
    off = at(1, scope=SessionScope(user_id="ada", session_id="s1"))
    assert refused(me.continuation.checkpoint(off)).reason is RefusalReason.OFF_THE_RECORD
    assert records(iris, RecordKind.CONTINUATION) == []


def test_a_place_is_dropped_by_hand_and_by_the_sweep(me: PersonMemory, clock: SteppingClock, iris: Iris) -> None:
    token = kept(me.continuation.checkpoint(at(1))).token
    assert me.continuation.drop(token.token_id)
    assert not me.continuation.drop(token.token_id)
    assert records(iris, RecordKind.CONTINUATION) == records(iris, RecordKind.CONTINUATION_KEY) == []
    kept(me.continuation.checkpoint(at(2)))
    clock.step(TOKEN_LIFETIME)
    assert me.continuation.recent() == ()
    chores(iris.instruments)
    assert records(iris, RecordKind.CONTINUATION) == []


def test_places_and_devices_are_bounded(me: PersonMemory, clock: SteppingClock) -> None:
    for number in range(TOKENS_MOST + 2):
        clock.step()
        kept(me.continuation.checkpoint(at(1, ref=f"thing-{number}")))
    assert me.continuation.resume("ritual", "thing-1") is None
    assert me.continuation.resume("ritual", "thing-2") is not None
    assert [token.anchor_ref.ref for token in me.continuation.recent(limit=2)] == ["thing-101", "thing-100"]
    assert len(me.continuation.recent(limit=10_000)) == 50
    for number in range(DEVICES_MOST - 1):
        me.devices.name(f"device-{number}", "A device")
    assert refused(me.devices.name("one-more", "A device")).reason is RefusalReason.WRITE_BUDGET_SPENT
    assert refused(me.continuation.checkpoint(at(1, device="one-more"))).reason is RefusalReason.WRITE_BUDGET_SPENT


def test_devices_are_named_seen_and_removed_with_what_is_theirs(
    me: PersonMemory, clock: SteppingClock, iris: Iris
) -> None:
    kept(me.continuation.checkpoint(at(1, device="phone")))
    kept(me.continuation.checkpoint(at(2, device="tablet")))
    kept(me.continuation.checkpoint(at(1, device="phone", ref="only-here")))
    assert me.devices.name("phone", "Ada's pocket").name == "Ada's pocket"  # type: ignore[union-attr]
    clock.step(timedelta(hours=1))
    me.continuation.recent(device_id="phone")
    assert [(d.device_id, d.name) for d in me.devices.list()] == [("phone", "Ada's pocket"), ("tablet", None)]
    assert me.devices.list()[0].last_seen == clock.now()
    removed = me.devices.remove("phone")
    assert removed == (1, 1)
    assert me.devices.remove("phone") is None
    assert [d.device_id for d in me.devices.list()] == ["tablet"]
    assert [token.anchor_ref.ref for token in me.continuation.recent()] == ["evening-wind-down"]
    assert records(iris, RecordKind.DEVICE_NAME) == []
    assert actions(iris).count("device.changed") == 2
    sound(iris)


@pytest.mark.parametrize("text", ["a sentence of hers", "Bluebird song", "", "x" * 129, "naïve", "tab\tbed", "-a"])
def test_a_reference_has_the_shape_of_an_id(text: str) -> None:
    form = at(1).model_dump()
    with pytest.raises(ValueError, match=r"anchor_ref\.ref"):
        Checkpoint.model_validate({**form, "anchor_ref": {**form["anchor_ref"], "ref": text}})
    with pytest.raises(ValueError, match=r"surface_context\.title_ref"):
        Checkpoint.model_validate({**form, "surface_context": {**form["surface_context"], "title_ref": text}})


def test_a_token_holds_no_content_and_no_file_tells_a_reference(iris: Iris, me: PersonMemory, folder: Path) -> None:
    """Canaries: the words of a memory never reach a token, and a token's references and names lie sealed (DSR-10)."""
    me.remember("Sleeps badly before examinations: heliotrope")
    token = kept(me.continuation.checkpoint(at(3, device="canary-device", ref="canary-thing"))).token
    me.devices.name("canary-device", "canary-name")
    assert "heliotrope" not in token.model_dump_json()
    assert {*type(token).model_fields} & {"body", "text", "title", "content", "note"} == set()
    iris.flush()
    for file in folder.rglob("*"):
        found = file.read_bytes() if file.is_file() else b""
        assert not [word for word in (b"canary-", b"heliotrope", b"evening") if word in found], file.name
    assert not [line for line in chain(iris) if "canary" in str(line)]


def test_everything_of_it_goes_with_the_person(iris: Iris, me: PersonMemory) -> None:
    kept(me.continuation.checkpoint(at(3, device="phone")))
    kept(me.continuation.checkpoint(at(4, device="tablet")))
    me.devices.name("phone", "Ada's pocket")
    me.erase(scan=False)
    for kind in (
        RecordKind.CONTINUATION,
        RecordKind.CONTINUATION_KEY,
        RecordKind.DEVICE,
        RecordKind.DEVICE_NAME,
        RecordKind.DEVICE_NOTICE,
    ):
        assert records(iris, kind) == [], kind
    assert iris.for_user(tenant="acme", user="ada").continuation.recent() == ()


def test_nobody_else_reads_or_ends_it(iris: Iris, me: PersonMemory) -> None:
    token = kept(me.continuation.checkpoint(at(3))).token
    for other in (person(iris, "bob"), person(iris, "ada", tenant="globex")):
        assert other.continuation.recent() == ()
        assert other.continuation.resume("ritual", "evening-wind-down") is None
        assert not other.continuation.drop(token.token_id)
        assert other.devices.remove("phone") is None
        assert other.devices.list() == ()
    assert me.continuation.recent() == (token,)
