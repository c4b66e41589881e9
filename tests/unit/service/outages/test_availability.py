import sys

import pytest
from historian.service.outages import availability
from historian.service.outages.availability import (
    LONGEST_PAUSE_SECONDS,
    LONGEST_RETRY_AFTER_SECONDS,
    Outage,
    Pause,
)

DAY = 86_400.0


elapsed = 1_000.0


@pytest.fixture(autouse=True)
def standing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The monotonic clock does not go unless a test sets it, so that the other one decides."""
    monkeypatch.setattr(sys.modules[__name__], "elapsed", 1_000.0)
    monkeypatch.setattr(availability, "monotonic", lambda: elapsed)
    monkeypatch.setattr(availability, "jitter", lambda: 1.0)


def test_pauses_double_up_to_five_minutes_and_end_with_success() -> None:
    outage = Outage()
    now, pauses = 0.0, []
    for _ in range(12):
        pauses.append(outage.begin(now, "away"))
        assert outage.remaining(now) == pauses[-1]
        now += pauses[-1]
        assert outage.remaining(now) == 0
    assert pauses[:4] == [1, 2, 4, 8]
    assert max(pauses) == pauses[-1] == LONGEST_PAUSE_SECONDS
    assert outage.active and outage.reason == "away"
    outage.end()
    assert not outage.active and outage.begin(now, "again") == 1


def test_an_outage_of_days_goes_on_being_tried() -> None:
    outage = Outage()
    now = 0.0
    for _ in range(1_100):
        now += outage.begin(now, "away")
    assert outage.begin(now, "away") == LONGEST_PAUSE_SECONDS


def test_failures_of_jobs_that_ran_side_by_side_count_once() -> None:
    outage = Outage()
    assert outage.begin(10, "away") == 1
    assert outage.begin(10.25, "away") == 0.75
    assert outage.remaining(10.25) == 0.75


def test_a_server_that_names_a_time_is_not_asked_before_it() -> None:
    assert Outage().begin(100, "429", retry_after=60) == 60


def test_a_server_that_names_a_day_is_asked_after_ten_minutes() -> None:
    assert Outage().begin(100, "429", retry_after=DAY) == LONGEST_RETRY_AFTER_SECONDS == 600


def test_a_clock_that_goes_back_a_day_makes_no_pause_a_day_long() -> None:
    global elapsed
    outage = Outage()
    now = 10 * DAY
    outage.begin(now, "away")
    now -= DAY
    elapsed += 0.25
    assert outage.remaining(now) == 0.75
    elapsed += 0.75
    assert outage.remaining(now) == 0
    assert outage.begin(now, "away") == 2


def test_a_clock_that_goes_forward_ends_a_pause_and_one_that_was_never_begun_is_over() -> None:
    pause = Pause()
    assert pause.remaining(0) == 0
    pause.begin(100, 60)
    assert pause.remaining(130) == 30
    assert pause.remaining(DAY) == 0
    pause.begin(100, 60)
    pause.end()
    assert pause.remaining(100) == 0
