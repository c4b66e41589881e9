"""Tags, metadata and expiry as bots give them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from historian.schema.errors import InvalidInput
from historian.schema.job import Job
from historian.schema.labels import (
    clean_metadata,
    clean_tags,
    labels_of,
    metadata_json,
    read_metadata,
    wanted_metadata,
)
from historian.schema.times import check_expiry
from hypothesis import given
from hypothesis import strategies as st
from support.jobs import make_job

ZONE = "Asia/Shanghai"


@pytest.mark.parametrize(
    ("given", "tags"),
    [
        (None, ()),
        ("Work", ("work",)),
        (["b", "a", "b"], ("b", "a")),
        (["ＡＢ", "ab", " aB\n"], ("ab",)),
        (["", " ", "\u200b", "\x00"], ()),
        (["旅行\n计划", "👍🏽", "c++", "#x"], ("旅行 计划", "👍🏽", "c++", "#x")),
        (("</memory>",), ("</memory>",)),
        (["x" * 32], ("x" * 32,)),
        (["lone \ud800"], ("lone",)),
    ],
)
def test_tags_are_short_lines_in_one_form(given: Any, tags: tuple[str, ...]) -> None:
    assert clean_tags(given) == tags == clean_tags(tags)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ([1], r"tags\[0\]: expected a text, got int"),
        ({"a": 1}, "tags: expected a list"),
        (7, "tags: expected a list"),
        (["ok", "x" * 33], r"tags\[1\]: 33 characters; a tag has at most 32"),
        ([f"t{n}" for n in range(13)], "tags: 13 tags; at most 12"),
    ],
)
def test_wrong_tags_are_named(given: Any, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        clean_tags(given)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (None, {}),
        ({}, {}),
        ({"a": 1.0, "b": 1.5, "c": -0.0}, {"a": 1, "b": 1.5, "c": 0}),
        (
            {"是": [True, None, "x\x00y"], "n": {"m": ("a",)}},
            {"是": [True, None, "xy"], "n": {"m": ["a"]}},
        ),
    ],
)
def test_metadata_is_stored_in_one_form(given: Any, kept: dict[str, Any]) -> None:
    assert clean_metadata(given) == kept and metadata_json(clean_metadata(given)) == metadata_json(
        kept
    )


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ([1], "metadata: expected an object"),
        ("{}", "metadata: expected an object"),
        ({"a": {"b": object()}}, r"metadata\.a\.b: expected text, a number"),
        ({"a": [1, float("nan")]}, r"metadata\.a\[1\]: nan is not a number"),
        ({"a": 2**63}, r"metadata\.a: .* is not a number that JSON can hold in 64 bits"),
        ({1: 2}, r"metadata\.1: a key is a text"),
        ({"": 2}, "a key is a text of 1 to 64 characters"),
        ({"x" * 65: 2}, "a key is a text of 1 to 64 characters"),
        ({"a": {"a": {"a": {"a": {"a": {"a": {"a": 1}}}}}}}, "nested more than 6 levels deep"),
        ({"a": "长" * 700}, "metadata: 2108 bytes as JSON; at most 2048"),
    ],
)
def test_wrong_metadata_is_named_by_its_key(given: Any, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        clean_metadata(given)


def test_a_filter_compares_plain_values_alone() -> None:
    assert (
        wanted_metadata({"a": None, "b": True}) == {"a": None, "b": True}
        and wanted_metadata(None) == {}
    )
    with pytest.raises(InvalidInput, match=r"metadata\.a: a filter compares texts"):
        wanted_metadata({"a": []})
    assert read_metadata(' {"a": 1.0}') == {"a": 1} and read_metadata("") == {}
    for wrong in ("{", "[1]", "[" * 100_000):
        with pytest.raises(InvalidInput, match="metadata: "):
            read_metadata(wrong)


_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.floats(-2, 2), st.text(max_size=4)
)


@given(st.dictionaries(st.text("ab=\"'.", min_size=1, max_size=4), _VALUES, max_size=4), st.data())
def test_labels_agree_where_values_are_equal_and_of_one_kind(
    metadata: dict[str, Any], data: st.DataObject
) -> None:
    stored = clean_metadata(metadata)
    key, value = data.draw(st.sampled_from([("a", 1), *metadata.items()])), data.draw(_VALUES)
    wanted = clean_metadata({key[0]: value})
    same = (
        key[0] in stored
        and stored[key[0]] == wanted[key[0]]
        and type(stored[key[0]]) is type(wanted[key[0]])
    )
    assert (labels_of((), wanted) <= labels_of(("a",), stored)) is same


@pytest.mark.parametrize(
    ("given", "moment"),
    [
        (None, None),
        ("", None),
        ("2026-12-31", "2027-01-01T00:00:00+08:00"),
        (date(2026, 12, 31), "2027-01-01T00:00:00+08:00"),
        ("2026-12-31T17:30:00+08:00", "2026-12-31T17:30:00+08:00"),
        (datetime(2026, 12, 31, tzinfo=UTC), "2026-12-31T00:00:00+00:00"),
        (1_800_000_000, "2027-01-15T08:00:00+00:00"),
        (1_800_000_000_000, "2027-01-15T08:00:00+00:00"),
    ],
)
def test_an_expiry_is_a_moment_and_a_day_lasts_to_its_end(given: Any, moment: str | None) -> None:
    assert check_expiry(given, ZONE) == (
        None if moment is None else datetime.fromisoformat(moment).timestamp()
    )


@pytest.mark.parametrize(
    "given",
    [
        "tomorrow",
        "2026-13-01",
        "2026-12-31T17:30:00",
        datetime(2026, 1, 1),
        True,
        [1],
        float("nan"),
        1e30,
        "9999-12-31",
    ],
)
def test_what_is_no_moment_is_refused_by_name(given: Any) -> None:
    with pytest.raises(InvalidInput, match="expires_at: "):
        check_expiry(given, ZONE)


def test_a_job_keeps_its_labels_as_json() -> None:
    job = make_job(tags=["Work"], metadata={"thread": 7.0}, expires_at="2026-12-31")
    assert (
        job.tags == ("work",)
        and job.metadata == {"thread": 7}
        and job.expires_at == 1_798_732_800.0
    )
    assert Job.model_validate_json(job.to_json()) == job == Job.model_validate(job.model_dump())
    assert (
        not job.has_expired(1_798_732_799.0)
        and job.has_expired(1_798_732_800.0)
        and not make_job().has_expired(9e9)
    )
    with pytest.raises(InvalidInput, match=r"^expires_at: "):
        make_job(expires_at="soon")
