"""Inference: what counts towards a memory, when there is enough of it, and how trusted what comes of it is.

Laws:
* only user-typed text counts, each session once (POI-2);
* what is sensitive, looks sensitive, reads like an order or would set a category its label may not set never becomes
  memory by counting: it waits for the person's word;
* a machine wrote the words of an inference: its label is the lowest of `assistant` and of everything it was made from.
  The person's confirmation of the exact words makes them the person's own, and nothing else raises a label (POI-1).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from iris_memory.contracts.entry import Label, Origin
from iris_memory.contracts.inference import Inference, Observation, ObservationRef, WhyNotCounted
from iris_memory.rules import integrity
from iris_memory.rules.screening import screen
from iris_memory.tables.categories import is_sensitive
from iris_memory.tables.labels import lowest
from iris_memory.tables.limits import OBSERVATION_REFS_MOST, PROMOTION_THRESHOLD


def source_label(inference: Inference) -> Label:
    """Return the least trusted of what an inference was made from."""
    return integrity.label_of_sources(inference.label, inference.provenance)


def entry_label(inference: Inference) -> Label:
    """Return the label of the memory an inference becomes by counting."""
    return lowest(Label.ASSISTANT, source_label(inference))


def needs_the_person(inference: Inference) -> WhyNotCounted | None:
    """Return why an inference never becomes memory by counting; None where it may."""
    if is_sensitive(inference.category) or (inference.actor is not None and inference.actor.sensitive_interaction):
        return WhyNotCounted.SENSITIVE
    looks = screen(inference.body if inference.subject is None else f"{inference.subject}. {inference.body}")
    if looks.instruction_like:
        return WhyNotCounted.INSTRUCTION_LIKE
    if looks.sensitive:
        return WhyNotCounted.SENSITIVE_LOOKING
    if integrity.above_ceiling(entry_label(inference), Origin(inference.origin), inference.category) is not None:
        return WhyNotCounted.ABOVE_CEILING
    return None


def sessions_that_count(refs: Iterable[ObservationRef]) -> int:
    """Return how many distinct sessions of user-typed text there are."""
    return len({ref.session for ref in refs if ref.label is Label.USER_TYPED})


def is_enough(observation: Observation) -> bool:
    """Say whether an inference was made often enough to become memory."""
    return sessions_that_count(observation.refs) >= PROMOTION_THRESHOLD


def with_session(observation: Observation | None, *, session: str, at: datetime, label: Label) -> Observation:
    """Return an observation after one more time. A session and label stand once, with the latest instant.

    User-typed sessions stay longest where there are more than are kept.
    """
    known = observation.refs if observation is not None else ()
    kept = [ref for ref in known if (ref.session, ref.label) != (session, label)]
    kept.append(ObservationRef(session=session, at=at, label=label))
    kept.sort(key=lambda ref: (ref.label is Label.USER_TYPED, ref.at), reverse=True)
    return Observation(refs=tuple(kept[:OBSERVATION_REFS_MOST]))
