"""What requests to forget promise in both engines. `opened()` opens the same requests again, as another process would."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from historian.schema.entity import Entity
from historian.schema.errors import StorageError
from historian.schema.forgetting import ForgetReport, ForgetRequest
from historian.service.entity_data.byte_scan import forms
from historian.stores.sqlite.queue import open_queue_file
from historian.stores.tables.engine import Database
from historian.stores.tables.forget_requests import ForgetRequestTable
from support.postgres import Schema

ANN, CLIMBERS = Entity("user", "42"), Entity("group", "42")
REQUEST = ForgetRequest(ANN, 1_771_000_000.25, texts=("one",), moments=(("g:7", 1.5),))
REPORT = ForgetReport(
    ANN.key,
    removed={"events": 3},
    mentions=(("profiles", "group 7"),),
    left=("events: byte 3",),
    too_short=1,
)
OpenRequests = Callable[[], ForgetRequestTable]


@pytest.fixture(params=["sqlite", "postgres"])
def database(
    request: pytest.FixtureRequest, tmp_path: Path, schema: Schema
) -> Callable[[], Database]:
    if request.param == "sqlite":
        return lambda: open_queue_file(tmp_path / "queue.sqlite")
    return schema.open


@pytest.fixture
def opened(database: Callable[[], Database]) -> OpenRequests:
    def open_anew() -> ForgetRequestTable:
        its = database()
        return ForgetRequestTable(lambda: its)

    return open_anew


def test_a_request_is_seen_by_every_process_until_it_is_answered(opened: OpenRequests) -> None:
    assert not opened().waiting() and opened().all() == [] and opened().stages() == {}
    opened().ask(REQUEST)
    opened().ask(ForgetRequest(CLIMBERS, 5.0))
    requests = opened()
    assert requests.waiting() and set(requests.all()) == {REQUEST, ForgetRequest(CLIMBERS, 5.0)}
    assert (
        requests.stages() == {"user:42": "waiting", "group:42": "waiting"}
        and requests.stage_of(ANN) == "waiting"
    )
    assert requests.take_answer(ANN) is None
    assert requests.answer(REQUEST, REPORT)
    assert requests.stages() == {"group:42": "waiting"} and requests.stage_of(ANN) == ""
    assert opened().take_answer(ANN) == REPORT and opened().take_answer(ANN) is None


def test_a_report_that_nobody_read_is_dropped_and_one_whose_request_stands_is_not(
    opened: OpenRequests,
) -> None:
    opened().ask(REQUEST)
    opened().ask(ForgetRequest(CLIMBERS, 5.0))
    assert opened().answer(REQUEST, REPORT)
    opened().drop_unread()
    assert opened().take_answer(ANN) is None and opened().stages() == {"group:42": "waiting"}


@pytest.mark.parametrize("lost", ["mentions", "texts", "names", "job_ids", "moments", "until"])
def test_a_request_that_lacks_what_was_found_is_refused(
    database: Callable[[], Database], lost: str
) -> None:
    its = database()
    requests = ForgetRequestTable(lambda: its)
    requests.ask(REQUEST)
    (body,) = its.row("SELECT body FROM forget_requests")
    left = {name: value for name, value in json.loads(body).items() if name != lost}
    its.run("UPDATE forget_requests SET body = %s", (json.dumps(left),))
    with pytest.raises(StorageError, match=rf"the stored request to forget[^;]*{lost}"):
        requests.all()


def test_no_form_of_a_text_that_was_found_stands_in_the_database(
    database: Callable[[], Database],
) -> None:
    its = database()
    ForgetRequestTable(lambda: its).ask(replace(REQUEST, texts=("阿橘在银杏树上睡着了",)))
    stored = "".join(
        str(row)
        for table in ("forget_requests", "forget_known")
        for row in its.rows(f"SELECT * FROM {table}")
    )
    assert not any(form.decode() in stored for form in forms("阿橘在银杏树上睡着了"))
    assert ForgetRequestTable(lambda: its).all()[0].texts == ("阿橘在银杏树上睡着了",)


@pytest.mark.parametrize("lost", ["mentions", "left", "unread"])
def test_a_report_that_does_not_tell_what_was_left_is_no_report(lost: str) -> None:
    with pytest.raises(ValueError, match=lost):
        ForgetReport.from_dict(
            {name: value for name, value in REPORT.as_dict().items() if name != lost}
        )


def test_what_is_found_and_how_far_it_is_outlives_who_carries_it_out(opened: OpenRequests) -> None:
    opened().ask(REQUEST)
    opened().note(
        ANN,
        {"texts": ["two", "one"], "names": ["Ann"], "job_ids": ["j-1"], "moments": [("p:42", 2.5)]},
    )
    opened().note(ANN, {"texts": ["three"]})
    assert opened().advance(REQUEST, "deleting", last_rows=[1 << 40, 7])
    assert opened().advance(REQUEST, "erasing")
    (found,) = opened().all()
    assert (found.stage, found.last_rows) == ("erasing", (1 << 40, 7))
    assert (
        set(found.texts) == {"one", "two", "three"}
        and found.names == ("Ann",)
        and found.job_ids == ("j-1",)
    )
    assert set(found.moments) == {("g:7", 1.5), ("p:42", 2.5)}
    assert opened().answer(REQUEST, REPORT) and not opened().waiting()
    opened().ask(replace(REQUEST, texts=(), moments=()))
    assert opened().all() == [replace(REQUEST, texts=(), moments=())], (
        "what was known of an earlier request is gone"
    )


def test_asking_again_begins_anew_and_keeps_what_was_found(opened: OpenRequests) -> None:
    requests = opened()
    requests.ask(REQUEST)
    requests.note(ANN, {"names": ["Ann"]})
    assert requests.advance(REQUEST, "deleting", last_rows=[7])
    later = replace(REQUEST, until=REQUEST.until + 10, mentions=True, texts=("four",))
    requests.ask(later)
    requests.ask(replace(REQUEST, until=1.0, texts=()))
    (found,) = requests.all()
    assert (found.until, found.mentions, found.stage, found.last_rows) == (
        later.until,
        True,
        "waiting",
        (),
    )
    assert set(found.texts) == {"one", "four"} and found.names == ("Ann",)
    assert not requests.advance(REQUEST, "erasing") and not requests.answer(REQUEST, REPORT), (
        "of the request as it was"
    )
    assert requests.advance(later, "erasing") and requests.answer(later, REPORT)
    requests.ask(REQUEST)
    assert requests.take_answer(ANN) is None, "the former answer is none to this request"
