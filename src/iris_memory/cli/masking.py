"""Masking: a text with pseudonyms in the place of the owner's identity, whole or as it comes."""

from __future__ import annotations

import codecs
import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from iris_memory.cli.answers import Told, print_lines, warn
from iris_memory.cli.commands import Place
from iris_memory.cli.failures import UsageError
from iris_memory.cli.wording import count
from iris_memory.contracts.masking import Audience, Guard

if TYPE_CHECKING:
    from iris_memory.masking.pseudonyms import Exchange
    from iris_memory.sources.corpora import OwnerIdentity

PIECE = 65_536
"""How many bytes of a stream are read at once, at most."""


def mask(
    place: Place,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="the text; - for stdin")],
    identity: Annotated[
        list[Path] | None,
        typer.Option(
            "--identity",
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="an identity document, once or more often; the first is the owner's own. By default USER.md",
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", exists=True, dir_okay=False, help="the guard table: identity.yaml"),
    ] = None,
    guard: Annotated[
        Guard, typer.Option("--guard", metavar="NAME", help=f"whose column of the table: {', '.join(Guard)}")
    ] = Guard.ANSWER,
    audience: Annotated[
        Audience, typer.Option("--audience", metavar="WHO", help="who reads an answer: owner or other")
    ] = Audience.OTHER,
    stream: Annotated[bool, typer.Option("--stream", help="write what is decided while the rest still comes")] = False,
) -> Told | None:
    """Write a text with pseudonyms in the place of its owner's identity.

    What a guard would deny or halt for is masked too. Nothing else of the text changes.
    """
    if stream and place.json:
        raise UsageError("--stream writes text as it comes, --json one document; choose one")
    owner = _owner(identity or [Path("USER.md")], config=config)
    with _opened(file) as source:
        if stream:
            _mask_stream(source, owner, guard=guard, audience=audience)
            return None
        text = source.read().decode("utf-8")
    return _mask_whole(place, text, owner, guard=guard, audience=audience)


def _owner(paths: Sequence[Path], *, config: Path | None) -> OwnerIdentity:
    """Read the identity documents; say on stderr what of them is not used."""
    from iris_memory.sources.extra import require_masking

    require_masking()
    from iris_memory.masking.documents import OWNER_DOCUMENT
    from iris_memory.sources.corpora import Corpora

    if not paths[0].is_file():
        raise UsageError("there is no USER.md here; --identity names the document that says who the owner is")
    others = {f"{number}": path for number, path in enumerate(paths[1:], 1)}
    owner = Corpora({OWNER_DOCUMENT: paths[0], **others}, config=config).current()
    if not owner.corpus.literals:
        raise UsageError("the identity documents say nothing of their owner that could be masked")
    told = [warn(f"iris: {count(charge.count, 'literal')} not used: {charge.reason.value}") for charge in owner.charges]
    if owner.table.fault is not None:
        told.append(warn(f"iris: the guard table is not used, everything is masked: {owner.table.fault.value}"))
    print_lines(told, to_errors=True)
    return owner


def _exchange() -> Exchange:
    from iris_memory.masking.pseudonyms import Pseudonyms

    # a key of this run alone: pseudonyms of two runs have nothing to do with each other
    return Pseudonyms(key=secrets.token_bytes(32), consumer="iris mask", conversation="").exchange()


def _mask_whole(place: Place, text: str, owner: OwnerIdentity, *, guard: Guard, audience: Audience) -> Told | None:
    from iris_memory.masking.decide import decide
    from iris_memory.masking.render import masked

    spans = decide(text, corpus=owner.corpus, table=owner.table, guard=guard, audience=audience)
    out = masked(text, spans, corpus=owner.corpus, exchange=_exchange())
    if not place.json:
        _write(out.text)
        return None
    shown = [{"start": span.start, "end": span.end, "kinds": span.kinds, "action": span.action.value} for span in spans]
    return Told({"text": out.text, "personal": out.personal, "spans": shown, "charges": owner.charges})


def _mask_stream(source: BinaryIO, owner: OwnerIdentity, *, guard: Guard, audience: Audience) -> None:
    from iris_memory.masking.decide import verdicts_of
    from iris_memory.masking.streaming import MaskStream

    verdicts = verdicts_of(owner.table, guard=guard, audience=audience)
    masking = MaskStream(corpus=owner.corpus, verdicts=verdicts, exchange=_exchange())
    decoder = codecs.getincrementaldecoder("utf-8")()
    for piece in _pieces(source):
        _write(masking.feed(decoder.decode(piece)))
    _write(masking.feed(decoder.decode(b"", final=True)))
    _write(masking.finish())


def _pieces(source: BinaryIO) -> Iterator[bytes]:
    # what there is, without waiting for a piece to be full
    read = getattr(source, "read1", source.read)
    while piece := read(PIECE):
        yield piece


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    if str(file) == "-":
        yield sys.stdin.buffer
        return
    with file.open("rb") as source:
        yield source


def _write(text: str) -> None:
    """Write text as it is: a filter adds no line end and changes no byte."""
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()
