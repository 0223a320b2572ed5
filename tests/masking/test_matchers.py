"""Matching rules per kind, with what must never happen; overlaps (PII-4); weak literals (PII-6); words (PII-5)."""

from __future__ import annotations

import pytest
from owner_sample import corpus_of, found, spans

from iris_memory.contracts.masking import PiiKind as K

ADA = corpus_of(
    (K.NAME, "Ada Byron Lovelace"),
    (K.NAME, "Ada"),
    (K.EMAIL, "ada.lovelace@gmail.com"),
    (K.EMAIL, "ada.byron@lovelace.example"),
    (K.PHONE, "+44 20 7946 0958"),
    (K.PHONE, "+1 415 555 2671"),
    (K.ADDRESS, "12 St James's Square, London SW1Y 4JH"),
    (K.ADDRESS, "Hauptstraße 5, 10115 Berlin"),
    (K.HANDLE, "@adalace"),
    (K.HANDLE, "ada_l-9"),
    (K.HANDLE, "builder"),
    (K.LINK, "https://lovelace.example/notes/"),
    (K.LINK, "https://ada.lovelace.dev"),
    (K.LINK, "https://github.com/adalace"),
    (K.SECRET, "plum-Teapot-4471-green"),
)


def first(text: str, corpus=ADA) -> list[tuple[str, str]]:
    return found(text, corpus)


NAMES = [
    ("met Ada Lovelace today", "Ada Lovelace"),
    ("ada lovelace", "ada lovelace"),
    ("ADA BYRON LOVELACE", "ADA BYRON LOVELACE"),
    ("Lovelace, Ada", "Lovelace, Ada"),
    ("Lovelace Ada Byron", "Lovelace Ada Byron"),
    ("Mrs. Lovelace", "Mrs. Lovelace"),
    ("dr lovelace", "dr lovelace"),
    ("A. Lovelace", "A. Lovelace"),
    ("a. b. lovelace", "a. b. lovelace"),
    ("A B Lovelace", "A B Lovelace"),
    ("AB Lovelace", "AB Lovelace"),
    ("Ada X. Lovelace", "Ada X. Lovelace"),
    ("Lovelace, A.", "Lovelace, A."),
    ("Ada-Lovelace", "Ada-Lovelace"),
    ("Ada\u00a0Lovelace", "Ada\u00a0Lovelace"),
    ("ada_lovelace_notes", "ada_lovelace"),
    ("AdaLovelace", "AdaLovelace"),
    ("Ada Lovelace's house", "Ada Lovelace"),
    ("Ada Lovelaces Haus", "Ada Lovelaces"),
    ("Adá Lövelace", "Adá Lövelace"),
]


@pytest.mark.parametrize(("text", "written"), NAMES)
def test_a_name_is_found(text, written):
    assert first(text) == [("name", written)]


@pytest.mark.parametrize(
    "text",
    [
        "Lovelace alone",
        "a lovelace",
        "Byron Lovelace",
        "B. Lovelace",
        "madalovelace",
        "Ada; Lovelace",
        "Ada.......... Lovelace",
        "Ada wrote to Lovelace",
        "lovelacey ada",
        "adaptive backend",
        "canada",
        "ada2",
        "XAda",
    ],
)
def test_what_is_no_name(text):
    assert not [span for span in spans(text, ADA) if not span.first_name_alone]


def test_a_one_word_name_is_marked_as_standing_alone():
    [span] = spans("met Ada today", ADA)
    assert span.first_name_alone
    [span] = spans("met Ada Lovelace today", ADA)
    assert not span.first_name_alone


def test_a_short_name_never_matches_inside_a_word():
    ken = corpus_of((K.NAME, "Kendal"), (K.NAME, "Ana"))
    for text in ("backend kendals2 kendally banana Anagram bananas Kendalville", "Anab xAna Ana2"):
        assert first(text, ken) == []
    assert first("Ana's and Kendal, and ana", ken) == [("name", "Ana"), ("name", "Kendal"), ("name", "ana")]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("我叫王伟明，你好", "王伟明"),
        ("山田太郎です", "山田太郎"),
        ("김철수는 학생", "김철수"),
        ("тут Анна Котова", "Анна Котова"),
        ("с Петр Ивановым", "Петр Ивановым"),
        ("ΝΙΚΟΣ ΥΨΗΛΑΝΤΗΣ", "ΝΙΚΟΣ ΥΨΗΛΑΝΤΗΣ"),
        ("νίκος υψηλάντης", "νίκος υψηλάντης"),
        ("O’Brien-Łukasz", "O’Brien-Łukasz"),
        ("Mueller, Joerg", "Mueller, Joerg"),
        ("Jorg Muller", "Jorg Muller"),
        ("van Beethoven, Ludwig", "van Beethoven, Ludwig"),
        ("Herr van Beethoven", "Herr van Beethoven"),
        ("L. van Beethoven", "L. van Beethoven"),
    ],
)
def test_names_of_many_scripts(text, written):
    corpus = corpus_of(
        *(
            (K.NAME, name)
            for name in (
                "王伟明",
                "山田太郎",
                "김철수",
                "Анна Котова",
                "Пётр Иванов",
                "Νίκος Υψηλάντης",
                "O'Brien Łukasz",
                "Jörg Müller",
                "Ludwig van Beethoven",
            )
        )
    )
    assert first(text, corpus) == [("name", written)]
    assert not spans(text, corpus)[0].first_name_alone


def test_half_a_syllable_is_no_name():
    assert first("김철순", corpus_of((K.NAME, "김철수"))) == []


WORDS = corpus_of(
    (K.NAME, "Will"),
    (K.NAME, "Mark Baker"),
    (K.NAME, "April"),
    (K.NAME, "Al"),
    (K.NAME, "Rose King"),
    (K.EMAIL, "will@corp.example"),
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Will you come in April?", []),
        ("Will wrote from will@corp.example", ["Will"]),
        ("will@corp.example. In April he will", ["April"]),
        ("will@corp.example" + " x" * 120 + " April", []),
        ("April " + "x " * 120 + "will@corp.example", []),
        ("April " + "x " * 80 + "will@corp.example", ["April"]),
        ("Al and al, will@corp.example", ["Al"]),
        ("mark baker", []),
        ("Mark Baker", ["Mark Baker"]),
        ("MARK BAKER", ["MARK BAKER"]),
        ("A king came", []),
        ("A King came", []),
        ("R. King came", ["R. King"]),
        ("Dr King", ["Dr King"]),
        ("dr king", []),
        ("Will and April", []),
    ],
)
def test_words_that_are_names_are_capitalised_and_weak_ones_need_a_strong_one_near(text, names):
    assert [written for kind, written in first(text, WORDS) if kind == "name"] == names


EMAILS = [
    "ada.lovelace@gmail.com",
    "ADA.LOVELACE@GMAIL.COM",
    "adalovelace@gmail.com",
    "a.d.a.l.o.v.e.l.a.c.e@googlemail.com",
    "ada.lovelace+list@gmail.com",
    "adalovelace+a.b-c@gmail.com",
    "ada.byron@lovelace.example",
    "ada.byron+x@lovelace.example",
    "ada.byron at lovelace dot example",
    "ada dot byron at lovelace dot example",
    "ada.byron [at] lovelace [dot] example",
    "ada.byron(at)lovelace(dot)example",
    "ada.byron＠lovelace．example",
    "ada.by\nron@lovelace.example",
    "ada.byron@love=\nlace.example",
    "ada.byron @ lovelace . example",
    "ada punkt byron at lovelace punkt example",
]


@pytest.mark.parametrize("written", EMAILS)
def test_an_email_is_found(written):
    assert first(f"write to {written}, please") == [("email", written)]


@pytest.mark.parametrize(
    "text",
    [
        "x.ada.byron@lovelace.example",
        "adabyron@lovelace.example",
        "ada_byron@lovelace.example",
        "ada.byron@mail.lovelace.example.org",
        "ada.byron@lovelace.examples",
        "bob@lovelace.example",
        "bob@gmail.com",
        "xadalovelace@gmail.com",
        "ada.byron lovelace.example",
        "ada.byron at the lovelace.example",
    ],
)
def test_somebody_elses_email(text):
    assert "email" not in dict(first(text))


PHONES = [
    "+44 20 7946 0958",
    "+442079460958",
    "0044 20 7946 0958",
    "020 7946 0958",
    "(020) 7946-0958",
    "+44 (0)20 7946 0958",
    "+44 (0) 20.7946.0958",
    "02079460958",
    "2079460958",
    "44 20 7946 0958",
    "020-7946-0958 ext. 44",
    "020 7946 0958x44",
    "+44 2079\n460958",
    "٠٢٠ ٧٩٤٦ ٠٩٥٨",
    "（０２０）７９４６‐０９５８",
    "+1 (415) 555-2671",
    "1-415-555-2671",
    "415.555.2671",
    "011 1 415 555 2671",
]


@pytest.mark.parametrize("written", PHONES)
def test_a_phone_number_is_found(written):
    assert first(f"ring {written}, now") == [("phone", written)]


@pytest.mark.parametrize(
    "text",
    [
        "7946 0958",
        "79460958",
        "12079460958",
        "20794609581",
        "2,079,460,958",
        "20794 609 a 58",
        "2079/46/x0958",
        "+4920794609",
        "207946095",
        "4155552671000",
        "0.4155552671",
    ],
)
def test_what_is_no_phone_number(text):
    assert first(text) == []


@pytest.mark.parametrize("digits", [1, 2, 3, 4, 5, 6])
def test_fewer_than_seven_digits_never_act(digits):
    number = "1234567"[:digits]
    corpus = corpus_of((K.PHONE, number), regions=())
    assert first(f"{number} {number}", corpus) == []


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("at 12 St James's Square, London SW1Y 4JH", "12 St James's Square, London SW1Y 4JH"),
        ("12 st. james's sq.", "12 st. james's sq"),
        ("12 Saint James's Square", "12 Saint James's Square"),
        ("St James's Square 12", "St James's Square 12"),
        ("St James's Square, no. 12", "St James's Square, no. 12"),
        ("12, SW1Y 4JH", "12, SW1Y 4JH"),
        ("house 12 in London SW1Y4JH", "12 in London SW1Y4JH"),
        ("12 St James's Square\nLondon\nSW1Y 4JH", "12 St James's Square\nLondon\nSW1Y 4JH"),
        ("Hauptstr. 5", "Hauptstr. 5"),
        ("haupt-strasse 5, berlin", "haupt-strasse 5, berlin"),
        ("5 Hauptstraße", "5 Hauptstraße"),
        ("Nr. 5, 10115 Berlin", "5, 10115 Berlin"),
    ],
)
def test_an_address_is_found(text, written):
    assert first(text) == [("address", written)]


@pytest.mark.parametrize(
    "text",
    [
        "St James's Square",
        "London",
        "SW1Y 4JH",
        "London SW1Y 4JH",
        "10115",
        "10115 Berlin",
        "Hauptstraße",
        "112 St James's Square",
        "12a St James's Square",
        "Hauptstraße 55",
        "5 cakes from a bakery round the corner of the Hauptstraße",
        "12 people met in the large hall near old London SW1Y 4JH",
        "5x10115",
    ],
)
def test_a_street_a_city_or_a_postcode_alone_is_no_address(text):
    assert "address" not in dict(first(text))


def test_a_postcode_of_four_digits_needs_a_word_of_the_address_too():
    corpus = corpus_of((K.ADDRESS, "Bahnhofweg 7, 8001 Zürich"))
    assert first("took 7 ms for 8001 rows", corpus) == []
    assert first("7, 8001 Zurich", corpus) == [("address", "7, 8001 Zurich")]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("follow @adalace!", "@adalace"),
        ("adalace wrote", "adalace"),
        ("see github.com/ada_l-9/repo", "ada_l-9"),
        ("user ada_l-9", "ada_l-9"),
        ("@builder", "@builder"),
        ("https://gitlab.com/builder", "builder"),
        ("https://www.reddit.com/u/builder/", "builder"),
    ],
)
def test_a_handle_is_found(text, written):
    assert written in [found for kind, found in first(text) if kind == "handle"] or (
        "link",
        "https://github.com/adalace",
    ) in first(text)


@pytest.mark.parametrize(
    "text",
    [
        "my_adalace",
        "adalace_x",
        "x-adalace",
        "adalaces",
        "ada-l_9",
        "ada_l9",
        "a builder",
        "/usr/builder/x",
        "example.com/builder",
        "mail@builders.example",
        "x@builder",
    ],
)
def test_what_is_no_handle(text):
    assert "handle" not in dict(first(text))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("https://lovelace.example/notes", "https://lovelace.example/notes"),
        ("http://www.lovelace.example/notes/", "http://www.lovelace.example/notes"),
        ("LOVELACE.EXAMPLE/Notes?utm_source=x", "LOVELACE.EXAMPLE/Notes"),
        ("lovelace.example/notes/1843", "lovelace.example/notes"),
        ("at ada.lovelace.dev.", "ada.lovelace.dev"),
        ("https://ada.lovelace.dev/about", "https://ada.lovelace.dev"),
        ("https://blog.ada.lovelace.dev", "ada.lovelace.dev"),
        ("https://github.com/adalace/engine", "https://github.com/adalace"),
        ("lovelace.example%2Fnotes", "lovelace.example%2Fnotes"),
    ],
)
def test_a_link_is_found(text, written):
    assert ("link", written) in first(text)


@pytest.mark.parametrize(
    "text",
    [
        "https://lovelace.example/",
        "https://lovelace.example/notesx",
        "https://lovelace.example/notes-old",
        "https://notlovelace.example/notes",
        "https://sub.lovelace.example/notes",
        "https://ada.lovelace.dev.evil.example",
        "https://x-ada.lovelace.dev",
        "bob@ada.lovelace.dev",
        "https://github.com",
        "https://github.com/adalaces",
        "https://lovelace.dev",
    ],
)
def test_what_is_no_link_of_the_owner(text):
    assert "link" not in dict(first(text))


def test_an_international_host_is_one_host_in_both_spellings():
    corpus = corpus_of((K.LINK, "https://bücher.example"), (K.EMAIL, "ada@bücher.example"))
    for host in ("bücher.example", "xn--bcher-kva.example", "BÜCHER.example"):
        assert first(f"see https://{host}/x", corpus) == [("link", f"https://{host}")]
        assert first(f"to ada@{host}!", corpus) == [("email", f"ada@{host}")]


SECRETS = [
    "ghp_" + "aB3" * 12,
    "github_pat_" + "aB3_" * 12,
    "sk-proj-" + "aB3x" * 8,
    "sk-ant-api03-" + "aB3x" * 8,
    "AKIA" + "ABCDEFGH23456777",
    "AIza" + "aB3-_" * 7,
    "xoxb-" + "1234567890-" * 3 + "abc",
    "glpat-" + "aB3" * 8,
    "npm_" + "aB3" * 12,
    "hf_" + "aBc" * 11,
    "SG." + "aB3" * 7 + "." + "aB3" * 14,
    "sk_live_" + "aB3" * 8,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV",
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nMIIEpAIBAAKCAQ\nabcdef\n-----END RSA PRIVATE KEY-----",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_key_of_a_known_issuer_is_a_secret_of_nobody_in_particular(secret):
    text = f"key={secret} end"
    [span] = spans(text, corpus_of())
    assert (span.kind, span.literal, text[span.start : span.end]) == (K.SECRET, -1, secret)


@pytest.mark.parametrize(
    "text",
    [
        "550e8400-e29b-41d4-a716-446655440000",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "Qx7rTz9pLm2wVb4Qx7rTz9pLm2wVb4",
        "task-based sk-learn-style risk-averse-people",
        "desk-1234567890abcdefghijkl",
        "npm_config_registry",
        "-----BEGIN CERTIFICATE-----\nMIIEpAIBAAKCAQEA75abcdefgh\n-----END CERTIFICATE-----",
        "eyJhbGciOiJIUzI1NiJ9",
    ],
)
def test_entropy_alone_is_no_secret(text):
    assert first(text) == []


def test_a_secret_literal_matches_in_any_case_and_across_line_breaks():
    for written in (
        "plum-Teapot-4471-green",
        "PLUM-TEAPOT-4471-GREEN",
        "plum-Teapot-\n4471-green",
        "plum-\r\n  Teapot-4471-green",
    ):
        assert first(f"xx{written}yy") == [("secret", written)]
    assert first("plumTeapot4471green plum_Teapot_4471_green") == []


OVERLAPS = [
    # a short literal inside a longer one
    ("Ada Lovelace", [("name", "Ada Lovelace")]),
    # a name beside its alias
    ("Ada, Ada Lovelace", [("name", "Ada"), ("name", "Ada Lovelace")]),
    ("Ada Lovelace Ada", [("name", "Ada Lovelace"), ("name", "Ada")]),
    ("Ada Lovelace Ada Lovelace", [("name", "Ada Lovelace"), ("name", "Ada Lovelace")]),
    # a name inside an email, a handle inside a link, a host inside an email
    ("ada.lovelace@gmail.com", [("email", "ada.lovelace@gmail.com")]),
    ("https://github.com/adalace", [("link", "https://github.com/adalace")]),
    ("ada.byron@lovelace.example/notes", [("email", "ada.byron@lovelace.example")]),
]


@pytest.mark.parametrize(("text", "expected"), OVERLAPS)
def test_the_longest_literal_wins(text, expected):
    assert first(text) == expected


def test_a_name_in_the_address_that_contains_it_is_the_address():
    corpus = corpus_of((K.NAME, "Ada Lovelace"), (K.ADDRESS, "7 Ada Lovelace Street, Leeds LS1 1AA"))
    assert first("at 7 Ada Lovelace Street", corpus) == [("address", "7 Ada Lovelace Street")]


def test_overlapping_literals_are_merged_and_the_strictest_names_the_span():
    corpus = corpus_of((K.NAME, "Ada Lovelace"), (K.SECRET, "Lovelace-engine-1843"))
    text = "Ada Lovelace-engine-1843"
    [span] = spans(text, corpus)
    assert (span.start, span.end, span.kind) == (0, len(text), K.SECRET)
    assert span.kinds == {K.NAME, K.SECRET}
