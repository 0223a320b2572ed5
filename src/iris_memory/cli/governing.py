"""What an operator decides: approvals of scopes, and new keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iris_memory.cli.answers import Told, Words, bad, dim, good
from iris_memory.cli.auditing import require_chain
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode
from iris_memory.cli.failures import UsageError
from iris_memory.cli.instants import typed_instant

if TYPE_CHECKING:
    from iris_memory.contracts.consent import ApprovalRequest
    from iris_memory.contracts.write import Refused
    from iris_memory.ports.vault import KeyProvider


def approve(
    place: Place,
    scope: Annotated[
        str,
        typer.Argument(
            metavar="SCOPE", help="an adapter scope that needs governance review, such as pose or cross_domain"
        ),
    ],
    by: Annotated[str, typer.Option("--by", metavar="ID", help="who gives leave")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="why")],
    until: Annotated[
        str, typer.Option("--until", metavar="INSTANT", help="when it ends, such as 2027-01-31T12:00:00Z")
    ],
) -> Told:
    """Give leave to use a reviewed scope.

    For scopes that need governance review, and for a while.
    """
    ends = typed_instant(until, option="--until")
    assert ends is not None
    with place.opened() as iris:
        approval = iris.approve_scope(
            tenant=place.tenant, adapter_scope=scope, approver=by, reason=reason, expires_at=ends
        )
    return Told(approval, [good(f"{approval.adapter_scope.value} may be used until {ends.isoformat()}.")])


Actor = Annotated[str, typer.Option("--by", metavar="ID", help="who acts")]
RequestId = Annotated[str, typer.Argument(metavar="REQUEST_ID", help="as `iris approval list` shows it")]


def ask_approval(
    place: Place,
    scope: Annotated[
        str,
        typer.Argument(
            metavar="SCOPE", help="an adapter scope that needs governance review, such as pose or cross_domain"
        ),
    ],
    by: Actor,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="why")],
    until: Annotated[
        str, typer.Option("--until", metavar="INSTANT", help="when it ends, such as 2027-01-31T12:00:00Z")
    ],
) -> Told:
    """Ask for leave to use a reviewed scope.

    It waits for the word of somebody else.
    """
    ends = typed_instant(until, option="--until")
    assert ends is not None
    with place.opened() as iris:
        request = iris.governance(tenant=place.tenant).ask(scope, asked_by=by, reason=reason, until=ends)
    lines: list[Words] = [good(f"Asked: {request.adapter_scope.value}, until {ends.isoformat()}.")]
    return Told(request, [*lines, dim(f"somebody else grants it with: iris approval grant {request.request_id}")])


def grant_approval(place: Place, request_id: RequestId, by: Actor) -> Told:
    """Give the leave that another asked for.

    The one who asked never grants.
    """
    with place.opened() as iris:
        return _decided(iris.governance(tenant=place.tenant).grant(request_id, granted_by=by))


def withdraw_approval(place: Place, request_id: RequestId, by: Actor) -> Told:
    """Take back a request, or the leave given on it.

    The scope is closed from then on.
    """
    with place.opened() as iris:
        return _decided(iris.governance(tenant=place.tenant).withdraw(request_id, withdrawn_by=by))


def list_approvals(place: Place) -> Told:
    """Show requests for approvals, and where each stands."""
    with place.opened() as iris:
        found = iris.governance(tenant=place.tenant).requests()
    lines: list[Words] = [
        f"{one.adapter_scope.value}: {one.state.value}, asked by {one.asked_by}"
        + (f", granted by {one.granted_by}" if one.granted_by else "")
        + f", until {one.wanted_until.isoformat()}  {one.request_id}"
        for one in found
    ]
    return Told({"requests": found}, [*lines, dim(f"{len(found)} in all")])


def publish_notice(
    place: Place,
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="consents, such as data_storage")],
    terms_file: Annotated[
        Path,
        typer.Option("--terms-file", metavar="FILE", exists=True, dir_okay=False, help="a file with the exact text"),
    ],
    language: Annotated[str, typer.Option("--language", metavar="TAG", help="the language of the text")] = "en",
) -> Told:
    """Change the notice of some consents.

    Whoever agreed to another text is due for asking: `iris consent due`.
    """
    shown = terms_file.read_text(encoding="utf-8")
    if not shown.strip():
        raise UsageError("the text of a notice cannot be empty")
    with place.opened() as iris:
        done = iris.governance(tenant=place.tenant).publish_notice(*names, terms=shown, language=language)
    lines: list[Words] = [good(f"{one.type} in {one.terms_language}: version {one.version}") for one in done]
    return Told({"notices": done}, lines)


def _decided(outcome: ApprovalRequest | Refused) -> Told:
    from iris_memory.contracts.write import Refused

    if isinstance(outcome, Refused):
        return Told(outcome, [bad(f"Not done: {outcome.reason.value}"), f"  {outcome.rule}"], ExitCode.REFUSED)
    return Told(outcome, [good(f"{outcome.adapter_scope.value}: {outcome.state.value}.")])


def rotate_root(
    place: Place,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="make the new key in this file; left out, in place of the old file"),
    ] = None,
) -> Told:
    """Make a new root key.

    Every tenant's keys are wrapped under it. Run it again when it was interrupted.
    """
    from iris_memory.errors import KeyWrongError
    from iris_memory.front.iris import Iris
    from iris_memory.wiring.layout import key_file, lay
    from iris_memory.wiring.settings import read_settings

    settings = read_settings()
    layout, _ = lay(place.store, create=False)
    in_use = key_file(layout, settings)
    if to is None and settings.root_key_in_environment:
        raise UsageError("the root key comes from the environment; name the file of the new one with --to")
    if to is not None and to.exists():
        raise UsageError("there is a file of that name; name one that is not there")
    target = to or in_use.with_name(in_use.name + ".next")
    if to is None and target.exists():
        try:
            with place.opened():
                target.unlink()  # of a rotation that was interrupted before it took place
        except KeyWrongError:
            with Iris.open(place.store, create=False, key=_provider(target), tended=False, database=place.database):
                target.replace(in_use)
            return _rotated_root(to)
    with place.opened() as iris:
        iris.rotate_root_key(_provider(target, create=True))
    if to is None:
        target.replace(in_use)
    return _rotated_root(to)


def rotate_tenant(place: Place) -> Told:
    """Make a new wrapping key for the tenant.

    Its keys are wrapped under it; what is sealed stays as it is.
    """
    with place.opened() as iris:
        require_chain(iris, place.tenant)
        iris.rotate_tenant_key(tenant=place.tenant)
    return Told({"rotated": "tenant"}, [good("The tenant's keys are wrapped under a new key.")])


def rotate_signing(place: Place) -> Told:
    """Make a new signing key for the tenant.

    The one before is retired at the present head; old heads still verify.
    """
    with place.opened() as iris:
        require_chain(iris, place.tenant)
        iris.rotate_signing_key(tenant=place.tenant)
    lines = [good("The next heads are signed by a new key."), dim("give it to those who verify: iris audit keys")]
    return Told({"rotated": "signing"}, lines)


def _rotated_root(to: Path | None) -> Told:
    lines = [good("Everything is wrapped under a new root key. Keep a copy of it apart from the store.")]
    if to is not None:
        lines.append(dim("from now on set IRIS_KEY_FILE to the new file, or IRIS_ROOT_KEY to what it holds"))
    return Told({"rotated": "root", "file": to}, lines)


def _provider(file: Path, *, create: bool = False) -> KeyProvider:
    from iris_memory.wiring.layout import Layout, key_provider
    from iris_memory.wiring.settings import read_settings

    settings = read_settings()._replace(root_key_in_environment=False, key_file=str(file))
    return key_provider(Layout(file.parent, ""), settings, is_new=create)
