from historian.service.outage import LONGEST_PAUSE_SECONDS, Interval, Outage


def test_pauses_double_up_to_five_minutes_and_end_with_success() -> None:
    outage = Outage(lambda: 0.5)
    now, pauses = 0.0, []
    for _ in range(12):
        pauses.append(outage.begin(now, "away") - now)
        now = outage.until
    assert pauses[:4] == [1, 2, 4, 8]
    assert max(pauses) == pauses[-1] == LONGEST_PAUSE_SECONDS
    assert outage.active and outage.reason == "away"
    outage.end()
    assert not outage.active and outage.begin(now, "again") - now == 1


def test_failures_of_jobs_that_ran_side_by_side_count_once() -> None:
    outage = Outage(lambda: 0.5)
    first = outage.begin(10, "away")
    assert outage.begin(10.2, "away") == first


def test_a_server_that_names_a_time_is_not_asked_before_it() -> None:
    assert Outage(lambda: 0.0).begin(100, "429", retry_after=60) == 160


def test_a_clock_that_is_set_back_does_not_make_a_pause_longer_than_it_was() -> None:
    outage, day = Outage(lambda: 0.5), 86_400.0
    now = 10 * day
    outage.begin(now, "away")
    assert outage.remaining(now + 0.25) == 0.75
    assert outage.remaining(now - day) == 1.0 and outage.remaining(now - day + 1.0) == 0.0
    assert outage.begin(now - day + 2, "away") - (now - day + 2) == 2, "the second failure is not taken for one of the first"
    outage.end()
    assert outage.remaining(now - 2 * day) == 0.0


def test_what_is_done_at_intervals_is_due_at_once_when_the_clock_is_set_back() -> None:
    interval = Interval(60)
    assert interval.remaining(1000) == 0
    interval.done(1000)
    assert interval.remaining(1010) == 50 and interval.remaining(1060) == 0
    assert interval.remaining(900) == 0
    interval.done(900)
    assert interval.remaining(910) == 50
    interval.again()
    assert interval.remaining(910) == 0
