"""Articles as Markdown, and the dated summaries in their place."""

from __future__ import annotations

import pytest
from historian.schema.errors import InvalidInput
from historian.schema.profile import ProfileLine
from historian.schema.summary import Article, ArticleKey, Summary
from historian.stores.files.articles import ARTICLE_FORMAT
from historian.text.articles import dated_summaries, format_article, split_chapters
from historian.text.profiles.lines import distinct
from historian.text.tokens import newest_within
from hypothesis import given
from hypothesis import strategies as st
from support.articles import Chapters, chapters_of

KEY = ArticleKey("7")
PIECES = ["<", ">", "</", "&", "amp;", "lt;", "&lt;", "## ", "Bedrock", "dynamic", " ", "- "]
PIECES += ["阿明喜欢茶", "(2026-02-20)", "**", "---", "`"]
TEXT = st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map(
    lambda parts: " ".join("".join(parts).split())
)
CHAPTER = st.lists(TEXT.filter(bool), max_size=4).map(
    lambda texts: distinct(
        ProfileLine(str(n), text, evidence=("summary-1",)) for n, text in enumerate(texts)
    )
)


@given(CHAPTER, CHAPTER, CHAPTER)
def test_any_content_comes_back_from_its_file_as_it_was_with_what_it_rests_on(
    first: tuple[ProfileLine, ...], second: tuple[ProfileLine, ...], third: tuple[ProfileLine, ...]
) -> None:
    told = {"Bedrock": first, "Evolutionary": second, "Dynamic": third}
    article = Article(KEY, told, 3, "2026-02-21T09:00:00+08:00", ("summary-1",))  # type: ignore[arg-type]
    assert ARTICLE_FORMAT.parse(ARTICLE_FORMAT.render(article).encode(), KEY, lambda: 1) == article
    data = ARTICLE_FORMAT.as_json(article)
    assert ARTICLE_FORMAT.of_json(KEY, 3, article.updated_at, data) == article


def test_the_written_form_is_three_headings_with_a_bullet_a_line() -> None:
    article = Chapters("- 阿明对花生过敏", "", "- 2026-02-21 阿明在准备面试").article(KEY)
    assert format_article(article) == (
        "## Bedrock\n- 阿明对花生过敏\n\n## Evolutionary\n\n## Dynamic\n- 2026-02-21 阿明在准备面试\n"
    )


def test_an_article_with_many_brackets_keeps_what_it_rests_on() -> None:
    lines = [
        ProfileLine(str(n), f"2026-02-21 [{n}] {{[三体]}} [CQ:face]", evidence=("summary-1",))
        for n in range(60)
    ]
    article = Article(KEY, revision=3, sources=("summary-1",)).with_chapters({"Dynamic": lines})
    assert ARTICLE_FORMAT.parse(ARTICLE_FORMAT.render(article).encode(), KEY, lambda: 1) == article


def test_files_and_rows_of_earlier_versions_are_read() -> None:
    tagged = (
        "---\nuser_id: '7'\nscope: p:7\nrevision: 4\nsources:\n- s1\n---\n\n"
        "<Bedrock>\n- 阿明对花生过敏\n</Bedrock>\n\n<Evolutionary>\n</Evolutionary>\n\n"
        "<Dynamic>\n- 2026-02-21 阿明在准备面试，&lt;Dynamic> &amp;lt;bedrock>\n</Dynamic>\n"
    )
    article = ARTICLE_FORMAT.parse(tagged.encode(), KEY, lambda: 1)
    written = Chapters(
        "- 阿明对花生过敏", "", "- 2026-02-21 阿明在准备面试，<Dynamic> &lt;bedrock>"
    )
    assert chapters_of(article) == written
    assert (article.revision, article.sources) == (4, ("s1",))
    row = {"bedrock": written.bedrock, "evolutionary": "", "dynamic": written.dynamic}
    stored = ARTICLE_FORMAT.of_json(KEY, 4, "", {**row, "sources": ["s1"]})
    assert ARTICLE_FORMAT.same(stored, article) and stored.sources == article.sources
    numbered = {**row, "bedrock": "12. March is the birthday of Ann", "sources": []}
    assert ARTICLE_FORMAT.lines(ARTICLE_FORMAT.of_json(KEY, 4, "", numbered))[0] == (
        "12. March is the birthday of Ann"
    )


WHOLE = format_article(Chapters("- a", "- b", "- c").article(KEY))


@pytest.mark.parametrize(
    "text",
    [
        "",
        WHOLE.replace("## Dynamic", ""),
        WHOLE + "## Bedrock\n",
        WHOLE + "## bedrock\n",
        "Here is the article:\n" + WHOLE,
        "<Bedrock>\n- a\n</Bedrock>\n<Dynamic>\n</Dynamic>",
        "- a line without a heading",
    ],
)
def test_what_is_malformed_is_not_read(text: str) -> None:
    with pytest.raises(InvalidInput, match="give each of `## Bedrock`"):
        split_chapters(text)


def test_an_edit_by_hand_changes_its_lines_alone_and_later_ones_stay() -> None:
    base = Chapters("- a nurse\n- lives in Leeds", "- likes tea").article(KEY, 1)
    later = Chapters("- a nurse\n- lives in Leeds\n- has a cat", "- likes tea").article(KEY, 2)
    by_hand = (
        ARTICLE_FORMAT.render(base).replace("- a nurse", "- a doctor").replace("- likes tea\n", "")
    )
    edited = ARTICLE_FORMAT.edited(by_hand.encode(), later, {1: base, 2: later}.get, "2026-03-01")
    assert chapters_of(edited) == Chapters("- a doctor\n- lives in Leeds\n- has a cat")


@pytest.mark.parametrize(
    "heading", ["## Bedrock", "# bedrock:", "## Bedrock ##", "## **Bedrock**", "##**Bedrock:** "]
)
def test_a_heading_of_a_chapter_is_read_in_the_ways_in_which_people_write_it(heading: str) -> None:
    assert split_chapters(WHOLE.replace("## Bedrock", heading)) == split_chapters(WHOLE)


@pytest.mark.parametrize(
    ("above", "lines"),
    [
        ("**Never call before noon**\n", ["**Never call before noon**"]),
        ("### Wishes: no calls before noon\n", ["Wishes: no calls before noon"]),
        ("### Wishes\n- no calls\n", ["Wishes: no calls"]),
        ("### Wishes\n#### Calls\n- none\n", ["Wishes", "Calls: none"]),
    ],
)
def test_markdown_that_people_write_loses_no_words_and_leaves_other_lines_alone(
    above: str, lines: list[str]
) -> None:
    known = ProfileLine("1", "Ann is allergic to nuts", evidence=("summary-1",))
    base = Article(KEY, revision=1).with_chapters({"Bedrock": [known]})
    whole = ARTICLE_FORMAT.render(base)
    for file in (
        whole.replace("- Ann", f"{above}- Ann"),
        whole.replace("nuts\n\n## E", f"nuts\n\n{above}\n## E"),
    ):
        edited = ARTICLE_FORMAT.edited(file.encode(), base, {1: base}.get, "2026-03-01")
        assert edited is not None and known in edited.chapters["Bedrock"]
        others = [one.text for one in edited.chapters["Bedrock"] if one != known]
        assert others == lines
    tagged = f"<Bedrock>\n{above}</Bedrock><Evolutionary></Evolutionary><Dynamic></Dynamic>"
    assert ARTICLE_FORMAT.lines(ARTICLE_FORMAT.parse(tagged.encode(), KEY, lambda: 1)) == lines


def test_a_file_of_a_revision_that_is_no_longer_stored_brings_back_no_line_that_went() -> None:
    base = Chapters("- has a dog\n- keeps a secret").article(KEY, 1)
    left = base.with_chapters({"Bedrock": base.chapters["Bedrock"][:1]})
    now = Article(KEY, left.chapters, 2)
    by_hand = ARTICLE_FORMAT.render(base).replace("- has a dog", "- has two dogs")
    edited = ARTICLE_FORMAT.edited(by_hand.encode(), now, {2: now}.get, "2026-03-01")
    assert chapters_of(edited) == Chapters("- has two dogs")


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
    made = dated_summaries(KEY, told)
    assert chapters_of(made) == Chapters(
        dynamic="- 2026-02-01 阿明: 我搬家了\n- 2026-02-01 小史: 恭喜！\n- 2026-02-02 阿明: 谢谢\n"
        "- 2026-02-03 Ann sold her boat. She is glad"
    )
    assert made is not None and [one.evidence for one in made.chapters["Dynamic"]] == [
        *[("s2",)] * 3,
        ("s3",),
    ]
    assert (made.revision, made.updated_at, made.sources) == (
        0,
        "2026-02-03T10:00:00+08:00",
        ("s2", "s3"),
    )
    assert dated_summaries(KEY, told[:1]) is None and dated_summaries(KEY, []) is None


def test_the_newest_lines_are_the_last_ones_and_at_least_so_many() -> None:
    lines = [f"line number {n}" for n in range(10)]
    assert newest_within(lines, 15) == lines[-3:]
    assert newest_within(lines, 1) == [] and newest_within(lines, 1, least=2) == lines[-2:]
    assert newest_within(lines, 1_000) == lines and newest_within([], 10, least=1) == []
