"""Summaries as lines of an article, and the newest of lines."""

from __future__ import annotations

from historian.schema.article import Article, ChapterBounds
from historian.text.articles.lines import newest_within, with_summaries
from historian.text.tokens import estimate_tokens

BOUNDS = ChapterBounds(100, 100, 100)


def test_the_lines_of_a_summary_get_its_days_and_follow_the_old_ones() -> None:
    old = Article("- 阿明是护士", "- 我和阿明聊科幻", "- 2026-02-01 阿明在画港口")
    text = "2026-02-20 阿明: 我搬家了。好累\n小史: 恭喜！\n2026-02-21 阿明: 谢谢"
    assert with_summaries(old, [text], BOUNDS) == old.with_chapters(
        {
            "Dynamic": "- 2026-02-01 阿明在画港口\n- 2026-02-20 阿明: 我搬家了。好累\n"
            "- 2026-02-20 小史: 恭喜！\n- 2026-02-21 阿明: 谢谢"
        }
    )


def test_a_paragraph_is_split_into_its_statements_and_a_repeated_line_is_taken_once() -> None:
    old = Article(dynamic="- 2026-02-21 Ann has an exam")
    made = with_summaries(old, ["[2026-02-21] Ann has an exam. Ann sold her boat."], BOUNDS)
    assert made.lines("Dynamic") == ("- 2026-02-21 Ann has an exam", "- 2026-02-21 Ann sold her boat")


def test_dynamic_stays_within_its_bound_and_loses_its_oldest_lines() -> None:
    article = Article("- kept", "- kept too")
    for n in range(40):
        article = with_summaries(article, [f"[2026-02-21] Ann: I visited lighthouse number {n}\nNova: {'long ' * 300}"], BOUNDS)
        assert estimate_tokens(article.dynamic) <= BOUNDS.dynamic
    assert (article.bedrock, article.evolutionary) == ("- kept", "- kept too")
    assert "number 39" in article.dynamic and "number 20" not in article.dynamic
    assert all(len(line) < 260 for line in article.lines("Dynamic"))


def test_the_newest_lines_are_the_last_ones_and_at_least_so_many() -> None:
    lines = [f"line number {n}" for n in range(10)]
    assert newest_within(lines, 15) == lines[-3:]
    assert newest_within(lines, 1) == [] and newest_within(lines, 1, least=2) == lines[-2:]
    assert newest_within(lines, 1_000) == lines and newest_within([], 10, least=1) == []
