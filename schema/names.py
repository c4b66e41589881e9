"""The names in one conversation, for the rule rewriter and the gate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .ids import LONGEST_NAME

if TYPE_CHECKING:
    from .job import Job  # job imports pydantic, which the rules on text do not need


@dataclass(frozen=True, slots=True)
class Names:
    """The names in one conversation. An empty string means that the name is not known.

    `bot_name` replaces the first person of an action summary ("I", 我). `user_name` is the bot's
    conversation partner, who replaces the third person in new information ("he", 他, "the user").
    `others` are other people of the conversation, possible antecedents of a pronoun. `glossary`
    holds proper nouns that must not be taken for pronouns, times or places (我的世界).
    """

    bot_name: str = ""
    user_name: str = ""
    user_id: str = ""
    group_name: str = ""
    group_id: str = ""
    others: tuple[str, ...] = field(default=())
    glossary: tuple[str, ...] = field(default=())

    @classmethod
    def of_job(cls, job: Job, bot_name: str) -> Names:
        """Return the names of a job's conversation, cut to LONGEST_NAME characters. The recent
        speakers are `others`.

        `bot_name` is used if the job has none. Members without a name are named by their id.
        """
        bot_name = job.bot_name or bot_name
        nameless = (
            name
            for sender_id in job.nameless_speakers
            for name in cls(user_id=sender_id).user_names
        )
        return cls(
            bot_name=bot_name[:LONGEST_NAME],
            user_name=job.user_name[:LONGEST_NAME],
            user_id=job.user_id,
            group_name=job.group_name[:LONGEST_NAME],
            group_id=job.group_id,
            others=tuple(
                dict.fromkeys(
                    name
                    for name in (*job.speakers, *nameless)
                    if name not in (bot_name, job.user_name)
                )
            ),
        )

    @property
    def people(self) -> tuple[str, ...]:
        """The names of people as texts write them, the user's first, without the bot's name."""
        return tuple(name for name in (*self.user_names, *self.others) if name)

    @property
    def user_names(self) -> tuple[str, ...]:
        """The names by which texts refer to the user: the name, or if there is none the forms of
        `user`.
        """
        if self.user_name or not self.user_id:
            return (self.user_name,)
        english = self.user("en")
        return self.user("zh"), english, english.capitalize()

    @property
    def everybody(self) -> tuple[str, ...]:
        """The names of the bot and of `people`."""
        return (self.bot_name, *self.people) if self.bot_name else self.people

    def bot(self, language: str = "zh") -> str:
        """Return the bot's name for an event, else a noun that needs no context."""
        return self.bot_name or ("机器人" if language == "zh" else "the bot")

    def user(self, language: str = "zh") -> str:
        """Return the user's name for an event, else "用户 {id}" / "user {id}"."""
        if self.user_name:
            return self.user_name
        noun = "用户" if language == "zh" else "user"
        return f"{noun} {self.user_id}" if self.user_id else noun

    def group(self, language: str = "zh") -> str:
        """Return the group's name for an event, else "群 {id}" / "group {id}"; empty in a private chat."""
        if self.group_name or not self.group_id:
            return self.group_name
        return f"群 {self.group_id}" if language == "zh" else f"group {self.group_id}"
