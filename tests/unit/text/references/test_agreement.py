"""English verbs in the third person."""

import pytest
from historian.text.references.agreement import is_base_form, third_person


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        ("like", "likes"),
        ("try", "tries"),
        ("play", "plays"),
        ("watch", "watches"),
        ("go", "goes"),
        ("have", "has"),
        ("do", "does"),
        ("miss", "misses"),
        ("fix", "fixes"),
        ("don't", "doesn't"),
        ("am", "is"),
    ],
)
def test_a_base_form_gets_its_third_person(verb: str, expected: str) -> None:
    assert third_person(verb) == expected


@pytest.mark.parametrize(
    "word", ["went", "could", "liked", "the", "Tom", "likes", "running", "with", "read"]
)
def test_past_forms_modals_and_other_words_are_no_base_form(word: str) -> None:
    assert not is_base_form(word)


@pytest.mark.parametrize("word", ["need", "bring", "like", "discuss", "gotta"])
def test_verbs_that_look_like_past_or_participle_are_base_forms(word: str) -> None:
    assert is_base_form(word)
