"""Remember, recall, explain, list, revise, questions, pause: what the commands say of it."""

from __future__ import annotations

import pytest
from command_lines import Filled, RunIris

from iris_memory.cli.exit_codes import ExitCode


def test_a_refusal_names_what_is_needed_and_the_consent_lets_it_in(empty: RunIris) -> None:
    refused = empty("remember", "Likes tea", "--json")
    assert refused.code == ExitCode.REFUSED
    assert refused.document["reason"] == "consent-missing"
    needs = refused.document["needs"]
    assert empty("consent", "grant", *needs, "--terms", "We keep what you tell us.").code == ExitCode.OK
    written = empty("remember", "Likes tea", "--json")
    assert written.document["outcome"] == "written"
    assert written.document["entry"]["body"] == "Likes tea"


def test_words_come_from_stdin(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    ran = iris("remember", "-", "--json", stdin="Two lines\nof words, and größer\n")
    assert ran.document["entry"]["body"] == "Two lines\nof words, and größer"


def test_every_option_of_remember_reaches_the_memory(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    given = {"category": "work", "subject": "desk", "origin": "model-inferred", "label": "assistant"}
    given |= {"scope": "session:me:s1", "adapter-scope": "conversation", "expires": "2999-01-01T12:00:00+02:00"}
    options = [word for name, value in given.items() for word in (f"--{name}", value)]
    entry = iris("remember", "x", *options, "--session", "s1", "--json").document["entry"]
    told = {name: entry[name] for name in ("category", "subject", "origin", "label", "adapter_scope")}
    assert told == {
        "category": "work",
        "subject": "desk",
        "origin": "model-inferred",
        "label": "assistant",
        "adapter_scope": "conversation",
    }
    assert entry["scope"] == {"kind": "session", "user_id": "me", "session_id": "s1"}
    assert entry["expires_at"] < "2999-01-01T10:00:00.000001Z"  # its envelope may end it earlier
    assert entry["provenance_chain"][0]["ref"] == "s1"


def test_recall_gives_reasons_and_counts_what_is_withheld(filled: tuple[RunIris, Filled]) -> None:
    iris, ids = filled
    general = iris("recall", "penicillin", "--json").document
    assert ids.medical not in [hit["entry"]["logical_id"] for hit in general["hits"]]
    envelope = general["audit_envelope"]
    assert envelope["suppression_counts"] == {"lifecycle-draft": 1, "sensitive-category-outside-relevant-context": 1}
    healthy = iris("recall", "penicillin", "--context", "health", "--context", "general", "--json").document
    assert healthy["hits"][0]["entry"]["logical_id"] == ids.medical
    assert "matches-request" in healthy["hits"][0]["surface_rationale"]
    said = iris("recall", "penicillin").out
    assert "withheld 1: sensitive-category-outside-relevant-context" in said
    assert "of 4 memories looked at" in said


def test_recall_narrows(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    assert len(iris("recall", "--limit", "1", "--json").document["hits"]) == 1
    assert iris("recall", "--limit", "0", "--json").document["hits"] == []
    assert iris("recall", "--crisis", "--json").document["hits"] == []
    assert iris("recall", "--user", "somebody", "--json").document["audit_envelope"]["evaluated_count"] == 0
    assert iris("recall", "--tenant", "another", "--json").document["audit_envelope"]["evaluated_count"] == 0


def test_explain_names_the_gate_that_drops(filled: tuple[RunIris, Filled]) -> None:
    iris, ids = filled
    found = iris("explain", ids.medical, "penicillin", "--json").document
    assert found["outcome"] == "dropped"
    assert found["counted_under"] == "sensitive-category-outside-relevant-context"
    said = iris("explain", ids.medical, "penicillin").out
    assert "dropped  sensitive: sensitive-category-outside-relevant-context" in said
    assert iris("explain", ids.medical, "--context", "health", "--json").document["outcome"] == "returned"


def test_list_says_how_many_of_how_many_and_pages(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    first = iris("list", "--limit", "3", "--json").document
    assert (len(first["entries"]), first["total"], first["matching"]) == (3, 4, 4)
    rest = iris("list", "--limit", "3", "--cursor", first["next_cursor"], "--json").document
    assert rest["next_cursor"] is None
    seen = {entry["id"] for entry in (*first["entries"], *rest["entries"])}
    assert len(seen) == 4
    said = iris("list", "--category", "preference").out
    assert "2 shown · 4 things remembered, 2 of them match" in said
    assert iris("list", "--words", "TEA", "--json").document["matching"] == 1
    assert iris("list", "--origin", "imported", "--json").document["matching"] == 0


def test_show_answers_where_when_and_why(filled: tuple[RunIris, Filled]) -> None:
    iris, ids = filled
    assert "not used in an answer yet" in iris("show", ids.seat).out
    iris("recall", "a seat on the train")
    shown = iris("show", ids.seat, "--json").document
    assert shown["usage"]["reference_count"] == 1
    assert "surfaced" in iris("show", ids.seat).out


def test_a_foreign_id_looks_like_a_missing_one(filled: tuple[RunIris, Filled]) -> None:
    iris, ids = filled
    iris("consent", "grant", "data_processing", "data_storage", "--terms", "W", "--user", "other")
    for command in ("show", "history", "explain", "forget"):
        words = [command, ids.seat, "--user", "other", *(["--yes"] if command == "forget" else [])]
        foreign = iris(*words)
        assert foreign.code == ExitCode.NOT_FOUND
        assert foreign.err == iris(command, "gone", *words[2:]).err


def test_a_correction_is_the_next_revision_and_a_stale_one_is_refused(filled: tuple[RunIris, Filled]) -> None:
    iris, ids = filled
    seen = iris("show", ids.medical, "--json").document["entry"]["id"]
    revised = iris("revise", ids.medical, "Allergic to nuts", "--expected", seen, "--json")
    assert revised.document["entry"]["revision"] == 2
    stale = iris("revise", ids.medical, "Allergic to bees", "--expected", seen, "--json")
    assert stale.code == ExitCode.REFUSED
    assert stale.document["reason"] == "stale-revision"
    bodies = [entry["body"] for entry in iris("history", ids.medical, "--json").document["revisions"]]
    assert bodies == ["Allergic to penicillin", "Allergic to nuts"]


@pytest.mark.parametrize(
    ("decision", "standing"),
    [("keep", "Prefers a window seat on trains"), ("replace", "Prefers an aisle seat on trains")],
)
def test_a_question_is_shown_before_it_is_answered(
    decision: str, standing: str, filled: tuple[RunIris, Filled]
) -> None:
    iris, ids = filled
    ran = iris("answer", ids.question, decision, stdin="y\n")
    assert ran.code == ExitCode.OK
    shown, _, decided = ran.out.partition("Decided.")
    assert "window seat" in shown
    assert "aisle seat" in shown
    assert standing in decided
    assert iris("questions", "--json").document == {"questions": []}


def test_an_answer_that_is_not_given_changes_nothing(filled: tuple[RunIris, Filled]) -> None:
    iris, ids = filled
    for stdin in ("n\n", ""):
        ran = iris("answer", ids.question, "replace", stdin=stdin)
        assert ran.code == ExitCode.DECLINED
    assert iris("answer", ids.question, "replace", "--json").code == ExitCode.USAGE
    assert iris("answer", ids.question, "replace", "--digest", "0" * 64).code == ExitCode.USAGE
    assert iris("answer", "gone", "replace").code == ExitCode.NOT_FOUND
    assert len(iris("questions", "--json").document["questions"]) == 1


def test_a_pause_holds_for_its_session_until_it_is_resumed(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    assert iris("pause", "--session", "s1").code == ExitCode.OK
    assert iris("remember", "Said in s1", "--session", "s1").code == ExitCode.REFUSED
    assert iris("remember", "Said in s2", "--session", "s2").code == ExitCode.OK
    assert "in session s1" in iris("status").out
    assert iris("resume", "--session", "s1", "--json").document == {"was_paused": True}
    assert iris("resume", "--session", "s1", "--json").document == {"was_paused": False}
    iris("pause")
    assert iris("recall", "seat", "--json").document["audit_envelope"]["suppression_counts"] == {"user-pause": 5}


def test_status_counts_what_waits(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    told = iris("status", "--json").document
    assert (told["memories"], told["questions"], told["held"]) == (4, 1, 1)
    assert told["consents"] == ["category:medical", "data_processing", "data_storage"]


def test_consents_are_granted_denied_revoked_and_the_ledger_checks(filled: tuple[RunIris, Filled]) -> None:
    iris, ids = filled
    iris("consent", "deny", "personalization", "--terms", "Words", "--note", "not now")
    iris("consent", "revoke", "category:medical")
    assert iris("consent", "active", "--json").document["active"] == ["data_processing", "data_storage"]
    trail = iris("consent", "trail", "--json").document["events"]
    assert [event["status"] for event in trail] == ["granted", "granted", "granted", "denied", "revoked"]
    assert iris("consent", "check", "--json").document == {"ok": True, "problems": []}
    gone = iris("explain", ids.medical, "--context", "health", "--json")
    assert gone.code == ExitCode.NOT_FOUND, "a withdrawal takes along what was stored under it"


def test_opt_outs_replace_each_other_and_show(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    assert iris("consent", "opt-out", "--json").document == {"opt_outs": []}
    assert iris("consent", "opt-out", "notebooks", "memory", "--json").document == {"opt_outs": ["memory", "notebooks"]}
    assert iris("consent", "opt-out", "--json").document == {"opt_outs": ["memory", "notebooks"]}
    assert iris("remember", "Anything").code == ExitCode.REFUSED
    modes = {row["adapter_scope"]: row["mode"] for row in iris("consent", "policies", "--json").document["policies"]}
    assert modes["assistant_profile"] == "suppressed"
    assert iris("consent", "opt-out", "--nothing", "--json").document == {"opt_outs": []}
    assert iris("remember", "Anything").code == ExitCode.OK


def test_an_approval_opens_a_reviewed_scope(filled: tuple[RunIris, Filled]) -> None:
    iris, _ = filled
    iris("consent", "grant", "tenant_processing", "--terms", "Words")
    words = ["remember", "Kept by the tenant", "--scope", "tenant:local:me", "--json"]
    assert iris(*words).document["reason"] == "governance-review-missing"
    iris("approve", "tenant", "--by", "ops", "--reason", "Trial", "--until", "2999-01-01T00:00:00Z")
    assert iris(*words).document["outcome"] == "written"
