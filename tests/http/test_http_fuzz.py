"""REL-9: the API fuzzed from its own document, with good and broken requests, without its token, and along its links.

Schemathesis runs as its users run it, against a service in another thread. What it may not say here is in `NOT_ASKED`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from http_world import World

from iris_memory.access.issuers import Role
from iris_memory.access.tokens import DevelopmentTokens
from iris_memory.http.application import create_app

SECONDS: Final = os.environ.get("IRIS_TEST_FUZZ_SECONDS", "40")
NOT_ASKED: Final = "positive_data_acceptance"
"""A request may fit its schema and still break a rule no schema can say: a time in the past, a cursor of no listing."""
SETTLED: Final = """[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 408, 409, 412, 413, 415, 422, 428, 429]

[[operations]]
include-path-regex = "/(retire|remove|revoke)$"
checks.ensure_resource_availability.enabled = false
"""
"""What turns away a request that breaks its schema: also a body that is larger than its address takes.

What ends a thing takes its id in the body, and the fuzzer writes another one there than that of what it made.
"""
ENDLESS: Final = "^/v1/events"


@pytest.mark.enable_socket
def test_a_fuzzer_finds_nothing(world: World, tmp_path: Path) -> None:
    me = world.as_("fuzzed", roles=[Role.CUSTOMER, Role.ADMIN])
    body = {"names": ["data_processing", "data_storage"], "terms": "We keep what you tell us."}
    assert me.post("/v1/consent/grant", json=body).status_code == 200
    (tmp_path / "schemathesis.toml").write_text(SETTLED, encoding="utf-8")
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        "--no-color",
        *("--config-file", str(tmp_path / "schemathesis.toml")),
        "run",
        f"{world.address}/openapi.json",
        *("--header", f"Authorization: {me.headers['authorization']}"),
        *("--exclude-checks", NOT_ASKED),
        *("--exclude-path-regex", ENDLESS),
        *("--max-time", SECONDS, "--max-examples", "20", "--warnings", "off"),
        *("--suppress-health-check", "all", "--report-json-path", str(tmp_path / "report.json")),
        *("--generation-deterministic", "--continue-on-failure"),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout[-12_000:] + done.stderr[-2_000:]
    tested = re.search(r"Tested: (\d+)", done.stdout)
    assert tested is not None
    assert int(tested.group(1)) >= 60
    assert world.iris.verify_audit(tenant="acme").ok
    assert all(finding.ok for finding in world.iris.doctor() if "audit" in finding.what or "data" in finding.what)


def test_every_union_of_the_document_maps_words_to_its_choices() -> None:
    def unions(part: Any) -> Any:
        if isinstance(part, dict):
            if isinstance(part.get("discriminator"), dict):
                yield part
            for each in part.values():
                yield from unions(each)
        elif isinstance(part, list):
            for each in part:
                yield from unions(each)

    with_no_store: Any = None
    document = create_app(with_no_store, tokens=DevelopmentTokens()).openapi()
    found = list(unions(document))
    assert len(found) > 5
    for union in found:
        choices = {each["$ref"] for each in union["oneOf"]}
        assert set(union["discriminator"]["mapping"].values()) == choices, json.dumps(union)[:300]


@pytest.mark.enable_socket
def test_a_wrong_method_is_told_every_right_one(world: World) -> None:
    me = world.as_("ada")
    assert me.request("OPTIONS", "/v1/memories").headers["allow"] == "GET, POST"
    assert me.put("/v1/memories/some-id").headers["allow"] == "DELETE, GET, PATCH"
    assert me.get("/v1/memories/batch").status_code == 404  # a memory of that id
    assert me.delete("/v1/memories/batch/history").headers["allow"] == "GET"
    assert "allow" not in me.get("/v1/nothing").headers
