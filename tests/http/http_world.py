"""A real server on loopback over a real store, and people with tokens."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from iris_memory import Iris
from iris_memory.access.issuers import Role
from iris_memory.access.tokens import DevelopmentTokens, Holder
from iris_memory.http.conduct import PLAIN, Conduct
from iris_memory.http.serving import listening, server
from iris_memory.storage.keys import FixedKey

KEY = FixedKey(bytes(range(32)))
TERMS = "We keep what you tell us until you ask us to forget it."


@dataclass
class World:
    """An open store that is served, and a client for each person."""

    iris: Iris
    tokens: DevelopmentTokens
    address: str
    _clients: dict[str, httpx.Client] = field(default_factory=dict)

    def as_(
        self, user: str, *, tenant: str = "acme", may_audit: bool = True, roles: Iterable[Role] = (Role.CUSTOMER,)
    ) -> httpx.Client:
        """Return a client with a token of a person."""
        known = frozenset(roles)
        name = f"{tenant}/{user}/{may_audit}/{sorted(known)}"
        if name not in self._clients:
            token = self.tokens.mint(Holder(tenant, user, may_audit=may_audit, always_fresh=True, roles=known))
            self._clients[name] = httpx.Client(
                base_url=self.address, headers={"Authorization": f"Bearer {token}"}, timeout=60, verify=False
            )
        return self._clients[name]

    def nobody(self, **headers: str) -> httpx.Client:
        """Return a client without a token, or with the headers given."""
        name = str(sorted(headers.items()))
        if name not in self._clients:
            self._clients[name] = httpx.Client(base_url=self.address, headers=headers, timeout=60, verify=False)
        return self._clients[name]

    def consenting(self, user: str, *names: str, tenant: str = "acme") -> httpx.Client:
        """Return a client of a person who agreed to what storing needs, and to the consents named."""
        client = self.as_(user, tenant=tenant)
        body = {"names": ["data_processing", "data_storage", *names], "terms": TERMS}
        assert client.post("/v1/consent/grant", json=body).status_code == 200
        return client

    def close(self) -> None:
        """Close the clients."""
        for client in self._clients.values():
            client.close()


@contextmanager
def served(folder: Path, *, conduct: Conduct = PLAIN) -> Iterator[World]:
    """Serve a new store in a folder until the end of the block."""
    tokens = DevelopmentTokens()
    with (
        Iris.open(folder / "memory", key=KEY, tended=False) as iris,
        listening("127.0.0.1", 0) as listener,
    ):
        running = server(iris, tokens, conduct=conduct)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not running.started:
            time.sleep(0.01)
        world = World(iris, tokens, f"http://127.0.0.1:{listener.getsockname()[1]}")
        try:
            yield world
        finally:
            world.close()
            running.should_exit = True
            thread.join()


def remembered(client: httpx.Client, body: str, **fields: Any) -> str:
    """Remember something and return its logical id."""
    answer = client.post("/v1/memories", json={"body": body, **fields})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["entry"]["logical_id"])
