"""Inspections, operator notes, continuity and bridges, once more on PostgreSQL: the same calls, the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Final

import psycopg
import pytest

from flows.stores import OpenIris, SteppingClock, open_store
from iris_memory.front.iris import Iris
from iris_memory.storage.postgres import prepare
from iris_memory.storage.postgres.schema import TABLES
from postgres.server import OWNER, SERVICE, Server

pytestmark = pytest.mark.enable_socket

_TAKEN: Final = {
    "flows.test_inspecting": (
        "test_what_comes_after_the_grant_is_never_seen",
        "test_a_canary_raises_an_alarm_and_the_reader_notices_nothing",
        "test_the_kill_switch_stops_everything_at_once",
        "test_consents_that_change_end_a_sensitive_grant",
    ),
    "flows.test_inspection_notices": (
        "test_a_break_glass_opens_safety_critical_memory_alone_and_loudly",
        "test_a_look_at_sensitive_memory_is_told_within_72_hours_of_the_first_read",
        "test_a_carve_out_delays_both_and_ends",
        "test_a_channel_that_fails_gets_it_again",
    ),
    "flows.test_hand_off": (
        "test_a_consent_that_ends_by_itself_ends_the_place_with_it",
        "test_a_place_is_dropped_by_hand_and_by_the_sweep",
        "test_everything_of_it_goes_with_the_person",
    ),
    "flows.test_attacks_operators": (
        "test_nobody_signs_the_incident_they_look_at_themselves",
        "test_a_grant_that_is_over_does_not_go_on_as_a_replay",
        "test_a_clock_that_steps_back_gives_no_more_time",
        "test_an_expired_grant_opens_nothing_in_another_process",
        "test_another_tenants_ids_look_like_none",
        "test_what_cannot_be_told_is_not_shown",
        "test_an_erased_person_is_replayed_without_a_word",
        "test_a_notice_reaches_the_persons_list_and_the_webhook_by_itself",
        "test_a_channel_of_the_deployment_is_tried_until_it_works",
        "test_what_was_replaced_goes_into_no_prompt",
        "test_a_note_that_is_forgotten_between_two_recalls_is_in_one_of_them",
        "test_no_words_get_into_a_place",
        "test_one_session_id_in_two_modes_is_two_sessions",
    ),
}


@pytest.fixture(scope="module")
def prepared(server: Server) -> Iterator[str]:
    """The name of a database that the tests of this module share; each finds it empty."""
    name = server.new_database()
    prepare(server.at(name, OWNER), service=SERVICE)
    yield name
    server.drop(name)


@pytest.fixture
def open_iris(server: Server, prepared: str, folder: Path, clock: SteppingClock) -> Iterator[OpenIris]:
    """Open a store whose data lies in the database, as often as is liked."""
    with psycopg.connect(server.at(prepared), autocommit=True) as connection:
        connection.execute(f"TRUNCATE {', '.join(f'iris.{table}' for table in TABLES)}".encode())
    opened: list[Iris] = []

    def open_it(**more: object) -> Iris:
        opened.append(open_store(folder, **{"clock": clock, "database": server.at(prepared, SERVICE), **more}))
        return opened[-1]

    yield open_it
    for iris in opened:
        iris.close()


for _module, _names in _TAKEN.items():
    _room = import_module(_module)
    for _name in _names:
        globals()[_name] = getattr(_room, _name)

ada = import_module("flows.test_attacks_operators").ada
