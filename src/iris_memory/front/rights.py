"""Data rights: what a person may ask for, and the desk where operators see to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from pydantic import TypeAdapter, ValidationError

from iris_memory.contracts.category import Category
from iris_memory.contracts.disclosure import Disclosure
from iris_memory.contracts.erasure import ForgetPreview
from iris_memory.contracts.rights import (
    DenialGround,
    DeniedItem,
    DeskRow,
    HoldRefused,
    HoldTarget,
    IdentityChallenge,
    LegalHold,
    Regime,
    RightsKind,
    RightsPayload,
    RightsRefused,
    RightsRequest,
    VerificationMethod,
)
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.shape import refuse_invalid
from iris_memory.errors import ContractError
from iris_memory.flows import disclose, fulfil, legal_hold, rights, rights_desk
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.front.given import identifier, instant, known_id, member
from iris_memory.rules.rights import SUBJECT
from iris_memory.tables.regimes import SPOKEN

_PAYLOAD: TypeAdapter[RightsPayload] = TypeAdapter(RightsPayload)


class Rights:
    """The data-rights requests of one person."""

    def __init__(self, instruments: Instruments, caller: Caller) -> None:
        """Bind a caller; use `Iris.for_user(...).rights`."""
        self._instruments = instruments
        self._caller = caller

    def submit(
        self, kind: RightsKind | str | RightsPayload, *, regime: Regime | str = Regime.DEFAULT, **wishes: Any
    ) -> RightsRequest:
        """Submit a request.

        Args:
            kind: `access`, `export`, `delete`, `rectify`, `restrict`, `object`, `withdraw-consent` (also `port-to` for
                an export and `opt-out` for an objection), or a whole payload.
            regime: whose law sets the deadline.
            wishes: the fields of the kind's payload, such as `scopes=["notebook"]` or `categories=["work"]`.

        Raises:
            ContractError: a value breaks the contract; the message names the field, never the value.
            UnknownMemoryError: the memory to put right is not the person's.
        """
        payload = kind if not isinstance(kind, str) else payload_of(kind, wishes)
        return rights.submit(self._instruments, self._caller, payload, regime=member(Regime, regime))

    def list(self) -> Sequence[RightsRequest]:
        """Return the person's requests, oldest first."""
        return rights.requests(self._instruments, self._caller)

    def show(self, request_id: str) -> RightsRequest:
        """Return one request with its trail and notices."""
        return rights.show(self._instruments, self._caller, known_id(request_id))

    def verify(
        self,
        request_id: str,
        method: VerificationMethod | str = VerificationMethod.SESSION_TOKEN,
        *,
        secret: str | None = None,
        signed_in_at: datetime | None = None,
        declared: bool = False,
    ) -> RightsRequest | RightsRefused:
        """Prove who asks: by the session, or with the secret of a challenge that was sent. It may take several."""
        return rights.verify(
            self._instruments,
            self._caller,
            known_id(request_id),
            member(VerificationMethod, method),
            secret=secret,
            signed_in_at=instant(signed_in_at, what="signed_in_at") if signed_in_at is not None else None,
            declared=declared,
        )

    def reach(self, request_id: str) -> ForgetPreview:
        """Count what a deletion of one's own would reach now; nothing is changed.

        Raises:
            UnknownMemoryError: there is no such request.
            ContractError: it is no deletion.
        """
        return fulfil.reach(self._instruments, self._caller, known_id(request_id))

    def carry_out(self, request_id: str) -> RightsRequest | RightsRefused:
        """Carry a verified request of one's own out at once: nobody has to decide it."""
        own = rights.show(self._instruments, self._caller, known_id(request_id))
        return rights_desk.fulfil(self._instruments, self._caller.tenant, own.request_id, actor=SUBJECT)

    def cancel(self, request_id: str) -> RightsRequest | RightsRefused:
        """Take a request back."""
        return rights.cancel(self._instruments, self._caller, known_id(request_id))

    def reactivate(self, request_id: str) -> RightsRequest | RightsRefused:
        """Take a soft deletion back within its grace; what was set aside is recalled again."""
        return rights.reactivate(self._instruments, self._caller, known_id(request_id))

    def appeal(self, request_id: str, *, reason: str) -> RightsRequest | RightsRefused:
        """Ask for another decision, by somebody else than who decided. It comes once."""
        return rights.appeal(self._instruments, self._caller, known_id(request_id), reason=reason)

    def lift_restriction(self, request_id: str) -> RightsRequest | RightsRefused:
        """Let back what a restriction set aside."""
        return rights.lift_restriction(self._instruments, self._caller, known_id(request_id))

    def answer(self, request_id: str) -> Disclosure | RightsRefused:
        """Return the answer to an access request that was completed: everything that is held, and Art. 15(1)."""
        return disclose.disclosure(self._instruments, self._caller, known_id(request_id))

    def holds(self) -> Sequence[LegalHold]:
        """Return the legal holds on the person's memory that are not sealed."""
        return legal_hold.visible_holds(self._instruments, self._caller)


class RightsDesk:
    """What operators of one tenant do about requests. `actor` is the id of the operator, never the person's."""

    def __init__(self, instruments: Instruments, tenant: str) -> None:
        """Bind a tenant; use `Iris.rights_desk`."""
        self._instruments = instruments
        self._tenant = tenant

    def list(self, *, open_only: bool = False) -> Sequence[DeskRow]:
        """Return the requests, those due first: pseudonym, kind, state, deadline; no content and no name."""
        return rights_desk.desk(self._instruments, self._tenant, open_only=open_only)

    def challenge(self, request_id: str, method: VerificationMethod | str) -> IdentityChallenge | RightsRefused:
        """Make a challenge; send its secret to the person by the channel of the method, and keep it nowhere."""
        asked = member(VerificationMethod, method)
        return rights_desk.challenge(self._instruments, self._tenant, known_id(request_id), asked)

    def sign_off(
        self, request_id: str, method: VerificationMethod | str, *, actor: str, declared: bool = False
    ) -> RightsRequest | RightsRefused:
        """Record `operator-signoff` or `court-order` as a proof of who asks."""
        asked = member(VerificationMethod, method)
        return rights_desk.sign_off(
            self._instruments, self._tenant, known_id(request_id), asked, actor=_actor(actor), declared=declared
        )

    def start(self, request_id: str, *, actor: str) -> RightsRequest | RightsRefused:
        """Take a verified request up."""
        return rights_desk.start(self._instruments, self._tenant, known_id(request_id), actor=_actor(actor))

    def extend(self, request_id: str, *, actor: str, reason: str) -> RightsRequest | RightsRefused:
        """Move the deadline, once, before it has passed; the person is told the reason."""
        return rights_desk.extend(
            self._instruments, self._tenant, known_id(request_id), actor=_actor(actor), reason=reason
        )

    def hold(
        self, request_id: str, *, actor: str, reason: str, until: datetime | None = None
    ) -> RightsRequest | RightsRefused:
        """Wait for something; the deadline stays. A verified request that waits in vain closes at `until`."""
        ends = instant(until, what="until") if until is not None else None
        return rights_desk.hold(
            self._instruments, self._tenant, known_id(request_id), actor=_actor(actor), reason=reason, until=ends
        )

    def resume(self, request_id: str, *, actor: str) -> RightsRequest | RightsRefused:
        """Go on with a request that was on hold."""
        return rights_desk.resume(self._instruments, self._tenant, known_id(request_id), actor=_actor(actor))

    def deny(
        self,
        request_id: str,
        *,
        actor: str,
        ground: DenialGround | str,
        legal_reference: str,
        items: Mapping[str, DenialGround | str] | None = None,
    ) -> RightsRequest | RightsRefused:
        """Deny a request; `items` names single things and their grounds."""
        return rights_desk.deny(
            self._instruments,
            self._tenant,
            known_id(request_id),
            actor=_actor(actor),
            ground=member(DenialGround, ground),
            legal_reference=legal_reference,
            items=_items(items or {}),
        )

    def deny_in_part(
        self, request_id: str, *, actor: str, items: Mapping[str, DenialGround | str], legal_reference: str
    ) -> RightsRequest | RightsRefused:
        """Deny the things named; the rest of the request goes on."""
        return rights_desk.deny_in_part(
            self._instruments,
            self._tenant,
            known_id(request_id),
            actor=_actor(actor),
            items=_items(items),
            legal_reference=legal_reference,
        )

    def fulfil(self, request_id: str, *, actor: str) -> RightsRequest | RightsRefused:
        """Carry a verified request out. A soft deletion sets aside now and completes when its grace is over."""
        return rights_desk.fulfil(self._instruments, self._tenant, known_id(request_id), actor=_actor(actor))

    def complete(
        self, request_id: str, *, actor: str, result_fingerprint: str | None = None
    ) -> RightsRequest | RightsRefused:
        """Complete a request that was carried out elsewhere; a deletion or an export with its fingerprint."""
        return rights_desk.complete(
            self._instruments,
            self._tenant,
            known_id(request_id),
            actor=_actor(actor),
            result_fingerprint=result_fingerprint,
        )

    def fail(self, request_id: str, *, actor: str, reason: str) -> RightsRequest | RightsRefused:
        """Note that a request could not be carried out; the person is told the reason."""
        return rights_desk.fail(
            self._instruments, self._tenant, known_id(request_id), actor=_actor(actor), reason=reason
        )

    def decide_appeal(
        self, request_id: str, *, actor: str, overturned: bool, reason: str
    ) -> RightsRequest | RightsRefused:
        """Decide an appeal, as somebody else than who decided before."""
        return rights_desk.decide_appeal(
            self._instruments,
            self._tenant,
            known_id(request_id),
            actor=_actor(actor),
            overturned=overturned,
            reason=reason,
        )

    def holds(self) -> Sequence[LegalHold]:
        """Return every legal hold of the tenant, oldest first."""
        return legal_hold.holds(self._instruments, self._tenant)

    def place_hold(
        self,
        *,
        user: str,
        actor: str,
        reference: str,
        reason: str,
        expires_at: datetime,
        review_at: datetime | None = None,
        scopes: Iterable[AdapterScope | str] = (),
        categories: Iterable[Category | str] = (),
        logical_ids: Iterable[str] = (),
        is_sealed: bool = False,
    ) -> LegalHold:
        """Place a legal hold; with nothing named, on everything of the person. Somebody else has to confirm it.

        Args:
            user: whose memory it is.
            actor: who places it.
            reference: the case or order it is for.
            reason: why.
            expires_at: when it ends by itself.
            review_at: when somebody has to look whether it is still needed; by default after 90 days at most.
            scopes: adapter scopes that are held.
            categories: categories that are held.
            logical_ids: memories that are held.
            is_sealed: keep it from the person.
        """
        ends = instant(expires_at, what="expires_at")
        quarter = self._instruments.clock.now() + timedelta(days=90)
        target = HoldTarget(
            scopes=tuple(member(AdapterScope, scope) for scope in scopes),
            categories=tuple(member(Category, category) for category in categories),
            logical_ids=tuple(known_id(name) for name in logical_ids),
        )
        return legal_hold.place(
            self._instruments,
            Caller(self._tenant, identifier(user, what="user")),
            target,
            reference=reference,
            reason=reason,
            actor=_actor(actor),
            review_at=instant(review_at, what="review_at") if review_at is not None else min(quarter, ends),
            expires_at=ends,
            is_sealed=is_sealed,
        )

    def confirm_hold(self, hold_id: str, *, actor: str) -> LegalHold | HoldRefused:
        """Confirm a hold, as somebody else than who placed it: from now on it holds."""
        return legal_hold.confirm(self._instruments, self._tenant, known_id(hold_id), actor=_actor(actor))

    def review_hold(self, hold_id: str, *, actor: str, review_at: datetime) -> LegalHold | HoldRefused:
        """Note that a hold is still needed, and when to look again."""
        again = instant(review_at, what="review_at")
        return legal_hold.review(
            self._instruments, self._tenant, known_id(hold_id), actor=_actor(actor), review_at=again
        )

    def release_hold(self, hold_id: str, *, actor: str) -> LegalHold | HoldRefused:
        """End a hold; what was to be destroyed and waited for it goes at once."""
        return legal_hold.release(self._instruments, self._tenant, known_id(hold_id), actor=_actor(actor))


def payload_of(kind: str, wishes: Mapping[str, Any]) -> RightsPayload:
    """Return the payload of a kind, by the rules of its JSON form.

    Raises:
        ContractError: there is no such kind, or a value breaks the contract.
    """
    named = SPOKEN.get(kind) or member(RightsKind, kind)
    given = {name: _plain(value) for name, value in wishes.items()}
    try:
        return _PAYLOAD.validate_json(_PAYLOAD_JSON.dump_json({"kind": named.value, **given}))
    except ValidationError as problem:
        refuse_invalid(problem, what="request")


_PAYLOAD_JSON: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, (set, frozenset)) else value


def _items(items: Mapping[str, DenialGround | str]) -> list[DeniedItem]:
    try:
        return [DeniedItem(item=item, ground=member(DenialGround, ground)) for item, ground in items.items()]
    except ValidationError as problem:
        refuse_invalid(problem, what="items")


def _actor(actor: str) -> str:
    named = identifier(actor, what="actor")
    if named in {"subject", "system"}:
        raise ContractError("actor is the id of an operator")
    return named
