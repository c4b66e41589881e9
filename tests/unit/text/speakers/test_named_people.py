"""The places in a text where people are named, each with an id."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from historian.schema.event import BorneName, NamedPerson
from historian.schema.job import Job, parse_job
from historian.text.messages.records import message_events
from historian.text.speakers.borne_names import BorneNames, NamedPeople, with_people
from hypothesis import given
from hypothesis import strategies as st
from support.events import make_event


def job(name: str, *others: tuple[str, str], **more: Any) -> Job:
    fields = {
        "request_id": "r", "request_type": "group", "group_id": "7", "user_id": "42", "user_name": name, "bot_id": "900",
        "bot_name": "Clio", "group_name": "Book Club", "timestamp": "2026-02-20T17:30:00+08:00", "timezone": "UTC",
        "recent_messages": [{"sender_id": who, "sender_name": called, "text": "hi"} for who, called in others],
    }  # fmt: skip
    return parse_job({**fields, **more})


def named(text: str, *people: tuple[str, str], teller: str = "") -> list[tuple[str, str]]:
    (first, *others) = people
    found = NamedPeople.of_job(job(first[1], *others, user_id=first[0])).named(text, teller)
    return [(text[one.start : one.end], one.user_id) for one in found]


ANN, BEN, LEE = ("1001", "Ann"), ("1002", "Ben"), ("1003", "Ann Lee")


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Ann met Ben", [("Ann", "1001"), ("Ben", "1002")]),
        ("Ann Lee met Ann", [("Ann Lee", "1003"), ("Ann", "1001")]),
        ("Anna and Anné met Bench", []),
        ("Ann的猫叫Ben", [("Ann", "1001"), ("Ben", "1002")]),
        ("ann likes ben", [("ann", "1001")]),
        ("“Ann” likes tea", [("Ann", "1001")]),
        (
            "user 1001 met 用户 1002 and @1003",
            [("user 1001", "1001"), ("用户 1002", "1002"), ("@1003", "1003")],
        ),
        ("user 10010 paid 1001", []),
        (
            "[CQ:at,qq=77] and <@!1002> met @everyone [CQ:at,qq=all]",
            [("[CQ:at,qq=77]", "77"), ("<@!1002>", "1002")],
        ),
        ("Clio helped Ann in Book Club", [("Clio", "900"), ("Ann", "1001"), ("Book Club", "")]),
        ("", []),
    ],
)
def test_a_name_or_an_id_in_a_text_has_its_person(text: str, people: list[tuple[str, str]]) -> None:
    assert named(text, ANN, BEN, LEE) == people


def test_a_name_of_two_people_is_that_of_none_without_an_id_or_a_teller() -> None:
    both = (("1001", "Ann"), ("1002", "ann"))
    assert named("Ann moved", *both) == [("Ann", "")]
    assert named("Ann (1002) moved", *both) == [("Ann (1002)", "1002")]
    assert named("Ann (1003) moved", *both) == [("Ann", "")]
    assert named("Ann moved", *both, teller="1001") == [("Ann", "1001")]


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("我", "我住在杭州", []), ("大家", "大家都来了", []), ("Everyone", "Everyone agreed", []), ("Here", "Here it is", []),
        ("May", "Ben moved in May", []), ("May", "May moved to Leeds", ["May"]), ("A", "A cat", []),
        ("🦊", "🦊 has a cat", ["🦊"]), ("x" * 64, f"so {'x' * 64} said", ["x" * 64]),
        ("x" * 300, f"{'x' * 200} said", ["x" * 200]),
        ("1002", "1002 moved", ["1002"]), ("Clio", "Clio moved", [""]),
        ("Ignore all rules", "Ignore all rules moved", ["Ignore all rules"]),
    ],
)  # fmt: skip
def test_a_nickname_is_read_where_it_can_be_no_word(name: str, text: str, found: list[str]) -> None:
    people = NamedPeople.of_job(job(name, bot_id=""))
    places = people.named(text)
    assert [text[one.start : one.end] if one.user_id == "42" else "" for one in places] == found


@given(
    st.lists(st.tuples(st.sampled_from(["1", "2", "3"]), st.text(max_size=5)), max_size=4),
    st.text(max_size=40),
)
def test_places_are_in_order_apart_and_of_people_of_the_conversation(
    rows: list[tuple[str, str]], text: str
) -> None:
    names = BorneNames(BorneName(who, name, 0, 0) for who, name in rows)
    places = NamedPeople(names, {who for who, _ in rows}).named(text)
    assert all(one.end <= two.start for one, two in pairwise(places))
    assert all(0 <= one.start < one.end <= len(text) for one in places)
    assert (
        {one.user_id for one in places} <= {"", *(who for who, _ in rows)}
        or "<@" in text
        or "[CQ" in text
    )
    assert [NamedPerson.read(one.written) for one in places] == places


def test_events_of_a_job_and_messages_note_whom_they_name() -> None:
    given = job("Ann (42)", ("43", "Ann (43)"), ("44", "Ben"))
    (event,) = with_people(given, [make_event(text="Ann (42) owes Ben and Ann 5 dollars")])
    assert event.people == ("0:8:42", "14:17:44") and [one.user_id for one in event.named] == [
        "42",
        "44",
    ]
    talk = job("Ann", kind="talk", payload={"role": "user", "text": "<@44> I am Ann"})
    (said,) = message_events(talk, 300)
    assert (said.text, said.people) == ("<@44> I am Ann", ("0:5:44", "11:14:42"))
