"""Demo: the whole story on a store of its own, in well under a minute."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from iris_memory.cli.answers import Told, dim, good
from iris_memory.cli.commands import Place
from iris_memory.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from iris_memory.front.iris import Iris


def demo(
    place: Place,
    store: Annotated[
        Path | None,
        typer.Option("--store", metavar="FOLDER", help="a store to show it on; left out, one that goes away again"),
    ] = None,
) -> Told:
    """Show the whole story, from consent to proof of forgetting."""
    from iris_memory.cli.demo_story import TENANT, USER, Story

    with TemporaryDirectory(prefix="iris-demo-") as scratch, _stage(store, Path(scratch)) as iris:
        if store is not None:
            iris.for_user(tenant=TENANT, user=USER).erase(scan=False)  # what an earlier demo left
        story = Story(iris, Path(scratch), tell=place.say)
        story.play()
    ok = all(step["ok"] for step in story.steps)
    where = "The store of the demo is gone again." if store is None else f"The store stays in {store}."
    lines = [good("That is the whole story.") if ok else "Something did not go as told.", dim(where)]
    return Told({"ok": ok, "steps": story.steps}, lines, ExitCode.OK if ok else ExitCode.CHECK_FAILED)


@contextmanager
def _stage(store: Path | None, scratch: Path) -> Iterator[Iris]:
    """Open the store given, or a new one whose key goes away with it."""
    from iris_memory.front.iris import Iris
    from iris_memory.wiring.layout import Layout, key_provider
    from iris_memory.wiring.settings import read_settings

    folder = store or scratch / "memory"
    key = None
    if store is None:
        settings = read_settings()._replace(root_key_in_environment=False, key_file=str(scratch / "demo.key"))
        key = key_provider(Layout(folder, ""), settings, is_new=True)
    with Iris.open(folder, key=key, tended=False, database="") as iris:
        yield iris
