"""Every page of the person, in every state: no axe violation in light and dark, nothing lost at 320 px or 200 %."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from browsing import DESKTOP, NARROW, Site, axe, sideways
from person_story import Story, told
from playwright.sync_api import Page

pytestmark = pytest.mark.enable_socket

ADDRESSES: dict[str, Callable[[Story], str]] = {
    "memory": lambda story: "/memory",
    "memory narrowed": lambda story: "/memory?scope=notebook&sort=used",
    "memory with nothing found": lambda story: "/memory?category=legal",
    "one memory": lambda story: f"/memory/{story.seat}",
    "a sensitive memory": lambda story: f"/memory/{story.allergy}",
    "correct": lambda story: f"/memory/{story.seat}/edit",
    "move": lambda story: f"/memory/{story.session_fact}/move",
    "audit of a memory": lambda story: f"/memory/{story.seat}/audit",
    "forget": lambda story: "/forget",
    "reach of one": lambda story: f"/memory/{story.seat}/forget",
    "reach of a category": lambda story: "/forget/categories/medical",
    "reach of somebody": lambda story: f"/forget/people/{story.mention}",
    "reach of a source": lambda story: f"/memory/{story.seat}/sources/1/forget",
    "reach of everything": lambda story: "/forget/everything",
    "receipt": lambda story: f"/receipts/{story.receipt}",
    "pause": lambda story: "/pause",
    "questions": lambda story: "/questions",
    "a question": lambda story: f"/questions/{story.question}",
    "an inference": lambda story: f"/questions/{story.inference}",
    "consent": lambda story: "/consent",
    "give a consent": lambda story: "/consent/category:financial/give",
    "take a consent back": lambda story: "/consent/data_storage/withdraw",
    "rights": lambda story: "/rights",
    "a request": lambda story: f"/rights/{story.request}",
    "ask for an export": lambda story: "/rights/new?kind=export",
    "ask for a deletion": lambda story: "/rights/new?kind=delete",
    "object": lambda story: "/rights/new?kind=object",
    "an export": lambda story: f"/rights/{story.export}/export",
    "who looked": lambda story: "/looked",
    "devices": lambda story: "/devices",
    "a device": lambda story: "/devices/kitchen",
    "never remembered": lambda story: "/never",
    "all that is held": lambda story: "/held",
    "not found": lambda story: "/memory/nothing",
    "sign in once more": lambda story: "/sign-in?back=%2Fforget&fresh=1",
}

MISTAKES: dict[str, tuple[Callable[[Story], str], str]] = {
    "correct": (lambda story: f"/memory/{story.allergy}/edit", "Save the correction"),
    "move": (lambda story: f"/memory/{story.session_fact}/move", "Move it"),
    "everything": (lambda story: "/forget/everything", "Forget all"),
    "question": (lambda story: f"/questions/{story.question}", "Answer"),
    "request": (lambda story: "/rights/new?kind=restrict", "Send the request"),
    "search": (lambda story: "/memory", "Search"),
    "device": (lambda story: "/devices/kitchen", "Save the name"),
}


@pytest.fixture(scope="module")
def story(served_for_module: Site) -> Story:
    return told(served_for_module)


@pytest.fixture(scope="module")
def page(served_for_module: Site, story: Story) -> Iterator[Page]:
    """One page for the whole module; the pages of a person share a browser as they do at home."""
    page = served_for_module.visit(path="/memory", reduced=True)
    yield page
    assert served_for_module.wrong == []


def sound(page: Page) -> None:
    """Check what is open: in light on a desk and at 200 %, in dark on a narrow phone."""
    assert axe(page) == []
    page.set_viewport_size({"width": DESKTOP[0] // 2, "height": DESKTOP[1] // 2})
    assert sideways(page) == []
    page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
    page.emulate_media(color_scheme="dark")
    assert (axe(page), sideways(page)) == ([], [])
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
    assert page.evaluate("() => document.querySelectorAll('h1').length") == 1
    assert page.evaluate("() => document.querySelectorAll('main .primary').length") <= 1


@pytest.mark.parametrize("name", ADDRESSES)
def test_a_page_is_sound(page: Page, story: Story, name: str) -> None:
    page.goto(ADDRESSES[name](story))
    sound(page)
    assert "trains" not in page.title() + page.url
    assert "penicillin" not in page.title() + page.url


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_said_on_top_and_at_the_field(page: Page, story: Story, name: str) -> None:
    address, button = MISTAKES[name]
    page.goto(address(story))
    for empty in ("#body", "#name"):
        if page.locator(f"main {empty}").count():
            page.locator(f"main {empty}").fill("")
    page.get_by_role("button", name=button).click()
    summary = page.get_by_role("alert")
    assert summary.get_by_role("heading", name="There is something to mend").is_visible()
    link = summary.get_by_role("link").first
    target = link.get_attribute("href") or ""
    assert page.locator(target).count() == 1
    link.click()
    assert page.evaluate("() => '#' + document.activeElement.id") == target
    sound(page)


def test_a_paused_page_is_sound(page: Page, story: Story) -> None:
    story.me.pause()
    story.me.pause("lisbon")
    for address in ("/memory", "/pause"):
        page.goto(address)
        assert page.get_by_text("Remembering is paused").is_visible()
        sound(page)
    story.me.resume()
    story.me.resume("lisbon")


def test_a_page_is_sound_while_everything_is_set_aside(page: Page, served_for_module: Site) -> None:
    me = served_for_module.memory("leaver")
    me.remember("Keeps bees")
    mine = served_for_module.visit("leaver", "/forget/everything", reduced=True)
    mine.get_by_label("In 7 days, with time to change my mind").check()
    mine.get_by_role("button", name="Forget all 1").click()
    mine.get_by_text("left to bring it back").wait_for()
    for address in (mine.url, "/memory", "/forget", "/rights"):
        mine.goto(address)
        sound(mine)


def test_a_page_for_nobody_is_sound(page: Page, served_for_module: Site) -> None:
    nobody = served_for_module.visit(None, "/sign-in", reduced=True)
    for address in ("/sign-in", "/never", "/memory"):
        nobody.goto(address)
        sound(nobody)


def test_nothing_moves_where_motion_is_unwelcome(page: Page) -> None:
    page.goto("/memory")
    moving = "() => [...document.querySelectorAll('*')].map(one => getComputedStyle(one).transitionDuration)"
    assert set(page.evaluate(moving)) <= {"0s"}


def test_what_is_touched_is_large_enough(page: Page, story: Story) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    small = """() => [...document.querySelectorAll('button, .button, summary, select, .side a, input[type=text]')]
      .filter(one => one.checkVisibility() && one.getBoundingClientRect().height < 44).map(one => one.outerHTML)"""
    for address in ("/memory", f"/memory/{story.seat}", "/consent", "/pause"):
        page.goto(address)
        page.locator(".menu > summary").click()
        assert page.evaluate(small) == []
    page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
