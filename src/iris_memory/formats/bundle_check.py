"""Checking a bundle offline: its structure, its digests, its signature, its schemas, every item; and nothing extra.

It never unpacks to a path and never unpacks more than the manifest promises, which is bounded: a hostile file costs no
more than an honest one.
"""

from __future__ import annotations

import json
import re
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from hashlib import sha256
from typing import BinaryIO, Final

from pydantic import TypeAdapter, ValidationError

from iris_memory.chain.checkpoint import VerifierKey
from iris_memory.chain.signed_text import is_signed
from iris_memory.contracts.bundle import BundleManifest, BundlePart, BundleProblem, BundleReport, Payload, Signature
from iris_memory.contracts.disclosure import ProcessingInformation
from iris_memory.errors import FormatError
from iris_memory.formats.bundle import CONTRACTS, INFORMATION, MANIFEST, PAGE, schemas_of, signed_text
from iris_memory.formats.consent_record import event_of
from iris_memory.formats.limits import GIB, MIB

MANIFEST_MOST: Final = MIB
LINE_MOST: Final = 4 * MIB
UNPACKED_MOST: Final = 16 * GIB
MEMBERS_MOST: Final = 64
DIRECTORY_MOST: Final = 64 * 1_024
_CHUNK: Final = 64 * 1_024
_LOCAL: Final = struct.Struct("<4s5H3I2H")
_STREAMED, _LOCKED = 0x8, 0x1
_DAMAGE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    ValueError,
    EOFError,
    struct.error,
    OSError,
)
_SCRIPT: Final = re.compile(rb"<\s*(script|iframe|object|embed|link|base|form|img)\b|<[^>]*\son\w+\s*=", re.IGNORECASE)


class _WrongError(Exception):
    """The check cannot go on."""

    def __init__(self, code: str, part: str | None = None) -> None:
        super().__init__(code)
        self.problem = BundleProblem(code=code, part=part)


def check_bundle(stream: BinaryIO, *, keys: Collection[VerifierKey] = ()) -> BundleReport:
    """Check a bundle; say what is wrong, in codes and names of files.

    Args:
        stream: the zip, which can be sought in.
        keys: the tenant's verifier keys, from elsewhere. Without one the signature is not judged.
    """
    problems: list[BundleProblem] = []
    manifest: BundleManifest | None = None
    signature = Signature.NOT_JUDGED
    try:
        size = stream.seek(0, 2)
        archive = _opened(stream, size)
        manifest = _manifest(archive)
        if keys:
            fits = is_signed(manifest.note, signed_text(manifest), keys=keys)
            signature = Signature.FITS if fits else Signature.DOES_NOT_FIT
            if not fits:
                problems.append(BundleProblem(code="signature-does-not-fit"))
        problems += _structure(archive, stream, size, manifest)
        if not problems or all(problem.code == "signature-does-not-fit" for problem in problems):
            problems += _contents(archive, manifest)
    except _WrongError as wrong:
        problems.append(wrong.problem)
    except _DAMAGE:
        problems.append(BundleProblem(code="zip-damaged"))
    return BundleReport(ok=not problems, signature=signature, problems=tuple(problems), manifest=manifest)


def _opened(stream: BinaryIO, size: int) -> zipfile.ZipFile:
    # the directory is read at once by zipfile: it is looked at first, so that an absurd one is not
    stream.seek(max(0, size - 22))
    end = stream.read(22)
    if len(end) < 22 or end[:4] != b"PK\x05\x06":
        raise _WrongError("zip-damaged-or-with-something-behind-it")
    entries, directory = struct.unpack("<10xHI", end[:16])[0], struct.unpack("<12xI", end[:16])[0]
    if entries > MEMBERS_MOST or directory > DIRECTORY_MOST:
        raise _WrongError("too-many-files")
    stream.seek(0)
    return zipfile.ZipFile(stream)


def _manifest(archive: zipfile.ZipFile) -> BundleManifest:
    infos = [info for info in archive.infolist() if info.filename == MANIFEST]
    if len(infos) != 1 or infos[0].file_size > MANIFEST_MOST:
        raise _WrongError("manifest-missing-or-too-large")
    with archive.open(infos[0]) as member:
        raw = member.read(MANIFEST_MOST + 1)
    try:
        manifest = BundleManifest.model_validate_json(raw)
    except ValidationError:
        raise _WrongError("manifest-not-valid", MANIFEST) from None
    if manifest.model_dump_json(indent=2).encode() + b"\n" != raw:
        raise _WrongError("manifest-not-as-written", MANIFEST)
    return manifest


def _structure(
    archive: zipfile.ZipFile, stream: BinaryIO, size: int, manifest: BundleManifest
) -> Iterator[BundleProblem]:
    infos = archive.infolist()
    names = [info.filename for info in infos]
    promised = [*(part.name for part in manifest.parts), MANIFEST]
    if names != promised or len(set(names)) != len(names):
        yield BundleProblem(code="files-are-not-those-of-the-manifest")
        return
    if archive.comment:
        yield BundleProblem(code="something-beside-the-files")
    sizes = {part.name: part.size for part in manifest.parts}
    if sum(sizes.values()) > UNPACKED_MOST:
        yield BundleProblem(code="unpacks-to-too-much")
        return
    at = 0
    for info in infos:
        if info.flag_bits & _LOCKED or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            yield BundleProblem(code="file-locked-or-packed-oddly", part=info.filename)
        if info.comment or info.external_attr != 0o600 << 16:
            yield BundleProblem(code="file-is-none", part=info.filename)
        if info.filename in sizes and info.file_size != sizes[info.filename]:
            yield BundleProblem(code="size-differs", part=info.filename)
        if info.header_offset != at:
            yield BundleProblem(code="something-between-the-files", part=info.filename)
            return
        at = _end_of(stream, info)
    if at != archive.start_dir or size - _directory_end(archive, stream) != 22:
        yield BundleProblem(code="something-beside-the-files")


def _end_of(stream: BinaryIO, info: zipfile.ZipInfo) -> int:
    stream.seek(info.header_offset)
    head = stream.read(_LOCAL.size)
    magic, _, flags, _, _, _, _, _, _, name_length, extra_length = _LOCAL.unpack(head)
    name = stream.read(name_length)
    if magic != b"PK\x03\x04" or name != info.filename.encode() or extra_length or flags != info.flag_bits:
        raise _WrongError("file-is-not-the-directory's", info.filename)
    end = info.header_offset + _LOCAL.size + int(name_length) + info.compress_size
    if not flags & _STREAMED:
        return end
    stream.seek(end)
    told = struct.pack("<4s3I", b"PK\x07\x08", info.CRC, info.compress_size, info.file_size)
    if stream.read(len(told)) != told:
        raise _WrongError("file-is-not-the-directory's", info.filename)
    return end + len(told)


def _directory_end(archive: zipfile.ZipFile, stream: BinaryIO) -> int:
    at = archive.start_dir
    for info in archive.infolist():
        stream.seek(at)
        head = stream.read(46)
        name_length, extra_length, comment_length = struct.unpack("<28x3H12x", head)
        if head[:4] != b"PK\x01\x02" or extra_length or comment_length or name_length != len(info.filename.encode()):
            raise _WrongError("something-beside-the-files", info.filename)
        at += 46 + name_length
    return at


def _contents(archive: zipfile.ZipFile, manifest: BundleManifest) -> Iterator[BundleProblem]:
    payloads = [payload for payload in Payload if payload in manifest.counts]
    expected = schemas_of(payloads)
    form = manifest.options.format.value
    allowed = {f"data/{payload.value}.{form}": payload for payload in payloads}
    if {part.name for part in manifest.parts} != {*allowed, *expected, INFORMATION, PAGE}:
        yield BundleProblem(code="files-are-not-those-of-an-export")
        return
    for part in manifest.parts:
        lines = _Lines(archive, part)
        payload = allowed.get(part.name)
        if payload is not None:
            yield from _payload(lines, payload, part, manifest)
        elif part.name == INFORMATION and part.size > MANIFEST_MOST:
            yield BundleProblem(code="item-not-valid", part=INFORMATION)
        elif part.name == INFORMATION:
            yield from _information(b"".join(lines))
        elif part.name == PAGE:
            if any(_SCRIPT.search(line) for line in lines):
                yield BundleProblem(code="page-does-more-than-be-read", part=PAGE)
        elif part.size != len(expected[part.name].encode()) or b"".join(lines) != expected[part.name].encode():
            yield BundleProblem(code="schema-is-another", part=part.name)
        if not lines.fits():
            yield BundleProblem(code="digest-differs", part=part.name)


def _payload(lines: _Lines, payload: Payload, part: BundlePart, manifest: BundleManifest) -> Iterator[BundleProblem]:
    model = CONTRACTS[payload]
    adapter = TypeAdapter(model) if model is not None else None
    count = 0
    for number, line in enumerate(lines):
        item = line.strip()
        if manifest.options.format.value == "json":
            if (number == 0 and item == b"[") or item == b"]":
                continue
            item = item.removesuffix(b",")
        count += 1
        try:
            if adapter is not None:
                adapter.validate_json(item)
            else:
                event_of(json.loads(item))
        except (ValueError, FormatError, RecursionError):
            yield BundleProblem(code="item-not-valid", part=part.name)
            break
    else:
        if count != part.records or count != manifest.counts[payload]:
            yield BundleProblem(code="count-differs", part=part.name)
    lines.drain()


def _information(raw: bytes) -> Iterator[BundleProblem]:
    try:
        ProcessingInformation.model_validate_json(raw)
    except ValidationError:
        yield BundleProblem(code="item-not-valid", part=INFORMATION)


class _Lines:
    """The lines of a file, digested as they are read, and never more bytes than promised."""

    def __init__(self, archive: zipfile.ZipFile, part: BundlePart) -> None:
        self._archive, self._part = archive, part
        self._digest, self._size = sha256(), 0
        self._rest = self._read()

    def __iter__(self) -> Iterator[bytes]:
        held = b""
        for piece in self._rest:
            held += piece
            *whole, held = held.split(b"\n")
            for line in whole:
                yield line + b"\n"
            if len(held) > LINE_MOST:
                raise _WrongError("line-too-long", self._part.name)
        if held:
            yield held

    def drain(self) -> None:
        for _ in self._rest:
            pass

    def fits(self) -> bool:
        self.drain()
        return self._size == self._part.size and self._digest.hexdigest() == self._part.sha256

    def _read(self) -> Iterator[bytes]:
        with self._archive.open(self._part.name) as member:
            while piece := member.read(_CHUNK):
                self._size += len(piece)
                if self._size > self._part.size:
                    raise _WrongError("size-differs", self._part.name)
                self._digest.update(piece)
                yield piece
