"""Articles as text, and the dated summaries in their place."""

from __future__ import annotations

import pytest
from historian.schema.errors import InvalidInput
from historian.schema.summary import Article, ArticleKey, StoredArticle, Summary
from historian.text.articles import dated_summaries, format_article, parse_article
from historian.text.tokens import newest_within
from hypothesis import given
from hypothesis import strategies as st

KEY = ArticleKey("7")
PIECES = [
    "<",
    ">",
    "</",
    "&",
    "amp;",
    "lt;",
    "&lt;",
    "&amp;lt;",
    "Bedrock",
    "dynamic",
    "EVOLUTIONARY",
    " ",
    "\n- ",
    "阿明喜欢茶",
]
CHAPTER = st.lists(st.sampled_from(PIECES), max_size=12).map(lambda parts: "".join(parts).strip())


@given(CHAPTER, CHAPTER, CHAPTER)
def test_any_content_comes_back_as_it_was_tags_and_escapes_of_tags_included(
    first: str, second: str, third: str
) -> None:
    article = Article(first, second, third)
    assert parse_article(format_article(article)) == article


def test_the_written_form_is_three_tagged_chapters() -> None:
    text = format_article(
        Article("- 阿明对花生过敏", "", "- 2026-02-21 阿明在准备面试，<Dynamic> &lt;bedrock>")
    )
    assert text == (
        "<Bedrock>\n- 阿明对花生过敏\n</Bedrock>\n\n<Evolutionary>\n</Evolutionary>\n\n"
        "<Dynamic>\n- 2026-02-21 阿明在准备面试，&lt;Dynamic> &amp;lt;bedrock>\n</Dynamic>\n"
    )


WHOLE = format_article(Article("- a", "- b", "- c"))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "<Bedrock> is missing"),
        (WHOLE.replace("<Dynamic>\n- c\n</Dynamic>", ""), "<Dynamic> is missing"),
        (WHOLE + "<Bedrock>\n</Bedrock>", "<Bedrock> is there twice"),
        (WHOLE.replace("</Dynamic>", ""), "<Dynamic> is never closed"),
        (WHOLE.replace("</Bedrock>", ""), "<Evolutionary> opens inside <Bedrock>"),
        (WHOLE.replace("<Bedrock>", ""), "</Bedrock> closes what is not open"),
        ("Here is the article:\n" + WHOLE, "'Here is the article:' stands outside"),
        (WHOLE + "Hope this helps", "'Hope this helps' stands outside"),
    ],
)
def test_what_is_malformed_is_named(text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        parse_article(text)


def summary(number: int, text: str, *, left: bool = False) -> Summary:
    at = f"2026-02-{number:02}T10:00:00+08:00"
    return Summary(
        f"s{number}", KEY, text, at, at, at, 10, "rules", True, promoted_at=at if left else None
    )


def test_in_place_of_an_article_stand_the_short_term_summaries_line_by_line_with_their_days() -> (
    None
):
    told = [
        summary(1, "long gone", left=True),
        summary(2, "2026-02-01 阿明: 我搬家了\n小史: 恭喜！\n2026-02-02 阿明: 谢谢"),
        summary(3, "Ann sold her boat. She is glad"),
    ]
    assert dated_summaries(KEY, told) == StoredArticle(
        KEY,
        Article(
            dynamic="- 2026-02-01 阿明: 我搬家了\n- 2026-02-01 小史: 恭喜！\n- 2026-02-02 阿明: 谢谢\n"
            "- 2026-02-03 Ann sold her boat. She is glad"
        ),
        revision=0,
        updated_at="2026-02-03T10:00:00+08:00",
        sources=("s2", "s3"),
    )
    assert dated_summaries(KEY, told[:1]) is None and dated_summaries(KEY, []) is None


def test_the_newest_lines_are_the_last_ones_and_at_least_so_many() -> None:
    lines = [f"line number {n}" for n in range(10)]
    assert newest_within(lines, 15) == lines[-3:]
    assert newest_within(lines, 1) == [] and newest_within(lines, 1, least=2) == lines[-2:]
    assert newest_within(lines, 1_000) == lines and newest_within([], 10, least=1) == []
