"""Exports over HTTP: made, watched, downloaded plain and encrypted, and who may."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from http_world import World, remembered, served

from iris_memory.access.tokens import Holder
from iris_memory.contracts.bundle import Signature
from iris_memory.flows.seal import key_periods
from iris_memory.formats.bundle_check import check_bundle
from iris_memory.formats.sealed_file import Passphrase, open_stream

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with served(tmp_path) as running:
        yield running


def verified(world: World, me: httpx.Client, **payload: object) -> str:
    asked = me.post("/v1/rights", json={"payload": {"kind": "export", **payload}})
    assert asked.status_code == 201, asked.text
    name = str(asked.json()["request_id"])
    seen = {"step": "sign-off", "method": "operator-signoff", "declared": True}
    assert world.as_("ops").post(f"/v1/desk/rights/{name}/steps", json=seen).status_code == 200
    return name


def test_an_export_from_the_request_to_the_file(world: World) -> None:
    me = world.consenting("ada")
    remembered(me, "Likes green tea")
    name = str(me.post("/v1/rights", json={"payload": {"kind": "export"}}).json()["request_id"])
    early = me.post("/v1/exports", json={"request_id": name})
    assert (early.status_code, early.json()["code"]) == (409, "not-allowed-from-state")
    name = verified(world, me, format="ndjson")
    assert me.get(f"/v1/exports/{name}").status_code == 409
    made = me.post("/v1/exports", json={"request_id": name})
    assert (made.status_code, made.json()["state"]) == (201, "ready")
    file = me.get(f"/v1/exports/{name}/file")
    assert (file.status_code, file.headers["content-type"]) == (200, "application/zip")
    assert file.headers["cache-control"] == "no-store"
    keys = [period.key for period in key_periods(world.iris.instruments, "acme")]
    report = check_bundle(io.BytesIO(file.content), keys=keys)
    assert (report.ok, report.signature, report.problems) == (True, Signature.FITS, ())
    assert me.get(f"/v1/rights/{name}").json()["result"]["fingerprint"] == made.json()["sha256"]
    assert me.get(f"/v1/exports/{name}").json()["state"] == "collected"
    assert me.delete(f"/v1/exports/{name}").json() == {"dropped": True}
    assert me.get(f"/v1/exports/{name}/file").status_code == 409


def test_one_that_was_asked_for_encrypted_is_not_given_plain(world: World) -> None:
    me = world.consenting("ada")
    remembered(me, "Likes green tea")
    name = verified(world, me, encrypted=True)
    assert me.post("/v1/exports", json={"request_id": name}).json()["encrypted"] is True
    assert me.get(f"/v1/exports/{name}/file").status_code == 422
    words = "correct horse battery staple"
    sealed = me.post(f"/v1/exports/{name}/file", json={"passphrase": words})
    assert b"PK" not in sealed.content[:64]
    opened = b"".join(open_stream(io.BytesIO(sealed.content), by=Passphrase(words)))
    assert check_bundle(io.BytesIO(opened)).ok


def test_it_is_nobody_elses_and_needs_a_fresh_sign_in(world: World) -> None:
    me = world.consenting("ada")
    remembered(me, "Likes green tea")
    name = verified(world, me)
    assert me.post("/v1/exports", json={"request_id": name}).status_code == 201
    other = world.consenting("bob")
    assert other.get(f"/v1/exports/{name}").status_code == 409
    assert other.get(f"/v1/exports/{name}/file").status_code == 409
    assert other.post("/v1/exports", json={"request_id": name}).status_code == 404
    stale = {"Authorization": f"Bearer {world.tokens.mint(Holder('acme', 'ada'))}"}
    refused = httpx.get(f"{world.address}/v1/exports/{name}/file", headers=stale)
    assert (refused.status_code, refused.json()["code"]) == (401, "step-up-needed")
