"""Search terms: tokens of Chinese and other languages, their stems, and the weights of BM25."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .borders import DENSE, SIGNS
from .piecewise import pieces

if TYPE_CHECKING:
    import sqlite3

    import numpy as np

_MOST_WORDS = 50_000
"""Maximum number of words whose stems are cached (about 10 MB). A full cache is cleared."""


class Stemmer:
    """A cache of stems (6 µs per new word). Thread-safe."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def stems(self, words: Sequence[str]) -> list[str]:
        """Return one stem per word, in order.

        A word is a token of `search_tokens`, possibly marked as repeated.
        """
        known = self._known
        if new := {word for word in words if word not in known}:
            known = self._learnt(known, new)
        return [known[word] for word in words]

    def _learnt(self, known: dict[str, str], words: set[str]) -> dict[str, str]:
        """Return `known` with the stems of `words` added, and cache the result.

        If the result is too large for the cache, only the new stems are cached.
        """
        # The Porter stemmer only changes English endings; other words are their own stems.
        stems = {word: word for word in words if not word[-1:].isascii()}
        asked = [word for word in words if word not in stems]
        if asked:
            stems |= zip(asked, self._ask(asked), strict=True)
        if len(known) + len(stems) <= _MOST_WORDS:
            known.update(stems)
            return known
        # This is a new dictionary, because another thread may be reading the old one.
        self._known = dict(stems) if len(stems) <= _MOST_WORDS else {}
        return {**known, **stems}

    def _ask(self, words: Sequence[str]) -> list[str]:
        with self._lock:
            if self._connection is None:
                self._connection = _open()
            self._connection.execute("BEGIN")
            try:
                self._connection.executemany(
                    "INSERT INTO words (rowid, word) VALUES (?, ?)", enumerate(words)
                )
                stems = dict(self._connection.execute("SELECT doc, term FROM stems"))
            finally:
                self._connection.execute("ROLLBACK")
        return [stems.get(number, word) for number, word in enumerate(words)]


def _open() -> sqlite3.Connection:
    import sqlite3

    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.execute(
        f"CREATE VIRTUAL TABLE words USING fts5(word, content = '', detail = none, tokenize = \"{FTS5_TOKENIZER}\")"
    )
    connection.execute("CREATE VIRTUAL TABLE stems USING fts5vocab(words, instance)")
    return connection


STEMMER = Stemmer()
"""The shared instance of this process."""


# `ascii` treats every character beyond ASCII as part of a token (also emoji, which `unicode61`
# drops) and folds no characters; this module folds them. The Porter stemmer is part of SQLite. In
# English chat (LoCoMo, 760 questions, BM25) recall at 10 is 61.1 % with it, 57.5 % with unchanged
# words, and 57.6 % if only plural endings are removed.
FTS5_TOKENIZER = "porter ascii tokenchars '.+#'"

_DENSE, _PLAIN_LETTER, _SIGN = DENSE, rf"[^\W_{DENSE}]", f"[{SIGNS}]"
_LETTER = rf"(?:{_PLAIN_LETTER}|{_SIGN})"
_LETTERS = rf"(?:{_PLAIN_LETTER}++|{_SIGN}++)++"  # faster than `_LETTER` repeated
_PICTOGRAPH = (
    "\u203c\u2049\u2190-\u21ff\u231a-\u23ff\u25a0-\u27bf\u2b00-\u2bff"
    "\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff"
)
_FLAG = "\U0001f1e6-\U0001f1ff"
_JOINER = "\u200d"
_EMOJI_DRESS = "\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff"  # variation selectors, keycap, skin tones

_TOKEN = re.compile(
    rf"(?P<dense>[{_DENSE}]+)"
    rf"|(?P<number>(?=\d)(?<!{_LETTER})(?:\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?(?![\d,])|\d+(?:\.\d+)+)(?!{_LETTER}))"
    rf"|(?P<language>(?=[a-z][+#])(?<!{_LETTER})[a-z](?:\+\+|\#)(?!{_LETTER}))"
    rf"|(?P<word>{_LETTERS}(?:'{_LETTERS})*)"
    rf"|(?P<emoji>[{_FLAG}]{{2}}|[{_PICTOGRAPH}][{_EMOJI_DRESS}]*(?:{_JOINER}[{_PICTOGRAPH}][{_EMOJI_DRESS}]*)*)"
)
INSIDE = "\ue001"
"""Prefix of a single character that matches anywhere in a run of a script without spaces.

No token of a text begins with this prefix.
"""
_DENSE_RUN = re.compile(f"[{_DENSE}]+")
_DRESS = re.compile(f"[{_EMOJI_DRESS}]")
_ACCENT = re.compile("[\u0300-\u036f\u0591-\u05bd\u064b-\u0652]")
_ALTERNATION = re.compile(r"\d+|\D+")
_APOSTROPHES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "`": "'"})
# Letters without a Unicode decomposition.
_UNDECOMPOSED = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)

# Stop words: question words, pronouns, particles.
_STOP_CHARACTERS = frozenset(
    "的了着过是在有和与跟就都也还又很太更最把被给让对从到向往为以于而但或若如因所之其此这那哪些个么什怎样谁几多少啥"
    "我你您他她它们咱吗呢吧啊呀哦嗯哈嘛啦喔哇没不要会能可请问说想知道记得一"
)
# Pairs of stop characters that carry meaning.
_KEPT_PAIRS = frozenset(("不对", "不会", "不能", "不要", "没有", "到过", "想要", "过往", "以往"))
_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        a an and are as at be been but by can could did do does for from had has have he her hers him his how i if in
        into is it its me my of on or our ours she should so than that the their theirs them then there these they this
        those to us was we were what when where which who whom whose why will with would you your yours about am any
        just not no tell please know remember dont doesnt didnt im ive isnt wasnt whats thats
        """,
    )
)


def search_tokens(text: str) -> list[str]:
    """Return the index terms of `text` in reading order, with repetitions (BM25 counts them).

    - Chinese, Japanese, Korean, Thai …: the pairs of adjacent characters of each run; for a run of
      one character, this character.
    - Other scripts: words in lower case without accents, possessive endings and apostrophes. A word
      that mixes letters and digits gives its parts too: `RTX4090` is found by `rtx 4090` and by
      `4090`.
    - Numbers: `1,000` as `1000`; decimals, versions and addresses whole (`1.5.9`); `02` as `2`, so
      that `2026-02-20` and `2026年2月20日` have the same terms.
    - An emoji is one term, without skin tone and variation selector.
    """
    return [token for piece in pieces(text) for token in _tokens_of(piece)]


def _tokens_of(text: str) -> list[str]:
    tokens: list[str] = []
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)
    for match in _TOKEN.finditer(folded):
        kind, found = match.lastgroup, match.group()
        if kind == "dense":
            tokens.extend(_pairs(found))
        elif kind == "word":
            tokens.extend(_word_terms(found))
        elif kind == "number":
            tokens.append(found.replace(",", ""))
        elif kind == "emoji":
            tokens.append(_DRESS.sub("", found))
        else:
            tokens.append(found)
    return tokens


def query_tokens(text: str) -> list[str]:
    """Return the distinct `search_tokens` of a query without stop words.

    If there are only stop words (`你是谁`, `the who`), all of them are returned.
    """
    terms = list(dict.fromkeys(search_tokens(text)))
    return [term for term in terms if not _is_stop(term)] or terms


def lookup_tokens(text: str) -> list[str]:
    """Return the lookup terms of a query.

    These are its `query_tokens`. A single Chinese character is marked to match inside words, so
    that 猫 finds 小猫 and 猫咪. In queries with digits it is not marked: in 2月20日, 月 and 日 are
    units.
    """
    tokens = query_tokens(text)
    if any(map(str.isdecimal, "".join(tokens))):
        return tokens
    return [
        INSIDE + token if len(token) == 1 and _DENSE_RUN.match(token) else token for token in tokens
    ]


def last_characters(text: str) -> list[str]:
    """Return the distinct last characters of the runs that `search_tokens` splits into pairs.

    They are marked as by `lookup_tokens`. Every other character of a run begins a pair
    (`first_character`), so both functions together give all characters of the runs.
    """
    folded = (unicodedata.normalize("NFKC", piece).casefold() for piece in pieces(text))
    return list(
        dict.fromkeys(INSIDE + run[-1] for piece in folded for run in _DENSE_RUN.findall(piece))
    )


def first_character(token: str) -> str:
    """Return the marked first character of a pair of `search_tokens`, or "" for other tokens."""
    return INSIDE + token[0] if len(token) == 2 and _DENSE_RUN.match(token) else ""


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


def _word_terms(word: str) -> list[str]:
    if not word.isascii():
        word = _ACCENT.sub("", unicodedata.normalize("NFD", word)).translate(_UNDECOMPOSED)
        word = unicodedata.normalize("NFC", word)
    if word.isdecimal():
        return [_plain_number(word)]
    word = word.removesuffix("'s").replace("'", "")
    if word.isalpha():
        return [word]
    parts = _ALTERNATION.findall(word)
    # A hash has many parts, which are meaningless.
    return [word, *map(_plain_number, parts)] if 2 <= len(parts) <= 3 else [word] if word else []


def _plain_number(digits: str) -> str:
    return digits[1] if len(digits) == 2 and digits[0] == "0" else digits


def _is_stop(term: str) -> bool:
    if term in _STOP_WORDS:
        return True
    return term not in _KEPT_PAIRS and _STOP_CHARACTERS.issuperset(term)


K1 = 1.2
"""Saturation of repeated words. Robertson and Zaragoza 2009 recommend 1.2 to 2."""
B = 0.4
"""Length normalization; 0 is none. Events are short: in English chat, recall at 10 is 59.0 % with
0.4 and 57.9 % with the usual 0.75 (LoCoMo turns, 760 questions)."""
MAX_QUERY_WORDS = 128
"""Maximum number of words of a query that are searched for; each needs a lookup.

A Chinese message of about 130 characters has 128 words. In MADial-Bench (Chinese) recall at 10 by
keywords is 50.7 % with 64 words, and 60.6 % with 128 and with 256.
"""

WORDS_VERSION = 2
"""Version of the indexed words. Increment it when `indexed_words` changes its result for a text."""

_TWICE = "\ue000"
# Prefix of words that occur more than once in a text: a character with which no word begins and
# which indexes treat as a letter. An index shows which rows contain a word, not how often. The
# marker distinguishes one occurrence from more; three or more are rare in an event (LoCoMo: 59.0 %
# with the marker, 59.1 % with exact counts, 58.7 % without).


def indexed_words(text: str, tokens: Sequence[str] | None = None) -> tuple[int, str]:
    """Return the number of words of `text`, and the text to be indexed.

    The text to be indexed has each word once, the marked form of each repeated word, and the marked
    last characters of Chinese runs, which are not counted. `tokens` are the result of
    `search_tokens`, if the caller has it.
    """
    counts = Counter(search_tokens(text) if tokens is None else tokens)
    words = [
        form
        for word, n in counts.items()
        for form in ((word, repeated(word)) if n > 1 else (word,))
    ]
    return counts.total(), " ".join([*words, *last_characters(text)])


def query_words(query: str) -> list[str]:
    """Return the words to search for."""
    return lookup_tokens(query)[:MAX_QUERY_WORDS]


def repeated(word: str) -> str:
    """Return the marked form that is indexed for a repeated word."""
    return _TWICE + word


def norms(
    lengths: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return BM25's length norms for texts of `lengths` words: `K1 * (1 - B + B * l / mean l)`."""
    import numpy as np

    mean = max(float(lengths.mean()), 1.0) if len(lengths) else 1.0
    return np.asarray(K1 * (1 - B + B * lengths / mean))
