"""Issuers: whose tokens are good here, and what of a token names the tenant, the person and the role."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, ValidationError, model_validator

from iris_memory.contracts.category import Consumer
from iris_memory.contracts.shape import Contract, Identifier, refuse_invalid
from iris_memory.errors import SettingError

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519")
"""What an issuer may sign with. Nothing symmetric: who could check a token could make one (RFC 8725 §3.1, §3.5)."""

_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


class Role(StrEnum):
    """What a credential is good for."""

    CUSTOMER = "customer"
    ASSISTANT = "assistant"
    SUPPORT = "support"
    ADMIN = "admin"
    LEGAL = "legal"
    TRUST_AND_SAFETY = "t&s"
    AUDITOR = "auditor"


def _fetchable(address: str) -> str:
    parts = urlsplit(address)
    if parts.hostname is None or parts.username or parts.password or parts.fragment:
        raise ValueError("an address has a host, and no credentials or fragment")
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise ValueError("an address is https; http is for this machine alone")
    return address


Address = Annotated[str, Field(min_length=8, max_length=500), AfterValidator(_fetchable)]
Algorithm = Literal["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519"]
Claim = Annotated[str, Field(min_length=1, max_length=200)]


class Issuer(Contract):
    """One issuer of tokens (an OpenID provider, or another signer of JWTs).

    `jwks_uri` is where its keys are; left out, it is asked of the issuer (OpenID Connect Discovery 1.0 §4). The tenant
    is fixed by `tenant` or read from `tenant_claim`; roles are words of `roles_claim`, translated by `roles`.
    """

    issuer: Address
    audience: Annotated[str, Field(min_length=1, max_length=500)]
    algorithms: Annotated[tuple[Algorithm, ...], Field(strict=False, min_length=1)] = ("RS256",)
    token_types: Annotated[tuple[str, ...], Field(strict=False, min_length=1)] = ("at+jwt", "jwt")
    jwks_uri: Address | None = None
    tenant: Identifier | None = None
    tenant_claim: Claim | None = None
    user_claim: Claim = "sub"
    roles_claim: Claim = "roles"
    roles: dict[str, Role] = Field(default_factory=dict)
    role_without_claim: Role | None = Role.CUSTOMER
    consumer_claim: Claim | None = None
    consumer: Consumer = Consumer.ASSISTANT
    client_id: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """Set where people sign in to the pages with this issuer; its ID tokens are then made out to it."""
    client_secret_setting: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{0,99}$")] | None = None
    """The environment variable with the client secret; the file itself holds none."""
    leeway_seconds: Annotated[int, Field(ge=0, le=300)] = 30

    @model_validator(mode="after")
    def _one_tenant(self) -> Issuer:
        if (self.tenant is None) == (self.tenant_claim is None):
            raise ValueError("name the tenant by exactly one of tenant, tenant_claim")
        return self


class Issuers(Contract):
    """The issuers whose tokens are good here."""

    issuers: Annotated[tuple[Issuer, ...], Field(strict=False, min_length=1, max_length=20)]

    def by_name(self) -> Mapping[str, Issuer]:
        """Return the issuers by their name, which is an address compared letter by letter (RFC 8414 §3.3)."""
        return {row.issuer: row for row in self.issuers}


def read_issuers(path: Path) -> Issuers:
    """Read the file of issuers: one JSON document.

    Raises:
        SettingError: the file cannot be read, or is no JSON.
        ContractError: an issuer is not valid; the message names the field.
    """
    try:
        text = path.read_text("utf-8")
        json.loads(text)
    except OSError as problem:
        reason = (problem.strerror or type(problem).__name__).lower()
        raise SettingError(f"the file of issuers cannot be read ({reason})") from None
    except ValueError:
        raise SettingError("the file of issuers is no JSON in UTF-8") from None
    try:
        known = Issuers.model_validate_json(text)
    except ValidationError as problem:
        refuse_invalid(problem, what="issuers")
    if len(known.by_name()) != len(known.issuers):
        raise SettingError("the file of issuers names one twice")
    return known
