"""Whose words a text of a job is."""

from __future__ import annotations

from typing import Any

import pytest
from historian.schema.graph_states.historian import ItemState, events_of
from historian.schema.settings import Settings
from historian.text.job_verdicts import by_rules, is_no_fact, judge, prepare
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
        ("戒了奶茶", "小林：戒了奶茶"),
        ("our dog is old", "小林's dog is old"),
    ],
)
def test_in_a_private_chat_the_users_own_words_are_the_users(fact: str, text: str) -> None:
    item = filed(fact, group=None)
    assert (item["candidate"].replace("妈妈", "妈"), item["passed"]) == (text.replace("妈妈", "妈"), True)


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("上周六考完驾照科二", "小林：2026-02-14考完驾照科二"),
        ("被老板骂了", "小林：被老板骂了"),
        ("老公又出差了，孩子发烧了", "小林：老公又出差了，孩子发烧了"),
        ("用户：不吃香菜", "小林：不吃香菜"),
        ("下个月就满三十了", "小林：2026年3月就满三十了"),
        ("妹妹跟用户住", "小林：妹妹跟小林住"),
        ("partner's in the army", "小林: partner's in the army"),
        ("Love hiking", "小林: Love hiking"),
        ("Sold my car", "小林: Sold 小林's car"),
        ("Favourite band is Fontaines D.C.", "小林: Favourite band is Fontaines D.C."),
        ("The dog is a border collie called Tui", "小林: The dog is a border collie called Tui"),
        ("和女朋友吵架了，她哭了", "小林：和女朋友吵架了，她哭了"),
        ("做饭的是我老公", "小林：做饭的是小林的老公"),
        ("Meeting moved to 2026-03-20", "小林: Meeting moved to 2026-03-20"),
        ("右肩脱臼，不能打球", "小林：右肩脱臼，不能打球"),
    ],
)
def test_what_has_no_subject_is_the_users(fact: str, text: str) -> None:
    item = filed(fact, group=None)
    assert (item["candidate"], item["passed"]) == (text, True)


@pytest.mark.parametrize(
    "fact",
    [
        "欠我两百块",
        "Owes me 50 bucks",
        "Gave me a book",
        "她叫小美，今年4岁",
        "her name is Chloe",
        "你说得对，那家店不行",
        "you were right about that place",
    ],
)
def test_what_may_be_about_somebody_else_is_not_absolute(fact: str) -> None:
    assert not filed(fact, group=None)["passed"]


@pytest.mark.parametrize(
    "action",
    [
        "打圆场换了个话题", "起哄让阿泰发红包", "Teased Big Mike about the truck", "核对报名表", "2026-02-20夸阿泰唱得好", "劝架",
        "Listed what to pack", "Collected donations for the shelter",
    ],
)  # fmt: skip
def test_what_a_bot_did_is_the_bots(action: str) -> None:
    (item,) = by_rules(make_job(action_summary=action, new_info=[]), Settings())
    assert item["passed"] and item["candidate"].startswith("Undefined")


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("fact", "用户三十出头", "小林三十出头"),
        ("action", "逗笑了用户", "Undefined：逗笑了小林"),
        ("action", "Wrote a letter for user", "Undefined: Wrote a letter for 小林"),
        ("fact", "这个功能有三千用户", "小林：这个功能有三千用户"),
        ("fact", "付费用户涨了一倍", "小林：付费用户涨了一倍"),
        ("fact", "User research takes two weeks", "小林: User research takes two weeks"),
    ],
)
def test_the_user_goes_by_name_wherever_the_word_stands(kind: str, text: str, expected: str) -> None:
    fields = {"action_summary": text, "new_info": []} if kind == "action" else {"action_summary": "", "new_info": [text]}
    (item,) = by_rules(make_job(group=None, **fields), Settings())
    assert item["candidate"] == expected


@pytest.mark.parametrize(
    "fact", ["左脚扭伤", "budget is 300 a night", "离地铁站十分钟", "会抽筋", "physio in Leeds until June 2026", "开会的时候会困"]
)
def test_what_may_be_anybodys_is_reported_in_a_group(fact: str) -> None:
    assert not filed(fact, recent_messages=TALK)["passed"]


def test_a_member_called_like_a_day_is_no_day() -> None:
    fields = {"recent_messages": [{"sender_id": "45", "sender_name": "Friday", "text": "hi"}]}
    assert filed("Friday的猫会开门", **fields)["occurs"] == []


@pytest.mark.parametrize("fact", ["阿泰有吉他，会去接她", "阿泰请了假，要陪他"])
def test_who_goes_on_acting_is_not_whom_it_is_done_to(fact: str) -> None:
    assert not filed(fact, recent_messages=TALK)["passed"]


def test_a_message_that_also_asks_tells_what_it_tells() -> None:
    talk = [
        {"sender_id": "43", "sender_name": "阿泰", "text": "浙大我师兄在那，要资料吗"},
        {"sender_id": "42", "sender_name": "小林", "text": "要！目标浙大"},
    ]
    item = filed("我师兄在浙大", recent_messages=talk)
    assert "小林" not in item["candidate"] and item["candidate"].startswith("阿泰")


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


@pytest.mark.parametrize(
    "fact", ["你给我推荐的那家面馆我每周都去", "您给我开的药很有效", "你帮我修好了电脑", "你给我打的电话我没接到"]
)
def test_what_you_did_for_me_is_no_request(fact: str) -> None:
    assert all(reason["kind"] != "claim" for reason in filed(fact, recent_messages=TALK)["violations"])


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
        ("好，你帮我列个采购清单吧", "提问"),
    ],
)
def test_what_is_no_fact_is_kept_and_not_absolute(fact: str, why: str) -> None:
    item = filed(fact, recent_messages=TALK)
    assert not item["passed"] and why in " ".join(reason["why"] for reason in item["violations"])


@pytest.mark.parametrize("fact", ["阿明问过澳洲签证怎么办", "Ann asked what a visa for Australia costs"])
def test_that_somebody_asked_is_true_alone_and_enters_no_profile(fact: str) -> None:
    item = filed(fact)
    assert item["passed"] and is_no_fact(item)


def test_what_the_bot_asked_may_be_mended_by_a_model() -> None:
    (item,) = by_rules(make_job(action_summary="我问了他哪天有空", new_info=[]), Settings())
    assert not is_no_fact(item)


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("群规是不准发广告", "登山群的群规是不准发广告"),
        ("本群主要交流登山", "登山群主要交流登山"),
        ("群里每周日爬山", "登山群里每周日爬山"),
        ("群主是阿泰", "登山群的群主是阿泰"),
        ("大家每周日爬山", "登山群的大家每周日爬山"),
        ("Everyone brings water", "Everyone in 登山群 brings water"),
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
    assert [one["kind"] for one in judge(item, "Undefined对猫毛过敏", job, Settings())] == ["name"]
    assert not judge(item, "阿泰对猫毛过敏", job, Settings())


@pytest.mark.parametrize("fact", ["提醒我明天开会", "早上八点提醒我开会", "每天九点提醒我喝水", "Remind me to call Bo tomorrow"])
def test_what_somebody_asks_for_is_no_deed_of_theirs(fact: str) -> None:
    assert not filed(fact, group=None)["passed"]


def test_they_in_the_plural_is_not_the_user() -> None:
    assert not filed("They have two kids", group=None)["passed"]
    assert not filed("They laid her off", group=None, recent_messages=said_in(("小林", "poor mom. They laid her off")))["passed"]


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("咨询师把我们的面谈改到2026-03-04了", ""),
        ("房东找我们谈涨租", ""),
        ("我们和王老师约了2026-03-04见面", ""),
        ("We met a lawyer on 2026-03-04", ""),
        ("We talked with the landlord about the rent", ""),
        ("Tom said we agreed on the price", ""),
        ("我们聊了很久", "见到前任了，我们聊了很久"),
        ("We met on Tinder", "my boyfriend is sweet. We met on Tinder"),
        ("We play at the Fox every week", "We play at the Fox every week"),
    ],
)
def test_we_in_a_fact_is_not_the_bot(fact: str, message: str) -> None:
    item = filed(fact, group=None, recent_messages=said_in(("小林", message)) if message else [])
    assert not item["passed"] and "Undefined" not in item["candidate"]


def test_the_party_of_whom_a_person_speaks_is_not_themself() -> None:
    for fact, message in (("对方不肯私了", "骑车被撞了，对方不肯私了"), ("the other guy was ill", "so the other guy was ill")):
        item = filed(fact, group=None, recent_messages=said_in(("小林", message)))
        assert (item["candidate"], item["passed"]) == (fact, False)


@pytest.mark.parametrize("fact", ["他生病了", "他最近一直在生病", "辞职了"])
def test_what_follows_upon_the_name_of_another_one_is_not_said_of_the_speaker(fact: str) -> None:
    talk = said_in(("小林", "老王又没来上班"), ("Undefined", "他怎么了？"), ("小林", fact.removeprefix("他")))
    assert not filed(fact, group=None, recent_messages=talk)["passed"]
    alone = filed(fact, group=None, recent_messages=talk[2:])
    assert alone["passed"] and alone["candidate"].startswith("小林")


@pytest.mark.parametrize(
    ("asked", "fact", "answer"),
    [("你姐姐住哪？", "她住在杭州", "住在杭州"), ("what does your daughter like?", "likes anime", "likes anime")],
)
def test_who_answers_without_a_subject_tells_of_whom_they_were_asked(asked: str, fact: str, answer: str) -> None:
    talk = said_in(("Undefined", asked), ("小林", answer))
    assert not filed(fact, group=None, recent_messages=talk)["passed"]


def test_what_is_ours_is_theirs_who_says_so() -> None:
    item = filed("Our lead singer quit", recent_messages=said_in(("Sam", "our lead singer quit"), ("小林", "oh no")))
    assert (item["candidate"], item["passed"]) == ("Sam's lead singer quit", True)


def test_who_asks_where_somebody_lives_does_not_live_there() -> None:
    item = filed("他住在通州", recent_messages=said_in(("小林", "阿泰住哪来着？"), ("小敏", "他住在通州")))
    assert not item["passed"]


def test_an_act_that_they_asked_for_and_the_bot_did_is_not_theirs() -> None:
    asked = [{"sender_id": "42", "sender_name": "小林", "text": "please move the investor call to 4"}]
    item = filed("I moved the investor call to 4", group=None, recent_messages=asked)
    assert (item["candidate"], item["passed"]) == ("I moved the investor call to 4", False)


def test_a_model_may_name_the_relative_that_the_talk_tells_of() -> None:
    said = [{"sender_id": "42", "sender_name": "Ann", "text": "my brother just got deployed"}]
    job = make_job(action_summary="", new_info=["he's in the navy"], user_name="Ann", recent_messages=said, group=None)
    (item,) = prepare(job, Settings())
    assert not judge(item, "Ann's brother is in the navy", job, Settings())


def test_ta_before_a_date_that_was_put_in_is_a_pronoun() -> None:
    said = [{"sender_id": "42", "sender_name": "小林", "text": "小队长说她到县城了"}]
    assert not filed("TA今晚可能到不了", recent_messages=said)["passed"]


def said_in(*messages: tuple[str, str]) -> list[dict[str, str]]:
    ids = {"小林": "42", "Undefined": "9"}
    return [{"sender_id": ids.get(who, f"1{at}"), "sender_name": who, "text": text} for at, (who, text) in enumerate(messages)]


@pytest.mark.parametrize(
    ("fact", "talk"),
    [
        ("她被主管骂哭了", [("小番茄", "今天被主管骂哭了 在厕所"), ("小林", "抱抱")]),
        ("他明年不回国了", [("阿泰", "到了"), ("阿强", "好"), ("小林", "他明年不回国了")]),
        ("她觉得特别委屈", [("小林", "我室友和她妈吵架了"), ("小林", "她觉得特别委屈")]),
        ("She kept the dog", [("小林", "My sister and her wife split up. She kept the dog")]),
        ("他搬走了", [("小林", "我哥和他室友吵架了，他搬走了")]),
        ("he's always late", [("Stu", "who is in"), ("小林", "Tom and Bob said yes"), ("小林", "he's always late")]),
    ],
)
def test_whom_a_third_person_of_the_talk_means_stays_open(fact: str, talk: list[tuple[str, str]]) -> None:
    item = filed(fact, recent_messages=said_in(*talk))
    assert not item["passed"] and item["candidate"].startswith(fact[:1])


def test_a_note_without_a_subject_is_that_of_the_member_whose_message_it_is() -> None:
    talk = said_in(("Mina K", "nut allergy here, i carry an epipen"), ("小林", "got you Mina"))
    item = filed("nut allergy, carries an epipen", recent_messages=talk)
    assert (item["candidate"], item["passed"]) == ("Mina K: nut allergy, carries an epipen", True)
    item = filed("今年一个人过年", group=None)
    assert item["candidate"].startswith("小林") and item["passed"]
    item = filed("cant do a single pull up", group=None)
    assert (item["candidate"], item["passed"]) == ("小林: cant do a single pull up", True)


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        ("住成都", "我表姐住成都，我想去看她"),
        ("对花生过敏", "唉，我闺女对花生过敏"),
        ("养了三只猫", "楼下那个阿姨养了三只猫"),
        ("欠我两百块", "小王欠我两百块"),
        ("结婚了", "听说我前男友结婚了"),
        ("lost her job", "my sister's moving in, she lost her job"),
        ("Got engaged", "My ex got engaged, ugh"),
        ("Getting divorced", "so my best friend is getting divorced"),
        ("moving to Rome", "good news! My cousin is moving to Rome"),
        ("works at Boeing", "Dad is fine. My dad works at Boeing"),
        ("lost a good job", "my sister's moving in, she lost her job"),
    ],
)
def test_a_note_without_a_subject_is_not_the_users_where_they_tell_of_somebody_else(fact: str, message: str) -> None:
    assert not filed(fact, group=None, recent_messages=said_in(("小林", message)))["passed"]


@pytest.mark.parametrize("message", ["我搬到深圳了", "后来搬到深圳了"])
def test_a_note_without_a_subject_is_the_users_where_they_tell_of_themself(message: str) -> None:
    item = filed("搬到深圳了", group=None, recent_messages=said_in(("小林", message)))
    assert (item["candidate"], item["passed"]) == ("小林：搬到深圳了", True)


def test_a_note_that_is_cut_from_messages_of_two_members_is_nobodys() -> None:
    talk = said_in(("小林", "我表姐住在成都"), ("阿泰", "我哥住在成都"))
    assert not filed("住在成都", recent_messages=talk)["passed"]


def test_a_rule_for_everybody_is_nobodys() -> None:
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
        ("我确诊了糖尿病", [("88", "小林", ILL), ("42", "小林", "保重")], "88"),
        ("我确诊了糖尿病", [("", "小林", ILL)], ""),
        ("小林说：我要离婚了", [("88", "阿珍", "小林说：“我要离婚了”")], ""),
        ("我要离婚了", [("88", "阿珍", "小林说：“我要离婚了”")], ""),
    ],
)
def test_words_are_known_to_be_the_users_only_by_their_id(fact: str, messages: list[tuple[str, str, str]], said_by: str) -> None:
    talk = [{"sender_id": id_, "sender_name": name, "text": text} for id_, name, text in messages]
    assert filed(fact, recent_messages=talk)["said_by"] == said_by


@pytest.mark.parametrize(
    "fact",
    [
        "you can freeze the dough for a month",
        "cashew cream splits if you boil it",
        "When you start running, you get shin splints easily",
        "I'd suggest starting with yoga",
        "你得先办签证才能去越南",
        "多练你就会越来越好",
        "我不建议空腹喝咖啡",
    ],
)
def test_what_holds_for_anybody_and_advice_are_said_of_nobody(fact: str) -> None:
    item = filed(fact, group=None)
    assert (item["candidate"], item["passed"]) == (fact, False)


@pytest.mark.parametrize("fact", ["You're way too cheerful before coffee", "you work nights at the depot", "你画得真好"])
def test_whom_you_means_stays_open_where_the_user_does_not_say_it_of_themself(fact: str) -> None:
    talk = said_in(("小林", f"oh. {fact}"), ("Undefined", "and you work nights at the depot"))
    item = filed(fact, group=None, recent_messages=talk)
    assert (item["candidate"], item["passed"]) == (fact, False)


@pytest.mark.parametrize("fact", ["我叫燕七，押镖十二年没失过手", "我开这家客栈三十年了"])
def test_in_a_game_in_which_people_speak_as_others_nobodys_own_words_are_facts(fact: str) -> None:
    talk = [
        {"sender_id": "42", "sender_name": "小林", "text": "来玩武侠的，你演客栈老板娘，我演镖师燕七"},
        {"sender_id": "9", "sender_name": "Undefined", "text": "客官里边请，我开这家客栈三十年了"},
        {"sender_id": "42", "sender_name": "小林", "text": "我叫燕七，押镖十二年没失过手，来壶酒"},
    ]
    item = filed(fact, group=None, recent_messages=talk)
    assert not item["passed"] and item["open"] == [["claim", "played", fact]]


def test_she_is_not_who_says_i_in_the_same_statement() -> None:
    talk = [
        {"sender_id": "43", "sender_name": "小敏", "text": "我周三要去产检"},
        {"sender_id": "42", "sender_name": "小林", "text": "值班你别管了，我替你值两周"},
    ]
    item = filed("我替她值两周班", recent_messages=talk)
    assert not item["passed"] and "小林值" not in item["candidate"]


def test_a_promise_beside_what_the_bot_tells_of_itself_is_nobodys() -> None:
    job = make_job(action_summary="I said I'd message 小林", new_info=["I promised to check in", "I'm moving house"], group=None)
    _, promise, life = by_rules(job, Settings())
    assert (promise["candidate"], promise["passed"]) == ("I promised to check in", False)
    assert (life["candidate"], life["passed"]) == ("小林 is moving house", True)


@pytest.mark.parametrize(
    ("fact", "text", "passed"),
    [
        ("对方想换工作", "小林想换工作", True),
        ("对方周五要去成都", "小林2026-02-27要去成都", True),
        ("对方司机全责", "对方司机全责", False),
        ("对方公司拖欠了三个月工资", "对方公司拖欠了三个月工资", False),
        ("对方的车是黑色的", "对方的车是黑色的", False),
        ("和前女友分手了，对方不肯还钱", "和前女友分手了，对方不肯还钱", False),
        ("我追尾了，对方全责", "我追尾了，对方全责", False),
        ("跟对方吵了一架", "跟对方吵了一架", False),
        ("我帮用户查了天气", "Undefined帮小林查了天气", True),
        ("答应提醒用户吃药", "答应提醒小林吃药", False),
        ("User's mom is a nurse", "小林's mom is a nurse", True),
        ("I'll remind you at 8", "I'll remind you at 8", False),
        ("我明天提醒你吃药", "我2026-02-22提醒你吃药", False),
    ],
)
def test_what_is_done_for_the_user_is_told_by_the_bot_and_a_promise_by_nobody_known(fact: str, text: str, passed: bool) -> None:
    item = filed(fact, group=None)
    assert (item["candidate"], item["passed"]) == (text, passed)


@pytest.mark.parametrize(
    "fact",
    [
        "他每天接我下班",
        "he still owes me money",
        "她跟我分手了",
        "the cat gets her shots on 2026-03-04",
        "他住我隔壁",
        "她比我大三岁",
        "he lives next door to me",
        "she's older than me",
    ],
)
def test_what_is_done_to_a_body_or_its_belongings_is_not_done_to_the_bot(fact: str) -> None:
    item = filed(fact, group=None)
    assert item["candidate"] == fact


def test_who_is_told_of_in_the_same_words_is_not_the_sender() -> None:
    talk = said_in(("小林", "I got the flu and my brother flew in. He got the job"), ("小林", "小美她妈住院了，我妈去看过"))
    for fact, wrong in (("he got the job", "小林 got"), ("她妈住院了", "小林的妈")):
        assert wrong not in filed(fact, group=None, recent_messages=talk)["candidate"]


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        ("我没读过《百年孤独》", "木木没读过《百年孤独》"),
        ("我记下了这件事", "Undefined记下了这件事"),
    ],
)
def test_a_message_that_a_statement_begins_with_tells_whose_it_is(fact: str, text: str) -> None:
    talk = [
        {"sender_id": "42", "sender_name": "小林", "text": "这月读什么好？"},
        {"sender_id": "9", "sender_name": "Undefined", "text": "这个很重要，我记下了"},
        {"sender_id": "44", "sender_name": "木木", "text": "我没读过，支持小林"},
    ]
    item = filed(fact, recent_messages=talk)
    assert (item["candidate"], item["passed"]) == (text, True)


@pytest.mark.parametrize(
    ("facts", "he"),
    [
        (["He has a wife"], True),
        (["Told Trevor off", "He has a wife"], False),
        (["Faith swapped with Joyce", "Her mum has an operation"], False),
        (["His brother moved in", "She has a cat"], True),
        (["Somebody said he'll bring the game"], False),
        (["和男朋友吵架了，因为他要出差"], False),
        (["朋友来过", "他不吃猪肉"], False),
    ],
)
def test_he_is_the_user_only_where_nothing_handed_over_names_another(facts: list[str], he: bool) -> None:
    *_, last = by_rules(make_job(action_summary="", new_info=facts, group=None), Settings())
    assert (last["source"].lower() != last["candidate"].lower() and "小林" in last["candidate"].split("：")[-1]) is he


@pytest.mark.parametrize("fact", ["neither", "that one's better than the last", "另一个更好看", "终于到了"])
def test_what_goes_on_from_other_words_is_open_with_its_speaker(fact: str) -> None:
    assert not filed(fact, group=None)["passed"]
