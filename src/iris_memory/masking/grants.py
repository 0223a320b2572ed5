"""Grants: which kinds a plugin sees unmasked, per capability, by its manifest.

`capabilities: uses: [{mail.read: {unmask: [name, address]}}]`, and the same on `requires`. A grant is read for the
caller that the host stamps on a call, so no plugin can use another's. A manifest that asks for a secret or a link, or
that cannot be read, is granted nothing at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from pydantic import ValidationError

from iris_memory.contracts.masking import OWNER_PII_KINDS, CapabilityUse, PiiKind
from iris_memory.errors import IdentityConfigError
from iris_memory.tables.guards import GuardTable


@dataclass(frozen=True, slots=True)
class Grants:
    """What each plugin's manifest grants. `refused` are the plugins whose manifests are faulty and grant nothing."""

    by_caller: Mapping[str, Mapping[str, frozenset[PiiKind]]] = field(default_factory=lambda: MappingProxyType({}))
    refused: frozenset[str] = frozenset()

    def of(self, caller: str, *, capability: str, table: GuardTable) -> frozenset[PiiKind]:
        """Return the kinds granted to this caller for this capability. A closed table grants nothing."""
        if table.closed:
            return frozenset()
        return self.by_caller.get(caller, {}).get(capability, frozenset())


def read_grants(manifests: Mapping[str, object]) -> Grants:
    """Read the grants of all plugins from their parsed manifests, by plugin name."""
    granted: dict[str, Mapping[str, frozenset[PiiKind]]] = {}
    refused = set()
    for plugin, manifest in manifests.items():
        try:
            granted[plugin] = MappingProxyType(_of_manifest(manifest))
        except IdentityConfigError:
            refused.add(plugin)
    return Grants(MappingProxyType(granted), frozenset(refused))


def _of_manifest(manifest: object) -> dict[str, frozenset[PiiKind]]:
    granted: dict[str, frozenset[PiiKind]] = {}
    for use in _uses(manifest):
        if not use.unmask <= OWNER_PII_KINDS:
            raise IdentityConfigError("a manifest asks to unmask a kind that is never granted")
        granted[use.capability] = granted.get(use.capability, frozenset()) | use.unmask
    return granted


def _uses(manifest: object) -> Iterator[CapabilityUse]:
    capabilities = manifest.get("capabilities") if isinstance(manifest, Mapping) else None
    if capabilities is None:
        return
    if not isinstance(capabilities, Mapping):
        raise IdentityConfigError("the capabilities of a manifest are not a mapping")
    for part in ("uses", "requires"):
        entries = capabilities.get(part) or ()
        if not isinstance(entries, (list, tuple)):
            raise IdentityConfigError("the capabilities of a manifest are not a list")
        for entry in entries:
            yield from _entry(entry)


def _entry(entry: object) -> Iterator[CapabilityUse]:
    named: Mapping[object, object] = (
        {entry: None} if isinstance(entry, str) else entry if isinstance(entry, Mapping) else {}
    )
    if not named:
        raise IdentityConfigError("a capability of a manifest is neither a name nor a name with options")
    for name, options in named.items():
        asked = options.get("unmask", []) if isinstance(options, Mapping) else []
        try:
            yield CapabilityUse.model_validate_json(json.dumps({"capability": name, "unmask": asked}))
        except (ValidationError, TypeError, ValueError):
            raise IdentityConfigError("a manifest asks to unmask something that is no kind") from None
