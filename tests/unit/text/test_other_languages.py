"""Texts that are neither English nor Chinese, and words of other languages within those that are."""

from __future__ import annotations

import re
import unicodedata

import pytest
from historian.schema.names import Names
from historian.schema.settings import Settings
from historian.text.borders import whole_word
from historian.text.job_verdicts import by_rules
from historian.text.language import is_other_language
from historian.text.references.people import find_people
from historian.text.rewriting.rewriting import draft
from historian.text.time_expressions import find_relative
from hypothesis import given
from hypothesis import strategies as st
from support.jobs import make_job
from support.tables import rows

ROWS = [(row["language"], row["text"]) for row in rows("languages")]
OTHERS = [text for language, text in ROWS if language == "other"]
ANN = Names("Clio", "Ann", "1")


@pytest.mark.parametrize(("language", "text"), ROWS)
def test_the_language_of_a_sentence_is_known_where_it_is_neither_english_nor_chinese(
    language: str, text: str
) -> None:
    assert is_other_language(text) is (language == "other")


@pytest.mark.parametrize("text", OTHERS)
@pytest.mark.parametrize("kind", ["action_summary", "new_info"])
def test_a_text_in_another_language_is_filed_as_it_was_said_and_is_not_absolute(
    kind: str, text: str
) -> None:
    texts = {"action_summary": "", "new_info": [], kind: [text] if kind == "new_info" else text}
    job = make_job(group=None, user_name="Ann", bot_name="Clio", **texts)
    (item,) = by_rules(job, Settings())
    assert (item["candidate"], item["passed"], item["rewritten_by"]) == (text, False, "none")
    assert [one["kind"] for one in item["violations"]] == ["language"]


def test_what_a_member_said_in_another_language_is_filed_with_its_speaker() -> None:
    said = [{"sender_id": "43", "sender_name": "Ben", "text": "Me gusta el té verde"}]
    job = make_job(
        action_summary="", new_info=["Me gusta el té verde"], recent_messages=said, user_name="Ann"
    )
    (item,) = by_rules(job, Settings())
    assert (item["candidate"], item["said_by"]) == ("Me gusta el té verde", "43")


def test_a_name_of_the_conversation_does_not_make_a_text_foreign() -> None:
    job = make_job(
        action_summary="",
        new_info=["María de la Cruz is a nurse"],
        group=None,
        user_name="María de la Cruz",
    )
    (item,) = by_rules(job, Settings())
    assert item["passed"]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I love crème brûlée", "Ann loves crème brûlée"),
        ("I met Noémie's uncle", "Ann met Noémie's uncle"),
        (
            "I live near Łódź, where I like the fête",
            "Ann lives near Łódź, where Ann likes the fête",
        ),
        ("My cousin is called Hàmi", "Ann's cousin is called Hàmi"),
        ("I read about hér", "Ann read about hér"),
        ("我喜欢crème brûlée", "Ann喜欢crème brûlée"),
        ("我在 Ímyu 工作", "Ann在 Ímyu 工作"),
    ],
)
def test_no_pronoun_is_found_within_a_word_with_accents(
    form: str, text: str, expected: str
) -> None:
    given_text = unicodedata.normalize(form, text)
    assert draft(given_text, ANN, "fact").text == unicodedata.normalize(form, expected)


@pytest.mark.parametrize(
    "text",
    ["He eats éjune and maÿ", "She likes the rosémonday", "He cooks sept\u0301", "He is in Nowý"],
)
def test_no_time_is_found_within_a_word_with_accents(text: str) -> None:
    assert find_relative(text) == []


def test_a_name_with_accents_is_a_person_and_whole() -> None:
    assert [one.name for one in find_people("José knows that Łukasz Nowak said no")] == [
        "José",
        "Łukasz Nowak",
    ]
    assert draft("José said he is tired", ANN, "fact").text == "José said he is tired"
    assert (
        draft("I like Joséphine", Names("Clio", "José", "1"), "fact").text == "José likes Joséphine"
    )


@given(
    st.sampled_from("éộłñßøéЖ"),
    st.sampled_from(["me", "him", "her", "I", "us", "his"]),
    st.booleans(),
)
def test_a_pronoun_that_touches_a_letter_of_any_alphabet_is_none(
    letter: str, pronoun: str, before: bool
) -> None:
    word = unicodedata.normalize("NFC", letter + pronoun if before else pronoun + letter)
    text = f"Tom said that the {word} works"
    assert draft(text, ANN, "action").text == text


@given(st.sampled_from(["Ann", "José", "Łukasz", "Żółć"]), st.sampled_from("aéłộЖ\u0301"))
def test_a_name_is_found_beside_chinese_and_not_within_a_longer_word(
    name: str, letter: str
) -> None:
    pattern = re.compile(whole_word(name))
    assert pattern.search(f"我和{name}的猫")
    assert not pattern.search(f"the {name}{letter}") and not pattern.search(f"the x{letter}{name}")
