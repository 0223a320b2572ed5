"""Process, hash seed, time zone and locale change no byte of a recall."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def run(**environment: str) -> bytes:
    """Return what the fixed world's program writes under an environment."""
    paths = os.pathsep.join(filter(None, [str(HERE.parent), os.environ.get("PYTHONPATH")]))
    given = {**os.environ, "PYTHONPATH": paths, "PYTHONIOENCODING": "utf-8", **environment}
    done = subprocess.run([sys.executable, HERE / "fixed_world.py"], env=given, capture_output=True, check=True)
    return done.stdout


@pytest.fixture(scope="module")
def usual() -> bytes:
    """Return the bytes of an ordinary run."""
    bytes_written = run(PYTHONHASHSEED="0", TZ="UTC0")
    assert bytes_written.count(b'"hits":[{') >= 10, "the fixed world should surface something"
    return bytes_written


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "1", "TZ": "UTC0"},
        {"PYTHONHASHSEED": "random", "TZ": "XYZ-13:45"},
        {"PYTHONHASHSEED": "random", "TZ": "EST5EDT,M3.2.0,M11.1.0", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "4294967295", "PYTHONOPTIMIZE": "2", "PYTHONUTF8": "1"},
    ],
    ids=["seed-1", "far-east", "summer-time", "optimised"],
)
def test_no_byte_depends_on_the_process(usual: bytes, environment: dict[str, str]) -> None:
    assert run(**environment) == usual
