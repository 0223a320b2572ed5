"""Generated from the OpenAPI document by `iris client generate`; do not edit. Calls."""

from __future__ import annotations

from typing import Final

from iris_memory.client.calling import AsyncCalls, Calls, Operation
from iris_memory.client.shape import UNSET, Unset
from iris_memory.client.shapes.import_ import Author, Format, HeldRows, ImportAnswer, Into

_IMPORT_EXPORT: Final[Operation[ImportAnswer]] = Operation("POST", "/v1/import", ImportAnswer)
_LIST_HELD: Final[Operation[HeldRows]] = Operation("GET", "/v1/held", HeldRows)


class ImportCalls(Calls):
    """Calls of `import_`."""

    def import_export(
        self,
        *,
        format: Format,
        content: bytes,
        into: Into | Unset = UNSET,
        dry_run: bool | Unset = UNSET,
        authors: frozenset[Author] | Unset | None = UNSET,
        accept: tuple[str, ...] | Unset | None = UNSET,
    ) -> ImportAnswer:
        """Import an export of another product."""
        return self._call(
            _IMPORT_EXPORT,
            query={"format": format, "into": into, "dry_run": dry_run, "authors": authors, "accept": accept},
            body=content,
        )

    def list_held(self) -> HeldRows:
        """List imported rows that wait for the person."""
        return self._call(_LIST_HELD)


class AsyncImportCalls(AsyncCalls):
    """Calls of `import_`, awaited."""

    async def import_export(
        self,
        *,
        format: Format,
        content: bytes,
        into: Into | Unset = UNSET,
        dry_run: bool | Unset = UNSET,
        authors: frozenset[Author] | Unset | None = UNSET,
        accept: tuple[str, ...] | Unset | None = UNSET,
    ) -> ImportAnswer:
        """Import an export of another product."""
        return await self._call(
            _IMPORT_EXPORT,
            query={"format": format, "into": into, "dry_run": dry_run, "authors": authors, "accept": accept},
            body=content,
        )

    async def list_held(self) -> HeldRows:
        """List imported rows that wait for the person."""
        return await self._call(_LIST_HELD)
