"""Other people, category questions and moves on the command line."""

from __future__ import annotations

from command_lines import RunIris

from iris_memory.cli.exit_codes import ExitCode


def _ready(iris: RunIris) -> None:
    assert iris("init").code == ExitCode.OK
    assert iris("consent", "grant", "data_processing", "data_storage", "--terms", "Words").code == ExitCode.OK


def test_somebody_is_mentioned_listed_and_forgotten(iris: RunIris) -> None:
    _ready(iris)
    assert iris("remember", "Plays the cello", "--about", "Anna", "--relation", "my partner").code == ExitCode.OK
    (one,) = iris("others", "list", "--json").document["mentions"]
    assert (one["relationship_notes"], one["memories"]) == (["my partner"], 1)
    assert "my partner: 1 memory" in iris("others", "list").out
    assert iris("others", "forget", "ANNA", "--dry-run", "--json").document["preview"]["memories"] == 1
    assert iris("others", "forget", "ANNA", "--json").code == ExitCode.USAGE
    assert iris("others", "forget", "ANNA", stdin="n\n").code == ExitCode.DECLINED
    done = iris("others", "forget", one["handle"], "--yes", "--json").document["receipt"]
    assert (done["reason"], done["memories"]) == ("mention-forgotten", 1)
    assert iris("others", "forget", "Anna", "--yes").code == ExitCode.NOT_FOUND
    assert iris("others", "list", "--json").document == {"mentions": []}


def test_more_of_somebody_needs_their_name(iris: RunIris) -> None:
    _ready(iris)
    assert iris("remember", "Plays", "--relation", "my partner").code == ExitCode.USAGE
    refused = iris("remember", "Argued", "--about", "Ben", "--sensitive-interaction", "--json")
    assert (refused.code, refused.document["needs"]) == (ExitCode.REFUSED, ["multi_actor_sensitive"])


def test_sensitive_words_are_asked_about_and_kept_as_said(iris: RunIris) -> None:
    _ready(iris)
    words = "I was diagnosed with diabetes"
    asked = iris("remember", words, "--json")
    assert (asked.code, asked.document["outcome"]) == (ExitCode.OK, "ask-category")
    told = iris("remember", words).out
    assert "--category medical (needs the consent category:medical)" in told
    assert f"--as-said {asked.document['digest']}" in told
    assert iris("list", "--json").document["total"] == 0
    kept = iris("remember", words, "--as-said", asked.document["digest"], "--json").document
    assert (kept["outcome"], kept["entry"]["category"]) == ("written", "fact")


def test_a_memory_is_moved(iris: RunIris) -> None:
    _ready(iris)
    memory = iris("remember", "Likes tea", "--json").document["entry"]["logical_id"]
    moved = iris("move", memory, "notebook:me:trips", "--json").document
    assert moved["entry"]["scope"] == {"kind": "notebook", "user_id": "me", "notebook_id": "trips"}
    back = iris("move", memory, "profile:me", "--json")
    assert (back.code, back.document["reason"]) == (ExitCode.REFUSED, "scope-change-not-allowed")
    assert iris("move", memory, "nowhere").code == ExitCode.USAGE
    assert iris("move", "no-such", "profile:me").code == ExitCode.NOT_FOUND
