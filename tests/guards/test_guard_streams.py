"""An answer in pieces is guarded as the whole is (PII-8), and shows nothing that the whole would not."""

from __future__ import annotations

from pathlib import Path

import pytest
from guard_world import EMAIL, FIRST, NAME, PHONE, SECRET, owner_of, sentence

from iris_memory.contracts.guarding import GuardOutcome, GuardReason
from iris_memory.contracts.masking import Audience, PiiKind
from iris_memory.errors import MaskingError
from iris_memory.guards.kernel import OwnerGuard

TEXT = f"{FIRST} said: write to {EMAIL} or call {PHONE}. [owner:email#7] {NAME}, {EMAIL}!"


def streamed(guard: OwnerGuard, text: str, *, size: int, audience: Audience) -> tuple[str, GuardOutcome]:
    stream = guard.response_stream(audience=audience)
    out = [stream.feed(text[start : start + size]) for start in range(0, len(text), size)]
    out.append(stream.finish())
    assert stream.decision is not None
    return "".join(out), stream.decision.outcome


@pytest.mark.parametrize("size", [1, 2, 7, 31, 1_000])
@pytest.mark.parametrize("audience", Audience)
@pytest.mark.parametrize("enforce", [[PiiKind.EMAIL], list(PiiKind), []])
def test_however_it_is_cut_it_comes_out_as_the_whole(
    tmp_path: Path, size: int, audience: Audience, enforce: list[PiiKind]
) -> None:
    guard = owner_of(tmp_path, enforce=enforce).guard()
    whole = guard.pre_response(TEXT, audience=audience)
    out, outcome = streamed(guard, TEXT, size=size, audience=audience)
    assert outcome is whole.outcome
    plain = out.replace("[owner~:email#7]", "[owner:email#7]") if outcome is GuardOutcome.ALLOW else out
    assert plain == whole.value


def test_shadow_and_off_let_every_piece_go_on_as_it_came(tmp_path: Path) -> None:
    owner, pieces = owner_of(tmp_path), [EMAIL[:9], EMAIL[9:], f" {SECRET}"]
    for mode in ("off", "shadow"):
        stream = owner.guard(mode).response_stream()
        assert [stream.feed(piece) for piece in pieces] == pieces
        assert stream.finish() == ""
    (firing,) = owner.firings()
    assert {tally.kind for tally in firing.row.tallies} == {PiiKind.EMAIL, PiiKind.SECRET}


def test_what_would_halt_is_never_shown_and_is_told_at_the_end(tmp_path: Path) -> None:
    stream = owner_of(tmp_path).guard().response_stream(audience=Audience.OWNER)
    out = "".join(stream.feed(mark) for mark in sentence(SECRET)) + stream.finish()
    assert SECRET not in out
    assert stream.decision is not None
    assert stream.decision.outcome is GuardOutcome.HALT
    assert stream.decision.halted is not None
    assert stream.decision.halted.audience is Audience.OWNER
    with pytest.raises(MaskingError):
        stream.feed("more")


def test_what_cannot_be_observed_shows_nothing_in_enforce(tmp_path: Path) -> None:
    owner = owner_of(tmp_path).write(user="nothing")
    stream = owner.guard().response_stream()
    assert stream.feed(EMAIL) + stream.finish() == ""
    assert stream.decision is not None
    assert stream.decision.reason is GuardReason.NOT_OBSERVED
