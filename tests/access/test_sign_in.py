"""Signing in through a real OpenID provider, its keys rotated while we serve, and the cookies after it."""

from __future__ import annotations

import http.client
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iris_memory.access.issuers import Issuer, Role
from iris_memory.access.keysets import KeySets, fetch
from iris_memory.access.origins import is_own
from iris_memory.access.sessions import LASTS, Sessions, set_cookie
from iris_memory.access.sign_in import SignIn, SignInError, own_path, post
from iris_memory.access.signed_tokens import IssuedTokens
from iris_memory.access.tokens import Holder

KEY = bytes(range(32))
BACK = "http://127.0.0.1:9/sign-in/back"
PROVIDER = """
import sys
from oidc_provider_mock import run_server_in_thread
with run_server_in_thread(port=int(sys.argv[1])) as server:
    print("up", flush=True)
    sys.stdin.read()
"""


@contextmanager
def provider(port: int) -> Iterator[str]:
    """Run a provider with keys of its own at a port until the end of the block; return its issuer name."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", PROVIDER, str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        yield f"http://localhost:{port}"
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(timeout=20)
        process.stdout.close()


class Clock:
    """The real time, moved on by hand."""

    def __init__(self) -> None:
        self.ahead = timedelta(0)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def seconds(self) -> float:
        return time.monotonic() + self.ahead.total_seconds()


def relying(name: str, clock: Clock) -> tuple[SignIn, IssuedTokens]:
    row = Issuer(issuer=name, audience="iris", tenant="acme", client_id="iris-pages", roles={"staff": Role.SUPPORT})
    tokens = IssuedTokens({name: row}, KeySets(fetch, clock.seconds), clock.now)
    out = SignIn({name: row}, tokens, key=KEY, now=clock.now, fetch=fetch, post=post, secrets_of={name: "word"})
    return out, tokens


def consent(location: str, user: str) -> tuple[str, str]:
    """Sign in at the provider as a browser would, and return the state and code it sends us back with."""
    parts = urlsplit(location)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    connection.request(
        "POST",
        f"{parts.path}?{parts.query}",
        body=urlencode({"sub": user}),
        headers={"Content-Type": "application/x-www-form-urlencoded"},
    )
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status in {302, 303}, answer.status
    told = parse_qs(urlsplit(answer.headers["Location"]).query)
    return told["state"][0], told["code"][0]


@pytest.mark.enable_socket
def test_a_person_signs_in_and_the_providers_keys_change_while_we_serve(port: int) -> None:
    clock = Clock()
    with provider(port) as name:
        signing_in, _ = relying(name, clock)
        leaving = signing_in.leave(name, redirect=BACK, back="/memory")
        asked = parse_qs(urlsplit(leaving.location).query)
        assert asked["code_challenge_method"] == ["S256"]
        state, code = consent(leaving.location, "ada")
        holder, signed_in_at, back = signing_in.come_back(leaving.cookie, state=state, code=code, redirect=BACK)
        assert (holder.tenant, holder.user, back) == ("acme", "ada", "/memory")
        assert abs(signed_in_at - clock.now()) < timedelta(minutes=1)
        with pytest.raises(SignInError, match="not-signed-in"):
            signing_in.come_back(leaving.cookie, state=state, code=code, redirect=BACK)  # a code is good once
    with provider(port) as name:  # the same issuer, new keys
        clock.ahead += timedelta(seconds=31)
        leaving = signing_in.leave(name, redirect=BACK, back="/")
        state, code = consent(leaving.location, "bea")
        assert signing_in.come_back(leaving.cookie, state=state, code=code, redirect=BACK)[0].user == "bea"


@pytest.mark.enable_socket
def test_an_answer_to_another_browser_or_too_late_is_none(port: int) -> None:
    clock = Clock()
    with provider(port) as name:
        signing_in, _ = relying(name, clock)
        mine, theirs = (signing_in.leave(name, redirect=BACK, back="/") for _ in range(2))
        state, code = consent(theirs.location, "eve")
        for cookie, given_state in ((mine.cookie, state), (mine.cookie, ""), (theirs.cookie, "x"), ("", state)):
            with pytest.raises(SignInError):
                signing_in.come_back(cookie, state=given_state, code=code, redirect=BACK)
        other = parse_qs(urlsplit(mine.location).query)["state"][0]
        with pytest.raises(SignInError, match=r"not-signed-in|another-request"):
            signing_in.come_back(mine.cookie, state=other, code=code, redirect=BACK)  # their code, our verifier
        clock.ahead += timedelta(minutes=11)
        with pytest.raises(SignInError, match="not-under-way"):
            signing_in.come_back(theirs.cookie, state=state, code=code, redirect=BACK)


@pytest.mark.enable_socket
def test_a_fresh_sign_in_is_asked_for_by_the_standard_parameter(port: int) -> None:
    with provider(port) as name:
        signing_in, _ = relying(name, Clock())
        assert "max_age=0" in signing_in.leave(name, redirect=BACK, back="/", fresh=True).location
        assert "max_age" not in signing_in.leave(name, redirect=BACK, back="/").location


@pytest.mark.enable_socket
def test_an_issuer_that_cannot_be_asked_is_told_by_a_code() -> None:
    signing_in, _ = relying("http://127.0.0.1:1", Clock())
    with pytest.raises(SignInError, match="no-configuration"):
        signing_in.leave("http://127.0.0.1:1", redirect=BACK, back="/")
    with pytest.raises(SignInError, match="no-such-issuer"):
        signing_in.leave("https://evil.example", redirect=BACK, back="/")


@pytest.mark.parametrize(
    "path",
    ["//evil.example", "https://evil.example", "/\\evil.example", "evil", "", "/a\\b", "/a\nb", "/" + "a" * 600],
)
def test_nobody_is_sent_on_to_another_site(path: str) -> None:
    assert own_path(path) == "/"
    assert own_path("/memory?category=health") == "/memory?category=health"


def test_a_session_says_who_and_when_and_ends() -> None:
    clock = Clock()
    sessions = Sessions(KEY, clock.now)
    at = clock.now()
    cookie = sessions.begin(Holder("acme", "ada", roles=frozenset({Role.LEGAL})), signed_in_at=at)
    session = sessions.read(cookie)
    assert session is not None
    assert (session.holder().user, session.holder().roles) == ("ada", {Role.LEGAL})
    assert abs((session.holder().signed_in_at or at) - at) < timedelta(milliseconds=1)
    assert Sessions(KEY, clock.now).read(cookie) is not None, "any process of the deployment reads it"
    assert Sessions(bytes(32), clock.now).read(cookie) is None, "and no other deployment"
    sessions.end(session)
    assert sessions.read(cookie) is None
    clock.ahead += LASTS
    assert Sessions(KEY, clock.now).read(cookie) is None
    for word in ("Secure", "HttpOnly", "SameSite=Lax", "Path=/"):
        assert word in set_cookie(cookie)
    assert set_cookie(cookie).startswith("__Host-")
    assert "Domain" not in set_cookie(cookie)
    assert "Max-Age=0" in set_cookie("")


@given(st.text(max_size=200) | st.binary(max_size=100).map(lambda raw: raw.hex()))
def test_no_cookie_of_anybodys_making_is_a_session(cookie: str) -> None:
    assert Sessions(KEY, lambda: datetime.now(UTC)).read(cookie) is None


OWN_HEADERS = {
    "the page itself": ({"sec-fetch-site": "same-origin"}, True),
    "a typed address": ({"sec-fetch-site": "none"}, True),
    "another site": ({"sec-fetch-site": "cross-site", "origin": "http://iris.example", "host": "iris.example"}, False),
    "a sibling host": ({"sec-fetch-site": "same-site"}, False),
    "an older browser, this site": ({"origin": "http://iris.example", "host": "iris.example"}, True),
    "an older browser, another": ({"origin": "http://evil.example", "host": "iris.example"}, False),
    "an older browser, another port": ({"origin": "http://iris.example:81", "host": "iris.example"}, False),
    "an origin that is none": ({"origin": "null", "host": "iris.example"}, False),
    "nothing said": ({"host": "iris.example"}, False),
}


@pytest.mark.parametrize("name", OWN_HEADERS)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_what_changes_something_comes_from_our_own_pages(name: str, method: str) -> None:
    headers, expected = OWN_HEADERS[name]
    assert is_own(method, headers) is expected
    assert is_own("GET", headers)
