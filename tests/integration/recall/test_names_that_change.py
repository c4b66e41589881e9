"""A person is their id: who is asked for by a former name is found under today's, and no other conversation knows the name."""

from __future__ import annotations

from pathlib import Path

from historian.interfaces.langchain.retriever import CognitiveRetriever
from historian.interfaces.langchain.tools import handle_memory_call
from historian.schema.event import Event
from historian.schema.scope import Scope
from historian.service.cognitive import CognitiveService
from historian.text.speakers.borne_names import BorneNames
from historian.text.speakers.shown_names import ShownNames
from support.memory import settings_for
from support.recall import open_memory


def shown_speaker(event: Event, names: BorneNames, told: str = "") -> str:
    """How the sender of a message is shown beside a text."""
    return ShownNames(lambda _: names, [told]).speaker(event)


GROUP = Scope.group("7", "1003")
SAID = [
    ("1001", "Sam", "My piano arrives soon"),
    ("1001", "Sammy", "I moved to Leeds with the piano"),
    ("1002", "Sam", "I play chess, no piano for me"),
    ("1003", "Nina", "Who has a piano here"),
    ("1003", "Nina", "The piano shop is closed"),
]


async def told(memory: CognitiveService, group: str = "7") -> None:
    for who, name, text in SAID:
        message = {"role": "user", "content": text, "sender_id": who, "name": name}
        await memory.remember([message], Scope.group(group, who))
        await memory.flush()
        assert await memory.settled(20)


async def test_a_former_name_in_a_question_finds_its_bearer_of_today(tmp_path: Path) -> None:
    async with open_memory(settings_for(tmp_path), worker=True) as (memory, parts):
        await told(memory)
        for question, people in (
            ("Sam and the piano", {"1001", "1002"}),
            ("Sammy and the piano", {"1001"}),
            ("a piano", set()),
        ):
            hits = await memory.search_events(question, GROUP, top_k=9)
            assert len(hits) == len(SAID)
            assert {hit.event.user_id for hit in hits if hit.scores.get("name")} == people, question
        names = BorneNames(parts.events.names(GROUP.key))
        by_text = {
            hit.event.text: shown_speaker(hit.event, names, "Where does Sam live?") for hit in hits
        }
        assert [by_text[text] for _, _, text in SAID] == [
            "Sammy (then Sam)",
            "Sammy",
            "Sam",
            "Nina",
            "Nina",
        ]


async def test_names_of_one_conversation_are_unknown_in_another(tmp_path: Path) -> None:
    async with open_memory(settings_for(tmp_path), worker=True) as (memory, parts):
        await told(memory)
        elsewhere = Scope.group("8", "1001")
        message = {
            "role": "user",
            "content": "I have a piano",
            "sender_id": "1001",
            "name": "River",
        }
        await memory.remember([message], elsewhere)
        await memory.flush()
        assert await memory.settled(20)
        (hit,) = await memory.search_events("Sam and the piano", elsewhere)
        assert not hit.scores.get("name")
        names = BorneNames(parts.events.names(elsewhere.key))
        assert (
            list(names.written) == ["River"]
            and shown_speaker(hit.event, names, "Sammy, Sam") == "River"
        )


async def test_a_block_shows_todays_name_and_a_greeting_gets_none(tmp_path: Path) -> None:
    async with open_memory(settings_for(tmp_path), worker=True) as (memory, _):
        await told(memory)
        await memory.search_events("piano", GROUP)  # the conversation is in memory from now on
        block = await memory.build_context("Which piano does Nina mean?", GROUP, language="en")
        assert (
            "\nSammy: I moved to Leeds with the piano\n" in block
            and "\nSam: I play chess, no piano for me\n" in block
        )
        asked = await memory.build_context("Is the piano of Sam in Leeds?", GROUP, language="en")
        assert "\nSammy (then Sam): My piano arrives soon\n" in asked
        assert "Sam" not in await memory.build_context(
            "good morning everybody", GROUP, language="en"
        )
        (document, *_) = await CognitiveRetriever(memory=memory, scope=GROUP, k=1).ainvoke(
            "My piano arrives soon"
        )
        assert "Sammy: My piano arrives soon" in document.page_content.splitlines()
        assert "Sammy" in document.metadata["speakers"]
        answer = await handle_memory_call(
            memory, "search_events", {"query": "piano"}, GROUP, language="zh"
        )
        assert "Sammy: I moved to Leeds" in answer
