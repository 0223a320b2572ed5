"""A bundle is checked offline: whatever is changed, added, left out or hidden in it is found (DSR-14)."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from iris_memory.chain.checkpoint import Signer
from iris_memory.contracts.bundle import BundleReport, Payload, Signature
from iris_memory.contracts.disclosure import ProcessingInformation
from iris_memory.contracts.rights import ExportFormat, ExportPayload
from iris_memory.formats.bundle import INFORMATION, MANIFEST, PAGE, BundleWriter
from iris_memory.formats.bundle_check import check_bundle
from iris_memory.formats.bundle_page import PageFacts, page

SIGNER = Signer("iris-memory/audit/acme", bytes(range(32)))
KEYS = [SIGNER.verifier]
AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TOLD = ProcessingInformation(
    purposes=("to remember",),
    categories=(),
    recipients=(),
    retention={},
    sources={},
    rights=("to see it",),
    automated_decisions="none",
    transfers="none",
)
OPT_OUT = '{"name":"history"}'


def bundle(
    *, format: ExportFormat = ExportFormat.JSON, items: int = 3, signer: Signer = SIGNER, html: str = ""
) -> bytes:
    out = bytearray()
    writer = BundleWriter(out.extend)
    writer.payload(Payload.OPT_OUTS, [OPT_OUT] * items, format=format)
    writer.file(INFORMATION, [TOLD.model_dump_json()])
    facts = PageFacts("<b>ada</b>", "acme", AT, TOLD, dict(writer.counts), 0, ())
    writer.file(PAGE, [*page(facts, []), html])
    writer.schemas(writer.counts)
    writer.finish(
        signer=signer,
        tenant_id="acme",
        person="p",
        request_id="r",
        as_of=AT,
        options=ExportPayload(format=format),
        masked=0,
        left_out=(),
    )
    return bytes(out)


def checked(data: bytes, *, keys: Any = KEYS) -> BundleReport:
    return check_bundle(io.BytesIO(data), keys=keys)


def repacked(data: bytes, change: Callable[[dict[str, bytes]], None], **how: Any) -> bytes:
    """Return a bundle whose files were changed, packed as the writer packs them."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {info.filename: archive.read(info) for info in archive.infolist()}
    change(files)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in files.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            info.external_attr = how.get("attributes", 0o600 << 16)
            archive.writestr(info, raw)
        archive.comment = how.get("comment", b"")
    return out.getvalue()


@pytest.mark.parametrize("format", ExportFormat)
@pytest.mark.parametrize("items", [0, 1, 500])
def test_an_honest_bundle_passes(format: ExportFormat, items: int) -> None:
    report = checked(bundle(format=format, items=items))
    assert (report.ok, report.signature, report.problems) == (True, Signature.FITS, ())
    assert checked(bundle(format=format, items=items), keys=()).signature is Signature.NOT_JUDGED


def test_the_same_content_gives_the_same_bytes() -> None:
    assert bundle() == bundle()


def test_a_key_that_did_not_sign_it_says_so() -> None:
    report = checked(bundle(signer=Signer("iris-memory/audit/acme", bytes(32))))
    assert (report.ok, report.signature) == (False, Signature.DOES_NOT_FIT)
    assert [problem.code for problem in report.problems] == ["signature-does-not-fit"]


def _replace(name: str, raw: bytes) -> Callable[[dict[str, bytes]], None]:
    return lambda files: files.__setitem__(name, raw)


def _of_manifest(**changes: Any) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        manifest = {**json.loads(files[MANIFEST]), **changes}
        files[MANIFEST] = json.dumps(manifest, indent=2, ensure_ascii=False).encode() + b"\n"

    return change


def _reordered(files: dict[str, bytes]) -> None:
    files[PAGE] = files.pop(PAGE)


TAMPERED: dict[str, Callable[[dict[str, bytes]], None]] = {
    "an item": _replace("data/opt_outs.json", b"[\n" + b",\n".join([OPT_OUT.encode()] * 2) + b"\n]\n"),
    "an item of the same length": _replace(
        "data/opt_outs.json", b"[\n" + b",\n".join([OPT_OUT.encode()] * 2 + [b'{"name":"histori"}']) + b"\n]\n"
    ),
    "the page": _replace(PAGE, b"<html>something else</html>"),
    "a schema": _replace("schemas/opt_outs.schema.json", b"{}"),
    "a file more": _replace("data/more.json", b"[]"),
    "a path out of the folder": _replace("../../etc/passwd", b"x"),
    "an absolute path": _replace("/etc/passwd", b"x"),
    "a path of another system": _replace("..\\evil.json", b"x"),
    "a file less": lambda files: files.pop(PAGE) and None,
    "another order": _reordered,
    "the request": _of_manifest(request_id="another"),
    "the time": _of_manifest(as_of="2027-03-01T12:00:00.000000Z"),
    "the counts": _of_manifest(counts={"opt_outs": 4}),
    "no note": _of_manifest(note=""),
    "an unknown field": _of_manifest(more=1),
    "no manifest": lambda files: files.pop(MANIFEST) and None,
}


@pytest.mark.parametrize("name", TAMPERED)
def test_what_was_tampered_with_is_found(name: str) -> None:
    report = checked(repacked(bundle(), TAMPERED[name]))
    assert not report.ok
    assert report.problems


def test_what_hides_beside_the_files_is_found() -> None:
    data = bundle()
    assert not checked(data + b"behind").ok
    assert not checked(b"before" + data).ok
    assert not checked(repacked(data, lambda files: None, comment=b"beside")).ok
    assert not checked(repacked(data, lambda files: None, attributes=0o120777 << 16)).ok, "a link is no file"
    assert not checked(b"").ok
    assert not checked(b"PK\x05\x06" + bytes(18)).ok
    directory = data.rindex(b"PK\x01\x02")
    assert not checked(data[:directory] + b"between" + data[directory:]).ok


def test_no_changed_byte_passes() -> None:
    data, chance = bundle(), random.Random(7)
    for place in chance.sample(range(len(data)), 400):
        changed = bytearray(data)
        changed[place] ^= 1 << chance.randrange(8)
        report = checked(bytes(changed))
        if report.ok:  # versions and times of the zip's directory say nothing that is read
            with zipfile.ZipFile(io.BytesIO(bytes(changed))) as one, zipfile.ZipFile(io.BytesIO(data)) as other:
                assert [one.read(name) for name in one.namelist()] == [other.read(name) for name in other.namelist()]


def test_a_bomb_costs_no_more_than_the_manifest_promises() -> None:
    bomb = repacked(bundle(), _replace("data/opt_outs.json", b"[" + b" " * (64 << 20)))
    assert {problem.code for problem in checked(bomb).problems} == {"size-differs"}
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as archive:
        for number in range(2_000):
            archive.writestr(f"{number}", b"")
    assert [problem.code for problem in checked(many.getvalue()).problems] == ["too-many-files"]


def test_a_page_with_a_script_is_found_even_when_it_is_signed() -> None:
    for html in ("<script>x</script>", "<img src=x>", '<p onclick="x">', "< iframe>"):
        report = checked(bundle(html=html))
        assert [problem.code for problem in report.problems] == ["page-does-more-than-be-read"]


def test_the_page_escapes_what_it_shows() -> None:
    with zipfile.ZipFile(io.BytesIO(bundle())) as archive:
        shown = archive.read(PAGE).decode()
    assert "&lt;b&gt;ada&lt;/b&gt;" in shown
    assert "<b>" not in shown
