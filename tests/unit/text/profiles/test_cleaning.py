from __future__ import annotations

import dataclasses

import pytest
from historian.schema.profile import Profile, ProfileKey
from historian.text.profiles.cleaning import (
    MAX_TAGS,
    SUMMARY_CHARACTERS,
    TAG_CHARACTERS,
    CleanProfile,
    clean_name,
    clean_profile,
    clean_summary,
    clean_tags,
    in_one_line,
    shorten,
)
from hypothesis import given
from hypothesis import strategies as st

KEY = ProfileKey("user", "42")
OLD = Profile(KEY, name="小林", tags=("猫",), summary="- 养了一只叫阿橘的猫", revision=3)
BODY = "- 养了一只叫阿橘的猫\n- 住在杭州"


def test_a_profile_in_one_line_has_no_marks_of_its_list_and_no_mark_twice() -> None:
    assert in_one_line("# 喜好\n- 喜欢茶。\n\n- 会弹吉他\n* - 住在杭州", "；") == "喜好；喜欢茶。 会弹吉他；住在杭州"
    assert in_one_line("prose - with a dash\n-5 °C is cold") == "prose - with a dash; -5 °C is cold"
    assert in_one_line("\n \n") == ""


@pytest.mark.parametrize(
    "written",
    [
        BODY,
        f"```markdown\n{BODY}\n```",
        f"```\n{BODY}\n```\n",
        f"~~~md\n{BODY}\n~~~",
        f"```markdown\n{BODY}",
        f"Here is the updated profile:\n\n```markdown\n{BODY}\n```",
        f"---\nname: 小林\ntags:\n  - 猫\nrevision: 9\n---\n\n{BODY}",
        f"```yaml\n---\nname: 小林\n---\n{BODY}\n```",
        f"<profile>\n{BODY}\n</profile>",
        f'<div class="x">\n{BODY}\n</div>',
        f"<summary>{BODY}</summary>",
        "<ul><li>养了一只叫阿橘的猫</li><li>住在杭州</li></ul>",
        f"<think>他养猫…\n</think>\n{BODY}",
        f"他养猫…</think>{BODY}",
        f"<!-- profile -->\n{BODY}",
        f"# 小林\n\n{BODY}",
        f"## 小林的画像\n{BODY}",
        f"**用户画像**\n\n# 小林\n{BODY}",
        f"# User Profile: 小林\n{BODY}",
        f"# Profile of 小林\n{BODY}",
        f"name: 小林\ntags: 猫, 杭州\n\n{BODY}",
        f"- **姓名**：小林\n- **标签**：猫\n{BODY}",
        f"\ufeff{BODY}\x00\x1b\u200b",
        BODY.replace("\n", "\r\n"),
        BODY.replace("\n", "  \n\n\n\n").replace("\n\n\n\n", "\n"),
    ],
)
def test_whatever_a_model_wraps_it_in_the_content_comes_out(written: str) -> None:
    assert clean_summary(written, names=("小林", "42")) == BODY


@pytest.mark.parametrize(
    "kept",
    [
        "# 爱好\n\n- 下棋",
        "**猫**：阿橘",
        "用 `List<String>` 写 Java",
        "a < b and c > d",
        "- 会写这段\n\n```python\nprint(1)\n```",
        "---\n\n上面是一条线",
        "name: 小林 is what he calls his cat",
        "## Summary of skills\n- Go",
        "No changes to his flat since 2019",
        "- 说 “无” 的时候是在开玩笑",
    ],
)
def test_what_belongs_to_the_content_stays(kept: str) -> None:
    assert clean_summary(kept, names=("小林",)) == kept


@pytest.mark.parametrize(
    "empty", ["", " \n", "无", "暂无。", "N/A", "none", "Unchanged.", "No changes", "...", "```\n```", "保持不变"]
)
def test_an_answer_that_says_nothing_leaves_the_old_profile(empty: str) -> None:
    assert clean_profile("", [], empty, old=OLD) == CleanProfile("小林", ("猫",), OLD.summary)
    assert clean_profile(empty, empty, empty, old=Profile(KEY)) is None


def test_missing_fields_are_filled_from_the_old_profile_and_given_ones_win() -> None:
    assert clean_profile("", [], BODY, old=OLD) == CleanProfile("小林", ("猫",), BODY)
    assert clean_profile("林", ["狗"], BODY, old=OLD) == CleanProfile("林", ("狗",), BODY)
    assert clean_profile("林", ["狗"], BODY, old=OLD, known_name="小林同学") == CleanProfile("小林同学", ("狗",), BODY)


def test_an_answer_that_would_wipe_out_a_long_profile_is_refused() -> None:
    long = dataclasses.replace(OLD, summary="- 养了一只叫阿橘的猫。\n" * 40)
    assert clean_profile("小林", [], "- 养猫", old=long) is None
    assert clean_profile("小林", [], "- 养了一只叫阿橘的猫。\n" * 10, old=long) is not None
    assert clean_profile("小林", [], "- 养狗", old=OLD) is not None


@pytest.mark.parametrize(
    ("given_tags", "expected"),
    [
        (["猫", "杭州"], ("猫", "杭州")),
        ("猫、杭州，程序员; Go", ("猫", "杭州", "程序员", "Go")),
        ('["猫", "C++"]', ("猫", "C++")),
        ("- 猫\n- 杭州", ("猫", "杭州")),
        (["#猫", "C#", " 猫 ", "ｇｏ", "Go", "go"], ("猫", "C#", "ｇｏ")),
        (["none", "无", "", "x" * 25, "x" * 24], ("x" * 24,)),
        ([1, None, {"a": 1}, ["b"], True, "c"], ("1", "c")),
        ([str(n) for n in range(30)], tuple(str(n) for n in range(12))),
    ],
)
def test_tags_come_as_a_list_or_a_text(given_tags: str | list[object], expected: tuple[str, ...]) -> None:
    assert clean_tags(given_tags) == expected


def test_a_name_is_one_short_line() -> None:
    assert clean_name("# **小\n林**\x00") == "小 林"
    assert clean_name("N/A") == clean_name(" ") == ""
    assert len(clean_name("é" * 500)) <= 64
    assert clean_name("😀") == "😀"


def test_a_name_that_the_platform_gives_is_taken_as_it_is() -> None:
    for name in ("空", "None", "*星*"):
        cleaned = clean_profile("x", [], BODY, old=OLD, known_name=name)
        assert cleaned is not None and cleaned.name == name


def test_a_long_summary_ends_at_a_paragraph_else_a_line_else_a_sentence() -> None:
    assert shorten("一。二。\n\n三。四。", 6) == "一。二。"
    assert shorten("- 一二三\n- 四五六", 8) == "- 一二三"
    assert shorten("一二三四。五六七八", 7) == "一二三四。"
    assert shorten("一二三四五六七八", 7) == "一二三四五六七"
    assert shorten("ab👨\u200d👩\u200d👧", 4) == "ab"


@given(st.text(), st.text(), st.text(max_size=30))
def test_no_text_breaks_the_cleaning_and_cleaning_twice_changes_nothing_in_names_and_tags(
    name: str, summary: str, tags: str
) -> None:
    cleaned = clean_profile(name, tags, summary, old=OLD)
    assert cleaned is not None
    assert len(cleaned.summary) <= SUMMARY_CHARACTERS
    assert len(cleaned.tags) <= MAX_TAGS and all(0 < len(tag) <= TAG_CHARACTERS for tag in cleaned.tags)
    assert "\n" not in cleaned.name
    (cleaned.name + cleaned.summary + "".join(cleaned.tags)).encode()


@given(st.text(alphabet="ab。\n .", max_size=200), st.integers(1, 100))
def test_shortening_keeps_a_beginning_within_the_bound(text: str, characters: int) -> None:
    short = shorten(text, characters)
    assert len(short) <= characters or short == text
    assert text.startswith(short)
