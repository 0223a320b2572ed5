"""http: recall through a real service in a process of its own, beside a bare echo of the same size.

The service is `iris serve` as anybody starts it: token, roles, audit and metrics included; its rates alone are lifted.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from iris_memory.bench.http_load import Load, measure, request
from iris_memory.bench.measure import Result, percentile
from iris_memory.bench.recall import texts
from iris_memory.bench.worlds import TENANT, person
from iris_memory.errors import SettingError
from iris_memory.front.iris import Iris
from iris_memory.storage.keys import FixedKey

SIZE = 1_000
CONNECTIONS = 64
SECONDS = 10.0
SHARE_OF_ECHO = 1 / 6
TAIL = 3.0
KEY = b"\x07" * 32
_SERVE = "from iris_memory.cli.application import main; main()"


def bench(*, quick: bool = False) -> list[Result]:
    """Measure recall over HTTP."""
    seconds = 2.0 if quick else SECONDS
    with TemporaryDirectory(prefix="iris-bench-") as folder:
        store = Path(folder) / "store"
        with Iris.open(store, key=FixedKey(KEY), database="") as iris:
            person(iris, "ada", SIZE)
        with service(store) as (port, token):
            wishes = [request("/v1/recall", {"text": text}, token=token) for text in texts()]
            recalled = measure(port, wishes, connections=CONNECTIONS, seconds=seconds)
        with echo(recalled.size) as port:
            floor = measure(port, [request("/echo", {"text": texts()[0]})], connections=CONNECTIONS, seconds=seconds)
    for load in (recalled, floor):
        if load.failed or not load.taken:
            raise SettingError("the service did not answer every request")
    return _results(recalled, floor)


def _results(recalled: Load, floor: Load) -> list[Result]:
    middle, tail = percentile(recalled.taken, 0.5), percentile(recalled.taken, 0.99)
    return [
        Result("recall rate", SIZE, recalled.rate, "/s", floor.rate, floor.rate * SHARE_OF_ECHO, at_least=True),
        Result("recall p50", SIZE, middle, "ms", percentile(floor.taken, 0.5)),
        Result("recall p99", SIZE, tail, "ms", percentile(floor.taken, 0.99), middle * TAIL),
        Result("answer", SIZE, recalled.size, "bytes", floor.size),
    ]


@contextmanager
def service(store: Path) -> Iterator[tuple[int, str]]:
    """Serve a store in a process of its own; yield its port, and a token of the person in it."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("IRIS_")},
        "IRIS_ROOT_KEY": KEY.hex(),
        "IRIS_RATE_PER_HOLDER": "0",
        "IRIS_RATE_PER_ADDRESS": "0",
    }
    command = [sys.executable, "-c", _SERVE, "serve", "--store", str(store), "--port", "0"]
    with _child([*command, "--person", f"{TENANT}/ada"], environment) as process:
        port = token = None
        while port is None or token is None:
            line = _line(process)
            port = re.search(r":(\d+)$", line.strip()) if port is None else port
            token = re.fullmatch(rf"  token  (\S+)  for {TENANT}/ada", line.rstrip()) if token is None else token
        yield int(port.group(1)), token.group(1)


@contextmanager
def echo(size: int) -> Iterator[int]:
    """Serve a bare echo whose answers have a size in bytes; yield its port."""
    with _child([sys.executable, "-m", "iris_memory.bench.echo", str(size)], dict(os.environ)) as process:
        yield int(_line(process))


@contextmanager
def _child(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise SettingError("the service did not start; install iris-memory[server]")
    return line
