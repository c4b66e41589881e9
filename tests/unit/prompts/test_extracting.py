"""Which statements of a model are believed to be what a message says."""

from __future__ import annotations

from pathlib import Path

import pytest
from historian.prompts.extracting import Extracted, Told, believed, why_not_told
from historian.schema.job import Job
from historian.schema.names import Names
from historian.service.intake import make_job
from historian.text.job_drafts import names_of
from support.memory import settings_for

SETTINGS = settings_for(Path("/nowhere"))


def message(n: int, who: str, text: str, at: str, role: str = "user") -> Job:
    fields = {
        "request_id": f"m{n}",
        "user_id": who.lower(),
        "user_name": who,
        "group_id": "g",
        "bot_name": "Clio",
        "timestamp": at,
    }
    return make_job({**fields, "kind": "talk", "payload": {"text": text, "role": role}}, SETTINGS, lambda: 0.0)


def told(statement: str, *said: tuple[str, str], at: str = "2026-02-21T09:30:00+08:00") -> list[str]:
    """Return what is believed of a statement that a model says the last message tells; the others were said the day before."""
    before = [message(n, *one, "2026-02-20T23:50:00+08:00") for n, one in enumerate(said[:-1])]
    jobs = [*before, message(len(said), *said[-1], at)]
    answer = Extracted(statements=[Told(message=len(jobs), speaker=said[-1][0], statement=statement)])
    kept, _ = believed(answer, jobs, [names_of(job, SETTINGS) for job in jobs], "en")
    return kept[-1]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("I sold my boat", [("Bob", "Is your boat sold?"), ("Ann", "sold it")]),
        ("the Lantern's $300 is triple what we got", [("Bob", "the Lantern pays $300"), ("Ann", "thats triple what we got")]),
        ("my brother Max is a nurse", [("Ann", "Max is my brother"), ("Bob", "nice"), ("Ann", "he is a nurse")]),
    ],
)
def test_a_statement_is_completed_by_the_messages_around(statement: str, said: list[tuple[str, str]]) -> None:
    assert told(statement, *said) == [statement]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("I was diagnosed with asthma in 2019", [("Bob", "I was diagnosed with asthma in 2019"), ("Ann", "🙏")]),
        ("my wife is pregnant", [("Bob", "my wife is pregnant"), ("Ann", "wow, pregnant!")]),
        (
            "I'm going to the dentist tomorrow",
            [("Bob", "are you going to the dentist tomorrow?"), ("Ann", "going to the dentist yes")],
        ),
        ("I am a nurse in Perth", [("Bob", "hello"), ("Ann", "")]),
    ],
)
def test_what_another_told_or_meant_of_another_day_is_not_believed(statement: str, said: list[tuple[str, str]]) -> None:
    assert told(statement, *said) == []


@pytest.mark.parametrize(
    ("statement", "message", "why"),
    [
        ("我周日把船卖了", "周日卖了", ""),
        ("我来打羽毛球", "来", "not said"),
        ("第三家装修公司报价18.6万", "18.6万吧", ""),
        ("我的船漏水", "周日卖了", "not said"),
        ("我周日把游艇卖给了老王", "周日卖了", "not said"),
        ("我周日把船卖了20万", "周日卖了", "invented"),
    ],
)
def test_what_a_message_leaves_out_may_be_put_in_from_the_talk(statement: str, message: str, why: str) -> None:
    talk = f"你那条船卖了没\n明天打羽毛球，谁来？\n第三家装修公司报价多少\n{message}"
    assert why_not_told(statement, message, Names(user_name="阿凯", user_id="7"), talk) == why
