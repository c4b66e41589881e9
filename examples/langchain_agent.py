"""An agent of LangChain with long-term memory: `create_agent` and `HistorianMiddleware`. Needs the
extra `agents`.

    python examples/langchain_agent.py "I'm allergic to peanuts" "What am I allergic to?"
    python examples/langchain_agent.py --user 42 "What am I allergic to?"           # another process, the same memory

Each text is a separate conversation: the agent knows the earlier texts only from memory. The model
is `models.chat` of `config.toml` or the environment; without it a stand-in with a few fixed rules
answers.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import uuid
from datetime import date

from configured_model import make_model
from historian import CognitiveService, HistorianError, HistorianMiddleware, load_settings
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver


@tool
def today() -> str:
    """Return today's date."""
    return date.today().isoformat()


async def run(options: argparse.Namespace) -> None:
    model = make_model(load_settings(options.config))
    async with CognitiveService.open(options.config) as memory:
        await memory.ready()
        agent = create_agent(
            model, [today], middleware=[HistorianMiddleware(memory)], checkpointer=InMemorySaver()
        )
        for text in options.texts:
            who = {
                "thread_id": uuid.uuid4().hex,
                "user_id": options.user,
                "user_name": options.name,
            }
            answered = await agent.ainvoke(
                {"messages": [HumanMessage(text)]}, config={"configurable": who}
            )
            print(answered["messages"][-1].text, flush=True)
            await (
                memory.flush()
            )  # so that the next conversation finds the messages, which otherwise wait for more
            await memory.settled(60)


def main() -> int:
    parser = argparse.ArgumentParser(description="Talk to a LangChain agent that remembers.")
    parser.add_argument(
        "texts", nargs="+", metavar="TEXT", help="what to say, each in a conversation of its own"
    )
    parser.add_argument("--config", help="the settings (else HISTORIAN_CONFIG, else ./config.toml)")
    parser.add_argument("--user", default="1001", help="the id under which you are remembered")
    parser.add_argument("--name", default="Ann", help="your name")
    try:
        asyncio.run(run(parser.parse_args()))
    except HistorianError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
