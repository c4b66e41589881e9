"""Hours of which nobody said which half of the day is meant stay as they were said; weekdays stand before figures too."""

from datetime import datetime

import pytest
from historian.text.time_expressions import find_relative, resolve_times

SATURDAY = datetime.fromisoformat("2026-02-21T17:30:00+08:00")


def resolved(text: str) -> str:
    once, _ = resolve_times(text, SATURDAY, "Asia/Shanghai")
    assert resolve_times(once, SATURDAY, "Asia/Shanghai")[0] == once, "resolving again changes nothing"
    assert not find_relative(once), once
    return once


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("明天8点打游戏", "2026-02-22 8点打游戏"),
        ("明天八点半打游戏", "2026-02-22 8点半打游戏"),
        ("明天8:30打游戏", "2026-02-22 8:30打游戏"),
        ("明天8点到10点打副本", "2026-02-22 8点至10点打副本"),
        ("上周五九点下班", "2026-02-13 9点下班"),
        ("昨天8点到的家", "2026-02-20 8点到的家"),
        ("dinner at 7 tomorrow", "dinner at 7 on 2026-02-22"),
        ("leaving at 7:30 tomorrow", "leaving at 7:30 on 2026-02-22"),
        ("tomorrow at 8 o'clock we play", "at 8 o'clock on 2026-02-22 we play"),
        ("tomorrow from 8 to 10", "from 8 to 10 on 2026-02-22"),
        ("The party starts on Friday at 8", "The party starts on 2026-02-27 at 8"),
    ],
)
def test_an_hour_of_either_half_of_the_day_stays_as_it_was_said(text: str, expected: str) -> None:
    assert resolved(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("明早8点出发", "2026-02-22 08:00出发"),
        ("明晚8点打游戏", "2026-02-22 20:00打游戏"),
        ("明天20:00打游戏", "2026-02-22 20:00打游戏"),
        ("明天3点开会", "2026-02-22 15:00开会"),
        ("今天8点吃了早饭", "2026-02-21 08:00吃了早饭"),
        ("我七点起床了", "我2026-02-21 07:00起床了"),
        ("明天八点上班", "2026-02-22 08:00上班"),
        ("昨天十点睡的", "2026-02-20 22:00睡的"),
        ("我睡到五点才起", "我睡到2026-02-21 05:00才起"),
        ("I woke up at 5:30", "I woke up at 05:30 on 2026-02-21"),
        ("I went to bed at 11:30 yesterday", "I went to bed at 23:30 on 2026-02-20"),
        ("今天9点一起打游戏", "2026-02-21 21:00一起打游戏"),
        ("tomorrow at 10 am", "at 10:00 on 2026-02-22"),
        ("see you tomorrow at 8 pm", "see you at 20:00 on 2026-02-22"),
        ("Friday 8-10pm we play", "From 20:00 to 22:00 on 2026-02-27 we play"),
    ],
)
def test_an_hour_that_can_be_told_is_written_in_full(text: str, expected: str) -> None:
    assert resolved(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我们周日10:00到12:00开会", "我们2026-02-22 10:00至12:00开会"),
        ("下周日10:00-12:00开会", "2026-03-01 10:00至12:00开会"),
        ("周五20点开黑", "2026-02-27 20:00开黑"),
        ("下周三5个人去爬山", "2026-02-25 5个人去爬山"),
        ("周五3点见", "2026-02-27 15:00见"),
        ("明天7点2人成团", "2026-02-22 7点2人成团"),
        ("The meeting is on Sunday from 10:00 to 12:00", "The meeting is on 2026-02-22 from 10:00 to 12:00"),
    ],
)
def test_a_weekday_is_seen_before_a_figure(text: str, expected: str) -> None:
    assert resolved(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("那改八月十六那个周末", "那改2026-08-16那个周末"),
        ("8月16去杭州", "2026-08-16去杭州"),
        ("三月30人报名", "2026年3月30人报名"),
        ("赔一万八 月底到账", "赔一万八 2026年2月底到账"),
        ("考前一天来我这吃面", "考前一天来我这吃面"),
        ("昨晚四点才睡着", "2026-02-21 04:00才睡着"),
        ("今晚五点吃饭", "2026-02-21 17:00吃饭"),
    ],
)
def test_days_and_hours_as_chats_have_them(text: str, expected: str) -> None:
    assert resolve_times(text, SATURDAY, "Asia/Shanghai")[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("鱼丸霸占了 周五来暖房啊", "鱼丸霸占了 2026-02-27来暖房啊"),
        ("我报名了 顺便说声 十一月可能骑不动", "我报名了 顺便说声 2026年11月可能骑不动"),
        ("买了 周五的票", "买了 2026-02-27的票"),
        ("周五 Alice 来了", "2026-02-20 Alice 来了"),
        ("五一我和阿may约了去大理", "2026年五一（2026-05-01）我和阿may约了去大理"),
        ("三月体检出来结节", "2026年3月体检出来结节"),
    ],
)
def test_a_space_between_chinese_words_ends_a_clause(text: str, expected: str) -> None:
    assert resolve_times(text, SATURDAY, "Asia/Shanghai")[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("日本旅行推迟到五月了", "日本旅行推迟到2026年5月了"),
        ("会议改到周一了", "会议改到2026-02-23了"),
        ("10月11日去北京", "2026-10-11去北京"),
        ("10月11日去了北京", "2025-10-11去了北京"),
        ("The concert is on October 11", "The concert is on 2026-10-11"),
        ("The concert was on October 11", "The concert was on 2025-10-11"),
    ],
)
def test_a_date_without_a_year_looks_where_its_verb_looks(text: str, expected: str) -> None:
    assert resolved(text) == expected
