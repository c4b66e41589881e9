"""What of a model's answer about lines of profiles is taken, and what the other lines are then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from historian.prompts.line_operations import LineMerge
from historian.prompts.merging import MergeQuestion, NewFact, Subject, UpdateProfiles
from historian.schema.payloads import OldFact
from historian.schema.profile import Profile, ProfileKey, ProfileLine
from historian.service.intake import make_job
from historian.text.job_verdicts import names_of
from support.gate import REFUSED, refuse_all
from support.memory import group_fields, settings_for

DAY = "2026-03-09"
USER, GROUP = ProfileKey("user", "42"), ProfileKey("group", "100")
KNOWN = [
    ProfileLine(
        "a",
        "住在杭州",
        kind="home",
        first_day="2026-01-02",
        last_day="2026-01-02",
        evidence=("e:0",),
    ),
    ProfileLine(
        "b",
        "对花生过敏",
        kind="health",
        first_day="2026-01-02",
        last_day="2026-01-02",
        evidence=("e:1",),
    ),
    ProfileLine("c", "别提前任", kind="boundary", pinned=True),
    ProfileLine("d", "有一个女儿", kind="relation", last_day="2026-01-03", evidence=("e:2",)),
    ProfileLine("e", "喜欢茶", kind="taste", last_day="2026-01-03", evidence=("e:3",)),
]


def merge_of(*facts: str, known: list[ProfileLine] = KNOWN, **more: Any) -> LineMerge:
    """A merge of facts that 阿明 told on DAY into his profile and the group's."""
    settings = settings_for(Path("/nowhere"))
    job = make_job(group_fields(new_info=list(facts)), settings, lambda: 0.0)
    keys, names = (USER, GROUP), names_of(job, settings)
    told = [
        NewFact(
            text.partition("|")[0], f"n:{n}", DAY, "阿明", words=text.partition("|")[2], keys=keys
        )
        for n, text in enumerate(facts)
    ]
    profiles = [Profile(USER, "阿明", lines=tuple(known), revision=3), Profile(GROUP, "读书会")]
    return LineMerge(
        MergeQuestion.of("zh", [Subject(one, names) for one in profiles], told, **more)
    )


def told_by(merge: LineMerge, key: ProfileKey = USER) -> dict[str, str]:
    """The lines that hold, with their ids."""
    return {line.line_id: line.text for line in merge.profiles[key].lines if not line.until}


def take(merge: LineMerge, **answer: Any) -> list[str]:
    """Take an answer; return the reasons of what is refused."""
    return [why for _, why in merge.take(UpdateProfiles.model_validate(answer))]


def test_a_line_is_added_with_its_evidence_days_and_kind_and_no_other_line_moves() -> None:
    merge = merge_of("阿明会拉小提琴", "阿明每周三打羽毛球")
    assert not take(
        merge, add=[{"about": "user", "text": "- 会拉小提琴", "kind": "habit", "facts": ["N1"]}]
    )
    *before, new = merge.profiles[USER].lines
    assert before == KNOWN
    assert (new.text, new.kind, new.told, new.first_day, new.last_day, new.evidence) == (
        "会拉小提琴",
        "habit",
        1,
        DAY,
        DAY,
        ("n:0",),
    )
    assert merge.profiles[GROUP].lines == ()


@pytest.mark.parametrize(
    ("fact", "add", "why"),
    [
        ("阿明养了两只猫", {"text": "养了三只猫"}, "N1 里没有“三”"),
        ("阿明喜欢爵士乐", {"text": "喜欢《三体》"}, "N1 里没有《三体》"),
        ("阿明用Linux", {"text": "用Windows"}, "“Windows”这个名字"),
        ("阿明问了金价", {"text": "是富有的投资人"}, "N1 里没有说到"),
        ("阿明不吃猪肉", {"text": "吃猪肉"}, "相反"),
        ("阿明明天考试", {"text": "明天考试"}, "相对时间"),
        ("阿明说他喜欢茶", {"text": "他喜欢茶"}, "“他”"),
        ("阿明说小王是医生", {"text": "小王是医生"}, "说的是别的成员"),
        ("阿明喜欢咖啡", {"text": " \n```"}, "是空的"),
        ("阿明喜欢茶" * 80, {"text": "喜欢茶" * 120}, "超过 300 个字"),
    ],
)
def test_what_its_fact_does_not_carry_is_no_line_and_the_reason_says_why(
    fact: str, add: dict[str, str], why: str
) -> None:
    settings = settings_for(Path("/nowhere"))
    message = {"sender_id": "43", "sender_name": "小王", "text": "在吗"}
    job = make_job(group_fields(new_info=[fact], recent_messages=[message]), settings, lambda: 0.0)
    subject = Subject(Profile(USER, lines=tuple(KNOWN)), names_of(job, settings))
    merge = LineMerge(
        MergeQuestion.of("zh", [subject], [NewFact(fact, "n:0", DAY, "阿明", keys=(USER,))])
    )
    (reason,) = take(merge, add=[{"about": "user", "kind": "other", "facts": ["N1"], **add}])
    assert why in reason and merge.profiles[USER].lines == tuple(KNOWN)


HOURS = "2026-04-19 14:00前不要吸尘|下午两点前不要吸尘"


@pytest.mark.parametrize(
    ("fact", "about", "text", "why"),
    [
        ("阿明的四只小猫都找到人家啦", "user", "四只小猫都找到人家啦", ""),
        ("阿明的四只小猫都找到新家啦", "user", "四只小猫都找到人家啦", "人家"),
        ("阿明和妹妹住", "user", "和他的妹妹住", ""),
        ("阿明和妹妹住", "user", "他和妹妹住", "“他”"),
        ("阿明和妹妹住", "group", "有人和他的妹妹住", "“他”"),
        ("阿明说：我喜欢猫", "user", "说我喜欢猫", "“我”"),
        ("大家每周日去爬山", "group", "每周日去爬山", ""),
        ("阿明的母亲有糖尿病", "user", "母亲有糖尿病", ""),
        (HOURS, "user", "下午两点前不要吸尘", ""),
        (HOURS, "user", "14:00前不要吸尘", ""),
        (HOURS, "user", "明天下午两点前不要吸尘", "明天"),
        (HOURS, "user", "下午三点前不要吸尘", "三"),
    ],
)
def test_a_line_needs_no_more_than_its_subject_and_its_fact_explain(
    fact: str, about: str, text: str, why: str
) -> None:
    merge = merge_of(fact, known=[])
    reasons = take(merge, add=[{"about": about, "text": text, "facts": ["N1"]}])
    assert why in " ".join(reasons) and bool(reasons) == bool(why)
    assert list(told_by(merge, USER if about == "user" else GROUP).values()) == (
        [] if why else [text]
    )


def test_an_hour_of_any_day_is_shown_as_it_was_said() -> None:
    assert (
        "14:00前不要吸尘 ← 原话：下午两点前不要吸尘\n"
        in merge_of(HOURS, "阿明喜欢茶").question.prompt()
    )


def test_one_refused_line_takes_no_other_with_it_and_a_mended_one_is_taken() -> None:
    merge = merge_of("阿明会拉小提琴", "阿明养了两只猫")
    violin = {"about": "user", "text": "会拉小提琴", "facts": ["N1"]}
    cats = {"about": "user", "text": "养了三只猫", "facts": ["N2"]}
    assert len(take(merge, add=[violin, cats])) == 1
    assert "会拉小提琴" in told_by(merge).values()
    assert not take(merge, add=[violin, {**cats, "text": "养了两只猫"}])
    assert list(told_by(merge).values()).count("会拉小提琴") == 1


def test_a_line_ends_with_the_day_and_is_kept() -> None:
    merge = merge_of("阿明搬到了成都")
    assert not take(
        merge,
        end=[{"line": "L1", "facts": ["N1"]}],
        add=[{"about": "user", "text": "搬到了成都", "kind": "home", "facts": ["N1"]}],
    )
    first, *_, last = merge.profiles[USER].lines
    assert (first.line_id, first.text, first.until) == ("a", "住在杭州", DAY)
    assert last.text == "搬到了成都" and len(merge.profiles[USER].lines) == len(KNOWN) + 1


@pytest.mark.parametrize(
    ("facts", "end", "ended"),
    [
        (["阿明喜欢茶"], [{"line": "L2", "facts": ["N1"]}], []),
        (["阿明喜欢茶"], [{"line": "L3", "facts": ["N1"]}], []),
        (["阿明对花生不再过敏了"], [{"line": "L2", "facts": ["N1"]}], ["b"]),
        (["阿明不喝茶了", "阿明退休了"], [{"line": "L5", "facts": []}], []),
        (["阿明不喝茶了", "阿明退休了"], [{"line": "L5: 喜欢茶", "facts": ["n1"]}], ["e"]),
        (
            ["阿明不喝茶了"],
            [{"line": "L9", "facts": ["N1"]}, {"line": "喜欢茶", "facts": ["N1"]}],
            [],
        ),
        (["阿明退休了"], [{"line": f"L{n}", "facts": ["N1"]} for n in (1, 4, 5)], []),
        (["阿明退休了"], [{"line": "L1", "facts": ["N1"]}], ["a"]),
        (["阿明喜欢茶"], [{"line": "L5", "facts": ["N1"]}], []),
    ],
)
def test_a_line_ends_only_by_a_fact_that_may_end_it(
    facts: list[str], end: list[dict[str, Any]], ended: list[str]
) -> None:
    merge = merge_of(*facts)
    take(merge, end=end)
    assert [line.line_id for line in merge.profiles[USER].lines if line.until] == ended
    assert [replaced.line_id for replaced in merge.profiles[USER].lines] == [
        line.line_id for line in KNOWN
    ]


def test_another_job_ends_the_former_one_without_a_word_in_common() -> None:
    merge = merge_of(
        "阿明当上了导游", known=[*KNOWN, ProfileLine("f", "在阿里做后端", kind="work")]
    )
    guide = {"about": "user", "text": "当上了导游", "kind": "work", "facts": ["N1"]}
    assert not take(
        merge, add=[guide], end=[{"line": "L6", "facts": ["N1"]}]
    ) and "f" not in told_by(merge)


@pytest.mark.parametrize(("kind", "ends"), [("home", True), ("health", False)])
def test_no_line_on_health_ends_by_one_of_its_statements(kind: str, ends: bool) -> None:
    merge = merge_of("阿明搬到了成都", known=[ProfileLine("a", "住在杭州，养了两只猫", kind=kind)])  # type: ignore[arg-type]
    assert bool(take(merge, end=[{"line": "L1", "facts": ["N1"]}])) is not ends
    assert told_by(merge) == ({} if ends else {"a": "住在杭州，养了两只猫"})


@pytest.mark.parametrize(
    ("fact", "line", "text", "held"),
    [
        ("阿明搬到了成都", "住在杭州，养了两只猫", "养了两只猫", "养了两只猫"),
        ("阿明对芒果不再过敏", "对花生过敏，对芒果过敏", "对花生过敏", "对花生过敏"),
        ("阿明对芒果不再过敏", "对花生过敏，对芒果过敏", "对芒果过敏", "对花生过敏，对芒果过敏"),
        ("阿明喜欢茶", "住在杭州，养了两只猫", "养了两只猫", "住在杭州，养了两只猫"),
        ("阿明搬到了成都", "住在杭州，养了两只猫", "搬到了成都", "住在杭州，养了两只猫"),
    ],
)
def test_a_line_of_several_statements_is_cut_to_what_still_holds(
    fact: str, line: str, text: str, held: str
) -> None:
    old = ProfileLine(
        "a", line, told=3, first_day="2026-01-02", last_day="2026-01-03", evidence=("e:0",)
    )
    merge = merge_of(fact, known=[old])
    assert bool(take(merge, change=[{"line": "L1", "text": text, "facts": ["N1"]}])) == (
        held == line
    )
    first, *rest = merge.profiles[USER].lines
    assert (first.text, first.until) == (line, DAY if rest else "")
    last = [first, *rest][-1]
    assert (last.text, last.told, last.first_day, last.last_day) == (
        held,
        3,
        "2026-01-02",
        "2026-01-03",
    )
    assert last.evidence == ("e:0",)


FORMER = [
    OldFact(event_id="o:0", text="阿明在周二值班", by=["n:0"]),
    OldFact(event_id="e:0", text="阿明住在杭州", by=["n:0", "n:1"]),
    OldFact(event_id="n:0", text="", by=["n:1"]),
]


@pytest.mark.parametrize(
    ("end", "links", "ended"),
    [
        ([("F2", "N1")], [("o:0", "n:0")], []),
        ([("[f2]", "N1")], [("o:0", "n:0")], []),
        ([("F2", "N2")], [], []),
        ([("F1", "N1"), ("F2", "N1"), ("L1", "N1")], [], []),
        ([("F9", "N1")], [], []),
        ([("L1", "N2")], [("e:0", "n:1")], ["a"]),
        ([("F3", "N2")], [], []),
        ([("N1", "N2")], [("n:0", "n:1")], []),
        ([("N2", "N1"), ("N7", "N1")], [], []),
        ([("L2", "N1"), ("F2", "N1"), ("L1", "N1")], [], []),
    ],
)
def test_former_facts_end_by_what_may_end_them_and_none_with_the_control(
    end: list[tuple[str, str]], links: list[tuple[str, str]], ended: list[str]
) -> None:
    merge = merge_of("阿明改到周三值班", "阿明搬到了成都", former=FORMER)
    assert (
        "是聊天机器人\nF2: 阿明在周二值班\n" in merge.question.prompt()
        and "F3" not in merge.question.prompt()
    )
    take(merge, end=[{"line": line, "facts": [fact]} for line, fact in end])
    assert [(one.old, one.new) for one in merge.links] == links
    assert [line.line_id for line in merge.profiles[USER].lines if line.until] == ended


def test_a_changed_line_keeps_its_id_and_place_and_rests_on_more() -> None:
    merge = merge_of("阿明的女儿叫小满")
    assert not take(merge, change=[{"line": "L4", "text": "有一个女儿叫小满", "facts": ["N1"]}])
    assert list(told_by(merge)) == ["a", "b", "c", "d", "e"]
    line = merge.profiles[USER].lines[3]
    assert (line.text, line.kind, line.told, line.last_day, line.evidence) == (
        "有一个女儿叫小满",
        "relation",
        2,
        DAY,
        ("e:2", "n:0"),
    )


@pytest.mark.parametrize(
    ("fact", "change", "held"),
    [
        (
            "阿明搬到了成都",
            {"line": "L1", "text": "搬到了成都"},
            ["对花生过敏", "别提前任", "有一个女儿", "喜欢茶", "搬到了成都"],
        ),
        ("阿明对芒果过敏", {"line": "L2", "text": "对芒果过敏"}, [line.text for line in KNOWN]),
        ("阿明喜欢爬山", {"line": "L2", "text": "喜欢爬山"}, [line.text for line in KNOWN]),
        ("阿明喜欢爬山", {"line": "L3", "text": "喜欢爬山"}, [line.text for line in KNOWN]),
    ],
)
def test_new_words_that_leave_something_out_end_the_old_line_instead(
    fact: str, change: dict[str, str], held: list[str]
) -> None:
    merge = merge_of(fact)
    take(merge, change=[{**change, "facts": ["N1"]}])
    assert list(told_by(merge).values()) == held
    assert {line.text for line in KNOWN} <= {line.text for line in merge.profiles[USER].lines}


@pytest.mark.parametrize(
    "answer", [{}, {"change": [{"line": "L5", "text": "喜欢茶", "facts": ["N1"]}]}]
)
def test_what_a_line_says_already_is_told_again(answer: dict[str, Any]) -> None:
    known = [
        *KNOWN[:4],
        ProfileLine(
            "e", "阿明喜欢茶", first_day="2026-01-03", last_day="2026-01-03", evidence=("e:3",)
        ),
    ]
    merge = merge_of("阿明喜欢茶", known=known)
    if answer:
        answer["change"][0]["text"] = "阿明喜欢茶"
    assert not take(merge, **answer)
    line = next(one for one in merge.profiles[USER].lines if one.line_id == "e")
    assert (line.told, line.first_day, line.last_day, line.evidence) == (
        2,
        "2026-01-03",
        DAY,
        ("e:3", "n:0"),
    )


@pytest.mark.parametrize(
    ("fact", "until", "ends"),
    [
        ("阿明在巴黎实习到2026-12-31", "2026-12-31", "2026-12-31"),
        ("阿明在巴黎实习到2026-12-31", "2026-11-30", ""),
        ("阿明在巴黎实习", DAY, ""),
        ("阿明在巴黎实习，从2026-01-05起", "2026-01-05", ""),
        ("阿明在巴黎实习到2026-12-31", "年底", ""),
    ],
)
def test_a_line_ends_of_itself_only_on_a_later_day_that_its_fact_names(
    fact: str, until: str, ends: str
) -> None:
    merge = merge_of(fact)
    assert not take(
        merge, add=[{"about": "user", "text": "在巴黎实习", "until": until, "facts": ["N1"]}]
    )
    assert merge.profiles[USER].lines[-1].until == ends


def test_a_slot_that_a_line_names_is_not_asked_for_again() -> None:
    slots = ["生日", "时区"]
    assert "还空着的项：生日；时区\n" in merge_of("阿明喜欢茶", slots=slots).question.prompt()
    filled = [*KNOWN, ProfileLine("f", "生日是5月3日")]
    assert (
        "还空着的项：时区\n" in merge_of("阿明喜欢茶", known=filled, slots=slots).question.prompt()
    )


def test_the_model_is_shown_lines_by_id_kind_day_and_how_often_told_and_no_ended_one() -> None:
    known = [
        *KNOWN[:3],
        ProfileLine("x", "住在苏州", until="2026-02-01"),
        ProfileLine("y", "爱\n读诗", told=4, last_day="2026-02-02"),
    ]
    prompt = merge_of("阿明喜欢茶", "大家每周日碰头", known=known).question.prompt()
    assert (
        "P1 阿明：\nL1 [home] 住在杭州 (2026-01-02)\nL2 [health] 对花生过敏 (2026-01-02)" in prompt
    )
    assert "L3 [boundary，置顶] 别提前任\nL4 [other] 爱\\n读诗 (4×, 2026-02-02)" in prompt
    assert "苏州" not in prompt and "G 群：读书会：\n（无）" in prompt
    assert f"N1 [P1 G] ({DAY}, 阿明): 阿明喜欢茶\nN2 [P1 G] ({DAY}, 阿明): 大家每周日碰头" in prompt


def test_of_a_long_profile_guarded_lines_those_like_the_facts_and_the_newest_are_shown() -> None:
    many = [ProfileLine(str(n), f"吃过第{n}家馆子") for n in range(500)]
    known = [ProfileLine("g", "会弹吉他"), ProfileLine("h", "对花生过敏", kind="health"), *many]
    shown = merge_of("阿明的吉他坏了", known=known).question.lines
    assert len(shown) == 60 and {"g", "h", "499"} <= {line.line_id for _, line in shown}


@pytest.mark.parametrize(
    ("given", "facts", "kind"),
    [
        ({"facts": "N1", "kind": "pet"}, ["N1"], "other"),
        ({"facts": [1], "kind": "home"}, ["1"], "home"),
        ({"facts": None}, [], "other"),
    ],
)
def test_what_weak_models_write_for_lists_and_kinds_is_read(
    given: dict[str, Any], facts: list[str], kind: str
) -> None:
    (add,) = UpdateProfiles.model_validate(
        {"add": [{"text": "喜欢茶", **given}], "change": None, "end": None}
    ).add
    assert (add.facts, add.kind) == (facts, kind)


@pytest.mark.parametrize(
    ("text", "given", "kind"),
    [
        ("对芒果过敏", "taste", "health"),
        ("对芒果过敏", "other", "health"),
        ("住在苏州", "other", "home"),
        ("住在苏州", "relation", "relation"),
        ("母亲有糖尿病", "relation", "relation"),
        ("爱加班", "boundary", "boundary"),
        ("爱读诗", "taste", "taste"),
    ],
)
def test_a_kind_is_known_by_the_words_of_a_line_where_they_tell(
    text: str, given: str, kind: str
) -> None:
    merge = merge_of(f"阿明{text}")
    assert not take(merge, add=[{"about": "user", "text": text, "kind": given, "facts": ["N1"]}])
    assert merge.profiles[USER].lines[-1].kind == kind


def test_a_line_is_not_told_again_by_a_fact_about_another_matter() -> None:
    merge = merge_of("阿明每周三打羽毛球")
    assert not take(merge, change=[{"line": "L1", "text": "住在杭州", "facts": ["N1"]}])
    assert merge.profiles[USER].lines == tuple(KNOWN)


@pytest.mark.parametrize(
    ("fact", "line", "why"),
    [
        ("阿明喜欢爬山", "经常喜欢爬山", "经常"),
        ("阿明经常爬山", "经常爬山", ""),
        ("阿明以前抽烟", "以前抽烟", ""),
        ("阿明抽烟", "以前抽烟", "以前"),
    ],
)
def test_often_and_used_to_need_a_source_that_says_so(fact: str, line: str, why: str) -> None:
    merge = merge_of(fact)
    reasons = take(merge, add=[{"about": "P1", "text": line, "facts": ["N1"]}])
    assert bool(reasons) is bool(why) and why in " ".join(reasons)


@pytest.mark.parametrize(("told", "taken"), [(1, False), (2, True)])
def test_what_was_told_on_three_days_may_be_called_often(told: int, taken: bool) -> None:
    line = ProfileLine("a", "去游泳", "habit", told, "2026-01-02", "2026-02-02", evidence=("e:0",))
    merge = merge_of("阿明去游泳了", known=[line])
    assert (
        bool(take(merge, change=[{"line": "L1", "text": "经常去游泳", "facts": ["N1"]}]))
        is not taken
    )


def test_no_fact_enters_the_profile_of_another_member() -> None:
    """One question is about several people; what each told may enter their own profile and the group's alone."""
    settings, other = settings_for(Path("/nowhere")), ProfileKey("user", "43")
    subjects = []
    for user, name, key in (("42", "阿明", USER), ("43", "小王", other)):
        job = make_job(
            group_fields(user_id=user, user_name=name, new_info=["."]), settings, lambda: 0.0
        )
        subjects.append(
            Subject(
                Profile(key, name, lines=(ProfileLine(user, "住在杭州", "home"),)),
                names_of(job, settings),
            )
        )
    group = Subject(Profile(GROUP, "读书会"), subjects[0].names)
    facts = [
        NewFact("阿明会拉小提琴", "n:0", DAY, "阿明", keys=(USER, GROUP)),
        NewFact("小王搬到了成都", "n:1", DAY, "小王", keys=(other, GROUP)),
        NewFact("读书会每周日碰头", "n:2", DAY, "小王", keys=(GROUP,)),
    ]
    merge = LineMerge(MergeQuestion.of("zh", [*subjects, group], facts))
    assert "N2 [P2 G] (" in merge.question.prompt() and "N3 [G] (" in merge.question.prompt()
    refused = take(
        merge,
        add=[
            {"about": "P2", "text": "会拉小提琴", "facts": ["N1"]},
            {"about": "小王", "text": "每周日碰头", "facts": ["N3"]},
            {"about": "P1", "text": "搬到了成都", "facts": ["N1", "N2"]},
            {"about": "P7", "text": "会拉小提琴", "facts": ["N1"]},
            {"about": "阿明", "text": "会拉小提琴", "facts": ["N1"]},
            {"about": "G", "text": "每周日碰头", "facts": ["N3"]},
            {"about": "P2", "text": "搬到了成都", "facts": ["N2"]},
        ],
        end=[{"line": "L1", "facts": ["N2"]}, {"line": "L2", "facts": ["N2"]}],
    )
    assert len(refused) == 5
    assert list(told_by(merge).values()) == ["住在杭州", "会拉小提琴"]
    assert list(told_by(merge, other).values()) == ["搬到了成都"] and list(
        told_by(merge, GROUP).values()
    ) == ["每周日碰头"]


def test_of_health_a_model_is_believed_when_it_says_again_that_a_line_is_over() -> None:
    merge = merge_of("阿明喜欢茶")
    end = [{"line": "L2", "facts": ["N1"]}]
    assert take(merge, end=end) and not merge.profiles[USER].lines[1].until
    assert not take(merge, end=end) and merge.profiles[USER].lines[1].until == DAY


def test_a_line_goes_through_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    added = [{"about": "P1", "text": "会拉小提琴", "facts": ["N1"]}]
    assert not take(merge_of("阿明会拉小提琴"), add=added)
    refuse_all(monkeypatch)
    (reason,) = take(merge_of("阿明会拉小提琴"), add=added)
    assert REFUSED in reason
