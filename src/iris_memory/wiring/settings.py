"""Settings: every environment variable Iris reads, in one table. The reference page is made from it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final, NamedTuple

from iris_memory.errors import SettingError
from iris_memory.flows.instruments import Durability
from iris_memory.tables.limits import VAULT_BACKUP_DAYS


class SettingRow(NamedTuple):
    """One setting."""

    name: str
    default: str
    accepts: str
    what: str


SETTINGS: Final = (
    SettingRow("IRIS_STORE", ".iris", "a folder", "the store that commands work on when --store is not given"),
    SettingRow(
        "IRIS_ROOT_KEY", "", "32 bytes as hex or base64", "the root key itself; when set, no key file is read or made"
    ),
    SettingRow(
        "IRIS_KEY_FILE",
        "iris/keys/<store id>.key in the user's configuration folder",
        "a file",
        "where the root key is kept; made with mode 0600 on first run",
    ),
    SettingRow(
        "IRIS_AUDIT_DURABILITY",
        Durability.DEFAULT.value,
        " or ".join(Durability),
        "when a recall answers: once its event is committed, or once it is on the disk",
    ),
    SettingRow(
        "IRIS_VAULT_BACKUP_DAYS",
        str(VAULT_BACKUP_DAYS),
        "a number of days",
        "how long backups of the vault live; stated on each receipt",
    ),
)


class Settings(NamedTuple):
    """Settings as read."""

    store: str
    key_file: str | None
    root_key_in_environment: bool
    durability: Durability
    vault_backup_days: int


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings.

    Raises:
        SettingError: a setting has a value it cannot have.
    """
    given = os.environ if environment is None else environment
    values = {row.name: given.get(row.name, "").strip() for row in SETTINGS}
    durability = values["IRIS_AUDIT_DURABILITY"] or Durability.DEFAULT.value
    if durability not in set(Durability):
        raise SettingError(f"IRIS_AUDIT_DURABILITY accepts {' or '.join(Durability)}")
    days = values["IRIS_VAULT_BACKUP_DAYS"] or str(VAULT_BACKUP_DAYS)
    if not (days.isascii() and days.isdecimal()):
        raise SettingError("IRIS_VAULT_BACKUP_DAYS accepts a number of days")
    return Settings(
        store=values["IRIS_STORE"] or ".iris",
        key_file=values["IRIS_KEY_FILE"] or None,
        root_key_in_environment=bool(values["IRIS_ROOT_KEY"]),
        durability=Durability(durability),
        vault_backup_days=int(days),
    )
