"""The page of policy tables: each row as it is in `tables`, where alone it may be changed."""

from __future__ import annotations

from iris_memory.cli.markdown import code, codes, page, table, yes
from iris_memory.contracts.category import Category, Consumer, Context, Surface
from iris_memory.contracts.entry import Label, Origin
from iris_memory.contracts.masking import Column, GuardRow
from iris_memory.rules.consent import CONSENT_NAMES
from iris_memory.tables import limits
from iris_memory.tables.adapter_scopes import REVIEW_GRACE
from iris_memory.tables.categories import CATEGORIES, MULTI_ACTOR_CONTEXTS, SAFETY_CRITICAL
from iris_memory.tables.consumers import CONSUMER_CONTEXTS
from iris_memory.tables.guards import DEFAULT_TABLE, Cell
from iris_memory.tables.labels import LABELS, UNTRUSTED_AT_MOST
from iris_memory.tables.origins import ORIGINS
from iris_memory.tables.surfaces import SURFACES


def tables_page() -> str:
    """Return the page."""
    return page(
        "Policy tables",
        "A policy fact stands in one row of one table, in `iris_memory/tables`. What is decided derives from"
        " these rows. Scopes and how long memory is kept have [a page of their own](scopes.md).",
        *_categories(),
        *_consents(),
        *_consumers(),
        *_surfaces(),
        *_origins(),
        *_labels(),
        *_guards(),
        *_limits(),
    )


def _contexts(held: frozenset[Context]) -> str:
    return codes((context.value for context in Context if context in held), otherwise="any")


def _categories() -> tuple[str, ...]:
    rows = [
        (code(category.value), yes(CATEGORIES[category].sensitive), _contexts(CATEGORIES[category].contexts))
        for category in Category
    ]
    return (
        "## Categories",
        "A sensitive category is stored only with its consent, `category:<name>`, and surfaces only in its contexts.",
        table(("category", "sensitive", "contexts in which it may surface"), rows),
        "An entry about a sensitive interaction with somebody else also needs the consent `multi_actor_sensitive` and"
        f" one of {_contexts(MULTI_ACTOR_CONTEXTS)}. In a crisis frame only"
        f" {codes(sorted(category.value for category in SAFETY_CRITICAL))} surfaces.",
    )


def _consents() -> tuple[str, ...]:
    return "## Consents", "Every consent that can be given: " + codes(sorted(CONSENT_NAMES)) + "."


def _consumers() -> tuple[str, ...]:
    rows = [(code(consumer.value), _contexts(CONSUMER_CONTEXTS[consumer])) for consumer in Consumer]
    return (
        "## Consumers",
        "A request's contexts are cut to those its consumer may assert.",
        table(("consumer", "contexts"), rows),
    )


def _surfaces() -> tuple[str, ...]:
    rows = [
        (code(surface.value), str(SURFACES[surface].budget), yes(SURFACES[surface].shows_rationale))
        for surface in Surface
    ]
    return "## Surfaces", table(("surface", "memories at most", "shows why"), rows)


def _origins() -> tuple[str, ...]:
    rows = [
        (
            code(origin.value),
            str(row.weight),
            str(row.authority),
            code(row.source.value),
            yes(row.own_words),
        )
        for origin in Origin
        for row in (ORIGINS[origin],)
    ]
    heads = ("origin", "weight in a score (millionths)", "authority in a conflict", "kind of source", "own words")
    return "## Origins", table(heads, rows)


def _labels() -> tuple[str, ...]:
    rows = [
        (
            code(label.value),
            str(row.trust),
            yes(row.trust <= UNTRUSTED_AT_MOST),
            codes(origin.value for origin in Origin if origin in row.origins),
            codes(category.value for category in Category if category in row.barred),
        )
        for label in Label
        for row in (LABELS[label],)
    ]
    return (
        "## Trust labels",
        "Who wrote the bytes. A label never rises by machine; an untrusted one never wins a conflict.",
        table(("label", "trust", "untrusted", "origins it may claim", "categories it may never set"), rows),
    )


def _guards() -> tuple[str, ...]:
    rows = [
        (code(row.value), *(_cell(DEFAULT_TABLE.cell(row, column=column)) for column in Column)) for row in GuardRow
    ]
    return (
        "## Guards",
        "What each guard does with each kind of owner PII, as shipped. A cell marked * may be lifted by a grant.",
        table(("kind", *(code(column.value) for column in Column)), rows),
    )


def _cell(cell: Cell) -> str:
    return cell.action.value + (" *" if cell.grantable else "")


def _limits() -> tuple[str, ...]:
    weights = ", ".join(f"{name} {weight}" for name, weight in limits.SCORE_WEIGHTS.items())
    rows = [
        ("weights of a score, in thousandths", weights),
        ("time constant of recency", f"{limits.RECENCY_TIME_CONSTANT.days} days"),
        ("uses for the full score of use", str(limits.REFERENCES_FOR_FULL_SCORE)),
        ("distinct sessions that make an inference durable", str(limits.PROMOTION_THRESHOLD)),
        ("life of an unanswered question", f"{limits.QUESTION_LIFETIME.days} days"),
        ("recent recalls kept of a memory", str(limits.RECENT_RECALLS_KEPT)),
        ("life of the answer to an idempotency key", f"{limits.IDEMPOTENCY_LIFETIME.days} days"),
        ("statements in one batch, at most", f"{limits.BATCH_MOST:,}"),
        ("life of backups of the vault, unless set", f"{limits.VAULT_BACKUP_DAYS} days"),
        ("wait for a decision after an envelope that ends in review", f"{REVIEW_GRACE.days} days"),
    ]
    return "## Numbers", table(("what", "value"), rows)
