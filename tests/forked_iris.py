"""A stand-in for the command `iris` that starts in milliseconds: each call is a fork of a process that loaded it all.

The pages of the documentation call it some two hundred times, and loading costs a second each time. What starts in a
fresh interpreter is tested in tests/cli/test_cli_process.py, and in the README's own test.
"""

from __future__ import annotations

import json
import os
import pkgutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

SHIM = """#!{python} -IS
import json, os, socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect({address!r})
call = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(line, [len(call).to_bytes(4, "big")], [0, 1, 2])
line.sendall(call)
sys.exit(line.recv(1)[0])
"""
LOADED = ("cli", "flows", "front", "storage", "wiring", "evals")


@contextmanager
def forked_iris(folder: Path) -> Iterator[Path]:
    """Yield a folder with the command `iris` in it, to be put first on a PATH."""
    address = folder / "line"
    place = folder / "bin"
    place.mkdir()
    shim = place / "iris"
    shim.write_text(SHIM.format(python=sys.executable, address=str(address)), encoding="utf-8")
    shim.chmod(shim.stat().st_mode | stat.S_IXUSR)
    with subprocess.Popen([sys.executable, __file__, str(address)], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            yield place
        finally:
            process.terminate()


def _serve(address: str) -> None:
    import iris_memory

    for room in LOADED:
        package = import_module(f"iris_memory.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            with suppress(ImportError):
                import_module(module.name)
    assert iris_memory.Iris
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(16)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # who ended leaves nothing behind
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            line, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _answer(line)
            line.close()


def _answer(line: socket.socket) -> None:
    """Be the command in a fork: its streams, folder and environment are the caller's, and its exit code goes back."""
    length, streams, _, _ = socket.recv_fds(line, 4, 3)
    left, call = int.from_bytes(length, "big"), b""
    while len(call) < left:
        call += line.recv(left - len(call))
    arguments, folder, environment = json.loads(call)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["iris", *arguments]
    code = 1
    try:
        from iris_memory.cli import main

        code = main() or 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        line.sendall(bytes([code]))
        os._exit(code)


if __name__ == "__main__":
    _serve(sys.argv[1])
