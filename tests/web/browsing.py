"""A served store with its pages, and people who visit it in a real browser."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
from axe_playwright_python import sync_playwright as axe_room
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, Request

from flows.stores import KEY, TERMS, SteppingClock
from iris_memory.access.issuers import Role
from iris_memory.access.sessions import COOKIE, Sessions
from iris_memory.access.tokens import DevelopmentTokens, Holder
from iris_memory.cli.surfaces import development
from iris_memory.front.iris import Iris
from iris_memory.front.person import PersonMemory
from iris_memory.http.serving import listening, server

CHROMIUM: Final = Path("/usr/bin/chromium")
AXE: Final = Path(axe_room.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
TENANT: Final = "local"
DESKTOP: Final = (1280, 900)
PHONE: Final = (390, 844)
NARROW: Final = (320, 640)
BASE: Final = ("data_processing", "data_storage")


@dataclass
class Site:
    """An open store under a stepping clock that is served with its pages; one per test module."""

    iris: Iris
    clock: SteppingClock
    address: str
    browser: Browser | None = None
    contexts: list[BrowserContext] = field(default_factory=list)
    clients: list[httpx.Client] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """Scripts that failed, refused loads, and requests that left the origin, of every page opened by `visit`."""

    def memory(self, user: str = "me", *, consents: Iterable[str] = BASE) -> PersonMemory:
        """Return somebody's memory through the library, with consents given."""
        me = self.iris.for_user(tenant=TENANT, user=user)
        missing = sorted(set(consents) - me.consent.active())
        if missing:
            me.consent.grant(*missing, terms=TERMS)
        return me

    def cookie(self, user: str = "me", *, roles: Iterable[Role] = (Role.CUSTOMER,), aged: Any = None) -> str:
        """Return the session cookie of somebody who signed in now, or the time `aged` (a timedelta) ago."""
        now = self.clock.now()
        holder = Holder(TENANT, user, roles=frozenset(roles))
        sessions = Sessions(self.iris.deployment_key("sessions"), self.clock.now)
        return sessions.begin(holder, signed_in_at=now - aged if aged is not None else now, for_development=True)

    def client(self, user: str = "me", *, roles: Iterable[Role] = (Role.CUSTOMER,), aged: Any = None) -> httpx.Client:
        """Return a client without a browser, signed in, for what needs none (no script, headers, page weight)."""
        headers = {"Cookie": f"{COOKIE}={self.cookie(user, roles=roles, aged=aged)}", "Origin": self.address}
        self.clients.append(httpx.Client(base_url=self.address, headers=headers, timeout=60))
        return self.clients[-1]

    def visit(
        self,
        user: str | None = "me",
        path: str = "/",
        *,
        roles: Iterable[Role] = (Role.CUSTOMER,),
        size: tuple[int, int] = DESKTOP,
        dark: bool = False,
        script: bool = True,
        reduced: bool = False,
        aged: Any = None,
    ) -> Page:
        """Open a page as somebody (None: not signed in), in a context of its own."""
        assert self.browser is not None
        width, height = size
        context = self.browser.new_context(
            base_url=self.address,
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
            reduced_motion="reduce" if reduced else "no-preference",
        )
        context.set_default_timeout(10_000)
        if user is not None:
            value = self.cookie(user, roles=roles, aged=aged)
            place = self.address.replace("http:", "https:")  # a cookie named __Host- is set from a secure place alone
            context.add_cookies([{"name": COOKIE, "value": value, "url": place, "secure": True, "httpOnly": True}])
        self.contexts.append(context)
        page = context.new_page()
        page.on("request", self._leaving)
        page.on("console", self._complaining)
        page.on("pageerror", lambda problem: self.wrong.append(str(problem)))
        page.goto(path)
        return page

    def close_pages(self) -> None:
        """Close every page that is open."""
        for context in self.contexts:
            context.close()
        self.contexts.clear()

    def _leaving(self, request: Request) -> None:
        if not request.url.startswith(self.address):
            self.wrong.append(f"left the origin: {request.url}")

    def _complaining(self, message: ConsoleMessage) -> None:
        # a page that answers 404 or 422 on purpose is said to have failed to load; everything else is a fault
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.wrong.append(message.text)


@contextmanager
def served_site(folder: Path, *, people: Iterable[str] = ()) -> Iterator[Site]:
    """Serve a new store with API, pages and /mcp on loopback until the end of the block."""
    clock, tokens = SteppingClock(), DevelopmentTokens()
    with (
        Iris.open(folder / "memory", key=KEY, tended=False, clock=clock) as iris,
        listening("127.0.0.1", 0) as listener,
    ):
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        surfaces = development(list(people))(iris, tokens, address)
        running = server(iris, tokens, surfaces)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not running.started:
            time.sleep(0.01)
        site = Site(iris, clock, address)
        try:
            yield site
        finally:
            site.close_pages()
            for client in site.clients:
                client.close()
            running.should_exit = True
            thread.join()


def launched(playwright: Playwright) -> Browser:
    """Start the browser of this machine."""
    return playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])


def axe(page: Page) -> list[str]:
    """Return every violation of any impact that axe-core finds, each with the places; the script needs no network."""
    if not page.evaluate("() => 'axe' in window"):
        # through the debugger, which the content security policy of the page does not bind
        page.context.new_cdp_session(page).send("Runtime.evaluate", {"expression": AXE})
    options = {"resultTypes": ["violations"], "preload": False, "iframes": False}
    found = page.evaluate("options => axe.run(document, options)", options)
    return [
        f"{one['id']} ({one['impact']}): {node['target']} {node['html'][:160]}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


def sideways(page: Page) -> list[str]:
    """Return what makes a page scroll sideways: nothing when all of it fits the width."""
    found: list[str] = page.evaluate(
        """() => {
          const wide = document.documentElement.clientWidth
          if (document.documentElement.scrollWidth <= wide) return []
          return [...document.querySelectorAll('main *, header *, nav *, footer *')]
            .filter(one => one.getBoundingClientRect().right > wide + 1 && !one.closest('.wide'))
            .map(one => one.tagName + '.' + one.className)
        }"""
    )
    return found


def focused(page: Page) -> str:
    """Return the words of what has the focus: its accessible name, as far as label, text and value say it."""
    words: str = page.evaluate(
        """() => {
          const one = document.activeElement
          const label = one.labels && one.labels.length ? one.labels[0].innerText : ''
          return (one.getAttribute('aria-label') || label || one.innerText || one.value || one.tagName).trim()
        }"""
    )
    return words


def tab_to(page: Page, words: str, *, most: int = 200) -> None:
    """Press Tab until what has the focus is called `words` (or starts so), and check that the focus is seen."""
    met = []
    for _ in range(most):
        page.keyboard.press("Tab")
        met.append(focused(page))
        if met[-1].startswith(words):
            assert page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") != "none"
            return
    raise AssertionError(f"the keyboard does not reach {words!r}; it met {met}")


def press(page: Page, words: str, key: str = "Enter") -> None:
    """Reach something by the keyboard alone and press a key on it; what a link or button leads to is waited for."""
    tab_to(page, words)
    if page.evaluate("() => document.activeElement.matches('a[href], button')"):
        with page.expect_navigation():
            page.keyboard.press(key)
    else:
        page.keyboard.press(key)
