"""`iris serve --issuers`: a real service and a real provider; who signs in there is who they are here."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from test_sign_in import consent, provider

from iris_memory.errors import SettingError

pytestmark = pytest.mark.enable_socket
ENTRY = [sys.executable, "-c", "from iris_memory.cli import main; main()"]
OWN = {"Sec-Fetch-Site": "same-origin"}


@contextmanager
def service(folder: Path, issuer: str, **more: str) -> Iterator[str]:
    """Serve a store with one issuer until the end of the block; return the address."""
    row = {
        "issuer": issuer,
        "audience": "iris-pages",
        "tenant": "acme",
        "client_id": "iris-pages",
        "client_secret_setting": "IRIS_TEST_CLIENT_SECRET",
    }
    (folder / "issuers.json").write_text(json.dumps({"issuers": [row]}), "utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("IRIS_")}
    process = subprocess.Popen(
        [*ENTRY, "serve", "--store", str(folder / "store"), "--port", "0", "--issuers", str(folder / "issuers.json")],
        env={**kept, "IRIS_ROOT_KEY": "7" * 64, "IRIS_TEST_CLIENT_SECRET": "word", **more},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Iris is at "), line
        yield line.removeprefix("Iris is at ").strip()
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
        assert process.stdout is not None
        process.stdout.close()


def test_people_sign_in_through_their_provider_and_nobody_else_does(tmp_path: Path, port: int) -> None:
    with provider(port) as issuer, service(tmp_path, issuer) as address:
        with httpx.Client(base_url=address, timeout=30, verify=False) as browser:
            assert browser.get("/memory").headers["location"] == "/sign-in?back=%2Fmemory"
            page = browser.get("/sign-in?back=/memory").text
            assert "Sign in with localhost" in page
            assert "Development" not in page
            assert browser.post("/sign-in", data={"person": "local/me"}, headers=OWN).status_code == 422
            leaving = browser.get("/sign-in/go", params={"issuer": issuer, "back": "/memory"})
            assert leaving.status_code == 303
            under_way = leaving.headers["set-cookie"].split(";")[0]
            state, code = consent(leaving.headers["location"], "ada")
            back = browser.get("/sign-in/back", params={"state": state, "code": code}, headers={"Cookie": under_way})
            assert (back.status_code, back.headers["location"]) == (303, "/memory")
            cookie = back.headers.get_list("set-cookie")[0].split(";")[0]
            mine = browser.get("/memory", headers={"Cookie": cookie})
            assert mine.status_code == 200
            assert "Nothing is remembered about you" in mine.text
            replayed = browser.get("/sign-in/back", params={"state": state, "code": code})
            assert replayed.status_code == 401
            out = browser.post("/sign-out", headers={"Cookie": cookie, **OWN})
            assert out.headers["location"] == "/sign-in"
            assert browser.get("/memory", headers={"Cookie": cookie}).status_code == 303, "signed out for good"
        with httpx.Client(base_url=address, timeout=30, verify=False) as api:
            assert api.get("/v1/memories").status_code == 401
            assert api.get("/v1/memories", headers={"Authorization": "Bearer iris_dev_x"}).status_code == 401


def test_another_site_cannot_ride_on_the_cookie(tmp_path: Path, port: int) -> None:
    with provider(port) as issuer, service(tmp_path, issuer) as address:
        host = urlsplit(address).netloc
        for headers in (
            {"Sec-Fetch-Site": "cross-site"},
            {"Origin": "https://evil.example", "Host": host},
            {"Origin": "null"},
            {},
        ):
            assert httpx.post(f"{address}/sign-out", headers=headers, verify=False).status_code == 403


def test_a_secret_that_is_named_and_not_set_stops_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from iris_memory.cli.surfaces import with_issuers

    row = {"issuer": "https://login.example", "audience": "x", "tenant": "t", "client_secret_setting": "IRIS_NOT_SET"}
    (tmp_path / "issuers.json").write_text(json.dumps({"issuers": [row]}), "utf-8")
    monkeypatch.delenv("IRIS_NOT_SET", raising=False)
    with pytest.raises(SettingError, match="IRIS_NOT_SET is not set"):
        with_issuers(tmp_path / "issuers.json")
