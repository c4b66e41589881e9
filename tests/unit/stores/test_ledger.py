"""Which jobs were applied to which profile."""

from __future__ import annotations

from pathlib import Path

from historian.stores.sqlite.index_schema import open_index
from historian.stores.tables.ledger import LedgerTable


def test_a_job_is_noted_for_its_entity_alone_and_stays_noted(tmp_path: Path) -> None:
    database = open_index(tmp_path / "index.sqlite")
    ledger = LedgerTable(database)
    assert not ledger.has("user:42", "j1-0")
    ledger.add("user:42", "j1-0")
    ledger.add("user:42", "j1-0")
    assert ledger.has("user:42", "j1-0")
    assert (
        not ledger.has("user:4", "2j1-0")
        and not ledger.has("group:42", "j1-0")
        and not ledger.has("user:42", "j2-0")
    )
    database.close()
    database = open_index(tmp_path / "index.sqlite")
    ledger = LedgerTable(database)
    assert ledger.has("user:42", "j1-0")
    ledger.add("user:43", "j1-0")
    assert ledger.has("user:43", "j1-0")
    database.close()
