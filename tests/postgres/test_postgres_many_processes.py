"""Many processes at one store: one chain without fork or gap, and every acknowledged write kept once (LOG-1, LOG-2)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from iris_memory.chain.link import head_to_bytes
from iris_memory.chain.verify import verify_lines
from iris_memory.storage.postgres import PostgresStore

pytestmark = pytest.mark.enable_socket

PROCESSES = 8
EACH = 1_000
THREADS = 8
_WRITER = """
import sys
from datetime import UTC, datetime
from threading import Thread
from iris_memory.contracts.audit import AuditAction
from iris_memory.flows.journal import write_event
from iris_memory.storage.postgres import PostgresStore

url, number, each, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
now = datetime(2026, 3, 1, tzinfo=UTC)
store = PostgresStore(url, busy_seconds=120)
failures = []

def work(tx):
    tx.bump("acme", "p" + number)
    write_event(tx, "acme", action=AuditAction.RECALL_RESOLVED, policy="p", person="p" + number, now=now)

def run():
    try:
        for n in range(each // threads):
            store.write(work, durable=n % 4 == 0)
    except Exception as error:
        failures.append(type(error).__name__ + " " + str(error))

running = [Thread(target=run) for _ in range(threads)]
for thread in running:
    thread.start()
for thread in running:
    thread.join()
store.close()
print("\\n".join(failures))
"""


def test_eight_processes_make_one_chain(store: PostgresStore, url: str) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, url, str(number), str(EACH), str(THREADS)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for number in range(PROCESSES)
    ]
    said = [writer.communicate(timeout=240)[0].strip() for writer in writers]
    assert said == [""] * PROCESSES
    with store.read() as view:
        lines = view.audit_lines("acme", start=1, limit=PROCESSES * EACH + 1)
        assert [row.sequence for row in lines] == list(range(1, PROCESSES * EACH + 1))
        assert [view.state("acme", f"p{n}").version for n in range(PROCESSES)] == [EACH] * PROCESSES
        stored = view.audit_head("acme")
    head, problems = verify_lines([row.line for row in lines], tenant_id="acme")
    assert problems == ()
    assert head_to_bytes(head) == stored, "what was hashed is what is stored"
    assert store.problems() == []
