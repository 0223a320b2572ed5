"""The frame of every page: signed in or not, light and dark, by keyboard, on a phone, without script."""

from __future__ import annotations

import pytest
from browsing import NARROW, Site, axe, press, sideways

pytestmark = pytest.mark.enable_socket


@pytest.mark.parametrize("dark", [False, True])
def test_the_list_has_no_violation(site: Site, dark: bool) -> None:
    site.memory().remember("Prefers a window seat on trains", category="preference")
    page = site.visit(path="/memory", dark=dark)
    assert page.title() == "Memory · Iris"
    assert axe(page) == []


def test_it_fits_a_narrow_phone(site: Site) -> None:
    page = site.visit(path="/memory", size=NARROW)
    assert sideways(page) == []


def test_the_first_stop_of_the_keyboard_skips_to_the_content(site: Site) -> None:
    page = site.visit(path="/memory")
    press(page, "Skip to the content")
    assert page.evaluate("() => document.activeElement.id") == "content"


def test_signing_in_without_script(site: Site) -> None:
    page = site.visit(None, "/memory", script=False)
    assert page.url.endswith("/sign-in?back=%2Fmemory")
    page.get_by_role("button", name="Sign in").click()
    assert page.url.endswith("/memory")
