"""Who is who in one conversation, as the rule rewriter and the gate need it."""

from __future__ import annotations

from dataclasses import dataclass, field

from .job import Job


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one conversation. Empty strings mean "not known".

    `bot_name` speaks in an action summary ("I", 我); `user_name` is whom the bot talked with and is spoken of in
    new information ("he", 他, "the user"). `others` are further people of the conversation, who can be antecedents
    of a pronoun; `glossary` are proper nouns that must not be mistaken for pronouns, times or places (我的世界).
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
        """The names of a job's conversation; people who spoke shortly before are `others`. `bot_name`: where the job has none."""
        bot_name = job.bot_name or bot_name
        return cls(
            bot_name=bot_name,
            user_name=job.user_name,
            user_id=job.user_id,
            group_name=job.group_name,
            group_id=job.group_id,
            others=tuple(dict.fromkeys(name for name in job.speakers if name not in (bot_name, job.user_name))),
        )

    def bot(self, language: str = "zh") -> str:
        """How the bot is written in a record: its name, else a noun that needs no context."""
        return self.bot_name or ("机器人" if language == "zh" else "the bot")

    def user(self, language: str = "zh") -> str:
        """How the user is written in a record: the name, else "用户 {id}" / "user {id}"."""
        if self.user_name:
            return self.user_name
        noun = "用户" if language == "zh" else "user"
        return f"{noun} {self.user_id}" if self.user_id else noun

    def group(self, language: str = "zh") -> str:
        """How the group is written in a record: its name, else "群 {id}" / "group {id}"; empty in a private chat."""
        if self.group_name:
            return self.group_name
        if not self.group_id:
            return ""
        return f"群 {self.group_id}" if language == "zh" else f"group {self.group_id}"
