"""The three ways in which every flow goes: by mouse, by keyboard alone, and by mouse without script."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any

import pytest
from browsing import Site
from playwright.sync_api import Locator, Page, expect

from iris_memory.access.issuers import Role

TABS_MOST = 400


class Way(StrEnum):
    """How somebody goes through the pages."""

    MOUSE = "mouse"
    KEYBOARD = "keyboard"
    NO_SCRIPT = "no-script"


EVERY_WAY = pytest.mark.parametrize("way", list(Way), ids=[way.value for way in Way])


@dataclass
class Hands:
    """Somebody at a page, who presses, types and chooses in one of the ways; what they name is what they see."""

    page: Page
    way: Way

    def link(self, name: str, *, exact: bool = False, nth: int = 0, within: Locator | None = None) -> None:
        """Follow a link of the page."""
        self._go(self._named("link", name, exact=exact, within=within).nth(nth))

    def button(self, name: str, *, exact: bool = False, nth: int = 0, within: Locator | None = None) -> None:
        """Press a button that leads somewhere."""
        self._go(self._named("button", name, exact=exact, within=within).nth(nth))

    def save(self, name: str, role: str = "link") -> bytes:
        """Press what saves a file, and return its bytes."""
        target = self._named(role, name).first
        with self.page.expect_download() as saved:
            self._activate(target)
        return Path(saved.value.path()).read_bytes()

    def unfold(self, words: str) -> None:
        """Open what is folded under some words, unless it is open, or unfolded by the width of the page."""
        target = self.page.locator("summary").filter(has_text=words).first
        if target.is_visible() and not target.evaluate("one => one.parentElement.open"):
            self._activate(target)

    def write(self, label: str, text: str, *, exact: bool = False) -> None:
        """Fill a field; what stood in it goes."""
        target = self.page.get_by_label(label, exact=exact)
        if self.way is not Way.KEYBOARD:
            target.fill(text)
            return
        self.reach(target)
        if target.get_attribute("type") == "date":
            self.page.keyboard.type(f"{date.fromisoformat(text):%m%d%Y}")
        else:
            self.page.keyboard.press("Control+A")
            self.page.keyboard.insert_text(text)  # what is long is pasted
        assert target.input_value() == text

    def choose(self, label: str, value: str, *, exact: bool = False) -> None:
        """Choose an entry of a list by its value."""
        target = self.page.get_by_label(label, exact=exact)
        if self.way is not Way.KEYBOARD:
            target.select_option(value)
            return
        self.reach(target)
        self.page.keyboard.press("Home")
        for _ in range(target.evaluate("one => one.options.length")):
            if target.input_value() == value:
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"the keyboard does not reach {value!r} of {label!r}")

    def check(self, label: str, *, exact: bool = False) -> None:
        """Check a box, or choose one of several."""
        target = self.page.get_by_label(label, exact=exact).first
        if self.way is not Way.KEYBOARD:
            target.check()
            return
        self.reach(target)
        if target.get_attribute("type") != "radio" or not target.is_checked():
            self.page.keyboard.press("Space")
        assert target.is_checked()

    def sees(self, words: str) -> None:
        """Wait for words on the page."""
        expect(self.page.get_by_text(words).first).to_be_visible()

    def reach(self, target: Locator) -> None:
        """Press Tab until something has the focus, and check that the focus is seen.

        Radio buttons of one group are one stop; arrows go from one to the next.
        """
        one = target.element_handle()
        for _ in range(TABS_MOST):
            self.page.keyboard.press("Tab")
            where = self.page.evaluate(_WHERE, one)
            for _ in range(20):
                if where != "group":
                    break
                self.page.keyboard.press("ArrowDown")
                where = self.page.evaluate(_WHERE, one)
            if where == "there":
                assert self.page.evaluate(_IS_SEEN), "the focus is not seen"
                return
        raise AssertionError(f"the keyboard does not reach {target}")

    def _named(self, role: Any, name: str, *, exact: bool = False, within: Locator | None = None) -> Locator:
        return (within or self.page).get_by_role(role, name=name, exact=exact)

    def _go(self, target: Locator) -> None:
        target.wait_for()
        if self.way is Way.KEYBOARD:
            self.reach(target)
            with self.page.expect_navigation():
                self.page.keyboard.press("Enter")
        else:
            with self.page.expect_navigation():
                target.click()

    def _activate(self, target: Locator) -> None:
        if self.way is Way.KEYBOARD:
            self.reach(target)
            self.page.keyboard.press("Enter")
        else:
            target.click()


_WHERE = """one => {
  const at = document.activeElement
  if (at === one) return 'there'
  return at.type === 'radio' && one.type === 'radio' && at.name === one.name && at.form === one.form ? 'group' : ''
}"""
_IS_SEEN = "() => getComputedStyle(document.activeElement).outlineStyle !== 'none'"


def at(
    site: Site, way: Way, user: str | None, path: str, *, roles: Iterable[Role] = (Role.CUSTOMER,), **more: Any
) -> Hands:
    """Open a page as somebody who goes one of the ways."""
    page = site.visit(user, path, roles=roles, script=way is not Way.NO_SCRIPT, **more)
    return Hands(page, way)
