"""`serve` prints an address and tokens, keeps to loopback, and ends without losing what it acknowledged."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from iris_memory import Iris
from iris_memory.errors import ContractError, ServingError
from iris_memory.http.serving import listening, serve

pytestmark = pytest.mark.enable_socket
TERMS = "We keep what you tell us."


@contextmanager
def _process(store: Path, keys: Path, **fields: object) -> Iterator[tuple[subprocess.Popen[str], str, dict[str, str]]]:
    program = (
        "from pathlib import Path; from iris_memory.http.serving import serve;"
        f" serve(Path({str(store)!r}), **{fields!r})"
    )
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", program],
        env={**os.environ, "XDG_CONFIG_HOME": str(keys)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip().removeprefix("Iris is at ")
        assert process.stdout.readline() == f"  store  {store.name}\n"
        tokens = {}
        while found := re.fullmatch(r"  token  (\S+)  for (\S+)\n", process.stdout.readline()):
            tokens[found.group(2)] = found.group(1)
        yield process, address, tokens
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_what_was_acknowledged_is_there_after_a_stop(tmp_path: Path, ending: signal.Signals) -> None:
    store = tmp_path / "my store"
    with _process(store, tmp_path / "keys", port=0, people=["acme/ada"]) as (process, address, tokens):
        assert list(tokens) == ["local/me", "acme/ada"]
        assert address.startswith("http://127.0.0.1:")
        with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {tokens['acme/ada']}"}) as ada:
            consent = {"names": ["data_processing", "data_storage"], "terms": TERMS}
            assert ada.post("/v1/consent/grant", json=consent).status_code == 200
            assert ada.post("/v1/memories", json={"body": "Likes walnuts"}).status_code == 201
            ada.post("/v1/recall", json={"text": "walnuts"})
        process.send_signal(ending)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 0
        assert err == ""
        assert "walnuts" not in out
    os.environ["XDG_CONFIG_HOME"], before = str(tmp_path / "keys"), os.environ.get("XDG_CONFIG_HOME")
    try:
        with Iris.open(store, create=False, tended=False) as iris:
            me = iris.for_user(tenant="acme", user="ada")
            (entry,) = me.list().entries
            assert me.show(entry.logical_id)[1].reference_count == 1  # use waits for the close, and the close came
            assert iris.verify_audit(tenant="acme").ok
    finally:
        if before is None:
            del os.environ["XDG_CONFIG_HOME"]
        else:
            os.environ["XDG_CONFIG_HOME"] = before


def test_a_request_in_progress_is_answered_before_the_end(tmp_path: Path) -> None:
    with _process(tmp_path / "store", tmp_path / "keys", port=0) as (process, address, tokens):
        headers = {"Authorization": f"Bearer {tokens['local/me']}"}
        statements = {"statements": [{"body": f"Fact number {place} about walnuts"} for place in range(1_000)]}
        answers: list[httpx.Response] = []
        with httpx.Client(base_url=address, headers=headers, timeout=30) as me:
            me.post("/v1/consent/grant", json={"names": ["data_processing", "data_storage"], "terms": TERMS})

            def write() -> None:
                answers.append(me.post("/v1/memories/batch", json=statements))

            thread = threading.Thread(target=write)
            thread.start()
            while thread.is_alive() and not _has_connection(process.pid):
                pass
            process.send_signal(signal.SIGTERM)
            thread.join()
        assert process.wait(timeout=30) == 0
        assert [answer.status_code for answer in answers] == [200]


def _has_connection(pid: int) -> bool:
    """Say whether the process has accepted a connection: a socket beside the one it listens at and its loop's pair."""
    held = [each.readlink().name for each in Path(f"/proc/{pid}/fd").iterdir() if each.is_symlink()]
    return sum(name.startswith("socket:") for name in held) > 3


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.0.2.1", "example.com", "10.0.0.1", "localhost.example.com"])
def test_development_tokens_stay_on_this_machine(tmp_path: Path, host: str) -> None:
    with pytest.raises(ServingError, match="this machine alone"):
        serve(tmp_path / "store", host=host)
    assert not (tmp_path / "store").exists()


def test_a_port_that_is_taken_is_said_plainly(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(ServingError, match="choose another port"):
        serve(tmp_path / "store", port=taken.getsockname()[1])
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("person", ["nobody", "/ada", "acme/", "acme/a\nb", "acme/" + "x" * 129])
def test_a_person_is_named_as_tenant_and_user(tmp_path: Path, person: str) -> None:
    with pytest.raises(ContractError) as caught:
        serve(tmp_path / "store", port=0, people=[person])
    assert person.strip("/") not in str(caught.value)
    assert not (tmp_path / "store").exists()


def test_a_connection_sends_at_once_what_it_has() -> None:
    with listening("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
