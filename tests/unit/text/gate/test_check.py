"""The gate on a rewrite: hand-made faithful and unfaithful rewrites, and what it says of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from historian.schema.names import Names
from historian.text.gate import RELATIVE_KINDS, GateResult, check, is_unread, reasons
from hypothesis import given
from hypothesis import strategies as st

PAIRS = Path(__file__).parents[3] / "data" / "gate_faithfulness.jsonl"

TOM = Names(bot_name="Undefined", user_name="Tom", user_id="778899", group_name="Night Owls", group_id="4242")
QIANG = Names(bot_name="小夜", user_name="阿强", user_id="10086", group_name="摸鱼群", group_id="987654")


def pairs() -> Iterator[dict[str, Any]]:
    with PAIRS.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def judged(pair: dict[str, Any]) -> GateResult:
    names = {key: tuple(value) if isinstance(value, list) else value for key, value in pair["names"].items()}
    return check(
        pair["candidate"],
        source=pair["source"],
        resolved=pair["resolved"],
        draft=pair["draft"],
        names=Names(**names),
        item=pair["item"],
    )


def rewrite(candidate: str, original: str, names: Names, item: Literal["action", "fact"] = "action") -> GateResult:
    """The judgement where the original was absolute already."""
    return check(candidate, source=original, resolved=original, draft=original, names=names, item=item)


def blamed(result: GateResult) -> set[tuple[str, str, str]]:
    return {(finding.kind, finding.text, finding.why) for finding in result.violations}


def test_no_faithful_rewrite_is_blamed() -> None:
    faithful = [pair for pair in pairs() if pair["faithful"]]
    assert len(faithful) >= 60
    assert [(pair["candidate"], blamed(judged(pair))) for pair in faithful if not judged(pair).passed] == []


def test_every_unfaithful_rewrite_is_blamed_for_what_is_wrong_with_it() -> None:
    unfaithful = [pair for pair in pairs() if not pair["faithful"]]
    assert len(unfaithful) >= 60
    for pair in unfaithful:
        kinds = {finding.kind for finding in judged(pair).violations}
        assert pair["kind"] in kinds, (pair["candidate"], kinds)


def test_findings_quote_the_candidate_or_what_it_lost() -> None:
    for pair in pairs():
        candidate = pair["candidate"]
        for finding in judged(pair).violations:
            if finding.why == "lost":
                assert finding.start == finding.end == len(candidate)
                assert finding.text in pair["resolved"] + pair["draft"]
            else:
                assert candidate[finding.start : finding.end] == finding.text or finding.kind == "empty"


def test_the_draft_itself_is_faithful() -> None:
    for pair in pairs():
        result = judged({**pair, "candidate": pair["draft"]})
        assert {finding.kind for finding in result.violations} <= RELATIVE_KINDS, pair["draft"]


@pytest.mark.parametrize(
    "candidate",
    [
        "小夜请阿强吃了 3 次饭，共 1,000 元",
        "小夜请阿强吃了三次饭，共一千元",
        "阿强被小夜请吃了3次饭，总计1000元",
        "小夜请阿强（10086）吃了三顿饭，一共1千元",
    ],
)
def test_numbers_are_compared_by_value(candidate: str) -> None:
    assert blamed(rewrite(candidate, "小夜请阿强吃了三次饭，共1000元", QIANG)) == set()


@pytest.mark.parametrize(
    ("candidate", "finding"),
    [
        ("Undefined sent Tom 13 links on 2026-02-20", ("number", "13", "invented")),
        ("Undefined sent Tom links on 2026-02-20", ("number", "12", "lost")),
        ("Undefined sent Tom 12 links on 2026-02-21", ("number", "2026-02-21", "invented")),
        ("Undefined sent Tom 12 links", ("number", "2026-02-20", "lost")),
        ("Undefined sent Tom 12 links on 2026-02-20 from Oslo", ("name", "Oslo", "invented")),
        ('Undefined sent Tom 12 "links" and "memes" on 2026-02-20', ("title", '"memes"', "invented")),
        ("Undefined sent 12 links on 2026-02-20", ("role", "Tom", "lost")),
        ("Tom sent Undefined 12 links on 2026-02-20", ("role", "Tom sent Undefined 12 links on 2026-02-20", "swapped")),
    ],
)
def test_each_way_to_be_unfaithful_has_its_finding(candidate: str, finding: tuple[str, str, str]) -> None:
    assert blamed(rewrite(candidate, "Undefined sent Tom 12 links on 2026-02-20", TOM)) == {finding} | (
        {("number", "2026-02-20", "lost")} if "21" in candidate else set()
    ) | ({("number", "12", "lost")} if "13" in candidate else set())


@pytest.mark.parametrize(
    "candidate",
    [
        "On 20 February 2026 Undefined sent Tom a dozen links",
        "Tom was sent twelve links by Undefined on 2026-02-20",
        "In Night Owls, Undefined sent Tom (user 778899) 12 links on Feb 20, 2026",
        "Undefined sent 12 links to Tom on 2026/02/20.",
    ],
)
def test_a_reworded_rewrite_with_the_jobs_names_passes(candidate: str) -> None:
    assert blamed(rewrite(candidate, "Undefined sent Tom 12 links on 2026-02-20", TOM)) == set()


def test_a_group_that_the_draft_names_may_not_disappear() -> None:
    result = check(
        "小夜给阿强发了红包",
        source="我在本群给他发了红包",
        resolved="我在本群给他发了红包",
        draft="小夜在摸鱼群给阿强发了红包",
        names=QIANG,
        item="action",
    )
    assert blamed(result) == {("place", "摸鱼群", "lost")}
    assert rewrite("小夜在群 987654 给阿强发了红包", "小夜在摸鱼群给阿强发了红包", QIANG).passed


@pytest.mark.parametrize("candidate", ["", " \n", "　"])
def test_nothing_is_empty(candidate: str) -> None:
    assert [finding.kind for finding in rewrite(candidate, "小夜给阿强发了红包", QIANG).violations] == ["empty"]


@pytest.mark.parametrize(
    "candidate",
    [
        "好的，以下是改写后的文本：小夜给阿强发了红包",
        "改写：小夜给阿强发了红包",
        "```\n小夜给阿强发了红包\n```",
        '{"text": "小夜给阿强发了红包"}',
        "小夜给阿强发了红包\n\n（注：已将代词替换为名字）",
        "- 小夜给阿强发了红包",
        "<text>小夜给阿强发了红包</text>",
        "小夜给阿强发了红包。希望对您有帮助！",
        "作为一个AI语言模型，小夜给阿强发了红包",
        "{bot_name}小夜给阿强发了红包",
    ],
)
def test_words_of_the_model_are_no_part_of_a_record(candidate: str) -> None:
    assert "refusal" in {finding.kind for finding in rewrite(candidate, "小夜给阿强发了红包", QIANG).violations}


@pytest.mark.parametrize(
    "text",
    [
        "阿强把输出：hello 截图发给小夜",
        "Tom sorry-not-sorry bought Undefined a note: pad",
        "- 阿强给小夜发了红包",
        "阿强说作为AI助手，小夜很好用",
    ],
)
def test_what_the_source_says_itself_is_no_chatter(text: str) -> None:
    names = QIANG if "阿强" in text else TOM
    assert "refusal" not in {finding.kind for finding in rewrite(text, text, names).violations}


def test_the_language_of_the_input_is_kept() -> None:
    result = rewrite("Undefined sent Tom twelve links", "Undefined 给 Tom 发了 12 个链接", TOM)
    assert [finding.kind for finding in result.violations] == ["language"]
    assert rewrite("Undefined 发给 Tom 12 个 GitHub 链接", "Undefined 给 Tom 发了 12 个 GitHub 链接", TOM).passed


def test_all_third_person_pronouns_can_be_forbidden() -> None:
    def judge(pronouns: Literal["orphan", "all"]) -> GateResult:
        text = "阿强说他怕猫"
        return check(text, source=text, resolved=text, draft=text, names=QIANG, item="fact", pronouns=pronouns)

    assert judge("orphan").passed
    assert blamed(judge("all")) == {("pronoun", "他", "orphan")}


def test_people_outside_the_conversation_may_not_be_exchanged_either() -> None:
    assert not rewrite("小美把吉他卖给了李雷", "李雷把吉他卖给了小美", QIANG, "fact").passed
    assert not rewrite("Maria lent Kevin a bike", "Kevin lent Maria a bike", TOM, "fact").passed


def test_a_glossary_word_may_be_brought_in_and_not_be_lost() -> None:
    names = Names(bot_name="小夜", user_name="阿强", glossary=("Arknights", "三体人"))
    assert rewrite("阿强在玩 Arknights 和三体人", "阿强在玩明日方舟", names, "fact").passed
    assert blamed(rewrite("阿强在玩游戏", "阿强在玩 Arknights", names, "fact")) == {("name", "Arknights", "lost")}


def test_the_subject_left_out_is_the_bot_in_an_action_and_the_user_in_a_fact() -> None:
    assert rewrite("小夜推荐了《三体》", "推荐了《三体》", QIANG, "action").passed
    assert not rewrite("阿强推荐了《三体》", "推荐了《三体》", QIANG, "action").passed
    assert rewrite("阿强喜欢不加糖的咖啡", "喜欢不加糖的咖啡", QIANG, "fact").passed
    assert not rewrite("小夜喜欢不加糖的咖啡", "喜欢不加糖的咖啡", QIANG, "fact").passed


def test_reasons_name_the_wording_and_say_what_to_write() -> None:
    result = check(
        "我昨天给小夜发了 20 元红包",
        source="我昨天给他发了 10 元红包",
        resolved="我2026-02-19给他发了 10 元红包",
        draft="小夜2026-02-19给阿强发了 10 元红包",
        names=QIANG,
        item="action",
    )
    chinese, english = reasons(result, "zh"), reasons(result, "en")
    assert len(chinese) == len(english) == len({(one.kind, one.text, one.why) for one in result.violations})
    for wording in ("我", "昨天", "20", "10", "阿强", "2026-02-19"):
        assert any(f"“{wording}”" in sentence for sentence in chinese)
        assert any(f'"{wording}"' in sentence for sentence in english)


def test_every_pair_gets_a_reason_in_both_languages() -> None:
    for pair in pairs():
        result = judged(pair)
        for language in ("zh", "en"):
            sentences = reasons(result, "zh" if language == "zh" else "en")
            assert bool(sentences) == (not result.passed)
            assert all(0 < len(sentence) <= 200 and "\n" not in sentence for sentence in sentences)


_WORDS = ("小夜", "阿强", "给", "被", "了", "三", "12", "2026-02-20", "《今天》", "Rust", "，", "他", " and ", "told ", '"', "\n")
_TEXT = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(_WORDS), max_size=20).map("".join))


@given(candidate=_TEXT, source=_TEXT, draft=_TEXT)
def test_any_texts_can_be_judged(candidate: str, source: str, draft: str) -> None:
    result = check(candidate, source=source, resolved=source, draft=draft, names=QIANG, item="fact")
    for finding in (*result.violations, *result.notes):
        assert 0 <= finding.start <= finding.end <= len(candidate)
    reasons(result, "zh")


@given(_TEXT)
def test_a_text_is_faithful_to_itself(text: str) -> None:
    result = rewrite(text, text, QIANG)
    unread = {"language"} if is_unread(text, QIANG) else set()
    assert {finding.kind for finding in result.violations} <= {*RELATIVE_KINDS, "empty", *unread}
