"""What the suites of several stores share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.backends import OpenStores, Stores, in_directory, in_schema
from support.postgres import Schema


@pytest.fixture(params=["sqlite", "postgres"])
def open_stores(
    request: pytest.FixtureRequest, tmp_path: Path, schema: Schema
) -> Iterator[OpenStores]:
    """The stores beside the events, opened again at each call, as another process would; on both backends."""
    opened: list[Stores] = []

    def opener() -> Stores:
        opened.append(in_directory(tmp_path) if request.param == "sqlite" else in_schema(schema))
        return opened[-1]

    yield opener
    for stores in opened:
        stores.events.close()
