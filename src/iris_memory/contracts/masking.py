"""Owner-PII masking: kinds, guards, actions, the literal, the span, `identity.yaml`, and the shadow row.

Nothing here shows a literal by accident: the text of a literal and the value of a statement stay out of `repr`, and no
shape that is written to an audit row has a field that could hold one.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, NamedTuple

from pydantic import Field, model_validator

from iris_memory.contracts.shape import Contract, Count, Unordered


class PiiKind(StrEnum):
    """What sort of owner identity a literal is."""

    NAME = "name"
    EMAIL = "email"
    PHONE = "phone"
    ADDRESS = "address"
    HANDLE = "handle"
    LINK = "link"
    SECRET = "secret"  # noqa: S105


OWNER_PII_KINDS: Final = frozenset(
    {PiiKind.NAME, PiiKind.EMAIL, PiiKind.PHONE, PiiKind.ADDRESS, PiiKind.HANDLE},
)
"""The kinds that can be granted, allow-listed and only logged; `link` and `secret` never can."""


class GuardRow(StrEnum):
    """The rows of the guard table: every kind, and the one-word name that stands alone."""

    NAME = "name"
    EMAIL = "email"
    PHONE = "phone"
    ADDRESS = "address"
    HANDLE = "handle"
    LINK = "link"
    SECRET = "secret"  # noqa: S105
    FIRST_NAME_ALONE = "first_name_alone"


class Guard(StrEnum):
    """The points that text passes. An answer's column also needs its audience."""

    EGRESS = "egress"
    WEB_SEARCH = "web_search"
    TIER3 = "tier3"
    ANSWER = "answer"
    CAPABILITY = "capability"


class Audience(StrEnum):
    """Who reads an answer."""

    OWNER = "owner"
    OTHER = "other"


class Column(StrEnum):
    """The columns of the guard table."""

    EGRESS = "egress"
    WEB_SEARCH = "web_search"
    TIER3 = "tier3"
    ANSWER_OWNER = "answer_owner"
    ANSWER_OTHER = "answer_other"
    CAPABILITY = "capability"


class Action(StrEnum):
    """What a guard does with a span, from the mildest to the strictest."""

    PASS = "pass"  # noqa: S105
    LOG = "log"
    MASK = "mask"
    DENY = "deny"
    HALT = "halt"


class Mode(StrEnum):
    """How far owner-PII masking goes (`IRIS_GOVERNANCE_OWNER_PII`)."""

    OFF = "off"
    SHADOW = "shadow"
    ENFORCE = "enforce"


class MaskingReason(StrEnum):
    """Why something offered to the corpus was not taken, or why a table is closed. Additions only."""

    NOTHING_DECLARED = "nothing-declared"
    KIND_NOT_PROVIDABLE = "kind-not-providable"
    KIND_UNDECLARED = "kind-undeclared"
    TOO_WEAK = "too-weak"
    CONFIG_UNREADABLE = "config-unreadable"
    CONFIG_INVALID = "config-invalid"


class OwnerLiteral(Contract):
    """One piece of the owner's identity, as the owner wrote it, with its kind and where it came from."""

    kind: PiiKind
    text: Annotated[str, Field(min_length=1, max_length=4096, repr=False)]
    source: Annotated[str, Field(min_length=1, max_length=160)]


class Span(NamedTuple):
    """A stretch `[start, end)` of the original text, in code points, with its kind and what the guard does with it.

    `kinds` are all kinds that were merged into it (the token of a merged span is restored only when each is granted);
    `literal` is the index of the literal in the corpus, or -1 for a secret known by its shape alone. A tuple and no
    model: a text can hold a hundred thousand of them.
    """

    start: int
    end: int
    kind: PiiKind
    action: Action
    first_name_alone: bool
    log_only_destination: bool
    kinds: frozenset[PiiKind]
    literal: int


class IdentityBlock(Contract):
    """The `identity:` block that the owner edits in the front matter of USER.md."""

    names: Annotated[tuple[str, ...], Field(strict=False, repr=False)] = ()
    emails: Annotated[tuple[str, ...], Field(strict=False, repr=False)] = ()
    phones: Annotated[tuple[str, ...], Field(strict=False, repr=False)] = ()
    addresses: Annotated[tuple[str, ...], Field(strict=False, repr=False)] = ()
    handles: Annotated[tuple[str, ...], Field(strict=False, repr=False)] = ()
    never_match: Annotated[tuple[str, ...], Field(strict=False, repr=False)] = ()


DestinationPattern = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.:/-]{1,128}\*?$|^\*$")]
"""The name of a tool, server or host; a `*` at the end stands for any rest."""

AttributeName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,63}$")]


class IdentityConfig(Contract):
    """`identity.yaml` of a deployment. What it leaves out stays as shipped; what it says wrongly closes the table."""

    ontology_kinds: dict[AttributeName, PiiKind] | None = None
    guards: dict[GuardRow, dict[Column, Action]] = Field(default_factory=dict)
    log_only_destinations: Annotated[tuple[DestinationPattern, ...], Field(strict=False)] = ()
    destinations: dict[DestinationPattern, Annotated[frozenset[PiiKind], *Unordered]] = Field(default_factory=dict)
    enforce: Annotated[frozenset[PiiKind], *Unordered] = frozenset()


class OwnerStatement(Contract):
    """A statement of memory as the corpus reads it: plain facts, no store behind it."""

    subject_is_owner: bool
    confirmed: bool
    attribute: str
    value: Annotated[str, Field(repr=False)]


class ProvidedLiteral(Contract):
    """One literal that a registered source returned."""

    kind: PiiKind
    text: Annotated[str, Field(min_length=1, max_length=4096, repr=False)]


class SourceRegistration(Contract):
    """Who registered a source (stamped by the host, never by the caller) and the kinds its manifest declares."""

    source: Annotated[str, Field(min_length=1, max_length=128)]
    provides: Annotated[frozenset[PiiKind], *Unordered]
    composition_root: bool = False


class Charge(Contract):
    """Literals that were not taken, counted against who offered them. No literal, no length."""

    source: str
    reason: MaskingReason
    kind: PiiKind | None
    count: Count


class CapabilityUse(Contract):
    """One capability that a manifest uses or requires, and the kinds it asks to see unmasked."""

    capability: Annotated[str, Field(min_length=1, max_length=128)]
    unmask: Annotated[frozenset[PiiKind], *Unordered] = frozenset()


SPANS_MOST: Final = 20
"""How many spans a tally of the shadow row shows."""

LeafRange = Annotated[tuple[Count, Count, Count], Field(strict=False)]
"""`[leaf, start, end]`."""


class ShadowTally(Contract):
    """Occurrences of one kind that one column would act on in one way.

    `marks` are places in the digests of the row: which different literals were met; None where the row has none.
    """

    guard: Column
    kind: PiiKind
    action: Action
    first_name_alone: bool = False
    log_only_destination: bool = False
    count: Annotated[int, Field(ge=1)]
    spans: Annotated[tuple[LeafRange, ...], Field(strict=False, max_length=SPANS_MOST)]
    marks: Annotated[tuple[Count, ...], Field(strict=False)] | None = None

    @model_validator(mode="after")
    def _spans_are_counted(self) -> ShadowTally:
        if len(self.spans) > self.count:
            raise ValueError("a tally counts at least the spans it shows")
        return self


KeyedDigest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class ShadowRow(Contract):
    """What the observing hook writes: columns, counts, spans, keyed digests. Never a literal or the text around it.

    `digests` is None where no audit key had been resolved; `failed` is the class name of what went wrong.
    """

    columns: Annotated[tuple[Column, ...], Field(strict=False)]
    tallies: Annotated[tuple[ShadowTally, ...], Field(strict=False)] = ()
    digests: Annotated[tuple[KeyedDigest, ...], Field(strict=False)] | None = None
    failed: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")] | None = None

    @model_validator(mode="after")
    def _marks_name_digests(self) -> ShadowRow:
        most = len(self.digests or ())
        if any(mark >= most for tally in self.tallies for mark in tally.marks or ()):
            raise ValueError("a mark is the place of one of the digests")
        return self
