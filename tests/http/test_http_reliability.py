"""Under load: a stop loses nothing, a kill loses nothing that was acknowledged, a full disk is told and passes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx
import pytest

from iris_memory import Iris
from iris_memory.storage.keys import FixedKey

pytestmark = pytest.mark.enable_socket
KEY: Final = bytes(range(32))
TERMS: Final = "We keep what you tell us."
WRITERS: Final = 6
_SERVE: Final = """
import resource, signal, sys
from pathlib import Path
from iris_memory.http.serving import serve
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def fill(*_):
    largest = max(path.stat().st_size for path in Path(sys.argv[1]).rglob("*") if path.is_file())
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest + 60_000, resource.RLIM_INFINITY))
def free(*_):
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
signal.signal(signal.SIGUSR1, fill)
signal.signal(signal.SIGUSR2, free)
serve(Path(sys.argv[1]), port=0, people=["acme/ada"])
"""


@contextmanager
def _serving(store: Path) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """Serve a store in a process; SIGUSR1 leaves it no room on its disk, SIGUSR2 gives it back."""
    environment = {**os.environ, "IRIS_ROOT_KEY": KEY.hex(), "IRIS_RATE_PER_HOLDER": "0", "IRIS_RATE_PER_ADDRESS": "0"}
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", _SERVE, str(store)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip().removeprefix("Iris is at ")
        token = None
        while token is None:
            token = re.fullmatch(r"  token  (\S+)  for acme/ada\n", process.stdout.readline())
        headers = {"Authorization": f"Bearer {token.group(1)}"}
        with httpx.Client(base_url=address, headers=headers, timeout=60) as client:
            consent = {"names": ["data_processing", "data_storage"], "terms": TERMS}
            assert client.post("/v1/consent/grant", json=consent).status_code == 200
            yield process, client
    finally:
        process.kill()
        process.communicate()


class _Load:
    """Threads that write one memory after another, and what they were answered."""

    def __init__(self, client: httpx.Client, *, pause: float = 0.0) -> None:
        self.acknowledged: set[str] = set()
        self.refused: list[tuple[int, str]] = []
        self.asked = 0
        self._client = client
        self._pause = pause
        self._ends = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(each,)) for each in range(WRITERS)]

    def __enter__(self) -> _Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        for thread in self._threads:
            thread.join()

    def _write(self, writer: int) -> None:
        number = 0
        while not self._ends.is_set():
            number += 1
            body = f"Fact {number} of writer {writer}: {'walnuts ' * 40}"
            self.asked += 1
            try:
                answer = self._client.post("/v1/memories", json={"body": body})
            except httpx.TransportError:
                return
            if answer.status_code == 201:
                self.acknowledged.add(answer.json()["entry"]["logical_id"])
            else:
                self.refused.append((answer.status_code, answer.json()["code"]))
            time.sleep(self._pause)

    def until(self, acknowledged: int) -> None:
        """Wait for so many acknowledged writes."""
        ends = time.monotonic() + 60
        while len(self.acknowledged) < acknowledged:
            assert time.monotonic() < ends, self.refused[-3:]
            time.sleep(0.01)


def _kept(store: Path) -> set[str]:
    with Iris.open(store, key=FixedKey(KEY), create=False, tended=False) as iris:
        assert iris.verify_audit(tenant="acme").ok
        assert [finding for finding in iris.doctor() if not finding.ok] == []
        entries = iris.for_user(tenant="acme", user="ada").list(limit=100_000).entries
        return {entry.logical_id for entry in entries}


def test_a_stop_under_load_answers_what_it_took_and_loses_nothing(tmp_path: Path) -> None:
    with _serving(tmp_path / "store") as (process, client), _Load(client) as load:
        load.until(40)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
    assert load.refused == []
    kept = _kept(tmp_path / "store")
    assert load.acknowledged <= kept
    assert len(kept) <= load.asked


def test_a_kill_under_load_keeps_what_was_acknowledged_and_the_service_comes_back(tmp_path: Path) -> None:
    acknowledged: set[str] = set()
    for _ in range(2):
        with _serving(tmp_path / "store") as (process, client), _Load(client) as load:
            load.until(30)
            process.send_signal(signal.SIGKILL)
            process.wait(timeout=30)
        acknowledged |= load.acknowledged
    with _serving(tmp_path / "store") as (_, client):
        assert client.get("/ready").status_code == 200
        assert client.post("/v1/recall", json={"text": "walnuts"}).json()["hits"]
    assert acknowledged <= _kept(tmp_path / "store")


def test_a_full_disk_under_load_is_told_and_passes(tmp_path: Path) -> None:
    with _serving(tmp_path / "store") as (process, client), _Load(client, pause=0.005) as load:
        load.until(20)
        process.send_signal(signal.SIGUSR1)
        ends = time.monotonic() + 60
        while len(load.refused) < 5 and time.monotonic() < ends:
            time.sleep(0.02)
        assert set(load.refused) == {(507, "store-full")}
        assert client.get("/health").status_code == 200
        process.send_signal(signal.SIGUSR2)
        load.until(len(load.acknowledged) + 20)
        assert client.get("/ready").status_code == 200
    with _serving(tmp_path / "store"):
        pass
    assert load.acknowledged <= _kept(tmp_path / "store")
