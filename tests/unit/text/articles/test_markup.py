import pytest
from historian.schema.article import CHAPTER_NAMES, Article
from historian.schema.errors import InvalidInput
from historian.text.articles.markup import article_tokens, format_article, parse_article
from hypothesis import given
from hypothesis import strategies as st

PIECES = ["<", ">", "</", "&", "amp;", "lt;", "&lt;", "&amp;lt;", "Bedrock", "dynamic", "EVOLUTIONARY", " ", "\n- ", "阿明喜欢茶"]
CHAPTER = st.lists(st.sampled_from(PIECES), max_size=12).map(lambda parts: "".join(parts).strip())


@given(CHAPTER, CHAPTER, CHAPTER)
def test_any_content_comes_back_as_it_was_tags_and_escapes_of_tags_included(first: str, second: str, third: str) -> None:
    article = Article(first, second, third)
    assert parse_article(format_article(article)) == article


def test_the_written_form_is_three_tagged_chapters() -> None:
    text = format_article(Article("- 阿明对花生过敏", "", "- 2026-02-21 阿明在准备面试"))
    assert text == (
        "<Bedrock>\n- 阿明对花生过敏\n</Bedrock>\n\n<Evolutionary>\n</Evolutionary>\n\n"
        "<Dynamic>\n- 2026-02-21 阿明在准备面试\n</Dynamic>\n"
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


def test_each_chapter_is_counted_by_itself() -> None:
    counted = article_tokens(Article("- Ann is allergic to peanuts", "", "- x"))
    assert set(counted) == set(CHAPTER_NAMES)
    assert counted["Evolutionary"] == 0 < counted["Dynamic"] < counted["Bedrock"]
