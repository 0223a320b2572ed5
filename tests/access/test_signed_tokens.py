"""A token is good or it is not: the attack table of AUT-11, public vectors, and key sets that do not storm."""

from __future__ import annotations

import base64
import gzip
import hmac
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256, SHA512
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws
from joserfc.jwk import ECKey, OctKey, OKPKey, RSAKey

from iris_memory.access.issuers import ALGORITHMS, Issuer, Role, read_issuers
from iris_memory.access.keysets import REFRESH_SECONDS, STALE_SECONDS, KeySetError, KeySets, read_key_set
from iris_memory.access.signed_tokens import CACHE_SECONDS, IssuedTokens, TokenRefusedError, verified_payload
from iris_memory.contracts.category import Consumer
from iris_memory.errors import ContractError, SettingError

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
AT = int(NOW.timestamp())
ISSUER = "https://login.example"
VECTORS = Path(__file__).parents[2].parent / "shared/data/wycheproof-jose"
KEY_OF_ANOTHER_ALGORITHM = {346, 347, 350, 351}
"""Vectors called valid whose key is labelled with another algorithm (RFC 7517 §4.4): here a key keeps to its label."""


@cache
def rsa(name: str = "k1") -> RSAKey:
    return RSAKey.generate_key(2048, parameters={"kid": name, "use": "sig", "alg": "RS256"})


@cache
def other_keys() -> dict[str, Any]:
    return {
        "ES256": ECKey.generate_key("P-256", parameters={"kid": "e1"}),
        "Ed25519": OKPKey.generate_key("Ed25519", parameters={"kid": "o1"}),
    }


def published(*keys: Any) -> bytes:
    return json.dumps({"keys": [key.as_dict(private=False) for key in keys]}).encode()


class World:
    """An issuer whose key set is a variable, a clock, and a count of fetches."""

    def __init__(self, **row: Any) -> None:
        self.now = NOW
        self.seconds = 1_000.0
        self.fetches = 0
        self.body: bytes | None = published(rsa(), *other_keys().values())
        fields = {
            "issuer": ISSUER,
            "audience": "iris",
            "jwks_uri": "https://login.example/keys",
            "algorithms": ("RS256", "ES256", "Ed25519"),
            "tenant_claim": "tenant",
            "roles": {"help-desk": "support", "auditors": "auditor"},
            **row,
        }
        self.row = Issuer.model_validate_json(json.dumps(fields))
        self.keys = KeySets(self.fetch, lambda: self.seconds)
        self.tokens = IssuedTokens({self.row.issuer: self.row}, self.keys, lambda: self.now)

    def fetch(self, address: str) -> bytes:
        self.fetches += 1
        if self.body is None:
            raise OSError("unreachable")
        return self.body

    def step(self, seconds: float) -> None:
        self.seconds += seconds
        self.now += timedelta(seconds=seconds)

    def refusal(self, token: str) -> str:
        with pytest.raises(TokenRefusedError) as refused:
            self.tokens.check(token)
        assert self.tokens.holder(token) is None
        return str(refused.value)


def claims(**changes: Any) -> dict[str, Any]:
    body = {"iss": ISSUER, "aud": "iris", "sub": "ada", "tenant": "acme", "iat": AT, "exp": AT + 300, **changes}
    return {name: value for name, value in body.items() if value is not ...}


def signed(body: dict[str, Any] | bytes, key: Any = None, *, alg: str = "RS256", **header: Any) -> str:
    """Sign as a careful issuer would; with odd headers, as a careless one, by the bare primitive."""
    key = key or rsa()
    told = {
        name: value
        for name, value in {"alg": alg, "kid": getattr(key, "kid", None), **header}.items()
        if value is not ...
    }
    plain = body if isinstance(body, bytes) else json.dumps(body).encode()
    if alg not in {"RS256", "RS512", "HS256"}:
        return jws.serialize_compact(told, plain, key, algorithms=[alg])
    covered = f"{b64(told)}.{b64(plain)}"
    if alg == "HS256":
        return f"{covered}.{b64(hmac.digest(key, covered.encode(), 'sha256'))}"
    digest = SHA512() if alg == "RS512" else SHA256()
    return f"{covered}.{b64(key.private_key.sign(covered.encode(), PKCS1v15(), digest))}"


def b64(value: bytes | dict[str, Any]) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def test_a_good_token_says_who_and_nothing_of_the_request_does() -> None:
    holder = World().tokens.holder(signed(claims(roles=["help-desk", "unheard-of"], auth_time=AT - 60)))
    assert holder is not None
    assert (holder.tenant, holder.user, holder.issuer) == ("acme", "ada", ISSUER)
    assert holder.roles == {Role.SUPPORT}
    assert holder.signed_in_at == NOW - timedelta(seconds=60)
    assert holder.consumer is Consumer.ASSISTANT
    assert not holder.may_audit


@pytest.mark.parametrize("alg", ["ES256", "Ed25519"])
def test_every_allowed_algorithm_is_checked_with_its_own_kind_of_key(alg: str) -> None:
    assert World().tokens.holder(signed(claims(), other_keys()[alg], alg=alg)) is not None


def test_roles_are_what_the_row_translates() -> None:
    world = World()
    assert world.tokens.holder(signed(claims())).roles == {Role.CUSTOMER}
    assert world.tokens.holder(signed(claims(roles=["unheard-of"]))).roles == frozenset()
    assert world.tokens.holder(signed(claims(roles="auditors"))).may_audit
    assert world.tokens.holder(signed(claims(roles="auditor"))).roles == frozenset(), "a word is not its translation"


CLAIMS_REFUSED = {
    "another issuer": ({"iss": "https://evil.example"}, "issuer"),
    "issuer with a slash more": ({"iss": ISSUER + "/"}, "issuer"),
    "no issuer": ({"iss": ...}, "issuer"),
    "another audience": ({"aud": "other"}, "audience"),
    "no audience": ({"aud": ...}, "audience"),
    "audience that holds ours": ({"aud": "iris-admin"}, "audience"),
    "expired": ({"exp": AT - 31}, "expired"),
    "no expiry": ({"exp": ...}, "expired"),
    "expiry as a word": ({"exp": str(AT + 300)}, "instant"),
    "expiry as a truth": ({"exp": True}, "instant"),
    "expiry beyond the calendar": ({"exp": 10**15}, "instant"),
    "not yet": ({"nbf": AT + 60}, "not-yet"),
    "made in the future": ({"iat": AT + 60}, "not-yet"),
    "signed in in the future": ({"auth_time": AT + 60}, "not-yet"),
    "no subject": ({"sub": ...}, "subject"),
    "an empty subject": ({"sub": ""}, "subject"),
    "a subject that is a number": ({"sub": 7}, "subject"),
    "a subject with a NUL": ({"sub": "a\x00b"}, "subject"),
    "no tenant": ({"tenant": ...}, "subject"),
    "a list of tenants": ({"tenant": ["acme", "other"]}, "subject"),
}


@pytest.mark.parametrize("name", CLAIMS_REFUSED)
def test_claims_that_do_not_fit_are_refused(name: str) -> None:
    changes, code = CLAIMS_REFUSED[name]
    assert World().refusal(signed(claims(**changes))) == code


def test_leeway_is_the_rows() -> None:
    assert World().tokens.holder(signed(claims(exp=AT - 29))) is not None
    assert World(leeway_seconds=0).refusal(signed(claims(exp=AT))) == "expired"
    assert World().tokens.holder(signed(claims(aud=["other", "iris"]))) is not None


def _none() -> str:
    return f"{b64({'alg': 'none', 'kid': 'k1'})}.{b64(claims())}.AA"


def _hmac_with_the_public_key() -> str:
    return signed(claims(), rsa().as_pem(private=False), alg="HS256", kid="k1")


def _flipped() -> str:
    head, body, signature = signed(claims()).split(".")
    return f"{head}.{body}.{'A' if signature[0] != 'A' else 'B'}{signature[1:]}"


def _swapped_body() -> str:
    head, _, signature = signed(claims()).split(".")
    return f"{head}.{b64(claims(sub='eve'))}.{signature}"


def _doubled_name() -> bytes:
    return json.dumps(claims()).replace('"sub": "ada"', '"sub": "eve", "sub": "ada"').encode()


def _other_spelling() -> str:
    head, body, signature = signed(claims()).split(".")
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    last = letters[letters.index(body[-1]) ^ 1] if len(body) % 4 in {2, 3} else body[-1]
    return f"{head}.{body[:-1]}{last}.{signature}" if last != body[-1] else f"{head}.{body}=.{signature}"


ATTACKS: dict[str, tuple[Callable[[], str], str]] = {
    "alg none": (_none, "algorithm"),
    "alg none, no signature": (lambda: _none()[:-2], "malformed"),
    "the public key as a secret": (_hmac_with_the_public_key, "algorithm"),
    "an algorithm the row does not name": (lambda: signed(claims(), alg="RS512"), "algorithm"),
    "a key of another kind": (lambda: signed(claims(), other_keys()["ES256"], alg="ES256", kid="k1"), "key"),
    "an unknown key id": (lambda: signed(claims(), kid="k9"), "key"),
    "a key id that is a number": (lambda: signed(claims(), kid=7), "key"),
    "a signature changed": (_flipped, "signature"),
    "a body changed": (_swapped_body, "signature"),
    "somebody else's key": (lambda: signed(claims(), RSAKey.generate_key(2048, parameters={"kid": "k1"})), "signature"),
    "a key in the header": (lambda: signed(claims(), jwk=rsa().as_dict(private=False)), "header"),
    "an address of keys in the header": (lambda: signed(claims(), jku="https://evil.example/k"), "header"),
    "a critical extension": (lambda: signed(claims(), crit=["exp"]), "header"),
    "a nested token": (lambda: signed(claims(), cty="JWT"), "header"),
    "a nested token as the body": (lambda: signed(signed(claims()).encode()), "malformed"),
    "another type": (lambda: signed(claims(), typ="dpop+jwt"), "type"),
    "a type that is a list": (lambda: signed(claims(), typ=["jwt"]), "type"),
    "a claim that stands twice": (lambda: signed(_doubled_name()), "malformed"),
    "a body that is a list": (lambda: signed(b"[]"), "malformed"),
    "a body that is deep": (lambda: signed(b"[" * 3_000 + b"]" * 3_000), "malformed"),
    "not a number": (lambda: signed(json.dumps({**claims(), "exp": float("nan")}).encode()), "malformed"),
    "bytes that are no text": (lambda: signed(b"\xff\xfe"), "malformed"),
    "a token too long": (lambda: signed(claims(pad="x" * 9_000)), "malformed"),
    "five parts": (lambda: signed(claims()) + ".AA.AA", "malformed"),
    "a space": (lambda: " " + signed(claims()), "malformed"),
    "a line's end": (lambda: signed(claims()) + "\n", "malformed"),
    "nothing": (lambda: "", "malformed"),
    "JSON serialization": (lambda: json.dumps({"payload": b64(claims())}), "malformed"),
    "another spelling of the same bytes": (_other_spelling, "malformed"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_are_refused(name: str) -> None:
    make, code = ATTACKS[name]
    assert World().refusal(make()) == code


@given(st.binary(max_size=200), st.binary(max_size=200), st.binary(max_size=80))
def test_no_bytes_break_the_check(head: bytes, body: bytes, signature: bytes) -> None:
    world = World()
    assert world.tokens.holder(f"{b64(head)}.{b64(body)}.{b64(signature)}") is None
    assert world.tokens.holder(body.decode("latin-1")) is None
    assert world.fetches == 0, "nothing that names no issuer leads to a fetch"


def test_an_unknown_key_id_causes_no_storm() -> None:
    world = World()
    assert world.tokens.holder(signed(claims())) is not None
    assert world.fetches == 1
    world.step(REFRESH_SECONDS)
    for number in range(200):
        assert world.tokens.holder(signed(claims(), kid=f"unknown-{number}")) is None
    assert world.fetches == 2, "one look for all of them"
    assert world.tokens.holder(signed(claims(sub="bea"))) is not None, "and the known key is good all the while"


def test_a_new_key_is_found_and_a_withdrawn_one_ends() -> None:
    world = World()
    old = signed(claims(exp=AT + 100_000))
    assert world.tokens.holder(old) is not None
    world.body = published(rsa("k2"))
    world.step(REFRESH_SECONDS)
    assert world.tokens.holder(signed(claims(exp=AT + 100_000), rsa("k2"))) is not None, "found at once"
    world.step(CACHE_SECONDS)
    assert world.refusal(old) == "key"


def test_an_issuer_that_cannot_be_reached_is_asked_seldom_and_trusted_for_an_hour() -> None:
    world = World()
    token = signed(claims(exp=AT + 100_000))
    assert world.tokens.holder(token) is not None
    world.body = None
    fetched = world.fetches
    while world.seconds < 1_000 + STALE_SECONDS:
        world.step(10)
        assert world.tokens.holder(token) is not None
    assert world.fetches - fetched <= STALE_SECONDS // REFRESH_SECONDS
    world.step(CACHE_SECONDS + 10)
    assert world.refusal(token) == "key"


def test_a_known_token_needs_no_key_until_it_ends() -> None:
    world = World(leeway_seconds=0)
    token = signed(claims(exp=AT + 20))
    assert world.tokens.known(token) is None
    assert world.tokens.holder(token) is not None
    assert world.tokens.known(token) is not None
    world.step(20)
    assert world.tokens.known(token) is None
    assert world.tokens.holder(token) is None


KEY_SETS: dict[str, Callable[[], bytes]] = {
    "no JSON": lambda: b"no json",
    "a list": lambda: b"[]",
    "keys that are a number": lambda: b'{"keys": 7}',
    "a key that is a number": lambda: b'{"keys": [7]}',
    "a private key": lambda: json.dumps({"keys": [rsa().as_dict(private=True)]}).encode(),
    "a secret": lambda: json.dumps({"keys": [OctKey.generate_key(256).as_dict(private=True)]}).encode(),
    "a key id twice": lambda: json.dumps({"keys": [rsa().as_dict(private=False)] * 2}).encode(),
    "too many": lambda: json.dumps({"keys": [{}] * 51}).encode(),
}


@pytest.mark.parametrize("name", KEY_SETS)
def test_a_key_set_that_must_not_be_trusted_is_none(name: str) -> None:
    with pytest.raises(KeySetError):
        read_key_set(KEY_SETS[name]())


@pytest.mark.parametrize(
    "changes",
    [
        {"issuer": "http://login.example"},
        {"issuer": "https://user:word@login.example"},
        {"algorithms": ["HS256"]},
        {"algorithms": []},
        {"tenant": "acme"},
        {"tenant_claim": None},
        {"leeway_seconds": 3_600},
        {"roles": {"x": "king"}},
        {"unheard_of": 1},
    ],
)
def test_a_row_that_is_loose_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    row = {"issuer": ISSUER, "audience": "iris", "tenant_claim": "tenant", **changes}
    path = tmp_path / "issuers.json"
    path.write_text(json.dumps({"issuers": [row]}), "utf-8")
    with pytest.raises((ContractError, SettingError)):
        read_issuers(path)


def _vectors(name: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    path = VECTORS / f"{name}.json.gz"
    if not path.exists():
        pytest.skip("the public vectors are not beside this checkout")
    with gzip.open(path) as file:
        groups = json.load(file)["testGroups"]
    return [(group, case) for group in groups for case in group["tests"]]


def _accepts(told: dict[str, Any], token: str) -> bool:
    listed = told.get("keys", [told])
    try:
        keys = read_key_set(json.dumps({"keys": listed}).encode())
        verified_payload(token, keys.find, algorithms=frozenset(ALGORITHMS), types=None)
    except (KeySetError, TokenRefusedError):
        return False
    return True


def test_public_vectors_of_signatures() -> None:
    wrong = []
    seen = {"valid": 0, "invalid": 0}
    for group, case in _vectors("json_web_signature_test"):
        told = group.get("public") or group["private"]
        is_ours = told.get("kty") != "oct"
        expected = case["result"] == "valid" and is_ours and case["tcId"] not in KEY_OF_ANOTHER_ALGORITHM
        seen[case["result"]] += is_ours
        if _accepts(told, case["jws"] if isinstance(case["jws"], str) else json.dumps(case["jws"])) is not expected:
            wrong.append((case["tcId"], case["comment"], case["result"]))
    assert seen["valid"] > 20
    assert seen["invalid"] > 200
    assert wrong == []


def test_public_vectors_of_keys() -> None:
    wrong = []
    for group, case in _vectors("json_web_key_test"):
        told = group.get("public") or group["private"]
        expected = case["result"] == "valid" and all(key.get("kty") != "oct" for key in told["keys"])
        if _accepts(told, case["jws"]) is not expected:
            wrong.append((case["tcId"], case["comment"], case["result"]))
    assert wrong == []
