"""The two pages ask nothing of any other place, run no script, and say what the service is."""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from http_world import World

from iris_memory.http.problems import ALL

pytestmark = pytest.mark.enable_socket


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "link", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def links(self) -> set[str]:
        return {link or "" for _, held in self.tags for name, link in held.items() if name in {"href", "src"}}

    def ids(self) -> list[str]:
        return [held["id"] or "" for _, held in self.tags if "id" in held]


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_a_page_is_whole_and_self_contained(world: World, path: str) -> None:
    answer = world.nobody().get(path)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    page = _Page(answer.text)
    assert page.open == []
    assert not {"script", "img", "iframe", "form", "link"} & {tag for tag, _ in page.tags}
    assert not any(name.startswith("on") or name == "style" for _, held in page.tags for name in held)
    assert all(link.startswith(("/", "#")) and not link.startswith("//") for link in page.links())
    assert "http://" not in answer.text
    assert not re.search(r"(?:src|href|action)=[\"']?(?:https?:)?//", answer.text), "it asks nothing of another place"
    assert ("html", {"lang": "en"}) in page.tags
    (style,) = re.findall(r"<style>(.*?)</style>", answer.text, re.DOTALL)
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    policy = answer.headers["content-security-policy"]
    assert f"style-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_the_front_page_leads_to_the_reference(world: World) -> None:
    page = _Page(world.nobody().get("/").text)
    assert {"/docs", "/openapi.json"} <= page.links()
    for link in page.links():
        assert world.nobody().get(link).status_code == 200


def test_the_reference_has_every_operation_shape_and_problem(world: World) -> None:
    told = world.nobody().get("/openapi.json").json()
    page = _Page(world.nobody().get("/docs").text)
    ids = page.ids()
    assert len(ids) == len(set(ids))
    operations = {each["operationId"] for methods in told["paths"].values() for each in methods.values()}
    assert operations <= set(ids)
    assert {f"shape-{name}" for name in told["components"]["schemas"]} <= set(ids)
    assert {f"problem-{code}" for code in ALL} <= set(ids)
    assert {link[1:] for link in page.links() if link.startswith("#")} <= set(ids)
