"""What was asked ranks below what is known: in the order of hits, in the block, and among what waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from historian import CognitiveService, Scope
from historian.retrieval.known_first import ASKED, known_first
from historian.schema.hit import Hit
from historian.text.questions.asking import is_question
from support.events import make_event
from support.memory import private_fields, settings_for

ANN = Scope.private("7")


@pytest.mark.parametrize(
    "text",
    [
        "Ann: What is my favourite tea?",
        "Ann asks what her favourite tea is",
        "The bot was asked about Ann's favourite tea and told Ann: longjing",
        "Ann wanted to know whether the library is open",
        "阿明: 我喜欢喝什么茶？",
        "阿明问自己喜欢喝什么茶",
        "阿明想知道图书馆几点关门",
        "阿明：你还记得我的猫吗",
    ],
)
def test_questions_and_what_tells_of_them_are_known(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "Ann loves longjing tea",
        "Ann asked Ben to marry her",
        "Ann is a task manager at a bank",
        "Ann knows who lives next door",
        "阿明的问题很多",
        "阿明喜欢访问老朋友",
        "阿明向小史问好",
        "阿明什么茶都喝",
        "Ann: I went hiking in Porto last week. Have you ever been there?",
        "阿明: 我上周去波尔图爬山了。你去过吗？",
    ],
)
def test_what_is_known_is_no_question(text: str) -> None:
    assert not is_question(text)


def hits(*given: tuple[str, float, str]) -> list[tuple[int, Hit]]:
    return [
        (n, Hit(make_event(f"j{n}-0", 0, text=text, source=source), score, {"final": score}))
        for n, (text, score, source) in enumerate(given)
    ]


def questions(found: list[tuple[int, Hit]]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([is_question(hit.event.text) for _, hit in found])


def test_a_question_gives_part_of_its_score_away_and_the_others_keep_their_order() -> None:
    found = hits(("Which tea?", 1.0, "job"), ("tea a", 0.7, "job"), ("tea b", 0.9, "job"), ("far", 0.2, "job"))
    ordered = known_first(found, questions(found), observations_last=False)
    assert [hit.event.text for _, hit in ordered] == ["tea a", "tea b", "Which tea?", "far"]
    assert [position for position, _ in ordered] == [1, 2, 0, 3]
    lowered = ordered[2][1]
    assert lowered.score == ASKED and lowered.scores == {"final": ASKED, "asked": ASKED - 1.0}


def test_before_a_reply_questions_come_behind_raw_observations_too() -> None:
    found = hits(("Which tea?", 1.0, "job"), ("tea", 0.1, "job"), ("Which?", 0.9, "observation"), ("said", 0.8, "observation"))
    ordered = known_first(found, questions(found), observations_last=True)
    assert [hit.event.text for _, hit in ordered] == ["tea", "said", "Which tea?", "Which?"]


async def test_the_answer_comes_before_the_question_everywhere(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path)) as memory:
        fields: dict[str, Any] = private_fields()
        await memory.enqueue_job(new_info=["She loves longjing tea"], **fields)
        await memory.enqueue_job(new_info=["She asks which tea she loves", "She asked which tea she loves best"], **fields)
        assert await memory.settled(20)
        texts = [hit.event.text for hit in await memory.search("Which tea does she love?", ANN, top_k=2)]
        assert texts[0] == "Ann loves longjing tea"
        assert "asks" in (await memory.search("What did she ask about tea?", ANN, top_k=1))[0].event.text
        profile = await memory.get_profile("user", "7", ANN)
        assert profile is not None and "ask" not in profile.summary
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as memory:
        await memory.remember("Which tea do I love?", ANN, user_name="Ann")
        waiting = await memory.search("Which tea do I love?", ANN)
        assert "longjing" in waiting[0].event.text and waiting[-1].pending
