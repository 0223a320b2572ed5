"""The port that keeps copies of audit heads outside the database, so that truncation and old copies show."""

from __future__ import annotations

from typing import Protocol


class Heads(Protocol):
    """Keeps the newest signed checkpoint of each tenant somewhere a restore of the database does not reach."""

    def keep(self, tenant: str, note: str) -> None:
        """Replace the tenant's head by a newer one, atomically. It covers fsynced events only."""
        ...

    def put_back(self, tenant: str, note: str) -> None:
        """Replace the tenant's head by an older one, atomically: for a restore that was decided upon, nothing else."""
        ...

    def kept(self, tenant: str) -> str | None:
        """Return the tenant's newest head, or None where none was kept."""
        ...

    def tenants(self) -> list[str]:
        """Return the tenants that have a head, sorted."""
        ...
