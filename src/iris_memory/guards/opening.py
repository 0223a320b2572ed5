"""Opening a guard: the identity documents, the table, what memory says, the mode and the log, from the settings.

A guard opens whatever is wrong with the owner's documents: what they cannot say is an observation that fails, which
shadow lets pass and enforce denies. Nothing here stops a host.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from iris_memory.front.guarding import identity_config_file
from iris_memory.ports.shadow import ShadowLog
from iris_memory.sources.extra import require_masking
from iris_memory.wiring.settings import Settings, read_settings

if TYPE_CHECKING:
    from iris_memory.contracts.masking import Mode
    from iris_memory.front.person import PersonMemory
    from iris_memory.guards.kernel import OwnerGuard
    from iris_memory.ports.clock import Clock
    from iris_memory.sources.corpora import Corpora, OwnerIdentity

DOCUMENTS: Final = ("USER.md", "SOUL.md", "AGENTS.md")
"""The identity documents; the first is the owner's own."""

AGAIN_SECONDS: Final = 5.0
"""How long nobody tries again to read documents that could not be read."""


def open_guard(
    *,
    memory: PersonMemory | None = None,
    folder: Path | None = None,
    config: Path | None = None,
    mode: Mode | str | None = None,
    log: ShadowLog | Path | None = None,
    manifests: Mapping[str, object] | None = None,
    network_tools: Sequence[str] = ("*",),
    regions: Sequence[str] = (),
    settings: Settings | None = None,
    clock: Clock | None = None,
) -> OwnerGuard:
    """Open the guard of one owner.

    Args:
        memory: the owner in an open store: a source of the corpus, and where the shadow log is kept.
        folder: where the identity documents lie; by default as IRIS_IDENTITY_FOLDER says.
        config: the guard table; by default as IRIS_IDENTITY_CONFIG says, else `identity.yaml` in the folder.
        mode: `off`, `shadow` or `enforce`; by default as IRIS_GOVERNANCE_OWNER_PII says.
        log: a shadow log, or a file for one; by default the store's, else the file that IRIS_GUARD_LOG names.
        manifests: the parsed manifests of plugins, by name: they say which kinds each sees unmasked, per capability.
        network_tools: names of tools whose arguments leave the machine; a `*` at the end stands for any rest.
        regions: ISO 3166 codes in which the owner's numbers are read, beside those that the numbers tell.
        settings: by default as the environment says.
        clock: tells the time of rows.

    Raises:
        SettingError: the `masking` extra is not installed, or a setting has a value it cannot have.
    """
    require_masking()
    from iris_memory.guards.kernel import OwnerGuard
    from iris_memory.masking.grants import read_grants
    from iris_memory.masking.mode import read_mode
    from iris_memory.sources.corpora import Corpora
    from iris_memory.sources.registered import RegisteredSources

    settings = settings or read_settings()
    folder = folder or Path(settings.identity_folder)
    table = config or identity_config_file(settings, folder=folder)
    sources = RegisteredSources()

    def make() -> Corpora:
        said = None if memory is None else memory.guarding.statements()
        return Corpora(
            {name: folder / name for name in DOCUMENTS},
            config=table,
            statements=None if said is None else said.watched(),
            stirred=None if said is None else said.stirred,
            registered=sources,
            regions=regions,
        )

    return OwnerGuard(
        Late(make).current,
        mode=read_mode(settings.owner_pii if mode is None else str(mode)),
        log=_log(memory, log, settings),
        grants=read_grants(manifests or {}),
        network_tools=network_tools,
        sources=sources,
        clock=clock,
    )


class Late:
    """An identity that is made when it is first asked for, and tried again, now and then, where that fails."""

    def __init__(self, make: Callable[[], Corpora], *, clock: Callable[[], float] = time.monotonic) -> None:
        """Take what makes it."""
        self._make = make
        self._clock = clock
        self._made: Corpora | None = None
        self._failed: tuple[float, Exception] | None = None
        self._lock = threading.Lock()

    def current(self) -> OwnerIdentity:
        """Return the identity of this moment. Raises what making it raised."""
        made = self._made
        return (made or self._first()).current()

    def _first(self) -> Corpora:
        with self._lock:
            if self._made is not None:
                return self._made
            if self._failed is not None and self._clock() - self._failed[0] < AGAIN_SECONDS:
                raise self._failed[1].with_traceback(None)
            try:
                self._made = self._make()
            except Exception as problem:
                self._failed = self._clock(), problem
                raise
            return self._made


def _log(memory: PersonMemory | None, log: ShadowLog | Path | None, settings: Settings) -> ShadowLog | None:
    from iris_memory.guards.log_file import FileShadowLog

    if isinstance(log, Path):
        return FileShadowLog(log)
    if log is not None:
        return log
    if memory is not None:
        return memory.guarding.log()
    return FileShadowLog(Path(settings.guard_log)) if settings.guard_log else None
