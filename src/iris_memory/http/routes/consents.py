"""Consent: answers of the person, appended to their ledger."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body

from iris_memory.contracts.consent import RevocationPreview
from iris_memory.http import consent_bodies as bodies
from iris_memory.http import examples
from iris_memory.http.answers import ConsentState, ConsentTrail, OptOuts
from iris_memory.http.bodies import GrantBody, OptOutBody, as_json
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


@router.get("/consent/records", summary="Export the consent ledger as consent records", responses=documented())
def list_consent_records(caller: Caller) -> bodies.ConsentRecords:
    """One record per event, oldest first: ISO/IEC TS 27560 in JSON-LD with W3C DPV terms, every fact of the event."""
    return bodies.ConsentRecords(records=tuple(caller.memory().consent.records()))


@router.get("/consent/due", summary="List the consents to be asked for again", responses=documented())
def list_consents_due(caller: Caller) -> bodies.ConsentsDue:
    """Expired, given under terms that changed since, or given long ago; with the notices to ask with."""
    return bodies.ConsentsDue(due=tuple(caller.memory().consent.due()))


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
    caller: Caller,
    wish: Annotated[bodies.DenyBody, as_json(bodies.DenyBody), Body(openapi_examples=bodies.DENY)],
) -> ConsentTrail:
    """Refusals are kept too."""
    events = caller.memory().consent.deny(
        *wish.names,
        terms=wish.terms,
        terms_language=wish.terms_language,
        capture_method=wish.capture_method,
        witness=wish.witness,
        jurisdiction=wish.jurisdiction,
        note=wish.note,
    )
    return ConsentTrail(events=tuple(events))


@router.post("/consent/revoke", summary="Record that the person took a consent back", responses=documented(415, 507))
def revoke_consent(
    caller: Caller,
    wish: Annotated[bodies.RevokeBody, as_json(bodies.RevokeBody), Body(openapi_examples=bodies.REVOKE)],
) -> bodies.ConsentsWithdrawn:
    """It takes effect at once. A sensitive consent takes along the memory it was about, and the receipt says so."""
    done = caller.memory().consent.withdraw(
        *wish.names,
        terms=wish.terms,
        terms_language=wish.terms_language,
        capture_method=wish.capture_method,
        witness=wish.witness,
        jurisdiction=wish.jurisdiction,
        note=wish.note,
        scan=wish.scan,
    )
    return bodies.ConsentsWithdrawn(events=done.events, receipt=done.receipt)


@router.post("/consent/revoke/preview", summary="Count what a withdrawal would stop", responses=documented(415))
def preview_revoke(
    caller: Caller,
    wish: Annotated[
        bodies.PreviewRevokeBody, as_json(bodies.PreviewRevokeBody), Body(openapi_examples=bodies.PREVIEW_REVOKE)
    ],
) -> RevocationPreview:
    """What goes for good, what stays unread, and what becomes of each scope; nothing is changed."""
    return caller.memory().consent.preview_revoke(*wish.names)


@router.post("/session/end", summary="End a session", responses=documented(415))
def end_session(
    caller: Caller,
    wish: Annotated[bodies.EndSessionBody, as_json(bodies.EndSessionBody), Body(openapi_examples=bodies.END_SESSION)],
) -> bodies.SessionEnded:
    """What lives in the session and in no file is forgotten."""
    return bodies.SessionEnded(forgotten=caller.memory().end_session(wish.session_id))


@router.put("/opt-outs", summary="Replace what the person opted out of", responses=documented(415, 507))
def put_opt_outs(
    caller: Caller, wish: Annotated[OptOutBody, as_json(OptOutBody), Body(openapi_examples=examples.OPT_OUTS)]
) -> OptOuts:
    """An active opt-out closes every scope that names it."""
    return OptOuts(opt_outs=tuple(sorted(caller.memory().opt_out(*wish.names))))
