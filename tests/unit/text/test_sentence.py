"""A text with all that is found in it: each thing once, and the same after an edit as in the edited text by itself."""

from __future__ import annotations

from typing import Any

import pytest
from historian.schema.names import Names
from historian.text import sentence as sentences
from historian.text.references.types import Reference
from historian.text.sentence import Sentence, as_sentence

NAMES = Names(
    bot_name="Clio",
    user_name="Ann",
    user_id="7",
    group_id="42",
    others=("小林", "here"),
    glossary=("我的世界",),
)


def _found(sentence: Sentence) -> list[tuple[int, int]]:
    return [
        (one.start, one.end) for one in (*sentence.times, *sentence.references, *sentence.people)
    ]


def test_names_glossary_and_quotations_are_protected_and_names_that_are_pronouns_are_not() -> None:
    text = "小林 plays 我的世界 with “him” here, group 42"
    spans = Sentence(text, NAMES).protected
    assert [text[start:end] for start, end in spans] == ["小林", "我的世界", "“him”", "group 42"]


def test_times_references_and_people_stand_in_order_with_the_people_before_them() -> None:
    sentence = Sentence("小林昨天说他在这里等Ann", NAMES)
    assert [sentence.text[one.start : one.end] for one in sentence.times] == ["昨天"]
    assert [(one.text, one.antecedents) for one in sentence.references] == [
        ("他", ("小林",)),
        ("这里", ()),
    ]
    assert [one.name for one in sentence.people] == ["小林", "Ann"]


def test_a_name_beside_a_stand_in_says_who_that_is() -> None:
    assert Sentence("小林这个人很好", NAMES).references == []
    assert [one.text for one in Sentence("这个人很好", NAMES).references] == ["这个人"]


@pytest.mark.parametrize("text", ["Me gusta mucho el té de mi madre", "彼は東京に行くのです"])
def test_nothing_is_read_in_another_language_unless_one_was_chosen(text: str) -> None:
    assert Sentence(text).is_other_language
    assert Sentence(text).times == Sentence(text).references == []
    assert not Sentence(text, language="en").is_other_language


def test_an_edited_sentence_finds_what_its_text_holds() -> None:
    sentence = Sentence("She told “him” that 小林 comes to `here` tomorrow, Clio.", NAMES)
    edits = [(0, 3, "Ann"), (39, 47, "on 2026-02-21")]
    changed = sentence.edited(edits)
    assert changed.text == "Ann told “him” that 小林 comes to `here` on 2026-02-21, Clio."
    again = Sentence(changed.text, NAMES)
    assert changed.protected == again.protected
    assert _found(changed) == _found(again)


def test_a_name_that_is_a_pronoun_is_written_as_a_quotation_and_protected() -> None:
    changed = Sentence("He is shy", NAMES).edited([(0, 2, "“here”")])
    assert changed.protected == [(0, 6)] == Sentence(changed.text, NAMES).protected
    assert changed.references == []


def test_a_span_is_protected_no_more_where_it_was_replaced() -> None:
    assert Sentence("See `a` and `b`").edited([(4, 7, "it")]).protected == [(11, 14)]


def test_each_thing_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = sentences.deictic_words

    def counted(text: str, *given: Any) -> list[Reference]:
        asked.append(text)
        return real(text, *given)

    monkeypatch.setattr(sentences, "deictic_words", counted)
    sentence = Sentence("小林昨天说他在这里等Ann", NAMES)
    for _ in range(2):
        _found(sentence)
        assert sentence.language == "zh"
    assert not sentence.is_other_language
    changed = sentence.edited([(2, 4, "2026-02-20")])
    _found(changed), _found(changed)
    assert asked == [sentence.text, changed.text]


def test_a_text_without_an_edit_is_the_same_sentence() -> None:
    sentence = Sentence("Ann left", NAMES)
    assert sentence.edited([]) is sentence is sentence.beside("Ann left") is as_sentence(sentence)
    assert as_sentence("Ann left", NAMES).people == sentence.people
