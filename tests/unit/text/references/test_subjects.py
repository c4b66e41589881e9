from typing import Literal

import pytest
from historian.schema.names import Names
from historian.text.references.subjects import with_subject as with_subject_of
from historian.text.sentence import Sentence

ZH = Names(bot_name="小史", user_name="阿明", user_id="42")
EN = Names(bot_name="Clio", user_name="Ann", user_id="7")


def with_subject(text: str, names: Names, item: Literal["action", "fact"], subject: str = "") -> str:
    return with_subject_of(Sentence(text, names), item, subject).text


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("fact", "喜欢吃辣，讨厌香菜"),
        ("fact", "最喜欢科幻小说"),
        ("fact", "2026-02-22要考试"),
        ("fact", "住在杭州"),
        ("fact", "在一家游戏公司工作"),
        ("fact", "对花生过敏"),
        ("fact", "养了两只猫"),
        ("fact", "会弹吉他"),
        ("fact", "每天早上去跑步"),
        ("fact", "从小就害怕打雷"),
        ("action", "推荐了《三体》"),
        ("action", "给阿明讲了递归"),
        ("action", "2026-02-20提醒阿明带伞"),
        ("action", "和阿明聊了2026-02-22的考试"),
    ],
)
def test_a_chinese_predicate_gets_its_subject(item: Literal["action", "fact"], text: str) -> None:
    name = "小史" if item == "action" else "阿明"
    once = with_subject(text, ZH, item)
    assert once == name + text
    assert with_subject(once, ZH, item) == once


@pytest.mark.parametrize(
    ("item", "text", "expected"),
    [
        ("fact", "Likes tea", "Ann likes tea"),
        ("fact", "has an exam on 2026-02-22", "Ann has an exam on 2026-02-22"),
        ("fact", "Doesn't eat meat", "Ann doesn't eat meat"),
        ("fact", "Also works as a nurse", "Ann also works as a nurse"),
        ("action", "Recommended Dune to Ann", "Clio recommended Dune to Ann"),
        ("action", "explained recursion", "Clio explained recursion"),
    ],
)
def test_an_english_predicate_gets_its_subject(item: Literal["action", "fact"], text: str, expected: str) -> None:
    assert with_subject(text, EN, item) == expected
    assert with_subject(expected, EN, item) == expected


@pytest.mark.parametrize(
    ("item", "text", "language"),
    [
        ("fact", "阿明喜欢茶", "zh"),
        ("fact", "小王喜欢茶", "zh"),
        ("fact", "有人在群里发广告", "zh"),
        ("fact", "会议改到2026-02-23", "zh"),
        ("fact", "计划书已经交了", "zh"),
        ("fact", "《三体》很好看", "zh"),
        ("fact", "明天会更好是一首歌", "zh"),
        ("fact", "生日聚会在杭州", "zh"),
        ("action", "教师节快乐", "zh"),
        ("action", "阿明夸小史画得好", "zh"),
        ("fact", "Tom likes tea", "en"),
        ("fact", "Has there been rain?", "en"),
        ("fact", "Is it open?", "en"),
        ("fact", "Will Smith is an actor", "en"),
        ("fact", "Can", "en"),
        ("action", "Set theory is hard", "en"),
        ("action", "Ann told Clio a joke", "en"),
    ],
)
def test_what_has_a_subject_or_may_be_something_else_stays(item: Literal["action", "fact"], text: str, language: str) -> None:
    names = ZH if language == "zh" else EN
    assert with_subject(text, names, item) == text


@pytest.mark.parametrize("name", ["不吃香菜的猫", "想去旅行的鱼", "喜欢你"])
def test_a_nickname_that_reads_as_a_predicate_is_a_subject(name: str) -> None:
    told = f"{name}从腾讯离职了"
    assert with_subject(told, Names(user_name=name), "fact") == told
    assert with_subject(told, Names(user_name="阿明", others=(name,)), "fact") == told
    assert with_subject("不吃香菜", Names(user_name=name), "fact") == f"{name}不吃香菜"
    assert with_subject(f"2026-04-13{name}去爬山", Names(user_name=name), "fact") == f"2026-04-13{name}去爬山"


def test_without_a_name_the_id_says_who() -> None:
    assert with_subject("喜欢茶", Names(user_id="42"), "fact") == "用户 42 喜欢茶"
    assert with_subject("Likes tea", Names(user_id="42"), "fact") == "User 42 likes tea"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("got laid off today", "ann got laid off today"),
        ("teaches piano", "ann teaches piano"),
        ("allergic to Ben's cat", "ann is allergic to Ben's cat"),
        ("likes Ben's new flat", "ann likes Ben's new flat"),
        ("love hiking", "ann loves hiking"),
        ("told Ben a joke", "told Ben a joke"),
    ],
)
def test_where_the_subject_is_known_its_name_stands_as_it_is_written(said: str, expected: str) -> None:
    assert with_subject(said, Names(bot_name="Clio", user_name="ann", others=("Ben",)), "fact", "ann") == expected


def test_a_name_that_is_given_stands_for_the_user() -> None:
    assert with_subject("戒了奶茶", ZH, "fact", "阿泰") == "阿泰戒了奶茶"
