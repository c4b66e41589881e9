"""The gate on one text: relative words, what is empty, too long, or in another language, and its sentences about them."""

from __future__ import annotations

from typing import Literal

import pytest
from historian.schema.names import Names
from historian.text.checks.findings import Verdict
from historian.text.checks.gate import check, is_unread
from historian.text.rewriting.absolutize import LONGEST_TEXT
from hypothesis import given
from hypothesis import strategies as st

QIANG = Names(
    bot_name="小夜", user_name="阿强", user_id="10086", group_name="摸鱼群", group_id="987654"
)


def judged(text: str, **more: Literal["orphan", "all"]) -> Verdict:
    return check(text, source=text, names=QIANG, item="fact", **more)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("", ["empty"]),
        (" \n", ["empty"]),
        ("　", ["empty"]),
        ("彼は明日東京に行く", ["language"]),
        ("阿" * (LONGEST_TEXT + 1), ["length"]),
        ("阿强昨天请我吃饭", ["time", "pronoun"]),
        ("阿强2026-02-20请小夜吃饭", []),
    ],
)
def test_a_text_is_blamed_for_what_only_participants_understand(
    text: str, kinds: list[str]
) -> None:
    assert [one.kind for one in judged(text).violations] == kinds


def test_all_third_person_pronouns_can_be_forbidden() -> None:
    assert judged("阿强说他怕猫").passed
    assert [(one.kind, one.text) for one in judged("阿强说他怕猫", pronouns="all").violations] == [
        ("pronoun", "他")
    ]


def test_reasons_name_the_wording_and_say_what_to_write() -> None:
    result = judged("我昨天在那边给小夜发了红包")
    chinese, english = result.reasons("zh"), result.reasons("en")
    assert (
        len(chinese)
        == len(english)
        == len({(one.kind, one.text, one.why) for one in result.violations})
    )
    for wording in ("我", "昨天", "那边"):
        assert any(f"“{wording}”" in sentence for sentence in chinese)
        assert any(f'"{wording}"' in sentence for sentence in english)


_WORDS = (
    "小夜",
    "阿强",
    "给",
    "被",
    "了",
    "三",
    "12",
    "2026-02-20",
    "《今天》",
    "Rust",
    "，",
    "他",
    " and ",
    "told ",
    '"',
    "\n",
)
_TEXT = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(_WORDS), max_size=20).map("".join))


@given(candidate=_TEXT, source=_TEXT)
def test_any_texts_can_be_judged(candidate: str, source: str) -> None:
    result = check(candidate, source=source, names=QIANG, item="fact")
    for finding in (*result.violations, *result.notes):
        assert 0 <= finding.start <= finding.end <= len(candidate)
    assert all(
        0 < len(sentence) <= 200 and "\n" not in sentence for sentence in result.reasons("zh")
    )
    assert not is_unread(candidate, QIANG) or not result.passed
