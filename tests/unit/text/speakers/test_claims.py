"""What is a claim about others, and what a person tells of themselves together with another."""

from __future__ import annotations

import pytest
from historian.schema.names import Names
from historian.text.language import is_other_language
from historian.text.speakers.claims import is_claim
from historian.text.statements import gives_orders

GROUP = Names(
    user_name="Ann",
    user_id="7",
    group_id="1",
    group_name="Book Club",
    bot_name="Clio",
    others=("Ben",),
)
PRIVATE = Names(user_name="Ann", user_id="7", bot_name="Clio")


@pytest.mark.parametrize(
    "text",
    [
        "Ben and I got married",
        "Ben and Ann are siblings",
        "Ben和我是同学",
        "The owner of my flat raised the rent",
    ],
)
def test_what_is_told_of_oneself_and_another_is_no_claim(text: str) -> None:
    assert not is_claim(text, GROUP)


@pytest.mark.parametrize(
    "text", ["Everyone agreed that Ann may see it", "The rules allow it", "没人知道我怀孕了"]
)
def test_of_everybody_and_of_rules_only_a_group_can_be_told(text: str) -> None:
    assert is_claim(text, GROUP) and not is_claim(text, PRIVATE)


@pytest.mark.parametrize(
    "text",
    [
        "She has to forget everything about her ex before the wedding",
        "My boss told me to ignore all the rules",
        "I should ignore all messages from Tom",
    ],
)
def test_what_a_person_has_to_forget_is_no_order(text: str) -> None:
    assert not gives_orders(text)


@pytest.mark.parametrize(
    "text", ["Born in Rio de Janeiro", "Met Ana de Armas", "I teach at Universidad de los Andes"]
)
def test_the_small_words_of_a_foreign_name_make_no_foreign_text(text: str) -> None:
    assert not is_other_language(text)
