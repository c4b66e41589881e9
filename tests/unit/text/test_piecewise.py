"""What is found piece by piece is what one search finds."""

import re

import pytest
from historian.text.piecewise import PIECE, REACH, matches, pieces
from historian.text.protected import _QUOTE_MARK, _compiled_atoms
from historian.text.references.chinese import _pattern
from historian.text.references.english import _DEICTIC
from historian.text.search_words import last_characters, search_tokens
from support.adversarial import FAMILIES

LONG = 2 * PIECE + 2 * REACH
PATTERNS = {
    "atoms": _compiled_atoms(),
    "quotation marks": _QUOTE_MARK,
    "English": _DEICTIC,
    "Chinese": _pattern(),
    "words": re.compile(r"\w+"),
    "ends": re.compile(r"\w*$"),
    "lines": re.compile(r"(?m)^.*$"),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_every_pattern_finds_in_pieces_what_it_finds_at_once(name: str) -> None:
    pattern, families = PATTERNS[name], list(FAMILIES.items())
    for family, made in families[list(PATTERNS).index(name) % 4 :: 4]:
        text = made(LONG, 1)
        at_once = [match.span() for match in pattern.finditer(text, 3)]
        assert [match.span() for match in matches(pattern, text, 3)] == at_once, family


def test_a_match_across_pieces_is_whole() -> None:
    text = "x" * (PIECE - 10) + " " + "y" * (PIECE + 2 * REACH) + " z"
    assert [match.group()[0] for match in matches(re.compile(r"\w+"), text)] == ["x", "y", "z"]
    assert [len(match.group()) for match in matches(re.compile(r"y+"), text)] == [PIECE + 2 * REACH]


def test_an_end_of_a_piece_is_no_end_of_the_text() -> None:
    text = "a " * PIECE
    assert not list(matches(re.compile(r"a \Z(?<=b )"), text))
    assert [match.start() for match in matches(re.compile(r"\s\Z"), text)] == [len(text) - 1]


def test_pieces_add_up_to_the_text_and_are_cut_between_words() -> None:
    text = "tea 喝茶，" * PIECE
    cut = list(pieces(text))
    assert "".join(cut) == text
    assert max(map(len, cut)) <= PIECE and all(piece[-1] in " ，" for piece in cut)
    assert list(pieces("")) == [""]
    assert "".join(pieces("a" * LONG)) == "a" * LONG


@pytest.mark.parametrize(
    "text",
    ["RTX4090 costs 1,000 in 2026-02-20, " * 400, "昨天下午我和小林去北京，看了三体。" * 400],
)
def test_a_long_text_has_the_terms_of_its_sentences(text: str) -> None:
    sentence = text[: len(text) // 400]
    assert search_tokens(text) == search_tokens(sentence) * 400
    assert last_characters(text) == last_characters(sentence)
