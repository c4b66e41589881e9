from historian.text.profiles.rules import MAX_BULLETS, has_lasting_topic, is_about, merge_facts


def test_facts_become_bullets_newest_last_and_none_twice() -> None:
    once = merge_facts("", ["阿明喜欢茶", "阿明会弹吉他"])
    assert once == "- 阿明喜欢茶\n- 阿明会弹吉他"
    assert merge_facts(once, ["阿明喜欢茶。"]) == "- 阿明会弹吉他\n- 阿明喜欢茶。"


def test_a_fact_that_comes_as_an_item_of_a_list_gets_one_mark_and_no_second() -> None:
    assert merge_facts("", ["- 阿明喜欢茶", "• Ann plays chess"]) == "- 阿明喜欢茶\n- Ann plays chess"
    assert merge_facts("- - 阿明喜欢茶", ["阿明会弹吉他"]) == "- 阿明喜欢茶\n- 阿明会弹吉他"


def test_prose_written_by_hand_stays_above_the_bullets() -> None:
    assert merge_facts("群里的老朋友。", ["阿明喜欢茶"]) == "群里的老朋友。\n\n- 阿明喜欢茶"


def test_the_oldest_bullets_go_first() -> None:
    summary = merge_facts("", [f"阿明读过第{n}本书" for n in range(MAX_BULLETS + 5)])
    assert len(summary.splitlines()) == MAX_BULLETS and "第4本" not in summary and "第44本" in summary


def test_a_fact_is_about_whoever_opens_it() -> None:
    assert is_about("阿明的妈妈是医生", "阿明")
    assert not is_about("小王喜欢阿明", "阿明")
    assert not is_about("Anna likes tea", "Ann")
    assert not is_about("anything", "")


def test_moving_house_lasts_and_an_exam_does_not() -> None:
    assert has_lasting_topic("阿明2026-02-19搬到了杭州")
    assert not has_lasting_topic("阿明2026-02-22要考试")
