"""Profiles by rules: which facts become lines, and what stands after hundreds of passing ones."""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path

import pytest
from historian.nodes.historian.profile_rules import merged_by_rules
from historian.prompts.merging import NewFact
from historian.schema.graph_states.historian import ItemState
from historian.schema.profile import Profile, ProfileKey
from historian.service.intake import make_job
from historian.text.job_verdicts import by_rules, language_of, names_of
from historian.text.speakers.borne_names import NamedPeople
from support.memory import group_fields, settings_for

SETTINGS = settings_for(Path("/nowhere"))
USER, GROUP = ProfileKey("user", "42"), ProfileKey("group", "100")


def told(profile: Profile, fact: str, day: str, name: str, source: str = "e:0") -> Profile:
    """Return the profile after one hand-over."""
    job = make_job(
        group_fields(new_info=[fact], user_name=name, timestamp=f"{day}T12:00:00+08:00"),
        SETTINGS,
        lambda: 0.0,
    )
    facts = [
        NewFact(
            item["candidate"],
            passed=item["passed"],
            event_id=source,
            day=day,
            dated=item["dated"],
            is_open=is_unsure_whom(item),
        )
        for item in by_rules(job, SETTINGS)
        if item["kind"] == "fact"
    ]
    people, names = NamedPeople.of_job(job), names_of(job, SETTINGS)
    return merged_by_rules(facts, profile, people, names, language_of(job, SETTINGS))


def is_unsure_whom(item: ItemState) -> bool:
    return all(one["kind"] == "reference" for one in item["violations"])


@pytest.mark.parametrize(
    ("fact", "name", "lines"),
    [
        ("Ann is allergic to penicillin", "Ann", [("health", "Ann is allergic to penicillin")]),
        ("I live in Leeds", "Ann", [("home", "Ann lives in Leeds")]),
        ("昨天我搬到了杭州", "阿明", [("home", "2026-02-20阿明搬到了杭州")]),
        ("阿明喜欢茶", "阿明", [("taste", "阿明喜欢茶")]),
        ("我养了一只叫阿橘的猫", "阿明", [("relation", "阿明养了一只叫阿橘的猫")]),
        ("Ann is hungry", "Ann", []),
        ("Ann bought milk", "Ann", []),
        ("阿明在机场", "阿明", []),
        ("明天阿明要考试", "阿明", []),
        ("小王喜欢茶", "阿明", []),
        ("如果阿明住在杭州就好了", "阿明", []),
    ],
)
def test_a_lasting_fact_about_the_user_becomes_a_line_of_its_kind(
    fact: str, name: str, lines: list[tuple[str, str]]
) -> None:
    profile = told(Profile(USER), fact, "2026-02-21", name)
    assert [(one.kind, one.text) for one in profile.lines] == lines
    assert all((one.last_day, one.evidence) == ("2026-02-21", ("e:0",)) for one in profile.lines)


@pytest.mark.parametrize(
    ("fact", "count"),
    [("大家每周日晚上打球", 1), ("Everyone speaks Polish", 1), ("大家饿了", 0), ("阿明喜欢茶", 0)],
)
def test_a_lasting_fact_about_all_members_becomes_a_line_of_the_group(
    fact: str, count: int
) -> None:
    assert len(told(Profile(GROUP), fact, "2026-02-21", "阿明").lines) == count


LASTING = {
    "Ann": [
        "Ann is allergic to penicillin",
        "Ann has asthma",
        "Ann takes 50 mg of sertraline",
        "Ann does not eat pork",
        "Ann asked never to be called before noon",
        "Ann's birthday is 3 May",
        "Ann speaks Polish",
        "Ann lives in Leeds",
        "Ann works as a welder",
        "Ann has a parrot called Kiko",
    ],
    "阿明": [
        "阿明对青霉素过敏",
        "阿明有哮喘",
        "阿明每天打胰岛素",
        "阿明不吃羊肉",
        "阿明希望晚上不要给他打电话",
        "阿明的生日是五月三号",
        "阿明会说粤语",
        "阿明住在绵阳",
        "阿明在一家电台上班",
        "阿明养了一只鹦鹉",
    ],
}
PASSING = {
    "Ann": [
        "is hungry",
        "bought {} eggs",
        "is on bus {}",
        "cooked dish {}",
        "watched film {}",
        "likes song {}",
        "plays level {}",
    ],
    "阿明": [
        "饿了",
        "买了{}个鸡蛋",
        "在{}路公交上",
        "做了第{}道菜",
        "看了第{}部电影",
        "喜欢第{}首歌",
        "今天走了{}步",
    ],
}


@pytest.mark.parametrize("name", ["Ann", "阿明"])
def test_what_lasts_stands_after_five_hundred_passing_facts(name: str) -> None:
    shuffled = [*LASTING[name], *(f"{name} {PASSING[name][n % 7].format(n)}" for n in range(500))]
    random.Random(7).shuffle(shuffled)
    profile = Profile(USER)
    for n, fact in enumerate(shuffled):
        profile = told(profile, fact, f"{date(2026, 1, 1) + timedelta(n // 2)}", name, f"e{n}:0")
    texts = [line.text for line in profile.lines]
    assert [fact for fact in LASTING[name] if fact not in texts] == [] and len(texts) <= 200


def test_a_later_line_on_one_matter_stands_behind_the_older_one_which_is_kept() -> None:
    profile = Profile(USER)
    for n, city in enumerate(["Leeds", "York", "Leeds"], 1):
        profile = told(profile, f"Ann lives in {city}", f"2026-0{n}-01", "Ann", f"e{n}:0")
    assert [(one.text, one.last_day, one.told) for one in profile.lines] == [
        ("Ann lives in York", "2026-02-01", 1),
        ("Ann lives in Leeds", "2026-03-01", 2),
    ]
