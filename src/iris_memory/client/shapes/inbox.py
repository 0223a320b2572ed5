"""Generated from the OpenAPI document by `iris client generate`; do not edit. Shapes."""

from __future__ import annotations

from iris_memory.client.shape import Shape
from iris_memory.client.shapes.several_tags import (
    OwnCrisis,
    OwnNotebook,
    OwnOperatorCopilot,
    OwnPose,
    OwnProfile,
    OwnScene,
    OwnSession,
    OwnTenant,
)
from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Label, Origin, ProvenanceLink
from iris_memory.contracts.inference import InboxQuestion
from iris_memory.contracts.scope import AdapterScope
from iris_memory.contracts.write import ActorMention


class AskBody(Shape):
    """The session the question is put in, where there is one."""

    session_id: str | None = None


class InboxAnswerBody(Shape):
    """An answer: one of the choices offered, and the digest of the question as it was shown."""

    decision: str
    digest: str
    after_untrusted: bool
    terms: str | None = None
    session_id: str | None = None


class InboxPage(Shape):
    """Every question that waits, oldest first."""

    questions: tuple[InboxQuestion, ...]


class InferenceBody(Shape):
    """Something that was inferred; `label` says who wrote the text it was inferred from."""

    body: str
    category: Category | None = None
    subject: str | None = None
    scope: (
        OwnProfile | OwnSession | OwnNotebook | OwnOperatorCopilot | OwnTenant | OwnScene | OwnPose | OwnCrisis | None
    ) = None
    adapter_scope: AdapterScope | None = None
    origin: Origin | None = None
    label: Label
    session_id: str
    provenance: tuple[ProvenanceLink, ...] | None = None
    actor: ActorMention | None = None
    ask: bool | None = None


class PromoteBody(Shape):
    """`explicit`: the person asked for it."""

    explicit: bool
    session_id: str | None = None
