"""What an operator decides: approvals of scopes, and new keys."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iris_memory.cli.answers import Told, dim, good
from iris_memory.cli.auditing import require_chain
from iris_memory.cli.commands import Place
from iris_memory.cli.failures import UsageError
from iris_memory.cli.instants import typed_instant

if TYPE_CHECKING:
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
            with Iris.open(place.store, create=False, key=_provider(target), tended=False):
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
