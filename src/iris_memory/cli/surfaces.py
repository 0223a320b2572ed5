"""The surfaces of a service, put together: whose tokens are good, the pages, and the protocol of assistants."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from iris_memory.access.issuers import Issuers, Role, read_issuers
from iris_memory.access.keysets import KeySets, fetch
from iris_memory.access.sessions import Sessions
from iris_memory.access.sign_in import SignIn, post
from iris_memory.access.signed_tokens import IssuedTokens
from iris_memory.access.step_up import is_fresh
from iris_memory.access.tokens import Holder, Tokens
from iris_memory.errors import SettingError
from iris_memory.front.iris import Iris
from iris_memory.http.serving import DEMO, Surfaces, Surrounding
from iris_memory.mcp.mounting import mounted
from iris_memory.mcp.tools import Asker
from iris_memory.web.mounting import create_pages
from iris_memory.web.routes.signing_in import DemoPerson

DEMO_OPERATORS: Final = (
    ("Support, local", "local", "op-support", frozenset({Role.SUPPORT})),
    ("Admin, local", "local", "op-admin", frozenset({Role.ADMIN, Role.AUDITOR})),
    ("Legal, local", "local", "op-legal", frozenset({Role.LEGAL})),
    ("Trust and safety, local", "local", "op-safety", frozenset({Role.TRUST_AND_SAFETY})),
)
"""Operators that anybody at this machine can sign in as, in development."""


def development(people: Sequence[str]) -> Surrounding:
    """Return the surfaces of a machine's own service: everybody named can sign in without proof."""
    named = [_demo_person(name) for name in dict.fromkeys((DEMO, *people))]
    operators = [DemoPerson(name, tenant, user, roles) for name, tenant, user, roles in DEMO_OPERATORS]

    def build(iris: Iris, tokens: Tokens, address: str) -> Surfaces:
        return _surfaces(iris, address, sign_in=None, people=(*named, *operators))

    return build


def with_issuers(path: Path) -> tuple[Callable[[Iris], Tokens], Surrounding]:
    """Return the tokens that are good and the surfaces of a service whose people come from OpenID providers.

    Raises:
        SettingError: the file of issuers cannot be used, or a client secret it names is not set.
    """
    known = read_issuers(path)
    secrets_of = _client_secrets(known)
    made: list[IssuedTokens] = []

    def tokens(iris: Iris) -> Tokens:
        made.append(IssuedTokens(known.by_name(), KeySets(fetch, time.monotonic), iris.instruments.clock.now))
        return made[-1]

    def build(iris: Iris, tokens: Tokens, address: str) -> Surfaces:
        sign_in = SignIn(
            known.by_name(),
            made[-1],
            key=iris.deployment_key("sign-in"),
            now=iris.instruments.clock.now,
            fetch=fetch,
            post=post,
            secrets_of=secrets_of,
        )
        return _surfaces(iris, address, sign_in=sign_in, people=())

    return tokens, build


def _demo_person(name: str) -> DemoPerson:
    tenant, _, user = name.partition("/")
    return DemoPerson(name, tenant, user, frozenset({Role.CUSTOMER}))


def _surfaces(iris: Iris, address: str, *, sign_in: SignIn | None, people: Sequence[DemoPerson]) -> Surfaces:
    now = iris.instruments.clock.now
    sessions = Sessions(iris.deployment_key("sessions"), now)
    pages = create_pages(iris, sessions=sessions, address=address, sign_in=sign_in, people=people)

    def whose(context: Any) -> Asker:
        holder: Holder = context.request.state.holder
        memory = iris.for_user(
            tenant=holder.tenant, user=holder.user, consumer=holder.consumer, assistant_id=holder.assistant_id
        )
        return Asker(memory, holder.tenant, holder.user, may_forget=is_fresh(holder, now=now()))

    protocol = mounted(whose, hosts=[urlsplit(address).netloc])
    return Surfaces({"/": pages, "/mcp": protocol.app}, protocol.running)


def _client_secrets(known: Issuers) -> dict[str, str]:
    found = {}
    for row in known.issuers:
        if row.client_secret_setting is None:
            continue
        secret = os.environ.get(row.client_secret_setting, "")
        if not secret:
            raise SettingError(f"{row.client_secret_setting} is not set; the file of issuers names it")
        found[row.issuer] = secret
    return found
