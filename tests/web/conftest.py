"""One served store and one browser per test module; every page is closed after its test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browsing import CHROMIUM, Site, launched, served_site
from playwright.sync_api import sync_playwright


@pytest.fixture(scope="module")
def served_for_module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Serve a new store and start a browser for the tests of one module."""
    if not CHROMIUM.exists():
        pytest.skip("there is no Chromium at /usr/bin/chromium")
    with served_site(tmp_path_factory.mktemp("site")) as site, sync_playwright() as playwright:
        site.browser = launched(playwright)
        yield site
        site.close_pages()
        site.browser.close()


@pytest.fixture
def site(served_for_module: Site) -> Iterator[Site]:
    """The module's site; afterwards no script failed, nothing was refused by the policy, nothing left the origin."""
    yield served_for_module
    served_for_module.close_pages()
    wrong, served_for_module.wrong[:] = list(served_for_module.wrong), []
    assert wrong == []
