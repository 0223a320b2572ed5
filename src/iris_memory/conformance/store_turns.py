"""What every store promises about turns: one writer at a time, and a failing work that hurts nobody."""

from __future__ import annotations

from threading import Thread

from iris_memory.conformance.reporting import refused, same
from iris_memory.conformance.samples import PERSON, TENANT, OpenStore, add, entry, event, living, opened
from iris_memory.errors import StorageError
from iris_memory.ports.unit_of_work import Store, Transaction

THREADS = 8
EACH = 25


def a_write_inside_a_write_is_refused(open_store: OpenStore) -> None:
    """A work that starts another write is refused instead of waiting for itself."""
    with opened(open_store) as store:
        refused(lambda: store.write(lambda tx: add(store, entry("a"))), "a write inside a write", by=StorageError)
        add(store, entry("b"))


def writers_take_turns(open_store: OpenStore) -> None:
    """Many threads at once: every acknowledged work is kept once, and the chain has neither gap nor fork."""
    with opened(open_store) as store:
        failures = _race(store)
        same(failures, [], "no thread failed")
        with store.read() as view:
            lines = view.audit_lines(TENANT, start=1, limit=THREADS * EACH + 1)
            same([row.sequence for row in lines], list(range(1, THREADS * EACH + 1)), "gapless")
            same(view.state(TENANT, PERSON).version, THREADS * EACH, "every bump once")
        same(len(living(store)), THREADS * EACH, "every entry once")


def a_failing_work_hurts_nobody(open_store: OpenStore) -> None:
    """Works that share a commit with one that fails are kept as if it had never been."""
    with opened(open_store) as store:
        failures = _race(store, spoiler=True)
        same(failures, [], "no honest thread failed")
        with store.read() as view:
            lines = view.audit_lines(TENANT, start=1, limit=THREADS * EACH + 1)
            same(len(lines), THREADS * EACH, "every honest event")
            same(len(view.entries_since(TENANT, "spoiler", -1)), 0, "nothing of the failing ones")
        same(len(living(store)), THREADS * EACH, "every honest entry")


def _race(store: Store, *, spoiler: bool = False) -> list[str]:
    failures: list[str] = []

    def honest(thread: int) -> None:
        for number in range(EACH):
            name = f"t{thread}-{number}"

            def work(tx: Transaction, name: str = name) -> None:
                seq = tx.bump(TENANT, PERSON)
                tx.add_entries(TENANT, PERSON, [entry(name, seq=seq)])
                head = tx.audit_head(TENANT)
                sequence = int(head) + 1 if head else 1
                tx.append_audit(TENANT, [event(sequence)], str(sequence).encode())

            try:
                store.write(work, durable=number % 2 == 0)
            except Exception as error:
                failures.append(type(error).__name__)

    def dishonest() -> None:
        def work(tx: Transaction) -> None:
            tx.add_entries(TENANT, "spoiler", [entry("s")])
            head = tx.audit_head(TENANT)
            sequence = int(head) + 1 if head else 1
            tx.append_audit(TENANT, [event(sequence)], str(sequence).encode())
            tx.audit_lines(TENANT, start=1, limit=1)
            raise ZeroDivisionError

        for _ in range(EACH):
            try:
                store.write(work)
            except ZeroDivisionError:
                continue
            except Exception as error:
                failures.append(type(error).__name__)

    threads = [Thread(target=honest, args=(thread,)) for thread in range(THREADS)]
    if spoiler:
        threads += [Thread(target=dishonest) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


CHECKS = (
    a_write_inside_a_write_is_refused,
    writers_take_turns,
    a_failing_work_hurts_nobody,
)
