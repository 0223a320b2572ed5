"""Confirming: how a suite comes by a confirmed memory. There is one way, and it is the person's."""

from __future__ import annotations

from iris_memory.contracts.entry import Label, Origin
from iris_memory.contracts.inference import Inference, Observed
from iris_memory.contracts.write import Refused, Statement, WriteOutcome, Written
from iris_memory.errors import ContractError
from iris_memory.front.person import PersonMemory


def say(memory: PersonMemory, statement: Statement) -> WriteOutcome:
    """Write a statement; one that is to be confirmed is inferred, shown, and confirmed by its digest."""
    if statement.origin is not Origin.USER_CONFIRMED:
        return memory.remember(statement)
    inference = Inference(
        body=statement.body,
        category=statement.category,
        subject=statement.subject,
        scope=statement.scope,
        label=Label.ASSISTANT,
        session_id=statement.session_id or "asking",
    )
    noted = memory.inbox.observe(inference, ask=True)
    if not isinstance(noted, Observed) or noted.question_id is None:
        raise ContractError("an inference that is asked about is observed")
    question = memory.inbox.show(noted.question_id)
    answered = memory.inbox.answer(question.question_id, "yes", digest=question.digest)
    if isinstance(answered, Refused):
        return answered
    if answered.asked is not None:
        return answered.asked
    assert answered.entry is not None
    return Written(entry=answered.entry, replaced=answered.replaced, rule=answered.rule)
