"""A program that recalls from one fixed world and writes the bytes: run in other processes by test_process.py."""

from __future__ import annotations

import sys
from datetime import timedelta, timezone
from random import Random

from iris_memory.contracts.shape import Contract
from iris_memory.gates.facts import Asked
from iris_memory.recall.explain import explain
from iris_memory.recall.pipeline import RecallPipeline
from reference.worlds import ENTRY_BYTES, REQUEST_BYTES, entry_of, request_of


def answers() -> list[Contract]:
    """Return the results and explanations of the fixed world."""
    random, pipeline = Random(2026), RecallPipeline()
    world = [entry_of(random.randbytes(ENTRY_BYTES), place) for place in range(400)]
    world += [
        entry.model_validate({**dict(entry), "id": f"far-{entry.id}", "updated_at": entry.updated_at.astimezone(EAST)})
        for entry in world[:50]
        if entry.updated_at.year > 1
    ]
    columns, found = pipeline.columns(world), []
    for _ in range(40):
        asked = Asked(request_of(random.randbytes(REQUEST_BYTES)))
        found.append(pipeline.recall(columns, asked))
        found += [told for key in columns.keys[:5] if (told := explain(pipeline, columns, asked, key))]
    return found


EAST = timezone(timedelta(hours=13, minutes=45))

if __name__ == "__main__":
    for answer in answers():
        sys.stdout.write(answer.model_dump_json() + "\n")
