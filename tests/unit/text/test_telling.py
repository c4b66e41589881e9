"""What a statement tells, and what of it can go."""

from __future__ import annotations

import pytest
from historian.schema.names import Names
from historian.text.telling import TELLS, compact, telling, told_in, undated

ZH = Names(bot_name="小史", user_name="阿明", user_id="42")
EN = Names(bot_name="Nova", user_name="Tom", user_id="42")


@pytest.mark.parametrize(
    ("names", "more", "less"),
    [
        (EN, "Tom: Tom adopted a greyhound named Rocket on 2026-02-20", "Nova: Wow, that's so cool, Tom!"),
        (EN, "Tom: Tom is allergic to peanuts", "Tom: Nova's support means a lot to Tom"),
        (EN, "Tom: Tom plans to run the Berlin marathon", "Nova: Can't wait to hear how it goes!"),
        (EN, "Nova: Nova won first place at the chess club", "Tom: Did Nova win anything at the chess club?"),
        (ZH, "阿明: 阿明2026-02-20领养了一只猫，叫年糕", "小史: 哇，太棒了，真为阿明高兴"),
        (ZH, "阿明: 阿明打算3月去日本，预算八千", "小史: 听起来很不错呀"),
        (ZH, "阿明: 阿明对花生过敏", "小史: 阿明想聊什么呢？"),
    ],
)
def test_facts_plans_and_events_tell_more_than_praise_thanks_and_questions(names: Names, more: str, less: str) -> None:
    assert telling(more, names) >= TELLS > telling(less, names)


def test_nothing_tells_nothing() -> None:
    assert telling("", EN) == telling("Tom: !!!", EN) == 0.0
    assert told_in("Nova: Wow! That's great, Tom!", EN) == ("", 0.0)


def test_of_a_line_the_sentences_that_tell_stay_with_who_said_them() -> None:
    text, worth = told_in("Tom: Hey Nova! Tom bought a kiln in Bonn. It's so exciting! What's new?", EN)
    assert text == "Tom: Tom bought a kiln in Bonn" and worth >= TELLS
    assert told_in("阿明: 哈哈哈！阿明在杭州买了一台窑炉。真好！", ZH)[0] == "阿明: 阿明在杭州买了一台窑炉"


@pytest.mark.parametrize(
    ("sentence", "short"),
    [
        ("Yeah, Tom ran a race in Bonn - it was really rewarding!", "Tom ran a race in Bonn"),
        ("Tom met Eva at the lake. a photo of a dog on a beach", "Tom met Eva at the lake"),
        ("a photography of two turtles on a log", ""),
        ("In the week of 2026-02-09 to 2026-02-15 Tom met Eva", "In the week of 2026-02-09 Tom met Eva"),
        ("Tom left Siemens - the project was cancelled in May", "Tom left Siemens - the project was cancelled in May"),
        ("It's like a picture of all Tom's years in Bonn", "It's like a picture of all Tom's years in Bonn"),
    ],
)
def test_interjections_captions_and_remarks_go_and_what_tells_stays(sentence: str, short: str) -> None:
    assert compact(sentence, EN) == short


@pytest.mark.parametrize(
    ("line", "bare"),
    [
        ("阿明2026-02-20前后在练《晴天》", "阿明在练《晴天》"),
        ("阿明：2026-02-20 晚上吃了火锅", "阿明：晚上吃了火锅"),
        ("2026-02-20至2026-02-22阿明去了北京", "2026-02-20至2026-02-22阿明去了北京"),
        ("阿明2026-02-21前后在练《晴天》", "阿明2026-02-21前后在练《晴天》"),
        ("On 2026-02-20, Tom met Eva", "Tom met Eva"),
        ("Tom is (as of 2026-02-20) in Bonn", "Tom is in Bonn"),
    ],
)
def test_what_a_date_before_the_line_says_goes_out_of_it(line: str, bare: str) -> None:
    assert undated(line, "2026-02-20") == bare
