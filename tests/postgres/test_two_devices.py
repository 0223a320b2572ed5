"""Two real processes are two devices of one person, on either engine: hand-off, conflict, notice, removal."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.enable_socket

_DEVICE = """
import json, sys
from iris_memory import Iris
from iris_memory.storage.keys import FixedKey

folder, database, device = sys.argv[1:4]
with Iris.open(folder, key=FixedKey(bytes(range(32))), database=database, tended=False) as iris:
    me = iris.for_user(tenant="acme", user="ada")
    me.consent.grant("data_processing", "data_storage", terms="We keep what you tell us.")
    print(json.dumps("open"), flush=True)
    for line in sys.stdin:
        verb, given = json.loads(line)
        if verb == "checkpoint":
            said = me.continuation.checkpoint({
                "device_id": device,
                "surface_context": {"surface": "voice", "title_ref": "talk-1", "locale": "en"},
                "anchor_ref": {"surface": "voice", "ref": "talk-1", "position": given, "unit": "ms"},
                "posture": "playing",
                "idempotency_key": f"{device}-{given}",
            }).model_dump(mode="json")
        elif verb == "recent":
            said = [t.model_dump(mode="json") for t in me.continuation.recent(device_id=device)]
        elif verb == "notices":
            said = [n.model_dump(mode="json") for n in me.devices.notices(device)]
        elif verb == "devices":
            said = [d.device_id for d in me.devices.list()]
        elif verb == "remove":
            said = me.devices.remove(given) is not None
        print(json.dumps(said), flush=True)
"""

Ask = Callable[..., Any]


def _asking(process: subprocess.Popen[str]) -> Ask:
    def ask(verb: str, given: Any = None) -> Any:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([verb, given]) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    return ask


@pytest.fixture(params=["folder", "database"])
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Ask, Ask]]:
    """A phone and a tablet, each a process of its own at one store."""
    database = request.getfixturevalue("url") if request.param == "database" else ""
    running, asking = [], []
    try:
        for device in ("phone", "tablet"):
            process = subprocess.Popen(
                [sys.executable, "-c", _DEVICE, str(tmp_path / "memory"), database, device],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            running.append(process)
            assert process.stdout is not None
            assert json.loads(process.stdout.readline()) == "open"
            asking.append(_asking(process))
        yield asking[0], asking[1]
    finally:
        for process in running:
            process.communicate(timeout=60)
    assert [process.returncode for process in running] == [0, 0]


def test_two_processes_hand_over_and_tell_the_one_that_lost(two: tuple[Ask, Ask]) -> None:
    phone, tablet = two
    first = phone("checkpoint", 61_500)
    assert first["stands"]
    (card,) = tablet("recent")
    assert card == first["token"]
    assert card["anchor_ref"] == {"surface": "voice", "ref": "talk-1", "position": 61_500, "unit": "ms"}
    second = tablet("checkpoint", 70_000)  # at once, so well within five seconds
    assert (second["stands"], second["token"]["version"]) == (True, 2)
    assert tablet("notices") == []
    (notice,) = phone("notices")
    assert (notice["told"], notice["other_device_id"]) == ("this was also playing on your other device", "tablet")
    assert phone("recent")[0]["anchor_ref"]["position"] == 70_000
    assert phone("checkpoint", 61_500) == first, "the first answer again, though the tablet went on"
    assert sorted(phone("devices")) == ["phone", "tablet"]
    assert phone("remove", "tablet")
    assert tablet("devices") == ["phone"]
    assert phone("recent") == []
