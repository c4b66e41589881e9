import itertools

import pytest
from historian.text.chunks import chunk
from historian.text.tokens import estimate_tokens
from hypothesis import given, settings
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


@given(MARKDOWN, st.integers(1, 60), st.integers(0, 3))
@settings(max_examples=200, deadline=None)
def test_no_text_is_lost_and_offsets_are_true(text: str, max_tokens: int, overlap: int) -> None:
    covered = [False] * len(text)
    for piece in chunk(text, max_tokens, overlap):
        assert text[piece.start : piece.end] == piece.text
        covered[piece.start : piece.end] = [True] * (piece.end - piece.start)
    assert all(seen or character.isspace() for seen, character in zip(covered, text, strict=True))


@given(MARKDOWN, st.integers(8, 60), st.integers(0, 3))
@settings(max_examples=200, deadline=None)
def test_the_bound_holds_unless_one_character_exceeds_it(text: str, max_tokens: int, overlap: int) -> None:
    for piece in chunk(text, max_tokens, overlap):
        assert piece.tokens == estimate_tokens(piece.text)
        assert piece.tokens <= max_tokens or len(piece.text) <= 64


@given(MARKDOWN, st.integers(4, 60))
@settings(deadline=None)
def test_the_bound_holds_with_an_estimator_of_another_kind(text: str, max_tokens: int) -> None:
    def bytes_and_a_start_token(piece: str) -> int:
        return 1 + len(piece.encode("utf-8", "surrogatepass")) // 3

    for piece in chunk(text, max_tokens, 1, bytes_and_a_start_token):
        assert piece.tokens <= max_tokens or len(piece.text) <= 64


@given(MARKDOWN)
@settings(deadline=None)
def test_the_same_content_has_the_same_ids(text: str) -> None:
    assert chunk(text) == chunk(text)
    assert [piece.chunk_id for piece in chunk(text)] == [piece.chunk_id for piece in chunk("\n\n" + text)] or "`" in text


def test_different_contents_have_different_ids() -> None:
    assert chunk("猫")[0].chunk_id != chunk("狗")[0].chunk_id


def test_nothing_but_white_space_gives_nothing() -> None:
    assert chunk(" \n\n\t") == chunk("") == []


def test_sentences_are_cut_in_both_languages_and_abbreviations_are_not() -> None:
    text = "Dr. Smith came at 5 p.m. sharp. He saw v1.5.9 there. 他说：“不行！”然后走了。第二句？"
    pieces = [piece.text for piece in chunk(text, 12, 0)]
    assert all(piece.endswith((".", "。", "？", "！”")) for piece in pieces)
    assert not any(piece.endswith("Dr.") for piece in pieces)


def test_a_heading_stays_with_what_it_heads() -> None:
    text = "# One\n\n" + "第一段的内容在这里。" * 6 + "\n\n# Two\n\n" + "第二段的内容在这里。" * 6
    for piece in chunk(text, 60, 0):
        assert not piece.text.rstrip().endswith(("# One", "# Two"))


def test_neighbours_share_a_sentence() -> None:
    text = "".join(f"这是第{n}句话，内容各不相同。" for n in range(20))
    pieces = chunk(text, 60, 1)
    assert len(pieces) > 2
    for before, after in itertools.pairwise(pieces):
        assert after.start < before.end
        assert before.text.endswith(text[after.start : before.end])


def test_code_is_cut_at_lines() -> None:
    code = "```py\n" + "\n".join(f"value_{n} = compute({n})" for n in range(60)) + "\n```"
    lines = set(code.split("\n"))
    for piece in chunk(code, 60):
        assert set(piece.text.split("\n")) <= lines


@pytest.mark.parametrize("cluster", ["👨‍👩‍👧", "e\u0301", "🇨🇳", "👍🏽"])
def test_what_is_seen_as_one_character_is_not_cut(cluster: str) -> None:
    for piece in chunk(cluster * 200, 16, 0):
        assert len(piece.text) % len(cluster) == 0


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="max_tokens"):
        chunk("a", 0)
    with pytest.raises(ValueError, match="overlap_sentences"):
        chunk("a", 10, -1)


@pytest.mark.parametrize("unit", ["memory harbour 天气 lantern ", "字", "x", "a1B2", "                ", "\u200d", "😀"])
def test_text_without_marks_is_looked_at_a_few_times_and_fills_its_chunks(unit: str) -> None:
    text = (unit * 20_000)[:20_000] + "end"
    looked_at = 0

    def counting(piece: str) -> int:
        nonlocal looked_at
        looked_at += len(piece)
        return estimate_tokens(piece)

    pieces = chunk(text, 64, 1, counting)
    assert looked_at < 12 * len(text)
    assert all(piece.tokens >= 32 for piece in pieces[:-1])
