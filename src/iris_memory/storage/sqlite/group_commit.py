"""One writer at a time, and one fsync for all who wait at the same time.

The thread that finds nobody writing becomes the leader and runs its own work at once, with no hand-off to another
thread. Who comes while it writes waits; when the leader's commit is done, the first in the queue leads the next group
and commits for all who gathered meanwhile. Within a group each work runs in a savepoint of its own, so one that fails
costs the others nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock, get_ident
from typing import Any, TypeVar

import apsw

from iris_memory.errors import StorageError
from iris_memory.storage.sqlite.faults import closed, translate
from iris_memory.storage.sqlite.transaction import MARK_SYNC, Chains, SqliteTransaction

T = TypeVar("T")


class _Job:
    """One caller's work and what became of it. An `alone` job runs outside any transaction and shares its turn."""

    __slots__ = ("alone", "done", "durable", "error", "gate", "leads", "result", "thread", "work")

    def __init__(self, work: Callable[[Any], Any], *, durable: bool, alone: bool) -> None:
        self.work = work
        self.durable = durable
        self.alone = alone
        self.thread = get_ident()
        self.gate: Lock | None = None
        self.leads = False
        self.done = False
        self.result: Any = None
        self.error: Exception | None = None

    def finish(self, error: Exception | None) -> None:
        self.error = error
        self.done = True


class _TransactionLostError(Exception):
    """SQLite rolled the whole group back by itself, as it may when the disk is full."""

    def __init__(self, cause: Exception) -> None:
        super().__init__()
        self.cause = cause


class GroupCommit:
    """Runs works on the one writing connection, in groups."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._guard = Lock()
        self._waiting: list[_Job] = []
        self._leader = 0
        self._full = True
        self._unsynced = False
        self._closed = False

    @property
    def is_unsynced(self) -> bool:
        """Say whether a commit was made that no fsync followed yet."""
        return self._unsynced

    def run(self, work: Callable[[SqliteTransaction], T], *, durable: bool) -> T:
        """Run `work` in a transaction and return what it returned, once committed (and, if durable, fsynced).

        `work` may run on another caller's thread, and again when the group it was in could not be committed.
        """
        result: T = self._take_turn(_Job(work, durable=durable, alone=False))
        return result

    def exclusively(self, action: Callable[[apsw.Connection], T]) -> T:
        """Run `action` on the writing connection outside any transaction, with every writer held off."""
        result: T = self._take_turn(_Job(action, durable=False, alone=True))
        return result

    def note_synced(self) -> None:
        """Take note that everything was made durable by other means; to be called from within `exclusively`."""
        self._unsynced = False

    def close(self) -> None:
        """Let go of the connection once the works that wait now are done."""
        if not self._closed:
            self.exclusively(self._close)

    def _close(self, connection: apsw.Connection) -> None:
        self._closed = True
        connection.close()

    def _take_turn(self, job: _Job) -> Any:
        group = [job]
        try:
            self._join(job)
            if job.gate is not None:
                job.gate.acquire()
            if job.leads:
                self._lead(job, group)
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

    def _lead(self, job: _Job, group: list[_Job]) -> None:
        if job.alone:
            self._act(job)
            return
        with self._guard:
            group += [other for other in self._waiting if not other.alone]
            self._waiting = [other for other in self._waiting if other.alone]
        self._commit(group)

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

    def _act(self, job: _Job) -> None:
        try:
            job.result = job.work(self._connection)
        except apsw.Error as error:
            job.finish(translate(error, self._connection))
        except Exception as error:
            job.finish(error)
        else:
            job.finish(None)

    def _commit(self, group: Sequence[_Job]) -> None:
        """Run and commit a group; if it cannot be kept as a whole, try its members one by one."""
        full = any(job.durable for job in group)
        if not self._begin(group, full=full):
            return
        committing = False
        failures: list[Exception | None] = []
        chains = Chains(self._connection)
        try:
            for job in group:
                failures.append(self._perform(job, chains, single=len(group) == 1))
            if None in failures:
                chains.write()
                if full and self._unsynced:
                    self._execute(MARK_SYNC)  # a commit that changes nothing would fsync nothing
                committing = True
                self._execute("COMMIT")
            else:
                self._execute("ROLLBACK")
        except (apsw.Error, _TransactionLostError) as error:
            self._abandon()
            self._separate(group, error)
            return
        except BaseException:
            if committing and not self._connection.in_transaction:
                self._settle(group, failures, full=full)
            else:
                self._abandon()
            raise
        self._settle(group, failures, full=full)

    def _begin(self, group: Sequence[_Job], *, full: bool) -> bool:
        try:
            if full is not self._full:
                self._execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
                self._full = full
            self._execute("BEGIN IMMEDIATE")
        except apsw.Error as error:
            for job in group:
                job.finish(translate(error, self._connection))
            return False
        return True

    def _perform(self, job: _Job, chains: Chains, *, single: bool) -> Exception | None:
        """Run one work; return its failure after undoing what it did."""
        transaction = SqliteTransaction(self._connection, chains)
        mark = chains.mark()
        if not single:
            self._execute("SAVEPOINT job")
        try:
            job.result = job.work(transaction)
        except Exception as error:
            if not self._connection.in_transaction:
                raise _TransactionLostError(error) from error
            chains.back_to(mark)
            if not single:
                self._execute("ROLLBACK TO job")
                self._execute("RELEASE job")
            return error
        finally:
            transaction.end()
        if not single:
            self._execute("RELEASE job")
        return None

    def _separate(self, group: Sequence[_Job], error: apsw.Error | _TransactionLostError) -> None:
        if len(group) > 1:
            for job in group:
                self._commit([job])
        elif isinstance(error, _TransactionLostError):
            group[0].finish(error.cause)
        else:
            group[0].finish(translate(error, self._connection))

    def _settle(self, group: Sequence[_Job], failures: Sequence[Exception | None], *, full: bool) -> None:
        for job, failure in zip(group, failures, strict=True):
            job.finish(failure)
        if None in failures:
            self._unsynced = not full

    def _abandon(self) -> None:
        if self._connection.in_transaction:
            self._execute("ROLLBACK")


def _wake(job: _Job) -> None:
    assert job.gate is not None
    job.gate.release()
