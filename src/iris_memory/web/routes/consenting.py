"""Consent: what each allows, what stops without it, when and how it was given; giving, taking back, opting out."""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple

from fastapi import APIRouter, Form, Path, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.contracts.consent import CaptureMethod, ConsentDue, ConsentEvent, ConsentStatus, OptOut, ScopeMode
from iris_memory.errors import UnknownMemoryError
from iris_memory.rules.consent import CONSENT_NAMES, last_answers
from iris_memory.web.consent_words import OPT_OUTS, ORDINARY, SENSITIVE, ConsentWords, consent_words
from iris_memory.web.rendering import render
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visits

router = APIRouter()

Name = Annotated[str, Path(max_length=64)]
HISTORY_SHOWN: Final = 100
WITNESS: Final = "memory pages"

_STATUS: Final = {
    ConsentStatus.GRANTED: "Given",
    ConsentStatus.DENIED: "Refused",
    ConsentStatus.REVOKED: "Taken back",
    ConsentStatus.EXPIRED: "Ended",
}
_CAPTURED: Final = {
    CaptureMethod.INLINE_PROMPT: "when you were asked",
    CaptureMethod.SETTINGS_TOGGLE: "on these pages",
    CaptureMethod.DSAR_IMPORT: "with an import",
    CaptureMethod.VOICE: "by voice",
    CaptureMethod.GUARDIAN: "by a guardian",
    CaptureMethod.API: "through the service",
}
_MODES: Final = {
    ScopeMode.DURABLE: "kept and used",
    ScopeMode.EPHEMERAL: "for the session alone",
    ScopeMode.SUPPRESSED: "closed",
}


class Row(NamedTuple):
    """One consent as the page shows it."""

    name: str
    words: ConsentWords
    last: ConsentEvent | None
    in_force: bool
    due: ConsentDue | None


@router.get("/consent")
def index(request: Request, visitor: Visits) -> Response:
    """Show every consent, what was opted out of, and the whole history."""
    memory = visitor.memory
    trail = memory.consent.trail()
    last, active = last_answers(trail), memory.consent.active()
    due = {one.name: one for one in memory.consent.due()}

    def rows(names: tuple[str, ...]) -> list[Row]:
        return [Row(name, consent_words(name), last.get(name), name in active, due.get(name)) for name in names]

    return render(
        request,
        "consent/index.html",
        visitor,
        ordinary=rows(ORDINARY),
        sensitive=rows(SENSITIVE),
        opt_outs=OPT_OUTS,
        opted=memory.opt_outs(),
        history=[(event, consent_words(event.type).title) for event in trail[::-1][:HISTORY_SHOWN]],
        events=len(trail),
        broken=memory.consent.check(),
        status_words=_STATUS,
        captured_words=_CAPTURED,
    )


@router.get("/consent/{name}/give")
def show_give(request: Request, visitor: Visits, name: Name) -> Response:
    """Show the exact text that is agreed to."""
    return render(request, "consent/give.html", visitor, name=name, words=_known(name), mistakes=[])


@router.post("/consent/{name}/give")
def give(visitor: Visits, name: Name, agree: Annotated[str, Form()] = "") -> Response:
    """Record that the person agreed to the text, or that they said no."""
    words = _known(name)
    if agree == "no":
        visitor.memory.consent.deny(
            name, terms=words.terms, capture_method=CaptureMethod.SETTINGS_TOGGLE, witness=WITNESS
        )
        return RedirectResponse("/consent?done=unchanged", SEE_OTHER)
    visitor.memory.consent.grant(name, terms=words.terms, capture_method=CaptureMethod.SETTINGS_TOGGLE, witness=WITNESS)
    return RedirectResponse("/consent?done=agreed", SEE_OTHER)


@router.get("/consent/{name}/withdraw")
def reach(request: Request, visitor: Visits, name: Name) -> Response:
    """Show what stops, with counts, before a consent is taken back."""
    words = _known(name)
    preview = visitor.memory.consent.preview_revoke(name)
    return render(
        request,
        "consent/withdraw.html",
        visitor,
        name=name,
        words=words,
        preview=preview,
        also=[consent_words(one).title for one in preview.names if one != name],
        modes=_MODES,
    )


@router.post("/consent/{name}/withdraw")
def withdraw(visitor: Visits, name: Name) -> Response:
    """Take a consent back: as easily as it was given, and at once."""
    words = _known(name)
    done = visitor.memory.consent.withdraw(
        name, terms=words.terms, capture_method=CaptureMethod.SETTINGS_TOGGLE, witness=WITNESS
    )
    address = f"/receipts/{done.receipt.receipt_id}" if done.receipt is not None else "/consent?done=withdrawn"
    return RedirectResponse(address, SEE_OTHER)


@router.post("/consent/opt-outs")
def opt_out(visitor: Visits, names: Annotated[list[str] | None, Form()] = None) -> Response:
    """Replace what the person opted out of."""
    visitor.memory.opt_out(*(OptOut(name) for name in names or () if name in set(OptOut)))
    return RedirectResponse("/consent?done=opted", SEE_OTHER)


def _known(name: str) -> ConsentWords:
    if name not in CONSENT_NAMES:
        raise UnknownMemoryError("there is no such consent")
    return consent_words(name)
