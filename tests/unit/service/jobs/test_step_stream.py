"""Steps of jobs, told to those who look on."""

import asyncio

from historian.schema.job import Job
from historian.service.jobs.step_stream import MOST_WAITING, RECENT, StepStream, found_in
from support.memory import private_fields


def a_job() -> Job:
    return Job(request_id="r1", action_summary="x", **private_fields())


async def test_every_subscriber_is_told_until_it_ends() -> None:
    stream = StepStream(lambda: 5.0)
    with stream.subscribed() as first:
        stream.began(a_job())
        with stream.subscribed() as second:
            stream.ended(a_job(), "filed")
            await asyncio.sleep(0)
        stream.began(a_job())
        await asyncio.sleep(0)
    assert [first.get_nowait().node for _ in range(3)] == ["__start__", "__end__", "__start__"]
    assert second.get_nowait().node == "__start__"
    told = second.get_nowait()
    assert (told.node, told.outcome, told.at, told.scope, second.qsize()) == (
        "__end__",
        "filed",
        5.0,
        "p:7",
        0,
    )


async def test_who_reads_too_slowly_misses_the_oldest_steps_and_holds_nobody_up() -> None:
    stream = StepStream(lambda: 0.0)
    with stream.subscribed() as slow:
        for n in range(MOST_WAITING + 5):
            stream.ended(a_job(), str(n))
        await asyncio.sleep(0)
        assert slow.qsize() == MOST_WAITING and slow.get_nowait().outcome == "5"


async def test_who_comes_later_is_told_the_last_steps_unless_somebody_was_forgotten_meanwhile() -> (
    None
):
    stream = StepStream(lambda: 0.0)
    for n in range(RECENT + 5):
        stream.ended(a_job(), str(n))
    with stream.subscribed() as steps:
        assert [steps.get_nowait().outcome for _ in range(steps.qsize())] == [
            str(n) for n in range(5, RECENT + 5)
        ]
    stream.clear()
    with stream.subscribed() as steps:
        assert steps.empty()


async def test_steps_of_another_thread_arrive() -> None:
    stream = StepStream(lambda: 0.0)
    with stream.subscribed() as steps:
        await asyncio.to_thread(stream.began, a_job())
        async with asyncio.timeout(5):
            assert (await steps.get()).job_id == "r1-0"


def test_only_facts_that_are_over_are_told_as_over() -> None:
    former = [
        {"event_id": "a-0:0", "text": "阿明住在北京", "ended": True, "by": "b-0:0"},
        {"event_id": "a-0:1", "text": "阿明喜欢茶", "ended": False, "by": "b-0:0"},
    ]
    assert found_in({"former": former}) == {
        "ended": [{"event_id": "a-0:0", "text": "阿明住在北京", "by": "b-0:0"}]
    }


def test_a_step_that_made_nothing_has_nothing_to_tell() -> None:
    assert found_in({"written": [], "conflict": False}) == {}
