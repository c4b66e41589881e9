"""Messages as libraries and platforms hand them over become who said what, and when."""

from __future__ import annotations

import logging
from datetime import datetime
from types import SimpleNamespace
from typing import Any

import pytest
from historian.retrieval.prompt_block.block import CLOSING, OPENING
from historian.schema.errors import InvalidInput
from historian.service.incoming_messages import read_messages
from historian.service.recall.arguments import texts
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    HumanMessage,
    HumanMessageChunk,
    RemoveMessage,
)
from openai.types.chat import ChatCompletionMessage
from openai.types.responses import ResponseOutputMessage

OPENAI = {
    "refusal": None,
    "annotations": [],
    "audio": None,
    "function_call": None,
    "tool_calls": None,
}
SEGMENTS = [
    {"type": "reply", "data": {"id": "7"}},
    {"type": "at", "data": {"qq": "900", "name": "小史"}},
    {"type": "text", "data": {"text": "看我的猫 &amp; 狗"}},
    {"type": "image", "data": {"file": "cat.jpg", "url": "https://cats.example/?a=1&b=2"}},
    {"type": "face", "data": {"id": "14"}},
]
EVENT = {
    "post_type": "message",
    "message_type": "group",
    "self_id": 900,
    "user_id": 1001,
    "group_id": 7001,
    "message_id": 5,
    "time": 1771666200,
    "raw_message": "I work at AT&amp;T, [CQ:face,id=14]",
    "sender": {"user_id": 1001, "nickname": "ann_92", "card": "Ann"},
    "font": 0,
}


def said(given: Any) -> list[tuple[str, str]]:
    return [(one.role, one.text) for one in read_messages(given)]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "assistant", "content": "Longjing.", **OPENAI}, [("assistant", "Longjing.")]),
        (
            {"role": "assistant", "content": None, **OPENAI, "refusal": "I can't do that."},
            [("assistant", "I can't do that.")],
        ),
        (
            {
                "role": "assistant",
                "content": "Hi",
                "reasoning_content": "She greets me",
                "tool_calls": None,
            },
            [("assistant", "Hi")],
        ),
        (
            {"role": "assistant", "content": None, **OPENAI, "audio": {"transcript": "Hello Ann"}},
            [("assistant", "Hello Ann")],
        ),
        ({"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}, []),
        (
            ChatCompletionMessage(role="assistant", content="Longjing."),
            [("assistant", "Longjing.")],
        ),
        (
            ResponseOutputMessage.model_validate(
                {
                    "id": "1",
                    "role": "assistant",
                    "status": "completed",
                    "type": "message",
                    "content": [{"type": "output_text", "text": "Longjing.", "annotations": []}],
                }
            ),
            [("assistant", "Longjing.")],
        ),
        (
            [
                {"type": "function_call", "name": "f", "arguments": "{}"},
                {"type": "function_call_output", "output": "42"},
            ],
            [("tool", "42")],
        ),
        (
            {"role": "user", "content": "What is this?", "images": ["aGk="]},
            [("user", "What is this?\n[image]")],
        ),
        (
            {"role": "assistant", "content": "A cat.", "thinking": "It has whiskers"},
            [("assistant", "A cat.")],
        ),
        (
            [AIMessageChunk("Long", id="1"), AIMessageChunk("jing.", id="1")],
            [("assistant", "Longjing.")],
        ),
        (HumanMessageChunk("I live in Leeds"), [("user", "I live in Leeds")]),
        ([ChatMessage("hi", role="user"), RemoveMessage("1")], [("user", "hi")]),
        ({"type": "ai", "content": "Longjing.", "id": "1"}, [("assistant", "Longjing.")]),
        (
            [
                {"type": "human", "data": {"content": "hi"}},
                {"type": "ai", "data": {"content": "hey"}},
            ],
            [("user", "hi"), ("assistant", "hey")],
        ),
        ({"role": "model", "parts": [{"text": "Longjing."}]}, [("assistant", "Longjing.")]),
        (SimpleNamespace(role="user", content="hi"), [("user", "hi")]),
        (SEGMENTS, [("user", "@小史 看我的猫 &amp; 狗[图片][表情]")]),
        ({"role": "user", "content": SEGMENTS}, [("user", "@小史 看我的猫 &amp; 狗[图片][表情]")]),
        ({"type": "text", "data": {"text": "hi"}}, [("user", "hi")]),
        (EVENT, [("user", "I work at AT&T, [sticker]")]),
        ({**EVENT, "message": [{"type": "text", "data": {"text": "a & b"}}]}, [("user", "a & b")]),
        ({**EVENT, "user_id": 900}, [("assistant", "I work at AT&T, [sticker]")]),
        (
            {
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "1",
                        "content": [{"type": "text", "text": "42"}],
                    }
                ]
            },
            [("tool", "42")],
        ),
        (
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "text", "text": "Yes"},
                ],
            },
            [("assistant", "Yes")],
        ),
    ],
)
def test_the_messages_of_libraries_and_platforms_are_read_whatever_else_they_hold(
    message: Any, expected: Any
) -> None:
    assert said(message) == expected


@pytest.mark.parametrize(
    ("part", "placeholder"),
    [
        ({"type": "image_url", "image_url": {"url": "https://x"}}, "[image]"),
        ({"type": "input_image", "file_id": "1"}, "[image]"),
        ({"type": "input_audio", "input_audio": {"data": "x"}}, "[audio]"),
        ({"type": "record", "data": {"file": "x.amr"}}, "[audio]"),
        ({"type": "video", "data": {"file": "x.mp4"}}, "[video]"),
        ({"type": "file", "file": {"file_id": "1"}}, "[file]"),
        ({"type": "document", "source": {}}, "[file]"),
        ({"type": "mface", "data": {"url": "x"}}, "[sticker]"),
        ({"type": "poke", "data": {"type": "1"}}, "[poke]"),
        ({"type": "brand_new", "x": 1}, "[brand_new]"),
        ({"inline_data": {"data": "x"}}, "[inline_data]"),
    ],
)
def test_a_part_that_is_no_text_leaves_a_placeholder(
    part: dict[str, Any], placeholder: str
) -> None:
    assert said({"role": "user", "content": [part]}) == [("user", placeholder)]


def test_a_onebot_event_tells_its_sender_its_time_and_its_id() -> None:
    (one,) = read_messages(EVENT)
    assert (one.sender_id, one.name, one.message_id, one.at) == (
        "1001",
        "Ann",
        "5",
        "2026-02-21T09:30:00+00:00",
    )
    (one,) = read_messages({**EVENT, "sender": {"nickname": "ann_92", "card": ""}})
    assert one.name == "ann_92"


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (1771666200, "2026-02-21T09:30:00+00:00"),
        (1771666200.5, "2026-02-21T09:30:00.500000+00:00"),
        (1771666200123, "2026-02-21T09:30:00.123000+00:00"),
        ("2026-02-21T17:30:00+08:00", "2026-02-21T17:30:00+08:00"),
        (datetime.fromisoformat("2026-02-21T17:30:00+08:00"), "2026-02-21T17:30:00+08:00"),
    ],
)
def test_a_time_may_be_a_number_of_seconds_or_of_milliseconds(at: Any, expected: str) -> None:
    assert [one.at for one in read_messages({"content": "hi", "at": at})] == [expected]


@pytest.mark.parametrize("at", [True, float("nan"), 1e300, "noon", "2026-02-21T17:30:00", [1]])
def test_what_is_no_time_is_refused(at: Any) -> None:
    with pytest.raises(InvalidInput, match="timestamp"):
        read_messages({"content": "hi", "at": at})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("I work at AT&amp;T", "I work at AT&T"),
        ("我喜欢看&#91;鬼灭之刃&#93;&#44;真的", "我喜欢看[鬼灭之刃],真的"),
        ("a literal &amp;amp; stays one", "a literal &amp; stays one"),
        ("[CQ:face,id=14]AT&amp;T", "[sticker]AT&T"),
        ("[CQ:image,file=a.jpg,url=https://x.example/?a=1&amp;b=2]我的猫", "[图片]我的猫"),
        ("[CQ:reply,id=5][CQ:at,qq=900] 早", "[CQ:at,qq=900] 早"),
        ("[CQ:at,qq=all] dinner at 8", "@everyone  dinner at 8"),
        # what did not come as a CQ string
        ("in HTML write &lt;b&gt; and &amp;", "in HTML write &lt;b&gt; and &amp;"),
        ("AT&T is &amp; in HTML", "AT&T is &amp; in HTML"),
        ("`&amp;` is an ampersand", "`&amp;` is an ampersand"),
        ("[表情] &amp; so on", "[表情] &amp; so on"),
        ([{"type": "text", "text": "write &amp;"}], "write &amp;"),
        ([{"type": "text", "data": {"text": "write &amp; or &#91;"}}], "write &amp; or &#91;"),
    ],
)
def test_the_escapes_of_a_cq_string_are_read_once_and_those_of_no_other_text(
    content: Any, words: str
) -> None:
    assert said({"role": "user", "content": content}) == [("user", words)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<think>She likes tea?</think>\nLongjing.", "Longjing."),
        ("<thinking>a</thinking>Long<think>b</think>jing.", "Longjing."),
        ("She likes tea, so </think>Longjing.", "Longjing."),
        ("<think>She likes", ""),
        ("Models write `<think>` first", "Models write `<think>` first"),
    ],
)
def test_what_a_model_thought_is_no_talk(content: str, words: str) -> None:
    assert said(("assistant", content)) == ([("assistant", words)] if words else [])


def test_a_person_may_write_of_thoughts() -> None:
    assert said("<think> is a mark of DeepSeek </think>") == [
        ("user", "<think> is a mark of DeepSeek </think>")
    ]


BLOCK = f"{OPENING['en']}\n- [user Ben] Ben lives in Oslo\n{CLOSING}"
BLOCK_ZH = f"{OPENING['zh']}\n- [用户画像 阿亮] 阿亮住在杭州\n{CLOSING}"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (BLOCK, ""),
        (f"{BLOCK}\nI live in Leeds", "I live in Leeds"),
        (f"{BLOCK_ZH}\n\n我住在苏州", "我住在苏州"),
        (f"Ann asks:\n{BLOCK}\nI live in Leeds", "Ann asks:\nI live in Leeds"),
        (f"{BLOCK}\nI work at AT&amp;T", "I work at AT&T"),
        (
            [{"type": "text", "text": BLOCK}, {"type": "text", "text": "I live in Leeds"}],
            "I live in Leeds",
        ),
        (
            "<system_reminder>User ID: 7, Nickname: Ben</system_reminder>\nI live in Leeds",
            "I live in Leeds",
        ),
        ("I live in Leeds\n<system-reminder>\nBe brief.\n</system-reminder>", "I live in Leeds"),
        (
            "<environment_details os='x'>cwd: /home/ben</environment_details>I live in Leeds",
            "I live in Leeds",
        ),
        (
            "<relevant_memories>Ben lives in Oslo</relevant_memories> I live in Leeds",
            "I live in Leeds",
        ),
        ("<memory_context>a</memory_context><system-reminder>b</system-reminder>hi", "hi"),
        # what a person wrote
        ("<b>I live in Leeds</b>", "<b>I live in Leeds</b>"),
        ("<user_query>I live in Leeds</user_query>", "<user_query>I live in Leeds</user_query>"),
        (
            "<memory unit='KiB'>4096</memory> is too little",
            "<memory unit='KiB'>4096</memory> is too little",
        ),
        ("<memory>my own note</memory>", "<memory>my own note</memory>"),
        ("<system_reminder> is never closed", "<system_reminder> is never closed"),
        (
            "in <system-reminder>x</system-reminder> they put rules",
            "in <system-reminder>x</system-reminder> they put rules",
        ),
    ],
)
def test_memorys_own_block_and_those_of_frameworks_are_no_talk_and_a_persons_markup_is(
    content: Any, words: str
) -> None:
    assert said({"role": "user", "content": content}) == ([("user", words)] if words else [])
    assert texts([content]) == ([words] if words else [])


@pytest.mark.parametrize("key", ["rol", "roles", "senderId", "sender", "sender-id"])
def test_a_misspelt_role_or_sender_gives_nobodys_words_to_another(key: str) -> None:
    with pytest.raises(InvalidInput, match=r"messages\[0\].*did you mean"):
        read_messages({"content": "I live in Leeds", key: "1001"})


def test_a_message_of_a_person_without_any_words_is_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        assert said(
            [("user", "hi"), {"role": "user", "content": [{"type": "reply", "data": {"id": "1"}}]}]
        ) == [("user", "hi")]
    assert "messages[1] is not stored" in caplog.text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (SEGMENTS, ["看我的猫 &amp; 狗"]),
        (EVENT, ["I work at AT&T,"]),
        (
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "my cat"},
                    {"type": "image_url", "image_url": {}},
                ],
            },
            ["my cat"],
        ),
        ([HumanMessage("my cat"), AIMessage("Tom?")], ["my cat"]),
        ([("user", "my cat")], ["my cat"]),
        (["[CQ:at,qq=900] my cat [图片]", "and dog"], ["my cat", "and dog"]),
        ([{"role": "narrator", "content": "x"}, {"no": 1}, object()], []),
    ],
)
def test_a_query_may_be_what_remember_takes_and_holds_words_alone(
    given: Any, expected: list[str]
) -> None:
    assert [text.removeprefix("@小史 ") for text in texts(given)] == expected


@pytest.mark.parametrize("extra", [{"roles": ["admin"]}, {"sender": "Bob", "user_id": "1"}])
def test_a_key_like_role_or_sender_id_is_ignored_where_it_can_be_neither(
    extra: dict[str, Any],
) -> None:
    assert [
        one.text for one in read_messages([{"role": "user", "content": "I like fog", **extra}])
    ] == ["I like fog"]


@pytest.mark.parametrize("form", ["{}", "mapping", "parts", "message"])
def test_of_the_longest_messages_recall_reads_a_bounded_part_the_last_ones_first(form: str) -> None:
    def said(text: str) -> object:
        if form == "message":
            return HumanMessage(text)
        parts = [{"type": "text", "text": text}] if form == "parts" else text
        return parts if form == "{}" else {"role": "user", "content": parts}

    read = texts([*(said("密码" * 150_000) for _ in range(64)), said("what do I drink?")])
    assert read[-1] == "what do I drink?" and 20_000 < sum(map(len, read)) <= 40_000


@pytest.mark.parametrize(
    ("given", "fields"),
    [
        ({"content": "yes", "reply_to": 4}, ("yes", "4", "")),
        ({"content": "yes", "reply_to_message_id": "4"}, ("yes", "4", "")),
        (
            {"text": "yes", "reply_to_message": {"message_id": 4, "text": "my own words"}},
            ("yes", "4", ""),
        ),
        ({"content": "yes", "message_reference": {"message_id": "4"}}, ("yes", "4", "")),
        ({"raw_message": "[CQ:reply,id=4]yes"}, ("yes", "4", "")),
        (
            {
                "message": [
                    {"type": "reply", "data": {"id": 4}},
                    {"type": "text", "data": {"text": "yes"}},
                ]
            },
            ("yes", "4", ""),
        ),
        ({"text": "yes", "edit_date": 1771666200}, ("yes", "", "2026-02-21T09:30:00+00:00")),
        (
            {"content": "yes", "edited_timestamp": "2026-02-21T09:30:00+00:00"},
            ("yes", "", "2026-02-21T09:30:00+00:00"),
        ),
        ({"photo": [{}], "caption": "my cat"}, ("[image]\nmy cat", "", "")),
        (
            {"content": "look", "attachments": [{"content_type": "video/mp4"}, {}]},
            ("look\n[video]\n[file]", "", ""),
        ),
        (
            {"text": "I quit", "forward_origin": {"sender_user": {"first_name": "Ann"}}},
            ("[forwarded from Ann] I quit", "", ""),
        ),
        (
            {"text": "我辞职了", "forward_from": {"first_name": "阿明"}},
            ("[转发自 阿明] 我辞职了", "", ""),
        ),
        (
            {
                "text": "News",
                "chat": {"title": "us"},
                "forward_origin": {"type": "channel", "chat": {"title": "Daily"}},
            },
            ("[forwarded from Daily] News", "", ""),
        ),
        (
            {
                "message": [
                    {
                        "type": "node",
                        "data": {
                            "nickname": "阿明",
                            "content": [{"type": "text", "data": {"text": "我辞职了"}}],
                        },
                    },
                ]
            },
            ("[转发自 阿明] 我辞职了", "", ""),
        ),
        (
            {"message": [{"type": "image", "data": {"caption": "a [red] boat"}}]},
            ("[image: a red boat]", "", ""),
        ),
    ],
)
def test_a_message_knows_what_it_answers_its_edit_and_whose_words_it_forwards(
    given: dict[str, object], fields: tuple[str, str, str]
) -> None:
    (read,) = read_messages({**given, "sender_id": "7"})
    assert (read.text, read.reply_to, read.edited_at) == fields
