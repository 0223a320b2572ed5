"""Registered sources: what plugins and the composition root provide of the owner's identity.

A plugin's source is bound to the plugin by the host (`plugin:<name>`), and to the kinds its manifest declares: nothing
declared is refused, a kind it returns undeclared is dropped and charged to it, `secret` and `link` are never a plugin's
to provide; a link is the composition root's alone. What a source cannot say now stays as it last was.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Final

from pydantic import ValidationError

from iris_memory.contracts.masking import Charge, MaskingReason, PiiKind, ProvidedLiteral, SourceRegistration
from iris_memory.masking.corpus import Provided, admit
from iris_memory.sources.watched import Watched

LITERALS_MOST: Final = 1_000
"""How many literals one source may provide; the rest is charged to it."""

Offer = ProvidedLiteral | tuple[PiiKind | str, str]
"""What a source returns of one literal."""

ReadSource = Callable[[], Iterable[Offer]]

Told = tuple[tuple[ProvidedLiteral, ...], int]
"""Literals as they are taken, and how many offers were none."""


class RegisteredSources:
    """The sources that were registered in this process. Safe for many threads."""

    def __init__(self) -> None:
        """Start with none."""
        self._sources: dict[str, tuple[SourceRegistration, Watched[Told]]] = {}
        self._refused: Counter[tuple[str, MaskingReason]] = Counter()
        self._lock = threading.Lock()
        self.count = 0
        """Moves with every registration: a late one takes effect at once."""
        self.fault: str | None = None
        """The class name of what keeps a source from being read anew."""

    def register(
        self,
        name: str,
        *,
        provides: Iterable[PiiKind | str],
        read: ReadSource,
        fingerprint: Callable[[], Hashable] | None = None,
        composition_root: bool = False,
    ) -> MaskingReason | None:
        """Register the source of a plugin, or replace the one it had; return why it was refused, or None.

        The host calls this, with the plugin's name as the host knows it and the kinds its manifest declares. Without a
        fingerprint the source is read at every look.
        """
        kinds = _kinds(provides)
        if kinds is None:
            return self._refuse(name, MaskingReason.KIND_NOT_PROVIDABLE)
        registration = SourceRegistration(source=name, provides=kinds, composition_root=composition_root)
        reason = admit(registration)
        if reason is not None:
            return self._refuse(name, reason)
        source = _Guarded(read)
        watched = Watched(fingerprint=fingerprint or _always_new, read=source)
        with self._lock:
            self._sources[name] = registration, watched
            self.count += 1
            self.fault = self.fault or source.fault
        return None

    def refresh(self, *, anyway: bool = False) -> bool:
        """Look at every source; say whether one moved."""
        with self._lock:
            sources = list(self._sources.values())
        moved, fault = False, None
        for _, watched in sources:
            try:
                moved |= watched.refresh(anyway=anyway)
            except Exception as problem:  # a plugin's own failure: what it said before stays
                fault = type(problem).__name__
        self.fault = fault
        return moved

    def provided(self) -> list[Provided]:
        """Return what each source says."""
        with self._lock:
            return [Provided(registration, watched.value[0]) for registration, watched in self._sources.values()]

    def charges(self) -> list[Charge]:
        """Return what sources offered that was no literal, and registrations that were refused."""
        with self._lock:
            charges = [
                Charge(source=_charged(registration), reason=MaskingReason.KIND_UNDECLARED, kind=None, count=dropped)
                for registration, watched in self._sources.values()
                if (dropped := watched.value[1])
            ]
            charges += (
                Charge(source=f"plugin:{name}"[:128], reason=reason, kind=None, count=count)
                for (name, reason), count in sorted(self._refused.items())
            )
        return charges

    def _refuse(self, name: str, reason: MaskingReason) -> MaskingReason:
        with self._lock:
            self._refused[name, reason] += 1
            self.count += 1
        return reason


class PluginIdentity:
    """What one plugin is given to register with: bound to it by the host, so that it can speak for no other."""

    def __init__(self, sources: RegisteredSources, *, plugin: str, manifest: object) -> None:
        """Take the plugin's name and manifest, as the host has loaded them."""
        self._sources = sources
        self._plugin = plugin
        self._provides = declared_kinds(manifest)

    def register_owner_identity_source(
        self, read: ReadSource, *, fingerprint: Callable[[], Hashable] | None = None
    ) -> MaskingReason | None:
        """Provide literals of the kinds that the manifest declares; return why that was refused, or None."""
        return self._sources.register(self._plugin, provides=self._provides, read=read, fingerprint=fingerprint)


def declared_kinds(manifest: object) -> tuple[str, ...]:
    """Return the kinds under `identity: provides` of a manifest. One that cannot be read declares nothing."""
    identity = manifest.get("identity") if isinstance(manifest, Mapping) else None
    provides = identity.get("provides") if isinstance(identity, Mapping) else None
    if not isinstance(provides, (list, tuple)) or not all(isinstance(kind, str) for kind in provides):
        return ()
    return tuple(provides)


class _Guarded:
    """A read that never raises for the first time: a source that is not ready yet provides nothing so far."""

    def __init__(self, read: ReadSource) -> None:
        self._read = read
        self._is_first = True
        self.fault: str | None = None

    def __call__(self) -> Told:
        first, self._is_first = self._is_first, False
        try:
            return _taken(self._read())
        except Exception as problem:
            if not first:
                raise
            self.fault = type(problem).__name__
            return (), 0


def _taken(offers: Iterable[Offer]) -> Told:
    literals: list[ProvidedLiteral] = []
    dropped = 0
    for offer in offers:
        literal = offer if isinstance(offer, ProvidedLiteral) else _literal(offer)
        if literal is None or len(literals) == LITERALS_MOST:
            dropped += 1
        else:
            literals.append(literal)
    return tuple(literals), dropped


def _literal(offer: object) -> ProvidedLiteral | None:
    if not isinstance(offer, tuple) or len(offer) != 2:
        return None
    try:
        return ProvidedLiteral(kind=PiiKind(offer[0]), text=offer[1])
    except (TypeError, ValueError, ValidationError):
        return None


def _kinds(provides: Iterable[PiiKind | str]) -> frozenset[PiiKind] | None:
    try:
        return frozenset(PiiKind(kind) for kind in provides)
    except ValueError:
        return None


def _charged(registration: SourceRegistration) -> str:
    return registration.source if registration.composition_root else f"plugin:{registration.source}"


def _always_new() -> object:
    return object()
