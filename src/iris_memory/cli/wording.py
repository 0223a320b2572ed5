"""Wording: memories, reasons and counts in plain words for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from iris_memory.cli.answers import Words, bad, dim, good, head, warn

if TYPE_CHECKING:
    from iris_memory.contracts.entry import MemoryEntry, UsageRecord
    from iris_memory.contracts.erasure import ForgetPreview, ForgetReceipt
    from iris_memory.contracts.recall import Explanation, RecallHit, RecallResult
    from iris_memory.contracts.write import Question, Refused, WriteOutcome

ORIGIN_WORDS: Final = {
    "user-stated": "said by you",
    "user-confirmed": "confirmed by you",
    "model-inferred": "inferred",
    "summarized-from-session": "summarised",
    "imported": "imported",
    "operator-copilot": "noted by an operator",
}
_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def ago(instant: datetime, now: datetime) -> str:
    """Return how long ago an instant was, in one unit; `now` and the instant are aware."""
    passed = now - instant
    if passed < _MINUTE:
        return "just now"
    if passed < _HOUR:
        return f"{count(passed // _MINUTE, 'minute')} ago"
    if passed < _DAY:
        return f"{count(passed // _HOUR, 'hour')} ago"
    if passed < 60 * _DAY:
        return f"{count(passed // _DAY, 'day')} ago"
    return f"on {instant.date().isoformat()}"


def entry_lines(entry: MemoryEntry, now: datetime, *more: str) -> list[Words]:
    """Return a memory in two lines: its words, and what is known of it."""
    facts = [
        entry.category.value.replace("_", " "),
        ORIGIN_WORDS[entry.origin.value],
        ago(entry.updated_at, now),
    ]
    if entry.lifecycle.value != "active":
        facts.append(entry.lifecycle.value)
    if entry.quarantine is not None:
        facts.append(f"quarantined: {entry.quarantine.reason.value}")
    return [head(entry.body), dim("  " + " · ".join([*facts, *more, entry.logical_id]))]


def detail_lines(entry: MemoryEntry, usage: UsageRecord, now: datetime) -> list[Words]:
    """Return everything a person may want to know of one memory."""
    kept = f"until {entry.expires_at.isoformat()}" if entry.expires_at else "until you forget it"
    used = "not used in an answer yet"
    if usage.last_referenced_at is not None:
        used = f"{count(usage.reference_count, 'time')}, last {ago(usage.last_referenced_at, now)}"
    lines: list[Words] = [
        head(entry.body),
        f"  about       {entry.category.value}" + (f" ({entry.subject})" if entry.subject else ""),
        f"  came from   {ORIGIN_WORDS[entry.origin.value]}, label {entry.label.value}",
        f"  since       {entry.created_at.isoformat()}, revision {entry.revision} {ago(entry.updated_at, now)}",
        f"  lives in    {entry.scope.text()} ({entry.adapter_scope.value})",
        f"  state       {entry.lifecycle.value}",
        f"  kept        {kept}",
        f"  used        {used}",
        f"  sources     {', '.join(f'{link.kind.value} {link.ref}' for link in entry.provenance_chain)}",
        f"  memory id   {entry.logical_id}",
        f"  revision id {entry.id}",
    ]
    for recent in usage.recent[-5:]:
        why = ", ".join(recent.rationale) or "no reason is shown there"
        lines.append(
            dim(f"  surfaced {ago(recent.at, now)} on {recent.surface.value} for {recent.consumer.value}: {why}")
        )
    return lines


def outcome_lines(outcome: WriteOutcome, now: datetime) -> list[Words]:
    """Return what became of a write."""
    if outcome.outcome == "written":
        verb = "Remembered" if outcome.replaced is None else "Remembered, in place of what was there"
        if outcome.mode == "ephemeral":
            verb = "Kept in the session only, on no disk; it is gone when this process ends"
        return [good(f"{verb}:"), *entry_lines(outcome.entry, now)]
    if outcome.outcome == "ask-user":
        return [
            warn("It waits for an answer:"),
            *(f"  {line}" for line in outcome.question.splitlines()),
            dim(f"  answer with: iris answer {outcome.question_id} replace|keep|both"),
        ]
    if outcome.outcome == "ask-category":
        needs = "".join(f" (needs the consent {name})" for name in outcome.needs[:1])
        return [
            warn("Nothing is remembered yet:"),
            f"  {outcome.question}",
            dim(f"  file it with: iris remember TEXT --category {outcome.looks_like[0].value}{needs}"),
            dim(f"  keep it with: iris remember TEXT --category {outcome.said.value} --as-said {outcome.digest}"),
        ]
    return refused_lines(outcome)


def refused_lines(refused: Refused) -> list[Words]:
    """Return a refusal with what would be needed."""
    return [
        bad(f"Not remembered: {refused.reason.value}"),
        f"  {refused.rule}",
        *(f"  needs {need_words(need)}" for need in refused.needs),
    ]


def need_words(need: str) -> str:
    """Return how a need of a refusal or of a held row is met."""
    return "--again, said by the person" if need == "again" else f"the consent {need}"


def result_lines(result: RecallResult, now: datetime) -> list[Words]:
    """Return what was recalled, why, and an account of the rest."""
    lines: list[Words] = []
    for hit in result.hits:
        lines += hit_lines(hit, now)
    envelope = result.audit_envelope
    if not result.hits:
        lines.append("Nothing is recalled.")
    lines.append(dim(f"{len(result.hits)} of {count(envelope.evaluated_count, 'memory', 'memories')} looked at"))
    lines += withheld_lines(envelope.suppression_counts)
    if envelope.deduplicated_count:
        lines.append(dim(f"  {envelope.deduplicated_count} stood behind a memory of the same slot"))
    if envelope.over_budget_count:
        lines.append(dim(f"  {envelope.over_budget_count} did not fit the budget of the surface"))
    return lines


def hit_lines(hit: RecallHit, now: datetime) -> list[Words]:
    """Return one memory that was recalled."""
    why = ", ".join(hit.surface_rationale or ()) or "no reason is shown on this surface"
    return entry_lines(hit.entry, now, f"score {hit.score / 1_000_000_000:.3f}", why)


def withheld_lines(counts: Mapping[str, int]) -> list[Words]:
    """Return how many memories were withheld, by reason."""
    return [dim(f"  withheld {number}: {reason}") for reason, number in sorted(counts.items())]


def explanation_lines(explanation: Explanation) -> list[Words]:
    """Return every gate's verdict and the four parts of the score."""
    lines: list[Words] = [head(f"{explanation.logical_id}: {explanation.outcome}")]
    if explanation.rank is not None:
        lines.append(f"  rank {explanation.rank}")
    for verdict in explanation.verdicts:
        if verdict.passed:
            lines.append(good(f"  passes   {verdict.gate}"))
        else:
            lines.append(bad(f"  dropped  {verdict.gate}: {verdict.reason}"))
        lines.append(dim(f"           {verdict.rule}"))
    parts = explanation.score_parts.model_dump()
    sums = " + ".join(f"{name} {part / 1_000_000:.3f}×{explanation.weights[name]}" for name, part in parts.items())
    lines.append(f"  score {explanation.score / 1_000_000_000:.3f} = ({sums}) / 1000")
    return lines


def preview_lines(preview: ForgetPreview) -> list[Words]:
    """Return what a forget would reach, before it does."""
    reach = ", ".join(_reached(number, name) for name, number in preview.reached.items()) or "nothing"
    return [head(f"This reaches {reach}."), "What stays:", *(f"  {one}" for one in preview.stays)]


def _reached(number: int, name: str) -> str:
    if number != 1:
        return f"{number:,} {name}"
    return f"1 {name[:-3]}y" if name.endswith("ies") else f"1 {name.removesuffix('s')}"


def receipt_lines(receipt: ForgetReceipt) -> list[Words]:
    """Return a receipt in words."""
    lines: list[Words] = [
        good(f"Forgotten for good: {count(receipt.memories, 'memory', 'memories')}."),
        f"  keys destroyed  {receipt.keys_destroyed:,}",
        f"  receipt         {receipt.receipt_id}, signed; audit chain of {receipt.audit_size:,} events",
        f"  backups         of the vault live {count(receipt.vault_backup_days, 'day')} at most",
    ]
    if receipt.residue is None:
        lines.append(warn("  residue scan    not asked for"))
    else:
        residue = receipt.residue
        looked = f"{count(residue.files, 'file')}, {residue.size:,} bytes, {count(residue.patterns, 'pattern')}"
        found = ", ".join(f"{number} × {what}" for what, number in residue.found.items())
        lines.append(
            bad(f"  residue scan    FOUND {found} in {looked}")
            if found
            else f"  residue scan    {looked}: nothing left"
        )
        if residue.too_short:
            lines.append(dim(f"                  {residue.too_short} of them too short to look for"))
    if not receipt.files_scrubbed:
        lines.append(bad("  scrub           not done: another process holds a file; run `iris forget` again"))
    lines += ["  stays:", *(dim(f"    {one}") for one in receipt.stays)]
    return lines


def question_lines(question: Question, now: datetime) -> list[Words]:
    """Return a question that waits for the person."""
    return [
        head(f"{question.question_id} ({ago(question.asked_at, now)}, rule {question.rule.value})"),
        *(f"  {line}" for line in question.prompt.splitlines()),
        dim("  keep: what was there stays, the new words go · replace: the new words take its place · both: keep both"),
        dim(f"  digest {question.digest}"),
    ]


def counted(counts: Mapping[str, int]) -> str:
    """Return counts by reason in one line."""
    return ", ".join(f"{number:,} {name}" for name, number in sorted(counts.items()))


def listed(names: Iterable[str]) -> str:
    """Return names in one line, or an honest blank."""
    return ", ".join(sorted(names)) or "none"
