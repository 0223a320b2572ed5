"""A real PgBouncer in transaction mode before a test server, on a socket in a private folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from postgres.server import lowered


def program() -> str | None:
    """Return the pooler's program, or None where it is not installed."""
    return shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


class Pooler:
    """A running pooler that has one connection to the server for each database and role."""

    def __init__(self, target: str) -> None:
        found = program()
        assert found is not None
        known = {key: str(value) for key, value in conninfo_to_dict(target).items()}
        self.folder = Path(tempfile.mkdtemp(prefix="iris-pool-", dir="/tmp"))
        become = lowered(self.folder)
        settings = self.folder / "pgbouncer.ini"
        settings.write_text(
            f"[databases]\n* = host={known['host']} port={known.get('port', '5432')}\n"
            f"[pgbouncer]\nlisten_addr =\nunix_socket_dir = {self.folder}\nlisten_port = 6432\nauth_type = any\n"
            "pool_mode = transaction\ndefault_pool_size = 1\nmax_client_conn = 100\nserver_reset_query =\n"
            f"logfile = {self.folder}/log\n",
            encoding="utf-8",
        )
        # `auth_type = any` logs in as one user only, so the role stands with the database
        text = settings.read_text(encoding="utf-8").replace("\n[pgbouncer]", f" user={known['user']}\n[pgbouncer]", 1)
        settings.write_text(text, encoding="utf-8")
        self.process = subprocess.Popen(
            [found, "-q", str(settings)], preexec_fn=become, cwd="/", stderr=subprocess.DEVNULL
        )
        self.url = make_conninfo("", host=str(self.folder), port=6432, user=known["user"], dbname=known["dbname"])
        self._wait()

    def stop(self) -> None:
        """Stop the pooler and clear its folder away."""
        self.process.terminate()
        self.process.wait(timeout=10)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _wait(self) -> None:
        for _ in range(200):
            try:
                psycopg.connect(self.url).close()
            except psycopg.OperationalError:
                time.sleep(0.02)
            else:
                return
        self.stop()
        raise AssertionError("the pooler did not answer")
