"""The languages that conversations are held in, as far as this process has heard them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..retrieval.request import MOST_QUERIES, MOST_QUERY_CHARACTERS
from ..schema.language import Language, LanguageChoice
from ..text.language import detect_language, prose_length
from .bounded import Bounded

CONVERSATIONS_KEPT = 10_000
ENOUGH_PROSE = 4
"""So many words or Chinese characters show a language; a shorter message ("ok") is in that of the conversation."""
UNKNOWN: Language = "zh"
"""The language where nothing tells one."""


class Languages:
    """Chooses the language to write in. Keeps one word a conversation, nothing of what was said."""

    def __init__(self, configured: Callable[[], LanguageChoice]) -> None:
        self._configured = configured
        self._heard: Bounded[str, Language] = Bounded(CONVERSATIONS_KEPT)

    def hear(self, scope_key: str, texts: Sequence[str]) -> None:
        """Note what people say in a conversation."""
        said = _joined(texts)
        length = prose_length(said)
        if length >= ENOUGH_PROSE:
            self._heard.set(scope_key, detect_language(said))
        elif length:
            self._heard.setdefault(scope_key, detect_language(said))

    def choose(self, asked: object, scope_key: str = "", texts: Sequence[str] = ()) -> Language:
        """Return `asked` if it is a language. "auto" is that of the conversation (if nothing was heard of it, of `texts`), else
        the configured one. Anything else is the configured one, else that of the conversation.
        """
        for known in (asked, None if asked == "auto" else self._configured()):
            if known in ("zh", "en"):
                return "zh" if known == "zh" else "en"
        return self._spoken(scope_key, texts) or _language(self._configured()) or UNKNOWN

    def _spoken(self, scope_key: str, texts: Sequence[str]) -> Language | None:
        said = _joined(texts)
        return self._heard.get(scope_key) or (detect_language(said) if prose_length(said) else None)


def _joined(texts: Sequence[str]) -> str:
    return "\n".join(one[:MOST_QUERY_CHARACTERS] for one in texts[-MOST_QUERIES:])


def _language(choice: LanguageChoice) -> Language | None:
    return None if choice == "auto" else choice
