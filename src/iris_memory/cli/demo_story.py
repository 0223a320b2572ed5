"""The story of the demo, step by step. Each step says what it does, does it for real, and checks what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from iris_memory.chain.verify import verify_export
from iris_memory.cli.answers import Line, Words, dim, good, head, plain
from iris_memory.cli.instants import present
from iris_memory.cli.wording import (
    count,
    counted,
    entry_lines,
    explanation_lines,
    need_words,
    outcome_lines,
    preview_lines,
    receipt_lines,
    result_lines,
)
from iris_memory.contracts.write import AskUser, Refused, WriteOutcome, Written
from iris_memory.flows.receipts import is_genuine
from iris_memory.flows.seal import key_periods
from iris_memory.front.iris import Iris

TENANT: Final = "demo"
USER: Final = "ada"
SAMPLE: Final = Path(__file__).with_name("sample") / "notes.jsonl"
TERMS: Final = "We keep what you tell us, so that we need not ask twice. You can end this at any time."

WINDOW = "Prefers a window seat on trains"
AISLE = "Prefers an aisle seat on trains"
PENICILLIN = "Allergic to penicillin"


class Tell(Protocol):
    """Tells a person something at once."""

    def __call__(self, *lines: Words) -> None:
        """Tell some lines."""
        ...


class Story:
    """One telling of the story; `steps` is what a program gets."""

    def __init__(self, iris: Iris, scratch: Path, *, tell: Tell) -> None:
        """Take an open store, a folder for an export, and what tells a person."""
        self._iris = iris
        self._me = iris.for_user(tenant=TENANT, user=USER)
        self._scratch = scratch
        self._tell = tell
        self._medical = ""
        self.steps: list[dict[str, Any]] = []

    def play(self) -> None:
        """Tell every step in order."""
        steps: Sequence[tuple[str, Callable[[], None]]] = (
            ("Nothing is kept without consent", self._refuse),
            ("With consent, it is remembered", self._agree),
            ("A sensitive fact needs a consent of its own", self._sensitive),
            ("Two statements that differ become a question", self._conflict),
            ("Recall gives reasons, and counts what it withholds", self._recall),
            ("Any verdict can be explained", self._explain),
            ("A correction is the next revision", self._revise),
            ("Off the record", self._pause),
            ("An export of another product comes in", self._import),
            ("Forgotten for good, with a receipt", self._forget),
            ("What was forgotten does not come back by itself", self._come_back),
            ("Anybody can check the audit chain", self._audit),
        )
        for number, (title, step) in enumerate(steps, start=1):
            self._tell("", head(f"{number}. {title}"))
            step()

    def _note(self, name: str, ok: bool, lines: Sequence[Words], **facts: object) -> None:
        self._tell(*(_indented(line) for line in lines))
        self.steps.append({"step": name, "ok": ok, **{key: plain(value) for key, value in facts.items()}})

    def _written(self, outcome: WriteOutcome) -> str:
        return outcome.entry.logical_id if isinstance(outcome, Written) else ""

    def _refuse(self) -> None:
        outcome = self._me.remember("Likes tea")
        self._note("refused", isinstance(outcome, Refused), outcome_lines(outcome, present()), outcome=outcome)

    def _agree(self) -> None:
        events = self._me.consent.grant(
            "data_processing", "data_storage", terms=TERMS, capture_method="inline_prompt", witness="demo"
        )
        self._me.remember("Likes tea in the morning")
        outcome = self._me.remember(WINDOW, category="preference", subject="seat on trains")
        lines: list[Words] = [f"{event.type} {event.status.value}" for event in events]
        self._note("remembered", bool(self._written(outcome)), [*lines, *outcome_lines(outcome, present())])

    def _sensitive(self) -> None:
        before = self._me.remember(PENICILLIN, category="medical")
        self._me.consent.grant("category:medical", terms="We may keep what you tell us of your health.", witness="demo")
        after = self._me.remember(PENICILLIN, category="medical")
        self._medical = self._written(after)
        now = present()
        lines = [*outcome_lines(before, now), good("category:medical granted"), *outcome_lines(after, now)]
        self._note("sensitive", isinstance(before, Refused) and bool(self._medical), lines, before=before)

    def _conflict(self) -> None:
        outcome = self._me.remember(AISLE, category="preference", subject="seat on trains")
        lines = outcome_lines(outcome, present())
        asked = self._me.questions()
        if isinstance(outcome, AskUser) and asked:
            standing = self._me.answer(outcome.question_id, "replace", digest=asked[0].digest)
            if not isinstance(standing, Refused):
                lines += [good("Answered with replace:"), *entry_lines(standing, present())]
        self._note("conflict", isinstance(outcome, AskUser) and not self._me.questions(), lines)

    def _recall(self) -> None:
        result = self._me.recall("booking a seat on the train to Lisbon")
        withheld = result.audit_envelope.suppression_counts
        bodies = [hit.entry.body for hit in result.hits]
        ok = AISLE in bodies and PENICILLIN not in bodies and sum(withheld.values()) == 1
        lines = [dim('asked: "booking a seat on the train to Lisbon"'), *result_lines(result, present())]
        self._note("recall", ok, lines, returned=len(bodies), withheld=withheld)

    def _explain(self) -> None:
        found = self._me.explain(self._medical, "booking a seat on the train to Lisbon")
        healthy = self._me.recall("which medicine may I take", contexts=["health"])
        surfaced = self._medical in {hit.entry.logical_id for hit in healthy.hits}
        lines = [*explanation_lines(found), good("In a health context it surfaces:"), *result_lines(healthy, present())]
        self._note("explain", surfaced and found.outcome == "dropped", lines, counted_under=found.counted_under)

    def _revise(self) -> None:
        entry = next(one for one in self._me.list().entries if one.body == AISLE)
        outcome = self._me.revise(entry.logical_id, "Prefers an aisle seat on trains, near the door", expected=entry.id)
        revisions = self._me.history(entry.logical_id)
        now = present()
        lines = [line for one in revisions for line in entry_lines(one, now, f"revision {one.revision}")]
        self._note("history", outcome.outcome == "written" and len(revisions) == 3, lines, revisions=len(revisions))

    def _pause(self) -> None:
        self._me.pause()
        outcome = self._me.remember("Said while off the record")
        result = self._me.recall("seat on trains")
        self._me.resume()
        lines = [*outcome_lines(outcome, present()), *result_lines(result, present()), good("On the record again.")]
        self._note("pause", isinstance(outcome, Refused) and not result.hits, lines, outcome=outcome)

    def _import(self) -> None:
        first = self._me.import_file(SAMPLE, format="jsonl")
        held = self._me.held()
        needs = sorted({need for row in held for need in row.needs})
        self._me.consent.grant(*needs, terms="We may keep what your notes say of your faith.", witness="demo")
        second = self._me.import_file(SAMPLE, format="jsonl")
        lines: list[Words] = [
            good(f"{count(first.read, 'row')} read, {first.taken} taken in"),
            f"held: {counted(first.held)}",
            *(dim(f"  {row.ref} needs {', '.join(map(need_words, row.needs)) or 'your word'}") for row in held),
            f"left out: {counted(first.left_out)}; unreadable: {counted(first.unreadable)}",
            good(f"{', '.join(needs)} granted, and the same file again: {second.taken} more taken in"),
        ]
        ok = len(held) == sum(first.held.values()) == 2 and second.taken == 1 and second.already == first.taken
        self._note("import", ok, lines, taken=first.taken + second.taken, held=first.held)

    def _forget(self) -> None:
        preview = self._me.preview_forget(self._medical)
        receipt = self._me.forget(self._medical)
        keys = [period.key for period in key_periods(self._iris.instruments, TENANT)]
        genuine = is_genuine(receipt, keys=keys)
        clean = receipt.files_scrubbed and receipt.residue is not None and not receipt.residue.found
        lines = [*preview_lines(preview), *receipt_lines(receipt), good("The receipt's signature fits.")]
        self._note("forget", genuine and clean, lines if genuine else lines[:-1], receipt=receipt)

    def _come_back(self) -> None:
        outcome = self._me.remember(PENICILLIN, category="medical")
        self._note("forgotten-before", isinstance(outcome, Refused), outcome_lines(outcome, present()), outcome=outcome)

    def _audit(self) -> None:
        online = self._iris.verify_audit(tenant=TENANT)
        file = self._scratch / "audit.jsonl"
        with file.open("wb") as out:
            out.writelines(self._iris.export_audit(tenant=TENANT))
        with file.open("rb") as exported:
            offline = verify_export(exported)
        content = file.read_bytes()
        silent = not any(words.encode() in content for words in (WINDOW, AISLE, PENICILLIN))
        lines: list[Words] = [
            good(f"online: {count(online.report.size, 'event')}, all linked and signed")
            if online.ok
            else "online: not sound",
            good(f"offline, from the export alone: {count(offline.size, 'event')}")
            if offline.ok
            else "offline: not sound",
            good("none of the words that were remembered stands in it") if silent else "it holds words",
        ]
        self._note("audit", online.ok and offline.ok and silent, lines, events=offline.size)


def _indented(line: Words) -> Words:
    return f"   {line}" if isinstance(line, str) else Line(f"   {line.text}", line.look)
