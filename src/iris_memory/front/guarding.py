"""An owner's guards, as far as the store takes part: the shadow log, the report, and what memory says of the owner."""

from __future__ import annotations

from collections.abc import Hashable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from iris_memory.contracts.guarding import Firing, GovernanceFlag, GovernanceState, ShadowReport
from iris_memory.contracts.masking import MaskingReason, OwnerStatement, PiiKind
from iris_memory.errors import IdentityConfigError, SettingError
from iris_memory.flows import guarding
from iris_memory.flows.instruments import Caller, Instruments
from iris_memory.flows.people import Person
from iris_memory.front.given import days_before
from iris_memory.masking.reporting import report_of
from iris_memory.sources.extra import require_masking
from iris_memory.sources.watched import Watched, watched_file
from iris_memory.tables.guards import GuardTable, closed_table
from iris_memory.wiring.settings import SETTINGS, Settings, read_settings

FLAG: Final = "IRIS_GOVERNANCE_OWNER_PII"
DAYS: Final = 7
"""How many days a report looks back where nobody says."""


class StoreShadowLog:
    """The shadow log of one owner in an open store."""

    def __init__(self, instruments: Instruments, caller: Caller) -> None:
        """Bind the owner; use `Iris.for_user(...).guarding.log()`."""
        self._instruments = instruments
        self._caller = caller
        self._person: Person | None = guarding.opened_already(instruments, caller)

    def write(self, firing: Firing) -> None:
        """Keep one firing. Raises StorageError where it cannot be kept."""
        self._person = guarding.write_firing(self._instruments, self._caller, firing)

    def read(self, *, since: datetime) -> list[Firing]:
        """Return the firings since an instant, oldest first."""
        return guarding.read_firings(self._instruments, self._caller, since=since)

    def key(self) -> bytes | None:
        """Return the key of digests where this process has opened the owner's keys already."""
        return None if self._person is None else guarding.digest_key(self._person)


class OwnerStatements:
    """What memory says of its owner, as a source of the corpus."""

    def __init__(self, instruments: Instruments, caller: Caller) -> None:
        """Bind the owner; use `Iris.for_user(...).guarding.statements()`."""
        self._instruments = instruments
        self._caller = caller
        self._person: Person | None = None

    def watched(self) -> Watched[tuple[OwnerStatement, ...]]:
        """Return the source: read again when the owner's version has moved, by whatever process."""
        return Watched(
            fingerprint=lambda: guarding.version_of(self._instruments, self._caller),
            read=self._read,
        )

    def stirred(self) -> Hashable:
        """Return what moves when this process writes about the owner: looked at on every call, and free of reads."""
        if self._person is None:
            self._person = self._instruments.people.find(self._caller.tenant, self._caller.user)
        return None if self._person is None else (self._person.person, self._person.snapshot.state.version)

    def _read(self) -> tuple[OwnerStatement, ...]:
        self._person, statements = guarding.statements_of(self._instruments, self._caller)
        return statements


class Guarding:
    """What the store does for the guards of one owner."""

    def __init__(self, instruments: Instruments, caller: Caller) -> None:
        """Bind the owner; use `Iris.for_user(...).guarding`."""
        self._instruments = instruments
        self._caller = caller

    def log(self) -> StoreShadowLog:
        """Return the shadow log of the owner."""
        return StoreShadowLog(self._instruments, self._caller)

    def statements(self) -> OwnerStatements:
        """Return what memory says of the owner, as a source of the corpus."""
        return OwnerStatements(self._instruments, self._caller)

    def report(self, *, days: int = DAYS, enforced: frozenset[PiiKind] = frozenset()) -> ShadowReport:
        """Sum up what guards saw in the last days.

        Raises:
            ContractError: the number of days is not between 1 and 3,650.
        """
        since, until = span_of_days(self._instruments.clock.now(), days=days)
        return report_of(self.log().read(since=since), since=since, until=until, enforced=enforced)


def governance_state(settings: Settings | None = None) -> GovernanceState:
    """Return the flag with its value, the kinds that are enforced, and what the guard table is."""
    settings = settings or read_settings()
    row = next(row for row in SETTINGS if row.name == FLAG)
    given = settings.owner_pii or row.default
    try:
        require_masking()
    except SettingError:
        flag = GovernanceFlag(name=FLAG, value=given, accepts=row.accepts, warning="masking is not installed")
        return GovernanceState(flags=(flag,), table="not-installed")
    from iris_memory.masking.mode import read_mode

    reading = read_mode(settings.owner_pii)
    flag = GovernanceFlag(name=FLAG, value=reading.mode.value, accepts=row.accepts, warning=reading.warning)
    table, where = _table(settings)
    return GovernanceState(
        flags=(flag,),
        enforced=frozenset(PiiKind) if table.closed else table.enforce,
        table=where,
        log_only_destinations=table.log_only_destinations,
    )


def _table(settings: Settings) -> tuple[GuardTable, str]:
    """Return the guard table of the deployment, and what it is: shipped, configured, or why it is closed."""
    from iris_memory.masking.identity import table_of

    path = identity_config_file(settings)
    try:
        text = watched_file(path).value
    except (OSError, UnicodeError, IdentityConfigError):
        return closed_table(MaskingReason.CONFIG_UNREADABLE), MaskingReason.CONFIG_UNREADABLE.value
    table = table_of(text)
    if table.fault is not None:
        return table, table.fault.value
    return table, "shipped" if text is None else "configured"


def identity_config_file(settings: Settings, *, folder: Path | None = None) -> Path:
    """Return where the guard table of a deployment lies."""
    if settings.identity_config:
        return Path(settings.identity_config)
    return (folder or Path(settings.identity_folder)) / "identity.yaml"


def span_of_days(now: datetime, *, days: int) -> tuple[datetime, datetime]:
    """Return from when until when a report looks.

    Raises:
        ContractError: the number of days is not between 1 and 3,650.
    """
    return days_before(now, days), now + timedelta(microseconds=1)
