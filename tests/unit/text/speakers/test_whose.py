"""Whose words a text of a job is (tests/data/text/whose.tsv).

`chat` is private, group, or the name of a group. Texts that are handed over together are separated by " / "; the last one is
judged. `talk` holds the messages before, "name: text" or "id=name: text", also separated by " / "; hikers are those of HIKERS.
Where `filed` is empty the text stays as it was said. `why` stands in the reasons where the text is not absolute.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from historian.schema.graph_states.historian import ItemState, events_of
from historian.schema.settings import Settings
from historian.text.job_verdicts import by_rules, is_no_fact, judge, prepare
from support.jobs import make_job
from support.tables import cases

IDS = {"小林": "42", "阿泰": "43", "[二哈]": "44", "Undefined": "9"}
HIKERS = "小林: 周末去爬山吗 / 阿泰: 我周日加班，晚点到 / [二哈]: （拔剑）我是北境之王 / Undefined: 熔岩灯的灯液是石蜡和水"


def messages(talk: str) -> list[dict[str, str]]:
    """Return the messages that a talk of the table holds."""
    said = []
    for at, message in enumerate(talk.split(" / ") if talk else []):
        found = re.fullmatch(r"(?:(\d*)=)?(.*?): (.*)", message, re.DOTALL)
        assert found, message
        sender = IDS.get(found[2], f"1{at}") if found[1] is None else found[1]
        said.append({"sender_id": sender, "sender_name": found[2], "text": found[3]})
    return said


def filed(fact: str, **fields: Any) -> ItemState:
    (item,) = by_rules(make_job(action_summary="", new_info=[fact], **fields), Settings())
    return item


@pytest.mark.parametrize("case", cases("text/whose"))
def test_a_text_is_filed_as_that_of_its_speaker(case: dict[str, str]) -> None:
    chat, texts = case["chat"], case["text"].split(" / ")
    fields: dict[str, Any] = {"action_summary": "", "new_info": texts}
    if case["kind"] == "action":
        fields = {"action_summary": case["text"], "new_info": []}
    if chat != "group":
        fields |= {"group": None} if chat == "private" else {"group_name": chat}
    talk = messages(HIKERS if case["talk"] == "hikers" else case["talk"])
    *_, item = by_rules(make_job(recent_messages=talk, **fields), Settings())
    assert (item["candidate"], item["passed"]) == (
        case["filed"] or texts[-1],
        case["absolute"] == "yes",
    )
    assert item["said_by"] == case["said_by"], "words are known to be a person's by their id alone"
    assert case["why"] in " ".join(reason["why"] for reason in item["violations"])


def test_a_member_called_like_a_day_is_no_day() -> None:
    fields = {"recent_messages": [{"sender_id": "45", "sender_name": "Friday", "text": "hi"}]}
    assert filed("Friday的猫会开门", **fields)["occurs"] == []


def test_i_is_the_member_whose_message_it_is_and_the_event_is_theirs_too() -> None:
    job = make_job(
        action_summary="",
        new_info=["我周日加班，晚点到"],
        recent_messages=messages(HIKERS),
        group_name="登山群",
    )
    items = by_rules(job, Settings())
    assert items[0]["passed"] and items[0]["candidate"].startswith("阿泰")
    (event,) = events_of(job, items)
    assert event.said_by == "43" and event.entities == ["user:42", "user:43", "group:7"]


@pytest.mark.parametrize(
    "fact",
    [
        "你给我推荐的那家面馆我每周都去",
        "您给我开的药很有效",
        "你帮我修好了电脑",
        "你给我打的电话我没接到",
    ],
)
def test_what_you_did_for_me_is_no_request(fact: str) -> None:
    assert all(
        reason["kind"] != "claim"
        for reason in filed(fact, recent_messages=messages(HIKERS))["violations"]
    )


@pytest.mark.parametrize(
    "fact", ["阿明问过澳洲签证怎么办", "Ann asked what a visa for Australia costs"]
)
def test_that_somebody_asked_is_true_alone_and_enters_no_profile(fact: str) -> None:
    item = filed(fact)
    assert item["passed"] and is_no_fact(item)


def test_what_the_bot_asked_may_be_mended_by_a_model() -> None:
    (item,) = by_rules(make_job(action_summary="我问了他哪天有空", new_info=[]), Settings())
    assert not is_no_fact(item)


def test_a_rewrite_with_the_bot_for_the_one_who_spoke_is_refused() -> None:
    job = make_job(action_summary="", new_info=["我对猫毛过敏"], recent_messages=messages(HIKERS))
    (item,) = prepare(job, Settings())
    assert [one["kind"] for one in judge(item, "Undefined对猫毛过敏", job, Settings())] == ["name"]
    assert not judge(item, "阿泰对猫毛过敏", job, Settings())


def test_a_model_may_name_the_relative_that_the_talk_tells_of() -> None:
    said = [{"sender_id": "42", "sender_name": "Ann", "text": "my brother just got deployed"}]
    job = make_job(
        action_summary="",
        new_info=["he's in the navy"],
        user_name="Ann",
        recent_messages=said,
        group=None,
    )
    (item,) = prepare(job, Settings())
    assert not judge(item, "Ann's brother is in the navy", job, Settings())


@pytest.mark.parametrize("fact", ["我叫燕七，押镖十二年没失过手", "我开这家客栈三十年了"])
def test_in_a_game_in_which_people_speak_as_others_nobodys_own_words_are_facts(fact: str) -> None:
    talk = "小林: 来玩武侠的，你演客栈老板娘，我演镖师燕七 / Undefined: 客官里边请，我开这家客栈三十年了"
    talk += " / 小林: 我叫燕七，押镖十二年没失过手，来壶酒"
    item = filed(fact, group=None, recent_messages=messages(talk))
    assert not item["passed"] and item["open"] == [["claim", "played", fact]]


def test_a_promise_beside_what_the_bot_tells_of_itself_is_nobodys() -> None:
    job = make_job(
        action_summary="I said I'd message 小林",
        new_info=["I promised to check in", "I'm moving house"],
        group=None,
    )
    _, promise, life = by_rules(job, Settings())
    assert (promise["candidate"], promise["passed"]) == ("I promised to check in", False)
    assert (life["candidate"], life["passed"]) == ("小林 is moving house", True)
