"""Which parts of a text no rule may touch."""

import pytest
from historian.text.protected import merge_spans, overlaps, protected_spans


def pieces(text: str, *glossary: str) -> list[str]:
    return [text[start:end] for start, end in protected_spans(text, glossary)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("看《今天》和「他」", ["《今天》", "「他」"]),
        ("他说“我来了”就走", ["“我来了”"]),
        ('他说"我去"了', ['"我去"']),
        ("don't touch Tom's, the users' choice", []),
        ("he said 'here we go' twice", ["'here we go'"]),
        ("‘it’s mine’ she said", ["‘it’s mine’"]),
        ("外层「里面『我』还有」结束", ["「里面『我』还有」"]),
        ("没有关上的“引号我们", []),
        ('6\'2" tall, "I am"', ['"I am"']),
        ('the game "Today 2" is out, the screen 27" wide', ['"Today 2"']),
        ("run `rm me` and ```\nI\n``` now", ["`rm me`", "```\nI\n```"]),
        ("unclosed `code here", []),
        ("see https://a.com/me?x=1, or a.b@c.com.", ["https://a.com/me?x=1", "a.b@c.com"]),
        ("www.here.com 和 example.org/this", ["www.here.com", "example.org/this"]),
        ("@小明 你好，@Tom我觉得", ["@小明", "@Tom"]),
        ("@小明我觉得可以", ["@小明"]),
        ("[CQ:at,qq=10001] <@123> :here:", ["[CQ:at,qq=10001]", "<@123>", ":here:"]),
        ("/home/me/here.txt 和 src/my/app.py", ["/home/me/here.txt", "src/my/app.py"]),
        ("and/or he/she 今天/明天 3.5 12:30", []),
        ("升级到 v1.2.3 和 10.0.2", ["v1.2.3", "10.0.2"]),
        ("#我的世界# 和 #here", ["#我的世界#", "#here"]),
        ("", []),
    ],
)
def test_quotations_code_addresses_and_ids_are_protected(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


def test_glossary_words_are_protected_with_their_case_and_at_word_borders() -> None:
    assert pieces("Here and here, Heres, 他乡来了", "Here", "他乡") == ["Here", "他乡"]


def test_a_quotation_mark_inside_a_name_or_code_opens_nothing() -> None:
    assert pieces('`"` 我们 "他"') == ['`"`', '"他"']
    assert pieces('5" 说 "他"', '5"') == ['5"', '"他"']


def test_spans_are_merged_and_found_again() -> None:
    spans = merge_spans([(5, 7), (0, 2), (2, 4), (6, 9)])
    assert spans == [(0, 4), (5, 9)]
    assert overlaps(spans, 3, 5)
    assert not overlaps(spans, 4, 5)
    assert not overlaps(spans, 9, 12)
