"""After a forget is acknowledged in one process, no recall that starts later serves it in another.

`IRIS_TEST_RACE_ROUNDS` sets the number of rounds; a change runs a few, a night many.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.stores import KEY, person, written
from iris_memory.front.iris import Iris
from iris_memory.wiring.opening import open_embedded

pytestmark = pytest.mark.enable_socket

ROUNDS = int(os.environ.get("IRIS_TEST_RACE_ROUNDS", "200"))
HAMMERS = 2
_READER = """
import json, sys
from pathlib import Path
from threading import Event, Thread
from flows.stores import KEY, bodies
from iris_memory.front.iris import Iris
from iris_memory.wiring.opening import open_embedded

iris = Iris(open_embedded(Path(sys.argv[1]), key=KEY, tended=False, database=sys.argv[2]))
me = iris.for_user(tenant="acme", user="ada")
done, failures = Event(), []

def hammer():
    try:
        while not done.is_set():
            me.recall("heron")
    except Exception as error:
        failures.append(repr(error))

threads = [Thread(target=hammer) for _ in range(int(sys.argv[3]))]
for thread in threads:
    thread.start()
for line in sys.stdin:
    print(json.dumps(bodies(me, "heron") + [entry.body for entry in me.list().entries] + failures), flush=True)
done.set()
for thread in threads:
    thread.join()
iris.close()
"""


class Reader:
    """Another process that recalls when it is asked to, and all the time besides."""

    def __init__(self, folder: Path, database: str) -> None:
        tests = Path(__file__).parents[1]
        self.process = subprocess.Popen(
            [sys.executable, "-c", _READER, str(folder), database, str(HAMMERS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(tests)},
        )

    def sees(self) -> list[str]:
        """Return what a recall and a listing that start now answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        found: list[str] = json.loads(self.process.stdout.readline())
        return found

    def stop(self) -> None:
        """Let it end, and see that it ended well."""
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0


@pytest.fixture
def iris(tmp_path: Path, url: str) -> Iterator[Iris]:
    """A store whose data lies in a database."""
    opened = Iris(open_embedded(tmp_path / "memory", key=KEY, tended=False, database=url))
    try:
        yield opened
    finally:
        opened.close()


def test_no_process_serves_what_another_forgot(iris: Iris, tmp_path: Path, url: str) -> None:
    me = person(iris)
    reader = Reader(tmp_path / "memory", url)
    try:
        for number in range(ROUNDS):
            body = f"I saw heron number {number}."
            entry = written(me.remember(body)).entry
            assert body in reader.sees(), number
            me.forget(entry.logical_id, scan=False)
            assert reader.sees() == [], number
        me.remember("I saw a heron again.")
        me.erase(scan=False)
        assert reader.sees() == []
    finally:
        reader.stop()
    assert iris.verify_audit(tenant="acme").ok
