"""Service tokens: what an assistant shows to act for one person at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good
from iris_memory.cli.commands import Place

if TYPE_CHECKING:
    from iris_memory.contracts.service_token import ServiceToken

Actor = Annotated[str, typer.Option("--by", metavar="ID", help="who acts")]


def mint(
    place: Place,
    name: Annotated[str, typer.Argument(metavar="NAME", help="what the token is for, as operators will read it")],
    by: Actor,
    consumer: Annotated[str, typer.Option("--consumer", metavar="NAME", help="the consumer it acts as")] = "assistant",
    assistant: Annotated[
        str | None, typer.Option("--assistant", metavar="ID", help="the assistant it serves, where it is one")
    ] = None,
    days: Annotated[int, typer.Option("--days", min=1, metavar="N", help="how long it lives")] = 90,
) -> Told:
    """Make a service token.

    The secret is shown this once. It opens nothing but POST /v1/tokens/person.
    """
    with place.opened() as iris:
        made = iris.service_tokens(tenant=place.tenant).mint(
            name, consumer=consumer, created_by=by, days=days, assistant_id=assistant
        )
    lines: list[Words] = [
        good(f"Made, good until {made.token.expires_at:%Y-%m-%d}: {made.token.token_id}"),
        f"  {made.secret}",
        dim("keep it where the assistant keeps its secrets; it is not shown again"),
    ]
    return Told(made, lines)


def list_tokens(place: Place) -> Told:
    """Show the service tokens of the tenant.

    Those that ended are among them; no secret is kept.
    """
    with place.opened() as iris:
        found = iris.service_tokens(tenant=place.tenant).list()
    lines: list[Words] = [_line(token) for token in found]
    return Told({"tokens": found}, [*lines, dim(f"{len(found)} in all")])


def revoke(
    place: Place,
    token_id: Annotated[str, typer.Argument(metavar="TOKEN_ID", help="as `iris token list` shows it")],
    by: Actor,
) -> Told:
    """End a service token.

    What it was exchanged for ends within a minute.
    """
    with place.opened() as iris:
        ended = iris.service_tokens(tenant=place.tenant).revoke(token_id, revoked_by=by)
    return Told(ended, [good("Revoked."), _line(ended)])


def _line(token: ServiceToken) -> Words:
    if token.revoked_at is not None:
        return bad(f"{token.token_id}  {token.name}: revoked {token.revoked_at:%Y-%m-%d}")
    return f"{token.token_id}  {token.name}: {token.consumer.value}, until {token.expires_at:%Y-%m-%d}"
