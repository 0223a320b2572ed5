"""One person's memory, bound once: nothing that is asked through it can reach anybody else's."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from iris_memory.contracts.category import Category, Context, Surface
from iris_memory.contracts.consent import ConsentEvent, OptOut, ScopePolicy
from iris_memory.contracts.entry import Label, MemoryEntry, Origin, UsageRecord
from iris_memory.contracts.erasure import ForgetPreview, ForgetReceipt, ForgetTarget
from iris_memory.contracts.inspection import AccessLogEntry, UserNotice
from iris_memory.contracts.recall import Explanation, RecallResult
from iris_memory.contracts.retaining import Expansion, Review, ReviewDecision
from iris_memory.contracts.scope import AdapterScope, Scope
from iris_memory.contracts.shape import refuse_invalid
from iris_memory.contracts.write import (
    ActorMention,
    Answer,
    AskUser,
    Question,
    Refused,
    Statement,
    WriteOutcome,
    Written,
)
from iris_memory.errors import ContractError
from iris_memory.flows import answer, consent, forget_ephemeral, import_, pause, reading, recall, remember, revise
from iris_memory.flows.import_ import ImportReport, ImportWish
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.people import Pause
from iris_memory.flows.reading import Filter, Listing, Order
from iris_memory.flows.recall import Wish
from iris_memory.flows.user_notices import access_log, delivered_notices
from iris_memory.formats import Format
from iris_memory.front.asking import Ask, wish_of
from iris_memory.front.consents import Consents
from iris_memory.front.devices import Continuation, Devices
from iris_memory.front.exports import Exports
from iris_memory.front.given import identifier, known_id, member, revision_of
from iris_memory.front.guarding import Guarding
from iris_memory.front.inbox import Inbox
from iris_memory.front.others import CategoryQuestions, Others
from iris_memory.front.overview import Overview
from iris_memory.front.retaining import Retention
from iris_memory.front.rights import Rights
from iris_memory.front.scope_change import move


class PersonMemory:
    """What one person's assistant remembers. Cheap to make; safe for many threads."""

    def __init__(self, instruments: Instruments, caller: Caller, *, session: str | None = None) -> None:
        """Bind a caller; use `Iris.for_user`."""
        self._instruments = instruments
        self._caller = caller
        self._session = session
        self.consent = Consents(instruments, caller)
        self.retention = Retention(instruments, caller)
        self.inbox = Inbox(instruments, caller, session=session)
        self.guarding = Guarding(instruments, caller)
        self.others = Others(instruments, caller)
        self.rights = Rights(instruments, caller)
        self.exports = Exports(instruments, caller)
        self.devices = Devices(instruments, caller)
        self.continuation = Continuation(instruments, caller)
        self.doubts = CategoryQuestions(instruments, caller)
        self.overview = Overview(instruments, caller)

    def remember(
        self,
        body: str | Statement,
        *,
        category: Category | str = Category.FACT,
        subject: str | None = None,
        scope: Scope | None = None,
        adapter_scope: AdapterScope | str | None = None,
        origin: Origin | str = Origin.USER_STATED,
        label: Label | str = Label.USER_TYPED,
        actor: ActorMention | None = None,
        session: str | None = None,
        expires_at: datetime | None = None,
        again: bool = False,
        as_said: str | None = None,
        idempotency_key: str | None = None,
    ) -> WriteOutcome:
        """Remember something: `Written` (on the disk), a question (`AskUser`, `AskCategory`), or `Refused`.

        Args:
            body: the words, 1 to 4,000 code points, or a whole `Statement`.
            category: what it is about; a sensitive one needs its own consent.
            subject: the slot it fills, such as `seat preference`; a new value for the same slot is a conflict.
            scope: where it lives; by default the person's profile.
            adapter_scope: the policy layer over the scope; by default after its kind.
            origin: how it came to be.
            label: who wrote the bytes.
            actor: somebody else it is about; the name is not kept.
            session: the session it was said in; a paused one is refused.
            expires_at: when it ends, if earlier than its scope's envelope.
            again: remember it although it was forgotten before.
            as_said: the digest of a category question: the person keeps the category, whatever the words look like.
            idempotency_key: the same key and body get the same answer again.

        Raises:
            ContractError: a value breaks the contract; the message names the field, never the value.
            IdempotencyConflictError: the key was used before with another body.
        """
        bound = self._session_of(session)
        if isinstance(body, Statement):
            statement = self._in_session(body, bound)
        else:
            try:
                statement = Statement(
                    body=body,
                    category=member(Category, category),
                    subject=subject,
                    scope=scope,
                    adapter_scope=member(AdapterScope, adapter_scope) if adapter_scope is not None else None,
                    origin=member(Origin, origin),
                    label=member(Label, label),
                    actor=actor,
                    session_id=bound,
                    expires_at=expires_at,
                    again=again,
                    as_said=as_said,
                )
            except ValidationError as problem:
                refuse_invalid(problem, what="statement")
        return remember.remember(self._instruments, self._caller, statement, idempotency_key=idempotency_key)

    def remember_many(
        self, statements: Sequence[Statement], *, idempotency_key: str | None = None
    ) -> list[WriteOutcome]:
        """Remember up to 1,000 statements in one transaction; each has an outcome of its own."""
        bound = [self._in_session(statement, self._session) for statement in statements]
        return remember.remember_many(self._instruments, self._caller, bound, idempotency_key=idempotency_key)

    def recall(
        self,
        text: str = "",
        *,
        contexts: Collection[Context | str] = (Context.GENERAL,),
        scope: Scope | None = None,
        adapter_scope: AdapterScope | str | None = None,
        surface: Surface | str = Surface.ASSISTANT,
        session: str | None = None,
        crisis_frame: bool = False,
        safety_critical_context: bool = False,
        limit: int | None = None,
    ) -> RecallResult:
        """Recall what is relevant to a text and allowed in its contexts, with reasons and an account of the rest.

        Raises:
            ContractError: a value breaks the contract.
            StoreBusyError: another process holds the store for too long; retry.
        """
        return recall.recall(
            self._instruments,
            self._caller,
            wish_of(
                text,
                contexts=contexts,
                scope=scope,
                adapter_scope=adapter_scope,
                surface=surface,
                session=self._session_of(session),
                crisis_frame=crisis_frame,
                safety_critical_context=safety_critical_context,
                limit=limit,
            ),
        )

    def asking(self, wish: Wish) -> Ask:
        """Return a recall that is not answered yet, for `recall_all`."""
        session = self._session_of(wish.session_id)
        return Ask(self._instruments, self._caller, replace(wish, session_id=session))

    def explain(
        self,
        logical_id: str,
        text: str = "",
        *,
        contexts: Collection[Context | str] = (Context.GENERAL,),
        scope: Scope | None = None,
        adapter_scope: AdapterScope | str | None = None,
        surface: Surface | str = Surface.ASSISTANT,
        session: str | None = None,
        crisis_frame: bool = False,
        safety_critical_context: bool = False,
        limit: int | None = None,
    ) -> Explanation:
        """Tell why one memory would or would not surface for a request: every gate's verdict and the score.

        Raises:
            UnknownMemoryError: there is no such memory of this person.
        """
        wish = wish_of(
            text,
            contexts=contexts,
            scope=scope,
            adapter_scope=adapter_scope,
            surface=surface,
            session=self._session_of(session),
            crisis_frame=crisis_frame,
            safety_critical_context=safety_critical_context,
            limit=limit,
        )
        found = recall.explain(self._instruments, self._caller, known_id(logical_id), wish)
        if found is None:
            raise reading.unknown()
        return found

    def list(
        self,
        *,
        category: Category | str | None = None,
        adapter_scope: AdapterScope | str | None = None,
        origin: Origin | str | None = None,
        words: str = "",
        order: Order | str = Order.CHANGED,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Listing:
        """List what is remembered, by default the newest change first; drafts and quarantined memories included."""
        wanted = Filter(
            category=member(Category, category) if category is not None else None,
            adapter_scope=member(AdapterScope, adapter_scope) if adapter_scope is not None else None,
            origin=member(Origin, origin) if origin is not None else None,
            words=words,
            order=member(Order, order),
        )
        return reading.list_memories(self._instruments, self._caller, wanted, limit=limit, cursor=cursor)

    def show(self, logical_id: str) -> tuple[MemoryEntry, UsageRecord]:
        """Return one memory, and when and why it was used."""
        return reading.show(self._instruments, self._caller, known_id(logical_id))

    def history(self, logical_id: str) -> Sequence[MemoryEntry]:
        """Return every revision of one memory, oldest first."""
        return reading.history(self._instruments, self._caller, known_id(logical_id))

    def revise(
        self,
        logical_id: str,
        body: str | None = None,
        *,
        category: Category | str | None = None,
        subject: str | None = None,
        expires_at: datetime | None = None,
        expected: str | None = None,
        again: bool = False,
    ) -> Written | AskUser | Refused:
        """Correct a memory: the next revision, in the person's own words.

        Args:
            logical_id: which memory.
            body: the new words; left out, they stay.
            category: the new category; left out, it stays.
            subject: the new slot; left out, it stays.
            expires_at: when it ends; left out, it stays.
            expected: the id of the revision that was seen; refused as stale when another one is in force.
            again: use words that were forgotten before.
        """
        return revise.revise(
            self._instruments,
            self._caller,
            known_id(logical_id),
            revision_of(body, category=category, subject=subject, expires_at=expires_at),
            expected=expected,
            session_id=self._session,
            again=again,
        )

    def preview_revise(
        self,
        logical_id: str,
        body: str | None = None,
        *,
        category: Category | str | None = None,
        subject: str | None = None,
        expires_at: datetime | None = None,
        expected: str | None = None,
        again: bool = False,
    ) -> Written | AskUser | Refused:
        """Say what `revise` would; nothing is written or told, and the ids in the answer are not kept."""
        return revise.preview(
            self._instruments,
            self._caller,
            known_id(logical_id),
            revision_of(body, category=category, subject=subject, expires_at=expires_at),
            expected=expected,
            session_id=self._session,
            again=again,
        )

    def change_scope(
        self,
        logical_id: str,
        to: Scope,
        *,
        adapter_scope: AdapterScope | str | None = None,
        read_only_copy: bool = False,
        expected: str | None = None,
    ) -> Written | AskUser | Refused:
        """Move a memory from its session to the profile or a notebook, or from the profile to a notebook.

        With `read_only_copy` a tenant's memory is shown in the profile; the copy changes and ends with its source.
        """
        return move(
            self._instruments,
            self._caller,
            logical_id,
            to,
            adapter_scope=adapter_scope,
            read_only_copy=read_only_copy,
            expected=expected,
            session=self._session,
        )

    def preview_forget(
        self, logical_id: str | None = None, *, category: Category | str | None = None, everything: bool = False
    ) -> ForgetPreview:
        """Count what a forget would reach; change nothing."""
        return forget_ephemeral.preview(self._instruments, self._caller, _target(logical_id, category, everything))

    def forget(
        self,
        logical_id: str | None = None,
        *,
        category: Category | str | None = None,
        everything: bool = False,
        scan: bool = True,
    ) -> ForgetReceipt:
        """Forget one memory, a category, or everything, for good; return the signed receipt.

        With `scan`, every file is searched afterwards for what should be gone, and the receipt says what was found.
        """
        target = _target(logical_id, category, everything)
        return forget_ephemeral.forget(self._instruments, self._caller, target, scan=scan)

    def erase(self, *, scan: bool = True) -> ForgetReceipt | None:
        """Erase the person whole: every row, every key, the link to the user. None where nothing is known of them."""
        return forget_ephemeral.erase(self._instruments, self._caller, scan=scan)

    def end_session(self, session: str | None = None) -> int:
        """End a session: forget what lives in it and in no file; return how many memories went."""
        bound = self._session_of(session)
        return forget_ephemeral.end(self._instruments, self._caller, bound) if bound is not None else 0

    def pause(self, session: str | None = None) -> Pause:
        """Go off the record: in the session, or everywhere without one. Nothing is written, recall answers nothing."""
        return pause.pause(self._instruments, self._caller, session_id=self._session_of(session))

    def resume(self, session: str | None = None) -> bool:
        """Go back on the record; say whether it was paused."""
        return pause.resume(self._instruments, self._caller, session_id=self._session_of(session))

    def pauses(self) -> Sequence[Pause]:
        """Return what is off the record."""
        return pause.pauses(self._instruments, self._caller)

    def questions(self) -> Sequence[Question]:
        """Return the questions that wait for the person."""
        return reading.questions(self._instruments, self._caller)

    def answer(self, question_id: str, decision: Answer | str, *, digest: str) -> MemoryEntry | Refused:
        """Decide a question: `keep`, `replace` or `both`. `digest` is that of the question as it was shown.

        The answer is refused, and the question waits on, where the new words may not be stored any more.
        """
        return answer.answer(
            self._instruments,
            self._caller,
            known_id(question_id),
            member(Answer, decision),
            digest=digest,
            session_id=self._session,
        )

    def reviews(self) -> Sequence[Review]:
        """Return the memories whose envelope ended in `review` and that wait for a decision."""
        return self.retention.reviews()

    def decide_review(
        self, logical_id: str, decision: ReviewDecision | str, *, expected: str | None = None
    ) -> Written | ForgetReceipt | Refused:
        """Decide a memory in review: `extend` or `end` (see `Retention.decide`)."""
        return self.retention.decide(logical_id, decision, expected=expected)

    def looked(self) -> Sequence[AccessLogEntry]:
        """Return every time an operator looked at this memory, newest first: in which role, why, when, at what."""
        return access_log(self._instruments, self._caller)

    def notices(self) -> Sequence[UserNotice]:
        """Return the notices of looks at sensitive memory that reached this person, newest first."""
        return delivered_notices(self._instruments, self._caller)

    def expand(self, logical_id: str) -> Expansion:
        """Return a memory with everything it was made from, as far as it is still there."""
        return self.retention.expand(logical_id)

    def opt_out(self, *names: OptOut | str) -> frozenset[OptOut]:
        """Replace what the person opted out of; with no name, out of nothing."""
        try:
            wanted = [OptOut(name) for name in names]
        except ValueError:
            raise ContractError(f"an opt-out is one of {', '.join(OptOut)}") from None
        return consent.set_opt_outs(self._instruments, self._caller, wanted)

    def opt_outs(self) -> frozenset[OptOut]:
        """Return what the person opted out of."""
        return consent.opt_outs(self._instruments, self._caller)

    def scope_policies(self) -> Mapping[AdapterScope, ScopePolicy]:
        """Return what the person's consents and opt-outs make of each scope."""
        return consent.scope_policies(self._instruments, self._caller)

    def consent_trail(self) -> Sequence[ConsentEvent]:
        """Return the person's consent ledger, oldest first."""
        return consent.consent_trail(self._instruments, self._caller)

    def import_file(
        self,
        path: str | Path,
        *,
        format: Format | str,
        wish: ImportWish | None = None,
    ) -> ImportReport:
        """Take in an export of another product (see `iris import`)."""
        return import_.import_file(
            self._instruments,
            self._caller,
            Path(path),
            member(Format, format),
            wish or ImportWish(),
            session_id=self._session,
        )

    def held(self) -> Sequence[import_.Held]:
        """Return the imported rows that wait for the person."""
        return import_.held(self._instruments, self._caller)

    def _session_of(self, session: str | None) -> str | None:
        return identifier(session, what="session") if session is not None else self._session

    def _in_session(self, statement: Statement, session: str | None) -> Statement:
        if statement.session_id is not None or session is None:
            return statement
        return statement.model_copy(update={"session_id": session})


def _target(logical_id: str | None, category: Category | str | None, everything: bool) -> ForgetTarget:
    return ForgetTarget(
        logical_id=known_id(logical_id) if logical_id is not None else None,
        category=member(Category, category) if category is not None else None,
        everything=everything,
    )
