"""Where an expression ends: resolved as a whole, or left as it was said and reported."""

from __future__ import annotations

from datetime import datetime

import pytest
from historian.text.gate import find_relative_words
from historian.text.time_expressions import resolve_times

AT = datetime.fromisoformat("2026-02-21T12:00:00+08:00")


def resolved(text: str) -> tuple[str, list[str]]:
    """The text after resolution, and the times that the gate still reports in it."""
    after, _ = resolve_times(text, AT, "Asia/Shanghai")
    return after, [found.text for found in find_relative_words(after).violations if found.kind == "time"]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("The deadline is EOD Friday", "The deadline is EOD 2026-02-27"),
        ("The report is due by end of day Friday", "The report is due by end of day on 2026-02-27"),
        ("Tom lost it a couple of days ago", "Tom lost it a couple of days before 2026-02-21"),
        ("Tom left 1 month 2 days 2 hours 30 mins ago", "Tom left at 09:30 on 2026-01-19"),
        ("Ann moves within the upcoming 5 years 1 month 12 days", "Ann moves within 2026-02-22 to 2031-04-02"),
        ("Ann left the day before last Friday", "Ann left on 2026-02-12"),
        ("Tom comes in two or three weeks", "Tom comes two or three weeks after 2026-02-21"),
        ("Tom came seven or eight days ago", "Tom came seven or eight days before 2026-02-21"),
        ("Tom plays half eight on Wednesday night", "Tom plays at 20:30 on 2026-02-25"),
        ("Tom worked 12 hours yesterday", "Tom worked 12 hours on 2026-02-20"),
        ("We met Friday before noon", "We met on 2026-02-20 before noon"),
        ("小林下年9月去日本", "小林2027年9月去日本"),
        ("小林的婚礼要在10月12号，星期一办", "小林的婚礼要在2026-10-12办"),
        ("小林三五天后到", "小林2026-02-21的三五天后到"),
        ("小林6月20日前两天回家", "小林2026-06-18回家"),
        ("小林上周五的前一天来过", "小林2026-02-12来过"),
        ("小林中秋后第三天回来", "小林2026-09-28回来"),
        ("小林2月26日晚八点半要开会", "小林2026-02-26 20:30要开会"),
    ],
)
def test_a_whole_expression_is_resolved(text: str, after: str) -> None:
    assert resolved(text) == (after, [])


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("遗嘱要注明年月日", "遗嘱要注明年月日"),
        ("签名并写明日期", "签名并写明日期"),
        ("表里有说明天数", "表里有说明天数"),
        ("小林带了透明年糕", "小林带了透明年糕"),
        ("小林在写婚前年薪", "小林在写婚前年薪"),
        ("小林去年检", "小林去年检"),
        ("小林用上月卡", "小林用上月卡"),
        ("小林拿下周冠军杯", "小林拿2026-02-23至2026-03-01冠军杯"),
        ("小林说明天去北京", "小林说2026-02-22去北京"),
        ("小林说明天气温会降", "小林说2026-02-22气温会降"),
        ("论文明天要交", "论文2026-02-22要交"),
        ("小林要在楼下周一开会", "小林要在楼下2026-02-23开会"),
        ("小林没赶上周末的车", "小林没赶上2026-02-21至2026-02-22的车"),
        ("小林生日本周六过", "小林生日2026-02-21过"),
    ],
)
def test_a_word_of_time_is_not_cut_out_of_longer_words(text: str, after: str) -> None:
    assert resolved(text)[0] == after


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("除夕前一天到家，票抢到了", "2027-02-04到家，票抢到了"),
        ("除夕小林回了老家", "2026年除夕（2026-02-16）小林回了老家"),
        ("2026-02-24就出发，除夕应该能赶上", "2026-02-24就出发，除夕应该能赶上"),
        ("后天就出发，国庆应该能赶上", "2026-02-23就出发，2026年国庆（2026-10-01）应该能赶上"),
        ("明天建军节，订了包间", "2026-02-22建军节，订了包间"),
        ("立夏要吃蛋", "2026年立夏（2026-05-05）要吃蛋"),
        ("明天就是除夕，要贴对联", "2026-02-22就是除夕，要贴对联"),
        ("On Anzac Day Tom will march", "On Anzac Day 2026 (2026-04-25) Tom will march"),
    ],
)
def test_a_feast_is_the_one_ahead_unless_its_clause_is_past_and_a_name_beside_its_day(text: str, after: str) -> None:
    assert resolved(text) == (after, [])


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("十五号之前还信用卡，帮我记死了", "2026-03-15之前还信用卡，帮我记死了"),
        ("十五号之前就还清了", "2026-02-15之前就还清了"),
        ("Rent is due before the 5th", "Rent is due before 2026-03-05"),
        ("Tom left before the 5th", "Tom left before 2026-02-05"),
        ("In three weeks the pool reopens, got me goggles", "Around 2026-03-14 the pool reopens, got me goggles"),
        ("周六聚餐，订好位子了", "2026-02-21聚餐，订好位子了"),
        ("周一不去了", "2026-02-23不去了"),
        ("年三十在婆家过，要包饺子", "2027年年三十（2027-02-05）在婆家过，要包饺子"),
        ("周一不小心摔了一跤", "2026-02-16不小心摔了一跤"),
        ("Tom's meeting moved to Wednesday", "Tom's meeting moved to 2026-02-25"),
        ("尋日小林休息", "2026-02-20小林休息"),
        ("小林爱听日语歌", "小林爱听日语歌"),
    ],
)
def test_what_is_done_for_a_day_or_due_by_it_leaves_it_ahead(text: str, after: str) -> None:
    assert resolved(text)[0] == after


def test_a_part_of_today_that_is_over_is_that_of_next_week() -> None:
    monday = datetime.fromisoformat("2026-06-22T13:30:00+08:00")
    assert resolve_times("See you Monday morning", monday, "Asia/Shanghai")[0] == "See you on the morning of 2026-06-29"
    assert resolve_times("周一晚上见", monday, "Asia/Shanghai")[0] == "2026-06-22 晚上见"
    assert resolve_times("Mon 9am call", monday, "Asia/Shanghai")[0] == "At 09:00 on 2026-06-29 call"


def test_this_weekend_is_the_coming_one_unless_its_own_clause_is_past() -> None:
    monday = datetime.fromisoformat("2026-06-22T13:30:00+08:00")
    for text, after in (
        ("这周末同学从成都过来，求推荐吃的", "2026-06-27至2026-06-28同学从成都过来，求推荐吃的"),
        ("这周末去爬山了", "2026-06-20至2026-06-21去爬山了"),
        ("Tom visits this weekend, I bought snacks", "Tom visits on the weekend of 2026-06-27 to 2026-06-28, I bought snacks"),
    ):
        assert resolve_times(text, monday, "Asia/Shanghai")[0] == after


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("Ann marries on the fifth last day of May", "fifth last day of May"),
        ("Tom comes friday after next", "friday after next"),
        ("Tom will be here this week-end", "this week-end"),
        ("Tom paid last Monday April", "last Monday April"),
        ("The Friday after Thanksgiving Tom's shop opens", "The Friday after Thanksgiving"),
        ("Tom's cast is off a fortnight tomorrow", "a fortnight tomorrow"),
        ("A week on Thursday Tom has the scan", "A week on Thursday"),
        ("The weekend after next Tom's up a mountain", "The weekend after next"),
        ("Ann will come on Monday, March 4", "Monday, March 4"),
        ("Tom had called the day before", "the day before"),
        ("Ann moved to Rome in the fall", "the fall"),
        ("小林国庆后的第一个周末补班", "国庆后的第一个周末"),
        ("小林大上个月提了离职", "大上个月"),
        ("从9月18日算起第十天小林交样衣", "9月18日算起第十天"),
        ("小林的婚礼在10月14号，星期一", "10月14号，星期一"),
        ("前一天小林还好好的", "前一天"),
        ("高考前一天小林去看考场", "前一天"),
        ("小林婚礼前一晚没睡", "前一晚"),
        ("小林面试的前一天晚上没睡", "前一天晚上"),
        ("Tom slept badly the night before his wedding", "the night before his wedding"),
        ("小林下学期换宿舍", "下学期"),
        ("小林初八开工", "初八"),
        ("小林3月5、6号出差", "3月5、6号"),
        ("小林3月5号和8号出差", "3月5号和8号"),
        ("小林上个暑假去打工", "上个暑假"),
        ("小林暑假打算去海边", "暑假"),
        ("小林年内不换工作", "年内"),
        ("小林28号生日", "28号"),
        ("离高考还有三天", "离高考还有三天"),
        ("小林年后辞职", "年后"),
        ("小林24号到货", "24号"),
        ("Tom's results come out on the 18th", "the 18th"),
        ("Tom leaves the weekend after this one", "the weekend after this one"),
        ("Only three weeks until Tom's wedding", "three weeks until"),
        ("On Diwali Ann lights the lamps", "Diwali"),
        ("除夕小林全家坐高铁回赣州", "除夕"),
        ("小林下周五端午回来", "下周五端午"),
        ("小林怀孕了 九月生", "九月"),
        ("小史记录了周五出勤", "周五"),
    ],
)
def test_what_is_not_understood_as_a_whole_stays_and_is_reported(text: str, expression: str) -> None:
    assert resolved(text) == (text, [expression])


@pytest.mark.parametrize(
    "text",
    [
        "Our hamster is called Sunday",
        "Tom visits every second Wednesday",
        "Tom loves Christmas",
        "On 2026-02-10 Tom left and had called the day before",
        "三月这姑娘没带伞",
        "小林喜欢春节",
        "小林2026-02-10前两天回家了",
        "小林每次考试前一天都失眠",
        "小林每年今天都去扫墓",
        "明日复明日，小林还没写完",
        "小林周一综合症又犯了",
        "小林下午茶点了奶茶",
        "Tom's dog's name is Friday",
        "小林手里还有三天年假",
        "Friday night is pizza night at Tom's",
        "Tom always eats pasta the night before the match",
        "Tom's band is called Last Tuesday",
        "Tom plays in our band Next Friday",
        "On Tuesday 2026-02-10 Doris Day sang",
        "Tom has put in six years at the bank",
    ],
)
def test_names_habits_and_what_is_counted_from_a_date_stay_and_pass(text: str) -> None:
    assert resolved(text) == (text, [])
