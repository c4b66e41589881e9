"""The plugin's settings in `.env`. The settings of the memory are in Historian's own `config.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field

PERSONA = {
    "zh": "你是{bot}，一个聊天机器人。回答简短、自然。",
    "en": "You are {bot}, a chat bot. Answer briefly and naturally.",
}


def _language(written: object) -> object:
    """Return the language. The command line reads the same variable, which may hold a locale
    (`zh_CN.UTF-8`).
    """
    return written[:2].lower() if isinstance(written, str) else written


class Config(BaseModel):
    """`HISTORIAN_CONFIG` and so on, as environment variables or in `.env`."""

    historian_config: Path | None = None
    """Historian's settings; else `./config.toml` if there is one."""
    historian_language: Annotated[Literal["zh", "en"], BeforeValidator(_language)] = "zh"
    """Of the prompts and of the plugin's own words; the command `historian` goes by it too."""
    historian_persona: str = ""
    """The beginning of the system prompt; `{bot}` is the bot's name. Empty: a plain one."""
    historian_history: int = Field(default=20, ge=0, le=200)
    """Messages of a conversation that the model sees besides what is recalled. They are kept in memory only."""

    def persona(self, bot: str) -> str:
        return (self.historian_persona or PERSONA[self.historian_language]).replace("{bot}", bot)
