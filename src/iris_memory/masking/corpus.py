"""The corpus: every literal of the owner's identity, each with its kind, from every source, compiled for the scan.

Sources, in the order in which they are trusted when two say the same: the `identity:` block, confirmed statements of
memory about the owner, registered sources, free text, secret-shaped tokens of the documents. The extractor is pure: the
same input gives the same corpus, and it decides what counts; fetching and freshness are somebody else's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from iris_memory.contracts.masking import (
    Charge,
    MaskingReason,
    OwnerLiteral,
    OwnerStatement,
    PiiKind,
    ProvidedLiteral,
    SourceRegistration,
)
from iris_memory.masking import documents, stated
from iris_memory.masking.folding import fold
from iris_memory.masking.lexicon import Lexicon
from iris_memory.masking.matchers import address, email, handle, link, phone, secret

PROVIDABLE: Final = frozenset({PiiKind.NAME, PiiKind.EMAIL, PiiKind.PHONE, PiiKind.HANDLE})
"""What a plugin may provide: owner PII, without the postal address, which comes from the owner's file alone."""

_SPARED_BY_NEVER_MATCH: Final = frozenset(PiiKind) - {PiiKind.LINK, PiiKind.SECRET}


@dataclass(frozen=True, eq=False)
class Corpus:
    """The literals of one owner. `regions` are those in which the owner's phone numbers are read.

    Its `repr` shows counts only.
    """

    literals: tuple[OwnerLiteral, ...] = ()
    regions: tuple[str, ...] = ()
    never_match: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        counts = Counter(literal.kind.value for literal in self.literals)
        return f"Corpus({dict(sorted(counts.items()))})"

    @cached_property
    def lexicon(self) -> Lexicon:
        """The compiled patterns. Takes milliseconds, once."""
        return Lexicon.compile(self.literals, regions=self.regions, never_match=self.never_match)

    @cached_property
    def canonicals(self) -> tuple[str, ...]:
        """The canonical text of each literal: what a pseudonym stands for."""
        return tuple(
            canonical(literal.kind, literal.text, regions=self.regions) or literal.text for literal in self.literals
        )


@dataclass(frozen=True, slots=True)
class Provided:
    """What one registered source returned."""

    registration: SourceRegistration
    literals: tuple[ProvidedLiteral, ...]


@dataclass(frozen=True, slots=True)
class Extraction:
    """A corpus, and what was offered to it and not taken."""

    corpus: Corpus
    charges: tuple[Charge, ...]


def canonical(kind: PiiKind, text: str, *, regions: Sequence[str] = ()) -> str | None:
    """Return what a literal is once spelling is taken away, or None where it is too weak to act."""
    match kind:
        case PiiKind.NAME:
            units = fold(text)
            return units if len(units) > 1 else None
        case PiiKind.EMAIL:
            return email.canonical(text)
        case PiiKind.PHONE:
            return phone.canonical(text, regions=regions)
        case PiiKind.ADDRESS:
            return address.canonical(text)
        case PiiKind.HANDLE:
            return handle.canonical(text)
        case PiiKind.LINK:
            return link.canonical(text)
        case PiiKind.SECRET:
            return secret.canonical(text)


def extract(
    texts: Mapping[str, str],
    *,
    statements: Iterable[OwnerStatement] = (),
    provided: Iterable[Provided] = (),
    ontology_kinds: Mapping[str, PiiKind],
    regions: Sequence[str] = (),
) -> Extraction:
    """Gather the owner's literals.

    `texts` are the identity documents by name; `statements` are facts of memory, of which only confirmed ones about the
    owner count; `provided` is what registered sources returned; `regions` are ISO 3166 codes beside those that the
    owner's own numbers tell. Raises IdentityConfigError where the owner's block cannot be read.
    """
    charges: list[Charge] = []
    found = list(_from_documents(texts, statements, provided, ontology_kinds, tuple(regions), charges))
    block, _ = documents.identity_block(texts.get(documents.OWNER_DOCUMENT, ""))
    never_match = frozenset(units for text in block.never_match if (units := fold(text)))
    known = _regions(found, regions)
    literals: dict[tuple[PiiKind, str], OwnerLiteral] = {}
    weak: Counter[tuple[str, PiiKind]] = Counter()
    for literal in found:
        form = canonical(literal.kind, literal.text, regions=known)
        if form is None:
            weak[literal.source, literal.kind] += 1
        elif not (literal.kind in _SPARED_BY_NEVER_MATCH and fold(literal.text) in never_match):
            literals.setdefault((literal.kind, form), literal)
    charges += (
        Charge(source=source, reason=MaskingReason.TOO_WEAK, kind=kind, count=count)
        for (source, kind), count in weak.items()
    )
    return Extraction(Corpus(tuple(literals.values()), known, never_match), tuple(charges))


def admit(registration: SourceRegistration) -> MaskingReason | None:
    """Decide whether a source may be registered; return why not. Nothing declared is refused, and so is a kind that no
    plugin provides."""
    if not registration.provides:
        return MaskingReason.NOTHING_DECLARED
    if not registration.provides <= _providable(registration):
        return MaskingReason.KIND_NOT_PROVIDABLE
    return None


def _providable(registration: SourceRegistration) -> frozenset[PiiKind]:
    return PROVIDABLE | {PiiKind.LINK} if registration.composition_root else PROVIDABLE


def _from_documents(
    texts: Mapping[str, str],
    statements: Iterable[OwnerStatement],
    provided: Iterable[Provided],
    ontology_kinds: Mapping[str, PiiKind],
    regions: tuple[str, ...],
    charges: list[Charge],
) -> Iterator[OwnerLiteral]:
    block, body = documents.identity_block(texts.get(documents.OWNER_DOCUMENT, ""))
    listed = (
        (PiiKind.NAME, block.names),
        (PiiKind.EMAIL, block.emails),
        (PiiKind.PHONE, block.phones),
        (PiiKind.ADDRESS, block.addresses),
        (PiiKind.HANDLE, block.handles),
    )
    for kind, values in listed:
        yield from _literals(kind, values, source="identity-block")
    for statement in statements:
        kind_of = ontology_kinds.get(statement.attribute)
        if (
            statement.subject_is_owner
            and statement.confirmed
            and kind_of not in (None, PiiKind.SECRET, PiiKind.ADDRESS)
        ):
            stated_values = stated.values_in(kind_of, statement.value, regions=regions)
            yield from _literals(kind_of, stated_values, source="memory")
    for offer in provided:
        yield from _taken(offer, charges)
    bodies = {name: body if name == documents.OWNER_DOCUMENT else text for name, text in texts.items()}
    for name in sorted(bodies):
        if not block.emails:
            yield from _literals(PiiKind.EMAIL, documents.emails_in(bodies[name]), source="free-text")
        if not block.phones:
            yield from _literals(PiiKind.PHONE, documents.phones_in(bodies[name], regions=regions), source="free-text")
        for kind, token in documents.secrets_and_links_in(bodies[name]):
            yield from _literals(kind, (token,), source="documents")


def _literals(kind: PiiKind, values: Iterable[str], *, source: str) -> Iterator[OwnerLiteral]:
    for value in values:
        if 0 < len(value.strip()) <= 4096:
            yield OwnerLiteral(kind=kind, text=value.strip(), source=source)


def _taken(offer: Provided, charges: list[Charge]) -> Iterator[OwnerLiteral]:
    registration = offer.registration
    reason = admit(registration)
    source = registration.source if registration.composition_root else f"plugin:{registration.source}"
    if reason is not None:
        charges.append(Charge(source=source, reason=reason, kind=None, count=len(offer.literals)))
        return
    dropped: Counter[PiiKind] = Counter()
    for literal in offer.literals:
        if literal.kind in registration.provides:
            yield from _literals(literal.kind, (literal.text,), source=source)
        else:
            dropped[literal.kind] += 1
    charges += (
        Charge(source=source, reason=MaskingReason.KIND_UNDECLARED, kind=kind, count=count)
        for kind, count in dropped.items()
    )


def _regions(literals: Iterable[OwnerLiteral], given: Sequence[str]) -> tuple[str, ...]:
    told = (phone.region_of(literal.text) for literal in literals if literal.kind is PiiKind.PHONE)
    return tuple(dict.fromkeys([*given, *(region for region in told if region and region != "001")]))
