"""Processes to kill: a server that has Iris loaded forks one for each job, so that a life costs milliseconds.

The server has no thread and no store open, so forking it is safe. A job is a function of this folder's modules, named
`module:function`, called with keyword arguments that are JSON. What it does is told through files.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any, Self

TESTS = Path(__file__).parents[1]
WELL, FAILED = 0, 70


class Nursery:
    """The server. Use it as a context manager."""

    def __enter__(self) -> Self:
        self._server = subprocess.Popen(
            [sys.executable, "-c", "from reliability.nursery import serve; serve()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=TESTS,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.communicate(timeout=60)

    def run(self, job: str, *, kill_after: float | None = None, lines: int = 0, **given: Any) -> int:
        """Run one job and return its exit code; minus 9 when it was killed."""
        return self.run_all([(job, given)], kill_after=kill_after, lines=lines, log=given.get("log", ""))[0]

    def run_all(
        self,
        jobs: list[tuple[str, dict[str, Any]]],
        *,
        kill_after: float | None = None,
        lines: int = 0,
        log: str = "",
    ) -> list[int]:
        """Run jobs side by side and return their exit codes.

        With `kill_after` all are killed so many seconds after they began, or after `log` had so many `lines`.
        """
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        order = {
            "jobs": [[job, given] for job, given in jobs],
            "kill_after": kill_after,
            "lines": lines,
            "log": log,
        }
        self._server.stdin.write(json.dumps(order) + "\n")
        self._server.stdin.flush()
        return json.loads(self._server.stdout.readline())["codes"]


def serve() -> None:
    """Fork what is ordered until the orders end."""
    importlib.import_module("reliability.lives").warm_up()
    for line in sys.stdin:
        order = json.loads(line)
        children = [_fork(job, given) for job, given in order["jobs"]]
        if order["kill_after"] is not None:
            deadline = time.monotonic() + 30
            while _lines(order["log"]) < order["lines"] and time.monotonic() < deadline:
                time.sleep(0.001)
            time.sleep(order["kill_after"])
            for child in children:
                os.kill(child, signal.SIGKILL)
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        sys.stdout.write(json.dumps({"codes": codes}) + "\n")
        sys.stdout.flush()


def _lines(log: str) -> int:
    try:
        return Path(log).read_bytes().count(b"\n")
    except OSError:
        return 0


def _fork(job: str, given: dict[str, Any]) -> int:
    child = os.fork()
    if child:
        return child
    code = FAILED
    try:
        module, _, function = job.partition(":")
        getattr(importlib.import_module(f"reliability.{module}"), function)(**given)
        code = WELL
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)
    return child
