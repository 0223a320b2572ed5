"""A process that delivers a notice and is killed before the delivery is noted."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from flows.stores import KEY
from iris_memory.front.iris import Iris


def main() -> None:
    """Open the store named, deliver what waits into the file named, and die on arrival."""
    store, mailbox = map(Path, sys.argv[1:])

    def deliver(what: object) -> None:
        with mailbox.open("a", encoding="utf-8") as letters:
            letters.write(f"{what.notice_id}\n")  # type: ignore[attr-defined]
            letters.flush()
            os.fsync(letters.fileno())
        os.kill(os.getpid(), signal.SIGKILL)

    with Iris.open(store, key=KEY, tended=False) as iris:
        iris.inspections(tenant="acme", actor="outbox", role="admin").deliver_pending(deliver)


if __name__ == "__main__":
    main()
