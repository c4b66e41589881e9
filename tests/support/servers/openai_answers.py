"""How the test server answers a chat request: well, or in one of the ways in which real servers and models go wrong.

A *responder* turns the request's JSON into the answer's JSON object (the arguments of the tool); a *behaviour* is the
name of how that answer is delivered, see BEHAVIOURS.
"""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Json = dict[str, Any]
Responder = Callable[[Json], Json]

_ITEM = re.compile(r"^\d+ (did|learnt|做了|得知)[:：] ?(.*)$", re.MULTILINE)
_PEOPLE = re.compile(
    r"(?:bot|机器人)=(?P<bot>[^，,\n]*)[，,] ?(?:user|用户)=(?P<user>[^，,\n]*)(?:[，,] ?(?:group|群)=(?P<group>[^，,\n]*))?"
)
_TIME = re.compile(r"^(?:Time|时间)[:：] ?(\d{4}-\d\d-\d\d) \w+ (\d\d:\d\d)", re.MULTILINE)


@dataclass(slots=True)
class Reply:
    """What goes over the wire. `hang`: nothing is sent; `drip`: a byte at a time, never to the end; `cut`: half of it."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    manner: str = "plain"
    content_type: str = "application/json"


def form_asked_for(request: Json) -> str:
    """The name of the tool or JSON schema a request asks for; "text" where it asks for neither."""
    tools = request.get("tools") or []
    if tools:
        return str(tools[0]["function"]["name"])
    schema = (request.get("response_format") or {}).get("json_schema")
    return str(schema["name"]) if schema else "text"


def method_of(request: Json) -> str:
    """`tool`, `schema` or `text`: the method by which a request asks for structured output."""
    if request.get("tools"):
        return "tool"
    return "schema" if request.get("response_format") else "text"


def prompt_of(request: Json) -> str:
    """The whole conversation as text."""
    return "\n".join(str(message.get("content") or "") for message in request.get("messages", []))


def echo_responder(request: Json) -> Json:
    """A sensible answer: the items of a rewrite prompt as the rules would write them, or lines of a profile with the new facts.

    Items are lines `1 did: …` (in Chinese `1 做了：…`), or lines of JSON with a `draft` (or `text`), which are given back as
    they stand. A request for a profile is known by its tool, or by a prompt that says `"add"`.
    """
    users = [
        str(message["content"])
        for message in request.get("messages", [])
        if message.get("role") == "user"
    ]
    question = users[0] if users else ""
    asked = form_asked_for(request)
    if asked == "update_profiles" or (asked == "text" and '"add"' in question):
        return profile(question)
    if asked == "record_events" or (asked == "text" and '"corrects"' in prompt_of(request)):
        return {"events": told_in(question)}
    return {"texts": rewritten(question) or drafts(question)}


def rewritten(question: str) -> list[str]:
    """The items of a rewrite prompt, absolute and with names, in order."""
    people, time = _PEOPLE.search(question), _TIME.search(question)
    return [
        _drafted(
            "action" if kind in ("did", "做了") else "fact",
            re.sub(r" \(\d{4}-[^)]*\)", "", text),
            people,
            time,
        )
        for kind, text in _ITEM.findall(question)
        if people and time
    ]


def _drafted(
    kind: Literal["action", "fact"], text: str, people: re.Match[str], time: re.Match[str]
) -> str:
    """One item as `draft_of` writes it."""
    from historian.schema.job import parse_job
    from historian.schema.names import Names
    from historian.text.job_verdicts import draft_of

    # A deed that names the user: "he" of a fact is the user then, in a group too.
    told = (
        {"action_summary": text, "new_info": []}
        if kind == "action"
        else {"action_summary": people["user"], "new_info": [text]}
    )
    names = {"bot_name": people["bot"], "user_name": people["user"]}
    where = {"request_type": "private"}
    if people["group"]:
        where = {"request_type": "group", "group_id": "g", "group_name": people["group"]}
    when = {"timestamp": f"{time[1]}T{time[2]}:00+08:00", "timezone": "Asia/Shanghai"}
    job = parse_job({"request_id": "r", "user_id": "1", **where, **told, **names, **when})
    return draft_of(job, kind, text, Names.of_job(job, ""))


_SAID = re.compile(
    r"^(\d+) ([^:\n\[]+?)(?: \(re [^)]*\)|（回[^）]*）)?: (?:I |我)(.+)$", re.MULTILINE
)


def told_in(question: str) -> list[Json]:
    """Each message of a prompt that begins with "I" as an event of its sender, with the name for the pronoun."""
    return [
        {
            "text": name + ("" if rest[0] > "~" else " ") + rest,
            "messages": [int(n)],
            "speaker": name,
            "lasting": True,
        }
        for n, name, rest in _SAID.findall(question)
    ]


def drafts(question: str) -> list[str]:
    """The drafts of a rewrite prompt, in order; the lines themselves where nothing looks like a draft."""
    found: list[str] = []
    for line in question.splitlines():
        if not line.lstrip().startswith(("{", '"')):
            continue
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            value = value.get("draft", value.get("text"))
        if isinstance(value, str):
            found.append(value)
    return found or [line for line in question.splitlines() if line.strip()]


def profile(question: str) -> Json:
    """Each new fact of a prompt as a line of the first profile that it may enter."""
    facts = re.findall(r"^(N\d+) \[(\w+)[^\]\n]*\] \([^)\n]*\): (.+)$", question, re.MULTILINE)
    return {
        "add": [
            {"about": about, "text": text, "kind": "other", "facts": [name]}
            for name, about, text in facts
        ]
    }


def _completion(
    request: Json, message: Json, *, finish_reason: str = "stop", with_usage: bool = True
) -> Reply:
    said = json.dumps(message, ensure_ascii=False)
    body: Json = {
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request.get("model", "test"),
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", **message},
            }
        ],
    }
    if with_usage:
        sent = prompt_of(request) + json.dumps(request.get("tools") or "")
        prompt, completion = max(1, len(sent) // 3), max(1, len(said) // 3)
        body["usage"] = {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }
    return Reply(body=body)


def _call(request: Json, arguments: Any, **options: Any) -> Reply:
    function = {"name": form_asked_for(request), "arguments": arguments}
    message = {
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
    }
    return _completion(request, message, finish_reason="tool_calls", **options)


def _say(request: Json, content: str, **options: Any) -> Reply:
    return _completion(request, {"content": content}, **options)


def _as_text(answer: Json) -> str:
    return json.dumps(answer, ensure_ascii=False)


def _proper(request: Json, answer: Json) -> Reply:
    """As a good server does: a tool call for a tool, JSON otherwise."""
    return (
        _call(request, _as_text(answer))
        if request.get("tools")
        else _say(request, _as_text(answer))
    )


def _error(status: int, message: str, **headers: str) -> Callable[[Json, Json], Reply]:
    body = {"error": {"message": message, "type": "error", "code": None}}
    return lambda _request, _answer: Reply(
        status, body, {name.replace("_", "-"): value for name, value in headers.items()}
    )


def _no_tools(request: Json, answer: Json) -> Reply:
    if request.get("tools"):
        return Reply(
            400, {"error": {"message": "tool_choice of this form is not supported", "code": 400}}
        )
    return _proper(request, answer)


def _no_schema(request: Json, answer: Json) -> Reply:
    if request.get("response_format"):
        return Reply(
            400, {"error": {"message": "this response_format type is unavailable now", "code": 400}}
        )
    return _proper(request, answer)


def _text_only(request: Json, answer: Json) -> Reply:
    return _no_schema(request, answer) if not request.get("tools") else _no_tools(request, answer)


def _no_limit(request: Json, answer: Json) -> Reply:
    if "max_tokens" in request or "max_completion_tokens" in request:
        return Reply(
            400,
            {"error": {"message": "Unsupported parameter: 'max_completion_tokens'", "code": 400}},
        )
    return _proper(request, answer)


def _particular(request: Json, answer: Json) -> Reply:
    """Refuses one parameter after the other, as reasoning models, strict servers and their gateways do."""
    if request.get("temperature") == 0:
        error = {
            "message": "Unsupported value: only the default (1) is supported.",
            "param": "temperature",
        }
        return Reply(400, {"error": {**error, "code": "unsupported_value"}})
    if "max_completion_tokens" in request:
        return Reply(
            422,
            {
                "detail": [
                    {
                        "loc": ["body", "max_completion_tokens"],
                        "msg": "Extra inputs are not permitted",
                    }
                ]
            },
        )
    if isinstance(request.get("tool_choice"), dict):
        words = "The tool_choice parameter does not support being set to object in thinking mode"
        return Reply(400, {"error": {"message": words, "code": "invalid_parameter_error"}})
    for name in ("seed", "parallel_tool_calls", "stream_options"):
        if name in request:
            return Reply(400, {"error": {"message": f"{name}: unknown field", "code": 400}})
    return _proper(request, answer)


def _limit_too_large(request: Json, answer: Json) -> Reply:
    if 500 < _limit(request) < 1_000_000:
        words = "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 2048 tokens"
        return Reply(
            400,
            {"error": {"message": f"{words} and your request has 1800 input tokens", "code": 400}},
        )
    return _proper(request, answer)


def _limit(request: Json) -> int:
    return int(request.get("max_tokens") or request.get("max_completion_tokens") or 1_000_000)


def _thinks_long(request: Json, answer: Json, *, aloud: bool = False) -> Reply:
    """Thinks for 2,000 tokens before it says anything, in silence or aloud."""
    if _limit(request) < 2_000:
        return _say(request, "<think>Well, let me see" if aloud else "", finish_reason="length")
    return _proper(request, answer)


def _stopped_while_thinking(request: Json, answer: Json) -> Reply:
    """Tells in an error that it has thought longer than it was allowed to."""
    if _limit(request) < 2_000:
        words = "Could not finish the message because max_tokens or model output limit was reached."
        return Reply(400, {"error": {"message": words, "code": 400}})
    return _proper(request, answer)


def _never_ends(request: Json, answer: Json) -> Reply:
    """A tool call drives it into a loop that only the limit ends."""
    if request.get("tools"):
        return _say(
            request,
            '{"texts": ["' + "and then " * min(_limit(request), 5_000),
            finish_reason="length",
        )
    return _proper(request, answer)


def _tools_crash(request: Json, answer: Json) -> Reply:
    if request.get("tools"):
        return Reply(500, {"error": {"message": "tools param requires a template", "code": 500}})
    return _proper(request, answer)


def _tools_not_found(request: Json, answer: Json) -> Reply:
    if request.get("tools"):
        return Reply(
            404, {"error": {"message": "no endpoints found that support tool use", "code": 404}}
        )
    return _proper(request, answer)


def _repairable(request: Json, answer: Json) -> Reply:
    """JSON of the wrong form until the model is told so."""
    told = any(
        "cannot be used" in str(message.get("content")) for message in request.get("messages", [])
    )
    wrong = dict.fromkeys(answer, 7)
    return _proper(request, answer if told else wrong)


def _wrong_language(request: Json, answer: Json) -> Reply:
    def translated(value: Any) -> Any:
        if isinstance(value, str):
            return "Это ответ на другом языке."
        if isinstance(value, list):
            return [translated(item) for item in value]
        return (
            {key: translated(item) for key, item in value.items()}
            if isinstance(value, dict)
            else value
        )

    return _proper(request, translated(answer))


def _converses(request: Json, answer: Json, *, forgets_end: bool = False) -> Reply:
    """A bot's model: a fixed reply, with a call of `end` that tells what the user said. Without `end` on offer, as ever."""
    offered = [tool["function"]["name"] for tool in request.get("tools", ())]
    if "end" not in offered:
        is_a_bots = not offered or any(name.startswith("search_") for name in offered)
        return _say(request, "好的，我知道了。") if is_a_bots else _proper(request, answer)
    is_forced = isinstance(request.get("tool_choice"), dict)
    message: Json = {"content": None if is_forced else "好的，我知道了。"}
    if is_forced or not forgets_end:
        said = [str(one["content"]) for one in request["messages"] if one["role"] == "user"]
        told = said[-2] if is_forced else said[-1]
        arguments = json.dumps(
            {
                "action_summary": "",
                "new_info": [told.replace("我", "他").replace("I have", "She has")],
            },
            ensure_ascii=False,
        )
        call_id = f"call-{len(request['messages'])}"
        message["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": "end", "arguments": arguments}}
        ]
    return _completion(
        request, message, finish_reason="tool_calls" if "tool_calls" in message else "stop"
    )


def _gzip_bomb(request: Json, answer: Json, *, encoding: str = "gzip") -> Reply:
    """40 MB of blanks in a few kilobytes."""
    return Reply(body=gzip.compress(b" " * 40_000_000, 6), headers={"Content-Encoding": encoding})


BEHAVIOURS: dict[str, Callable[[Json, Json], Reply]] = {
    # answers that hold what was asked for
    "proper": _proper,
    "tool_call": lambda request, answer: _call(request, _as_text(answer)),
    "arguments_as_object": lambda request, answer: _call(request, answer),
    "json": lambda request, answer: _say(request, _as_text(answer)),
    "fenced": lambda request, answer: _say(
        request, f"```json\n{json.dumps(answer, ensure_ascii=False, indent=2)}\n```"
    ),
    "fenced_call": lambda request, answer: _say(
        request, f"```json\n{_as_text({'name': form_asked_for(request), 'arguments': answer})}\n```"
    ),
    "prose": lambda request, answer: _say(
        request, f"Sure! Here it is:\n{_as_text(answer)}\nAnything else?"
    ),
    "single_quotes": lambda request, answer: _say(request, f"Answer: {answer!r}"),
    "thinking": lambda request, answer: _say(
        request, f'<think>{{"texts": ["a draft"]}}</think>{_as_text(answer)}'
    ),
    "no_usage": lambda request, answer: _call(request, _as_text(answer), with_usage=False),
    "only_when_not_tools": _no_tools,
    "only_when_not_schema": _no_schema,
    "only_text": _text_only,
    "only_without_limit": _no_limit,
    "particular": _particular,
    "limit_too_large": _limit_too_large,
    "stopped_while_thinking": _stopped_while_thinking,
    "thinks_long": _thinks_long,
    "thinks_long_aloud": lambda request, answer: _thinks_long(request, answer, aloud=True),
    "never_ends_with_tools": _never_ends,
    "tools_crash": _tools_crash,
    "tools_not_found": _tools_not_found,
    "repairable": _repairable,
    "wrong_language": _wrong_language,
    # a bot's model, for the examples
    "converses": _converses,
    "converses_and_forgets_end": lambda request, answer: _converses(
        request, answer, forgets_end=True
    ),
    # answers that hold nothing usable
    "garbage": lambda request, _answer: _say(request, "banana ][ ;; } banana"),
    "refusal_text": lambda request, _answer: _say(
        request, "I'm sorry, but I can't help with that."
    ),
    "refusal": lambda request, _answer: _completion(
        request, {"content": None, "refusal": "I can not do that."}
    ),
    "filtered": lambda request, _answer: _say(request, "", finish_reason="content_filter"),
    "truncated": lambda request, answer: _say(
        request, _as_text(answer)[:-4], finish_reason="length"
    ),
    "truncated_call": lambda request, answer: _call(request, _as_text(answer)[:-4]),
    "empty_call": lambda request, _answer: _call(request, "{}"),
    "null_call": lambda request, _answer: _call(request, "null"),
    "list_call": lambda request, _answer: _call(request, "[1, 2]"),
    "empty": lambda request, _answer: _say(request, ""),
    "wrong_types": lambda request, answer: _proper(request, dict.fromkeys(answer, 7)),
    "no_choices": lambda _request, _answer: Reply(
        body={"id": "x", "object": "chat.completion", "choices": []}
    ),
    "null_choices": lambda _request, _answer: Reply(
        body={"id": "x", "object": "chat.completion", "choices": None}
    ),
    # no answer of the protocol at all
    "error_in_200": lambda _request, _answer: Reply(
        body={"error": {"message": "provider is overloaded", "code": 503}}
    ),
    "web_page": lambda _request, _answer: Reply(
        body="<html>Welcome</html>", content_type="text/html"
    ),
    "half_json": lambda _request, _answer: Reply(
        body='{"id": "x", "choices": [', content_type="application/json"
    ),
    "400": _error(400, "Unsupported value: 'temperature' does not support 0"),
    "400_inspection": _error(
        400, "data_inspection_failed: Input data may contain inappropriate content."
    ),
    "400_filter": _error(
        400,
        "The response was filtered due to the prompt triggering Azure's content management policy.",
    ),
    "400_too_long": _error(400, "This model's maximum context length is 8192 tokens."),
    "401": _error(401, "Incorrect API key provided: sk-secret-of-the-test"),
    "402": _error(402, "Insufficient Balance"),
    "403": _error(403, "Country not supported"),
    "404": _error(404, "The model does not exist"),
    "413": _error(413, "input is too large"),
    "429": _error(429, "Rate limit reached", Retry_After="7"),
    "429_date": _error(
        429,
        "slow down",
        Retry_After="Wed, 21 Oct 2026 07:28:30 GMT",
        Date="Wed, 21 Oct 2026 07:28:00 GMT",
    ),
    "500": _error(500, "internal error"),
    "503": _error(503, "overloaded"),
    "hang": lambda _request, _answer: Reply(manner="hang"),
    "drip": lambda request, answer: Reply(body=_proper(request, answer).body, manner="drip"),
    "close": lambda _request, _answer: Reply(manner="close"),
    "gzip_bomb": _gzip_bomb,
    "gzip_bomb_503": lambda request, answer: replace(_gzip_bomb(request, answer), status=503),
    "zstd": lambda request, answer: _gzip_bomb(request, answer, encoding="zstd"),
    "endless": lambda _request, _answer: Reply(body=b" " * 40_000_000),
    "zipped": lambda request, answer: Reply(
        body=gzip.compress(_as_text(_proper(request, answer).body).encode()),
        headers={"Content-Encoding": "gzip"},
    ),
    "cut": lambda request, answer: Reply(body=_proper(request, answer).body, manner="cut"),
}
