"""A consent ledger whose last rows were cut away is a valid chain by itself; the audit chain tells what is missing."""

from __future__ import annotations

from pathlib import Path

import apsw

from iris_memory import Iris
from iris_memory.storage.keys import FixedKey

KEY = FixedKey(b"\x05" * 32)


def test_a_withdrawal_that_was_cut_away_is_noticed(tmp_path: Path) -> None:
    """Whoever can write the data file deletes the newest event, a withdrawal: the consent looks granted again."""
    with Iris.open(tmp_path / "store", key=KEY, tended=False) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        me.consent.grant("data_processing", "data_storage", terms="We keep what you tell us.")
        me.consent.revoke("data_storage")
        assert list(me.consent.check()) == []
        assert all(finding.ok for finding in iris.doctor())
    data = apsw.Connection(str(tmp_path / "store" / "data" / "iris.db"))
    cut = "DELETE FROM record WHERE kind = 'consent' AND key = (SELECT max(key) FROM record WHERE kind = 'consent')"
    data.execute(cut)
    data.close()
    with Iris.open(tmp_path / "store", key=KEY, tended=False) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        assert me.consent.active() == frozenset(), "a ledger that was cut gives no consent at all"
        assert me.remember("Likes tea").outcome == "refused"
        assert list(me.consent.check()) == ["consent-ledger-cut at 3"]
        bad = [finding.what for finding in iris.doctor() if not finding.ok]
        assert any(what.startswith("consent ledgers") for what in bad)


def test_an_erased_person_is_no_shortened_ledger(tmp_path: Path) -> None:
    with Iris.open(tmp_path / "store", key=KEY, tended=False) as iris:
        me = iris.for_user(tenant="acme", user="ada")
        me.consent.grant("data_processing", "data_storage", terms="We keep what you tell us.")
        me.erase(scan=False)
        assert all(finding.ok for finding in iris.doctor())
