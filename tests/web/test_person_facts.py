"""What the pages say against what is there: all of it, nobody else's, no word of it where it should not be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from importlib.resources import files
from pathlib import Path

import httpx
import pytest
from browsing import BASE, TENANT, Site, served_site
from person_story import Story, told

from flows.stores import written
from iris_memory.access.issuers import Role
from iris_memory.contracts.inspection import InspectionTarget
from iris_memory.contracts.write import Statement
from iris_memory.flows.register import REGISTER, probe

pytestmark = pytest.mark.enable_socket
WEIGHT_MOST = 60 * 1024
SECRETS = ("trains", "quiet coach", "penicillin", "engineer", "Noor", "quince trees", "Lisbon")
_ROW = re.compile(r'href="/memory/([0-9a-f-]{36})">')
_HOLDING = re.compile(r'<tr data-holding="([^"]+)">.*?<td class="number">([\d,]+)</td>', re.DOTALL)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with served_site(tmp_path_factory.mktemp("facts")) as site:
        yield site


@pytest.fixture(scope="module")
def story(place: Site) -> Story:
    return told(place)


def listed_in(client: httpx.Client, address: str) -> list[str]:
    """Return the memories that a listing shows, following it to its end."""
    found = list[str]()
    while address:
        text = client.get(address).text
        found += dict.fromkeys(_ROW.findall(text))
        more = re.search(r'href="([^"]+)">Show the next', text)
        address = more.group(1).replace("&amp;", "&") if more else ""
    return found


def test_what_you_see_is_all_there_is(place: Site, story: Story) -> None:
    many = place.memory("plenty")
    many.remember_many([Statement(body=f"Thing {number} of many") for number in range(120)])
    for user, me in (("me", story.me), ("plenty", many)):
        client = place.client(user)
        person = place.iris.instruments.people.find(TENANT, user)
        assert person is not None
        held = probe(place.iris.instruments, person)
        every = {entry.logical_id for entry in me.list(limit=10_000).entries}
        for sort in ("changed", "used", "oldest"):
            shown = listed_in(client, f"/memory?sort={sort}")
            assert len(shown) == len(set(shown))
            assert set(shown) == every
        assert len(every) == held["entries"] + held["sessions"]
        page = client.get("/held").text
        counts = {name: int(count.replace(",", "")) for name, count in _HOLDING.findall(page)}
        assert counts == {name: count for name, count in held.items() if count}
        assert set(re.findall(r'data-holding="([^"]+)"', page)) == {holding.name for holding in REGISTER}


def test_a_page_weighs_little_with_ten_thousand_memories(place: Site) -> None:
    me = place.memory("long")
    for start in range(0, 10_000, 1_000):
        me.remember_many([Statement(body=f"Walked past lighthouse {start + one}") for one in range(1_000)])
    client = place.client("long")
    page = client.get("/memory")
    assert "10,000 things remembered" in page.text
    for address in ("/memory", "/consent", "/rights/new?kind=delete", "/held"):
        plain = client.get(address, headers={"Accept-Encoding": "identity"})
        assets = [client.get(one) for one in re.findall(r'(?:href|src)="(/static/[^"]+)"', plain.text)]
        assert len(assets) == 3
        loaded = [int(one.headers["content-length"]) for one in assets]
        assert len(plain.content) <= WEIGHT_MOST
        assert sum(loaded) <= WEIGHT_MOST


def test_nothing_personal_stands_in_a_title_or_an_address(place: Site, story: Story) -> None:
    client = place.client("me")
    for address in ("/memory", f"/memory/{story.seat}", "/forget", "/questions", "/rights", "/devices", "/looked"):
        text = client.get(address).text
        title = re.search(r"<title>(.*?)</title>", text, re.DOTALL)
        assert title is not None
        for part in (title.group(1), *re.findall(r'(?:href|action|hx-get)="([^"]*)"', text)):
            assert not [word for word in SECRETS if word.lower() in part.lower()]


def test_pages_load_nothing_from_elsewhere_and_run_nothing_of_their_own(place: Site, story: Story) -> None:
    for address in ("/memory", f"/memory/{story.seat}", "/consent", "/never"):
        answer = place.client("me").get(address)
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert not re.search(r"<(style|script)>|\sstyle=|\son\w+=|https?://", answer.text)


def test_what_is_somebody_elses_looks_like_what_is_not_there(place: Site, story: Story) -> None:
    place.memory("stranger")
    stranger = place.client("stranger")
    addresses = {
        f"/memory/{story.seat}": "/memory/nothing",
        f"/memory/{story.seat}/edit": "/memory/nothing/edit",
        f"/memory/{story.seat}/forget": "/memory/nothing/forget",
        f"/memory/{story.seat}/audit": "/memory/nothing/audit",
        f"/questions/{story.question}": "/questions/nothing",
        f"/receipts/{story.receipt}": "/receipts/nothing",
        f"/rights/{story.request}": "/rights/nothing",
        f"/forget/people/{story.mention}": "/forget/people/nothing",
    }
    for address, missing in addresses.items():
        one, other = stranger.get(address), stranger.get(missing)
        assert one.status_code == other.status_code == 404
        assert one.text.replace(address, "") == other.text.replace(missing, "")
    for address in (f"/memory/{story.seat}/forget", f"/rights/{story.request}/cancel"):
        assert stranger.post(address).status_code == 404
    assert story.me.show(story.seat)


def test_acts_that_destroy_or_open_much_need_a_fresh_sign_in(place: Site, story: Story) -> None:
    stale = place.client("me", aged=timedelta(minutes=6))
    for address in (
        f"/memory/{story.seat}/forget",
        "/forget/categories/medical",
        f"/forget/people/{story.mention}",
        f"/memory/{story.seat}/sources/1/forget",
        "/forget/everything",
    ):
        for answer in (stale.get(address), stale.post(address, data={"when": "now"})):
            assert answer.status_code == 303
            assert answer.headers["location"].endswith("&fresh=1")
    for address in (f"/rights/{story.export}/export/file", f"/rights/{story.request}/prove"):
        assert stale.post(address).headers["location"].endswith("&fresh=1")
    assert story.me.show(story.seat)


def test_another_site_changes_nothing(place: Site, story: Story) -> None:
    client = place.client("me")
    for headers in ({"Origin": "https://elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = client.post(f"/memory/{story.seat}/forget", headers=headers)
        assert answer.status_code == 403
    assert story.me.show(story.seat)


def test_what_no_page_sends_is_answered_by_a_page(place: Site, story: Story) -> None:
    client = place.client("me")
    for address, sent in (
        (f"/memory/{story.seat}/edit", {}),
        ("/rights/new", {"kind": "nothing"}),
        ("/memory/search", {"words": "x" * 201}),
        (f"/questions/{story.question}", {}),
    ):
        answer = client.post(address, data=sent)
        assert answer.status_code == 422
        assert "<h1>Not understood</h1>" in answer.text


def test_an_answer_is_to_exactly_what_was_shown(place: Site, story: Story) -> None:
    client = place.client("me")
    sent = {"digest": "0" * 64, "decision": "replace"}
    answer = client.post(f"/questions/{story.question}", data=sent)
    assert answer.status_code == 409
    assert "has changed since you opened it" in answer.text
    assert story.question in {one.question_id for one in story.me.inbox.questions()}


def test_a_look_by_an_operator_is_told_in_a_sentence(place: Site, story: Story) -> None:
    client = place.client("me")
    assert "Nobody has looked." in client.get("/looked").text
    ask = place.iris.inspections(tenant=TENANT, actor="op-support", role="support")
    target = InspectionTarget(logical_ids=(story.seat,))
    asked = ask.request("me", path="routine-review", reason="quality-review", reference="QR-1", target=target)
    grants = place.iris.inspections(tenant=TENANT, actor="op-admin", role="admin")
    grants.approve(asked.inspection_id)  # type: ignore[union-attr]
    ask.read(asked.inspection_id)  # type: ignore[union-attr]
    text = " ".join(client.get("/looked").text.split())
    assert "Somebody of support looked at 1 memory, to review how well memory works." in text
    assert "An operator looked" in client.get("/memory").text
    assert "op-support" not in text


def test_what_is_never_remembered_needs_nobody_signed_in(place: Site) -> None:
    with httpx.Client(base_url=place.address) as nobody:
        assert nobody.get("/never").status_code == 200
        for address in ("/memory", "/held", "/looked", "/rights", "/consent"):
            assert nobody.get(address).headers["location"].startswith("/sign-in?back=")


def test_an_operator_sees_their_own_memory_on_these_pages_and_nobody_elses(place: Site, story: Story) -> None:
    operator = place.client("op-admin", roles=[Role.ADMIN, Role.LEGAL])
    assert "Nothing is remembered about you yet" in operator.get("/memory").text
    assert operator.get(f"/memory/{story.seat}").status_code == 404


def test_a_receipt_of_a_forgotten_thing_names_no_word_of_it(place: Site) -> None:
    me = place.memory("short")
    name = written(me.remember("Keeps a diary in green ink")).entry.logical_id
    answer = place.client("short").post(f"/memory/{name}/forget")
    page = place.client("short").get(answer.headers["location"])
    file = place.client("short").get(answer.headers["location"] + "/file")
    assert "green ink" not in page.text + file.text
    assert file.headers["content-disposition"].startswith("attachment;")


def _themes() -> dict[str, dict[str, str]]:
    sheet = files("iris_memory.web").joinpath("static", "iris.css").read_text(encoding="utf-8")
    blocks = {
        "light": sheet.split(":root {")[1].split("}")[0],
        "dark": sheet.split(':root[data-theme="dark"] {')[1].split("}")[0],
        "dark by the system": sheet.split(':root:not([data-theme="light"]) {')[1].split("}")[0],
    }
    return {name: dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block)) for name, block in blocks.items()}


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours (WCAG 2.2, relative luminance)."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", _themes())
def test_every_pair_of_tokens_that_meets_has_contrast_enough(theme: str) -> None:
    token = _themes()[theme]
    texts = [(text, ground) for text in ("ink", "muted", "accent", "danger") for ground in ("paper", "surface")]
    texts += [("accent-ink", "accent"), ("danger-ink", "danger"), ("ink", "accent-tint")]
    texts += [(tone, f"{tone}-tint") for tone in ("good", "warn", "danger")]
    texts += [("ink", "warn-tint"), ("ink", "danger-tint"), ("accent", "warn-tint"), ("accent", "danger-tint")]
    for text, ground in texts:
        assert contrast(token[text], token[ground]) >= 4.5, (text, ground)
    for control in ("line", "accent", "danger"):
        for ground in ("paper", "surface"):
            assert contrast(token[control], token[ground]) >= 3, (control, ground)
    assert _themes()["dark"] == _themes()["dark by the system"]


def test_the_whole_script_and_style_are_what_is_served(place: Site) -> None:
    text = place.client("me").get("/never").text
    for address in re.findall(r'(?:href|src)="(/static/[^"]+)"', text):
        stem, _, ending = Path(address).name.partition("-")
        name = f"{stem}.{ending.partition('.')[2]}"
        served = httpx.get(place.address + address)
        assert served.content == files("iris_memory.web").joinpath("static", name).read_bytes()
        assert "immutable" in served.headers["cache-control"]


def test_each_kind_of_question_is_asked_and_answered(place: Site) -> None:
    me = place.memory("asked")
    client = place.client("asked")
    me.inbox.observe("Sleeps badly before journeys", label="assistant", session="one", ask=True)
    me.remember("Takes insulin for diabetes every morning", category="fact")
    kinds = {question.kind.value: question for question in me.inbox.questions()}
    assert set(kinds) == {"inference", "category"}
    for kind, decision in (("inference", "yes"), ("category", "keep-as-said")):
        question = kinds[kind]
        page = client.get(f"/questions/{question.question_id}")
        assert f'value="{question.digest}"' in page.text
        sent = {"digest": question.digest, "decision": decision}
        answer = client.post(f"/questions/{question.question_id}", data=sent)
        assert answer.headers["location"] == "/questions?done=answered"
    assert {entry.body for entry in me.list().entries} == {
        "Sleeps badly before journeys",
        "Takes insulin for diabetes every morning",
    }
    place.clock.step(timedelta(days=3 * 365))
    fresh = place.client("asked")
    assert "A consent is to be asked for again" in fresh.get("/questions").text
    due = [question for question in me.inbox.questions() if question.kind.value == "re-consent"]
    page = fresh.get(f"/questions/{due[0].question_id}")
    assert "Yes, I still agree" in page.text
    sent = {"digest": due[0].digest, "decision": "skip"}
    assert fresh.post(f"/questions/{due[0].question_id}", data=sent).headers["location"].endswith("skipped")


def test_setting_everything_aside_takes_what_forgetting_it_at_once_takes(place: Site) -> None:
    """Sensitive memory included: the way that can be undone is not the harder one."""
    me = place.memory("hesitant", consents=(*BASE, "category:medical"))
    remembered = written(me.remember("Allergic to penicillin", category="medical")).entry.logical_id
    assert me.recall("penicillin", contexts=["health"]).hits
    stale = place.client("hesitant", aged=timedelta(minutes=6)).post("/forget/everything", data={"when": "later"})
    assert "fresh=1" in stale.headers["location"]
    answer = place.client("hesitant").post("/forget/everything", data={"when": "later"})
    assert answer.headers["location"].startswith("/rights/")
    (asked,) = me.rights.list()
    assert (asked.state.value, asked.grace_ends_at is not None) == ("in-progress", True)
    assert me.recall("penicillin", contexts=["health"]).hits == ()
    assert me.show(remembered), "nothing is destroyed before the week is over"
