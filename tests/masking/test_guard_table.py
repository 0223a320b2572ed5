"""The guard table: double entry against the hand-written CSV, each cell observable, laws that close it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from owner_sample import owner

from iris_memory.contracts.masking import (
    OWNER_PII_KINDS,
    Action,
    Audience,
    Column,
    Guard,
    GuardRow,
    MaskingReason,
    PiiKind,
)
from iris_memory.errors import IdentityConfigError
from iris_memory.masking.decide import decide, kind_of, verdicts_of
from iris_memory.masking.identity import table_of
from iris_memory.tables.guards import (
    DEFAULT_TABLE,
    SEVERITY,
    Cell,
    closed_table,
    column_of,
    load,
    validated,
    with_cell,
)

SPEC = Path(__file__).parents[2] / "docs" / "spec" / "tables" / "guards.csv"

SPELT = {
    "mask unless granted": Cell(Action.MASK, grantable=True),
    "mask, never granted": Cell(Action.MASK),
    **{action.value: Cell(action) for action in Action},
}

GUARD_OF = {
    Column.EGRESS: (Guard.EGRESS, None),
    Column.WEB_SEARCH: (Guard.WEB_SEARCH, None),
    Column.TIER3: (Guard.TIER3, None),
    Column.ANSWER_OWNER: (Guard.ANSWER, Audience.OWNER),
    Column.ANSWER_OTHER: (Guard.ANSWER, Audience.OTHER),
    Column.CAPABILITY: (Guard.CAPABILITY, None),
}

REFERENCE = {
    GuardRow.NAME: "Ottoline Varga-Quill",
    GuardRow.EMAIL: "ottoline.varga@gmail.com",
    GuardRow.PHONE: "+44 20 7946 0958",
    GuardRow.ADDRESS: "221B Thornfield Street",
    GuardRow.HANDLE: "@ottoquill",
    GuardRow.LINK: "https://ottoline9.example.com/garden-notes",
    GuardRow.SECRET: "plum-Teapot-4471-green",
    GuardRow.FIRST_NAME_ALONE: "Ottoline",
}


def rows_of_the_specification() -> list[tuple[GuardRow, Column, str]]:
    with SPEC.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [(GuardRow(row["kind"]), column, row[column.value]) for row in rows for column in Column]


def reference_decisions(table) -> dict[tuple[GuardRow, Column, bool], Action]:
    """What every reference text gets from every guard, without and with all grants."""
    decisions = {}
    for row, text in REFERENCE.items():
        for column, (guard, audience) in GUARD_OF.items():
            for granted in (False, True):
                [span] = decide(
                    f"about {text} then",
                    corpus=owner(),
                    table=table,
                    guard=guard,
                    audience=audience,
                    grants=OWNER_PII_KINDS if granted else frozenset(),
                )
                assert span.kind is kind_of(row)
                decisions[row, column, granted] = span.action
    return decisions


def test_the_csv_names_every_cell_once():
    cells = [(row, column) for row, column, _ in rows_of_the_specification()]
    assert sorted(cells) == sorted((row, column) for row in GuardRow for column in Column)


@pytest.mark.parametrize(("row", "column", "spelt"), rows_of_the_specification())
def test_the_table_says_what_the_specification_says(row, column, spelt):
    assert DEFAULT_TABLE.cell(row, column=column) == SPELT[spelt]


def test_every_cell_matters():
    """Flip each cell to each other value: some reference decision changes, and only in that row and column."""
    before = reference_decisions(DEFAULT_TABLE)
    for row, column, cell in DEFAULT_TABLE.cells():
        others = [Cell(action) for action in Action if action is not cell.action]
        if cell.grantable:
            others.append(Cell(cell.action))
        for other in others:
            after = reference_decisions(with_cell(DEFAULT_TABLE, row, column=column, cell=other))
            changed = {key for key in before if before[key] is not after[key]}
            assert changed, (row, column, other)
            assert {key[:2] for key in changed} <= {(row, column)}


def test_severity_orders_the_actions():
    assert sorted(Action, key=lambda action: SEVERITY[action]) == [
        Action.PASS,
        Action.LOG,
        Action.MASK,
        Action.DENY,
        Action.HALT,
    ]


@pytest.mark.parametrize("guard", Guard)
def test_only_an_answer_asks_for_its_audience(guard):
    if guard is Guard.ANSWER:
        assert column_of(guard, audience=Audience.OWNER) is Column.ANSWER_OWNER
        assert column_of(guard, audience=Audience.OTHER) is Column.ANSWER_OTHER
        assert column_of(guard, audience=None) is Column.ANSWER_OTHER
    else:
        assert {column_of(guard, audience=audience).value for audience in (*Audience, None)} == {guard.value}


def test_nothing_said_leaves_everything_as_shipped():
    for data in (None, {}):
        table = load(data)
        assert list(table.cells()) == list(DEFAULT_TABLE.cells())
        assert not table.closed
        assert not table.enforce


def test_a_cell_can_be_overridden():
    table = load({"guards": {"email": {"tier3": "log"}}})
    assert table.cell(GuardRow.EMAIL, column=Column.TIER3) == Cell(Action.LOG)
    assert table.cell(GuardRow.EMAIL, column=Column.EGRESS) == Cell(Action.DENY)


def test_an_overridden_capability_cell_keeps_its_grant_only_while_it_masks():
    assert load({"guards": {"email": {"capability": "mask"}}}).cell(GuardRow.EMAIL, column=Column.CAPABILITY) == Cell(
        Action.MASK, grantable=True
    )
    assert load({"guards": {"email": {"capability": "deny"}}}).cell(GuardRow.EMAIL, column=Column.CAPABILITY) == Cell(
        Action.DENY
    )


@pytest.mark.parametrize(
    "data",
    [
        pytest.param({"guards": {"secret": {"capability": "pass"}}}, id="a secret passes a capability"),
        pytest.param({"guards": {"secret": {"capability": "log"}}}, id="a secret is only logged"),
        pytest.param({"guards": {"email": {"answer_owner": "halt"}}}, id="an email halts the owner's answer"),
        pytest.param({"guards": {"name": {"answer_owner": "deny"}}}, id="a name denies the owner's answer"),
        pytest.param({"guards": {"first_name_alone": {"egress": "deny"}}}, id="a first name denies"),
        pytest.param({"guards": {"first_name_alone": {"answer_other": "halt"}}}, id="a first name halts"),
        pytest.param({"destinations": {"github_*": ["secret"]}}, id="a secret is allowed out"),
        pytest.param({"destinations": {"github_*": ["link"]}}, id="a link is allowed out"),
        pytest.param({"ontology_kinds": {"password": "secret"}}, id="an attribute is a secret"),
        pytest.param({"ontology_kinds": {"home": "address"}}, id="an attribute is an address"),
        pytest.param({"guards": {"birthday": {"egress": "deny"}}}, id="an unknown kind"),
        pytest.param({"guards": {"email": {"fax": "deny"}}}, id="an unknown column"),
        pytest.param({"guards": {"email": {"egress": "shred"}}}, id="an unknown action"),
        pytest.param({"enforce": ["everything"]}, id="an unknown kind to enforce"),
        pytest.param({"pii": {}}, id="an unknown key"),
        pytest.param({"log_only_destinations": ["a*b"]}, id="a pattern with a star inside"),
        pytest.param(["guards"], id="a list"),
        pytest.param("guards", id="a text"),
        pytest.param({"guards": object()}, id="nothing JSON knows"),
    ],
)
def test_what_does_not_validate_closes_the_table(data):
    table = load(data)
    assert table.closed
    assert table.fault is MaskingReason.CONFIG_INVALID
    assert {cell for _, _, cell in table.cells()} == {Cell(Action.MASK)}
    assert set(reference_decisions(table).values()) == {Action.MASK}


def test_one_wrong_word_discards_the_right_ones_too():
    table = load({"guards": {"email": {"tier3": "log"}}, "enforce": ["nonsense"]})
    assert table.cell(GuardRow.EMAIL, column=Column.TIER3) == Cell(Action.MASK)


def test_a_table_without_a_row_is_refused():
    rows = {row: cells for row, cells in DEFAULT_TABLE.rows.items() if row is not GuardRow.PHONE}
    table = type(DEFAULT_TABLE)(rows=rows)
    with pytest.raises(IdentityConfigError, match="missing"):
        validated(table)


DESTINATIONS = {
    "destinations": {"github_*": ["name", "email"]},
    "log_only_destinations": ["mcp_*", "search"],
}


@pytest.mark.parametrize(
    ("destination", "row", "action"),
    [
        ("github_create_issue", GuardRow.EMAIL, Action.PASS),
        ("github_create_issue", GuardRow.NAME, Action.PASS),
        ("github_create_issue", GuardRow.FIRST_NAME_ALONE, Action.PASS),
        ("github_create_issue", GuardRow.PHONE, Action.DENY),
        ("github_create_issue", GuardRow.SECRET, Action.DENY),
        ("github_create_issue", GuardRow.LINK, Action.DENY),
        ("mcp_files", GuardRow.EMAIL, Action.LOG),
        ("mcp_files", GuardRow.PHONE, Action.LOG),
        ("mcp_files", GuardRow.ADDRESS, Action.LOG),
        ("mcp_files", GuardRow.SECRET, Action.DENY),
        ("mcp_files", GuardRow.LINK, Action.DENY),
        ("mcp", GuardRow.EMAIL, Action.DENY),
        ("search", GuardRow.EMAIL, Action.LOG),
        ("searching", GuardRow.EMAIL, Action.DENY),
        (None, GuardRow.EMAIL, Action.DENY),
    ],
)
def test_destinations_relax_owner_pii_going_out_and_nothing_else(destination, row, action):
    table = load(DESTINATIONS)
    verdict = verdicts_of(table, guard=Guard.EGRESS, destination=destination)[row.value]
    assert verdict.action is action
    assert verdict.log_only is (action is Action.LOG and row not in (GuardRow.NAME, GuardRow.HANDLE))


@pytest.mark.parametrize("guard", [guard for guard in Guard if guard is not Guard.EGRESS])
def test_destinations_say_nothing_to_other_guards(guard):
    table = load(DESTINATIONS)
    for destination in ("github_x", "mcp_x"):
        assert dict(verdicts_of(table, guard=guard, destination=destination)) == dict(verdicts_of(table, guard=guard))


def test_a_closed_table_knows_no_destination_and_no_grant():
    table = closed_table(MaskingReason.CONFIG_UNREADABLE)
    for guard in Guard:
        verdicts = verdicts_of(table, guard=guard, destination="github_x", grants=OWNER_PII_KINDS)
        assert {verdict.action for verdict in verdicts.values()} == {Action.MASK}


@pytest.mark.parametrize("kind", sorted(OWNER_PII_KINDS))
def test_a_grant_lifts_its_own_kind_in_capabilities_alone(kind):
    for guard in Guard:
        for row in GuardRow:
            granted = verdicts_of(DEFAULT_TABLE, guard=guard, grants=frozenset({kind}))[row.value]
            plain = verdicts_of(DEFAULT_TABLE, guard=guard)[row.value]
            lifted = guard is Guard.CAPABILITY and row.value == kind.value
            assert granted.action is (Action.PASS if lifted else plain.action)


@pytest.mark.parametrize("kind", [PiiKind.SECRET, PiiKind.LINK])
def test_no_grant_lifts_a_secret_or_a_link(kind):
    for row in GuardRow:
        granted = verdicts_of(DEFAULT_TABLE, guard=Guard.CAPABILITY, grants=frozenset({kind}))[row.value]
        assert granted == verdicts_of(DEFAULT_TABLE, guard=Guard.CAPABILITY)[row.value]


def test_identity_yaml_is_read_as_text():
    table = table_of(
        """
        ontology_kinds: {nickname: name}
        guards:
          email: {tier3: log}
        destinations:
          "github_*": [name, handle]
        log_only_destinations: ["mcp_*"]
        enforce: [email, secret]
        """
    )
    assert not table.closed
    assert table.cell(GuardRow.EMAIL, column=Column.TIER3) == Cell(Action.LOG)
    assert dict(table.ontology_kinds) == {"nickname": PiiKind.NAME}
    assert table.allowed_for("github_issue") == {PiiKind.NAME, PiiKind.HANDLE}
    assert table.is_log_only("mcp_x")
    assert table.enforce == {PiiKind.EMAIL, PiiKind.SECRET}


@pytest.mark.parametrize("text", ["", "# only a comment\n", "{}"])
def test_an_empty_file_changes_nothing(text):
    assert list(table_of(text).cells()) == list(DEFAULT_TABLE.cells())
    assert not table_of(text).closed


def test_no_file_is_the_table_as_shipped():
    assert table_of(None) is DEFAULT_TABLE


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("guards: [", MaskingReason.CONFIG_UNREADABLE),
        ("a: &x [*x]", MaskingReason.CONFIG_UNREADABLE),
        ("[" * 5000, MaskingReason.CONFIG_UNREADABLE),
        ("#" * 300_000, MaskingReason.CONFIG_UNREADABLE),
        ("!!python/object/apply:os.system ['true']", MaskingReason.CONFIG_INVALID),
        ("- guards", MaskingReason.CONFIG_INVALID),
        ("guards: {email: {tier3: nothing}}", MaskingReason.CONFIG_INVALID),
    ],
)
def test_a_file_that_cannot_be_read_closes_the_table(text, fault):
    assert table_of(text).fault is fault
