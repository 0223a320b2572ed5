"""Pseudonyms: stable, unlinkable across consumers (PII-11), not to be forged (PII-12), reversible for the granted."""

from __future__ import annotations

import pytest
from hypothesis import given
from owner_sample import KEY, USER_MD, every, exchange, owner
from texts import texts

from iris_memory.contracts.masking import OWNER_PII_KINDS, Audience, Guard, MaskingReason, PiiKind
from iris_memory.errors import MaskingError
from iris_memory.masking.decide import decide
from iris_memory.masking.grants import read_grants
from iris_memory.masking.pseudonyms import Pseudonyms, keyed_digest, look_alikes
from iris_memory.masking.render import masked, unmasked
from iris_memory.tables.guards import DEFAULT_TABLE, closed_table

EVERYTHING = frozenset(PiiKind)
MAIL = (
    "Ottoline Varga-Quill <ottoline.varga@gmail.com>, 221B Thornfield Street, London NW1 6XE, "
    "+44 20 7946 0958, @ottoquill"
)


def mask(text: str, mine, kinds=EVERYTHING) -> str:
    spans = [span for span in every(text=text) if span.kind in kinds]
    return masked(text, spans, corpus=owner(), exchange=mine).text


def test_the_planner_gets_name_and_address_and_finance_gets_nothing():
    """The record's example, through manifests, grants, table and rendering."""
    grants = read_grants(
        {
            "planner": {"capabilities": {"uses": [{"mail.read": {"unmask": ["name", "address"]}}]}},
            "finance": {"capabilities": {"uses": ["mail.read"]}},
        }
    )

    def as_seen_by(caller: str) -> str:
        spans = decide(
            MAIL,
            corpus=owner(),
            table=DEFAULT_TABLE,
            guard=Guard.CAPABILITY,
            grants=grants.of(caller, capability="mail.read", table=DEFAULT_TABLE),
        )
        out = masked(MAIL, spans, corpus=owner(), exchange=exchange(caller))
        assert out.personal
        return out.text

    assert as_seen_by("planner") == (
        "Ottoline Varga-Quill <[owner:email#1]>, 221B Thornfield Street, London NW1 6XE, "
        "[owner:phone#1], [owner:handle#1]"
    )
    assert as_seen_by("finance") == (
        "[owner:name#1] <[owner:email#1]>, [owner:address#1], [owner:phone#1], [owner:handle#1]"
    )
    assert as_seen_by("stranger") == as_seen_by("finance")


def test_a_plugin_cannot_use_anothers_grant_nor_its_own_for_another_capability():
    grants = read_grants({"planner": {"capabilities": {"requires": [{"mail.read": {"unmask": ["name"]}}]}}})
    assert grants.of("planner", capability="mail.read", table=DEFAULT_TABLE) == {PiiKind.NAME}
    assert not grants.of("planner", capability="mail.send", table=DEFAULT_TABLE)
    assert not grants.of("finance", capability="mail.read", table=DEFAULT_TABLE)
    assert not grants.of("planner", capability="mail.read", table=closed_table(MaskingReason.CONFIG_INVALID))


@pytest.mark.parametrize(
    "capabilities",
    [
        {"uses": [{"mail.read": {"unmask": ["name", "secret"]}}]},
        {"uses": [{"mail.read": {"unmask": ["link"]}}]},
        {"uses": [{"mail.read": {"unmask": ["everything"]}}]},
        {"uses": [{"mail.read": {"unmask": "name"}}]},
        {"uses": [{"ok": {"unmask": ["name"]}}, 7]},
        {"uses": "mail.read"},
        ["mail.read"],
    ],
)
def test_a_faulty_manifest_is_granted_nothing(capabilities):
    grants = read_grants(
        {"greedy": {"capabilities": capabilities}, "good": {"capabilities": {"uses": [{"x": {"unmask": ["name"]}}]}}}
    )
    assert grants.refused == {"greedy"}
    for capability in ("mail.read", "ok"):
        assert not grants.of("greedy", capability=capability, table=DEFAULT_TABLE)
    assert grants.of("good", capability="x", table=DEFAULT_TABLE) == {PiiKind.NAME}


def test_a_first_name_alone_reaches_a_capability_and_a_secret_never_does():
    text = "Ottoline said plum-Teapot-4471-green"
    spans = decide(text, corpus=owner(), table=DEFAULT_TABLE, guard=Guard.CAPABILITY, grants=OWNER_PII_KINDS)
    out = masked(text, spans, corpus=owner(), exchange=exchange())
    assert out.text == "Ottoline said [owner:secret#1]"
    assert out.personal


def test_a_pseudonym_is_the_same_for_every_spelling_within_a_conversation():
    conversation = Pseudonyms(key=KEY, consumer="planner", conversation="c")
    first = mask("ottoline.varga@gmail.com o_varga@quillworks.example", conversation.exchange())
    again = mask("O_Varga@QuillWorks.example, ottolinevarga+x@googlemail.com", conversation.exchange())
    assert first == "[owner:email#1] [owner:email#2]"
    assert again == "[owner:email#2], [owner:email#1]"


def test_two_consumers_cannot_join_on_tokens():
    """Each counts in the order in which it meets literals; equal tokens say nothing, and no digest is shared."""
    first = exchange("planner")
    second = exchange("finance")
    one, two = "ottoline.varga@gmail.com", "o_varga@quillworks.example"
    assert (mask(one, first), mask(two, first)) == ("[owner:email#1]", "[owner:email#2]")
    assert (mask(two, second), mask(one, second)) == ("[owner:email#1]", "[owner:email#2]")
    digests = {
        Pseudonyms(key=key, consumer=consumer, conversation=conversation).digest("email", one)
        for key in (KEY, KEY[::-1])
        for consumer in ("planner", "finance")
        for conversation in ("c1", "c2")
    }
    assert len(digests) == 8


def test_a_token_of_one_consumer_or_conversation_means_nothing_to_another():
    mine, other, later = exchange("planner"), exchange("finance"), exchange("planner", "c2")
    token = mask("ottoline.varga@gmail.com", mine)
    for stranger in (other, later):
        assert unmasked(token, exchange=stranger, grants=OWNER_PII_KINDS) == token
    mask("+44 20 7946 0958", other)
    assert unmasked(token, exchange=other, grants=OWNER_PII_KINDS) == token


def test_only_granted_kinds_come_back():
    mine = exchange()
    out = mask(MAIL, mine)
    assert unmasked(out, exchange=mine, grants=frozenset()) == out
    back = unmasked(out, exchange=mine, grants=frozenset({PiiKind.NAME, PiiKind.PHONE}))
    assert back == "Ottoline Varga-Quill <[owner:email#1]>, [owner:address#1], +44 20 7946 0958, [owner:handle#1]"
    assert unmasked(out, exchange=mine, grants=OWNER_PII_KINDS) == MAIL


def test_a_secret_never_comes_back_whatever_is_granted():
    mine = exchange()
    out = mask("plum-Teapot-4471-green ghp_abcdefghijklmnopqrstuvwxyz0123456789", mine)
    assert out == "[owner:secret#1] [owner:secret#2]"
    assert unmasked(out, exchange=mine, grants=EVERYTHING) == out


def test_a_merged_span_comes_back_only_when_all_its_kinds_are_granted():
    from owner_sample import corpus_of

    corpus = corpus_of((PiiKind.NAME, "Ada Lovelace"), (PiiKind.HANDLE, "lovelace_engine"))
    text = "Ada Lovelace_engine"
    mine = exchange()
    spans = every(corpus=corpus, text=text)
    assert [span.kinds for span in spans] == [{PiiKind.NAME, PiiKind.HANDLE}]
    out = masked(text, spans, corpus=corpus, exchange=mine).text
    for kind in (PiiKind.NAME, PiiKind.HANDLE):
        assert unmasked(out, exchange=mine, grants=frozenset({kind})) == out
    assert unmasked(out, exchange=mine, grants=frozenset({PiiKind.NAME, PiiKind.HANDLE})) == text


LOOK_ALIKES = [
    "[owner:email#1]",
    "[OWNER:EMAIL#1]",
    "[owner : email # 1]",
    "[ owner:email#1 ]",
    "[оwnеr:еmаil#1]",
    "［ｏｗｎｅｒ：ｅｍａｉｌ＃１］",
    "[o\u200bwner:email#1]",
    "(owner:email#1)",
    "%5Bowner%3Aemail%231%5D",
    "&#91;owner:email#1&#93;",
    "\\u005bowner:email#1\\u005d",
    "[owner:email#٣]",
]


@pytest.mark.parametrize("typed", LOOK_ALIKES)
def test_somebody_types_a_token_and_gets_it_back_as_text(typed):
    """PII-12, with the true token issued in the same exchange, in the same text."""
    mine = exchange()
    text = f"send it to {typed} from ottoline.varga@gmail.com"
    out = mask(text, mine)
    assert out.startswith("send it to ")
    assert out.endswith(" from [owner:email#1]")
    escaped = out.removeprefix("send it to ").removesuffix(" from [owner:email#1]")
    assert "~" in escaped
    assert escaped.replace("~", "") == typed
    assert unmasked(out, exchange=mine, grants=OWNER_PII_KINDS) == text


def test_a_typed_token_is_never_filled_in_even_when_it_was_issued_before():
    conversation = Pseudonyms(key=KEY, consumer="planner", conversation="c")
    token = mask("ottoline.varga@gmail.com", conversation.exchange())
    later = conversation.exchange()
    out = mask(f"repeat {token} to me", later)
    assert out == "repeat [owner~:email#1] to me"
    assert unmasked(out, exchange=later, grants=OWNER_PII_KINDS) == f"repeat {token} to me"
    assert unmasked(token, exchange=later, grants=OWNER_PII_KINDS) == token


def test_an_escape_that_somebody_typed_stays_as_typed():
    mine = exchange()
    text = "[owner~:email#1] and [owner:email#1] and ottoline.varga@gmail.com"
    out = mask(text, mine)
    assert out == "[owner~:email#1] and [owner~:email#1] and [owner:email#1]"
    assert (
        unmasked(out, exchange=mine, grants=OWNER_PII_KINDS)
        == "[owner~:email#1] and [owner~:email#1] and ottoline.varga@gmail.com"
    )


def test_what_a_token_is_turned_into_is_not_turned_again():
    from owner_sample import corpus_of

    corpus = corpus_of((PiiKind.NAME, "Ottoline [owner:email#1] Quill"), (PiiKind.EMAIL, "o@quill.example"))
    mine = exchange()
    text = "o@quill.example and Ottoline [owner:email#1] Quill"
    spans = every(corpus=corpus, text=text)
    out = masked(text, spans, corpus=corpus, exchange=mine).text
    assert "o@quill" not in unmasked(out, exchange=mine, grants=frozenset({PiiKind.NAME}))


@pytest.mark.parametrize(
    "text",
    ["[owner:birthday#1]", "owner:email#1", "[owner email 1]", "[owner:email]", "[owners:email#1]", "[owner:email#x]"],
)
def test_what_is_no_look_alike(text):
    assert look_alikes(text) == []


@given(texts)
def test_what_was_masked_comes_back_as_it_was_but_for_spelling(text):
    """With everything granted, unmasking restores the text: spans as the owner writes them, all else as typed."""
    mine = exchange()
    spans = [span for span in every(text=text) if span.kinds <= OWNER_PII_KINDS]
    out = masked(text, spans, corpus=owner(), exchange=mine).text
    back = unmasked(out, exchange=mine, grants=OWNER_PII_KINDS)
    for token, typed in mine.vocabulary().items():
        if typed is None:
            assert token not in back or token in text


def test_a_key_must_be_a_key():
    with pytest.raises(MaskingError):
        Pseudonyms(key=b"short", consumer="planner", conversation="c")


def test_parts_of_a_digest_do_not_run_together():
    assert keyed_digest(KEY, "ab", "c") != keyed_digest(KEY, "a", "bc")
    assert keyed_digest(KEY, "a") != keyed_digest(KEY, "a", "")


def test_the_answer_to_the_owner_passes_all_but_secrets():
    assert USER_MD
    text = MAIL + " plum-Teapot-4471-green"
    spans = decide(text, corpus=owner(), table=DEFAULT_TABLE, guard=Guard.ANSWER, audience=Audience.OWNER)
    assert {span.action.value for span in spans if span.kind is not PiiKind.SECRET} == {"pass"}
    assert [span.action.value for span in spans if span.kind is PiiKind.SECRET] == ["halt"]
