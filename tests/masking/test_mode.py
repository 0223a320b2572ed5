"""The mode: never less than was asked silently, never an error that stops the host."""

from __future__ import annotations

import pytest
from owner_sample import spans

from iris_memory.contracts.masking import Action, MaskingReason, Mode
from iris_memory.masking.mode import in_force, read_mode
from iris_memory.tables.guards import closed_table, load


@pytest.mark.parametrize("value", [None, "", "0", "false", "no", "off", "OFF", " off "])
def test_off_is_the_default(value):
    assert read_mode(value) == (Mode.OFF, None)


@pytest.mark.parametrize("value", ["shadow", "Shadow", "enforce", " ENFORCE "])
def test_what_was_asked_for_runs(value):
    assert read_mode(value) == (Mode(value.strip().lower()), None)


@pytest.mark.parametrize("value", ["on", "1", "true", "yes", "enforced", "shdow"])
def test_anything_else_runs_shadow_and_says_so(value):
    mode, warning = read_mode(value)
    assert mode is Mode.SHADOW
    for word in ("off", "shadow", "enforce", "nothing is masked or denied"):
        assert word in warning
    assert value not in warning.split()


def test_only_an_enforced_kind_is_acted_on():
    table = load({"enforce": ["email"]})
    [email, phone] = spans("ottoline.varga@gmail.com, +44 20 7946 0958")
    assert in_force(email, mode=Mode.ENFORCE, table=table) is Action.DENY
    assert in_force(phone, mode=Mode.ENFORCE, table=table) is Action.LOG
    for mode in (Mode.OFF, Mode.SHADOW):
        assert in_force(email, mode=mode, table=table) is Action.LOG


def test_passing_stays_passing():
    [span] = spans("Ottoline")
    for action in (Action.PASS, Action.LOG):
        assert in_force(span._replace(action=action), mode=Mode.ENFORCE, table=load({"enforce": ["name"]})) is action


def test_a_closed_table_enforces_every_kind():
    [span] = spans("Ottoline Varga-Quill")
    table = closed_table(MaskingReason.CONFIG_INVALID)
    assert in_force(span._replace(action=Action.MASK), mode=Mode.ENFORCE, table=table) is Action.MASK
