"""Thinking back as tools: `recall_deeply`, when the user asks for it, and `propose_recall`, when the assistant offers it.

`propose_recall` gives a question to put to the user and remembers what it was about; the user's yes is
`recall_deeply(confirmed=true)`.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict

from ...schema.scope import Scope
from ...text.language import Language
from .memory import Memory
from .tool_arguments import Arguments, Texts

PROPOSALS_KEPT = 1_000
"""Conversations whose last proposal is remembered; further ones push out the oldest."""
QUERY_CHARACTERS = 200

TOOLS: Texts = {
    "recall_deeply": {
        "zh": "仔细回想：在你对当前用户的文章和最近的对话摘要里深入查找。只在用户要求回忆时使用（“你仔细想想”“帮我回忆一下”"
        "“再想想看”），或用户同意了 propose_recall 的提议时使用（此时传 confirmed=true）。",
        "en": "Think back hard: search your own long article about this user and the summaries of recent conversations. Use it "
        'only when the user asks you to remember ("think back", "think hard", "try to remember"), or says yes to what '
        "propose_recall offered (then pass confirmed=true).",
    },
    "propose_recall": {
        "zh": "提议回忆：你隐约觉得以前谈过、但眼前的记忆里没有时，用它得到一句问话去问用户要不要你仔细回想。用户同意后再调用 "
        "recall_deeply(confirmed=true)。",
        "en": "Offer to think back: when something seems to have been talked about before and is not at hand, this gives you a "
        "question to put to the user. After their yes call recall_deeply(confirmed=true).",
    },
}

ARGUMENTS: Texts = {
    "about": {"zh": "要回忆什么，用一句话或几个关键词", "en": "what to think back to, as a sentence or a few words"},
    "confirmed": {
        "zh": "用户刚刚同意了 propose_recall 的提议；此时 about 可以不填",
        "en": "the user has just said yes to propose_recall; `about` may be left out then",
    },
}

_NOTHING = {"zh": "仔细想过了，没有想起相关的事。", "en": "Nothing comes back, even after thinking hard."}
_ABOUT_WHAT = {
    "zh": "要回忆什么？请在 about 里写明。",
    "en": "Think back to what? Say it in `about`.",
}
_QUESTION = {
    "zh": "这样问用户：“关于{about}，我好像有些印象，要我仔细回想一下吗？”",
    "en": 'Ask the user: "I seem to remember something about {about}. Shall I think back?"',
}


class RecallDeeplyArguments(Arguments):
    """What `recall_deeply` is called with."""

    about: str | None = None
    confirmed: bool = False


class ProposeRecallArguments(Arguments):
    """What `propose_recall` is called with."""

    about: str


class Proposals:
    """What was offered last in each conversation to each person. From any thread."""

    def __init__(self) -> None:
        self._offered: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._lock = threading.Lock()

    def offer(self, scope: Scope, about: str) -> None:
        """Remember an offer in place of the one before."""
        with self._lock:
            self._offered[_who(scope)] = about
            self._offered.move_to_end(_who(scope))
            if len(self._offered) > PROPOSALS_KEPT:
                self._offered.popitem(last=False)

    def take(self, scope: Scope) -> str:
        """What was offered to who speaks now, once; "" for nothing."""
        with self._lock:
            return self._offered.pop(_who(scope), "")


_PROPOSALS: weakref.WeakKeyDictionary[object, Proposals] = weakref.WeakKeyDictionary()


def proposals_of(memory: object) -> Proposals:
    """The proposals made on behalf of one memory; they live as long as it does."""
    return _PROPOSALS.setdefault(memory, Proposals())


async def recall_deeply(memory: Memory, scope: Scope, asked: RecallDeeplyArguments, language: Language) -> str:
    """What the deep search brings about who speaks now."""
    about = asked.about or ""
    if asked.confirmed:
        about = proposals_of(memory).take(scope) or about
    if not about.strip():
        return _ABOUT_WHAT[language]
    if not scope.user_id:
        return _NOTHING[language]
    found = await memory.get_relevant_memories(about, scope.user_id, scope, deep=True, language=language)
    return found or _NOTHING[language]


async def propose_recall(memory: Memory, scope: Scope, asked: ProposeRecallArguments, language: Language) -> str:
    """The question to put to the user."""
    about = " ".join(asked.about.split())[:QUERY_CHARACTERS]
    if not about:
        return _ABOUT_WHAT[language]
    proposals_of(memory).offer(scope, about)
    return _QUESTION[language].format(about=about)


def _who(scope: Scope) -> tuple[str, str]:
    return scope.key, scope.user_id
