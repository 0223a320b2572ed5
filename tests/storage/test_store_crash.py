"""Processes that die and processes that write together (REL-1, REL-6, LOG-1)."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from iris_memory.storage.keys import FixedKey
from iris_memory.storage.sqlite import SqliteStore
from iris_memory.storage.vault import SqliteVault

KILLS = 20
PROCESSES = 8
APPENDS = 60

WRITER = """
import os, sys
from pathlib import Path
from iris_memory.ports.rows import AuditRow, EntryRow, RecordKind, RecordRow, TombstoneRow
from iris_memory.storage.sqlite import SqliteStore

store = SqliteStore(Path(sys.argv[1]), create=True)
os.write(1, b"ready\\n")

def work(tx):
    n = tx.bump("acme", "p")
    name = f"m{n:06}"
    tx.add_entries("acme", "p", [EntryRow(name, 1, name, n, n, 1, 1, None, None, name.encode() * (n % 50))])
    tx.put_record("acme", "p", RecordRow(RecordKind.IDEMPOTENCY, str(n % 7), n, 1, None, 0, b"r" * (n % 900)))
    if n % 5 == 0:
        tx.bury("acme", "p", [TombstoneRow(f"m{n - 3:06}", n, 1, 1, "why", "receipt")])
    tx.append_audit("acme", [AuditRow(n, name.encode())], name.encode())
    return n

while True:
    n = store.write(work, durable=os.getpid() % 2 == 0)
    os.write(1, b"%d\\n" % n)
"""


def test_a_killed_writer_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    chance = random.Random(11)
    acknowledged = 0
    for _ in range(KILLS):
        child = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        time.sleep(chance.uniform(0.0, 0.03))
        child.send_signal(signal.SIGKILL)
        said = child.stdout.read().split()
        child.wait()
        child.stdout.close()
        acknowledged = max([acknowledged, *map(int, said)])
        store = SqliteStore(path)
        with store.read() as view:
            size = view.state("acme", "p").version
            lines = view.audit_lines("acme", start=1, limit=1_000_000)
            living = [row.logical_id for row in view.entries_since("acme", "p", -1)]
            gone = view.gone_since("acme", "p", -1)
            head = view.audit_head("acme")
        assert size >= acknowledged
        assert [line.sequence for line in lines] == list(range(1, size + 1))
        assert head == (f"m{size:06}".encode() if size else None)
        assert sorted([*living, *gone]) == [f"m{n:06}" for n in range(1, size + 1)]
        assert store.problems() == []
        store.close()
    assert acknowledged > KILLS


APPENDER = """
import sys
from pathlib import Path
from iris_memory.ports.rows import AuditRow
from iris_memory.storage.sqlite import SqliteStore

store = SqliteStore(Path(sys.argv[1]), create=True, busy_seconds=60)
who = sys.argv[2]

def work(tx):
    size = int(tx.audit_head("acme") or b"0")
    tx.append_audit("acme", [AuditRow(size + 1, f"{who} after {size}".encode())], str(size + 1).encode())
    return size + 1

for n in range(int(sys.argv[3])):
    print(store.write(work, durable=n % 4 == 0))
store.close()
"""


def test_processes_append_to_one_chain_without_a_fork(tmp_path: Path) -> None:
    """All start on a store that is not there yet, and make it together."""
    path = tmp_path / "made" / "store.db"
    children = [
        subprocess.Popen([sys.executable, "-c", APPENDER, str(path), str(n), str(APPENDS)], stdout=subprocess.PIPE)
        for n in range(PROCESSES)
    ]
    given: dict[int, int] = {}
    for who, child in enumerate(children):
        said, _ = child.communicate(timeout=120)
        assert child.returncode == 0
        given |= dict.fromkeys(map(int, said.split()), who)
    assert sorted(given) == list(range(1, PROCESSES * APPENDS + 1))
    store = SqliteStore(path)
    with store.read() as view:
        lines = view.audit_lines("acme", start=1, limit=10_000)
    assert [line.line for line in lines] == [f"{given[n]} after {n - 1}".encode() for n in sorted(given)]
    assert store.problems() == []
    store.close()


KEEPER = """
import os, sys
from pathlib import Path
from iris_memory.storage.keys import FixedKey
from iris_memory.storage.vault import SqliteVault

vault = SqliteVault(Path(sys.argv[1]), FixedKey(b"k" * 32), create=True)
subject = vault.make_subject("acme", "user")
os.write(1, b"ready\\n")
while True:
    slots = vault.reserve(subject, 4)
    os.write(1, b"made %d %s\\n" % (slots[0].number, slots[0].key.hex().encode()))
    vault.destroy_slots("acme", subject.person, [slots[1].number])
    os.write(1, b"gone %d -\\n" % slots[1].number)
    if slots[0].number % 5 == 0:
        vault.rotate_tenant_key("acme")
"""


def test_a_killed_vault_keeps_what_was_made_and_not_what_was_destroyed(tmp_path: Path) -> None:
    path = tmp_path / "vault.db"
    chance = random.Random(12)
    made: dict[int, str] = {}
    gone: set[int] = set()
    for _ in range(8):
        child = subprocess.Popen([sys.executable, "-c", KEEPER, str(path)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        time.sleep(chance.uniform(0.0, 0.1))
        child.send_signal(signal.SIGKILL)
        for line in child.stdout.read().decode().splitlines():
            word, number, key = line.split()
            if word == "made":
                made[int(number)] = key
            else:
                gone.add(int(number))
        child.wait()
        child.stdout.close()
        vault = SqliteVault(path, FixedKey(b"k" * 32))
        subject = vault.find_subject("acme", "user")
        assert subject is not None
        keys = vault.open_slots(subject)
        assert {number: keys[number].hex() for number in made} == made
        assert not gone & keys.keys()
        assert vault.problems() == []
        vault.close()
    assert made
    assert gone
