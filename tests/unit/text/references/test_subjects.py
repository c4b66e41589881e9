"""The speaker before a text that leaves out of whom it tells."""

from typing import Literal

import pytest
from historian.schema.names import Names
from historian.text.rewriting.rewriting import draft
from historian.text.rewriting.subjects import Headed, names_subject, with_speaker
from historian.text.sentence import Sentence
from support.tables import cases

ZH = Names(bot_name="小史", user_name="阿明", user_id="42")
EN = Names(bot_name="Clio", user_name="Ann", user_id="7", others=("Ben",))


def headed(
    text: str, names: Names, item: Literal["action", "fact"] = "fact", speaker: str | None = None
) -> Headed:
    said = Sentence(text, names)
    made = draft(said, names, item)
    who = (names.bot_name if item == "action" else names.user_name) if speaker is None else speaker
    replaced = {one.start for one in made.replaced}
    return with_speaker(said.beside(made.text), said, who, replaced, is_deed=item == "action")


@pytest.mark.parametrize("case", cases("text/subjects"))
def test_a_text_without_a_subject_has_its_speaker_in_front(case: dict[str, str]) -> None:
    """Where `headed` is empty the text names its subject and stays."""
    names, text, expected = ZH if case["language"] == "zh" else EN, case["text"], case["headed"]
    item: Literal["action", "fact"] = "action" if case["kind"] == "action" else "fact"
    made = headed(text, names, item)
    assert made.sentence.text == (expected or text)
    if expected:
        assert headed(expected, names, item).sentence.text == expected
    else:
        assert names_subject(Sentence(text, names)) and not made.is_open


@pytest.mark.parametrize("name", ["不吃香菜的猫", "想去旅行的鱼", "喜欢你"])
def test_a_nickname_that_reads_as_a_predicate_is_a_subject(name: str) -> None:
    told = f"{name}从腾讯离职了"
    assert headed(told, Names(user_name=name)).sentence.text == told
    assert headed("不吃香菜", Names(user_name=name)).sentence.text == f"{name}：不吃香菜"


@pytest.mark.parametrize(
    "text", ["提醒我明天开会", "欠我两百块", "Gave me a book", "Explained recursion to Ann"]
)
def test_what_is_done_to_the_speaker_is_done_by_somebody_unknown(text: str) -> None:
    made = headed(text, EN if text.isascii() else ZH)
    assert made.is_open and not made.sentence.text.startswith(("Ann: ", "阿明："))


def test_a_clause_about_a_thing_needs_no_speaker() -> None:
    assert not headed("Painting is a fun way for Ann to relax", EN, speaker="").is_open


@pytest.mark.parametrize("text", ["Favourite band is Fontaines", "Gets false lows at night"])
def test_without_a_speaker_it_is_open(text: str) -> None:
    made = headed(text, EN, speaker="")
    assert (made.sentence.text, made.is_open) == (text, True)


def test_a_substitute_for_a_name_is_capitalised() -> None:
    assert (
        headed("Likes tea", Names(user_id="42"), speaker="user 42").sentence.text
        == "User 42: Likes tea"
    )
