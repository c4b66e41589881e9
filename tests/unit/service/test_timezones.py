"""In which time zone something is meant that was handed over."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from historian.schema.settings import Settings
from historian.service import timezones as local_time
from historian.service.intake import make_job
from historian.service.timezones import told_timezone

LOCAL_TIMEZONE = local_time.local_timezone


@pytest.fixture(autouse=True)
def container_on_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_time, "local_timezone", lambda: "UTC")


@pytest.mark.parametrize(
    ("timestamp", "zone"),
    [
        ("2026-02-21T17:30:00+08:00", "Etc/GMT-8"),
        ("2026-02-21T17:30:00-05:00", "Etc/GMT+5"),
        (datetime(2026, 2, 21, 17, 30, tzinfo=ZoneInfo("Asia/Shanghai")), "Etc/GMT-8"),
        ("2026-02-21T17:30:00Z", "UTC"),
        ("2026-02-21T17:30:00+05:30", "UTC"),
        ("2026-02-21T17:30:00+15:00", "UTC"),
        ("2026-02-21T17:30:00", "UTC"),
        ("yesterday", "UTC"),
        ("", "UTC"),
        (None, "UTC"),
        (12, "UTC"),
        ("0001-01-01T00:00:00+08:00", "UTC"),
    ],
)
def test_a_timestamp_tells_its_zone_where_the_machine_has_another(
    timestamp: object, zone: str
) -> None:
    assert told_timezone("local", timestamp) == zone


def test_what_is_configured_wins() -> None:
    assert told_timezone("Asia/Tokyo", "2026-02-21T17:30:00+08:00") == "Asia/Tokyo"


def test_a_machine_in_the_zone_keeps_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_time, "local_timezone", lambda: "Asia/Shanghai")
    assert told_timezone("local", "2026-02-21T17:30:00+08:00") == "Asia/Shanghai"
    assert told_timezone("local", "2026-02-21T09:30:00Z") == "Asia/Shanghai"


def test_a_job_is_of_the_zone_of_its_timestamp() -> None:
    told = {"new_info": ["x"], "user_id": "1", "timestamp": "2026-02-21T00:30:00+08:00"}
    job = make_job(told, Settings(), lambda: 0.0)
    assert job.timezone == "Etc/GMT-8" and job.moment.day == 21
    assert make_job({**told, "timezone": "UTC"}, Settings(), lambda: 0.0).moment.day == 20


@pytest.mark.parametrize("name", ["Mars/Olympus", "", None, "/etc/localtime"])
def test_a_machine_without_a_zone_runs_on_utc_and_says_so_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str | None
) -> None:
    local_time.warn_of_no_zone.cache_clear()
    monkeypatch.setattr("tzlocal.get_localzone_name", lambda: name)
    assert LOCAL_TIMEZONE() == LOCAL_TIMEZONE() == "UTC"
    (told,) = caplog.messages
    assert "UTC is assumed; set cognitive.timezone" in told


def test_an_error_that_says_nothing_of_time_zones_is_not_swallowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken() -> str:
        raise RuntimeError("broken")

    monkeypatch.setattr("tzlocal.get_localzone_name", broken)
    with pytest.raises(RuntimeError):
        LOCAL_TIMEZONE()
