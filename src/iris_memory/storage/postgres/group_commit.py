"""One commit for all who wait at the same time in this process.

The thread that finds nobody writing becomes the leader and runs its own work at once. Who comes while it writes waits;
when the leader's commit is done, the first in the queue leads the next group and commits for all who gathered
meanwhile. Within a group each work runs in a savepoint of its own, so one that fails costs the others nothing.

Among processes the locks decide (see `locks`). A transaction waits for a lock only while it holds none. A work whose
turn would have to wait for another is put off: the group is committed without it, and then it runs in a transaction of
its own that takes every lock it is known to want before it begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from threading import Lock, get_ident
from typing import Any, Final, TypeVar

import psycopg

from iris_memory.errors import StorageError, StoreBusyError
from iris_memory.storage.postgres.chains import Chains
from iris_memory.storage.postgres.faults import FAILURES, RETRIED, closed, lost, translate
from iris_memory.storage.postgres.locks import LockTakenError, Want, in_order
from iris_memory.storage.postgres.session import Connection, Session
from iris_memory.storage.postgres.transaction import PostgresTransaction

T = TypeVar("T")

TRIES: Final = 8
"""How often a work is run that met a deadlock or a serialization failure."""


class _Job:
    """One caller's work and what became of it."""

    __slots__ = ("done", "durable", "error", "gate", "leads", "result", "thread", "wants", "work")

    def __init__(self, work: Callable[[Any], Any], *, durable: bool) -> None:
        self.work = work
        self.durable = durable
        self.thread = get_ident()
        self.gate: Lock | None = None
        self.leads = False
        self.done = False
        self.result: Any = None
        self.error: Exception | None = None
        self.wants: tuple[Want, ...] = ()

    def finish(self, error: Exception | None) -> None:
        self.error = error
        self.done = True


class _AgainError(Exception):
    """The whole transaction is to be run again, work by work."""


class GroupCommit:
    """Runs works on a writing connection, in groups."""

    def __init__(self, borrow: Callable[[], AbstractContextManager[Connection]], *, milliseconds: int) -> None:
        self._borrow = borrow
        self._milliseconds = milliseconds
        self._guard = Lock()
        self._waiting: list[_Job] = []
        self._leader = 0
        self._unsynced = False
        self._closed = False

    @property
    def is_unsynced(self) -> bool:
        """Say whether a commit was made that no flush followed yet."""
        return self._unsynced

    def run(self, work: Callable[[PostgresTransaction], T], *, durable: bool) -> T:
        """Run `work` in a transaction and return what it returned, once committed (and, if durable, flushed).

        `work` may run on another caller's thread, and again when the group it was in could not be committed.
        """
        result: T = self._take_turn(_Job(work, durable=durable))
        return result

    def note_unsynced(self) -> None:
        """Take note that something was committed by other means, and not flushed."""
        self._unsynced = True

    def note_synced(self) -> None:
        """Take note that everything was made durable by other means."""
        self._unsynced = False

    def close(self) -> None:
        """Refuse every later work; those that wait now are still done."""
        with self._guard:
            self._closed = True

    def _take_turn(self, job: _Job) -> Any:
        group = [job]
        try:
            self._join(job)
            if job.gate is not None:
                job.gate.acquire()
            if job.leads:
                with self._guard:
                    group += self._waiting
                    self._waiting = []
                self._commit(group)
        finally:
            self._leave(job, group[1:])
        if job.error is not None:
            raise job.error
        return job.result

    def _join(self, job: _Job) -> None:
        """Lead if nobody does, else stand in the queue."""
        with self._guard:
            if self._closed:
                raise closed()
            if self._leader == job.thread:
                raise StorageError("a write was started inside a write; finish the outer one first")
            if self._leader:
                job.gate = Lock()
                job.gate.acquire()
                self._waiting.append(job)
            else:
                self._leader, job.leads = job.thread, True

    def _leave(self, job: _Job, followers: Sequence[_Job]) -> None:
        """Wake who is done, put back who is not, and let the first who waits lead.

        Reached by an interrupted caller too, so that the queue never waits for somebody who has gone.
        """
        with self._guard:
            if not job.leads:
                if job in self._waiting:
                    self._waiting.remove(job)
                return
            for follower in followers:
                if follower.done:
                    _wake(follower)
            self._waiting[:0] = [follower for follower in followers if not follower.done]
            self._leader = 0
            if self._waiting:
                heir = self._waiting.pop(0)
                self._leader, heir.leads = heir.thread, True
                _wake(heir)

    def _commit(self, group: Sequence[_Job]) -> None:
        """Run and commit a group; if it cannot be kept as a whole, try its members one by one."""
        try:
            self._attempt(group)
        except _AgainError:
            for job in group:
                self._alone(job)
        except StorageError as error:
            _finish(group, error)
        for job in group:
            if not job.done:
                self._alone(job)

    def _alone(self, job: _Job) -> None:
        for _ in range(TRIES):
            try:
                self._attempt([job])
            except _AgainError:
                continue
            except StorageError as error:
                job.finish(error)
            if job.done:
                return
        job.finish(StoreBusyError("other processes wrote at the same time again and again; retry"))

    def _attempt(self, group: Sequence[_Job]) -> None:
        """Run a group once. A job that is not done afterwards was put off.

        Raises:
            _AgainError: the server asks to try again.
            StorageError: nothing of the group was kept, or it is not known.
        """
        durable = any(job.durable for job in group)
        try:
            with self._borrow() as connection:
                session = Session(
                    connection,
                    milliseconds=self._milliseconds,
                    writes=True,
                    durable=durable,
                    wants=group[0].wants if len(group) == 1 else (),
                )
                try:
                    self._run_through(group, session, durable=durable)
                finally:
                    session.end()
        except FAILURES as error:
            raise _again_or(error) from None

    def _run_through(self, group: Sequence[_Job], session: Session, *, durable: bool) -> None:
        chains = Chains(session)
        ran: list[tuple[_Job, Exception | None]] = []
        for job in group:
            failure = _perform(job, session, chains, single=len(group) == 1)
            if isinstance(failure, LockTakenError):
                job.wants = in_order([*job.wants, *session.wants])
            else:
                ran.append((job, failure))
        if any(failure is None for _, failure in ran):
            chains.write()
            try:
                session.commit(marks=durable and self._unsynced)
            except psycopg.Error as error:
                if error.sqlstate is None and isinstance(error, psycopg.OperationalError):
                    raise StoreBusyError(
                        "the connection was lost while the write was being kept; look whether it was before you retry"
                    ) from None
                raise
            self._unsynced = not durable
        for job, failure in ran:
            job.finish(failure)


def _perform(job: _Job, session: Session, chains: Chains, *, single: bool) -> Exception | None:
    """Run one work; return its failure after undoing what it did.

    Raises:
        _AgainError: the server asks to try again.
        StorageError: the connection is gone.
    """
    transaction = PostgresTransaction(session, chains)
    mark = chains.mark()
    session.pass_over()
    if not single:
        session.guard()
    failure: Exception | None = None
    try:
        job.result = job.work(transaction)
    except Exception as error:
        failure = error
    finally:
        transaction.end()
    if session.is_lost():
        raise lost()
    fault = session.fault
    if isinstance(fault, LockTakenError):
        failure = fault
    elif fault is not None and session.is_broken():
        if getattr(fault, "sqlstate", None) in RETRIED:
            raise _AgainError
        failure = failure or translate(fault)
    if failure is None:
        failure = _kept(session)
    if failure is not None:
        chains.back_to(mark)
        if not single and not session.undo():
            raise _AgainError
    return failure


def _kept(session: Session) -> Exception | None:
    """Have what waits sent where works share a transaction; return why it could not be kept."""
    try:
        session.keep()
    except StorageError as error:
        if session.is_lost():
            raise
        if getattr(session.fault, "sqlstate", None) in RETRIED:
            raise _AgainError from None
        return error
    return None


def _again_or(error: psycopg.Error | UnicodeError) -> Exception:
    return _AgainError() if getattr(error, "sqlstate", None) in RETRIED else translate(error)


def _finish(group: Sequence[_Job], error: Exception) -> None:
    for job in group:
        if not job.done:
            job.finish(error)


def _wake(job: _Job) -> None:
    assert job.gate is not None
    job.gate.release()
