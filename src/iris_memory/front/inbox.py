"""A person's inbox: what was inferred, what is asked, and the answers that count."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import ValidationError

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Label, Origin, ProvenanceLink
from iris_memory.contracts.erasure import ForgetReceipt
from iris_memory.contracts.inference import (
    Answered,
    InboxQuestion,
    Inference,
    ObserveOutcome,
    PromoteOutcome,
)
from iris_memory.contracts.scope import AdapterScope, Scope
from iris_memory.contracts.shape import refuse_invalid
from iris_memory.contracts.write import ActorMention, Refused
from iris_memory.errors import ContractError
from iris_memory.flows import confirm, inbox, observe, promote, rollback
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.rollback import RolledBack
from iris_memory.front.given import identifier, instant, known_id, member


class Inbox:
    """Observations, questions and answers of one person; use `Iris.for_user(...).inbox`."""

    def __init__(self, instruments: Instruments, caller: Caller, *, session: str | None = None) -> None:
        """Bind a caller."""
        self._instruments = instruments
        self._caller = caller
        self._session = session

    def observe(
        self,
        body: str | Inference,
        *,
        label: Label | str = Label.ASSISTANT,
        session: str | None = None,
        category: Category | str = Category.FACT,
        subject: str | None = None,
        scope: Scope | None = None,
        adapter_scope: AdapterScope | str | None = None,
        origin: Origin | str = Origin.MODEL_INFERRED,
        provenance: Sequence[ProvenanceLink] = (),
        actor: ActorMention | None = None,
        ask: bool = False,
    ) -> ObserveOutcome:
        """Note something that was inferred. It is no memory until three sessions of user-typed text say it.

        Args:
            body: the words, or a whole `Inference`.
            label: who wrote the text it was inferred from; only `user-typed` counts.
            session: the session of that text.
            category: what it is about; a sensitive one is only ever asked about.
            subject: the slot it fills.
            scope: where it would live; by default the profile.
            adapter_scope: the policy layer over the scope.
            origin: `model-inferred` or `summarized-from-session`.
            provenance: the sources, where there are more than the session.
            actor: somebody else it is about.
            ask: ask the person in the inbox; the words wait in the memory of this process.

        Raises:
            ContractError: a value breaks the contract.
        """
        if isinstance(body, Inference):
            return observe.observe(self._instruments, self._caller, body, ask=ask)
        bound = identifier(session, what="session") if session is not None else self._session
        if bound is None:
            raise ContractError("session: an inference names the session of the text it was made from")
        try:
            inference = Inference(
                body=body,
                category=member(Category, category),
                subject=subject,
                scope=scope,
                adapter_scope=member(AdapterScope, adapter_scope) if adapter_scope is not None else None,
                origin=member(Origin, origin),  # type: ignore[arg-type]  # the contract takes two of them
                label=member(Label, label),
                session_id=bound,
                provenance=tuple(provenance),
                actor=actor,
            )
        except ValidationError as problem:
            refuse_invalid(problem, what="inference")
        return observe.observe(self._instruments, self._caller, inference, ask=ask)

    def questions(self) -> Sequence[InboxQuestion]:
        """Return every question that waits, oldest first."""
        return inbox.inbox(self._instruments, self._caller)

    def show(self, question_id: str) -> InboxQuestion:
        """Return one question as it is shown.

        Raises:
            UnknownMemoryError: there is no such question.
        """
        return inbox.shown(self._instruments, self._caller, known_id(question_id))

    def ask(self, logical_id: str) -> InboxQuestion | Refused:
        """Ask about a memory that was inferred, imported or quarantined; return the question as it is shown.

        Raises:
            UnknownMemoryError: the person has no such memory.
        """
        asked = confirm.ask_about(self._instruments, self._caller, known_id(logical_id))
        return asked if isinstance(asked, Refused) else self.show(asked.question_id)

    def hold(self, question_id: str, *, digest: str) -> InboxQuestion:
        """Keep the words of a question on disk for at most 7 days: the person agreed to that.

        Raises:
            UnknownMemoryError: no such question waits in this process.
            ContractError: the digest is not that of the words that were shown.
        """
        confirm.hold(self._instruments, self._caller, known_id(question_id), digest=digest)
        return self.show(question_id)

    def answer(
        self,
        question_id: str,
        decision: str,
        *,
        digest: str,
        after_untrusted: bool = False,
        terms: str | None = None,
    ) -> Answered | Refused:
        """Decide a question, by one of the choices it offers.

        Args:
            question_id: which question.
            decision: a choice, exactly as it was offered; anything else is no answer.
            digest: that of the question as it was shown. It is used up by the answer.
            after_untrusted: the turn of the answer, or the one before it, read untrusted content. Then it is no answer.
            terms: the exact text a question of consent was asked with.

        Raises:
            UnknownMemoryError: there is no such question, or its time is over.
            ContractError: the digest is another one, or the decision is none that was offered.
        """
        return inbox.answer_question(
            self._instruments,
            self._caller,
            known_id(question_id),
            decision,
            digest=digest,
            session_id=self._session,
            after_untrusted=after_untrusted,
            terms=terms,
        )

    def promote(self, logical_id: str, *, explicit: bool, requested: bool = True) -> PromoteOutcome:
        """Make a memory of a session one of the profile: where the person asks (`explicit`), or where it recurs.

        Raises:
            UnknownMemoryError: the person has no such memory.
        """
        return promote.promote(
            self._instruments,
            self._caller,
            known_id(logical_id),
            explicit=explicit,
            requested=requested,
            session_id=self._session,
        )

    def forget_source(self, ref: str, *, scan: bool = False) -> ForgetReceipt:
        """Forget everything that came from one source, named as in the provenance."""
        return rollback.forget_source(self._instruments, self._caller, ref, scan=scan)

    def roll_back(self, to: datetime, *, scan: bool = False) -> RolledBack:
        """Go back to an instant: what was written since goes for good, what was changed says again what it said."""
        return rollback.roll_back(self._instruments, self._caller, instant(to, what="to"), scan=scan)
