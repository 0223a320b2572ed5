"""Operator inspection: asked for, granted by others, read from a frozen set, reviewed; and the person's access log."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good, warn
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import UsageError
from iris_memory.cli.instants import typed_instant
from iris_memory.cli.wording import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from iris_memory.front.inspection import Inspections

Actor = Annotated[str, typer.Option("--actor", metavar="ID", help="the operator who does it")]
Role = Annotated[str, typer.Option("--role", metavar="NAME", help="support, admin, legal or t&s")]
InspectionId = Annotated[str, typer.Argument(metavar="INSPECTION", help="the id of the inspection")]
Many = list[str] | None


@contextmanager
def _bound(place: Place, actor: str, role: str) -> Iterator[Inspections]:
    with place.opened() as iris:
        yield iris.inspections(tenant=place.tenant, actor=actor, role=role)


def request(
    place: Place,
    actor: Actor,
    role: Role,
    of_user: Annotated[str, typer.Option("--of", metavar="USER", help="whose memory")],
    path: Annotated[
        str, typer.Option("--path", metavar="NAME", help="dsar-fulfillment, incident-escalation or routine-review")
    ],
    reason: Annotated[
        str,
        typer.Option(
            "--reason",
            metavar="NAME",
            help="data-subject-request, safety-incident, security-incident, abuse-report, support-case or"
            " quality-review",
        ),
    ],
    reference: Annotated[
        str, typer.Option("--reference", metavar="ID", help="the case; for dsar-fulfillment the person's request")
    ],
    ids: Annotated[Many, typer.Option("--id", metavar="MEMORY", help="a memory, by its id; repeat for more")] = None,
    categories: Annotated[Many, typer.Option("--category", metavar="NAME", help="of a category; repeat")] = None,
    scopes: Annotated[Many, typer.Option("--scope", metavar="NAME", help="of an adapter scope; repeat")] = None,
    since: Annotated[str | None, typer.Option("--since", metavar="INSTANT", help="last changed since")] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="INSTANT", help="last changed before")] = None,
    include_sensitive: Annotated[
        bool, typer.Option("--include-sensitive", help="sensitive memory as well, beside what is named")
    ] = False,
    most: Annotated[int, typer.Option("--most", metavar="N", min=1, help="the cap of the set")] = 100,
    consent_snapshot: Annotated[
        str | None, typer.Option("--consent-snapshot", metavar="ID", help="the head of the person's consent chain")
    ] = None,
    incident: Annotated[
        Path | None, typer.Option("--incident", metavar="FILE", help="a signed incident reference, as JSON")
    ] = None,
    break_glass: Annotated[
        bool, typer.Option("--break-glass", help="safety-critical memory, now, with no approval")
    ] = False,
    minutes: Annotated[int, typer.Option("--minutes", metavar="N", min=1, help="how long a grant lasts")] = 60,
) -> Told:
    """Ask to look at a person's memory.

    Somebody else grants it; sensitive memory takes two. Name memories, or a query with a cap.
    """
    target: dict[str, Any] = {
        "logical_ids": tuple(ids or ()),
        "categories": tuple(categories or ()),
        "adapter_scopes": tuple(scopes or ()),
        "since": typed_instant(since, option="--since"),
        "until": typed_instant(until, option="--until"),
        "include_sensitive": include_sensitive,
        "most": most,
    }
    with _bound(place, actor, role) as operator:
        done = operator.request(
            of_user,
            path=path,
            reason=reason,
            reference=reference,
            target=target,
            consent_snapshot_id=consent_snapshot,
            incident=_incident(incident),
            break_glass=break_glass,
            minutes=minutes,
        )
    return _told(done)


def approve(place: Place, inspection: InspectionId, actor: Actor, role: Role) -> Told:
    """Say yes to somebody else's request.

    The last word that is needed has the gate decide.
    """
    with _bound(place, actor, role) as operator:
        return _told(operator.approve(inspection))


def deny(place: Place, inspection: InspectionId, actor: Actor, role: Role) -> Told:
    """Say no to a request, or take one's own back."""
    with _bound(place, actor, role) as operator:
        return _told(operator.deny(inspection))


def close(place: Place, inspection: InspectionId, actor: Actor, role: Role) -> Told:
    """End a grant."""
    with _bound(place, actor, role) as operator:
        return _told(operator.close(inspection))


def show(place: Place, inspection: InspectionId, actor: Actor, role: Role) -> Told:
    """Show an inspection as it stands now."""
    with _bound(place, actor, role) as operator:
        return _told(operator.show(inspection))


def list_inspections(place: Place, actor: Actor, role: Role) -> Told:
    """List the tenant's inspections, oldest first."""
    with _bound(place, actor, role) as operator:
        found = operator.list()
    return Told({"inspections": found}, [*map(_line, found), dim(count(len(found), "inspection"))])


def read(
    place: Place,
    inspection: InspectionId,
    actor: Actor,
    role: Role,
    offset: Annotated[int, typer.Option("--offset", metavar="N", min=0, help="from which on")] = 0,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="how many, up to 200")] = 200,
) -> Told:
    """Read under a grant.

    The audit chain and the person's access log are told first.
    """
    with _bound(place, actor, role) as operator:
        return _shown(operator.read(inspection, offset=offset, limit=limit))


def replay(
    place: Place,
    inspection: InspectionId,
    actor: Actor,
    role: Role,
    offset: Annotated[int, typer.Option("--offset", metavar="N", min=0, help="from which on")] = 0,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="how many, up to 200")] = 200,
) -> Told:
    """Show what a grant showed, for a review of it.

    What was forgotten since comes as erased, with its proof.
    """
    with _bound(place, actor, role) as operator:
        return _shown(operator.replay_granted_snapshot(inspection, offset=offset, limit=limit))


def review(
    place: Place,
    inspection: InspectionId,
    actor: Actor,
    role: Role,
    verdict: Annotated[str, typer.Option("--verdict", metavar="NAME", help="justified or unjustified")],
) -> Told:
    """Judge a break-glass look of somebody else."""
    with _bound(place, actor, role) as operator:
        return _told(operator.review(inspection, verdict))


def carve_out(
    place: Place,
    inspection: InspectionId,
    actor: Actor,
    role: Role,
    ground: Annotated[
        str, typer.Option("--ground", metavar="NAME", help="active-investigation, legal-order or risk-to-others")
    ],
    reference: Annotated[str, typer.Option("--reference", metavar="ID", help="the case")],
    until: Annotated[str, typer.Option("--until", metavar="INSTANT", help="until when, within 90 days")],
) -> Told:
    """Have the person told later, for a lawful ground."""
    ends = typed_instant(until, option="--until")
    if ends is None:
        raise UsageError("--until is an instant")
    with _bound(place, actor, role) as operator:
        return _told(operator.carve_out(inspection, ground=ground, reference=reference, until=ends))


def pending(place: Place, actor: Actor, role: Role) -> Told:
    """List what is still to be told.

    Notices to people, alarms to approvers, and reviews that wait.
    """
    with _bound(place, actor, role) as operator:
        notices, alarms, reviews = operator.pending_user_notices(), operator.pending_alarms(), operator.open_reviews()
    lines: list[Words] = []
    for notice in notices:
        text = f"notice {notice.notice_id} to {notice.user_id}, due {notice.due_at.isoformat()}"
        lines.append(bad(f"{text}, OVERDUE") if notice.overdue else text)
    lines += [warn(f"alarm {alarm.kind.value}: inspection {alarm.inspection_id}") for alarm in alarms]
    lines += [warn(f"review of {one.inspection_id}, by {one.requester}") for one in reviews]
    document = {"notices": notices, "alarms": alarms, "reviews": reviews}
    return Told(document, lines or [good("Everybody has been told, and nothing waits for a review.")])


def report(
    place: Place,
    actor: Actor,
    role: Role,
    days: Annotated[int, typer.Option("--days", min=1, max=3_650, metavar="N", help="how far back")] = 30,
) -> Told:
    """Report what inspection was used for.

    Counts alone, fit to be published.
    """
    with _bound(place, actor, role) as operator:
        found = operator.report(days=days)
    lines: list[Words] = [
        f"The last {found.days} days: {found.requested} requested, {found.granted} granted,"
        f" {sum(found.denied.values())} denied; {found.reads} reads of {found.entries_read} memories",
        f"  break-glass {found.break_glass} times: {found.break_glass_justified} justified,"
        f" {found.break_glass_unjustified} unjustified",
    ]
    late = f"  {found.reviews_overdue} reviews and {found.notices_overdue} notices are overdue"
    lines.append(bad(late) if found.reviews_overdue or found.notices_overdue else dim(late))
    return Told(found, lines)


def kill_switch(
    place: Place,
    actor: Actor,
    role: Role,
    state: Annotated[str | None, typer.Argument(metavar="[on|off]", help="what to make it")] = None,
) -> Told:
    """Stop inspection for the tenant, or let it go on.

    Stopping closes every grant at once.
    """
    from iris_memory.contracts.inspection import InspectionRefused

    if state not in {None, "on", "off"}:
        raise UsageError("the switch is on or off")
    with _bound(place, actor, role) as operator:
        switch = operator.kill_switch(on=None if state is None else state == "on")
    if isinstance(switch, InspectionRefused):
        return _refused(switch)
    return Told(switch, [warn("Inspection is stopped.") if switch.on else good("Inspection is possible.")])


def consent_snapshot(
    place: Place, actor: Actor, role: Role, of_user: Annotated[str, typer.Option("--of", metavar="USER")]
) -> Told:
    """Show the head of a person's consent chain.

    A request for sensitive memory names it.
    """
    with _bound(place, actor, role) as operator:
        head = operator.consent_snapshot(of_user)
    return Told({"consent_snapshot_id": head}, [head or dim("The person has decided nothing yet.")])


def lines(
    place: Place,
    actor: Actor,
    role: Role,
    pairs: Annotated[
        Many, typer.Argument(metavar="[OPERATOR=LINE]...", help="who reports along which line; OPERATOR= for none")
    ] = None,
) -> Told:
    """Show who reports along which line, or change it for the operators named; the others stay."""
    from iris_memory.contracts.inspection import InspectionRefused

    wanted = [pair.partition("=") for pair in pairs or []]
    if not all(equals for _, equals, _ in wanted):
        raise UsageError("write OPERATOR=LINE")
    with _bound(place, actor, role) as operator:
        for operator_id, _, line in wanted:
            done = operator.set_reporting_line(operator_id, line or None)
            if isinstance(done, InspectionRefused):
                return _refused(done)
        table = operator.reporting_lines()
    if isinstance(table, InspectionRefused):
        return _refused(table)
    rows: list[Words] = [f"{operator_id} reports along {line}" for operator_id, line in sorted(table.items())]
    return Told({"lines": table}, [*rows, good(f"{count(len(table), 'operator')} in the table.")])


def canaries(
    place: Place,
    actor: Actor,
    role: Role,
    plant: Annotated[Many, typer.Option("--plant", metavar="ID", help="of a memory or of a revision; repeat")] = None,
    remove: Annotated[Many, typer.Option("--remove", metavar="ID", help="one that was planted; repeat")] = None,
) -> Told:
    """Show the ids whose reading raises an alarm, or plant and remove some; the others stay."""
    from iris_memory.contracts.inspection import InspectionRefused

    with _bound(place, actor, role) as operator:
        for planted, ids in ((True, plant), (False, remove)):
            for name in ids or []:
                done = operator.set_canary(name, planted=planted)
                if isinstance(done, InspectionRefused):
                    return _refused(done)
        found = operator.canaries()
    if isinstance(found, InspectionRefused):
        return _refused(found)
    return Told({"ids": found}, [*found, good(f"{count(len(found), 'canary', 'canaries')} planted.")])


def given(
    place: Place,
    actor: Actor,
    role: Role,
    days: Annotated[int, typer.Option("--days", min=1, max=3_650, metavar="N", help="how far back")] = 90,
) -> Told:
    """List what was told.

    Notices people were given, and alarms, to those who approve.
    """
    with _bound(place, actor, role) as operator:
        notices, alarms = operator.given_user_notices(days=days), operator.alarms(days=days)
    lines: list[Words] = [
        f"notice {notice.notice_id} to {notice.user_id}, {notice.delivered_at:%Y-%m-%d %H:%M}" for notice in notices
    ]
    lines += [
        warn(f"alarm {alarm.kind.value}, {alarm.at:%Y-%m-%d %H:%M}, by {alarm.actor}: inspection {alarm.inspection_id}")
        for alarm in alarms
    ]
    return Told({"notices": notices, "alarms": alarms}, lines or [dim(f"Nothing in the last {days} days.")])


def list_keys(place: Place, actor: Actor, role: Role) -> Told:
    """List the keys that vouch for incidents."""
    with _bound(place, actor, role) as operator:
        found = operator.incident_keys()
    rows: list[Words] = [
        dim(f"{key.key_id}  {key.label}, revoked") if key.revoked_at else f"{key.key_id}  {key.label}" for key in found
    ]
    return Told({"keys": found}, rows or [dim("There is no key.")])


def register_key(
    place: Place,
    actor: Actor,
    role: Role,
    public_key: Annotated[str, typer.Argument(metavar="HEX", help="an Ed25519 public key, 64 hex digits")],
    label: Annotated[str, typer.Option("--label", metavar="TEXT", help="whose it is")],
) -> Told:
    """Trust a key for incidents of the tenant."""
    from iris_memory.contracts.inspection import InspectionRefused

    with _bound(place, actor, role) as operator:
        key = operator.register_incident_key(public_key, label=label)
    return _refused(key) if isinstance(key, InspectionRefused) else Told(key, [good(f"Trusted: {key.key_id}.")])


def revoke_key(
    place: Place,
    actor: Actor,
    role: Role,
    key_id: Annotated[str, typer.Argument(metavar="KEY", help="the id of the key")],
) -> Told:
    """Stop trusting a key."""
    from iris_memory.contracts.inspection import InspectionRefused

    with _bound(place, actor, role) as operator:
        key = operator.revoke_incident_key(key_id)
    return _refused(key) if isinstance(key, InspectionRefused) else Told(key, [good(f"Revoked: {key.key_id}.")])


def looked(place: Place) -> Told:
    """Show who looked at this memory.

    Every look by an operator, newest first: in which role, why, when, at how much.
    """
    with place.person() as me:
        entries = me.looked()
    rows: list[Words] = [
        f"{one.at:%Y-%m-%d %H:%M}  {one.role.value}: {one.reason.value},"
        f" {count(len(one.logical_ids), 'memory', 'memories')}" + (", replayed" if one.replayed else "")
        for one in entries
    ]
    return Told({"entries": entries}, rows or [good("No operator has looked.")])


def _incident(file: Path | None) -> Any:
    import json

    if file is None:
        return None
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise UsageError("the incident reference is a JSON file") from None
    if not isinstance(found, dict):
        raise UsageError("the incident reference is one JSON object")
    return found


def _line(inspection: Any) -> Words:
    reason = inspection.trail[-1].reason
    why = f" ({reason.value})" if reason is not None else ""
    text = f"{inspection.inspection_id}  {inspection.path.value}, {inspection.reference}: {inspection.state.value}{why}"
    return warn(f"{text}, break-glass") if inspection.break_glass else text


def _told(outcome: Any) -> Told:
    from iris_memory.contracts.inspection import InspectionRefused, InspectionState

    if isinstance(outcome, InspectionRefused):
        return _refused(outcome)
    lines: list[Words] = [_line(outcome)]
    if outcome.grant is not None:
        ends = outcome.grant.expires_at.isoformat()
        held = sum(outcome.grant.withheld.values())
        lines.append(dim(f"  {count(outcome.grant.entries, 'memory', 'memories')} until {ends}; {held} withheld"))
    code = ExitCode.REFUSED if outcome.state is InspectionState.DENIED else ExitCode.OK
    return Told(outcome, lines, code)


def _shown(outcome: Any) -> Told:
    from iris_memory.contracts.inspection import InspectionRefused

    if isinstance(outcome, InspectionRefused):
        return _refused(outcome)
    lines: list[Words] = [
        f"{one.frozen.logical_id}  {one.entry.category.value}: {one.entry.body}"
        if one.entry is not None
        else dim(f"{one.frozen.logical_id}  erased, receipt {one.erased.receipt_id or 'unknown'}")
        for one in outcome.entries
    ]
    return Told(outcome, [*lines, dim(f"{len(outcome.entries)} of {outcome.total}")])


def _refused(refusal: Any) -> Told:
    return Told(refusal, [bad(f"Refused ({refusal.reason.value}): {refusal.rule}.")], ExitCode.REFUSED)
