"""Data rights: the person's requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from iris_memory.cli.answers import Told, Words, dim, good, head, warn
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import UsageError
from iris_memory.cli.instants import present
from iris_memory.cli.wording import count

if TYPE_CHECKING:
    from iris_memory.contracts.rights import HoldRefused, LegalHold, RightsRefused, RightsRequest

_DAY_MS = 86_400_000

RequestId = Annotated[str, typer.Argument(metavar="REQUEST", help="the id of the request")]
Many = list[str] | None


def submit(
    place: Place,
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="access, export, delete, rectify, restrict, object or withdraw-consent; also port-to and opt-out",
        ),
    ],
    scope: Annotated[Many, typer.Option("--scope", metavar="NAME", help="an adapter scope, such as notebook")] = None,
    category: Annotated[Many, typer.Option("--category", metavar="NAME", help="a category, such as work")] = None,
    memory: Annotated[Many, typer.Option("--memory", metavar="ID", help="a memory to restrict or rectify")] = None,
    body: Annotated[str | None, typer.Option("--body", metavar="TEXT", help="the right words, to rectify")] = None,
    soft_days: Annotated[
        int, typer.Option("--soft-days", min=0, metavar="DAYS", help="days in which a deletion can be taken back")
    ] = 0,
    purge_consents: Annotated[
        bool, typer.Option("--purge-consents", help="delete the consents of what is deleted as well")
    ] = False,
    format_: Annotated[str, typer.Option("--format", metavar="NAME", help="of an export: json, ndjson")] = "json",
    delivery: Annotated[
        str, typer.Option("--delivery", metavar="NAME", help="of an export: in-app-download, email-link, api")
    ] = "in-app-download",
    scenes: Annotated[bool, typer.Option("--scenes", help="with scene memory in the export")] = False,
    poses: Annotated[bool, typer.Option("--poses", help="with pose aggregates in the export")] = False,
    encrypted: Annotated[bool, typer.Option("--encrypted", help="encrypt the export")] = False,
    purpose: Annotated[
        Many, typer.Option("--purpose", metavar="NAME", help="to object to, such as personalization")
    ] = None,
    consent: Annotated[Many, typer.Option("--consent", metavar="NAME", help="to take back")] = None,
    regime: Annotated[
        str, typer.Option("--regime", metavar="NAME", help="whose law: default, gdpr, uk-gdpr, ccpa, lgpd")
    ] = "default",
) -> Told:
    """Submit a data-rights request.

    The answer says by when it is due, and how surely it has to be known who asks.
    """
    from iris_memory.tables.regimes import SPOKEN

    named = SPOKEN.get(kind, kind)
    wishes = _wishes(str(named), scope, category, memory, body)
    if named == "delete":
        mode = "soft" if soft_days else "hard"
        wishes |= {"mode": mode, "retention_grace_ms": soft_days * _DAY_MS, "purge_consent_ledger": purge_consents}
    elif named == "export":
        wishes |= {"format": format_, "delivery_channel": delivery, "encrypted": encrypted}
        wishes |= {"include_scene_memory": scenes, "include_pose_memory": poses}
    elif named == "object":
        wishes |= {"purposes": purpose or []}
    elif named == "withdraw-consent":
        wishes |= {"consents": consent or []}
    with place.person() as me:
        request = me.rights.submit(kind, regime=regime, **wishes)
    return step_told(request)


def list_requests(place: Place) -> Told:
    """Show the person's requests.

    The oldest comes first.
    """
    with place.person() as me:
        requests = me.rights.list()
    lines: list[Words] = [line for request in requests for line in _request_lines(request)[:2]]
    return Told({"requests": requests}, [*lines, dim(count(len(requests), "request"))])


def show(place: Place, request: RequestId) -> Told:
    """Show one request.

    With its trail and what the person was told.
    """
    with place.person() as me:
        shown = me.rights.show(request)
    return step_told(shown)


def identify(
    place: Place,
    request: RequestId,
    method: Annotated[
        str, typer.Option("--method", metavar="NAME", help="session-token, email-link or phone-otp")
    ] = "session-token",
    secret: Annotated[str | None, typer.Option("--secret", metavar="TEXT", help="what a challenge brought")] = None,
    just_signed_in: Annotated[bool, typer.Option("--just-signed-in", help="the person signed in a moment ago")] = False,
    declared: Annotated[
        bool, typer.Option("--declared", help="the person declared in writing that they are who they say")
    ] = False,
) -> Told:
    """Prove who asks.

    A request goes on when enough is proved for what it asks; see `iris rights show`.
    """
    with place.person() as me:
        done = me.rights.verify(
            request, method, secret=secret, signed_in_at=present() if just_signed_in else None, declared=declared
        )
    return step_told(done)


def cancel(place: Place, request: RequestId) -> Told:
    """Take a request back.

    What a soft deletion set aside comes back.
    """
    with place.person() as me:
        return step_told(me.rights.cancel(request))


def reactivate(place: Place, request: RequestId) -> Told:
    """Take a soft deletion back.

    Within its grace; what was set aside is recalled again.
    """
    with place.person() as me:
        return step_told(me.rights.reactivate(request))


def appeal(
    place: Place,
    request: RequestId,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="why the decision is not right")],
) -> Told:
    """Appeal a decision.

    Somebody else than the one who decided decides again, once.
    """
    with place.person() as me:
        return step_told(me.rights.appeal(request, reason=reason))


def lift(place: Place, request: RequestId) -> Told:
    """Lift a restriction.

    What it set aside is recalled again.
    """
    with place.person() as me:
        return step_told(me.rights.lift_restriction(request))


def answer(place: Place, request: RequestId) -> Told:
    """Read the answer to an access request.

    Everything that is held, and what the law wants said beside it; use --json for the whole.
    """
    from iris_memory.contracts.rights import RightsRefused

    with place.person() as me:
        told = me.rights.answer(request)
    if isinstance(told, RightsRefused):
        return step_told(told)
    information = told.information
    lines: list[Words] = [head("Why")]
    lines += [f"  {purpose}" for purpose in information.purposes]
    lines.append(head("What is held"))
    lines += [f"  {name}: {number}" for name, number in told.holdings.items() if number]
    lines.append(head("Memories"))
    lines += [f"  {entry.category.value}: {entry.body}" for entry in told.memories]
    lines.append(head("Who may use it"))
    lines.append("  " + (", ".join(information.recipients) or "nobody"))
    lines.append(head("Decisions by machine"))
    lines.append(f"  {information.automated_decisions}")
    return Told(told, lines)


def own_holds(place: Place) -> Told:
    """Show the legal holds on the person's memory.

    Those that are not sealed.
    """
    with place.person() as me:
        holds = me.rights.holds()
    lines: list[Words] = [hold_line(hold) for hold in holds]
    return Told({"holds": holds}, [*lines, dim(count(len(holds), "hold"))])


def step_told(done: RightsRequest | RightsRefused) -> Told:
    """Return what is told after a step of a request."""
    from iris_memory.contracts.rights import RightsRefused

    if isinstance(done, RightsRefused):
        return refused_told(done)
    return Told(done, _request_lines(done))


def refused_told(refused: RightsRefused | HoldRefused) -> Told:
    """Return what is told where a step was not taken."""
    return Told(refused, [warn(f"Not done: {refused.rule} ({refused.reason.value}).")], ExitCode.REFUSED)


def hold_line(hold: LegalHold) -> Words:
    """Return a line about a legal hold."""
    target = hold.target
    named = [*target.scopes, *target.categories, *target.logical_ids]
    what = ", ".join(named) or "everything"
    return f"{hold.hold_id}  {hold.state.value}: {what}, until {hold.expires_at.isoformat()} ({hold.reference})"


def _wishes(kind: str, scope: Many, category: Many, memory: Many, body: str | None) -> dict[str, Any]:
    wishes: dict[str, Any] = {}
    if kind in {"access", "export", "delete", "restrict"}:
        wishes["scopes"] = scope or []
    if kind in {"delete", "restrict"}:
        wishes["categories"] = category or []
    if kind == "restrict":
        wishes["logical_ids"] = memory or []
    if kind == "rectify":
        if memory is None or len(memory) != 1:
            raise UsageError("name the one memory to put right with --memory")
        wishes |= {"logical_id": memory[0], "body": body, "category": category[0] if category else None}
    return wishes


def _request_lines(request: RightsRequest) -> list[Words]:
    due = request.deadline.isoformat()
    lines: list[Words] = [
        good(f"{request.request_id}  {request.kind.value}: {request.state.value}"),
        dim(f"  due {due}, who asks is proved by: {request.level_needed.value}"),
    ]
    lines += [dim(f"  {event.at.isoformat()}  {event.event.value}, {event.actor}") for event in request.trail]
    lines += [f"  {notice.text}" for notice in request.notices]
    return lines
