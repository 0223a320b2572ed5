"""Webhooks: a tenant's events are sent from its audit chain, at least once, in order, and never lost.

The chain is the outbox: what happened stands there in the transaction in which it happened. A webhook keeps how far it
was taken, and moves on only after the other side said yes (2xx). So a kill at any point sends an event again at most.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from pydantic import ValidationError

from iris_memory.contracts.audit import BRIDGE_POLICY, AuditAction
from iris_memory.contracts.decision import RefusalReason
from iris_memory.contracts.events import EventName
from iris_memory.contracts.shape import Contract, Instant, refuse_invalid
from iris_memory.contracts.webhook import Webhook, WebhookRegistered
from iris_memory.contracts.write import Refused
from iris_memory.flows.instruments import Instruments
from iris_memory.flows.journal import head_of, write_event
from iris_memory.flows.people import TENANT
from iris_memory.flows.tenant_records import open_tenant_record, tenant_record
from iris_memory.ports.courier import Courier
from iris_memory.ports.rows import RecordKind
from iris_memory.ports.unit_of_work import Reading, Transaction
from iris_memory.rules.webhooks import pause_after, secret_text, signed_headers, told_of
from iris_memory.tables.bridging import EVENTS_A_TURN, LEASE, WEBHOOKS_MOST

_SECRET_LENGTH = 32
_PAGE = 512


class _Kept(Contract):
    """A webhook as it is stored: with its secret, and until when one process has it to itself."""

    webhook: Webhook
    secret: str
    leased_until: Instant | None = None


class Delivered(NamedTuple):
    """What one round of sending did."""

    sent: int
    failed: int


def register(
    instruments: Instruments, tenant: str, *, url: str, events: Collection[EventName]
) -> WebhookRegistered | Refused:
    """Register a webhook. It is sent what happens from now on; its secret is told this once.

    Raises:
        ContractError: the address is neither https nor http on loopback, or no event is named.
    """
    now = instruments.clock.now()
    secret = instruments.ids.secret(_SECRET_LENGTH)
    webhook_id = instruments.ids.entry_id(now)

    def work(tx: Transaction) -> WebhookRegistered | Refused:
        if len(_every(instruments, tenant, tx)) >= WEBHOOKS_MOST:
            return Refused(reason=RefusalReason.WRITE_BUDGET_SPENT, rule=f"a tenant has up to {WEBHOOKS_MOST} webhooks")
        _tell(tx, tenant, webhook_id, "registered", now)
        webhook = Webhook(
            webhook_id=webhook_id,
            url=url,
            events=frozenset(events),
            registered_at=now,
            delivered=head_of(tx, tenant).size,
            next_attempt_at=now,
        )
        _put(instruments, tenant, tx, _Kept(webhook=webhook, secret=secret.hex()), now)
        return WebhookRegistered(webhook=webhook, secret=secret_text(secret))

    try:
        return instruments.store.write(work, durable=True)
    except ValidationError as problem:
        refuse_invalid(problem, what="webhook")


def webhooks(instruments: Instruments, tenant: str) -> tuple[Webhook, ...]:
    """Return the webhooks of a tenant, oldest first, without their secrets."""
    with instruments.store.read() as reading:
        found = [kept.webhook for kept in _every(instruments, tenant, reading)]
    return tuple(sorted(found, key=lambda webhook: (webhook.registered_at, webhook.webhook_id)))


def remove(instruments: Instruments, tenant: str, webhook_id: str) -> bool:
    """Remove a webhook; say whether it was there. What was not sent is not sent any more."""
    now = instruments.clock.now()

    def work(tx: Transaction) -> bool:
        if not tx.drop_records(tenant, TENANT, RecordKind.WEBHOOK, [webhook_id]):
            return False
        _tell(tx, tenant, webhook_id, "removed", now)
        return True

    return instruments.store.write(work, durable=True)


def deliver_due(instruments: Instruments, courier: Courier) -> Delivered:
    """Send what is due to every webhook of every tenant, a turn each; return what was sent and what failed."""
    now = instruments.clock.now()
    with instruments.store.read() as reading:
        known = [
            (tenant, open_tenant_record(instruments, tenant, row))
            for tenant, _, row in reading.records_everywhere(RecordKind.WEBHOOK)
        ]
    sent = failed = 0
    for tenant, plain in known:
        webhook = _Kept.model_validate_json(plain).webhook
        if webhook.next_attempt_at > now:
            continue
        done = _deliver(instruments, courier, tenant, webhook.webhook_id)
        sent, failed = sent + done.sent, failed + done.failed
    return Delivered(sent, failed)


def _deliver(instruments: Instruments, courier: Courier, tenant: str, webhook_id: str) -> Delivered:
    kept = _lease(instruments, tenant, webhook_id)
    if kept is None:
        return Delivered(0, 0)
    secret, sent, failed = bytes.fromhex(kept.secret), 0, 0
    reached, status = kept.webhook.delivered, kept.webhook.last_status
    for sequence, events in _waiting(instruments, tenant, kept.webhook):
        for event in events:
            body = json.dumps(event, separators=(",", ":"), sort_keys=True).encode()
            message_id = f"{webhook_id}.{event['event_id']}"
            headers = signed_headers(secret, message_id=message_id, at=instruments.clock.now(), body=body)
            status = courier.post(kept.webhook.url, headers=headers, body=body)
            if not 200 <= status < 300:
                failed = 1
                break
            sent += 1
        if failed:
            break
        reached = sequence
        if events and not _note(instruments, tenant, webhook_id, reached, status, failed=False, lease=True):
            return Delivered(sent, 0)  # it was removed, or another process has it now
    _note(instruments, tenant, webhook_id, reached, status, failed=bool(failed), lease=False)
    return Delivered(sent, failed)


def _waiting(instruments: Instruments, tenant: str, webhook: Webhook) -> list[tuple[int, list[dict[str, object]]]]:
    """Return what is to be sent by its place in the chain; the last place looked at stands there with or without."""
    found: list[tuple[int, list[dict[str, object]]]] = []
    start, count = webhook.delivered, 0
    with instruments.store.read() as reading:
        while count < EVENTS_A_TURN and (rows := reading.audit_lines(tenant, start=start + 1, limit=_PAGE)):
            for row in rows:
                told = told_of(json.loads(row.line), tenant=tenant, sequence=row.sequence)
                wanted = [event for event in told if event["name"] in webhook.events]
                count += len(wanted)
                if wanted:
                    found.append((row.sequence, wanted))
                start = row.sequence
                if count >= EVENTS_A_TURN:
                    break
    if start > (found[-1][0] if found else webhook.delivered):
        found.append((start, []))
    return found


def _lease(instruments: Instruments, tenant: str, webhook_id: str) -> _Kept | None:
    def work(tx: Transaction) -> _Kept | None:
        now = instruments.clock.now()
        kept = _one(instruments, tenant, tx, webhook_id)
        if kept is None or (kept.leased_until is not None and now < kept.leased_until):
            return None
        head = head_of(tx, tenant).size
        if kept.webhook.delivered >= head:
            return None
        leased = kept.model_copy(update={"leased_until": now + LEASE})
        _put(instruments, tenant, tx, leased, now)
        return leased

    with instruments.store.read() as reading:  # nothing is written where nothing waits
        kept = _one(instruments, tenant, reading, webhook_id)
        if kept is None or kept.webhook.delivered >= head_of(reading, tenant).size:
            return None
    return instruments.store.write(work, durable=False)


def _note(
    instruments: Instruments,
    tenant: str,
    webhook_id: str,
    reached: int,
    status: int | None,
    *,
    failed: bool,
    lease: bool,
) -> bool:
    def work(tx: Transaction) -> bool:
        now = instruments.clock.now()
        kept = _one(instruments, tenant, tx, webhook_id)
        if kept is None or kept.webhook.delivered > reached:
            return False
        failures = kept.webhook.failures + 1 if failed else 0
        changes = {
            "delivered": reached,
            "failures": failures,
            "next_attempt_at": now + pause_after(failures) if failed else now,
            "last_status": status,
        }
        webhook = kept.webhook.model_copy(update=changes)
        until = now + LEASE if lease else None
        _put(instruments, tenant, tx, kept.model_copy(update={"webhook": webhook, "leased_until": until}), now)
        return True

    return instruments.store.write(work, durable=True)


def _every(instruments: Instruments, tenant: str, reading: Reading) -> list[_Kept]:
    rows = reading.records(tenant, TENANT, RecordKind.WEBHOOK)
    return [_Kept.model_validate_json(open_tenant_record(instruments, tenant, row)) for row in rows]


def _one(instruments: Instruments, tenant: str, reading: Reading, webhook_id: str) -> _Kept | None:
    row = reading.record(tenant, TENANT, RecordKind.WEBHOOK, webhook_id)
    return _Kept.model_validate_json(open_tenant_record(instruments, tenant, row)) if row is not None else None


def _put(instruments: Instruments, tenant: str, tx: Transaction, kept: _Kept, now: datetime) -> None:
    row = tenant_record(instruments, tenant, RecordKind.WEBHOOK, kept.webhook.webhook_id, kept, now=now)
    tx.put_record(tenant, TENANT, row)


def _tell(tx: Transaction, tenant: str, webhook_id: str, what: str, now: datetime) -> None:
    write_event(
        tx,
        tenant,
        action=AuditAction.WEBHOOK_CHANGED,
        policy=BRIDGE_POLICY,
        person=TENANT,
        now=now,
        facts={"object_ids": [webhook_id], "what": what},
    )
