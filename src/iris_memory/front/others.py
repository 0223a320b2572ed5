"""Other people in a person's memory: who was mentioned, and forgetting all mentions of somebody."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError

from iris_memory.contracts.category import Category
from iris_memory.contracts.erasure import ForgetPreview, ForgetReceipt, ForgetTarget
from iris_memory.contracts.inference import InboxQuestion
from iris_memory.contracts.others import MentionedPerson
from iris_memory.contracts.shape import refuse_invalid
from iris_memory.contracts.write import AskUser, Refused, Written
from iris_memory.flows import forget_ephemeral, mentions, sensitive_question
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.sensitive_question import CategoryDecision
from iris_memory.front.given import known_id, member


class Others:
    """Other people in one person's memory. Use `Iris.for_user(...).others`."""

    def __init__(self, instruments: Instruments, caller: Caller) -> None:
        """Bind a caller."""
        self._instruments = instruments
        self._caller = caller

    def mentions(self) -> Sequence[MentionedPerson]:
        """Return everybody the person mentioned: an opaque handle, relationship notes, counts. No fact, no name."""
        return mentions.mentions(self._instruments, self._caller)

    def preview_forget(self, mention: str) -> ForgetPreview:
        """Count what forgetting all mentions of somebody would reach; change nothing.

        Args:
            mention: the name as it was said (in any case, with or without accents), or the handle.

        Raises:
            UnknownMemoryError: nobody of this name or handle is mentioned.
        """
        return forget_ephemeral.preview(self._instruments, self._caller, _target(mention))

    def forget_mentions(self, mention: str, *, scan: bool = True) -> ForgetReceipt:
        """Forget every memory tagged with somebody, in all revisions, and take the handle out of the namespace.

        Raises:
            UnknownMemoryError: nobody of this name or handle is mentioned.
        """
        return forget_ephemeral.forget(self._instruments, self._caller, _target(mention), scan=scan)


class CategoryQuestions:
    """Statements that look sensitive and wait for the person's word in this process. See `PersonMemory.doubts`."""

    def __init__(self, instruments: Instruments, caller: Caller) -> None:
        """Bind a caller."""
        self._instruments = instruments
        self._caller = caller

    def waiting(self) -> Sequence[InboxQuestion]:
        """Return the questions that wait, oldest first."""
        return sensitive_question.pending(self._instruments, self._caller)

    def answer(
        self, question_id: str, decision: CategoryDecision | str, *, digest: str, category: Category | str | None = None
    ) -> Written | AskUser | Refused | None:
        """Decide a question: `file-there`, `keep-as-said` or `drop` (None).

        Args:
            question_id: which question.
            decision: what the person says.
            digest: that of the question as it was shown.
            category: where to file, one of those the words look like; by default the first.
        """
        return sensitive_question.answer(
            self._instruments,
            self._caller,
            known_id(question_id),
            member(CategoryDecision, decision),
            digest=digest,
            category=member(Category, category) if category is not None else None,
        )


def _target(mention: str) -> ForgetTarget:
    try:
        return ForgetTarget(mention=mention)
    except ValidationError as problem:
        refuse_invalid(problem, what="mention")
