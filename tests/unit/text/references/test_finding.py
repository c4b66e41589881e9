"""Which words are references, and which only look like one."""

import pytest
from historian.schema.names import Names
from historian.text.references.finding import is_deictic_name
from historian.text.references.people import find_people
from historian.text.references.types import Reference
from historian.text.sentence import Sentence
from support.tables import cases


def find_references(
    text: str, people: tuple[str, ...] = (), bot: str = "", glossary: tuple[str, ...] = ()
) -> list[Reference]:
    return Sentence(text, Names(bot_name=bot, others=people, glossary=glossary)).references


@pytest.mark.parametrize("case", cases("text/references"))
def test_references_are_found_with_their_exact_spans(case: dict[str, str]) -> None:
    text = case["text"]
    found = find_references(text, people=("Tom",))
    assert " | ".join(reference.text for reference in found) == case["references"]
    assert all(text[reference.start : reference.end] == reference.text for reference in found)


@pytest.mark.parametrize("case", cases("text/people"))
def test_people_and_antecedents_are_found(case: dict[str, str]) -> None:
    """Of a row the filled one of `antecedents` (those of the last pronoun) and `people` is compared; "-" is none."""
    text = case["text"]
    if case["antecedents"]:
        *_, last = [
            found for found in find_references(text, bot="Undefined") if found.person == "third"
        ]
        assert (" | ".join(last.antecedents) or "-") == case["antecedents"]
    else:
        assert (" | ".join(mention.name for mention in find_people(text)) or "-") == case["people"]


def test_known_names_are_found_whatever_they_look_like() -> None:
    assert [mention.name for mention in find_people("喵喵酱 said hi", ("喵喵酱",))] == ["喵喵酱"]


@pytest.mark.parametrize(
    "text", ["小王和小李说他们会来", "The cats know they are cute", "买了新相机，它很贵"]
)
def test_a_plural_or_a_thing_named_before_anchors_the_pronoun(text: str) -> None:
    assert [found.anchored for found in find_references(text)] == [True]


def test_glossary_words_are_no_references_but_a_name_that_is_only_a_pronoun_hides_nothing() -> None:
    assert find_references("我是谁发了图，他乡也是", glossary=("我是谁", "他乡")) == []
    assert [found.text for found in find_references("我发了图", glossary=("我",))] == ["我"]
    assert is_deictic_name("Here")
    assert not is_deictic_name("我是谁")


def test_english_in_a_chinese_text_counts_only_as_a_sentence() -> None:
    assert find_references("今天 here 地图更新了，me 也更新了") == []
    assert [found.text for found in find_references("小王发了一句 I love you so much 就走了")] == [
        "I",
        "you",
    ]


def test_a_name_whose_lower_case_is_longer_than_itself_is_no_error() -> None:
    """`"İ".lower()` has two characters: offsets taken in one do not fit the other."""
    for text in ("İ said hello", "İpek told İ about it", "he met İstanbul's İ"):
        for reference in find_references(text, people=("İ", "İpek")):
            assert text[reference.start : reference.end] == reference.text
