import sqlite3

import pytest
from historian.text.search_words import (
    FTS5_TOKENIZER,
    INSIDE,
    first_character,
    last_characters,
    lookup_tokens,
    query_tokens,
    search_tokens,
)
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("我喜欢猫", ["我喜", "喜欢", "欢猫"]),
        ("猫", ["猫"]),
        ("Tom’s café", ["tom", "cafe"]),
        ("RTX4090显卡", ["rtx4090", "rtx", "4090", "显卡"]),
        ("RTX 4090", ["rtx", "4090"]),
        ("2026-02-20", ["2026", "2", "20"]),
        ("2026年2月20日", ["2026", "年", "2", "月", "20", "日"]),
        ("花了1,000.50元", ["花了", "1000.50", "元"]),
        ("升级到1.5.9", ["升级", "级到", "1.5.9"]),
        ("用C++写", ["用", "c++", "写"]),
        ("auto_top_k", ["auto", "top", "k"]),
        ("好👍🏽的❤️", ["好", "👍", "的", "❤"]),
        ("👨‍👩‍👧🇨🇳", ["👨‍👩‍👧", "🇨🇳"]),
        ("ｈｅｌｌｏ ﾃｽﾄ", ["hello", "テス", "スト"]),
        ("don't", ["dont"]),
        ("हिन्दी", ["हिन्दी"]),
        ("", []),
        ("，。!?", []),
    ],
)
def test_texts_are_cut_into_the_terms_of_the_index(text: str, tokens: list[str]) -> None:
    assert search_tokens(text) == tokens


def test_a_hash_is_one_term_and_not_its_pieces() -> None:
    assert search_tokens("9fceb02d0ae598e9") == ["9fceb02d0ae598e9"]


def test_a_query_drops_what_says_nothing() -> None:
    assert query_tokens("他的猫叫什么名字？") == ["的猫", "猫叫", "叫什", "么名", "名字"]
    assert query_tokens("What is the name of her cat?") == ["name", "cat"]


@pytest.mark.parametrize("text", ["你是谁", "the who", "to be or not to be"])
def test_a_query_of_stop_words_alone_is_kept(text: str) -> None:
    assert query_tokens(text) == list(dict.fromkeys(search_tokens(text)))


def test_an_fts5_table_finds_chinese_pairs_emoji_versions_and_stems() -> None:
    index = sqlite3.connect(":memory:")
    index.execute(f'CREATE VIRTUAL TABLE found USING fts5(tokens, tokenize = "{FTS5_TOKENIZER}")')
    texts = ["他昨天升级到1.5.9了👍", "She was painting sunrises", "用C++写的机器人"]
    index.executemany(
        "INSERT INTO found(tokens) VALUES (?)", [(" ".join(search_tokens(text)),) for text in texts]
    )

    def rows(query: str) -> list[int]:
        matching = " OR ".join(f'"{token}"' for token in query_tokens(query))
        return [
            row
            for (row,) in index.execute("SELECT rowid FROM found WHERE found MATCH ?", (matching,))
        ]

    assert rows("1.5.9") == [1]
    assert rows("👍🏿") == [1]
    assert rows("paint a sunrise") == [2]
    assert rows("机器人") == rows("c++") == [3]


@given(st.text())
def test_tokens_are_safe_fts5_strings_and_cutting_is_pure(text: str) -> None:
    tokens = search_tokens(text)
    assert tokens == search_tokens(text)
    assert all(
        token and '"' not in token and not any(c.isspace() for c in token) for token in tokens
    )
    assert set(query_tokens(text)) <= set(tokens)
    assert bool(query_tokens(text)) == bool(tokens)


@given(st.text(alphabet="猫狗喜欢吃abc12 .,'é👍"))
def test_a_text_is_found_by_itself(text: str) -> None:
    assert set(query_tokens(text)) <= set(search_tokens(text))


@given(st.text(alphabet="小猫咪在家a1 ，"))
def test_every_character_is_the_first_of_a_pair_or_the_last_of_a_run(text: str) -> None:
    held = {*filter(None, map(first_character, search_tokens(text))), *last_characters(text)}
    assert held == {INSIDE + character for character in text if character in "小猫咪在家"}


def test_a_lone_character_may_stand_inside_a_word_unless_it_is_a_unit() -> None:
    assert lookup_tokens("猫") == [INSIDE + "猫"]
    assert lookup_tokens("my 猫 and 小狗") == [INSIDE + "猫", "小狗"]
    assert lookup_tokens("2月20日") == query_tokens("2月20日")
