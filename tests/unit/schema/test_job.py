import json
from datetime import UTC, datetime
from typing import Any

import pytest
from historian.schema.errors import InvalidInput
from historian.schema.job import Job, clean_text, make_job_id, parse_job
from historian.schema.scope import Scope
from hypothesis import given
from hypothesis import strategies as st

GROUP: dict[str, Any] = {
    "request_id": "r1",
    "action_summary": "我推荐了《三体》",
    "new_info": ["他喜欢科幻"],
    "timestamp": "2026-02-21T17:30:00+08:00",
    "timezone": "Asia/Shanghai",
    "request_type": "group",
    "user_id": "42",
    "group_id": "7",
}
PRIVATE: dict[str, Any] = {**GROUP, "request_type": "private", "group_id": ""}


def test_a_complete_job_is_accepted_and_names_its_scope_and_entities() -> None:
    job = parse_job(GROUP)
    assert job.scope == Scope.group("7", "42")
    assert job.entities == {"user:42", "group:7"}
    assert job.job_id == make_job_id("r1", 0)
    assert not job.is_empty


def test_the_moment_of_a_job_is_in_its_own_time_zone() -> None:
    job = parse_job({**GROUP, "timestamp": "2026-02-21T17:30:00+00:00"})
    assert job.moment.isoformat() == "2026-02-22T01:30:00+08:00"


@pytest.mark.parametrize("user_id", ["../x", "-1001234", "@ann:matrix.org"])
def test_ids_with_signs_are_ids(user_id: str) -> None:
    assert parse_job({**PRIVATE, "user_id": user_id}).user_id == user_id


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"user_id": ""}, "user_id"),
        ({"user_id": "x" * 200}, "user_id: 200 characters; at most 128 are allowed"),
        ({"user_id": "a\nb"}, r"user_id: .*U\+000A"),
        ({"request_id": ""}, "request_id"),
        ({"group_id": ""}, "group_id: missing in a group job"),
        ({"request_type": "private"}, "group_id: '7' given for a private job"),
        ({"request_type": "channel"}, "request_type: "),
        ({"timestamp": "2026-02-21T17:30:00"}, "timestamp: 2026-02-21T17:30:00 has no UTC offset"),
        ({"timestamp": "yesterday"}, "timestamp: 'yesterday' is not an ISO 8601 time"),
        ({"timestamp": True}, "timestamp: "),
        (
            {"timestamp": "0001-01-01T00:00:00+14:00"},
            "timestamp: .* is outside the years 1900 to 9000",
        ),
        (
            {"timestamp": "9999-12-31T23:59:00-12:00"},
            "timestamp: .* is outside the years 1900 to 9000",
        ),
        ({"timezone": "Mars/Olympus"}, "timezone: 'Mars/Olympus' is not an IANA time zone"),
        ({"timezone": ""}, "timezone: "),
        ({"timezone": "../../etc/passwd"}, "timezone: "),
        ({"new_info": [1]}, "new_info.0: "),
        ({"new_info": {"a": 1}}, "new_info: "),
        ({"action_summary": 5}, "action_summary: "),
        ({"end_seq": -1}, "end_seq: "),
        ({"kind": "dance"}, "kind: "),
        ({"moood": "good"}, "moood: unknown field; the known fields are "),
        ({"recent_messages": [{"who": "x"}]}, "recent_messages.0.who: "),
        (
            {"job_id": "another-0"},
            "job_id: 'another-0' does not belong to request_id 'r1' and end_seq 0",
        ),
    ],
)
def test_a_wrong_field_is_named_with_its_value_and_the_remedy(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse_job({**GROUP, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"new_info": {"password": "hunter2"}},
        {"new_info": [["my password is hunter2"]]},
        {"new_info": b'x"hunter2"'},
        {"action_summary": ["hunter2"]},
        {"recent_messages": "she said hunter2"},
        {"recent_messages": ["hunter2"]},
        {"payload": "hunter2"},
        {"end_seq": ["hunter2"]},
        {"timestamp": "he told me yesterday that his password is hunter2"},
        {"timezone": "hunter2" * 8},
        {"user_id": {"id": "hunter2"}},
        {"user_id": " the password is hunter2, do not tell anybody"},
    ],
)
def test_an_error_repeats_nothing_of_a_text_in_the_wrong_place(changes: dict[str, Any]) -> None:
    field = next(iter(changes))
    with pytest.raises(InvalidInput, match=field) as refused:
        parse_job({**GROUP, **changes})
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("field", ["request_id", "timestamp", "timezone", "request_type"])
def test_a_missing_field_is_named(field: str) -> None:
    with pytest.raises(InvalidInput, match=f"{field}"):
        parse_job({key: value for key, value in GROUP.items() if key != field})


def test_in_a_group_sender_id_wins_over_user_id() -> None:
    assert parse_job({**GROUP, "sender_id": 43}).user_id == "43"


def test_in_private_user_id_wins_over_sender_id_and_sender_id_fills_a_gap() -> None:
    assert parse_job({**PRIVATE, "sender_id": "43"}).user_id == "42"
    assert parse_job({**PRIVATE, "user_id": None, "sender_id": "43"}).user_id == "43"


def test_the_old_name_summary_is_taken_for_action_summary() -> None:
    data = {**GROUP, "action_summary": "", "summary": "我推荐了《三体》"}
    assert parse_job(data).action_summary == "我推荐了《三体》"


def test_one_string_of_new_info_is_a_list_of_one() -> None:
    assert parse_job({**GROUP, "new_info": "他喜欢科幻"}).new_info == ["他喜欢科幻"]
    assert parse_job({**GROUP, "new_info": None}).new_info == []


def test_statements_lose_the_mark_of_the_list_that_they_stood_in() -> None:
    given = [
        "- 他喜欢科幻",
        "• She likes tea",
        "* - nested",
        "-5 °C is too cold for her",
        "*wow*",
        "- ",
        "a - b",
    ]
    kept = [
        "他喜欢科幻",
        "She likes tea",
        "nested",
        "-5 °C is too cold for her",
        "*wow*",
        "-",
        "a - b",
    ]
    assert parse_job({**GROUP, "new_info": given}).new_info == kept
    assert parse_job({**GROUP, "new_info": kept}).new_info == kept


def test_numbers_are_taken_as_ids() -> None:
    job = parse_job({**GROUP, "user_id": 42, "group_id": -1001234, "bot_id": 9})
    assert (job.user_id, job.group_id, job.bot_id) == ("42", "-1001234", "9")


def test_a_job_of_blank_texts_is_empty_and_an_order_is_not() -> None:
    assert parse_job({**GROUP, "action_summary": " \n", "new_info": ["", "  "]}).is_empty
    assert not parse_job({**GROUP, "action_summary": "", "new_info": [], "kind": "forget"}).is_empty


def test_a_datetime_is_taken_as_a_timestamp() -> None:
    job = parse_job({**GROUP, "timestamp": datetime(2026, 2, 21, 9, 30, tzinfo=UTC)})
    assert job.timestamp == "2026-02-21T09:30:00+00:00"


@given(st.text(max_size=200))
def test_cleaning_leaves_text_that_a_file_can_hold_and_cleaning_twice_changes_nothing(
    value: str,
) -> None:
    cleaned = clean_text(value)
    cleaned.encode()
    assert clean_text(cleaned) == cleaned
    assert not any(c < " " and c not in "\t\n\r" for c in cleaned)


@given(st.text(max_size=300), st.lists(st.text(max_size=50), max_size=4), st.text(max_size=40))
def test_any_text_survives_the_way_through_a_file(summary: str, info: list[str], name: str) -> None:
    job = parse_job({**GROUP, "action_summary": summary, "new_info": info, "user_name": name})
    again = parse_job(json.loads(job.to_json().encode().decode()))
    assert again == job
    assert Job.model_validate(job.model_dump()) == job


def test_emoji_and_line_breaks_stay() -> None:
    assert (
        parse_job({**GROUP, "action_summary": "👨‍👩‍👧 hi\nthere"}).action_summary
        == "👨‍👩‍👧 hi\nthere"
    )


def test_the_same_request_has_the_same_job_id_and_another_turn_another() -> None:
    assert parse_job(GROUP).job_id == parse_job({**GROUP, "new_info": []}).job_id
    assert parse_job(GROUP).job_id != parse_job({**GROUP, "end_seq": 1}).job_id


@given(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=128),
    st.integers(0, 99),
)
def test_a_job_id_is_a_safe_part_of_a_file_name(request_id: str, end_seq: int) -> None:
    job_id = make_job_id(request_id, end_seq)
    assert job_id.isascii()
    assert len(job_id) < 120
    assert not set(job_id) & set('./\\:*?"<>| ')
