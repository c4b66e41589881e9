"""A chat model for trying the examples without a real model: a few fixed rules call tools and
repeat what memory returns.

It understands nothing, and says so in every reply. It does show all steps of a turn: it searches
the memory for a question, answers from the results, and hands statements over with the `end` tool.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

HAN = re.compile(r"[㐀-鿿]")
QUESTION = re.compile(
    r"[?？]\s*$|吗|什么|谁|哪|几点|多少|记得|^(?:what|who|when|where|which|how|why|do|does|did|is|are|can|tell|remember)\b",
    re.I,
)
PROFILE = re.compile(r"画像|了解我|知道我|know about me|profile|portrait", re.I)
GREETING = re.compile(r"^\s*(?:你好|您好|嗨|hi|hello|hey|thanks|thank you|谢谢|再见|bye)\W*$", re.I)
UNCHANGED = re.compile(
    r"was|had|will|can|could|would|should|must|may|might|did|went|got|met|saw|bought|\w+ed|\w+ly"
)
SPOKEN = re.compile(r"[^<\[\s][^:]*: ")
"""The beginning of a message line in a block of memory: its speaker."""
MOST_REPEATED = 3


class StandInModel(BaseChatModel):
    """The rules as a LangChain chat model: `bind_tools`, `invoke` and `ainvoke` work as with any
    other model.
    """

    @property
    def _llm_type(self) -> str:
        return "stand-in"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **more: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **more)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **options: Any,
    ) -> ChatResult:
        offered = {tool["function"]["name"] for tool in options.get("tools", ())}
        return ChatResult(generations=[ChatGeneration(message=answer(messages, offered))])


def answer(messages: Sequence[BaseMessage], offered: set[str]) -> AIMessage:
    """Return the next message: a call of a memory tool, or the reply, with a call of `end` if that
    tool is offered.
    """
    place = max(n for n, message in enumerate(messages) if isinstance(message, HumanMessage))
    said = messages[place].text.strip()
    chinese = bool(HAN.search(said))
    found_now = [message for message in messages[place:] if isinstance(message, ToolMessage)]
    if QUESTION.search(said):
        if not found_now and offered & {"search_events", "get_profile"}:
            return look_up(said, offered)
        known = remembered([*messages[:place], *found_now], said)
        return ended(repeated(known, chinese), [], offered)
    if GREETING.search(said):
        return ended("（替身模型）你好。" if chinese else "(stand-in model) Hello.", [], offered)
    fact = about_him(said) if chinese else about_the_user(said)
    return ended(
        "（替身模型）好的，交给记忆了。"
        if chinese
        else "(stand-in model) Noted, and handed to memory.",
        [fact],
        offered,
    )


def look_up(said: str, offered: set[str]) -> AIMessage:
    """Return a call of the suitable tool: `get_profile` if the user asks for a profile, else
    `search_events`.
    """
    wants_profile = bool(PROFILE.search(said)) and "get_profile" in offered
    name, arguments = ("get_profile", {}) if wants_profile else ("search_events", {"query": said})
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": uuid.uuid4().hex}])


def remembered(messages: Sequence[BaseMessage], said: str) -> list[str]:
    """Return the lines of memory in the messages; those that share most words with the question
    come first.
    """
    lines = [
        line.removeprefix("- ")
        for message in messages
        if isinstance(message, HumanMessage | ToolMessage)
        for line in message.text.splitlines()
        if line.startswith("- ") or (message.text.startswith("<memory>") and SPOKEN.match(line))
    ]
    wanted = pairs(said)
    told = {line.rpartition("] ")[2]: line for line in lines}
    sharing = {line: len(wanted & pairs(line)) for line in told.values()}
    fitting = [line for line, shared in sharing.items() if shared] or list(sharing)
    return sorted(fitting, key=lambda line: -sharing[line])


def pairs(text: str) -> set[str]:
    """Return the words of Latin script, and the pairs of neighbouring Chinese characters."""
    lowered = text.lower()
    han = HAN.findall(lowered)
    return {a + b for a, b in pairwise(han)} | set(re.findall(r"[a-z]{3,}", lowered))


def repeated(known: Sequence[str], chinese: bool) -> str:
    if not known:
        return (
            "（替身模型）这件事我没有记忆。"
            if chinese
            else "(stand-in model) I remember nothing of that."
        )
    lines = "\n".join(f"- {line}" for line in known[:MOST_REPEATED])
    return (
        f"（替身模型）我记得这些：\n{lines}"
        if chinese
        else f"(stand-in model) This is what I remember:\n{lines}"
    )


def ended(reply: str, new_info: list[str], offered: set[str]) -> AIMessage:
    """Return the reply with a call of `end`."""
    calls = [
        {
            "name": "end",
            "args": {"action_summary": "", "new_info": new_info},
            "id": uuid.uuid4().hex,
        }
    ]
    return AIMessage(reply, tool_calls=calls if "end" in offered else [])


def about_him(said: str) -> str:
    """Return a statement of a person about himself in the third person: “我” becomes 他, and “你”
    becomes 我 (the bot).
    """
    return said.translate(str.maketrans("我你您", "他我我"))


def about_the_user(said: str) -> str:
    """Return the same for the simplest English sentences."""
    text = re.sub(r"\bI(?:'m| am)\b", "the user is", said)
    text = re.sub(r"\bI(?:'ve| have)\b", "the user has", text)
    text = re.sub(r"\bI ([a-z]+)\b", lambda found: f"the user {third_person(found[1])}", text)
    text = re.sub(r"\b[Mm]y\b", "the user's", text)
    return text[:1].upper() + text[1:]


def third_person(verb: str) -> str:
    if UNCHANGED.fullmatch(verb):
        return verb
    return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "o")) else "s")
