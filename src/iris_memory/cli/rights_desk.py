"""The desk: what operators do about data-rights requests and legal holds. No content is shown."""

from __future__ import annotations

from typing import Annotated

import typer

from iris_memory.cli.answers import Told, Words, dim, good, warn
from iris_memory.cli.commands import Place
from iris_memory.cli.failures import UsageError
from iris_memory.cli.instants import typed_instant
from iris_memory.cli.rights import RequestId, hold_line, refused_told, step_told
from iris_memory.cli.wording import count

By = Annotated[str, typer.Option("--by", metavar="ID", help="the operator who does it")]
Why = Annotated[str, typer.Option("--reason", metavar="TEXT", help="why; the person is told")]
HoldId = Annotated[str, typer.Argument(metavar="HOLD", help="the id of the hold")]
Many = list[str] | None


def list_desk(
    place: Place, open_only: Annotated[bool, typer.Option("--open", help="only what is not over")] = False
) -> Told:
    """Show the tenant's requests.

    Those due first: pseudonym, kind, state and deadline.
    """
    with place.opened() as iris:
        rows = iris.rights_desk(place.tenant).list(open_only=open_only)
    lines: list[Words] = []
    for row in rows:
        text = f"{row.request_id}  {row.kind.value}: {row.state.value}, due {row.deadline.isoformat()}"
        lines.append(warn(f"{text}, OVERDUE") if row.overdue else text)
    return Told({"requests": rows}, [*lines, dim(count(len(rows), "request"))])


def challenge(
    place: Place,
    request: RequestId,
    method: Annotated[str, typer.Option("--method", metavar="NAME", help="email-link or phone-otp")],
) -> Told:
    """Make a challenge for the person.

    Send its secret by the channel of the method. It is told once.
    """
    from iris_memory.contracts.rights import RightsRefused

    with place.opened() as iris:
        made = iris.rights_desk(place.tenant).challenge(request, method)
    if isinstance(made, RightsRefused):
        return refused_told(made)
    return Told(made, [good(made.secret), dim(f"  good until {made.expires_at.isoformat()}, once")])


def sign_off(
    place: Place,
    request: RequestId,
    by: By,
    method: Annotated[
        str, typer.Option("--method", metavar="NAME", help="operator-signoff or court-order")
    ] = "operator-signoff",
    declared: Annotated[
        bool, typer.Option("--declared", help="the person declared in writing that they are who they say")
    ] = False,
) -> Told:
    """Record that an operator looked at who asks."""
    with place.opened() as iris:
        return step_told(iris.rights_desk(place.tenant).sign_off(request, method, actor=by, declared=declared))


def start(place: Place, request: RequestId, by: By) -> Told:
    """Take a verified request up."""
    with place.opened() as iris:
        return step_told(iris.rights_desk(place.tenant).start(request, actor=by))


def extend(place: Place, request: RequestId, by: By, reason: Why) -> Told:
    """Move the deadline of a request.

    Once, and before it has passed.
    """
    with place.opened() as iris:
        return step_told(iris.rights_desk(place.tenant).extend(request, actor=by, reason=reason))


def wait(
    place: Place,
    request: RequestId,
    by: By,
    reason: Why,
    until: Annotated[str | None, typer.Option("--until", metavar="INSTANT", help="when it has waited enough")] = None,
) -> Told:
    """Put a request on hold.

    The deadline stays where it is.
    """
    ends = typed_instant(until, option="--until")
    with place.opened() as iris:
        return step_told(iris.rights_desk(place.tenant).hold(request, actor=by, reason=reason, until=ends))


def resume(place: Place, request: RequestId, by: By) -> Told:
    """Go on with a request that was on hold."""
    with place.opened() as iris:
        return step_told(iris.rights_desk(place.tenant).resume(request, actor=by))


def deny(
    place: Place,
    request: RequestId,
    by: By,
    ground: Annotated[
        str,
        typer.Option(
            "--ground",
            metavar="NAME",
            help="identity-not-proven, manifestly-unfounded, excessive, rights-of-others, legal-obligation,"
            " legal-claims, freedom-of-expression, no-data-held, right-not-applicable",
        ),
    ],
    law: Annotated[str, typer.Option("--law", metavar="TEXT", help="the law behind it, such as `GDPR Art. 12(5)(b)`")],
    item: Annotated[
        Many, typer.Option("--item", metavar="NAME", help="one thing that is not granted; the ground holds for each")
    ] = None,
    partly: Annotated[bool, typer.Option("--partly", help="only the items; the rest goes on")] = False,
) -> Told:
    """Deny a request, or a part of it.

    The person is told the ground, the law and what they can do.
    """
    items = dict.fromkeys(item or [], ground)
    if partly and not items:
        raise UsageError("name what is not granted with --item")
    with place.opened() as iris:
        desk = iris.rights_desk(place.tenant)
        if partly:
            return step_told(desk.deny_in_part(request, actor=by, items=items, legal_reference=law))
        return step_told(desk.deny(request, actor=by, ground=ground, legal_reference=law, items=items))


def fulfil(place: Place, request: RequestId, by: By) -> Told:
    """Carry a verified request out.

    A soft deletion sets aside now and is complete when its grace is over.
    """
    with place.opened() as iris:
        return step_told(iris.rights_desk(place.tenant).fulfil(request, actor=by))


def complete(
    place: Place,
    request: RequestId,
    by: By,
    fingerprint: Annotated[
        str | None, typer.Option("--fingerprint", metavar="HEX", help="of what was given or of the ids that went")
    ] = None,
) -> Told:
    """Complete a request that was carried out elsewhere."""
    with place.opened() as iris:
        return step_told(iris.rights_desk(place.tenant).complete(request, actor=by, result_fingerprint=fingerprint))


def decide(
    place: Place,
    request: RequestId,
    by: By,
    reason: Why,
    overturn: Annotated[bool, typer.Option("--overturn", help="take the request up again; else it stands")] = False,
) -> Told:
    """Decide an appeal.

    As somebody else than the one who decided before.
    """
    with place.opened() as iris:
        desk = iris.rights_desk(place.tenant)
        return step_told(desk.decide_appeal(request, actor=by, overturned=overturn, reason=reason))


def place_hold(
    place: Place,
    by: By,
    reference: Annotated[str, typer.Option("--reference", metavar="TEXT", help="the case or order")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="why")],
    until: Annotated[str, typer.Option("--until", metavar="INSTANT", help="when it ends by itself")],
    review: Annotated[str | None, typer.Option("--review", metavar="INSTANT", help="when to look again")] = None,
    scope: Annotated[Many, typer.Option("--scope", metavar="NAME", help="an adapter scope")] = None,
    category: Annotated[Many, typer.Option("--category", metavar="NAME", help="a category")] = None,
    memory: Annotated[Many, typer.Option("--memory", metavar="ID", help="one memory")] = None,
    sealed: Annotated[bool, typer.Option("--sealed", help="keep it from the person")] = False,
) -> Told:
    """Place a legal hold on a person's memory.

    On everything where nothing is named. It holds nothing until somebody else confirms it.
    """
    ends = typed_instant(until, option="--until")
    assert ends is not None
    with place.opened() as iris:
        hold = iris.rights_desk(place.tenant).place_hold(
            user=place.user,
            actor=by,
            reference=reference,
            reason=reason,
            expires_at=ends,
            review_at=typed_instant(review, option="--review"),
            scopes=scope or (),
            categories=category or (),
            logical_ids=memory or (),
            is_sealed=sealed,
        )
    return Told(hold, [hold_line(hold)])


def confirm_hold(place: Place, hold: HoldId, by: By) -> Told:
    """Confirm a legal hold.

    As somebody else than who placed it; from now on it holds.
    """
    from iris_memory.contracts.rights import HoldRefused

    with place.opened() as iris:
        done = iris.rights_desk(place.tenant).confirm_hold(hold, actor=by)
    return refused_told(done) if isinstance(done, HoldRefused) else Told(done, [hold_line(done)])


def release_hold(place: Place, hold: HoldId, by: By) -> Told:
    """End a legal hold.

    What was to be destroyed and waited for it goes at once.
    """
    from iris_memory.contracts.rights import HoldRefused

    with place.opened() as iris:
        done = iris.rights_desk(place.tenant).release_hold(hold, actor=by)
    return refused_told(done) if isinstance(done, HoldRefused) else Told(done, [hold_line(done)])


def list_holds(place: Place) -> Told:
    """Show the tenant's legal holds.

    Sealed ones included.
    """
    with place.opened() as iris:
        holds = iris.rights_desk(place.tenant).holds()
    lines: list[Words] = [hold_line(hold) for hold in holds]
    return Told({"holds": holds}, [*lines, dim(count(len(holds), "hold"))])
