"""The languages of conversations, detected from the messages that this process received."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..retrieval.request import MOST_QUERIES, MOST_QUERY_CHARACTERS
from ..schema.language import Language, LanguageChoice
from ..text.language import detect_language, prose_length
from .bounded import Bounded

CONVERSATIONS_KEPT = 10_000
ENOUGH_PROSE = 4
"""Minimum number of words or Chinese characters that show a language. A shorter message ("ok") does
not change the language of its conversation."""
UNKNOWN: Language = "zh"
"""The language that is chosen if none is known."""


class Languages:
    """Chooses the language to write in. Stores one language per conversation, and no texts."""

    def __init__(self, configured: Callable[[], LanguageChoice]) -> None:
        self._configured = configured
        self._heard: Bounded[str, Language] = Bounded(CONVERSATIONS_KEPT)

    def hear(self, scope_key: str, texts: Sequence[str]) -> None:
        """Detect the language of `texts`, which people said in a conversation, and store it. Short
        texts do not change a stored language."""
        said = _joined(texts)
        length = prose_length(said)
        if length >= ENOUGH_PROSE:
            self._heard.set(scope_key, detect_language(said))
        elif length:
            self._heard.setdefault(scope_key, detect_language(said))

    def choose(self, asked: object, scope_key: str = "", texts: Sequence[str] = ()) -> Language:
        """Return the language to write in.

        "zh" or "en" as `asked` is returned unchanged. "auto" selects the stored language of the
        conversation (if none is stored, that of `texts`), else the configured language. Any other
        value selects the configured language, else the language as for "auto". If no language is
        known, UNKNOWN is returned.
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
