"""Decorated nicknames, where a text writes them bare."""

from __future__ import annotations

import pytest
from historian.schema.job import Job
from historian.schema.names import Names
from historian.schema.settings import Settings
from historian.text.job_verdicts import by_rules
from historian.text.speakers.bare_names import core_of, with_nicknames


@pytest.mark.parametrize(
    ("nickname", "core"),
    [
        ("☀️小王☀️", "小王"),
        ("xX_Leo_Xx", "Leo"),
        ("小鹿🦌", "小鹿"),
        ("【摸鱼】老郑", "老郑"),
        ("~*Luna*~", "Luna"),
        ("小林", ""),
        ("Ann Lee", ""),
        ("阿K_不加班", ""),
        ("✨王✨", ""),
        ("_42_", ""),
    ],
)
def test_the_core_of_a_nickname_is_its_one_word(nickname: str, core: str) -> None:
    assert core_of(nickname) == core


def test_a_bare_name_becomes_the_nickname_where_a_name_may_stand() -> None:
    names = Names(user_name="小鹿🦌", others=("xX_Leo_Xx", "Max"))
    assert with_nicknames("小鹿养了一只猫，Max和小鹿很熟", names) == "小鹿🦌养了一只猫，Max和小鹿🦌很熟"
    assert with_nicknames("Leo met 小鹿🦌", names) == "xX_Leo_Xx met 小鹿🦌"
    for text in ("看到一只小鹿", "Leonie met Max", "小鹿们跑了"):
        assert with_nicknames(text, names) == text
    assert with_nicknames("小王来了", Names(user_name="☀️小王☀️", others=("小王子",))) == "小王来了"


@pytest.mark.parametrize(
    ("fact", "written"), [("小王养了一只猫", "☀️小王☀️养了一只猫"), ("小王：我养了一只猫", "☀️小王☀️：☀️小王☀️养了一只猫")]
)
def test_a_fact_about_a_bare_name_is_about_its_person(fact: str, written: str) -> None:
    job = {"request_id": "r", "timestamp": "2026-02-20T20:00:00+08:00", "timezone": "Asia/Shanghai", "request_type": "private"}
    item = by_rules(Job.model_validate({**job, "user_id": "1", "user_name": "☀️小王☀️", "new_info": [fact]}), Settings())[0]
    assert (item["passed"], item["candidate"]) == (True, written)
