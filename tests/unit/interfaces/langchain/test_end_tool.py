import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from historian.interfaces.langchain.end_tool import (
    end_tool_schema,
    handle_end_call,
    make_end_tool,
    system_prompt_text,
)
from historian.schema.job import Job
from historian.service.cognitive import CognitiveService
from historian.stores.sqlite.queue import QUEUE, SqliteJobQueue
from langchain.agents import create_agent
from langgraph.prebuilt import create_react_agent
from support.memory import private_fields, settings_for
from support.models.scripted_model import ScriptedModel, calls


def accepted(directory: Path) -> list[Job]:
    with closing(SqliteJobQueue(directory / QUEUE, clock=lambda: 0.0)) as queue:
        return queue.jobs("pending")


@pytest.fixture
async def memory(tmp_path: Path) -> Any:
    async with CognitiveService.open(settings_for(tmp_path), worker=False) as service:
        yield service


async def test_a_call_becomes_a_job_of_the_conversation(
    memory: CognitiveService, tmp_path: Path
) -> None:
    tool = make_end_tool(memory, private_fields(request_id="r1"), language="en")
    answer = await tool.ainvoke(
        {"action_summary": "I told her a story", "new_info": ["She likes tea"], "force": True}
    )
    (job,) = accepted(tmp_path)
    assert (
        answer
        == "Ended; handed over to memory. Now write your whole reply to the user: your last message is what they see."
    )
    assert (job.action_summary, job.new_info, job.force, job.user_id) == (
        "I told her a story",
        ["She likes tea"],
        True,
        "7",
    )


async def test_the_old_name_and_one_string_are_taken(
    memory: CognitiveService, tmp_path: Path
) -> None:
    tool = make_end_tool(memory, private_fields())
    await tool.ainvoke({"summary": "我讲了故事", "new_info": "她喜欢茶"})
    (job,) = accepted(tmp_path)
    assert (job.action_summary, job.new_info) == ("我讲了故事", ["她喜欢茶"])


async def test_a_list_that_came_as_a_string_is_a_list(
    memory: CognitiveService, tmp_path: Path
) -> None:
    await handle_end_call(
        memory, '{"action_summary": "x", "new_info": "[\\"a\\", \\"b\\"]"}', private_fields()
    )
    assert accepted(tmp_path)[0].new_info == ["a", "b"]


async def test_a_string_that_only_looks_like_a_list_is_one_item(
    memory: CognitiveService, tmp_path: Path
) -> None:
    await handle_end_call(memory, {"new_info": "[草稿] 他喜欢茶"}, private_fields())
    assert accepted(tmp_path)[0].new_info == ["[草稿] 他喜欢茶"]


async def test_the_model_cannot_change_whose_conversation_it_is(
    memory: CognitiveService, tmp_path: Path
) -> None:
    arguments = {"action_summary": "x", "user_id": "8", "group_id": "9", "request_type": "group"}
    await handle_end_call(memory, arguments, private_fields())
    (job,) = accepted(tmp_path)
    assert (job.user_id, job.group_id) == ("7", "")


async def test_nothing_to_say_writes_nothing(memory: CognitiveService, tmp_path: Path) -> None:
    answer = await handle_end_call(memory, "", private_fields(), language="en")
    assert answer == "Ended; there was nothing to remember."
    assert accepted(tmp_path) == []


async def test_a_call_that_comes_again_makes_no_second_job(
    memory: CognitiveService, tmp_path: Path
) -> None:
    for _ in range(2):
        await handle_end_call(
            memory, {"action_summary": "x"}, private_fields(request_id="r1", end_seq=2)
        )
    assert len(accepted(tmp_path)) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        "not json",
        "[1]",
        '"x"',
        '{"action_summary": 5}',
        '{"new_info": [{}]}',
        '{"force": "perhaps"}',
    ],
)
async def test_wrong_arguments_are_told_to_the_model_and_raise_nothing(
    memory: CognitiveService, tmp_path: Path, arguments: str
) -> None:
    answer = await handle_end_call(memory, arguments, private_fields(), language="en")
    assert answer.startswith("Not ended, the arguments are wrong: ")
    assert accepted(tmp_path) == []


@pytest.mark.parametrize(
    "arguments",
    [
        '```json\n{"action_summary": "I sang", "new_info": ["She likes tea"]}\n```',
        "{'action_summary': 'I sang', 'new_info': ['She likes tea'], 'force': False}",
        'Here it is: {"action_summary": "I sang", "new_info": "She likes tea"}',
        '<think>{"new_info": 1}</think>{"action_summary": "I sang", "new_info": "[\'She likes tea\']"}',
        json.dumps('{"action_summary": "I sang", "new_info": ["She likes tea"]}'),
        [{"action_summary": ["I sang"], "new_info": {"1": "She likes tea"}}],
        {
            "action_summary": {"text": "I sang"},
            "new_info": [{"kind": "taste", "fact": "She likes tea"}],
        },
    ],
)
async def test_arguments_are_read_in_the_forms_in_which_models_write_them(
    memory: CognitiveService, tmp_path: Path, arguments: Any
) -> None:
    assert "handed over" in await handle_end_call(
        memory, arguments, private_fields(), language="en"
    )
    (job,) = accepted(tmp_path)
    assert (job.action_summary, job.new_info) == ("I sang", ["She likes tea"])


async def test_what_a_model_told_of_several_people_keeps_their_names(
    memory: CognitiveService, tmp_path: Path
) -> None:
    await handle_end_call(
        memory, {"new_info": {"Ann": "likes tea", "Ben": "has a cat"}}, private_fields()
    )
    assert accepted(tmp_path)[0].new_info == ["Ann: likes tea", "Ben: has a cat"]


@pytest.mark.parametrize(
    "arguments", ['{"action_summary": "I sa', '{"action_summary": "a"} {"action_summary": "b"}']
)
async def test_half_a_call_and_two_in_one_are_refused(
    memory: CognitiveService, tmp_path: Path, arguments: str
) -> None:
    assert (await handle_end_call(memory, arguments, private_fields(), language="en")).startswith(
        "Not ended"
    )
    assert accepted(tmp_path) == []


async def test_wrong_arguments_to_the_langchain_tool_are_told_too(memory: CognitiveService) -> None:
    answer = await make_end_tool(memory, private_fields(), language="en").ainvoke(
        {"action_summary": 5}
    )
    assert answer.startswith("Not ended, the arguments are wrong: ")


async def test_a_conversation_that_is_no_job_is_told_and_logged(
    memory: CognitiveService, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await handle_end_call(
        memory, {"action_summary": "x"}, private_fields(user_id=""), language="en"
    )
    assert answer.startswith("Ended, but it could not be remembered: user_id")
    assert "could not be handed over" in caplog.text
    assert accepted(tmp_path) == []


async def test_a_turn_without_a_reply_ends_only_by_force(
    memory: CognitiveService, tmp_path: Path
) -> None:
    refused = await handle_end_call(
        memory, {"action_summary": "x"}, private_fields(), language="en", replied=lambda: False
    )
    assert "force=true" in refused
    assert accepted(tmp_path) == []
    await handle_end_call(
        memory, {"action_summary": "x", "force": True}, private_fields(), replied=lambda: False
    )
    await handle_end_call(memory, {"action_summary": "y"}, private_fields(), replied=lambda: True)
    assert [job.action_summary for job in accepted(tmp_path)] == ["x", "y"]


async def test_the_conversation_may_be_asked_for_at_each_call(
    memory: CognitiveService, tmp_path: Path
) -> None:
    users = iter(["1", "2"])
    tool = make_end_tool(memory, lambda: private_fields(user_id=next(users)))
    for _ in range(2):
        await tool.ainvoke({"action_summary": "x"})
    assert [job.user_id for job in accepted(tmp_path)] == ["1", "2"]


async def test_with_memory_switched_off_the_tool_says_so(tmp_path: Path) -> None:
    async with CognitiveService.open(settings_for(tmp_path, enabled=False)) as memory:
        answer = await handle_end_call(
            memory, {"action_summary": "x"}, private_fields(), language="en"
        )
    assert "switched off" in answer


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_plain_schema_and_the_langchain_tool_describe_the_same_arguments(language: Any) -> None:
    from langchain_core.utils.function_calling import convert_to_openai_tool

    service = CognitiveService(settings_for(Path("unused")), worker=False)
    plain = end_tool_schema(language)["function"]
    bound = convert_to_openai_tool(make_end_tool(service, {}, language=language))["function"]
    assert plain["name"] == bound["name"] == "end"
    assert plain["description"] == bound["description"]
    for name, described in plain["parameters"]["properties"].items():
        assert bound["parameters"]["properties"][name]["description"] == described["description"]
    assert set(plain["parameters"]["properties"]) == set(bound["parameters"]["properties"])
    json.dumps(plain)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_guidance_names_every_argument(language: Any) -> None:
    text = system_prompt_text(language)
    assert all(name in text for name in ("end", "action_summary", "new_info", "force"))


async def test_an_argument_that_there_is_not_is_named_and_the_others_are_kept(
    memory: CognitiveService, tmp_path: Path
) -> None:
    asked = {"action_summary": "I told her a story", "new_information": ["She likes tea"]}
    by_hand = await handle_end_call(memory, asked, private_fields(request_id="r1"), language="en")
    by_tool = await make_end_tool(memory, private_fields(request_id="r2"), language="en").ainvoke(
        asked
    )
    for answer in (by_hand, by_tool):
        assert "left out: new_information; those are action_summary, new_info, force" in answer
    assert [job.action_summary for job in accepted(tmp_path)] == ["I told her a story"] * 2


@pytest.mark.parametrize("make", [create_agent, create_react_agent])
async def test_the_last_message_of_a_prebuilt_agent_is_the_reply_and_not_what_the_tool_answered(
    memory: CognitiveService, tmp_path: Path, make: Any
) -> None:
    script = [calls("end", action_summary="I told her a story", new_info=[]), "Once upon a time."]
    model = ScriptedModel(script=script)
    agent = make(model, [make_end_tool(memory, private_fields())])
    answered = await agent.ainvoke({"messages": [("user", "Tell me a story")]})
    assert answered["messages"][-1].text == "Once upon a time."
    assert "last message" in model.seen[-1][-1].text, "the model is told who reads what it says now"
    assert len(accepted(tmp_path)) == 1
    sends = make(
        ScriptedModel(script=[calls("end")]),
        [make_end_tool(memory, private_fields(), return_direct=True)],
    )
    assert (await sends.ainvoke({"messages": [("user", "Hi")]}))["messages"][-1].type == "tool"
