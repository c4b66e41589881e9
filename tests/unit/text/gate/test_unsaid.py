"""What a fact leaves unsaid."""

from __future__ import annotations

import pytest
from historian.schema.names import Names
from historian.text.gate import reason, unsaid
from historian.text.sentence import Sentence

NAMES = Names(bot_name="小史", user_name="阿泰", user_id="42", others=("Nora", "Big Mike"))


@pytest.mark.parametrize(
    "fact",
    [
        "阿泰买不了 太贵",
        "阿泰没去 太远",
        "阿泰订好了",
        "阿泰约了2026-03-02 在城东",
        "阿泰要两份",
        "不过阿泰退了 尺码不对",
        "阿泰都可以",
        "阿泰在 要去看展",
        "早点出发吧 路上堵",
        "说要下雨",
        "Nora said no. too far",
        "Nora isn't coming, she has a cold",
        "Nora is in from 19:00",
        "Nora can't do 2026-03-02",
        "Big Mike agreed",
        "Number 11 Nora thinks",
        "60 Nora guesses. last year it was 50",
        "Nora is in the same boat",
        "same thing happened to Nora",
    ],
)
def test_a_clause_without_its_object_is_reported(fact: str) -> None:
    assert [one.why for one in unsaid(Sentence(fact, NAMES))] == ["elliptic"]


@pytest.mark.parametrize(
    "fact",
    [
        "外公住院了",
        "wife works nights",
        "老婆说阿泰没来",
    ],
)
def test_a_relative_without_an_owner_is_reported(fact: str) -> None:
    assert [one.why for one in unsaid(Sentence(fact, NAMES))] == ["owner"]


@pytest.mark.parametrize(
    "fact",
    [
        "单体系统拆成了十四个服务",
        "左手骨折",
        "rent is due",
        "2026-03-02停水",
        "开始下雨了",
        "拿到杭州一家公司的实习，2026-03-02入职",
        "2026年6月中旬公司体检",
        "一低头就想起爷爷",
        "The meeting starts at 9:00 on 2026-03-02",
        "The baker paid the invoice",
    ],
)
def test_a_fact_that_names_nobody_and_nothing_is_reported(fact: str) -> None:
    assert [one.why for one in unsaid(Sentence(fact, NAMES))] == ["subject"]


@pytest.mark.parametrize(
    "fact",
    [
        "阿泰膝盖没好 医生说再歇三周",
        "阿泰还要住两个月",
        "Nora needs another two weeks",
        "13th is Nora's birthday",
        "那天阿泰没来",
        "阿泰的妈妈那天要体检",
        "That night Nora was ill",
        "阿泰8号来看房",
        "3号交房租，Nora去交",
    ],
)
def test_a_day_that_only_the_talk_knows_is_reported(fact: str) -> None:
    assert "relative" in [one.why for one in unsaid(Sentence(fact, NAMES))]


@pytest.mark.parametrize(
    "fact",
    [
        "阿泰去广州了",
        "阿泰订了去成都的票",
        "阿泰看完了《三体》",
        "阿泰吃不了辣",
        "阿泰养了两只猫",
        "结婚那天阿泰哭了",
        "2026-03-02下雨，那天阿泰没出门",
        "阿泰住3号楼，坐5号线",
        "阿泰的外公住院了",
        "阿泰2026-09-06报到",
        "2026-03-02起阿泰再住两个月",
        "阿泰再过年就三十了",
        "Nora has two more cats",
        "Nora said no to the offer",
        "Nora is in Perth",
        "Nora is going to Rome",
        "Nora's wife works nights",
        "Kids love slides",
        "Nora agreed to help",
        "和平饭店很贵",
        "Chroma 1.5 需要 Python 3.9",
        "《三体》有三部",
        "楼下那个阿姨养了三只猫",
        "2026-03-02上海交通大学放假",
        "the museum in Leeds is free",
    ],
)
def test_what_stands_by_itself_passes(fact: str) -> None:
    assert list(unsaid(Sentence(fact, NAMES))) == []


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ("小史 noted the rebooked test", ["thing"]),
        ("小史 just updated the test reminder.", ["thing"]),
        ("小史 noted Nora's test", []),
        ("小史 sent Nora the recipe", []),
        ("小史 explained the rules of chess", []),
        ("小史 checked the weather", []),
    ],
)
def test_an_action_on_what_only_the_talk_tells_of_is_reported(action: str, why: list[str]) -> None:
    assert [one.why for one in unsaid(Sentence(action, NAMES), "action")] == why


@pytest.mark.parametrize(
    "action", ["小史没说话", "围观群友闲聊，没有回复", "倾听", "小史无", "listened", "小史 just stayed silent", "none"]
)
def test_an_action_that_was_none_is_reported(action: str) -> None:
    found = list(unsaid(Sentence(action, NAMES), "action"))
    assert "no_deed" in [one.why for one in found]
    assert all(action in reason(one, "zh") and action in reason(one, "en") for one in found)


@pytest.mark.parametrize("action", ["小史没有答应阿泰", "小史倾听了阿泰讲离婚", "小史 listened to Nora's song", "小史无视了阿泰"])
def test_what_was_done_is_a_deed(action: str) -> None:
    assert list(unsaid(Sentence(action, NAMES), "action")) == []


def test_a_quotation_needs_its_speaker() -> None:
    assert [one.why for one in unsaid(Sentence("“我家门口没铲雪”", NAMES))] == ["subject"]
    assert list(unsaid(Sentence("阿泰说“我家门口没铲雪”", NAMES))) == []
