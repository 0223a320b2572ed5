"""Settings: every environment variable Iris reads, in one table. The reference page is made from it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from iris_memory.contracts.operator_note import NoteRollout
from iris_memory.errors import SettingError
from iris_memory.flows.instruments import Durability
from iris_memory.tables.limits import VAULT_BACKUP_DAYS
from iris_memory.wiring.addresses import Database, database_of


class Profile(StrEnum):
    """What a deployment promises: in production what is convenient and not safe keeps it from serving."""

    DEVELOPMENT = "development"
    PRODUCTION = "production"


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
    SettingRow(
        "IRIS_DATABASE_URL",
        "",
        "postgresql://…, or host=… dbname=…",
        "the database that holds the data, for every command and process without --database; the vault stays in the"
        " folder; never shown",
    ),
    SettingRow(
        "IRIS_DATABASE_DIRECT_URL",
        "",
        "postgresql://…, or host=… dbname=…",
        "the same database past a transaction pooler, for the one connection that listens for notices; never shown",
    ),
    SettingRow("IRIS_DATABASE_POOLED", "no", "yes or no", "whether a transaction pooler stands before the database"),
    SettingRow(
        "IRIS_HEADS",
        "heads/ in the store's folder",
        "a folder",
        "where copies of signed audit heads are kept, under the id of the store; in production another disk or machine",
    ),
    SettingRow(
        "IRIS_KMS_COMMAND",
        "",
        "a program with its arguments",
        "asked to `wrap` and `unwrap` the root key, so that the key file holds it wrapped only",
    ),
    SettingRow(
        "IRIS_PROFILE",
        Profile.DEVELOPMENT.value,
        " or ".join(Profile),
        "in production nothing is served while keys, heads or a vault lie where the data lies; `iris doctor` tells",
    ),
    SettingRow(
        "IRIS_GOVERNANCE_OWNER_PII",
        "off",
        "off, shadow or enforce",
        "how far guards keep the owner's identity in; any other value runs shadow, with a warning at the start",
    ),
    SettingRow(
        "IRIS_IDENTITY_FOLDER", ".", "a folder", "where the identity documents lie: USER.md, SOUL.md and AGENTS.md"
    ),
    SettingRow(
        "IRIS_IDENTITY_CONFIG",
        "identity.yaml in the identity folder",
        "a file",
        "the guard table of the deployment: kinds, cells, destinations, and the kinds that are enforced",
    ),
    SettingRow(
        "IRIS_GUARD_LOG", "", "a file", "where guards that run without a store write one row per firing, as JSON lines"
    ),
    SettingRow(
        "IRIS_OPERATOR_NOTES",
        NoteRollout.ON.value,
        " or ".join(NoteRollout),
        "whether notes of operators go into prompts; shadow looks them up and counts, and gives out nothing",
    ),
    SettingRow(
        "IRIS_SUMMARIZER_URL",
        "",
        "an https address, or http on loopback",
        "an endpoint in the OpenAI chat-completions form that condenses memories whose raw window is over; when set,"
        " their texts are sent there",
    ),
    SettingRow("IRIS_SUMMARIZER_MODEL", "", "a name", "the model that endpoint is asked for"),
    SettingRow("IRIS_SUMMARIZER_KEY", "", "a token", "sent to that endpoint as a bearer token; never shown"),
    SettingRow(
        "IRIS_RATE_PER_HOLDER",
        "6000",
        "a number of requests a minute; 0 for no limit",
        "how often the service lets one holder of a token ask",
    ),
    SettingRow(
        "IRIS_RATE_PER_ADDRESS",
        "12000",
        "a number of requests a minute; 0 for no limit",
        "how often the service lets one address ask; behind a proxy everybody has the proxy's",
    ),
    SettingRow(
        "IRIS_ANSWER_SECONDS",
        "120",
        "a number of seconds; 0 for as long as it takes",
        "how long an answer of the service may take to begin; what takes longer may still happen",
    ),
    SettingRow(
        "IRIS_REQUEST_LOG",
        "errors",
        "off, errors or all",
        "which requests get a line in the service's log: method, route, status and time as JSON on stderr, no words",
    ),
    SettingRow(
        "IRIS_TRACING",
        "no",
        "yes or no",
        "whether the service makes OpenTelemetry spans, with what the process's own provider does to them",
    ),
)


class Settings(NamedTuple):
    """Settings as read."""

    store: str
    key_file: str | None
    root_key_in_environment: bool
    durability: Durability
    vault_backup_days: int
    database: Database | None = None
    heads: str | None = None
    kms_command: tuple[str, ...] = ()
    pooled: bool = False
    profile: Profile = Profile.DEVELOPMENT
    owner_pii: str = ""
    identity_folder: str = "."
    identity_config: str | None = None
    guard_log: str | None = None
    notes_rollout: NoteRollout = NoteRollout.ON
    summarizer: tuple[str, str, str] = ("", "", "")
    """Address, model and key of the endpoint that makes summaries; no address: none does."""
    rates: tuple[int, int] = (0, 0)
    """Requests a minute of one holder and of one address; 0 sets no limit."""
    answer_seconds: int = 120
    """How long an answer of the service may take to begin; 0 sets no limit."""
    request_log: str = "errors"
    is_tracing: bool = False


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
        notes_rollout=_rollout(values["IRIS_OPERATOR_NOTES"]),
        database=_database(values),
        heads=values["IRIS_HEADS"] or None,
        pooled=values["IRIS_DATABASE_POOLED"] == "yes",
        kms_command=_command(values["IRIS_KMS_COMMAND"]),
        profile=_profile(values["IRIS_PROFILE"]),
        owner_pii=values["IRIS_GOVERNANCE_OWNER_PII"],
        identity_folder=values["IRIS_IDENTITY_FOLDER"] or ".",
        identity_config=values["IRIS_IDENTITY_CONFIG"] or None,
        guard_log=values["IRIS_GUARD_LOG"] or None,
        summarizer=(
            values["IRIS_SUMMARIZER_URL"],
            values["IRIS_SUMMARIZER_MODEL"],
            values["IRIS_SUMMARIZER_KEY"],
        ),
        rates=(_number(values, "IRIS_RATE_PER_HOLDER"), _number(values, "IRIS_RATE_PER_ADDRESS")),
        answer_seconds=_number(values, "IRIS_ANSWER_SECONDS", of="seconds"),
        request_log=_one_of(values, "IRIS_REQUEST_LOG", ("off", "errors", "all")),
        is_tracing=_one_of(values, "IRIS_TRACING", ("yes", "no")) == "yes",
    )


def _database(values: Mapping[str, str]) -> Database | None:
    pooled = values["IRIS_DATABASE_POOLED"] or "no"
    if pooled not in {"yes", "no"}:
        raise SettingError("IRIS_DATABASE_POOLED accepts yes or no")
    url, direct = values["IRIS_DATABASE_URL"], values["IRIS_DATABASE_DIRECT_URL"]
    if not url:
        return None
    if direct:
        database_of(direct)
    return database_of(url, direct=direct or None, pooled=pooled == "yes")


def _default(name: str) -> str:
    return next(row.default for row in SETTINGS if row.name == name)


def _number(values: Mapping[str, str], name: str, *, of: str = "requests a minute") -> int:
    given = values[name] or _default(name)
    if not (given.isascii() and given.isdecimal()):
        raise SettingError(f"{name} accepts a number of {of}")
    return int(given)


def _one_of(values: Mapping[str, str], name: str, words: tuple[str, ...]) -> str:
    given = values[name] or _default(name)
    if given not in words:
        raise SettingError(f"{name} accepts {' or '.join(words)}")
    return given


def _rollout(value: str) -> NoteRollout:
    try:
        return NoteRollout(value or NoteRollout.ON.value)
    except ValueError:
        raise SettingError(f"IRIS_OPERATOR_NOTES accepts {' or '.join(NoteRollout)}") from None


def _command(given: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(given))
    except ValueError:
        raise SettingError("IRIS_KMS_COMMAND accepts a program with its arguments, quoted as in a shell") from None


def _profile(given: str) -> Profile:
    if given and given not in set(Profile):
        raise SettingError(f"IRIS_PROFILE accepts {' or '.join(Profile)}")
    return Profile(given or Profile.DEVELOPMENT)
