"""The vault: keys in a SQLite file of its own, apart from the data, in a rollback journal that is cut with each commit.

Safe for many threads and for many processes on one machine. Only tenants' keys are kept in memory, and for a while;
a subject's key is opened anew each time, so one that another process destroyed is never used from here.
"""

# ruff: noqa: S608 - statements are put together from constants of this room, never from a value

from __future__ import annotations

import os
import secrets
import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, Final

import apsw
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from iris_memory.errors import ChainError, KeyDestroyedError, StorageError, StoreCorruptError
from iris_memory.ports.vault import KeyProvider, SigningKey, Slot, Subject
from iris_memory.storage.sqlite import boxes
from iris_memory.storage.sqlite.connection import open_file, open_in_memory, rows_of, run_script
from iris_memory.storage.sqlite.faults import FAILURES, closed, translate
from iris_memory.storage.vault import integrity
from iris_memory.storage.vault.schema import VAULT
from iris_memory.storage.vault.tenant_keys import Keyring, TenantKeys
from iris_memory.storage.vault.wrapping import (
    KEY_LENGTH,
    NONCE_LENGTH,
    link_tag,
    numbered,
    place,
    public_half,
    unwrap,
    wrap,
)

BUSY_SECONDS: Final = 10.0
MOST_TENANTS: Final = 1024
CACHE_SECONDS: Final = 300.0
PSEUDONYM_LENGTH: Final = 16

_LINKED: Final = (
    "SELECT person, bytes FROM link JOIN subject USING (subject_no) JOIN box ON box_no = key_box"
    " WHERE link.tenant_no = ? AND tag = ?"
)
_ADD_SUBJECT: Final = "INSERT INTO subject (tenant_no, person, key_box) VALUES (?, ?, ?) RETURNING subject_no"
_ADD_LINK: Final = "INSERT INTO link (tenant_no, tag, subject_no) VALUES (?, ?, ?)"
_SUBJECTS: Final = "SELECT person FROM subject JOIN tenant USING (tenant_no) WHERE tenant = ? ORDER BY person"
_SUBJECT_NO: Final = "SELECT subject_no FROM subject JOIN tenant USING (tenant_no) WHERE tenant = ? AND person = ?"
_SUBJECT_KEY: Final = "SELECT bytes FROM subject JOIN box ON box_no = key_box WHERE subject_no = ?"
_TAKE_NUMBERS: Final = "UPDATE subject SET slots_made = slots_made + ? WHERE subject_no = ? RETURNING slots_made"
_SLOTS_MADE: Final = "SELECT slots_made FROM subject JOIN tenant USING (tenant_no) WHERE tenant = ? AND person = ?"
_ADD_SLOT: Final = "INSERT INTO slot (subject_no, number, box_no) VALUES (?, ?, ?)"
_SLOTS: Final = "SELECT number, bytes FROM slot JOIN box USING (box_no) WHERE subject_no = ?"
_NAMED_SLOTS: Final = f"{_SLOTS} AND number IN carray(?)"
_EMPTY_SLOT: Final = f"{boxes.EMPTY}(SELECT box_no FROM slot WHERE subject_no = ? AND number = ?)"
_DROP_SLOT: Final = "DELETE FROM slot WHERE subject_no = ? AND number = ?"
_EMPTY_SUBJECT: Final = (
    f"{boxes.EMPTY}(SELECT box_no FROM slot WHERE subject_no = ?1"
    " UNION ALL SELECT key_box FROM subject WHERE subject_no = ?1)"
)
_SIGNING: Final = (
    "SELECT ordinal, bytes, public, from_size, until_size FROM signing JOIN box USING (box_no)"
    " WHERE tenant_no = ? ORDER BY ordinal"
)
_RETIRE: Final = "UPDATE signing SET until_size = ? WHERE tenant_no = ? AND ordinal = ?"
_ADD_SIGNING: Final = "INSERT INTO signing VALUES (?, ?, ?, ?, NULL, ?)"
_REBUILD_LINKS: Final = """
CREATE TEMP TABLE kept AS SELECT tenant_no, tag, subject_no FROM link;
DELETE FROM link;
INSERT INTO link (tenant_no, tag, subject_no) SELECT tenant_no, tag, subject_no FROM kept ORDER BY tenant_no, tag;
DROP TABLE kept;
UPDATE root SET links_cut = 0;
"""


class SqliteVault:
    """A vault in one file at `path`, or in memory with None."""

    def __init__(
        self,
        path: Path | None,
        provider: KeyProvider,
        *,
        create: bool = False,
        busy_seconds: float = BUSY_SECONDS,
        secret: Callable[[int], bytes] = secrets.token_bytes,
        clock: Callable[[], float] = time.monotonic,
        most_tenants: int = MOST_TENANTS,
        cache_seconds: float = CACHE_SECONDS,
    ) -> None:
        """Open the vault, or make it with `create` (folder 0700, file 0600) and bind it to the root key.

        Raises:
            StoreMissingError: there is no vault and `create` is not set.
            KeyMissingError: there is no root key.
            KeyWrongError: the root key is not this vault's; nothing was opened.
        """
        self._path = path
        self._process = os.getpid()
        self._secret = secret
        self._lock = RLock()
        self._closed = False
        self._connection = (
            open_in_memory(VAULT) if path is None else open_file(path, VAULT, create=create, busy_seconds=busy_seconds)
        )
        self._keyring = Keyring(
            self._connection, provider, secret=secret, clock=clock, most=most_tenants, seconds=cache_seconds
        )
        try:
            with self._reading():
                is_bound = self._keyring.is_bound()
            if not is_bound:
                with self._writing():
                    self._keyring.bind()
        except BaseException:
            self._connection.close()
            raise

    def tenant_key(self, tenant: str) -> bytes:
        """Return the tenant's data key, made on first use."""
        with self._holding():
            keys = self._keyring.remembered(tenant)
        if keys is None:
            with self._reading():
                keys = self._keyring.find(tenant)
        if keys is None:
            with self._writing():
                keys = self._keyring.make(tenant)
        return keys.data

    def find_subject(self, tenant: str, user_id: str) -> Subject | None:
        """Return the subject of a user, or None; the file is asked each time."""
        with self._reading():
            keys = self._keyring.find(tenant)
            return None if keys is None else self._find_subject(keys, tenant, user_id)

    def make_subject(self, tenant: str, user_id: str) -> Subject:
        """Return the subject of a user, made on first use; whoever comes second gets the first one's."""
        known = self.find_subject(tenant, user_id)
        if known is not None:
            return known
        with self._writing() as connection:
            keys = self._keyring.make(tenant)
            known = self._find_subject(keys, tenant, user_id)
            if known is not None:
                return known
            subject = Subject(tenant, self._secret(PSEUDONYM_LENGTH).hex(), self._secret(KEY_LENGTH))
            wrapped = self._wrap(keys.wrapping, subject.key, place("subject", tenant, subject.person))
            row = (keys.tenant_no, subject.person, boxes.put(connection, wrapped))
            subject_no = connection.execute(_ADD_SUBJECT, row).get
            connection.execute(_ADD_LINK, (keys.tenant_no, link_tag(keys.tag, user_id), subject_no))
            return subject

    def subjects(self, tenant: str) -> list[str]:
        """Return the pseudonyms of the tenant's subjects, sorted."""
        with self._reading() as connection:
            return [person for (person,) in rows_of(connection, _SUBJECTS, (tenant,))]

    def open_subject(self, tenant: str, person: str) -> Subject | None:
        """Return the subject of a pseudonym, or None.

        Raises:
            StoreCorruptError: the subject's key fails its check.
        """
        with self._reading() as connection:
            keys = self._keyring.find(tenant)
            subject_no = self._subject_no(tenant, person)
            if keys is None or subject_no is None:
                return None
            wrapped = connection.execute(_SUBJECT_KEY, (subject_no,)).get
        return Subject(tenant, person, unwrap(keys.wrapping, wrapped, place("subject", tenant, person)))

    def reserve(self, subject: Subject, count: int) -> list[Slot]:
        """Make `count` new slots in one durable step.

        Raises:
            KeyDestroyedError: the subject was destroyed.
        """
        if count < 1:
            return []
        cipher, where = AESGCM(subject.key), place("slot", subject.tenant, subject.person)
        with self._writing() as connection:
            subject_no = self._subject_no(subject.tenant, subject.person)
            if subject_no is None:
                raise KeyDestroyedError("the person's key was destroyed; nothing can be written for them any more")
            last = connection.execute(_TAKE_NUMBERS, (count, subject_no)).get
            slots = [Slot(number, self._secret(KEY_LENGTH)) for number in range(last - count + 1, last + 1)]
            wrapped = [self._wrap(cipher, slot.key, numbered(where, slot.number)) for slot in slots]
            taken = zip(slots, boxes.put_many(connection, wrapped), strict=True)
            connection.executemany(_ADD_SLOT, [(subject_no, slot.number, box_no) for slot, box_no in taken])
        return slots

    def slots_made(self, subject: Subject) -> int:
        """Return the highest slot number ever made for a subject."""
        with self._reading() as connection:
            made = connection.execute(_SLOTS_MADE, (subject.tenant, subject.person)).get
        return int(made or 0)

    def open_slots(self, subject: Subject, numbers: Sequence[int] | None = None) -> Mapping[int, bytes]:
        """Return keys by slot number; destroyed slots are absent.

        Raises:
            StoreCorruptError: a slot fails its check.
        """
        cipher, where = AESGCM(subject.key), place("slot", subject.tenant, subject.person)
        found = self._wrapped(subject.tenant, subject.person, numbers)
        return {number: unwrap(cipher, wrapped, numbered(where, number)) for number, wrapped in found}

    def wrapped_slots(self, tenant: str, person: str, numbers: Sequence[int] | None) -> list[bytes]:
        """Return the wrapped bytes of slots; with None those of all slots and of the subject's own key."""
        found = [wrapped for _, wrapped in self._wrapped(tenant, person, numbers)]
        if numbers is None:
            with self._reading() as connection:
                subject_no = self._subject_no(tenant, person)
                found += [wrapped for (wrapped,) in rows_of(connection, _SUBJECT_KEY, (subject_no,))]
        return found

    def destroy_slots(self, tenant: str, person: str, numbers: Sequence[int]) -> int:
        """Destroy slots for good; return how many were there."""
        destroyed = 0
        with self._writing() as connection:
            subject_no = self._subject_no(tenant, person)
            for number in numbers if subject_no is not None else ():
                connection.execute(_EMPTY_SLOT, (subject_no, number))
                connection.execute(_DROP_SLOT, (subject_no, number))
                destroyed += connection.changes()
        return destroyed

    def destroy_subject(self, tenant: str, person: str) -> int:
        """Destroy a subject's key, every slot and the link to the user; return how many slots were there."""
        with self._writing() as connection:
            subject_no = self._subject_no(tenant, person)
            if subject_no is None:
                return 0
            connection.execute(_EMPTY_SUBJECT, (subject_no,))
            connection.execute("DELETE FROM slot WHERE subject_no = ?", (subject_no,))
            destroyed = connection.changes()
            connection.execute("DELETE FROM link WHERE subject_no = ?", (subject_no,))
            connection.execute("DELETE FROM subject WHERE subject_no = ?", (subject_no,))
            connection.execute("UPDATE root SET links_cut = 1")
        return destroyed

    def signing_keys(self, tenant: str) -> list[SigningKey]:
        """Return the tenant's signing keys, oldest first; the first is made on first use."""
        with self._reading():
            keys = self._keyring.find(tenant)
            found = [] if keys is None else self._signing_keys(keys, tenant)
        if found:
            return found
        with self._writing():
            keys = self._keyring.make(tenant)
            return self._signing_keys(keys, tenant) or [self._add_signing(keys, tenant, ordinal=1, size=0)]

    def rotate_signing_key(self, tenant: str, *, size: int) -> SigningKey:
        """Retire the newest signing key at a chain size and make the next.

        Raises:
            ChainError: the newest key is for sizes beyond this one.
        """
        with self._writing() as connection:
            keys = self._keyring.make(tenant)
            newest = (self._signing_keys(keys, tenant) or [self._add_signing(keys, tenant, ordinal=1, size=0)])[-1]
            if size < newest.from_size:
                raise ChainError("a signing key cannot be retired at a size before the one it began at")
            connection.execute(_RETIRE, (size, keys.tenant_no, newest.ordinal))
            return self._add_signing(keys, tenant, ordinal=newest.ordinal + 1, size=size)

    def rotate_tenant_key(self, tenant: str) -> None:
        """Make a new wrapping key for the tenant and wrap everything below it anew, in one step."""
        with self._writing():
            self._keyring.rotate_tenant(tenant)

    def rotate_root_key(self, provider: KeyProvider) -> None:
        """Wrap every tenant key under the root key of `provider`, in one step; it is asked from now on.

        Raises:
            KeyWrongError: the root key so far is not this vault's.
        """
        with self._lock:
            with self._writing():
                self._keyring.rotate_root(provider)
            self._keyring.adopt(provider)

    def scrub(self) -> bool:
        """Build the index of links anew if one was cut, so that no stale copy of its tag is left in a page.

        All else is gone from the file with the commit that destroyed it, and from the journal, which is cut then.
        """
        with self._writing() as connection:
            if connection.execute("SELECT links_cut FROM root").get:
                run_script(connection, _REBUILD_LINKS)
        return True

    def files(self) -> tuple[Path, ...]:
        """Name every file that may hold bytes of the vault; some may not be there."""
        if self._path is None:
            return ()
        return tuple(self._path.with_name(self._path.name + end) for end in ("", "-journal"))

    def problems(self) -> list[str]:
        """Check the file, open every key, and check what must hold between them."""
        with self._reading() as connection:
            return integrity.problems(connection, self._keyring)

    def close(self) -> None:
        """Let go of the vault and of the keys in memory."""
        with self._lock:
            if self._closed or self._process != os.getpid():
                return
            self._closed = True
            self._keyring.forget()
            self._connection.close()

    def _find_subject(self, keys: TenantKeys, tenant: str, user_id: str) -> Subject | None:
        row = self._connection.execute(_LINKED, (keys.tenant_no, link_tag(keys.tag, user_id))).get
        if row is None:
            return None
        person, wrapped = row
        return Subject(tenant, person, unwrap(keys.wrapping, wrapped, place("subject", tenant, person)))

    def _subject_no(self, tenant: str, person: str) -> int | None:
        number: int | None = self._connection.execute(_SUBJECT_NO, (tenant, person)).get
        return number

    def _wrapped(self, tenant: str, person: str, numbers: Sequence[int] | None) -> list[tuple[Any, ...]]:
        with self._reading() as connection:
            subject_no = self._subject_no(tenant, person)
            if numbers is None:
                return rows_of(connection, _SLOTS, (subject_no,))
            if not numbers:
                return []
            named = apsw.carray(array("q", sorted(set(numbers))))
            return rows_of(connection, _NAMED_SLOTS, (subject_no, named))

    def _signing_keys(self, keys: TenantKeys, tenant: str) -> list[SigningKey]:
        where = place("signing", tenant)
        found = []
        for ordinal, wrapped, public, since, until in rows_of(self._connection, _SIGNING, (keys.tenant_no,)):
            private = unwrap(keys.wrapping, wrapped, numbered(where, ordinal))
            if public_half(private) != public:
                raise StoreCorruptError("a signing key in the vault fails its check; restore a backup of the vault")
            found.append(SigningKey(tenant, ordinal, private, public, since, until))
        return found

    def _add_signing(self, keys: TenantKeys, tenant: str, *, ordinal: int, size: int) -> SigningKey:
        private = self._secret(KEY_LENGTH)
        public = public_half(private)
        wrapped = self._wrap(keys.wrapping, private, numbered(place("signing", tenant), ordinal))
        box_no = boxes.put(self._connection, wrapped)
        self._connection.execute(_ADD_SIGNING, (keys.tenant_no, ordinal, public, size, box_no))
        return SigningKey(tenant, ordinal, private, public, size, None)

    def _wrap(self, key: AESGCM, inner: bytes, where: bytes) -> bytes:
        return wrap(key, inner, where, self._secret(NONCE_LENGTH))

    @contextmanager
    def _holding(self) -> Iterator[apsw.Connection]:
        """Hold the connection; SQLite's errors become Iris's."""
        with self._lock:
            self._check()
            try:
                yield self._connection
            except FAILURES as error:
                raise translate(error, self._connection) from error

    @contextmanager
    def _reading(self) -> Iterator[apsw.Connection]:
        """Hold the connection for questions that belong together: no other process changes anything meanwhile."""
        with self._holding() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def _writing(self) -> Iterator[apsw.Connection]:
        """Hold the connection for a change, which is durable at the end or undone."""
        with self._holding() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # A key that was made and not kept must not be used either.
                self._keyring.forget()
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _check(self) -> None:
        if self._closed:
            raise closed()
        if self._process != os.getpid():
            raise StorageError("the vault was opened before this process was forked; open it again in this process")
