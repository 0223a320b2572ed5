"""Recall and explain."""

from __future__ import annotations

from typing import Annotated

import typer

from iris_memory.cli.answers import Told
from iris_memory.cli.commands import Place
from iris_memory.cli.instants import present
from iris_memory.cli.remembering import AdapterScopeName, ScopeText, spoken, typed_scope
from iris_memory.cli.wording import explanation_lines, result_lines
from iris_memory.contracts.category import Context, Surface

Contexts = Annotated[
    list[str],
    typer.Option(
        "--context", metavar="NAME", help=f"what the conversation is about, once or more often: {', '.join(Context)}"
    ),
]
SurfaceName = Annotated[str, typer.Option("--surface", metavar="NAME", help=f"where it is shown: {', '.join(Surface)}")]
Limit = Annotated[
    int | None, typer.Option("--limit", min=0, metavar="NUMBER", help="at most so many; the surface's budget caps it")
]
Crisis = Annotated[bool, typer.Option("--crisis", help="the person is in a crisis frame: safety-critical memory alone")]
SafetyCritical = Annotated[
    bool,
    typer.Option("--safety-critical", help="safety depends on the answer: in a crisis frame, safety memory passes"),
]

_GENERAL = [Context.GENERAL.value]


def recall(
    place: Place,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="what it is about; - reads it from stdin")] = "",
    context: Contexts = _GENERAL,
    surface: SurfaceName = Surface.ASSISTANT.value,
    limit: Limit = None,
    scope: ScopeText = None,
    adapter_scope: AdapterScopeName = None,
    crisis: Crisis = False,
    safety_critical: SafetyCritical = False,
) -> Told:
    """Recall what is relevant and allowed.

    Each memory comes with its reasons; what is withheld is counted by reason.
    """
    words = spoken(text)
    with place.person() as me:
        result = me.recall(
            words,
            contexts=context,
            scope=typed_scope(scope),
            adapter_scope=adapter_scope,
            surface=surface,
            crisis_frame=crisis,
            safety_critical_context=safety_critical,
            limit=limit,
        )
    return Told(result, result_lines(result, present()))


def explain(
    place: Place,
    memory: Annotated[str, typer.Argument(metavar="MEMORY", help="the id of the memory")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="what the recall is about; - reads it from stdin")] = "",
    context: Contexts = _GENERAL,
    surface: SurfaceName = Surface.ASSISTANT.value,
    limit: Limit = None,
    scope: ScopeText = None,
    adapter_scope: AdapterScopeName = None,
    crisis: Crisis = False,
    safety_critical: SafetyCritical = False,
) -> Told:
    """Tell why one memory would or would not surface.

    Every gate gives its verdict, whichever comes first, and the score is taken apart. It marks no use.
    """
    words = spoken(text)
    with place.person() as me:
        found = me.explain(
            memory,
            words,
            contexts=context,
            scope=typed_scope(scope),
            adapter_scope=adapter_scope,
            surface=surface,
            crisis_frame=crisis,
            safety_critical_context=safety_critical,
            limit=limit,
        )
    return Told(found, explanation_lines(found))
