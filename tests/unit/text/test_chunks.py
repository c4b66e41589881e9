from unittest.mock import patch

import pytest
from historian.text import tokens
from historian.text.tokens import chunk, estimate_tokens
from hypothesis import given
from hypothesis import strategies as st

MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# Heading\n",
            "他昨天来了。",
            "She left at 5 p.m. and Dr. Who came. ",
            "\n\n",
            "- item\n",
            "```\ncode()\n```\n",
            "词" * 40,
            "x" * 90,
        ]
    )
    | st.text(max_size=30),
    max_size=40,
).map("".join)


@given(MARKDOWN, st.integers(1, 60))
def test_the_chunks_are_the_text_in_order_and_nothing_is_lost(text: str, max_tokens: int) -> None:
    pieces, at = chunk(text, max_tokens), 0
    for piece in pieces:
        assert piece == piece.strip() != ""
        assert not text[at : text.index(piece, at)].strip()
        at = text.index(piece, at) + len(piece)
    assert not text[at:].strip()


@given(MARKDOWN, st.integers(4, 60))
def test_the_bound_holds_unless_one_character_exceeds_it(text: str, max_tokens: int) -> None:
    assert all(
        estimate_tokens(piece) <= max_tokens or len(piece) == 1 for piece in chunk(text, max_tokens)
    )


def test_nothing_but_white_space_gives_nothing() -> None:
    assert chunk(" \n\n\t") == chunk("") == []


def test_sentences_are_cut_in_both_languages_and_abbreviations_are_not() -> None:
    text = "Dr. Smith came at 5 p.m. sharp. He saw v1.5.9 there. 他说：“不行！”然后走了。第二句？"
    pieces = chunk(text, 12)
    assert len(pieces) > 2
    assert all(piece.endswith((".", "。", "？", "！”")) for piece in pieces)
    assert not any(piece.endswith("Dr.") for piece in pieces)


def test_a_heading_stays_with_what_it_heads() -> None:
    text = "# One\n\n" + "第一段的内容在这里。" * 6 + "\n\n# Two\n\n" + "第二段的内容在这里。" * 6
    pieces = chunk(text, 60)
    assert len(pieces) > 1
    for piece in pieces:
        assert not piece.endswith(("# One", "# Two"))


def test_code_is_cut_at_lines() -> None:
    code = "```py\n" + "\n".join(f"value_{n} = compute({n})" for n in range(60)) + "\n```"
    lines = set(code.split("\n"))
    for piece in chunk(code, 60):
        assert set(piece.split("\n")) <= lines


def test_a_limit_of_no_tokens_is_refused() -> None:
    with pytest.raises(ValueError, match="max_tokens"):
        chunk("a", 0)


@pytest.mark.parametrize(
    "unit", ["memory harbour 天气 lantern ", "字", "x", "a1B2", "                ", "\u200d", "😀"]
)
def test_text_without_marks_is_looked_at_a_few_times_and_fills_its_chunks(unit: str) -> None:
    text = (unit * 20_000)[:20_000] + "end"
    looked_at = 0

    def counting(piece: str) -> int:
        nonlocal looked_at
        looked_at += len(piece)
        return estimate_tokens(piece)

    with patch.object(tokens, "estimate_tokens", counting):
        pieces = chunk(text, 64)
    assert looked_at < 12 * len(text)
    assert all(estimate_tokens(piece) >= 32 for piece in pieces[:-1])
