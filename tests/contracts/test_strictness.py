"""Nothing is guessed: an unknown field, a wrong type, a naive instant or text no engine can keep is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from contract_examples import AT, ENTRY, EXAMPLES, SCOPES, example
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from test_round_trip import CONTRACTS

from iris_memory.contracts.category import Category
from iris_memory.contracts.entry import Lifecycle, MemoryEntry
from iris_memory.contracts.recall import RecallRequest
from iris_memory.contracts.shape import COUNT_MOST, from_micros, refuse_invalid, to_micros
from iris_memory.errors import ContractError

Path = tuple[str | int, ...]
CANARY = "Kanarienvogel-7"


def leaves(form: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the path and value of each leaf of a JSON form."""
    if isinstance(form, dict):
        for key, value in form.items():
            yield from leaves(value, (*path, key))
    elif isinstance(form, list):
        for place, value in enumerate(form):
            yield from leaves(value, (*path, place))
    else:
        yield path, form


def changed(form: dict[str, Any], path: Path, value: Any) -> str:
    """Return the JSON text of a form with one leaf changed."""
    copy: Any = deepcopy(form)
    place = copy
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return json.dumps(copy)


def wrong_types(value: Any) -> list[Any]:
    """Return values of other JSON types than a leaf's own."""
    if isinstance(value, bool):
        return ["true", 1, 0.0, None, [], {}]
    if isinstance(value, int):
        return [str(value), value + 0.5, True, [], {}]
    if isinstance(value, str):
        return [1, True, 1.5, [], {}, [value]]
    return [{"unknown": 1}, [[]]]


CASES = [(name, path) for name, form in EXAMPLES.items() for path, _ in leaves(form)]


@pytest.mark.parametrize(("name", "path"), CASES, ids=[f"{name}-{'.'.join(map(str, path))}" for name, path in CASES])
def test_leaf_of_another_type_is_refused(name: str, path: Path) -> None:
    value: Any = EXAMPLES[name]
    for step in path:
        value = value[step]
    for wrong in wrong_types(value):
        if wrong is True and path[-1] in ("version", "record_version"):
            continue  # a literal 1 is read by equality, and kept as 1
        with pytest.raises(ValidationError):
            CONTRACTS[name].model_validate_json(changed(EXAMPLES[name], path, wrong))


@pytest.mark.parametrize("name", CONTRACTS)
def test_unknown_field_is_refused(name: str) -> None:
    with pytest.raises(ValidationError, match="extra_forbidden"):
        CONTRACTS[name].model_validate_json(json.dumps({**EXAMPLES[name], "unheard_of": 1}))


@pytest.mark.parametrize("name", CONTRACTS)
def test_contract_is_frozen(name: str) -> None:
    model = CONTRACTS[name].model_validate_json(json.dumps(EXAMPLES[name]))
    field = next(iter(CONTRACTS[name].model_fields))
    with pytest.raises(ValidationError, match="frozen"):
        setattr(model, field, getattr(model, field))


@pytest.mark.parametrize("name", ["MemoryEntry", "RecallRequest", "ConsentEvent", "Tombstone", "AuditEvent"])
def test_required_field_left_out_is_refused(name: str) -> None:
    required = [field for field, info in CONTRACTS[name].model_fields.items() if info.is_required()]
    assert required
    for field in required:
        form = example(name)
        del form[field]
        with pytest.raises(ValidationError):
            CONTRACTS[name].model_validate_json(json.dumps(form))


INSTANTS = [(name, path) for name, path in CASES if str(path[-1]).endswith("_at") or path[-1] in ("at", "now", "since")]


@pytest.mark.parametrize(("name", "path"), INSTANTS)
def test_instant_without_a_zone_is_refused_everywhere(name: str, path: Path) -> None:
    with pytest.raises(ValidationError):
        CONTRACTS[name].model_validate_json(changed(EXAMPLES[name], path, "2026-03-01T12:00:00.000000"))


@pytest.mark.parametrize(
    "given",
    [
        "2026-03-01T12:00:00", "2026-03-01", "1700000000", "1700000000.5", "-1", "", "now", "2026-13-01T12:00:00Z",
        "2026-02-29T12:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T12:00:61Z", "2026-03-01T12:00:00+24:00",
        "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "20260301T120000Z", "2026-03-01T12:00:00.Z",
        1_700_000_000, 1.5, True, None,
    ],
)  # fmt: skip
def test_what_is_no_instant_is_refused(given: object) -> None:
    with pytest.raises(ValidationError):
        MemoryEntry.model_validate_json(json.dumps({**ENTRY, "updated_at": given}))


def entry(**fields: Any) -> MemoryEntry:
    """Return the example entry built in Python with some fields changed."""
    known = MemoryEntry.model_validate_json(json.dumps(ENTRY))
    return MemoryEntry(**{**dict(known), **fields})


@pytest.mark.parametrize(
    "given",
    [datetime(2026, 3, 1), date(2026, 3, 1), AT, 1_700_000_000, datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))],
)
def test_what_is_no_instant_in_python_is_refused(given: object) -> None:
    with pytest.raises(ValidationError):
        entry(updated_at=given)


def test_instant_of_another_zone_is_kept_in_utc() -> None:
    local = datetime(2026, 3, 1, 14, 0, 0, 5, tzinfo=timezone(timedelta(hours=5, minutes=45)))
    kept = entry(updated_at=local).updated_at
    assert (kept, kept.tzinfo) == (local, UTC)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("category", "fact"),
        ("lifecycle", "active"),
        ("revision", "1"),
        ("revision", True),
        ("body", b"x"),
        ("scope", {}),
    ],
)
def test_python_values_are_not_converted(field: str, value: object) -> None:
    with pytest.raises(ValidationError):
        entry(**{field: value})


@pytest.mark.parametrize(
    ("field", "longest"),
    [("body", 4_000), ("subject", 200), ("id", 128), ("logical_id", 128), ("tenant_id", 128), ("user_id", 128)],
)
@pytest.mark.parametrize("mark", ["a", "座", "🪟"])
def test_length_counts_code_points(field: str, longest: int, mark: str) -> None:
    assert getattr(entry(**{field: mark * longest}), field) == mark * longest
    for wrong in (mark * (longest + 1), ""):
        with pytest.raises(ValidationError):
            entry(**{field: wrong})
        with pytest.raises(ValidationError):
            MemoryEntry.model_validate_json(json.dumps({**ENTRY, field: wrong}))


TEXTS = ["body", "subject"]
IDENTIFIERS = ["id", "logical_id", "tenant_id", "user_id", "supersedes", "superseded_by"]


@pytest.mark.parametrize("field", [*TEXTS, *IDENTIFIERS])
@pytest.mark.parametrize("bad", ["\x00", "a\x00b", "\ud800", "a\udfffb", "é\x00", "é\ud83d"])
def test_text_no_engine_can_keep_is_refused(field: str, bad: str) -> None:
    with pytest.raises(ValidationError):
        entry(**{field: bad})
    with pytest.raises(ValidationError):
        MemoryEntry.model_validate_json(json.dumps({**ENTRY, field: bad}))


@pytest.mark.parametrize("field", IDENTIFIERS)
@pytest.mark.parametrize("bad", ["e\u0301", "\u212b", "a\n", "\t", "a\x7f", "\x85", "é\x1b", "\u1100\u1161"])
def test_identifier_is_nfc_without_controls(field: str, bad: str) -> None:
    with pytest.raises(ValidationError):
        entry(**{field: bad})


@pytest.mark.parametrize("kind", SCOPES)
def test_scope_identifiers_are_identifiers(kind: str) -> None:
    for name in SCOPES[kind].keys() - {"kind"}:
        for bad in ("", "a" * 129, "e\u0301", "a\x00", "a\n"):
            with pytest.raises(ValidationError):
                MemoryEntry.model_validate_json(json.dumps({**ENTRY, "scope": {**SCOPES[kind], name: bad}}))
        missing = {key: value for key, value in SCOPES[kind].items() if key != name}
        with pytest.raises(ValidationError):
            MemoryEntry.model_validate_json(json.dumps({**ENTRY, "scope": missing}))


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("confidence", -1), ("confidence", 1_000_001), ("reference_count", -1), ("reference_count", COUNT_MOST + 1),
        ("revision", 0), ("provenance_chain", []), ("provenance_chain", None), ("scope", None),
        ("scope", {"kind": "x"}), ("category", "Fact"), ("category", "promoted"), ("origin", "promoted-from-session"),
        ("lifecycle", "summarized"),
    ],
)  # fmt: skip
def test_value_outside_its_range_is_refused(field: str, bad: object) -> None:
    with pytest.raises(ValidationError):
        MemoryEntry.model_validate_json(json.dumps({**ENTRY, field: bad}))


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        ("contexts", ["weather"]), ("contexts", "general"), ("consented_categories", ["promoted"]), ("limit", -1),
        ("consented_categories", ["multi_actor_sensitive"]), ("text", "a" * 20_001), ("text", "\x00"),
        ("surface", "web"), ("consumer", "nobody"),
    ],
)  # fmt: skip
def test_request_outside_its_range_is_refused(field: str, bad: object) -> None:
    with pytest.raises(ValidationError):
        RecallRequest.model_validate_json(json.dumps(example("RecallRequest", **{field: bad})))


@given(st.datetimes(timezones=st.just(UTC)))
def test_microseconds_are_exact(instant: datetime) -> None:
    assert from_micros(to_micros(instant)) == instant
    form = json.loads(entry(updated_at=instant).model_dump_json())["updated_at"]
    assert len(form) == len("2026-03-01T12:00:00.000000Z")
    assert form.endswith("Z")
    assert datetime.fromisoformat(form) == instant


def refusal(name: str, text: str) -> str:
    """Return the words of the ContractError for a JSON text; none where the contract takes it."""
    try:
        CONTRACTS[name].model_validate_json(text)
    except ValidationError as problem:
        found = problem
    else:
        return ""
    with pytest.raises(ContractError) as refused:
        refuse_invalid(found, what="form")
    assert refused.value.__suppress_context__, "a traceback would show the validator's words, which may hold the value"
    return str(refused.value)


@pytest.mark.parametrize(("name", "path"), CASES, ids=[f"{name}-{'.'.join(map(str, path))}" for name, path in CASES])
def test_refusal_never_holds_the_value(name: str, path: Path) -> None:
    """A canary in place of each leaf, in every shape a leaf may be given in, never comes back in the refusal."""
    for planted in (
        CANARY,
        [CANARY],
        {CANARY: CANARY},
        f"{CANARY}\x00",
        CANARY * 3_000,
        f"e\u0301{CANARY}",
        f"2026-{CANARY}",
    ):
        assert CANARY not in refusal(name, changed(EXAMPLES[name], path, planted))


@pytest.mark.parametrize("name", CONTRACTS)
def test_refusal_names_no_unknown_field(name: str) -> None:
    words = refusal(name, json.dumps({**EXAMPLES[name], CANARY: 1, CANARY.lower(): 2, "kanarienvogel": 3}))
    assert "extra forbidden" in words
    assert "kanarienvogel" not in words.lower()


def test_refusal_names_fields_and_rules() -> None:
    assert refusal("MemoryEntry", json.dumps({**ENTRY, "body": "", "scope": {"kind": "session", "user_id": "u"}})) == (
        "form is not valid: scope.session.session_id: missing; body: string too short"
    )
    assert "an identifier holds no control characters" in refusal("MemoryEntry", json.dumps({**ENTRY, "id": "\n"}))
    assert refusal("MemoryEntry", "{}").count(";") <= 7, "a refusal lists a few problems, not all"


def test_broken_json_is_refused_without_its_words() -> None:
    assert CANARY not in refusal("MemoryEntry", f'{{"body": "{CANARY}')
    assert CANARY not in refusal("MemoryEntry", json.dumps(CANARY))


def test_copies_share_nothing_that_changes() -> None:
    kept = entry()
    copy = kept.model_copy(update={"lifecycle": Lifecycle.DRAFT})
    assert (kept.lifecycle, copy.lifecycle) == (Lifecycle.ACTIVE, Lifecycle.DRAFT)
    assert hash(kept) != hash(copy)
    assert entry(category=Category.WORK) != kept
