"""Service tokens: minted, listed, revoked, and exchanged for a short-lived token of one person.

A service token opens nothing but the exchange. What is kept of it is a digest in a sealed record of its tenant; what it
is exchanged for is authenticated by a key derived from the tenant's and looked up again while it lives, so revoking the
one ends the other. Neither reading an unknown token nor issuing one makes a tenant or a subject.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Annotated, Final

from pydantic import Field, TypeAdapter, ValidationError

from iris_memory.contracts.audit import ACCESS_POLICY, AuditAction
from iris_memory.contracts.category import Consumer
from iris_memory.contracts.service_token import MintedToken, PersonToken, ServiceToken
from iris_memory.contracts.shape import Contract, Identifier, Instant, refuse_invalid
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.journal import write_event
from iris_memory.flows.people import TENANT
from iris_memory.flows.sealing import derived
from iris_memory.flows.tenant_records import open_tenant_record, tenant_record
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.tables.limits import PERSON_TOKEN_LIFETIME, SERVICE_TOKEN_LIFETIME_MOST, SERVICE_TOKENS_MOST

SERVICE_PREFIX: Final = "iris_service_"
PERSON_PREFIX: Final = "iris_person_"
_SECRET_BYTES: Final = 32
_SECRET_LETTERS: Final = 43
_IDENTIFIER: Final[TypeAdapter[str]] = TypeAdapter(Identifier)


class _Kept(Contract):
    """A service token as it is stored: with the SHA-256 of its secret, which is 256 random bits."""

    token: ServiceToken
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Claims(Contract):
    """What a person's token says."""

    tenant: Identifier
    user: Identifier
    service: Identifier
    until: Instant


@dataclass(frozen=True, slots=True)
class Bound:
    """Who a person's token stands for, by which service token, and until when."""

    tenant: str
    user: str
    consumer: Consumer
    assistant_id: str | None
    service: str
    until: datetime


def mint_service_token(
    instruments: Instruments,
    tenant: str,
    *,
    name: str,
    consumer: Consumer,
    assistant_id: str | None,
    created_by: str,
    lifetime: timedelta,
) -> MintedToken:
    """Make a service token. Its secret is in the answer, and nowhere after it.

    Raises:
        ContractError: the lifetime is none or too long, a name is not valid, or the tenant has as many as it may.
    """
    now = instruments.clock.now()
    if not timedelta(0) < lifetime <= SERVICE_TOKEN_LIFETIME_MOST:
        raise ContractError(f"a service token lives {SERVICE_TOKEN_LIFETIME_MOST.days} days at most")
    try:
        token = ServiceToken(
            token_id=instruments.ids.entry_id(now),
            tenant_id=tenant,
            name=name,
            consumer=consumer,
            assistant_id=assistant_id,
            created_by=created_by,
            created_at=now,
            expires_at=now + lifetime,
        )
    except ValidationError as problem:
        refuse_invalid(problem, what="service token")
    secret = _text(instruments.ids.secret(_SECRET_BYTES))

    def work(tx: Transaction) -> None:
        if sum(_is_good(kept.token, now) for kept in _all(instruments, tx, tenant)) >= SERVICE_TOKENS_MOST:
            raise ContractError(f"a tenant has up to {SERVICE_TOKENS_MOST} service tokens at a time")
        _keep(instruments, tx, _Kept(token=token, digest=sha256(secret.encode()).hexdigest()), now)
        _tell(tx, token, AuditAction.SERVICE_TOKEN_MINTED, by=created_by, now=now)

    instruments.store.write(work, durable=True)
    whole = f"{SERVICE_PREFIX}{_text(tenant.encode())}.{token.token_id}.{secret}"
    return MintedToken(token=token, secret=whole)


def service_tokens(instruments: Instruments, tenant: str) -> list[ServiceToken]:
    """Return a tenant's service tokens, oldest first, those that ended among them."""
    with instruments.store.read() as reading:
        found = [kept.token for kept in _all(instruments, reading, tenant)]
    return sorted(found, key=lambda token: (token.created_at, token.token_id))


def revoke_service_token(instruments: Instruments, tenant: str, token_id: str, *, revoked_by: str) -> ServiceToken:
    """End a service token, and with it every person's token it was exchanged for. Again changes nothing.

    Raises:
        UnknownMemoryError: the tenant has no such token.
    """
    now = instruments.clock.now()

    def work(tx: Transaction) -> ServiceToken:
        kept = _found(instruments, tx, tenant, token_id)
        if kept is None:
            raise UnknownMemoryError("there is no such token")
        if kept.token.revoked_at is not None:
            return kept.token
        ended = kept.token.model_copy(update={"revoked_by": revoked_by, "revoked_at": now})
        _keep(instruments, tx, _Kept(token=ended, digest=kept.digest), now)
        _tell(tx, ended, AuditAction.SERVICE_TOKEN_REVOKED, by=revoked_by, now=now)
        return ended

    return instruments.store.write(work, durable=True)


def read_service_token(instruments: Instruments, secret: str) -> ServiceToken | None:
    """Return the service token of a secret; None for every one that is not good now, whatever is wrong with it."""
    tenant, _, rest = secret.removeprefix(SERVICE_PREFIX).partition(".")
    token_id, _, random = rest.partition(".")
    named = _named(tenant)
    if not secret.startswith(SERVICE_PREFIX) or named is None or not _is_identifier(token_id):
        return None
    if len(random) != _SECRET_LETTERS or not random.isascii():
        return None
    with instruments.store.read() as reading:
        kept = _found(instruments, reading, named, token_id)
    if kept is None or not _is_good(kept.token, instruments.clock.now()):
        return None
    return kept.token if hmac.compare_digest(sha256(random.encode()).hexdigest(), kept.digest) else None


def issue_person_token(instruments: Instruments, service: ServiceToken, *, user: str) -> PersonToken:
    """Exchange a service token that was found good for a token of one person; the chain tells of it first."""
    now = instruments.clock.now()
    tenant = service.tenant_id
    until = min(now + PERSON_TOKEN_LIFETIME, service.expires_at)
    person = instruments.people.find(tenant, user)
    claims = _Claims(tenant=tenant, user=user, service=service.token_id, until=until)

    def work(tx: Transaction) -> None:
        write_event(
            tx,
            tenant,
            action=AuditAction.PERSON_TOKEN_ISSUED,
            policy=ACCESS_POLICY,
            person=TENANT if person is None else person.person,
            now=now,
            facts={"object_ids": [service.token_id], "consumer": service.consumer.value},
        )

    instruments.store.write(work, durable=False)
    payload = claims.model_dump_json().encode()
    made = f"{PERSON_PREFIX}{_text(payload)}.{_text(_mac(instruments, tenant, payload))}"
    return PersonToken(access_token=made, expires_at=until, consumer=service.consumer)


def read_person_token(instruments: Instruments, token: str) -> Bound | None:
    """Return who a person's token stands for; None for every one that is not good now.

    The service token's record is looked for before the tenant's key is, so that nothing a stranger sends makes a
    tenant; it must be good still.
    """
    payload_text, _, mac_text = token.removeprefix(PERSON_PREFIX).partition(".")
    payload, mac = _bytes(payload_text), _bytes(mac_text)
    if not token.startswith(PERSON_PREFIX) or payload is None or mac is None:
        return None
    try:
        claims = _Claims.model_validate_json(payload)
    except ValueError:
        return None
    now = instruments.clock.now()
    with instruments.store.read() as reading:
        kept = _found(instruments, reading, claims.tenant, claims.service)
    if kept is None or not _is_good(kept.token, now) or claims.until <= now:
        return None
    if not hmac.compare_digest(_mac(instruments, claims.tenant, payload), mac):
        return None
    service = kept.token
    return Bound(
        claims.tenant, claims.user, service.consumer, service.assistant_id, service.token_id, until=claims.until
    )


def _is_good(token: ServiceToken, now: datetime) -> bool:
    return token.revoked_at is None and now < token.expires_at


def _mac(instruments: Instruments, tenant: str, payload: bytes) -> bytes:
    return hmac.digest(derived(instruments.vault.tenant_key(tenant), "person-tokens"), payload, "sha256")


def _all(instruments: Instruments, reading: Reading, tenant: str) -> list[_Kept]:
    rows = reading.records(tenant, TENANT, RecordKind.SERVICE_TOKEN)
    return [_Kept.model_validate_json(open_tenant_record(instruments, tenant, row)) for row in rows]


def _found(instruments: Instruments, reading: Reading, tenant: str, token_id: str) -> _Kept | None:
    row = reading.record(tenant, TENANT, RecordKind.SERVICE_TOKEN, token_id)
    return None if row is None else _Kept.model_validate_json(open_tenant_record(instruments, tenant, row))


def _keep(instruments: Instruments, tx: Transaction, kept: _Kept, now: datetime) -> None:
    tenant = kept.token.tenant_id
    row = tenant_record(instruments, tenant, RecordKind.SERVICE_TOKEN, kept.token.token_id, kept, now=now)
    tx.put_record(tenant, TENANT, row)


def _tell(tx: Transaction, token: ServiceToken, action: AuditAction, *, by: str, now: datetime) -> None:
    facts = {"object_ids": [token.token_id], "consumer": token.consumer.value, "by": by}
    write_event(tx, token.tenant_id, action=action, policy=ACCESS_POLICY, person=TENANT, now=now, facts={**facts})


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def _bytes(text: str) -> bytes | None:
    """Return the bytes of unpadded base64url; None for another spelling of the same bytes too (RFC 4648 §3.5)."""
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return None
    return raw if raw and _text(raw) == text else None


def _named(text: str) -> str | None:
    raw = _bytes(text)
    try:
        return None if raw is None else _IDENTIFIER.validate_python(raw.decode("utf-8"), strict=True)
    except ValueError:
        return None


def _is_identifier(text: str) -> bool:
    try:
        return bool(_IDENTIFIER.validate_python(text, strict=True))
    except ValueError:
        return False
