"""Problems that pydantic finds, as InvalidInput that names the field."""

from __future__ import annotations

import pytest
from historian.schema.errors import InvalidInput
from historian.schema.payloads import IndexCommand, RollbackCommand, StatesPayload
from historian.schema.validation import validated


def test_the_field_is_named_with_what_holds_it() -> None:
    with pytest.raises(
        InvalidInput, match=r"^payload\.folder: String should have at least 1 character"
    ):
        validated(IndexCommand, {"folder": ""}, within="payload")
    with pytest.raises(InvalidInput, match=r"^payload\.states\.1\.role: Input should be"):
        validated(
            StatesPayload,
            {"states": [{"role": "user", "text": ""}, {"role": "x", "text": ""}]},
            within="payload",
        )
    with pytest.raises(InvalidInput, match=r"^revision: "):
        validated(RollbackCommand, {"entity_type": "user", "entity_id": "1", "revision": 0})


def test_what_is_valid_comes_back_as_the_model() -> None:
    assert validated(IndexCommand, {"folder": "a"}) == IndexCommand(folder="a")
