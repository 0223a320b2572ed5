"""The PostgreSQL engine keeps the whole contract; what it does not support is a failure."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from iris_memory.conformance.samples import OpenStore
from iris_memory.conformance.suites import STORE_CHECKS
from iris_memory.storage.postgres import PostgresStore

pytestmark = pytest.mark.enable_socket


@pytest.mark.parametrize("check", STORE_CHECKS, ids=lambda check: check.__name__)
def test_postgres_keeps_its_promise(check: Callable[[OpenStore], None], url: str) -> None:
    check(partial(PostgresStore, url))
