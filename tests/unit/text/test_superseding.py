"""What a new statement ends of a former one, and what it must not end."""

import time

import pytest
from historian.text.superseding import (
    Statement,
    change_by,
    could_end,
    links_of,
    matters_of,
    may_concern,
    same_subject,
)
from historian.text.superseding.statement import terms_of

PEOPLE = ("Ann", "Tom", "Clio", "小林", "阿明", "李明", "李敏", "小史")


def change(old: str, new: str) -> str:
    return change_by(Statement(new, PEOPLE), Statement(old, PEOPLE))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ann lives in Lisbon", "Ann moved to Vienna"),
        ("小林在腾讯当程序员", "小林跳槽到字节"),
        ("小林在一家律所做助理", "小林跳槽到字节"),
        ("小林养了一只叫年糕的猫", "年糕跑丢了"),
        ("Ann has a cat", "Ann's cat ran away"),
        ("Ann is engaged to Tom", "Ann got married to Tom on the beach"),
        ("Ann plays the flute in the school band", "Ann traded the flute for a trombone because the band had too few"),
        ("Ann has an account at Barings", "Ann shut the account at Barings"),
        ("Ann lives in Lisbon", "Ann moved from Lisbon to Porto on 2026-04-01"),
        ("Ann lives in Lisbon", "Ann lives in Vienna"),
        ("Ann moved to Vienna", "Ann moved back to Lisbon"),
        ("Ann likes coffee", "Ann no longer likes coffee"),
        ("Ann likes coffee", "Ann is not into coffee any longer"),
        ("Ann likes coffee", "Ann likes coffee no more"),
        ("Ann no longer likes coffee", "Ann likes coffee again"),
        ("Ann works as a barista", "Ann retired"),
        ("Ann works at Acme", "Ann joined Initech"),
        ("Ann's phone is a Pixel 6", "Ann's phone is a Galaxy S24"),
        ("Ann's brother lives in Leeds", "Ann's brother moved to York"),
        ("Ann takes pottery classes", "Ann quit the pottery classes"),
        ("Ann plans to go to Lisbon in May", "Ann cancelled the trip to Lisbon"),
        ("The launch is planned for 2 October", "The launch slips to 16 October"),
        ("The door code is 7719", "The door code is 2084"),
        ("Ann has a dog called Biscuit", "Biscuit passed away"),
        ("Ann hates mushrooms", "Ann loves mushrooms"),
        ("Ann's flight leaves on 3 May", "Ann's flight has been moved to 5 May"),
        ("Ann is allergic to nuts", "Ann can eat nuts again after the therapy"),
        ("小林早上喝豆浆", "小林早上改喝燕麦奶"),
        ("周五聚餐定在海底捞", "周五聚餐换到了西贝"),
        ("小林住在北京", "小林搬到了上海"),
        ("小林住在北京", "小林住在上海"),
        ("小林住北京", "小林现在住上海"),
        ("小林喜欢喝咖啡", "小林不再喝咖啡"),
        ("小林在腾讯上班", "小林从腾讯辞职了"),
        ("小林计划五一去敦煌玩", "小林五一不去敦煌了"),
        ("小林的婚礼定在5月18日", "小林的婚礼推迟到6月8日"),
        ("小林用的手机是小米13", "小林的手机是一台iPhone 16"),
        ("小林开一辆旧捷达", "小林把捷达卖了"),
        ("小林养了一只叫豆包的仓鼠", "豆包去世了"),
        ("小林在住院", "小林出院了"),
        ("小林有女朋友", "小林分手了"),
    ],
)
def test_a_change_ends_the_former_fact(old: str, new: str) -> None:
    assert change(old, new) == "superseded"


LOOKALIKES = [
    # Who says two things may say them of two subjects, and what is said of two things is true of one of them still.
    ("Ann is engaged to Tom", "Ann and Tom had their wedding on the beach"),
    ("Ann likes coffee", "Ann is glad Tom no longer likes coffee"),
    ("Ann is glad Tom likes coffee", "Ann no longer likes coffee"),
    ("Ann smokes", "Ann is glad that her sister quit smoking"),
    ("Ann has a dog", "Ann pointed out that Tom never had a dog"),
    ("Ann has a dog", "Ann pointed out that Priya never had a dog"),
    ("小林喜欢咖啡", "小林很高兴阿明不再喝咖啡"),
    ("小林抽烟", "小林的姐姐戒烟了"),
    ("小林和女朋友小雅在一起三年了", "小林和小雅分手了"),
    ("Ann lives in Lisbon and is allergic to nuts", "Ann moved to Vienna"),
    ("Ann is allergic to nuts and lives in Lisbon", "Ann can eat nuts again"),
    ("小林住在北京，对花生过敏", "小林搬到了上海"),
    ("Ann likes tuna", "Ann's cat no longer likes tuna"),
    ("Ann's cat likes tuna", "Ann no longer likes tuna"),
    ("Ann likes tea", "Ann likes cocoa and her sister no longer likes tea"),
    ("Ann lives in Lisbon", "Ann no longer lives in Vienna"),
    ("Ann lives in Lisbon", "Ann has never lived in Vienna"),
    ("Ann lives in Lisbon", "Ann is proud that her sister moved to Vienna"),
    ("Ann lives in Lisbon", "Ann is proud, her sister moved to Vienna"),
    ("Ann lives in Lisbon", "Anna moved to Vienna"),
    ("Ann lives in Lisbon", "Ann lives on the third floor"),
    ("Ann lives in Lisbon", "Ann moved to a bigger flat"),
    ("Ann works at Acme", "Ann works at a bank"),
    ("小林住在北京", "小林住三楼"),
    ("小林住在北京", "小林搬到了一间大公寓"),
    ("小林住在北京", "小林没搬到上海"),
    ("Ann goes to the gym on Mondays", "Ann goes to the gym on Thursdays"),
    ("小林住在北京", "小林很高兴，姐姐搬到了上海"),
    ("小林在读书会当会长", "小林跳槽到字节"),
    ("小林在家做饭", "小林跳槽到字节"),
    ("Ann has a dog", "Ann ran away from Tom's dog"),
    ("Ann likes coffee and jazz", "Ann no longer likes coffee"),
    ("小林喜欢咖啡和爵士乐", "小林不喝咖啡了"),
    ("Ann reads science fiction", "Ann finished a science fiction trilogy"),
    ("Ann plays the violin", "Ann lost the bow of the violin"),
    ("Ann has a car", "Ann does not take the car on Sundays in summer"),
    ("Ann has a bike", "Ann left the bike at the station"),
    ("Ann's train leaves at 7:52 in May", "Ann's train was full in May"),
    ("小林在学吉他", "小林给吉他换了琴弦"),
    ("小林用的手机是小米13", "小林改用筷子吃饭"),
    ("小林在考驾照", "小林的英语考试通过了"),
    ("Ann likes tea", "Ann no longer likes coffee"),
    ("Ann plays tennis", "Ann stopped playing the cello"),
    ("Ann eats fish", "Ann no longer eats meat"),
    ("小林喜欢茶", "小林不再喜欢咖啡"),
    ("小林吃鱼", "小林不吃肉了"),
    ("Ann likes coffee", "Ann also likes tea"),
    ("Ann has a dog called Biscuit", "Ann has a second dog called Moose"),
    ("Ann lives in Lisbon", "Tom moved to Vienna"),
    ("Ann lives in Lisbon", "Ann's sister moved to Vienna"),
    ("Ann's sister lives in Lisbon", "Ann moved to Vienna"),
    ("Ann lives in Lisbon", "Ann joked that she moved to the moon"),
    ("Ann lives in Lisbon", "Ann might move to Vienna"),
    ("Ann lives in Lisbon", "Ann plans to move to Vienna in May"),
    ("Ann lives in Lisbon", "If Ann got the job she would move to Vienna"),
    ("Ann lives in Lisbon", "Ann is visiting Vienna for a week"),
    ("Ann lives in Lisbon", "Ann used to live in Vienna"),
    ("Ann lives in Lisbon", "Ann lives in the old town of Lisbon"),
    ("Ann moved to Vienna", "Ann lives in Vienna now"),
    ("Ann lives in Lisbon", "Ann works at Acme"),
    ("Ann works at Acme", "Ann works as an engineer"),
    ("Ann lives in Lisbon", "Ann moved the sofa to the balcony"),
    ("Ann likes coffee", "Ann's boss no longer likes coffee"),
    ("Ann likes coffee", "Ann bought a new coffee machine"),
    ("Ann's phone is a Pixel 6", "Ann's phone is black"),
    ("Ann's brother is a dentist", "Ann's brother is in Leeds"),
    ("Ann ran 5 km", "Ann ran 8 km"),
    ("Apples cost 3 euros a kilo", "Pears cost 4 euros a kilo"),
    ("Ann does not drink", "Ann keeps a bottle of port for guests"),
    ("Ann goes to work by bike", "Ann sold a painting"),
    ("Ann likes Vienna", "Ann moved to Vienna"),
    ("Ann has two children", "Ann changed the children's room"),
    ("Ann plays the cello", "Ann stopped at the cello shop to say hello"),
    ("小林喜欢咖啡", "小林也喜欢茶"),
    ("小林养了一只猫", "小林又养了一只狗"),
    ("小林住在北京", "小林的大学同学搬到了深圳"),
    ("小林住在北京", "阿明搬到了上海"),
    ("李明在东莞开五金店", "李敏把在惠州的店关了"),
    ("小林住在贵阳", "小林这周在西安出差，住在钟楼旁边"),
    ("小林住在北京", "小林打算明年搬到上海"),
    ("小林住在北京", "小林开玩笑说要搬到火星"),
    ("小林住在北京", "小林以前住在上海"),
    ("小林住在北京", "小林住在北京朝阳区"),
    ("小林住在北京", "要是涨了工资小林就搬到上海"),
    ("小林有一台佳能相机", "小林的老公换了一台索尼相机"),
    ("小林不喝酒", "小林家里收藏了几瓶茅台"),
    ("车厘子每箱98元", "草莓每盒35元"),
    ("小林的男朋友叫周航", "小林和男同事周杭一起去见客户"),
    ("小林在腾讯上班", "小林的职位是产品经理"),
    ("小林把书搬到了客厅", "小林把椅子搬到了阳台"),
    ("小林住在北京", "小林把沙发搬到了客厅"),
    ("小林喜欢跑步", "小林换了一双跑步鞋"),
    ("小林住在杭州滨江", "小林的公司搬到了未来科技城"),
    ("小林拿到了一家公司的录用通知", "小林搬进公司宿舍"),
    ("Ann collects recipes", "Ann traded recipes with Tom"),
    ("Ann joined a choir in May", "Ann joined a gym and goes there twice a week"),
    ("小林加入了合唱团", "小林加入了登山俱乐部"),
    ("Ann won a chess tournament", "Ann's chess tournament got pushed back, so she baked"),
    ("Ann recently had a picnic with her mother", "Ann has recently graduated"),
    ("Ann has recently graduated", "Ann has noticed increased strength since May"),
    ("Ann helps at the shelter and does yoga", "Ann donated her old car to the shelter"),
    ("Ann finds it hard to write the last scene of her play", "Ann finished her play and sent it off"),
    ("Ann has three cats and a parrot", "Ann is 31"),
    ("小林养了两只猫", "小林31岁"),
]


@pytest.mark.parametrize(("old", "new"), LOOKALIKES)
def test_what_only_looks_like_a_change_ends_nothing(old: str, new: str) -> None:
    assert change(old, new) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ann's train leaves at 7:52", "Ann corrected it: the train leaves at 8:52"),
        ("Ann ordered the prawn curry", "Ann pointed out that it wasn't her who ordered the prawn curry"),
        ("小林的航班是MU5137", "小林说看错了，航班是MU5173"),
        ("小林的哥哥是牙医", "小林：我哥其实是口腔技师，不是牙医，你记错了"),
    ],
)
def test_a_correction_takes_back_what_was_said(old: str, new: str) -> None:
    assert change(old, new) == "corrected"


def test_a_correction_without_its_topic_takes_back_nothing() -> None:
    before = [Statement(text, PEOPLE) for text in ("Ann's train leaves at 7:52", "Ann's gate closes at 7:40")]
    assert links_of(Statement('Ann said "no, I meant 8:52"', PEOPLE), before) == []


def test_a_correction_takes_back_what_it_shares_most_words_with() -> None:
    before = [Statement(text, PEOPLE) for text in ("Ann quilts by hand", "Ann's quilt took second prize at the fair")]
    new = Statement("Ann rang: they had mixed up the ribbons, her quilt won first prize at the fair", PEOPLE)
    assert links_of(new, before) == [(1, "corrected")]


def test_a_correction_may_name_the_time_of_what_it_takes_back() -> None:
    assert change("小林老家是湖南的", "小林说他不是湖南的，2025-03-23之前那次打错字了") == "corrected"
    assert change("小林住在湖南", "小林以前住在湖北") == ""


def test_the_number_in_a_name_is_part_of_the_name() -> None:
    pair = [Statement(text, ("201王姐",)) for text in ("201王姐搬去女儿那边", "201王姐保管储物间的密码")]
    assert change_by(*pair) == ""


def test_a_model_may_end_only_what_is_about_the_same_subject_and_topic() -> None:
    old = Statement("Ann lives in Lisbon", PEOPLE)
    assert could_end(Statement("Ann has settled in Vienna", PEOPLE), old)
    assert not could_end(Statement("Tom has settled in Vienna", PEOPLE), old)
    assert not could_end(Statement("Ann likes tea", PEOPLE), old)
    assert could_end(Statement("Ann likes tea", PEOPLE), old, 0.6)
    assert not could_end(Statement("Tom likes tea", PEOPLE), old, 0.6)


@pytest.mark.parametrize(
    ("new", "may"),
    [
        ("Ann gave her keys back to the landlord", True),
        ("The landlord has let the flat to somebody else", True),
        ("Tom gave his keys back to the landlord", False),
        ("Ann might give her keys back", False),
        ("Ann lives in Lisbon", False),
    ],
)
def test_a_model_is_asked_unless_it_is_about_somebody_else_or_not_so(new: str, may: bool) -> None:
    assert may_concern(Statement(new, PEOPLE), Statement("Ann lives in Lisbon", PEOPLE)) is may


def made(*texts: str) -> list[Statement]:
    return [Statement(text, PEOPLE) for text in texts]


def test_matters_are_told_by_words() -> None:
    assert matters_of("Ann's new flat has a balcony") == {"home"}
    assert matters_of("请小雨吃饭要避开什么？") == {"food"}
    assert matters_of("小雨迁居了") == matters_of("moved") == {"home"}
    assert matters_of("Ann is fond of the sea") == frozenset()


def test_a_place_with_the_character_of_a_relative_in_its_name_is_none() -> None:
    assert Statement("小林在温哥华学粤语", PEOPLE).relative == ""
    assert Statement("小林的表哥在温哥华", PEOPLE).relative == "表哥"


@pytest.mark.parametrize(
    ("new", "old", "named", "unnamed"),
    [
        ("Ann lives in Lisbon", "Ann moved to Vienna", True, True),
        ("Ann lives in Lisbon", "Tom moved to Vienna", False, False),
        ("The doctor raised Ann's dose", "Ann takes 5 mg", True, True),
        ("The doctor raised the dose", "Ann takes 5 mg", False, True),
        ("停车费每月200元", "停车费每月150元", True, True),
        ("停车费每月200元", "电梯坏了", False, True),
    ],
)
def test_the_same_subject_is_named_in_both_or_shares_a_word(new: str, old: str, named: bool, unnamed: bool) -> None:
    pair = made(new, old)
    assert (same_subject(*pair), same_subject(*pair, unnamed=True)) == (named, unnamed)


def test_names_that_do_not_occur_cost_next_to_nothing() -> None:
    people = [f"Member{n:04d}" for n in range(600)]  # more than `re` keeps patterns

    def seconds() -> float:
        begun = time.thread_time()
        assert terms_of("member0007's house in Lisbon is near MEMBER0512", people) == terms_of("house in Lisbon is near", ())
        return time.thread_time() - begun

    assert min(seconds() for _ in range(5)) < 0.01


def test_what_had_happened_and_what_is_said_in_talk_is_ended_by_another_value_alone() -> None:
    new = Statement("Ann's game tournament got pushed back", PEOPLE)
    old = Statement("Ann has a game tournament in May 2026", PEOPLE)
    assert change_by(new, old) == "superseded"
    assert change_by(new, old, values_only=True) == ""
    moved = (Statement("Ann moved to Vienna", PEOPLE), Statement("Ann moved to Lisbon on 2026-02-01", PEOPLE))
    assert change_by(*moved, values_only=True) == "superseded"


def test_a_change_ends_few_former_facts() -> None:
    before = [Statement(f"Ann has a game tournament in {month} 2026", PEOPLE) for month in ("May", "June", "July", "August")]
    assert len(links_of(Statement("Ann's game tournament got pushed back", PEOPLE), before)) == 2


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("小李截至2025-11-21住在深圳", "小李住在杭州"),
        ("小李2025-11-10至2025-11-16搬到北京了", "小李住在杭州"),
        ("小李搬到北京了", "小李截至2025-11-21住在深圳"),
        ("Ann around 2025-11-21 moved to Berlin", "Ann lives in Leeds"),
        ("Ann has (as of 2025-11-21) moved to Berlin", "Ann lives in Leeds"),
        ("Ann moved to York", "Ann is (as of 2025-11-21) living in Leeds"),
        ("Ann got divorced", "Ann is married to Tom"),
    ],
)
def test_when_it_was_so_is_no_part_of_what_is_so(new: str, old: str) -> None:
    people = ("Ann", "小李")
    assert change_by(Statement(new, people), Statement(old, people)) == "superseded"
