"""`Iris`: an open store. Everything about one person goes through `for_user`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from iris_memory.contracts.category import Consumer
from iris_memory.contracts.consent import GovernanceApproval
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.operator_note import RolloutReport
from iris_memory.contracts.retaining import SweepReport
from iris_memory.contracts.scope import AdapterScope
from iris_memory.errors import SettingError
from iris_memory.flows import audit, doctor, govern, receipting, rotate, sweep, tend
from iris_memory.flows.audit import OnlineReport
from iris_memory.flows.doctor import Finding
from iris_memory.flows.instruments import Caller, CrisisFrame, Deliver, Durability, Instruments, RecallAuditSink
from iris_memory.flows.operator_notes import Operator, rollout_report
from iris_memory.flows.sealing import derived
from iris_memory.front.assistants import Assistants, Webhooks
from iris_memory.front.audit_trail import AuditTrail
from iris_memory.front.given import days_before, identifier, instant, member
from iris_memory.front.governance import Governance
from iris_memory.front.inspection import Inspections
from iris_memory.front.operator_notes import OperatorNotes
from iris_memory.front.person import PersonMemory
from iris_memory.front.rights import RightsDesk
from iris_memory.front.service_tokens import Exchange, ServiceTokens
from iris_memory.ports.clock import Clock
from iris_memory.ports.ids import Ids
from iris_memory.ports.vault import KeyProvider
from iris_memory.recall.options import DEFAULT_OPTIONS, RecallOptions
from iris_memory.wiring.opening import Opened, open_embedded
from iris_memory.wiring.placing import placement


class Iris:
    """An open store. Use it as a context manager, or call `close`. Safe for many threads."""

    def __init__(self, opened: Opened) -> None:
        """Take an opened store; use `Iris.open`."""
        self._opened = opened

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        create: bool = True,
        key: KeyProvider | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        options: RecallOptions = DEFAULT_OPTIONS,
        audit_durability: Durability | str | None = None,
        sink: RecallAuditSink | None = None,
        crisis: CrisisFrame | None = None,
        deliver: Deliver | None = None,
        tended: bool = True,
        database: str | None = None,
    ) -> Self:
        """Open the store in a folder, making it where there is none.

        Args:
            path: the folder of the store.
            create: make the store where there is none.
            key: where the root key comes from; by default the environment, else a key file made on first run.
            clock: tells the time; by default the system's.
            ids: makes ids and secret bytes; by default from the system's generator.
            options: weights, budgets, dedupe rule, conflict key and semantic function of recall.
            audit_durability: `default` answers a recall once its event is committed, `strict` once it is on the disk.
            sink: is given every recall's audit event.
            crisis: says whether a person is in a crisis frame.
            deliver: takes a notice to a person, or an alarm to approvers, besides their lists and webhooks; it may come
                twice, and what it raises is tried again.
            tended: run the thread that syncs, marks use and signs heads once a second.
            database: the address of a PostgreSQL database that holds the data, while the vault lies in the folder; by
                default IRIS_DATABASE_URL; an empty text keeps the data in the folder.

        Raises:
            StoreMissingError, StoreReadOnlyError, StoreVersionError, StoreCorruptError: see `iris_memory.errors`.
            KeyMissingError, KeyWrongError: the root key is not there, or is another store's.
            StoreRolledBackError: the store is older than a head kept outside it.
            SettingError: a setting has a value it cannot have.
        """
        return cls(
            open_embedded(
                Path(path),
                create=create,
                key=key,
                clock=clock,
                ids=ids,
                options=options,
                durability=_durability(audit_durability),
                sink=sink,
                crisis=crisis,
                deliver=deliver,
                tended=tended,
                database=database,
            )
        )

    @property
    def instruments(self) -> Instruments:
        """The engines and choices, for surfaces."""
        return self._opened.instruments

    @property
    def opened(self) -> Opened:
        """Where the parts of the store lie, and the settings it was opened with."""
        return self._opened

    @property
    def store_id(self) -> str:
        """The id of the store."""
        return self._opened.layout.store_id

    def for_user(
        self,
        *,
        tenant: str,
        user: str,
        consumer: Consumer | str = Consumer.ASSISTANT,
        assistant_id: str | None = None,
        session: str | None = None,
    ) -> PersonMemory:
        """Bind one person, the consumer that asks and, where there is one, the session, for all that follows.

        Raises:
            ContractError: an identifier is none, or there is no such consumer.
        """
        caller = Caller(
            tenant=identifier(tenant, what="tenant"),
            user=identifier(user, what="user"),
            consumer=member(Consumer, consumer),
            assistant_id=identifier(assistant_id, what="assistant_id") if assistant_id is not None else None,
        )
        bound = identifier(session, what="session") if session is not None else None
        return PersonMemory(self._opened.instruments, caller, session=bound)

    def approve_scope(
        self,
        *,
        tenant: str,
        adapter_scope: AdapterScope | str,
        approver: str,
        reason: str,
        expires_at: datetime,
    ) -> GovernanceApproval:
        """Record leave to use a scope that needs governance review."""
        return govern.approve_scope(
            self.instruments,
            identifier(tenant, what="tenant"),
            member(AdapterScope, adapter_scope),
            approver=approver,
            reason=reason,
            expires_at=instant(expires_at, what="expires_at"),
        )

    def governance(self, *, tenant: str) -> Governance:
        """Bind a tenant, for approvals of reviewed scopes and for the notices consents are asked with."""
        return Governance(self.instruments, tenant)

    def set_tenant_policy(self, *, tenant: str, notebook_reaches_tenant: bool) -> None:
        """Say whether notebook requests may reach the tenant's memory of the same person."""
        tenant = identifier(tenant, what="tenant")
        govern.set_tenant_policy(self.instruments, tenant, notebook_reaches_tenant=notebook_reaches_tenant)

    def set_tenant_contract(self, *, tenant: str, ends_at: datetime | None) -> None:
        """Say when a tenant's contract ends: what the tenant keeps about people is not kept longer. None: unknown."""
        ends = instant(ends_at, what="ends_at") if ends_at is not None else None
        govern.set_tenant_contract(self.instruments, identifier(tenant, what="tenant"), ends_at=ends)

    def sweep(self, *, dry_run: bool = False) -> SweepReport:
        """End what has outlived its envelope, with summaries where scopes keep them; with `dry_run` change nothing."""
        return sweep.sweep(self.instruments, dry_run=dry_run)

    def rights_desk(self, tenant: str) -> RightsDesk:
        """Bind a tenant, for what operators do about data-rights requests and legal holds."""
        return RightsDesk(self.instruments, identifier(tenant, what="tenant"))

    def service_tokens(self, *, tenant: str) -> ServiceTokens:
        """Bind a tenant, for the service tokens of its assistants."""
        return ServiceTokens(self.instruments, tenant)

    @property
    def exchange(self) -> Exchange:
        """Where a service token is exchanged for a token of one person."""
        return Exchange(self.instruments)

    def inspections(self, *, tenant: str, actor: str, role: str) -> Inspections:
        """Bind one operator in one of their roles, for inspections of a tenant."""
        return Inspections(self.instruments, tenant=tenant, actor=actor, role=role)

    def operator_notes(self, *, tenant: str, issuer: str, sub: str) -> OperatorNotes:
        """Bind one operator, as their verified token names them, for the admin assistant's notes."""
        return OperatorNotes(self.instruments, Operator(identifier(tenant, what="tenant"), issuer, sub))

    def audit_trail(self, *, tenant: str) -> AuditTrail:
        """Bind a tenant, for an auditor who reads its chain a page at a time and takes proofs away."""
        return AuditTrail(self.instruments, tenant)

    def assistants(self, tenant: str) -> Assistants:
        """Bind a tenant, for the assistants it has and the most each may reach."""
        return Assistants(self.instruments, identifier(tenant, what="tenant"))

    def webhooks(self, tenant: str) -> Webhooks:
        """Bind a tenant, for where its events are sent."""
        return Webhooks(self.instruments, identifier(tenant, what="tenant"))

    def notes_report(self, *, tenant: str, days: int = 7) -> RolloutReport:
        """Return what operator notes did in a tenant over the last days: counts alone."""
        days_before(self.instruments.clock.now(), days)
        return rollout_report(self.instruments, identifier(tenant, what="tenant"), days=days)

    def deployment_key(self, purpose: str) -> bytes:
        """Return a key of 32 bytes for one purpose, the same in every process that has the root key."""
        return derived(self._opened.provider.root_key(), f"deployment/{purpose}")

    def verify_audit(self, *, tenant: str) -> OnlineReport:
        """Check a tenant's audit chain where it lies."""
        return audit.verify_audit(self.instruments, identifier(tenant, what="tenant"))

    def export_audit(self, *, tenant: str) -> Iterator[bytes]:
        """Yield the lines of a tenant's audit export, which `iris audit verify FILE` checks offline."""
        return audit.export_audit(self.instruments, identifier(tenant, what="tenant"))

    def tenants(self) -> list[str]:
        """Return every tenant with an audit chain."""
        return audit.tenants(self.instruments)

    def receipts(self, *, tenant: str) -> Sequence[ForgetReceipt]:
        """Return the receipts of what was forgotten in a tenant, oldest first. They hold no personal data."""
        return receipting.receipts(self.instruments, tenant)

    def doctor(self) -> list[Finding]:
        """Check the store, the vault, the chains and the keys; return what was looked at and what was found."""
        return [*placement(self._opened), *doctor.examine(self.instruments, provider=self._opened.provider)]

    def rotate_tenant_key(self, *, tenant: str) -> None:
        """Make a new wrapping key for a tenant."""
        rotate.rotate_tenant(self.instruments, identifier(tenant, what="tenant"))

    def rotate_signing_key(self, *, tenant: str) -> None:
        """Retire a tenant's signing key and make the next."""
        rotate.rotate_signing(self.instruments, identifier(tenant, what="tenant"))

    def rotate_root_key(self, provider: KeyProvider) -> None:
        """Re-wrap every tenant's keys under another root key."""
        rotate.rotate_root(self.instruments, provider)

    def flush(self) -> None:
        """Write use marks, make every commit durable and sign the heads, now instead of within a second."""
        tend.tick(self.instruments)

    def close(self) -> None:
        """Make everything durable and let go. Closing twice is allowed."""
        self._opened.close()

    def __enter__(self) -> Self:
        """Return the open store."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()


def _durability(value: Durability | str | None) -> Durability | None:
    if value is None:
        return None
    try:
        return Durability(value)
    except ValueError:
        raise SettingError(f"audit durability accepts {' or '.join(Durability)}") from None
