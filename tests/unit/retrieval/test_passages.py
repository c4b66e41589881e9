"""Passages: hits with the messages that they lean on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from historian.retrieval.choosing import with_neighbours
from historian.retrieval.passages import context_of, passages
from historian.retrieval.scope_index.table import snapshot_of
from historian.schema.event import Event
from historian.schema.hit import Hit
from historian.text.messages.records import named_message
from support.events import make_event

TALK = [
    ("nina", "who brings the tent on the trip to the lake?", 0),
    ("ben", "me", 20),
    ("nina", "and somebody has to buy food for all of us, as last year", 60),
    ("ben", "the tent has a hole, by the way, I saw it when I put it away", 9_000),
]


def message(n: int, who: str, text: str, at: float, **fields: Any) -> Event:
    made = make_event(f"m-{n}", text=text, kind="message", source="message", timestamp=at)
    return replace(made, **{"said_by": who, "user_name": who.title(), "role": "user", **fields})


EVENTS = [message(n, *said) for n, said in enumerate(TALK)]


def hit(place: int, count: int = 1, events: list[Event] | None = None, score: float = 1.0) -> Hit:
    snapshot = snapshot_of(events or EVENTS)
    return with_neighbours(
        Hit(snapshot.events[place], score, place=place), snapshot, count, 30.0, now=1_000_000.0
    )


def test_neighbours_are_the_messages_around_in_the_order_of_time_up_to_a_silence() -> None:
    assert [one.text for one in hit(1).before] == [TALK[0][1]] and [
        one.text for one in hit(1).after
    ] == [TALK[2][1]]
    assert [one.text for one in hit(2, 5).before] == [TALK[0][1], TALK[1][1]] and hit(
        2, 5
    ).after == ()
    assert hit(1, 0).before == () == hit(1, 0).after
    shuffled = [EVENTS[2], EVENTS[0], EVENTS[1]]
    assert hit(2, 1, shuffled).before == (EVENTS[0],) and hit(2, 1, shuffled).after == (EVENTS[2],)


def test_events_between_are_passed_over_and_have_no_neighbours() -> None:
    between = make_event("j-1", text="Clio noted the trip", timestamp=10.0)
    events = [EVENTS[0], between, EVENTS[1]]
    assert hit(2, 1, events).before == (EVENTS[0],)
    assert hit(1, 1, events).before == ()


def test_the_message_that_is_answered_stands_before_it_whenever_it_was_said() -> None:
    scope = EVENTS[0].scope
    asked = replace(
        EVENTS[0], event_id=f"{named_message(scope, '77')}:0", job_id=named_message(scope, "77")
    )
    answer = message(
        9,
        "ben",
        "I do, I have a new one since summer and nobody has seen it",
        900_000,
        reply_to="77",
    )
    assert hit(1, 1, [asked, answer]).before == (asked,)
    assert [one.event for one in context_of(hit(1, 1, [asked, answer]))] == [asked]
    gone = replace(answer, reply_to="78")
    assert hit(1, 1, [asked, gone]).before == ()


def test_a_message_that_has_expired_is_nobodys_neighbour() -> None:
    for expires_at, before in ((999_999.0, ()), (1_000_001.0, (EVENTS[0].event_id,))):
        first = replace(EVENTS[0], expires_at=expires_at)
        assert tuple(one.event_id for one in hit(1, 1, [first, EVENTS[1]]).before) == before


def test_a_short_message_an_answer_and_a_question_have_a_context_and_others_none() -> None:
    assert [one.event for one in context_of(hit(1))] == [EVENTS[0]]
    assert [one.event for one in context_of(hit(0))] == [EVENTS[1]]
    assert context_of(hit(2)) == [] == context_of(hit(3))


def test_passages_that_overlap_are_one_best_first() -> None:
    found = passages([hit(3, score=0.9), hit(1, score=0.8), hit(0, score=0.7)])
    assert [one.ids for one in found] == [
        (EVENTS[3].event_id,),
        (EVENTS[0].event_id, EVENTS[1].event_id),
    ]
    assert found[1].text == "Nina: who brings the tent on the trip to the lake?\nBen: me"
    assert found[1].senders == ("nina", "ben") and [one.score for one in found] == [0.9, 0.8]
    assert len(found[1].times) == 2 and len(found[1].hits) == 2


def test_messages_of_one_moment_stand_in_the_order_of_filing() -> None:
    same = [message(n, who, text, 5.0) for n, (who, text, _) in enumerate(TALK[:2])]
    assert passages([hit(1, 1, same)])[0].ids == (same[0].event_id, same[1].event_id)
