"""The data of a store moves into PostgreSQL and back: every row, every chain, the same recalls; nothing else moves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.stores import KEY, open_store, person
from iris_memory.contracts.category import Category
from iris_memory.errors import IrisError, SettingError, StorageError, StoreBusyError
from iris_memory.flows.stamp import STORE
from iris_memory.front.iris import Iris
from iris_memory.storage.postgres import PostgresStore
from iris_memory.storage.sqlite import SqliteStore
from iris_memory.wiring.moving import move
from iris_memory.wiring.opening import Opened
from postgres.server import SERVICE, Server

pytestmark = pytest.mark.enable_socket

PEOPLE = ("ada", "bob", "cleo")


def furnish(folder: Path, **more: Any) -> None:
    """Fill a store with everything a person can leave behind."""
    with open_store(folder, **more) as iris:
        for tenant in ("acme", "globex"):
            for name in PEOPLE:
                me = person(iris, tenant=tenant, user=name)
                kept = [me.remember(f"{name} of {tenant} said thing {number}") for number in range(6)]
                me.recall("thing")
                me.forget(kept[0].entry.logical_id, scan=False)  # type: ignore[union-attr]
                me.revise(kept[1].entry.logical_id, f"{name} of {tenant} said it anew")  # type: ignore[union-attr]
        iris.for_user(tenant="globex", user="cleo").erase(scan=False)
        iris.for_user(tenant="acme", user="bob").pause()
        iris.flush()


def everything(folder: Path, **more: Any) -> dict[str, Any]:
    """Return all that the store answers, in JSON."""
    found: dict[str, Any] = {}
    with open_store(folder, **more) as iris:
        for tenant in ("acme", "globex"):
            report = iris.verify_audit(tenant=tenant)
            assert report.ok, report.problems
            for name in PEOPLE:
                me = iris.for_user(tenant=tenant, user=name)
                found[f"{tenant}/{name}"] = [
                    entry.model_dump_json(exclude={"reference_count", "last_referenced_at"})
                    for entry in me.list().entries
                ]
                found[f"{tenant}/{name}?"] = [hit.entry.body for hit in me.recall("thing said").hits]
            found[f"{tenant}!"] = [receipt.model_dump_json() for receipt in iris.receipts(tenant=tenant)]
    return found


def rows_of(store: Any) -> dict[str, Any]:
    """Return every row of a store, except its stamp."""
    found = {}
    with store.read() as view:
        for tenant, name in view.owners():
            if tenant == STORE:
                continue
            found[f"{tenant}/{name}"] = (
                view.state(tenant, name),
                view.every_entry(tenant, name, limit=10_000),
                view.every_use(tenant, name, limit=10_000),
                view.every_record(tenant, name, limit=10_000),
                view.tombstones(tenant, name),
                view.audit_lines(tenant, start=1, limit=10_000),
                view.audit_head(tenant),
                view.checkpoints(tenant),
            )
    store.close()
    return found


def moved(source: str | Path, target: str | Path, **more: Any) -> Any:
    return move(str(source), str(target), key=KEY, **more)


def test_a_store_moves_there_and_back(folder: Path, url: str, tmp_path: Path) -> None:
    furnish(folder)
    before = rows_of(SqliteStore(folder / "data" / "iris.db"))
    files = (folder / "data" / "iris.db").read_bytes()
    there = moved(folder, url)
    assert there.copied == there.owners == len(before)
    assert there.recalls_compared > 0
    assert there.events == sum(len(rows[5]) for name, rows in before.items() if name.endswith("/"))
    assert (folder / "data" / "iris.db").read_bytes() == files, "the source is not changed"
    assert rows_of(PostgresStore(url)) == before
    answers = everything(folder, database=url)
    with open_store(folder, database=url) as iris:
        iris.for_user(tenant="acme", user="ada").remember("Said in PostgreSQL")
    in_postgres = rows_of(PostgresStore(url))
    back = moved(url, f"sqlite:{folder}")
    assert 0 < back.copied < back.owners, "who did not change is passed over"
    assert rows_of(SqliteStore(folder / "data" / "iris.db")) == in_postgres
    after = everything(folder)
    assert "Said in PostgreSQL" in json.dumps(after)
    assert after["acme/bob"] == answers["acme/bob"]
    assert after["globex/ada"] == answers["globex/ada"]
    with open_store(folder) as iris:
        assert [finding for finding in iris.doctor() if not finding.ok] == []


def test_after_a_move_the_data_is_looked_for_at_the_target_alone(folder: Path, url: str) -> None:
    furnish(folder)
    with pytest.raises(SettingError, match="lies in its folder"):
        open_store(folder, database=url)
    moved(folder, url)
    with pytest.raises(SettingError, match="lies in PostgreSQL"):
        open_store(folder)
    with pytest.raises(SettingError, match="lies in PostgreSQL"):
        moved(folder, url)


def test_a_move_that_is_complete_changes_nothing(
    folder: Path, url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    furnish(folder)
    (tmp_path / "marker").write_bytes((folder / "store.json").read_bytes())
    moved(folder, url)
    before = rows_of(PostgresStore(url))
    (folder / "store.json").write_bytes((tmp_path / "marker").read_bytes())  # as if killed before the last step
    again = moved(folder, url)
    assert (again.copied, again.owners) == (0, len(before))
    assert rows_of(PostgresStore(url)) == before


def test_what_changed_since_a_broken_move_is_copied_anew(folder: Path, url: str, tmp_path: Path) -> None:
    furnish(folder)
    (tmp_path / "marker").write_bytes((folder / "store.json").read_bytes())
    moved(folder, url)
    (folder / "store.json").write_bytes((tmp_path / "marker").read_bytes())
    with open_store(folder) as iris:
        ada = iris.for_user(tenant="acme", user="ada")
        ada.remember("Said since")
        ada.forget(category=Category.FACT, scan=False)
        iris.for_user(tenant="acme", user="cleo").erase(scan=False)
    again = moved(folder, url)
    assert 2 <= again.copied < again.owners
    assert rows_of(PostgresStore(url)) == rows_of(SqliteStore(folder / "data" / "iris.db"))


def test_nobody_has_the_store_open_meanwhile(folder: Path, url: str) -> None:
    furnish(folder)
    with open_store(folder), pytest.raises(StoreBusyError, match="stop it first"):
        moved(folder, url)
    tried: list[str] = []

    def look(done: int, of: int) -> None:
        if not tried:
            with pytest.raises(StoreBusyError, match="moved or restored") as caught:
                open_store(folder)
            tried.append(str(caught.value))

    moved(folder, url, progress=look)
    assert tried


def test_a_database_of_another_store_is_refused_untouched(folder: Path, url: str, tmp_path: Path) -> None:
    other = tmp_path / "other"
    with open_store(other, database=url) as iris:
        person(iris, tenant="initech", user="eve").remember("Owns a boat")
    before = rows_of(PostgresStore(url))
    furnish(folder)
    with pytest.raises(StorageError, match="another store"):
        moved(folder, url)
    assert rows_of(PostgresStore(url)) == before
    with open_store(folder) as iris:
        assert iris.for_user(tenant="acme", user="ada").list(limit=0).total > 0
    third = tmp_path / "third"
    open_store(third).close()
    (third / "store.json").write_text(
        (third / "store.json").read_text(encoding="utf-8").replace('"folder"', '"postgresql"'), encoding="utf-8"
    )
    (third / "data" / "iris.db").unlink()
    with pytest.raises(StorageError, match="another store"):
        open_store(third, database=url)


def test_a_copy_that_went_on_by_itself_is_refused(folder: Path, url: str, tmp_path: Path) -> None:
    """Both sides were written to after a move: neither is the other's beginning."""
    furnish(folder)
    marker = (folder / "store.json").read_bytes()
    moved(folder, url)
    with open_store(folder, database=url) as iris:
        iris.for_user(tenant="acme", user="ada").remember("Said there")
    (folder / "store.json").write_bytes(marker)
    with pytest.raises(IrisError):
        moved(folder, url)


def test_a_move_cut_short_leaves_a_target_that_does_not_open(folder: Path, url: str) -> None:
    furnish(folder)

    def stop(done: int, of: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        moved(folder, url, progress=stop)
    with open_store(folder) as iris:
        assert iris.for_user(tenant="acme", user="ada").list(limit=0).total == 5
    marker = folder / "store.json"
    text = marker.read_text(encoding="utf-8")
    marker.write_text(text.replace('"folder"', '"postgresql"'), encoding="utf-8")
    with pytest.raises(StorageError, match="not finished"):
        open_store(folder, database=url)
    with pytest.raises(StorageError, match="not finished"):
        moved(url, folder)
    marker.write_text(text, encoding="utf-8")
    again = moved(folder, url)
    assert 0 < again.copied < again.owners
    assert everything(folder, database=url)


def test_a_database_moves_into_another_database(
    folder: Path, server: Server, new_database: Callable[[], str], tmp_path: Path
) -> None:
    one, two = (server.at(new_database(), SERVICE) for _ in range(2))
    furnish(folder, database=one)
    before = rows_of(PostgresStore(one))
    with pytest.raises(SettingError, match="--store"):
        moved(one, two)
    moved(one, two, home=folder)
    assert rows_of(PostgresStore(two)) == before
    assert everything(folder, database=two)


def test_addresses_that_do_not_fit_are_refused_without_being_shown(folder: Path, tmp_path: Path) -> None:
    furnish(folder)
    secret = "hunter2"
    for source, target in (
        (str(folder), str(tmp_path / "elsewhere")),
        (f"postgresql://eve:{secret}@db/iris", str(folder)),
        (f"mysql://eve:{secret}@db/iris", str(folder)),
        (str(folder), f"postgresql://eve:{secret}@[::bad/iris"),
        (str(folder), f"postgresql://eve:{secret}@127.0.0.1:1/iris"),
        (f"postgresql://eve:{secret}@db/iris", f"postgresql://eve:{secret}@db/iris"),
        (str(tmp_path / "nowhere"), f"postgresql://eve:{secret}@db/iris"),
    ):
        with pytest.raises(IrisError) as caught:
            moved(source, target)
        assert secret not in str(caught.value)
        assert secret not in repr(caught.value.__cause__)


def test_an_open_store_does_not_show_its_address(folder: Path, url: str) -> None:
    with open_store(folder, database=url) as iris:
        opened: Opened = iris.opened
        assert url not in repr(opened.database)
        assert "PostgreSQL at a local socket" in str(iris.doctor())
    assert isinstance(iris, Iris)
