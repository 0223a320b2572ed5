"""The corpus: what counts as a literal, from which source, and what is refused and charged."""

from __future__ import annotations

import pytest
from owner_sample import USER_MD, found

from iris_memory.contracts.masking import (
    MaskingReason,
    OwnerStatement,
    PiiKind,
    ProvidedLiteral,
    SourceRegistration,
)
from iris_memory.errors import IdentityConfigError
from iris_memory.masking.corpus import Corpus, Extraction, Provided, admit, canonical, extract
from iris_memory.tables.guards import DEFAULT_ONTOLOGY_KINDS


def take(user: str = "", *, others: dict[str, str] | None = None, **more) -> Extraction:
    more.setdefault("ontology_kinds", DEFAULT_ONTOLOGY_KINDS)
    return extract({"USER.md": user, **(others or {})}, **more)


def literals(corpus: Corpus) -> set[tuple[str, str]]:
    return {(literal.kind.value, literal.text) for literal in corpus.literals}


def block(**lists) -> str:
    lines = ["---", "identity:"]
    for key, values in lists.items():
        lines.append(f"  {key}:")
        lines += [f"    - {value!r}" for value in values]
    return "\n".join([*lines, "---", ""])


def test_the_block_gives_its_five_kinds():
    corpus = take(USER_MD).corpus
    kinds = [literal.kind for literal in corpus.literals if literal.source == "identity-block"]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        PiiKind.NAME: 6,
        PiiKind.EMAIL: 3,
        PiiKind.PHONE: 2,
        PiiKind.ADDRESS: 2,
        PiiKind.HANDLE: 2,
    }


def test_documents_give_secrets_and_links():
    corpus = take(USER_MD).corpus
    assert ("link", "https://ottoline9.example.com/garden-notes") in literals(corpus)
    assert ("secret", "plum-Teapot-4471-green") in literals(corpus)


def test_a_scalar_is_a_list_of_one_and_every_scalar_is_text():
    user = "---\nidentity:\n  names: Ada Lovelace\n  phones: 02079460958\n---\n"
    corpus = take(user, regions=("GB",)).corpus
    assert literals(corpus) == {("name", "Ada Lovelace"), ("phone", "02079460958")}
    assert found("ring 020 7946 0958", corpus) == [("phone", "020 7946 0958")]


def test_only_the_owners_document_has_a_block():
    corpus = take("", others={"SOUL.md": block(names=["Somebody Else"])}).corpus
    assert not corpus.literals


@pytest.mark.parametrize(
    "user",
    [
        "---\nidentity: [a, b]\n---\n",
        "---\nidentity:\n  birthday: [x]\n---\n",
        "---\nidentity:\n  names:\n    first: Ada\n---\n",
        "---\nidentity:\n  names: [[Ada]]\n---\n",
        "---\nidentity: {names: [Ada\n---\n",
        "---\n- a list\n---\n",
        "---\n" + "x: y\n" * 20_000 + "---\n",
        "---\n&a [*a]\n---\n",
    ],
)
def test_a_block_that_cannot_be_read_is_an_error_without_content(user):
    with pytest.raises(IdentityConfigError) as problem:
        take(user)
    assert "Ada" not in str(problem.value)
    assert problem.value.__cause__ is None


@pytest.mark.parametrize(
    "user", ["", "no front matter", "---\ntitle: x\n---\nbody", "---\n---\n", "---\nidentity:\n---\n"]
)
def test_no_block_is_no_error(user):
    assert take(user).corpus.literals == ()


def test_free_text_is_a_fallback_for_emails_and_phones_alone():
    body = "I am Ada Lovelace of 12 Long Street, ada@lovelace.example, +44 20 7946 0958, see me @adalovelace"
    assert {kind for kind, _ in literals(take(body).corpus)} == {"email", "phone"}
    # a kind that the block fills is not guessed at
    with_email = block(emails=["me@home.example"]) + body
    assert literals(take(with_email).corpus) == {("email", "me@home.example"), ("phone", "+442079460958")}


def test_national_numbers_in_free_text_need_a_region():
    body = "call me on 020 7946 0958"
    assert not take(body).corpus.literals
    assert literals(take(body, regions=("GB",)).corpus) == {("phone", "+442079460958")}


def statement(**values) -> OwnerStatement:
    return OwnerStatement(
        **{"subject_is_owner": True, "confirmed": True, "attribute": "name", "value": "Ada Byron", **values}
    )


@pytest.mark.parametrize(
    ("fact", "kind"),
    [
        (statement(), "name"),
        (statement(attribute="email", value="a@b.example"), "email"),
        (statement(attribute="github", value="adabyron"), "handle"),
        (statement(attribute="linkedin", value="https://www.linkedin.com/in/adabyron/"), "handle"),
        (statement(attribute="blog", value="https://ada.example/blog"), "link"),
        (statement(attribute="website", value="ada.example"), "link"),
        (statement(subject_is_owner=False), None),
        (statement(confirmed=False), None),
        (statement(attribute="birthday", value="1815-12-10"), None),
        (statement(attribute="spouse", value="William King"), None),
        (statement(attribute="address", value="12 Long Street, London"), None),
    ],
)
def test_memory_gives_confirmed_facts_about_the_owner(fact, kind):
    corpus = take(statements=[fact]).corpus
    assert [literal.kind.value for literal in corpus.literals] == ([kind] if kind else [])


def test_the_mapping_of_attributes_is_configuration_and_never_a_secret():
    fact = statement(attribute="nickname", value="Countess")
    assert take(statements=[fact], ontology_kinds={"nickname": PiiKind.NAME}).corpus.literals
    for kind in (PiiKind.SECRET, PiiKind.ADDRESS):
        assert not take(statements=[fact], ontology_kinds={"nickname": kind}).corpus.literals


def offer(provides: set[PiiKind], *given: tuple[PiiKind, str], root: bool = False) -> Provided:
    return Provided(
        SourceRegistration(source="mail", provides=frozenset(provides), composition_root=root),
        tuple(ProvidedLiteral(kind=kind, text=text) for kind, text in given),
    )


def test_a_plugin_provides_what_it_declared():
    out = take(provided=[offer({PiiKind.EMAIL}, (PiiKind.EMAIL, "ada@work.example"))])
    assert [(literal.text, literal.source) for literal in out.corpus.literals] == [("ada@work.example", "plugin:mail")]
    assert not out.charges


def test_an_undeclared_kind_is_dropped_and_charged_to_the_plugin():
    out = take(
        provided=[
            offer(
                {PiiKind.EMAIL},
                (PiiKind.NAME, "Mallory Moore"),
                (PiiKind.SECRET, "abcdefgh12345678"),
                (PiiKind.EMAIL, "a@b.example"),
            )
        ]
    )
    assert literals(out.corpus) == {("email", "a@b.example")}
    assert {(charge.source, charge.reason, charge.kind, charge.count) for charge in out.charges} == {
        ("plugin:mail", MaskingReason.KIND_UNDECLARED, PiiKind.NAME, 1),
        ("plugin:mail", MaskingReason.KIND_UNDECLARED, PiiKind.SECRET, 1),
    }


@pytest.mark.parametrize(
    ("provides", "root", "reason"),
    [
        (set(), False, MaskingReason.NOTHING_DECLARED),
        (set(), True, MaskingReason.NOTHING_DECLARED),
        ({PiiKind.EMAIL}, False, None),
        ({PiiKind.NAME, PiiKind.PHONE, PiiKind.HANDLE}, False, None),
        ({PiiKind.SECRET}, False, MaskingReason.KIND_NOT_PROVIDABLE),
        ({PiiKind.SECRET}, True, MaskingReason.KIND_NOT_PROVIDABLE),
        ({PiiKind.EMAIL, PiiKind.SECRET}, True, MaskingReason.KIND_NOT_PROVIDABLE),
        ({PiiKind.LINK}, False, MaskingReason.KIND_NOT_PROVIDABLE),
        ({PiiKind.LINK}, True, None),
        ({PiiKind.ADDRESS}, False, MaskingReason.KIND_NOT_PROVIDABLE),
        ({PiiKind.ADDRESS}, True, MaskingReason.KIND_NOT_PROVIDABLE),
    ],
)
def test_what_may_be_registered(provides, root, reason):
    given = offer(provides, *((kind, "ada@work.example") for kind in provides), root=root)
    assert admit(given.registration) is reason
    out = take(provided=[given])
    if reason is not None:
        assert not out.corpus.literals
        assert [charge.reason for charge in out.charges] == [reason]


def test_never_match_spares_every_kind_but_secret_and_link():
    user = block(
        names=["Ada Lovelace", "Rowan"],
        emails=["team@corp.example"],
        handles=["@rowanberry"],
        never_match=[
            "rowan",
            "Team@Corp.Example",
            "rowanberry",
            "plum-Teapot-4471-green",
            "https://ottoline9.example.com/a1",
        ],
    )
    corpus = take(user + "\nplum-Teapot-4471-green https://ottoline9.example.com/a1\n").corpus
    assert literals(corpus) == {
        ("name", "Ada Lovelace"),
        ("secret", "plum-Teapot-4471-green"),
        ("link", "https://ottoline9.example.com/a1"),
    }


def test_never_match_spares_a_form_of_a_literal():
    corpus = take(block(names=["Grace Hopper"], never_match=["Hopper, Grace"])).corpus
    assert found("Grace Hopper", corpus) == [("name", "Grace Hopper")]
    assert found("Hopper, Grace", corpus) == []


@pytest.mark.parametrize(
    ("token", "kind"),
    [
        ("plum-Teapot-4471-green", "secret"),
        ("password=Qx7rTz9pLm2wVb4", "secret"),
        ("shortpass1", None),
        ("onlylettersinthisone", None),
        ("123456789012345678", None),
        ("550e8400-e29b-41d4-a716-446655440000", None),
        ("da39a3ee5e6b4b0d3255bfef95601890afd80709", None),
        ("sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", None),
        ("sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==", None),
        ("h1:uVUAXhF2To8cbw/3xN3pxj6kk7TYKs98NIrTqPlMWAQ=", None),
        ("2026-09-30T12:34:56.789Z", None),
        ("/usr/lib/python3.11/site-packages", None),
        ("~/projects/iris-2026/notes", None),
        ("https://ottoline9.example.com/garden-notes", "link"),
        ("ottoline9.example.com/garden-notes", "link"),
        ("www.ottoline9.example.com", "link"),
        ("https://github.com", None),
    ],
)
def test_which_tokens_of_a_document_are_secrets_or_links(token, kind):
    corpus = take(others={"SOUL.md": f"something {token} here."}).corpus
    assert [literal.kind.value for literal in corpus.literals] == ([kind] if kind else [])


def test_the_rest_of_the_front_matter_is_read_for_secrets_but_never_its_identity_block():
    user = "---\napi:\n  key: Qx7rTz9pLm2wVb4\nidentity:\n  handles: [verylonghandle1815]\n---\n"
    assert literals(take(user).corpus) == {("secret", "Qx7rTz9pLm2wVb4"), ("handle", "verylonghandle1815")}


def test_the_same_literal_from_two_sources_is_one_and_the_most_trusted_source_counts():
    user = block(emails=["Ada.Lovelace@gmail.com"])
    out = take(
        user,
        statements=[statement(attribute="email", value="adalovelace+x@googlemail.com")],
        provided=[offer({PiiKind.EMAIL}, (PiiKind.EMAIL, "ada.lovelace@GMAIL.com"))],
    )
    assert [(literal.text, literal.source) for literal in out.corpus.literals] == [
        ("Ada.Lovelace@gmail.com", "identity-block")
    ]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (PiiKind.NAME, "A"),
        (PiiKind.NAME, "!!!"),
        (PiiKind.EMAIL, "nobody"),
        (PiiKind.EMAIL, "a@b"),
        (PiiKind.PHONE, "12345"),
        (PiiKind.ADDRESS, "Rome"),
        (PiiKind.HANDLE, "@x"),
        (PiiKind.LINK, "not a link"),
        (PiiKind.LINK, "https://github.com/"),
        (PiiKind.SECRET, "a1"),
    ],
)
def test_what_is_too_weak_never_becomes_a_literal(kind, text):
    assert canonical(kind, text) is None


def test_a_weak_literal_is_counted_against_its_source():
    out = take(block(names=["A"], emails=["nobody"]))
    assert not out.corpus.literals
    assert {(charge.source, charge.reason, charge.kind) for charge in out.charges} == {
        ("identity-block", MaskingReason.TOO_WEAK, PiiKind.NAME),
        ("identity-block", MaskingReason.TOO_WEAK, PiiKind.EMAIL),
    }


def test_the_owners_numbers_tell_the_owners_regions():
    user = block(phones=["+49 30 5550 1234", "020 7946 0958"])
    assert take(user, regions=("GB",)).corpus.regions == ("GB", "DE")


def test_extraction_is_a_function_of_its_input():
    first, second = take(USER_MD).corpus, take(USER_MD).corpus
    assert first.literals == second.literals
    assert [group[0].units for group in first.lexicon.groups] == [group[0].units for group in second.lexicon.groups]
