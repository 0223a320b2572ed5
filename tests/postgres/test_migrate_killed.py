"""`iris migrate` is killed again and again, and run again until it is done; the source stays in use until then."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from flows.stores import ROOT_KEY, open_store, person
from iris_memory.storage.postgres import PostgresStore
from iris_memory.storage.sqlite import SqliteStore
from postgres.test_migrate import rows_of

pytestmark = pytest.mark.enable_socket

PEOPLE = 30
EACH = 40
WRITES = (1, 3, 30, 30, 30, 7)
"""How many writes to the target each run does before it is killed, in the middle of the one that follows."""

KILLED = """
import os, signal, sys
from iris_memory.storage.keys import EnvironmentKey
from iris_memory.storage.postgres import PostgresStore
from iris_memory.storage.sqlite import SqliteStore
from iris_memory.wiring.moving import move

left = int(sys.argv[3])

def dying(kind):
    whole = kind.write
    def write(self, work, *, durable=True):
        global left
        def fatal(tx):
            work(tx)
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        whole(self, fatal, durable=durable)
        left -= 1
    kind.write = write

dying(PostgresStore)
dying(SqliteStore)
move(sys.argv[1], sys.argv[2], key=EnvironmentKey())
"""
IRIS = "from iris_memory.cli.application import main; main()"


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "IRIS_ROOT_KEY": ROOT_KEY.hex(), "HOME": str(folder)}
    return subprocess.run([sys.executable, "-c", *words], capture_output=True, text=True, env=environment, timeout=120)


@pytest.mark.parametrize("way", ["there", "back"])
def test_a_move_survives_being_killed(folder: Path, url: str, way: str) -> None:
    with open_store(folder, **({"database": url} if way == "back" else {})) as iris:
        for number in range(PEOPLE):
            me = person(iris, user=f"person {number}")
            for thing in range(EACH):
                me.remember(f"Person {number} said thing {thing}")
    source, target = (str(folder), url) if way == "there" else (url, str(folder))
    marker = (folder / "store.json").read_bytes()
    for kill, writes in enumerate(WRITES):
        killed = run(KILLED, source, target, str(writes), folder=folder)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert (folder / "store.json").read_bytes() == marker
        with open_store(folder, **({"database": url} if way == "back" else {})) as iris:
            assert iris.for_user(tenant="acme", user="person 3").list(limit=0).total == EACH + kill
            iris.for_user(tenant="acme", user="person 3").remember(f"Said between kills {kill}")
    last = run(IRIS, "migrate", "--from", source, "--to", target, "--json", folder=folder)
    assert last.returncode == 0, last.stderr
    document = json.loads(last.stdout)
    assert document["recalls_compared"] > 0
    assert 0 < document["copied"] < document["owners"], "what the killed runs brought over stays"
    assert url not in last.stdout + last.stderr
    in_folder, in_postgres = rows_of(SqliteStore(folder / "data" / "iris.db")), rows_of(PostgresStore(url))
    assert in_folder == in_postgres
    with open_store(folder, **({"database": url} if way == "there" else {})) as iris:
        assert iris.verify_audit(tenant="acme").ok
        assert [finding for finding in iris.doctor() if not finding.ok] == []
