"""MCP on standard input and output: a server that is started behind the guard, one message a line.

In `off` bytes are handed on as they come, line or no line. Otherwise a line is a message; one that is longer than is
read goes nowhere in `enforce`. The server's own error output is handed on the same way. When the client hangs up, so
does the proxy, and a server that does not leave then is ended.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Final

from iris_memory.contracts.masking import Mode
from iris_memory.guards.proxies.mcp_conversation import McpConversation, Passage

LINE_MOST: Final = 64 * 1024 * 1024
"""How many bytes a message may have."""

LEAVE_SECONDS: Final = 5.0
"""How long a server has to leave once its client has hung up, and again once it was asked to."""

_PIECE: Final = 65_536
_WAITING_MOST: Final = 64
_TOO_LONG: Final = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"a message is longer than is read"}}\n'


def stand_between(
    command: Sequence[str], conversation: McpConversation, *, source: IO[bytes], sink: IO[bytes], errors: IO[bytes]
) -> int:
    """Start a server and stand between it and the client at `source` and `sink`; return the server's exit code.

    Raises:
        OSError: the server cannot be started.
    """
    off = conversation.mode is Mode.OFF
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if conversation.mode is Mode.ENFORCE else None,
        bufsize=0 if off else -1,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    server, client = _Inbox(process.stdin), _Outlet(sink)
    hung_up = threading.Event()
    threads = [
        _started(lambda: _from_client(source, conversation, server, client, hung_up)),
        _started(lambda: _from_server(process.stdout, conversation, server, client)),
    ]
    if process.stderr is not None:
        threads.append(_started(lambda: _from_errors(process.stderr, conversation, _Outlet(errors))))
    try:
        code = _left(process, hung_up)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    # what the server wrote before it left still goes on; nobody waits for a client that says no more
    for thread in threads[1:]:
        thread.join(LEAVE_SECONDS)
    server.close()
    return code


def _left(process: subprocess.Popen[bytes], hung_up: threading.Event) -> int:
    while not hung_up.is_set():
        with suppress(subprocess.TimeoutExpired):
            return process.wait(0.1)
    # told to go by the end of its input, then asked to, then ended: how it goes is no failure of the client's
    with suppress(subprocess.TimeoutExpired):
        process.wait(LEAVE_SECONDS)
        return 0
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(LEAVE_SECONDS)
    return 0


def _from_client(
    source: IO[bytes], conversation: McpConversation, server: _Inbox, client: _Outlet, hung_up: threading.Event
) -> None:
    for line in _pieces(source, conversation.mode):
        if line is None:
            client.write(_TOO_LONG)
            continue
        passage = _passed(line, conversation.to_server)
        if passage.back is not None:
            client.write(passage.back + b"\n")
        if passage.onward is not None and not server.put(passage.onward):
            break
    server.finish()
    hung_up.set()


def _from_server(source: IO[bytes] | None, conversation: McpConversation, server: _Inbox, client: _Outlet) -> None:
    for line in _pieces(source, conversation.mode):
        if line is None:
            continue
        passage = _passed(line, conversation.to_client)
        if passage.back is not None:
            server.put(passage.back + b"\n", waits=False)
        if passage.onward is not None and not client.write(passage.onward):
            break


def _from_errors(source: IO[bytes] | None, conversation: McpConversation, errors: _Outlet) -> None:
    for line in _pieces(source, conversation.mode):
        if line is None:
            continue
        text = line.decode("utf-8", "replace")
        body = text.rstrip("\r\n")
        if not errors.write((conversation.text_to_client(body) + text[len(body) :]).encode("utf-8", "replace")):
            break


def _passed(line: bytes, decide: Callable[[bytes], Passage]) -> Passage:
    """Decide about a line; what is not changed keeps its very end."""
    body = line.rstrip(b"\r\n")
    if not body.strip():
        return Passage(line)
    passage = decide(body)
    if passage.onward is None:
        return passage
    return Passage(line if passage.onward is body else passage.onward + b"\n", passage.back)


def _pieces(source: IO[bytes] | None, mode: Mode) -> Iterator[bytes | None]:
    """Yield what comes, line by line; None for a line that is too long and was passed over."""
    if source is None:
        return
    with suppress(ValueError, OSError):
        if mode is Mode.OFF:
            read = getattr(source, "read1", source.read)
            while piece := read(_PIECE):
                yield piece
            return
        while line := source.readline(LINE_MOST):
            if len(line) < LINE_MOST or line.endswith(b"\n"):
                yield line
            elif mode is Mode.SHADOW:
                # handed on in parts, each of which is no message and says so in its row
                yield line
            else:
                while (rest := source.readline(LINE_MOST)) and not rest.endswith(b"\n"):
                    pass
                yield None


class _Outlet:
    """Where several threads write whole messages."""

    def __init__(self, sink: IO[bytes]) -> None:
        self._sink = sink
        self._lock = threading.Lock()

    def write(self, data: bytes) -> bool:
        """Write, and say whether somebody still reads."""
        with self._lock:
            try:
                self._sink.write(data)
                self._sink.flush()
            except (OSError, ValueError):
                return False
        return True


class _Inbox:
    """What a server is still to be given: written by a thread of its own, so that reading it never waits for it."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._outlet = _Outlet(pipe)
        self._pipe = pipe
        self._queue: SimpleQueue[tuple[bytes, bool] | None] = SimpleQueue()
        self._room = threading.Semaphore(_WAITING_MOST)
        self._open = True
        self._thread = _started(self._write)

    def put(self, data: bytes, *, waits: bool = True) -> bool:
        """Leave a message, waiting for room; say whether the server still reads."""
        if waits:
            self._room.acquire()
        self._queue.put((data, waits))
        return self._open

    def finish(self) -> None:
        """Tell the server, after all that waits, that no more comes."""
        self._queue.put(None)

    def close(self) -> None:
        """Let go of the pipe."""
        self.finish()
        self._thread.join(LEAVE_SECONDS)

    def _write(self) -> None:
        while (item := self._queue.get()) is not None:
            data, waited = item
            self._open = self._open and self._outlet.write(data)
            if waited:
                self._room.release()
        self._open = False
        with suppress(OSError, ValueError):
            self._pipe.close()


def _started(act: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    return thread
