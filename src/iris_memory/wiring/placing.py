"""Placing: where the parts of an open store lie, and what is wrong with it. No address is shown, only where it leads.

In the production profile the parts must not fall together: the root key and the heads lie outside the store's folder,
and the vault lies in no cluster of the database, whose base backups and log would bring destroyed keys back.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from iris_memory.errors import SettingError
from iris_memory.flows.doctor import Finding
from iris_memory.flows.instruments import Instruments
from iris_memory.wiring.layout import Layout, heads_folder, key_file
from iris_memory.wiring.opening import Opened
from iris_memory.wiring.settings import Profile, Settings

_CLUSTER: Final = "PG_VERSION"
"""The file that stands in the data directory of every PostgreSQL cluster."""


def placement(opened: Opened) -> list[Finding]:
    """Say where the data, the vault, the root key and the heads lie; find fault where they must lie apart."""
    layout, settings = opened.layout, opened.settings
    strict = settings.profile is Profile.PRODUCTION
    return [
        Finding("where the data is", ok=True, detail=where_data_is(opened)),
        _vault(layout, strict=strict),
        _key(opened, strict=strict),
        _heads(layout, settings, strict=strict),
        _kept(opened.instruments),
        *_left_behind(opened),
    ]


def require_placement(opened: Opened) -> None:
    """Require, in the production profile, that what must lie apart does, before anybody is served (LOG-7).

    Raises:
        SettingError: it does not; `iris doctor` tells the same with the places.
    """
    if opened.settings.profile is not Profile.PRODUCTION:
        return
    wrong = [finding.what for finding in placement(opened) if not finding.ok]
    if wrong:
        raise SettingError(
            f"IRIS_PROFILE is production, and these are not fit for it: {', '.join(wrong)}; `iris doctor` says why"
        )


def where_data_is(opened: Opened) -> str:
    """Say in words where the data lies."""
    if opened.database is None:
        return f"SQLite in {opened.layout.data}"
    return opened.database.where()


def where_key_is(layout: Layout, settings: Settings) -> str:
    """Say in words where the root key is, with its file where it has one."""
    if settings.root_key_in_environment:
        return "the environment variable IRIS_ROOT_KEY"
    path = key_file(layout, settings)
    return f"{path}, wrapped by a key service" if settings.kms_command else str(path)


def _vault(layout: Layout, *, strict: bool) -> Finding:
    cluster = any((folder / _CLUSTER).is_file() for folder in layout.vault.resolve().parents)
    if cluster:
        told = "in the data directory of a PostgreSQL cluster: its backups would bring destroyed keys back; move it out"
        return Finding("where the vault is", ok=not strict, detail=told)
    return Finding("where the vault is", ok=True, detail=f"a file, {layout.vault}")


def _key(opened: Opened, *, strict: bool) -> Finding:
    layout, settings = opened.layout, opened.settings
    what = "where the root key is"
    if settings.root_key_in_environment:
        return Finding(what, ok=True, detail=where_key_is(layout, settings))
    path = key_file(layout, settings)
    if not path.exists():
        return Finding(what, ok=True, detail=opened.provider.describe())
    if _is_within(path, layout.folder):
        told = f"{path}: in the store's folder, so that who copies the one has the other; name it elsewhere"
        return Finding(what, ok=not strict or bool(settings.kms_command), detail=told)
    return Finding(what, ok=True, detail=where_key_is(layout, settings))


def _heads(layout: Layout, settings: Settings, *, strict: bool) -> Finding:
    folder = heads_folder(layout, settings)
    if _is_within(folder, layout.folder):
        told = "in the store's folder, where a restore of the whole folder takes them along; set IRIS_HEADS"
        return Finding("where the heads are", ok=not strict, detail=told)
    return Finding("where the heads are", ok=True, detail=str(folder))


def _kept(instruments: Instruments) -> Finding:
    """Find tenants whose data holds a signed head while none is kept outside: whatever was kept was taken away.

    The first head of a chain is kept in both places, so the one in the data vouches for the other.
    """
    with instruments.store.read() as reading:
        missing = sum(
            bool(reading.checkpoints(tenant)) and instruments.heads.kept(tenant) is None for tenant in reading.tenants()
        )
    told = (
        f"of {missing} tenants with signed heads none is kept outside: an old copy would go unnoticed until the next"
        if missing
        else "every signed chain has one outside"
    )
    return Finding("heads kept outside", ok=missing == 0, detail=told)


def _left_behind(opened: Opened) -> list[Finding]:
    if opened.database is None or not opened.layout.data.exists():
        return []
    told = "data/iris.db is still there from before the move, and a forget does not scrub it; delete it"
    return [Finding("left behind by a move", ok=opened.settings.profile is not Profile.PRODUCTION, detail=told)]


def _is_within(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())
