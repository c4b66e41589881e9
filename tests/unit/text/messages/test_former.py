"""Observations of former versions as messages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from historian.text.messages.former import FormerTalk
from support.events import make_event
from support.former_talk import FORMER, messages, observations


@pytest.mark.parametrize("name", FORMER)
def test_talk_becomes_messages_and_what_tools_returned_stays(name: str) -> None:
    talk, former = FormerTalk(), FORMER[name]
    made = [talk.message(one) for one in observations(name)]
    assert made == messages(name)
    assert [talk.message(one) for one in made] == made, "once"
    if former.role:
        assert {one.speaker for one in made} == {former.speaker}
        # Nothing is lost, and only the head goes.
        assert all(one.text in former.words for one in made)
        assert "".join(former.words.split())[-20:] == "".join(made[-1].text.split())[-20:]
    if name.startswith("long"):
        assert len(made) > 3


def test_parts_that_come_later_follow_the_first_of_their_observation() -> None:
    talk = FormerTalk()
    bot, tool = observations("long of the bot"), observations("long of a tool")
    mixed = [one for pair in zip(bot, tool, strict=False) for one in pair]
    assert [talk.message(one).role for one in mixed] == ["assistant", ""] * (len(mixed) // 2)


def test_what_was_no_observation_is_left_alone() -> None:
    talk = FormerTalk()
    for source in ("job", "summary", "note", "migrated"):
        event = make_event(text="Ann: I moved", source=source, user_name="Ann")
        assert talk.message(event) is event
    raw = replace(observations("tool")[0], kind="message", role="tool")
    assert talk.message(raw) is raw
