"""The page of scopes: how each is written, what it reaches, and which adapter scopes lie over it."""

from __future__ import annotations

from iris_memory.cli.markdown import code, codes, page, span, table, yes
from iris_memory.contracts.scope import DEFAULT_ADAPTER, SCOPE_CLASSES, AdapterScope, ScopeKind
from iris_memory.tables.adapter_scopes import ADAPTER_SCOPES, RETENTION
from iris_memory.tables.scopes import REACH


def scopes_page() -> str:
    """Return the page."""
    return page(
        "Scopes",
        "A scope is where a memory lives. Its text form is the kind and its identifiers joined by `:`; a `:` or `%`"
        " inside an identifier is written `%3A` or `%25`. Commands take it as `--scope`.",
        "## Kinds",
        table(
            ("kind", "text form", "what it is", "a request of this kind reaches"), [_kind(kind) for kind in ScopeKind]
        ),
        "## Adapter scopes",
        "The policy layer over the kinds: what consents a scope needs, who may use it, and how long its memory is kept."
        " An entry or request that names none takes the one marked as default of its kind.",
        table(
            ("adapter scope", "over", "default of its kind", "consents it needs", "opt-outs that close it"),
            [_needs(scope) for scope in AdapterScope],
        ),
        table(
            ("adapter scope", "consumers", "governance review", "an operator may review", "tiers"),
            [_use(scope) for scope in AdapterScope],
        ),
        "## How long memory is kept",
        "Counted from the first `created_at` of the memory. The person may ask for an earlier end, never a later one.",
        table(
            ("adapter scope", "as it was said", "summarised", "at the end", "remarks"),
            [_kept(scope) for scope in AdapterScope],
        ),
    )


def _kind(kind: ScopeKind) -> tuple[str, ...]:
    shape, reach = SCOPE_CLASSES[kind], REACH[kind]
    names = [name for name in shape.model_fields if name != "kind"]
    reached = codes(one.value for one in ScopeKind if one in reach.reaches)
    if reach.under_tenant_policy:
        under = codes(one.value for one in ScopeKind if one in reach.under_tenant_policy)
        reached += f"; {under} where the tenant's policy says so"
    form = ":".join((kind.value, *(f"<{name}>" for name in names)))
    return code(kind.value), code(form), (shape.__doc__ or "").strip(), reached


def _needs(scope: AdapterScope) -> tuple[str, ...]:
    row = ADAPTER_SCOPES[scope]
    return (
        code(scope.value),
        code(row.kind.value),
        yes(DEFAULT_ADAPTER[row.kind] is scope),
        codes(consent.value for consent in row.required_consents),
        codes(sorted(opt_out.value for opt_out in row.opt_outs)),
    )


def _use(scope: AdapterScope) -> tuple[str, ...]:
    row = ADAPTER_SCOPES[scope]
    return (
        code(scope.value),
        codes(sorted(consumer.value for consumer in row.consumers)),
        "needed" if row.needs_governance_review else "not needed",
        yes(row.admin_reviewable),
        codes(sorted(tier.value for tier in row.tiers)),
    )


def _kept(scope: AdapterScope) -> tuple[str, ...]:
    row = RETENTION[scope]
    remarks = [
        words
        for said, words in (
            (row.aggregates_only, "aggregates only"),
            (not row.keeps_summary, "no summary is kept"),
            (row.until_contract_ends, "not beyond the tenant's contract"),
        )
        if said
    ]
    forgotten = "until it is forgotten"
    summarised = span(row.summarised, otherwise=forgotten if row.keeps_summary else "not at all")
    raw = span(row.raw, otherwise=forgotten)
    return code(scope.value), raw, summarised, code(row.at_expiry.value), ", ".join(remarks) or "none"
