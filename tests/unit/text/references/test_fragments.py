"""Notes without a subject, by their form."""

from __future__ import annotations

import pytest
from historian.schema.job import Job
from historian.schema.settings import Settings
from historian.text.job_verdicts import by_rules
from historian.text.references.fragments import chinese_form, english_form


@pytest.mark.parametrize(
    ("note", "written"),
    [
        ("panics before exams", "Ann panics before exams"),
        ("marks essays on Sundays", "Ann marks essays on Sundays"),
        ("drew comics for the uni paper", "Ann drew comics for the uni paper"),
        ("will not touch mushrooms", "Ann will not touch mushrooms"),
        ("moved out of the flat", "Ann moved out of the flat"),
        ("saving for a cargo bike", "Ann is saving for a cargo bike"),
        ("into jazz", "Ann is into jazz"),
        ("not a morning person", "Ann is not a morning person"),
        ("terrible with names", "Ann is terrible with names"),
        ("allergic to latex", "Ann is allergic to latex"),
        ("grant writer by trade", "Ann is a grant writer by trade"),
        ("three cats, all rescues", "Ann has three cats, all rescues"),
        ("挺能吃辣", "Ann挺能吃辣"),
        ("左撇子", "Ann左撇子"),
        ("早上离不开咖啡", "Ann早上离不开咖啡"),
        ("有鼻炎", "Ann有鼻炎"),
    ],
)
def test_a_note_of_a_person_gets_the_user_as_its_subject(note: str, written: str) -> None:
    job = {"request_id": "r", "timestamp": "2026-02-20T20:00:00+08:00", "timezone": "Asia/Shanghai", "request_type": "private"}
    item = by_rules(Job.model_validate({**job, "user_id": "1", "user_name": "Ann", "new_info": [note]}), Settings())[0]
    assert (item["passed"], item["candidate"]) == (True, written)


@pytest.mark.parametrize(
    "text",
    [
        "exams start on Monday",
        "Cats like fish",
        "Photos from Rome",
        "Lost luggage arrived",
        "Running is fun",
        "Used cars are cheap",
        "Jonas still owes for the router",
        "In May the library closes",
        "Will Smith sings well",
        "No worries",
        "Great to hear",
        "A dinner in Rome",
        "Agreed, art helps",
    ],
)
def test_what_has_a_subject_or_tells_of_no_person_is_no_note(text: str) -> None:
    assert english_form(text) == ""


@pytest.mark.parametrize("text", ["更贵了", "挺好吃的", "没带伞", "已经裱起来了"])
def test_what_may_be_said_of_a_thing_is_left_open(text: str) -> None:
    assert chinese_form(text) == "other"


@pytest.mark.parametrize("text", ["很多人来了", "已经下雨了", "太阳很大", "没人报名", "食堂涨价了"])
def test_a_chinese_clause_with_its_subject_is_no_note(text: str) -> None:
    assert chinese_form(text) == ""
