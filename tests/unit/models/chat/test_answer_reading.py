"""Reading a model's message as an answer."""

from __future__ import annotations

import pytest
from historian.models.chat.answer_reading import read_answer
from langchain_core.messages import AIMessage
from pydantic import BaseModel


class Texts(BaseModel):
    texts: list[str]


class Profile(BaseModel):
    name: str = ""
    summary: str


class Profiles(BaseModel):
    user: Profile | None = None
    group: Profile | None = None


@pytest.mark.parametrize(
    "said",
    [
        '{"texts": ["a"]}',
        '{"name": "texts", "arguments": {"texts": ["a"]}}',
        '{"name": "texts", "parameters": "{\\"texts\\": [\\"a\\"]}"}',
        '{"type": "function", "function": {"name": "texts", "arguments": {"texts": ["a"]}}}',
        '<tool_call>{"name": "texts", "arguments": {"texts": ["a"]}}</tool_call>',
        '{"record_texts": {"texts": ["a"]}}',
        '```\n["a"]\n```',
        'First {"texts": ["draft"]}. Better: {"texts": ["a"]}.',
        '[{"name": "texts", "arguments": {"texts": ["a"]}}]',
    ],
)
def test_an_answer_is_found_in_the_text_however_it_is_wrapped(said: str) -> None:
    reading = read_answer(AIMessage(said), Texts)
    assert reading.value == Texts(texts=["a"])
    assert reading.in_text


def test_a_tool_call_goes_before_text() -> None:
    call = {"name": "texts", "args": {"texts": ["called"]}, "id": "1"}
    reading = read_answer(AIMessage('{"texts": ["said"]}', tool_calls=[call]), Texts)
    assert reading.value == Texts(texts=["called"])
    assert not reading.in_text


def test_arguments_that_are_almost_json_are_read() -> None:
    call = {
        "name": "texts",
        "args": "{'texts': ['a'],}",
        "id": "1",
        "error": "",
        "type": "invalid_tool_call",
    }
    assert read_answer(AIMessage("", invalid_tool_calls=[call]), Texts).value == Texts(texts=["a"])
    old = {"function_call": {"name": "texts", "arguments": '{"texts": ["a"]}'}}
    assert read_answer(AIMessage("", additional_kwargs=old), Texts).value == Texts(texts=["a"])


def test_a_class_of_optional_fields_is_not_satisfied_by_any_object() -> None:
    reading = read_answer(AIMessage('{"hello": "world"}'), Profiles)
    assert reading.value is None
    assert not reading.is_near
    assert read_answer(AIMessage('{"user": null, "group": null}'), Profiles).value == Profiles()


def test_the_wrapper_of_a_call_is_not_taken_for_the_answer() -> None:
    said = '{"name": "profile", "arguments": {"name": "Ann", "summary": "likes tea"}}'
    assert read_answer(AIMessage(said), Profile).value == Profile(name="Ann", summary="likes tea")


def test_the_problem_names_the_field() -> None:
    reading = read_answer(AIMessage('{"texts": 7}'), Texts)
    assert reading.is_near
    assert reading.problem == "texts: Input should be a valid list"


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (AIMessage(""), "it is empty"),
        (AIMessage("no"), "it contains no JSON object of this form"),
        (AIMessage('{"texts": ["a'), "the JSON is cut off"),
        (
            AIMessage("", tool_calls=[{"name": "t", "args": {}, "id": "1"}]),
            "the tool call has no arguments",
        ),
        (
            AIMessage(
                "",
                invalid_tool_calls=[{"name": "t", "args": '{"texts": [', "id": "1", "error": ""}],
            ),
            "the arguments of the tool call are cut off",
        ),
    ],
)
def test_what_is_missing_is_said(message: AIMessage, problem: str) -> None:
    reading = read_answer(message, Texts)
    assert (reading.value, reading.problem, reading.is_near) == (None, problem, False)


def test_half_surrogates_and_nul_become_storable() -> None:
    reading = read_answer(AIMessage('{"texts": ["a\\ud83d\\u0000b"]}'), Texts)
    assert reading.value == Texts(texts=["a? b"])


def test_a_declined_answer_is_told_apart() -> None:
    assert read_answer(AIMessage("", additional_kwargs={"refusal": "no"}), Texts).is_declined
    assert read_answer(
        AIMessage("", response_metadata={"finish_reason": "content_filter"}), Texts
    ).is_declined
