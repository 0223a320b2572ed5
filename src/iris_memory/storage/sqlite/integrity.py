"""What must hold in a store at rest, beyond what SQLite checks itself."""

from __future__ import annotations

from typing import Final

import apsw

MOST: Final = 20
"""How many findings of SQLite's own check are listed."""

_RULES: Final = (
    (
        "memories have no current revision, or more than one",
        "SELECT count(*) FROM (SELECT 1 FROM entry GROUP BY person_no, logical_id"
        " HAVING sum(superseded_by IS NULL) <> 1)",
    ),
    (
        "memories have a gap in their revisions",
        "SELECT count(*) FROM (SELECT 1 FROM entry GROUP BY person_no, logical_id"
        " HAVING min(revision) <> 1 OR max(revision) <> count(*))",
    ),
    (
        "memories are hidden in part",
        "SELECT count(*) FROM (SELECT 1 FROM entry GROUP BY person_no, logical_id"
        " HAVING count(hidden_seq) NOT IN (0, count(*)))",
    ),
    (
        "audit chains have a gap or another length than their head says",
        "SELECT count(*) FROM (SELECT 1 FROM tenant LEFT JOIN audit USING (tenant_no) GROUP BY tenant_no"
        " HAVING count(sequence) <> audit_size OR ifnull(min(sequence), 1) <> 1"
        " OR ifnull(max(sequence), 0) <> audit_size)",
    ),
    (
        "forgotten memories still have rows",
        "SELECT count(*) FROM tombstone AS t WHERE EXISTS"
        " (SELECT 1 FROM entry WHERE person_no = t.person_no AND logical_id = t.logical_id)"
        " OR EXISTS (SELECT 1 FROM usage WHERE person_no = t.person_no AND logical_id = t.logical_id)",
    ),
    (
        "usage rows have no memory",
        "SELECT count(*) FROM usage AS u WHERE NOT EXISTS"
        " (SELECT 1 FROM entry WHERE person_no = u.person_no AND logical_id = u.logical_id)",
    ),
    (
        "rows have lost their sealed bytes, or share them",
        "SELECT (SELECT count(*) FROM named) - (SELECT count(DISTINCT box_no) FROM named JOIN box USING (box_no)"
        " WHERE bytes IS NOT NULL)",
    ),
    (
        "sealed boxes belong to no row",
        "SELECT count(*) FROM box WHERE bytes IS NOT NULL AND box_no NOT IN (SELECT box_no FROM named)",
    ),
)

_NAMED: Final = (
    "WITH named (box_no) AS (SELECT box_no FROM entry UNION ALL SELECT box_no FROM usage"
    " UNION ALL SELECT box_no FROM record) "
)


def problems(connection: apsw.Connection) -> list[str]:
    """Return what is wrong in plain sentences, without any content; nothing when all is well."""
    found = own_check(connection)
    if found:
        return found
    for sentence, sql in _RULES:
        count = connection.execute(_NAMED + sql).get
        if count:
            found.append(f"{count} {sentence}")
    return found


def own_check(connection: apsw.Connection) -> list[str]:
    """Run SQLite's own checks; they name pages, tables and rows by number only."""
    try:
        said = [str(line) for (line,) in connection.execute(f"PRAGMA integrity_check({MOST})")]
        strays = connection.execute("SELECT count(*) FROM pragma_foreign_key_check").get
    except apsw.CorruptError:
        return ["the file is damaged: a page does not make sense"]
    found = [
        f"the file is damaged: {line}" for said_line in said if said_line != "ok" for line in said_line.splitlines()
    ]
    if strays:
        found.append(f"{strays} rows point to rows that are not there")
    return found
