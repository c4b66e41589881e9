"""Whose words a text of a job is."""

from __future__ import annotations

from typing import Any

import pytest
from historian.schema.settings import Settings
from historian.schema.states import ItemState, events_of
from historian.text.job_drafts import prepare
from historian.text.job_verdicts import by_rules, judge
from support.jobs import make_job

TALK = [
    {"sender_id": "42", "sender_name": "小林", "text": "周末去爬山吗"},
    {"sender_id": "43", "sender_name": "阿泰", "text": "我周日加班，晚点到"},
    {"sender_id": "44", "sender_name": "[二哈]", "text": "（拔剑）我是北境之王"},
    {"sender_id": "9", "sender_name": "Undefined", "text": "熔岩灯的灯液是石蜡和水"},
]


def filed(fact: str, **fields: Any) -> ItemState:
    (item,) = by_rules(make_job(action_summary="", new_info=[fact], **fields), Settings())
    return item


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("我住在上海", "小林住在上海"),
        ("I'm vegetarian", "小林 is vegetarian"),
        ("我妈是护士", "小林的妈妈是护士"),
        ("我叫小林", "小林叫小林"),
        ("我帮他订了机票", "Undefined帮小林订了机票"),
        ("I reminded her of the exam", "Undefined reminded 小林 of the exam"),
        ("User quit smoking", "小林 quit smoking"),
        ("用户发现了一个错误", "小林发现了一个错误"),
        ("戒了奶茶", "小林戒了奶茶"),
        ("our dog is old", "小林's dog is old"),
    ],
)
def test_in_a_private_chat_the_users_own_words_are_the_users(fact: str, text: str) -> None:
    item = filed(fact, group=None)
    assert (item["candidate"].replace("妈妈", "妈"), item["passed"]) == (text.replace("妈妈", "妈"), True)


@pytest.mark.parametrize("fact", ["We have two kids", "I miss him", "我很想他", "I told Tom about the exam"])
def test_what_fits_the_bot_as_well_as_the_user_stays_as_it_was_said(fact: str) -> None:
    others = [{"sender_id": "5", "sender_name": "Tom", "text": "hello"}]
    item = filed(fact, group=None, recent_messages=others)
    assert (item["candidate"], item["passed"]) == (fact, False)


def test_i_is_the_member_whose_message_it_is_and_the_event_is_theirs_too() -> None:
    job = make_job(action_summary="", new_info=["我周日加班，晚点到"], recent_messages=TALK, group_name="登山群")
    items = by_rules(job, Settings())
    assert items[0]["passed"] and items[0]["candidate"].startswith("阿泰")
    (event,) = events_of(job, items)
    assert event.said_by == "43" and event.entities == ["user:42", "user:43", "group:7"]


def test_with_several_speakers_and_no_trace_in_the_talk_nobody_is_named() -> None:
    item = filed("我对猫毛过敏", recent_messages=TALK)
    assert not item["passed"] and item["candidate"] == "我对猫毛过敏"


@pytest.mark.parametrize(
    ("fact", "begins"),
    [
        ("阿泰说：我下周结婚", "阿泰说：阿泰"),
        ("Dr. Nolan: I will be on leave", "Dr. Nolan: Dr. Nolan will be"),
        ("男朋友说：我要去新加坡", "小林的男朋友说：小林的男朋友要去新加坡"),
    ],
)
def test_a_quotation_keeps_its_author(fact: str, begins: str) -> None:
    item = filed(fact, group=None, recent_messages=TALK[1:2])
    assert item["passed"] and item["candidate"].startswith(begins)


@pytest.mark.parametrize(
    ("fact", "text", "passed"),
    [
        ("[CQ:at,qq=43] 只会玩辅助", "阿泰 只会玩辅助", True),
        ("<@43> plays support", "阿泰 plays support", True),
        ("@阿泰 只会玩辅助", "阿泰 只会玩辅助", True),
        ("[CQ:at,qq=99] 只会玩辅助", "[CQ:at,qq=99] 只会玩辅助", False),
        ("阿泰的邮箱是 a@阿泰.example", "阿泰的邮箱是 a@阿泰.example", True),
    ],
)
def test_a_mention_becomes_a_name_where_the_job_knows_it(fact: str, text: str, passed: bool) -> None:
    item = filed(fact, recent_messages=TALK)
    assert (item["candidate"], item["passed"]) == (text, passed)


def test_he_is_not_the_user_where_the_talk_tells_of_somebody_else() -> None:
    said = [{"sender_id": "42", "sender_name": "小林", "text": "我爷爷九十了，每天还下棋"}]
    assert not filed("他天天下棋", group=None, recent_messages=said)["passed"]
    assert filed("他天天下棋", group=None)["candidate"] == "小林天天下棋", "with nobody else about, he is the user"


@pytest.mark.parametrize(
    ("fact", "why"),
    [
        ("如果我中了五百万，我就去冰岛开民宿", "假设"),
        ("If I were you I'd call them", "supposed"),
        ("do you remember Heidi?", "question"),
        ("还记得海蒂吗", "提问"),
        ("根据记忆，小林喜欢茶", "记忆"),
        ("我是北境之王", "角色扮演"),
        ("熔岩灯的灯液是石蜡和水", "机器人说的话"),
    ],
)
def test_what_is_no_fact_is_kept_and_not_absolute(fact: str, why: str) -> None:
    item = filed(fact, recent_messages=TALK)
    assert not item["passed"] and why in " ".join(reason["why"] for reason in item["violations"])


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("群规是不准发广告", "登山群的群规是不准发广告"),
        ("本群主要交流登山", "登山群主要交流登山"),
        ("群里每周日爬山", "登山群里每周日爬山"),
        ("群主是阿泰", "登山群的群主是阿泰"),
        ("The group plans a hike", "登山群 plans a hike"),
        ("group rule: no selling", "登山群's rule: no selling"),
    ],
)
def test_the_group_goes_by_its_name(fact: str, text: str) -> None:
    item = filed(fact, group_name="登山群")
    assert (item["candidate"], item["passed"]) == (text, True)


def test_a_rewrite_with_the_bot_for_the_one_who_spoke_is_refused() -> None:
    job = make_job(action_summary="", new_info=["我对猫毛过敏"], recent_messages=TALK)
    (item,) = prepare(job, Settings())
    refused = judge(item, "Undefined对猫毛过敏", job, Settings())
    assert ("role", "subject") in [(finding.kind, finding.why) for finding in refused.violations]
    assert judge(item, "阿泰对猫毛过敏", job, Settings()).passed


def test_they_in_the_plural_is_not_the_user() -> None:
    assert not filed("They have two kids", group=None)["passed"]


def test_an_act_that_they_asked_for_and_the_bot_did_is_not_theirs() -> None:
    asked = [{"sender_id": "42", "sender_name": "小林", "text": "please move the investor call to 4"}]
    item = filed("I moved the investor call to 4", group=None, recent_messages=asked)
    assert (item["candidate"], item["passed"]) == ("I moved the investor call to 4", False)


def test_a_model_may_name_the_relative_but_not_the_user_where_the_talk_tells_of_one() -> None:
    said = [{"sender_id": "42", "sender_name": "Ann", "text": "my brother just got deployed"}]
    job = make_job(action_summary="", new_info=["he's in the navy"], user_name="Ann", recent_messages=said, group=None)
    (item,) = prepare(job, Settings())
    assert judge(item, "Ann's brother is in the navy", job, Settings()).passed
    assert not judge(item, "Ann is in the navy", job, Settings()).passed


def test_ta_before_a_date_that_was_put_in_is_a_pronoun() -> None:
    said = [{"sender_id": "42", "sender_name": "小林", "text": "小队长说她到县城了"}]
    assert not filed("TA今晚可能到不了", recent_messages=said)["passed"]


def said_in(*messages: tuple[str, str]) -> list[dict[str, str]]:
    ids = {"小林": "42", "Undefined": "9"}
    return [{"sender_id": ids.get(who, f"1{at}"), "sender_name": who, "text": text} for at, (who, text) in enumerate(messages)]


@pytest.mark.parametrize(
    ("fact", "talk", "text"),
    [
        ("他老板要他多留一个月", [("小林", "老板非要我多留一个月 不可能的")], "小林的老板要他多留一个月"),
        ("她被主管骂哭了", [("小番茄", "今天被主管骂哭了 在厕所"), ("小林", "抱抱")], "小番茄被主管骂哭了"),
        (
            "她拿到港中深的offer了",
            [("芋圆", "!!!"), ("小林", "芋圆牛逼"), ("小林", "记一下 她拿到港中深的offer了")],
            "芋圆拿到港中深的offer了",
        ),
        (
            "he can't say where he is",
            [("小林", "my brother called"), ("Undefined", "From where?"), ("小林", "he can't say where he is")],
            "小林's brother can't say where 小林's brother is",
        ),
        ("she uses stock reds", [("小林", "tired"), ("Ophelia", "I use stock reds, come at me")], "Ophelia uses stock reds"),
    ],
)
def test_the_message_that_holds_a_statement_tells_whom_a_third_person_means(
    fact: str, talk: list[tuple[str, str]], text: str
) -> None:
    item = filed(fact, recent_messages=said_in(*talk))
    assert (item["candidate"], item["passed"]) == (text, True)


@pytest.mark.parametrize(
    ("fact", "talk"),
    [
        ("他明年不回国了", [("阿泰", "到了"), ("阿强", "好"), ("小林", "他明年不回国了")]),
        ("她觉得特别委屈", [("小林", "我室友和她妈吵架了"), ("小林", "她觉得特别委屈")]),
        ("he's always late", [("Stu", "who is in"), ("小林", "Tom and Bob said yes"), ("小林", "he's always late")]),
    ],
)
def test_where_two_persons_fit_a_third_person_stays(fact: str, talk: list[tuple[str, str]]) -> None:
    item = filed(fact, recent_messages=said_in(*talk))
    assert not item["passed"] and item["candidate"].startswith(fact[:1])


def test_a_note_without_a_subject_is_that_of_the_member_whose_message_it_is() -> None:
    talk = said_in(("Mina K", "nut allergy here, i carry an epipen"), ("小林", "got you Mina"))
    item = filed("nut allergy, carries an epipen", recent_messages=talk)
    assert (item["candidate"], item["passed"]) == ("Mina K has a nut allergy, carries an epipen", True)
    item = filed("今年一个人在宿舍过的年", group=None)
    assert item["candidate"].startswith("小林") and item["passed"]
    item = filed("cant do a single pull up", group=None)
    assert (item["candidate"], item["passed"]) == ("小林 cant do a single pull up", True)


def test_you_after_a_name_is_that_one_and_a_rule_for_everybody_is_nobodys() -> None:
    talk = said_in(("小林", "@阿泰 you're the only one who reads"), ("阿泰", "ok"))
    item = filed("@阿泰 you're the only one who reads", recent_messages=talk)
    assert (item["candidate"], item["passed"]) == ("阿泰 is the only one who reads", True)
    for rule in ("You must clear the sidewalk", "你必须自己扫雪"):
        item = filed(rule)
        assert (item["candidate"], item["passed"]) == (rule, False)


ILL = "我确诊了糖尿病，先别告诉别人"


@pytest.mark.parametrize(
    ("fact", "messages", "said_by"),
    [
        ("我确诊了糖尿病", [], "42"),
        ("我确诊了糖尿病", [("88", "阿珍", "天哪"), ("42", "小林", ILL)], "42"),
        ("小林确诊了糖尿病", [("42", "小林", ILL), ("88", "阿珍", "天哪")], "42"),
        ("小林说：我要离婚了", [], "42"),
        ("小林确诊了糖尿病", [], ""),
        ("阿强说：我要离婚了", [("", "阿强", "我要离婚了")], ""),
        ("我确诊了糖尿病", [("", "阿强", ILL), ("42", "小林", "保重")], ""),
        ("阿珍欠了二十万赌债", [("88", "阿珍", "我在澳门输了，现在欠人家二十万")], ""),
        ("我上周确诊了糖尿病很难受", [("", "", "我确诊糖尿病了")], ""),
        ("我确诊了糖尿病", [("88", "小林", ILL), ("42", "小林", "保重")], ""),
        ("我确诊了糖尿病", [("", "小林", ILL)], ""),
        ("小林说：我要离婚了", [("88", "阿珍", "小林说：“我要离婚了”")], ""),
        ("我要离婚了", [("88", "阿珍", "小林说：“我要离婚了”")], ""),
    ],
)
def test_words_are_known_to_be_the_users_only_by_their_id(fact: str, messages: list[tuple[str, str, str]], said_by: str) -> None:
    talk = [{"sender_id": id_, "sender_name": name, "text": text} for id_, name, text in messages]
    assert filed(fact, recent_messages=talk)["said_by"] == said_by
