"""Consent: answers of the person, appended to their ledger."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body

from iris_memory.http import examples
from iris_memory.http.answers import ConsentState, ConsentTrail, OptOuts
from iris_memory.http.bodies import DenyBody, GrantBody, OptOutBody, RevokeBody, as_json
from iris_memory.http.caller import Caller
from iris_memory.http.problems import documented

router = APIRouter(prefix="/v1", tags=["consent"])


@router.get("/consent", summary="Show the consents in force", responses=documented())
def show_consent(caller: Caller) -> ConsentState:
    """And what they and the opt-outs make of each scope, with one plain sentence per cause."""
    memory = caller.memory()
    return ConsentState(active=tuple(sorted(memory.consent.active())), scopes=tuple(memory.scope_policies().values()))


@router.get("/consent/trail", summary="List the consent ledger", responses=documented())
def list_consent_trail(caller: Caller) -> ConsentTrail:
    """Every answer, oldest first, refusals and withdrawals included."""
    return ConsentTrail(events=tuple(caller.memory().consent.trail()))


@router.post("/consent/grant", summary="Record that the person agreed", responses=documented(415, 507))
def grant_consent(
    caller: Caller, wish: Annotated[GrantBody, as_json(GrantBody), Body(openapi_examples=examples.GRANT)]
) -> ConsentTrail:
    """One event per consent, all in one transaction; in force from then on."""
    events = caller.memory().consent.grant(
        *wish.names,
        terms=wish.terms,
        terms_language=wish.terms_language,
        legal_basis=wish.legal_basis,
        capture_method=wish.capture_method,
        witness=wish.witness,
        jurisdiction=wish.jurisdiction,
        note=wish.note,
        expires_at=wish.expires_at,
    )
    return ConsentTrail(events=tuple(events))


@router.post("/consent/deny", summary="Record that the person said no", responses=documented(415, 507))
def deny_consent(
    caller: Caller, wish: Annotated[DenyBody, as_json(DenyBody), Body(openapi_examples=examples.DENY)]
) -> ConsentTrail:
    """Refusals are kept too."""
    return ConsentTrail(events=tuple(caller.memory().consent.deny(*wish.names, terms=wish.terms, note=wish.note)))


@router.post("/consent/revoke", summary="Record that the person took a consent back", responses=documented(415, 507))
def revoke_consent(
    caller: Caller, wish: Annotated[RevokeBody, as_json(RevokeBody), Body(openapi_examples=examples.REVOKE)]
) -> ConsentTrail:
    """It takes effect at once."""
    return ConsentTrail(events=tuple(caller.memory().consent.revoke(*wish.names, note=wish.note)))


@router.put("/opt-outs", summary="Replace what the person opted out of", responses=documented(415, 507))
def put_opt_outs(
    caller: Caller, wish: Annotated[OptOutBody, as_json(OptOutBody), Body(openapi_examples=examples.OPT_OUTS)]
) -> OptOuts:
    """An active opt-out closes every scope that names it."""
    return OptOuts(opt_outs=tuple(sorted(caller.memory().opt_out(*wish.names))))
