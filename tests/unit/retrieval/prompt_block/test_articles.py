"""The article and the summaries in one block: what comes first, what fills the room that is left, and never too much."""

from __future__ import annotations

from historian.retrieval.prompt_block.articles import format_relevant
from historian.schema.summary import Article, ArticleKey, Summary
from historian.text.tokens import estimate_tokens
from hypothesis import given
from hypothesis import strategies as st
from support.articles import Chapters

KEY = ArticleKey("7")
DYNAMIC = (
    "- 2026-02-01 Ann adopted a greyhound named Rocket\n"
    "- 2026-02-01 I recommended Solaris to Ann\n"
    "- 2026-02-05 Ann finished the boat model"
)
ARTICLE = Chapters("- Ann is a nurse", "- Ann loves hiking", DYNAMIC).article(KEY, 1)


def summary(number: int, text: str = "", *, promoted: bool = False) -> Summary:
    at = f"2026-02-{number:02}T10:00:00+08:00"
    said = text or f"summary {number} tells of the harbour"
    return Summary(
        f"s{number}", KEY, said, at, at, at, 10, "rules", True, promoted_at=at if promoted else None
    )


def lines(
    article: Article,
    summaries: tuple[Summary, ...] = (),
    found: tuple[str, ...] = (),
    budget: int = 3_000,
) -> list[str]:
    block = format_relevant(article, summaries, found, language="en", max_tokens=budget)
    return block.splitlines()[2:-1]


def test_promoted_summaries_fill_what_the_article_and_the_newest_leave_dated_and_newest_first() -> (
    None
):
    many = [summary(n + 1, promoted=n < 18) for n in range(20)]
    summaries = tuple(many)
    found = lines(ARTICLE, summaries)
    assert [line[3:13] for line in found if " summary]" in line] == [
        f"2026-02-{day:02}" for day in range(20, 0, -1)
    ]
    short = [line[3:13] for line in lines(ARTICLE, summaries, budget=250) if " summary]" in line]
    assert 3 <= len(short) < 20 and short == [f"2026-02-{20 - n:02}" for n in range(len(short))]


def test_the_lines_of_one_day_are_one_line_and_the_newest_day_is_first() -> None:
    found = lines(ARTICLE)
    assert found[1:] == [
        "- [bedrock] Ann is a nurse",
        "- [evolving] Ann loves hiking",
        "- [of late] 2026-02-05 Ann finished the boat model",
        "- [of late] 2026-02-01 Ann adopted a greyhound named Rocket; I recommended Solaris to Ann",
    ]


def test_what_a_search_has_found_comes_first_a_promoted_summary_too() -> None:
    summaries = (summary(1, promoted=True), summary(3), summary(4))
    found = lines(ARTICLE, summaries, ("s1", "2026-02-01 I recommended Solaris to Ann"))
    shown = [line for line in found if " summary]" in line or "[of late]" in line]
    assert shown[0] == "- [of late] 2026-02-01 I recommended Solaris to Ann"
    assert "summary 1 " in next(line for line in shown if " summary]" in line)


def test_a_long_dynamic_leaves_room_for_summaries_and_takes_none_of_bedrocks() -> None:
    dynamic = "\n".join(
        f"- 2026-01-{n:02} Ann painted boat {n} in the old harbour" for n in range(1, 29)
    )
    article = Chapters("- Ann is allergic to peanuts", dynamic=dynamic).article(KEY, 1)
    found = lines(article, tuple(summary(n) for n in range(1, 20)), budget=500)
    assert found[1] == "- [bedrock] Ann is allergic to peanuts" and "boat 28" in found[2]
    assert estimate_tokens("\n".join(line for line in found if "[of late]" in line)) <= 150
    assert sum(" summary]" in line for line in found) >= 8


@given(
    st.integers(1, 400),
    st.lists(st.tuples(st.text("ab 1-，。船x\n", max_size=120), st.booleans()), max_size=12),
)
def test_no_budget_is_ever_passed(budget: int, told: list[tuple[str, bool]]) -> None:
    summaries = tuple(
        summary(n + 1, text or "x", promoted=promoted) for n, (text, promoted) in enumerate(told)
    )
    text = format_relevant(ARTICLE, summaries, (), language="zh", max_tokens=budget)
    assert estimate_tokens(text) <= budget
