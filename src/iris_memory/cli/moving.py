"""Move: a memory goes to another scope, or a tenant's is copied into the profile's view."""

from __future__ import annotations

from typing import Annotated

import typer

from iris_memory.cli.answers import Told
from iris_memory.cli.commands import Place
from iris_memory.cli.remembering import AdapterScopeName, told_outcome


def move(
    place: Place,
    memory: Annotated[str, typer.Argument(metavar="MEMORY", help="the id of the memory")],
    scope: Annotated[str, typer.Argument(metavar="SCOPE", help="where to, such as profile:me or notebook:me:trips")],
    adapter_scope: AdapterScopeName = None,
    read_only_copy: Annotated[
        bool, typer.Option("--read-only-copy", help="show a tenant's memory in the profile; it stays the tenant's")
    ] = False,
    expected: Annotated[
        str | None,
        typer.Option("--expected", metavar="REVISION", help="the revision that was seen; refused when another holds"),
    ] = None,
) -> Told:
    """Move a memory to another scope.

    From a session to the profile or a notebook, from the profile to a notebook. What is there already is met by the
    same rules as a new statement.
    """
    from iris_memory.contracts.scope import parse_scope

    with place.person() as me:
        outcome = me.change_scope(
            memory,
            parse_scope(scope),
            adapter_scope=adapter_scope,
            read_only_copy=read_only_copy,
            expected=expected,
        )
    return told_outcome(outcome)
