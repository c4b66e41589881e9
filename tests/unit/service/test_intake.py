"""What a job holds is clean before it lies on disk: texts, names, and a secret that two texts share."""

import time
from collections import deque
from typing import Any

import pytest
from historian.schema.settings import Settings
from historian.service.intake import kept, make_job, redacted, redacted_in_turn, without_spans
from historian.service.recall.articles import spoken_payloads, states_job
from historian.text.redaction import Redaction
from hypothesis import example, given
from hypothesis import strategies as st

KEY = "sk-ant-api03-" + "Aa1Bb2Cc3Dd4" * 4
SETTINGS = Settings.model_validate({"cognitive": {"timezone": "UTC"}})


def test_display_names_are_redacted_and_ids_stay() -> None:
    given = {
        "action_summary": "I wrote to her",
        "user_id": "1001",
        "group_id": "7001",
        "bot_id": "b-1",
        "request_id": "message-5071",
        **{"user_name": f"Ann {KEY}", "group_name": f"Club {KEY}", "bot_name": f"Clio {KEY}"},
        "recent_messages": [
            {"sender_id": "1002", "sender_name": f"Ben {KEY}", "text": "hello", "at": f"noon {KEY}"}
        ],
    }
    job = redacted(make_job(given, SETTINGS, lambda: 0.0), "secrets")
    assert KEY not in job.to_json()
    assert (job.user_name, job.group_name, job.bot_name) == (
        "Ann [API_KEY]",
        "Club [API_KEY]",
        "Clio [API_KEY]",
    )
    message = job.recent_messages[0]
    assert (message.sender_id, message.sender_name, message.text) == (
        "1002",
        "Ben [API_KEY]",
        "hello",
    )
    assert (job.user_id, job.group_id, job.bot_id, job.request_id) == (
        "1001",
        "7001",
        "b-1",
        "message-5071",
    )


@pytest.mark.parametrize("kind", ["remember", "edit", "index", "states"])
def test_what_comes_in_fields_that_no_kind_reads_is_redacted_too(kind: str) -> None:
    payload: dict[str, Any] = {
        "text": f"key {KEY}",
        "more": {"password": "hunter22", "list": [KEY]},
        "event_id": "e-1:0",
    }
    if kind == "states":
        payload = {"states": [{"role": "user", "text": "hello", "at": f"noon {KEY}"}]}
    given = {
        "kind": kind,
        "new_info": "She called",
        "user_id": "1",
        "last_error": f"HTTP 401: {KEY}",
        "payload": payload,
    }
    job = redacted(make_job(given, SETTINGS, lambda: 0.0), "secrets")
    assert KEY not in job.to_json() and "hunter22" not in job.to_json()
    assert job.payload.get("event_id") == (None if kind == "states" else "e-1:0")


def test_names_follow_the_level_of_jobs() -> None:
    job = make_job(
        {"new_info": "She called", "user_id": "1", "user_name": "Ann ann@example.org"},
        SETTINGS,
        lambda: 0.0,
    )
    assert (
        redacted(job, "none").user_name
        == redacted(job, "secrets").user_name
        == "Ann ann@example.org"
    )
    assert redacted(job, "all").user_name == "Ann [EMAIL]"


def test_names_that_come_with_states_are_redacted() -> None:
    fields = {"user_name": f"Ann {KEY}", "bot_name": f"Clio {KEY}", "group_name": KEY}
    job = states_job(
        "hello", "1", None, SETTINGS, lambda: 0.0, threshold=None, reflect=False, fields=fields
    )
    assert job is not None and KEY not in job.to_json() and job.user_name == "Ann [API_KEY]"


def test_a_secret_told_in_two_statements_is_found() -> None:
    assert redacted_in_turn(["my password is", "Hk2!pplmq93x"], "secrets") == [
        "my password is",
        "[PASSWORD]",
    ]
    assert redacted_in_turn(["她的密码是", "Hk2pplmq93x", "她喜欢科幻"], "secrets") == [
        "她的密码是",
        "[PASSWORD]",
        "她喜欢科幻",
    ]
    assert (
        redacted_in_turn(["I asked: what is your password?", "", "Hk2pplmq93x"], "secrets")[2]
        == "[PASSWORD]"
    )


def test_a_key_block_over_several_statements_leaves_one_placeholder() -> None:
    block = [
        "She sent -----BEGIN RSA PRIVATE KEY-----",
        "MIIEpAIBAAKCAQEA1234567890abcdef",
        "-----END RSA PRIVATE KEY-----",
    ]
    assert redacted_in_turn([*block, "She likes tea"], "secrets") == [
        "She sent [PRIVATE_KEY]",
        "",
        "",
        "She likes tea",
    ]
    job = make_job({"new_info": [*block, "She likes tea"], "user_id": "1"}, SETTINGS, lambda: 0.0)
    assert redacted(job, "secrets").new_info == ["She sent [PRIVATE_KEY]", "She likes tea"]


def test_statements_that_share_no_secret_stay_as_they_are() -> None:
    texts = [
        "She forgot her password",
        "Ben likes tea",
        "她改了密码",
        "2026-02-19 去了北京",
        "",
        "138",
        "0013",
        "8000",
    ]
    assert redacted_in_turn(texts, "all") == texts
    assert redacted_in_turn(["my password is", "Hk2!pplmq93x"], "none") == [
        "my password is",
        "Hk2!pplmq93x",
    ]
    once = redacted_in_turn(["Cookie: sessionid=8asd7f6a9s8d7f6a8s7df", "She likes tea"], "secrets")
    assert once == ["Cookie: [COOKIE]", "She likes tea"] == redacted_in_turn(once, "secrets")


def test_a_secret_told_in_two_messages_is_found() -> None:
    messages = [
        {"role": "assistant", "content": "What is your password?"},
        {"role": "user", "content": "Hk2pplmq93x"},
    ]
    assert [one.text for one in spoken_payloads(messages)] == [
        "What is your password?",
        "[PASSWORD]",
    ]
    recent = [{"text": "my password is"}, {"text": "Hk2!pplmq93x"}]
    job = make_job(
        {"new_info": "x", "user_id": "1", "recent_messages": recent}, SETTINGS, lambda: 0.0
    )
    assert redacted(job, "secrets").recent_messages[1].text == "[PASSWORD]"
    given = {
        "action_summary": "I asked for her password:",
        "new_info": "Hk2pplmq93x",
        "user_id": "1",
    }
    assert redacted(make_job(given, SETTINGS, lambda: 0.0), "secrets").new_info == ["[PASSWORD]"]


def test_the_text_of_an_order_and_states_are_redacted_too() -> None:
    payload = {"event_id": "e", "text": f"it is {KEY}"}
    order = make_job({"kind": "edit", "user_id": "1", "payload": payload}, SETTINGS, lambda: 0.0)
    assert redacted(order, "secrets").payload == {"event_id": "e", "text": "it is [API_KEY]"}
    said = {"states": [{"role": "user", "text": f"it is {KEY}", "name": "ann@example.org"}]}
    states = make_job({"kind": "states", "user_id": "1", "payload": said}, SETTINGS, lambda: 0.0)
    (state,) = redacted(states, "secrets").payload["states"]
    assert (state["text"], state["name"]) == ("it is [API_KEY]", "[EMAIL]")


@example(texts=["", "", ""], cuts={0, 2}, gap=1)
@given(
    st.lists(st.text("ab ", max_size=6), max_size=6),
    st.sets(st.integers(0, 40), max_size=6),
    st.integers(1, 2),
)
def test_spans_over_several_texts_are_cut_out_as_from_one(
    texts: list[str], cuts: set[int], gap: int
) -> None:
    joined = (gap * "|").join(texts)
    ends = sorted(cut for cut in cuts if cut <= len(joined))
    spans = [Redaction(one, two, "TOKEN") for one, two in zip(ends[::2], ends[1::2], strict=False)]
    kept = ""
    for at, letter in enumerate(joined):
        kept += (
            letter
            if letter != "|" and not any(span.start <= at < span.end for span in spans)
            else ""
        )
    letters = [n for n, letter in enumerate(joined) if letter != "|"]
    labelled = sum(any(span.start <= n < span.end for n in letters) for span in spans)
    left = without_spans(texts, spans, gap)
    assert len(left) == len(texts)
    assert (
        "".join(left).replace("[TOKEN]", "") == kept and "".join(left).count("[TOKEN]") == labelled
    )


def test_time_grows_with_the_texts() -> None:
    texts = ["my token is", "ghp_0123456789abcdefghijABCDEFGHIJ456789"] * 500
    started = time.thread_time()
    assert redacted_in_turn(texts, "all") == ["my token is", "[TOKEN]"] * 500
    assert time.thread_time() - started < 5


@pytest.mark.parametrize("buffer", [["one"], deque(["one"], maxlen=20)])
def test_a_bots_buffer_may_go_on_being_filled_while_a_thread_reads_it(buffer: Any) -> None:
    handed_over = kept(buffer)
    buffer.append("two")
    assert handed_over == ["one"]
