"""What every `ShadowVectors` promises."""

from __future__ import annotations

import numpy as np
import pytest
from historian.schema.errors import FingerprintMismatch, InvalidInput
from historian.schema.event import EventFilter
from historian.schema.profile import ProfileKey
from historian.stores.tables.events.shadow_vectors import VectorSets
from profiles import profile_of
from support.backends import OpenStores, Stores
from support.events import DIMENSION, make_event, unit_vectors

GROUP = EventFilter("g:7")
OLD, NEW = ("old", DIMENSION), ("new", 3)
PROFILE = profile_of(ProfileKey("user", "42"), "likes tea", name="小林", revision=2)


@pytest.fixture
def stores(open_stores: OpenStores) -> Stores:
    """Three events and a profile with vectors of the old model."""
    stores = open_stores()
    stores.events.set_fingerprint(*OLD)
    events = [make_event("j1-0", n, text=f"text {n}") for n in range(3)]
    stores.events.file_job("j1-0", events, unit_vectors(3))
    stores.profile_index.put(PROFILE, unit_vectors(1, seed=9)[0])
    return stores


def build(stores: Stores, leave: int = 0) -> None:
    stores.shadow.begin(*NEW)
    lacking = stores.shadow.lacking(-1, 10)
    some = lacking[: len(lacking) - leave]
    assert stores.shadow.store(some, unit_vectors(len(some), seed=1, dimension=3)) == len(some)
    stores.shadow.store_profiles([PROFILE], unit_vectors(1, seed=2, dimension=3))


def test_vectors_of_another_model_are_made_beside_those_in_use(
    stores: Stores, open_stores: OpenStores
) -> None:
    assert stores.shadow.sets() == VectorSets(OLD, None, 0, None, 0, 3)
    stores.shadow.begin(*NEW)
    first, *others = stores.shadow.lacking(-1, 10)
    assert (first.event_id, first.text, len(others)) == ("j1-0:0", "text 0", 2)
    assert stores.shadow.lacking(first.row, 1) == others[:1]
    assert stores.shadow.store([first], unit_vectors(1, dimension=3)) == 1
    again = open_stores()
    again.shadow.begin(*NEW)
    assert again.shadow.sets() == VectorSets(OLD, NEW, 1, None, 0, 3), "what was made stays"
    assert again.shadow.lacking(-1, 10) == others
    again.shadow.begin("another", 3)
    assert again.shadow.sets().next_done == 0


def test_what_changed_meanwhile_gets_no_vector_and_loses_its_own(stores: Stores) -> None:
    stores.shadow.begin(*NEW)
    lacking = stores.shadow.lacking(-1, 10)
    stores.events.edit("j1-0:0", "edited", None)
    stores.events.delete(["j1-0:1"])
    assert stores.shadow.store(lacking, unit_vectors(3, dimension=3)) == 1
    stores.events.edit("j1-0:2", "edited too", None)
    assert stores.shadow.sets().next_done == 0


def test_vectors_of_a_wrong_dimension_are_refused(stores: Stores) -> None:
    lacking = stores.shadow.lacking(-1, 1)
    with pytest.raises(InvalidInput, match="no change of the embedding model"):
        stores.shadow.store(lacking, unit_vectors(1, dimension=3))
    stores.shadow.begin(*NEW)
    with pytest.raises(InvalidInput, match="4"):
        stores.shadow.store(lacking, unit_vectors(1, dimension=4))
    with pytest.raises(InvalidInput, match="nothing to switch back to"):
        stores.shadow.roll_back()


def test_the_new_vectors_take_the_place_of_the_old_ones_at_once_and_back(
    stores: Stores, open_stores: OpenStores
) -> None:
    reader = open_stores()
    before = reader.events.change_number("g:7")
    old_ids, old = reader.events.vectors(GROUP)
    build(stores, leave=1)
    assert stores.shadow.profiles_lacking([PROFILE]) == []
    assert stores.shadow.change_over() == NEW
    ids, matrix = reader.events.vectors(GROUP)
    assert (ids, matrix.shape) == (
        ["j1-0:0", "j1-0:1"],
        (2, 3),
    ) and reader.events.fingerprint() == NEW
    assert [event.event_id for event in reader.events.without_vector(9)] == ["j1-0:2"]
    np.testing.assert_allclose(
        reader.profile_index.vectors()[1], np.stack(unit_vectors(1, seed=2, dimension=3))
    )
    assert reader.events.change_number("g:7")[1] > before[1], "readers drop what they hold"
    assert stores.shadow.sets() == VectorSets(NEW, None, 0, OLD, 3, 3)
    with pytest.raises(InvalidInput, match="still stored"):
        stores.shadow.begin("third", 3)
    stores.events.set_vectors(["j1-0:2"], unit_vectors(1, dimension=3))
    with pytest.raises(FingerprintMismatch):
        stores.events.set_vectors(["j1-0:2"], unit_vectors(1))
    assert stores.shadow.roll_back() == OLD
    assert reader.events.vectors(GROUP)[0] == old_ids
    np.testing.assert_array_equal(reader.events.vectors(GROUP)[1], old)
    np.testing.assert_allclose(reader.profile_index.vectors()[1], np.stack(unit_vectors(1, seed=9)))
    assert stores.shadow.drop_old() == 3
    assert stores.shadow.sets() == VectorSets(OLD, None, 0, None, 0, 3)


def test_a_second_change_follows_the_first(stores: Stores) -> None:
    build(stores)
    stores.shadow.change_over()
    stores.shadow.drop_old()
    stores.shadow.begin(*OLD)
    lacking = stores.shadow.lacking(-1, 10)
    stores.shadow.store(lacking, unit_vectors(3))
    assert stores.shadow.change_over() == OLD
    more = make_event("j2-0", text="later")
    assert stores.events.file_job("j2-0", [more], unit_vectors(1, seed=5))
    assert stores.events.vectors(GROUP)[1].shape == (4, DIMENSION)
    with pytest.raises(InvalidInput, match="no change of the embedding model"):
        stores.shadow.change_over()
