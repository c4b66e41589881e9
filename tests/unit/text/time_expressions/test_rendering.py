"""The rewritten sentence reads well: exact outputs."""

from datetime import datetime

import pytest
from historian.text.time_expressions import find_relative, resolve_times

ZH = datetime.fromisoformat("2026-02-21T15:30:00+08:00")
EN = datetime.fromisoformat("2025-07-09T10:15:00-04:00")

CHINESE = [
    ("昨晚通宵打游戏", "2026-02-20 晚上通宵打游戏"),
    ("明早八点在地铁口集合", "2026-02-22 08:00在地铁口集合"),
    ("上个月他换了手机", "2026年1月他换了手机"),
    ("上周末去了九份", "2026-02-14至2026-02-15去了九份"),
    ("从2019年至今一直在维护", "从2019年至2026-02-21一直在维护"),
    ("最近在追番", "2026-02-21前后在追番"),
    ("两年前认识的", "2024年认识的"),
    ("三个月前辞职了", "2025年11月辞职了"),
    ("今年春节没回家", "2026年春节（2026-02-17）没回家"),
    ("去年夏天在青岛", "2025年夏天在青岛"),
    ("月底前搞定", "2026年2月底前搞定"),
    ("这家店开张是去年初", "这家店开张是2025年初"),
    ("去年初\n下个月底", "2025年初\n2026年3月底"),
    ("他结婚是在去年初。", "他结婚是在2025年初。"),
    ("昨天3个人来了", "2026-02-20 3个人来了"),
    ("明天Tom来", "2026-02-22 Tom来"),
    ("v2昨天发布", "v2 2026-02-20发布"),
    ("昨天今天明天都有课", "2026-02-20、2026-02-21、2026-02-22都有课"),
    ("几个月前见过", "2026-02-21的几个月前见过"),
    ("meeting改到tomorrow了", "meeting改到2026-02-22了"),
]

ENGLISH = [
    ("Last month I quit my job", "In June 2025 I quit my job"),
    ("no coffee since last month", "no coffee since June 2025"),
    ("I went hiking yesterday.", "I went hiking on 2025-07-08."),
    ("I'm off on Friday", "I'm off on 2025-07-11"),
    ("Tomorrow is my birthday", "2025-07-10 is my birthday"),
    ("yesterday's deploy broke", "2025-07-08's deploy broke"),
    ("call me tomorrow morning", "call me on the morning of 2025-07-10"),
    ("I got home at 9:30 last night", "I got home at 21:30 on 2025-07-08"),
    ("the meeting is tomorrow at 5pm", "the meeting is at 17:00 on 2025-07-10"),
    ("last weekend she painted", "on the weekend of 2025-07-05 to 2025-07-06 she painted"),
    ("sick for the past three days", "sick for the 3 days from 2025-07-06 to 2025-07-08"),
    ("she recently moved", "she around 2025-07-09 moved"),
    ("a few months ago she moved", "a few months before 2025-07-09 she moved"),
    ("three years ago I swam", "in 2022 I swam"),
    ("rent is due at the end of the month", "rent is due at the end of July 2025"),
    ("last Christmas was fun", "Christmas 2024 (2024-12-25) was fun"),
    ("She now lives in Oslo", "She as of 2025-07-09 lives in Oslo"),
    ("we're moving in next month", "we're moving in in August 2025"),
    ("I checked in yesterday", "I checked in on 2025-07-08"),
    ("he stopped by last night", "he stopped by on the night of 2025-07-08"),
    ("sign by tomorrow, I was told", "sign by 2025-07-10, I was told"),
    ("I was interested in last week's offer", "I was interested in the week of 2025-06-30 to 2025-07-06's offer"),
    ("we spent last Christmas in Rome", "we spent Christmas 2024 (2024-12-25) in Rome"),
    ("what I spent last month", "what I spent in June 2025"),
    ("I took Monday off", "I took 2025-07-07 off"),
    ("we'll be back by next week", "we'll be back by the week of 2025-07-14 to 2025-07-20"),
]


@pytest.mark.parametrize(("text", "written"), CHINESE)
def test_a_chinese_sentence_reads_well_and_is_absolute_afterwards(text: str, written: str) -> None:
    assert resolve_times(text, ZH, "Asia/Shanghai")[0] == written
    assert find_relative(written) == []


@pytest.mark.parametrize(("text", "written"), ENGLISH)
def test_an_english_sentence_reads_well_and_is_absolute_afterwards(text: str, written: str) -> None:
    assert resolve_times(text, EN, "America/New_York")[0] == written
    assert find_relative(written) == []
