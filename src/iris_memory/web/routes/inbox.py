"""Questions: one a screen, what stands and what would stand, what each answer does. Skipping is an answer."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Form, Path, Request
from starlette.responses import RedirectResponse, Response

from iris_memory.contracts.category import Category
from iris_memory.contracts.inference import InboxKind, InboxQuestion
from iris_memory.contracts.retaining import Review, ReviewDecision
from iris_memory.contracts.write import Refused
from iris_memory.errors import ContractError, UnknownMemoryError
from iris_memory.rules.consent import compute_terms_hash
from iris_memory.web.consent_words import consent_words
from iris_memory.web.rendering import render
from iris_memory.web.routes.memory import LogicalId
from iris_memory.web.routes.signing_in import SEE_OTHER
from iris_memory.web.visitor import Visitor, Visits
from iris_memory.web.wording import CATEGORIES, REFUSALS

router = APIRouter()

QuestionId = Annotated[str, Path(min_length=1, max_length=200)]

_WORDS: Final = {
    "keep": "Keep what was there",
    "replace": "Replace it with the new words",
    "both": "Keep both",
    "yes": "Yes, remember these words",
    "no": "No, do not remember them",
    "skip": "Skip for now",
    "hold": "Keep the question, answer later",
    "keep-as-said": "Keep it as I filed it",
    "drop": "Remember nothing",
}
_CONSENT_WORDS: Final = {"yes": "Yes, I still agree", "no": "No, it ends now"}
_KINDS: Final = {
    InboxKind.INFERENCE: "Something was inferred about you",
    InboxKind.CONFLICT: "Two things you said do not fit together",
    InboxKind.RE_CONSENT: "A consent is to be asked for again",
    InboxKind.CATEGORY: "What you said looks sensitive",
}
_RULES: Final = {
    "most-recent-wins": "You said both, so only you can say which holds.",
    "sensitive": "It is about something sensitive, so it is never remembered without your word.",
    "sensitive-looking": "Its words look sensitive, so they are not remembered without your word.",
    "instruction-like": "Its words read like an instruction, so they are not remembered without your word.",
    "not-user-typed": "You did not type these words yourself.",
    "above-ceiling": "Where it came from may not decide this.",
    "inferred": "It was inferred from what you typed.",
    "imported": "It came with an import.",
    "looks-sensitive": "The words look sensitive and were filed as something harmless.",
    "expired": "The time it was given for is over.",
    "re-ask": "You gave it long ago.",
    "terms-changed": "Its text has changed since.",
    "language-changed": "Its text is shown in another language now.",
}


@router.get("/questions")
def index(request: Request, visitor: Visits) -> Response:
    """Show what waits for an answer, oldest first."""
    return render(
        request,
        "questions/index.html",
        visitor,
        questions=visitor.memory.inbox.questions(),
        reviews=visitor.memory.reviews(),
        kinds=_KINDS,
    )


@router.get("/questions/review/{logical_id}")
def show_review(request: Request, visitor: Visits, logical_id: LogicalId) -> Response:
    """Show a memory whose time is over and that waits for a decision."""
    return _review_page(request, visitor, _review(visitor, logical_id))


@router.post("/questions/review/{logical_id}")
def review(
    request: Request,
    visitor: Visits,
    logical_id: LogicalId,
    seen: Annotated[str, Form()],
    decision: Annotated[str, Form()] = "",
) -> Response:
    """Keep it one more time, or let it end."""
    waiting = _review(visitor, logical_id)
    if decision not in set(ReviewDecision):
        return _review_page(request, visitor, waiting, [("decision", "Choose what is to become of it.")], status=422)
    if decision == ReviewDecision.END:
        visitor.require_fresh(f"/questions/review/{logical_id}")
    done = visitor.memory.decide_review(logical_id, decision, expected=seen)
    if isinstance(done, Refused):
        wrong = [("decision", REFUSALS.get(done.reason, "It cannot be kept any longer."))]
        return _review_page(request, visitor, waiting, wrong, status=422)
    address = "/questions?done=kept-on" if decision == ReviewDecision.EXTEND else f"/receipts/{done.receipt_id}"  # type: ignore[union-attr]
    return RedirectResponse(address, SEE_OTHER)


@router.get("/questions/{question_id}")
def show(request: Request, visitor: Visits, question_id: QuestionId) -> Response:
    """Show one question."""
    return _page(request, visitor, visitor.memory.inbox.show(question_id))


@router.post("/questions/{question_id}")
def answer(
    request: Request,
    visitor: Visits,
    question_id: QuestionId,
    digest: Annotated[str, Form(max_length=64)],
    decision: Annotated[str, Form(max_length=40)] = "",
) -> Response:
    """Take an answer to exactly what was shown."""
    inbox = visitor.memory.inbox
    question = inbox.show(question_id)
    if decision not in {choice.decision for choice in question.choices}:
        return _page(request, visitor, question, [("decision", "Choose an answer. Skipping is one too.")], status=422)
    if digest != question.digest:
        words = "What is asked has changed since you opened it. Read it again, then answer."
        return _page(request, visitor, question, [("decision", words)], status=409)
    try:
        done = inbox.answer(question_id, decision, digest=digest, terms=_terms(question) or None)
    except ContractError:
        words = "The text of this consent is not one these pages know. Answer where your service shows it."
        return _page(request, visitor, question, [("decision", words)], status=422)
    if isinstance(done, Refused):
        words = REFUSALS.get(done.reason, "That answer was not taken, by a rule of what may be remembered.")
        return _page(request, visitor, question, [("decision", words)], needs=done.needs, status=422)
    if done.asked is not None:
        return RedirectResponse(f"/questions/{done.asked.question_id}", SEE_OTHER)
    code = {"skip": "skipped", "hold": "held"}.get(decision, "answered")
    return RedirectResponse(f"/questions?done={code}", SEE_OTHER)


def _terms(question: InboxQuestion) -> str:
    """Return the text to agree to anew, where it is one that may be asked with."""
    if question.kind is not InboxKind.RE_CONSENT or question.was is None:
        return ""
    terms = consent_words(question.was.partition(": ")[0]).terms
    return terms if not question.needs or compute_terms_hash(terms) in question.needs else ""


def _page(
    request: Request,
    visitor: Visitor,
    question: InboxQuestion,
    mistakes: list[tuple[str, str]] | None = None,
    *,
    needs: tuple[str, ...] = (),
    status: int = 200,
) -> Response:
    is_consent = question.kind is InboxKind.RE_CONSENT
    choices = [
        (choice.decision, _choice_word(choice.decision, choice.effect, is_consent=is_consent), choice.effect)
        for choice in question.choices
    ]
    missing = tuple(needs) or (question.needs if question.kind is InboxKind.CATEGORY else ())
    return render(
        request,
        "questions/one.html",
        visitor,
        status=status,
        question=question,
        kind=_KINDS[question.kind],
        rule=_RULES.get(question.rule, ""),
        choices=choices,
        terms=_terms(question),
        consent_title=consent_words(question.was.partition(": ")[0]).title if is_consent and question.was else "",
        needs=[(name, consent_words(name).title) for name in missing if _is_consent(name)],
        mistakes=mistakes or [],
    )


def _choice_word(decision: str, effect: str, *, is_consent: bool) -> str:
    if decision == "file-there":
        named = next((one for one in Category if f"as {one.value}," in effect), None)
        return f"File it as {CATEGORIES[named]}" if named else "File it there"
    return (_CONSENT_WORDS if is_consent else {}).get(decision) or _WORDS.get(decision, decision)


def _is_consent(name: str) -> bool:
    try:
        consent_words(name)
    except ValueError:
        return False
    return True


def _review(visitor: Visitor, logical_id: str) -> Review:
    found = next((one for one in visitor.memory.reviews() if one.entry.logical_id == logical_id), None)
    if found is None:
        raise UnknownMemoryError("no such memory waits for a decision")
    return found


def _review_page(
    request: Request,
    visitor: Visitor,
    review: Review,
    mistakes: list[tuple[str, str]] | None = None,
    *,
    status: int = 200,
) -> Response:
    return render(request, "questions/review.html", visitor, status=status, review=review, mistakes=mistakes or [])
