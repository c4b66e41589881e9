"""A bot with long-term memory in the terminal: a LangGraph agent that recalls before it replies and
ends every turn with `end`.

    python examples/terminal_bot.py --name Ann                     # chat; Ctrl-D ends
    python examples/terminal_bot.py --once "My cat is called Tom"  # one turn; or pipe lines into it

The model is `models.chat` of `config.toml` (or the environment, `HISTORIAN__MODELS__CHAT__…`): any
OpenAI-compatible endpoint. Without it, a stand-in with a few fixed rules answers, and says so. The
memory is stored on disk and is available after a restart.
"""

from __future__ import annotations

import argparse
import asyncio
import getpass
import logging
import os
import sys
import uuid
from typing import Any, Literal

from configured_model import make_model
from historian import (
    CognitiveService,
    HistorianError,
    Scope,
    load_settings,
    make_end_tool,
    make_memory_tools,
    system_prompt_text,
)
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    trim_messages,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode
from stand_in_model import StandInModel

log = logging.getLogger("terminal_bot")

Language = Literal["zh", "en"]

MESSAGES_KEPT = 20
INTERRUPTED = 130
ROUNDS = 6
"""The maximum number of model calls in a turn; a model that only calls tools is stopped."""

PERSONA = {
    "zh": "你是{bot}，在终端里陪{user}聊天。回答简短、自然。先回复，然后调用 end 结束这一轮。\n\n",
    "en": "You are {bot}, chatting with {user} in a terminal. Answer briefly and naturally. Reply first, then call end.\n\n",
}
REMINDER = {
    "zh": "（系统提示）你已经回复了。现在只调用 end。",
    "en": "(From the system) You have replied. Now call end, and nothing else.",
}


class Turn(MessagesState):
    """The conversation, the recalled messages of this turn, and the id under which the turn is
    handed over.
    """

    recalled: list[dict[str, str]]
    request_id: str


def build_agent(
    memory: CognitiveService,
    model: BaseChatModel,
    scope: Scope,
    conversation: dict[str, Any],
    system: str,
    language: Language,
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the graph of one turn: recall → reply ⇄ tools → end. `conversation` are the fields of
    the job that name the speaker and the conversation.
    """

    def tools_of(state: Turn) -> list[Any]:
        end = make_end_tool(
            memory,
            {**conversation, "request_id": state["request_id"]},
            language=language,
            replied=lambda: has_replied(state),
        )
        return [*make_memory_tools(memory, scope, language=language, may_correct=True), end]

    def prompt(state: Turn) -> list[Any]:
        history = trim_messages(
            state["messages"],
            max_tokens=MESSAGES_KEPT,
            token_counter=len,
            strategy="last",
            start_on="human",
        )
        return [SystemMessage(system), *state["recalled"], *history]

    async def recall(state: Turn) -> dict[str, Any]:
        said = [message.text for message in state["messages"] if isinstance(message, HumanMessage)]
        return {"recalled": await memory.build_messages(said[-1], scope, context=said[-4:-1])}

    async def reply(state: Turn) -> dict[str, Any]:
        return {"messages": [await model.bind_tools(tools_of(state)).ainvoke(prompt(state))]}

    async def tools(state: Turn) -> dict[str, Any]:
        answered: dict[str, Any] = await ToolNode(tools_of(state)).ainvoke(state)
        return answered

    async def hand_over(state: Turn) -> dict[str, Any]:
        """Ask a model that did not call `end` for that call alone, after the reply was sent."""
        end = tools_of(state)[-1]
        question = [*prompt(state), HumanMessage(REMINDER[language])]
        try:
            message = await model.bind_tools([end], tool_choice="end").ainvoke(question)
        except Exception as error:
            if getattr(error, "status_code", None) != 400:
                raise
            message = await model.bind_tools([end]).ainvoke(
                question
            )  # some servers reject a forced choice of a tool
        calls = [call for call in message.tool_calls if call["name"] == "end"]
        if not calls:
            known = ("bot_id", "bot_name", "user_name", "group_name")
            names = {name: value for name in known if (value := conversation.get(name))}
            talk = [message for message in this_turn(state) if not isinstance(message, ToolMessage)]
            log.warning(
                "the model did not call end: the historian looks for what is worth remembering by itself"
            )
            await memory.remember(talk, scope, **names)
        for call in calls[:1]:
            await end.ainvoke(call)
        return {}

    def after_reply(state: Turn) -> Literal["tools", "hand_over"]:
        return "tools" if state["messages"][-1].tool_calls else "hand_over"

    def after_tools(state: Turn) -> Literal["reply", "hand_over", "__end__"]:
        if has_ended(state):
            return END
        answers = sum(isinstance(message, AIMessage) for message in this_turn(state))
        return "hand_over" if answers >= ROUNDS else "reply"

    builder = StateGraph(Turn)
    for name, node in (
        ("recall", recall),
        ("reply", reply),
        ("tools", tools),
        ("hand_over", hand_over),
    ):
        builder.add_node(name, node)
    builder.add_edge(START, "recall")
    builder.add_edge("recall", "reply")
    builder.add_conditional_edges("reply", after_reply)
    builder.add_conditional_edges("tools", after_tools)
    builder.add_edge("hand_over", END)
    return builder.compile(checkpointer=InMemorySaver())


def this_turn(state: Turn) -> list[AnyMessage]:
    """Return the messages from the user's last one on."""
    messages = state["messages"]
    return messages[
        max(n for n, message in enumerate(messages) if isinstance(message, HumanMessage)) :
    ]


def has_replied(state: Turn) -> bool:
    return any(
        isinstance(message, AIMessage) and message.text.strip() for message in this_turn(state)
    )


def has_ended(state: Turn) -> bool:
    """Return True if `end` was called and accepted: after a reply, or with `force` without one."""
    turn = this_turn(state)
    asked = [
        call
        for message in turn
        if isinstance(message, AIMessage)
        for call in message.tool_calls
        if call["name"] == "end"
    ]
    carried_out = {
        message.tool_call_id
        for message in turn
        if isinstance(message, ToolMessage) and message.status == "success"
    }
    return any(
        call["id"] in carried_out and (has_replied(state) or call["args"].get("force"))
        for call in asked
    )


async def take_turn(
    agent: CompiledStateGraph[Any, Any, Any, Any], said: str, bot: str, thread: str
) -> None:
    """Run one turn; each text of the bot is printed as soon as it is available."""
    asked = {"messages": [HumanMessage(said)], "request_id": f"terminal-{uuid.uuid4().hex}"}
    config = {"configurable": {"thread_id": thread}}
    async for update in agent.astream(asked, config, stream_mode="updates"):
        for message in (update.get("reply") or {}).get("messages", ()):
            if message.text.strip():
                print(f"{bot}: {message.text.strip()}", flush=True)


async def said_lines(prompt: str, once: str | None) -> Any:
    """Yield the user's messages: the given text, or the lines of stdin."""
    if once is not None:
        yield once
        return
    while True:
        if sys.stdin.isatty():
            print(prompt, end="", flush=True)
        line = await asyncio.to_thread(sys.stdin.readline)
        if not line:
            return
        if line.strip():
            yield line.strip()


async def chat(options: argparse.Namespace) -> int:
    # The first recall of a process loads the models; a user of a terminal can wait for that.
    os.environ.setdefault("HISTORIAN__COGNITIVE__QUERY__RECALL_TIMEOUT_SECONDS", "5")
    settings = load_settings(options.config)
    configured = settings.cognitive.language
    language: Language = options.language or ("zh" if configured == "auto" else configured)
    bot = settings.cognitive.bot_name or ("小史" if language == "zh" else "Clio")
    model = make_model(settings)
    if isinstance(model, StandInModel):
        print("no model in models.chat: a stand-in with a few fixed rules answers", file=sys.stderr)
    scope = Scope.private(options.user)
    conversation = {
        "user_id": options.user,
        "user_name": options.name,
        "bot_name": bot,
        "request_type": "private",
    }
    system = PERSONA[language].format(bot=bot, user=options.name) + system_prompt_text(language)
    failed = 0
    async with CognitiveService.open(options.config) as memory:
        await memory.ready()
        agent = build_agent(memory, model, scope, conversation, system, language)
        async for said in said_lines(f"{options.name}: ", options.once):
            try:
                await take_turn(agent, said, bot, scope.key)
            except Exception as error:
                # The conversation goes on after any error of the model's client.
                log.debug("the turn failed", exc_info=True)
                failed = 1
                print(f"the model cannot be asked: {error}", file=sys.stderr)
    return failed


async def chat_until_interrupted(options: argparse.Namespace) -> int:
    try:
        return await chat(options)
    except asyncio.CancelledError:
        # The memory is closed now. A thread still waits for a line of input; only the end of the
        # process interrupts it.
        os._exit(INTERRUPTED)


def main() -> int:
    parser = argparse.ArgumentParser(description="A bot with long-term memory, in the terminal.")
    parser.add_argument("--config", help="the settings (else HISTORIAN_CONFIG, else ./config.toml)")
    parser.add_argument(
        "--user", help="the id under which you are remembered (else made of your name)"
    )
    parser.add_argument("--name", default=getpass.getuser(), help="your name")
    parser.add_argument(
        "--language", choices=["zh", "en"], help="of the prompts (else cognitive.language, else zh)"
    )
    parser.add_argument("--once", metavar="TEXT", help="say this, print the reply, and end")
    options = parser.parse_args()
    options.user = options.user or f"terminal:{options.name}"
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    try:
        return asyncio.run(chat_until_interrupted(options))
    except HistorianError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
