from historian.service.outage import LONGEST_PAUSE_SECONDS, Outage


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
