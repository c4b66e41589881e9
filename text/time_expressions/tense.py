"""What the clause around an expression says about past and future.

Not grammar: words that decide where they stand. Chinese 要, 会, 打算 look ahead and win over 了 (快到了, 要考试了);
已经, 了, 过 look back. English takes the verb nearest to the expression, first in its clause, then in its sentence.
Nothing is guessed: where no such word stands the answer is "none".
"""

from __future__ import annotations

import re

from ..word_lists import word_list

_CLAUSE_END = "，。！？；,!?;\n：…"
_SENTENCE_END = "。！？!?\n；;"
_REACH = 60
"""Characters looked at on each side: a clause is rarely longer, and the bound keeps long texts linear."""

_ZH_FUTURE = re.compile(  # the first character is looked for first: ten times faster where there is none
    r"(?=[一会准别到即可将应开得必快想截打提有碰等约能要见计记集预首])(?:(?<![不主需重首紧只摘必次想])"
    r"要(?![求么紧命是素塞点])|将(?![军近来就领士])|(?<![不])会(?![员议计长场所儿话费谈见晤展])|打算|"
    r"准备|计划|预计|预定|即将|快要|快到|记得|提醒|别忘|预约"
    r"|有空|有没有空|必须|应该(?!是)|一定得|(?<=[我你他她们])得(?=[去交早在把给])|想去|想约|截止|到期|"
    r"见[！!。~吧]?$|集合|碰头|首映|开抢|开播|等着|约[了好]?[人他她你去一在]|可能(?![是了])|能不能|可以|有时间)"
)
_ZH_AHEAD = re.compile(
    r"^[^，。！？]{0,3}(?:(?<![出起过进上下带拿失])[去飞回](?![了过的年答复应])|见|集合|出发|碰头|碰面|开会|开黑|开播|开始|开抢|提醒|放假|休假|举行|上映|"
    r"开学|开考|发售|上线|首发|截止)"
)
_ZH_PAST = re.compile(
    r"(?=[下买了刚到回已才曾来没的睡结起过])(?:已经|(?<!私自)已(?=[^经])|曾经?|"
    r"(?<![一二两三四五六七八九十首])了(?![解不得])|(?<=[\u4e00-\u9fff])"
    r"过(?![年节来去程期敏渡分几两些会再夜冬吗]|一(?:会|阵|段))(?<!一起过)|刚(?!好|才|刚|需|性|度)|"
    r"没有?(?=[去来吃睡回看写做赶上买见到说听收])|(?<=[^我你他她它们谁])的$|才(?=[到回睡起来走])|"
    r"^[到结买来回起睡下]的(?=.{1,2}$))"
)
_ZH_ARRANGED = re.compile(  # what was announced, agreed or booked lies ahead: 宣布了周日的活动, 说好了周五见, 买了周六的票
    r"(?:宣布|公布|公告|通知|预告|预约|预定|预订|约定|(?<!大)约好?|提议|建议|提出|邀请|相约|说好|讲好|谈好|商量好|安排好?|敲定|答应|[定订]好?|报名)[了过]?"
    r"(?:[他她你我]|大家|[^，。！？；\s]{0,3})?$|买[了到好]?$"
    r"|(?:推迟|延期|延后|顺延|改期?|挪|提前|定|约|安排|排)(?:到|在|至)$"
)
_ZH_TICKET = re.compile(r"[^，。！？；]{0,6}票")
_ZH_SURELY_PAST = re.compile(r"已经|曾|过$")
_ZH_HABIT = re.compile(
    r"(?=[一习从偶向固天定常平往总时每经老轮通都])(?:每|一般|通常|总是|总会|经常|平时|往常|一直都|"
    r"从来|定期|固定|时不时|偶尔|习惯|天天|都会|向来|老是|常常|常年|轮流)"
)


_STOPS = {stops: re.compile(f"[{re.escape(stops)}]") for stops in (_CLAUSE_END, _SENTENCE_END, ".!?;\n,:", ".!?;\n")}


_GAP = re.compile(r"(?<=[\u4e00-\u9fff])[ ]+(?=[\u4e00-\u9fff])")
"""A space between Chinese characters: the comma of chats."""


def _clause(text: str, start: int, end: int, stops: str) -> tuple[int, int]:
    floor = max(0, start - _REACH)
    low = max(text.rfind(stop, floor, start) for stop in stops) + 1
    after = _STOPS[stops].search(text, end, min(len(text), end + _REACH))
    return max(low, floor), after.start() if after is not None else min(len(text), end + _REACH)


def _chinese_clause(text: str, start: int, end: int) -> tuple[int, int]:
    low, high = _clause(text, start, end, _CLAUSE_END)
    for gap in _GAP.finditer(text, low, high):
        if gap.end() <= start:
            low = gap.end()
        elif gap.start() > end:
            return low, gap.start()
    return low, high


def chinese_sentence_start(text: str, position: int) -> int:
    """Where the sentence that holds `position` begins (at most a few clauses back)."""
    floor = max(0, position - 3 * _REACH)
    return max(floor, max(text.rfind(stop, floor, position) for stop in _SENTENCE_END) + 1)


def chinese_evidence(text: str, start: int, end: int, *, wide: bool = True) -> str:
    """Tense shown by the clause around text[start:end], else (if `wide`) by the rest of its sentence: past, future, none."""
    low, high = _chinese_clause(text, start, end)
    before, after = text[low:start], text[end:high]
    arranged = _ZH_ARRANGED.search(before)
    if arranged is not None and (before[arranged.start()] != "买" or _ZH_TICKET.match(after)):
        return "past" if _ZH_SURELY_PAST.search(after) else "future"
    found = _chinese_tense(before, after)
    for stops in (_CLAUSE_END, _SENTENCE_END) if wide else (_CLAUSE_END,):
        if found != "none":
            break
        further = _clause(text, start, end, stops)[1]
        if further > high:
            found = _chinese_tense("", text[end:further])
    return found


def _chinese_tense(before: str, after: str) -> str:
    if _ZH_FUTURE.search(after) or _ZH_FUTURE.search(before):
        return "past" if _ZH_SURELY_PAST.search(after) else "future"
    if _ZH_PAST.search(after) or _ZH_PAST.search(before):
        return "past"
    return "future" if _ZH_AHEAD.search(after) else "none"


def chinese_habit(text: str, start: int, end: int) -> bool:
    """Whether the clause tells of what happens again and again (每, 一般, 通常, 周末都…)."""
    low, high = _clause(text, start, end, _CLAUSE_END)
    return _ZH_HABIT.search(text, low, high) is not None or text[end : end + 1] == "都"


_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|[.!?;:\n]|,")
# fmt: off
_EN_FUTURE = frozenset(
    [
        "will", "shall", "gonna", "won't", "i'll", "you'll", "he'll", "she'll", "it'll", "we'll", "they'll",
        "that'll", "there'll", "'ll", "let's", "lets", "plan", "plans", "planning", "going", "hope", "hopes",
        "hoping", "want", "wants", "wanna", "should", "must", "gotta", "due", "schedule", "scheduled", "prepare",
        "book", "remind", "reminder", "can", "could", "please", "upcoming", "may", "might", "would", "i'd", "we'd",
        "expect", "expects", "expecting", "arrange", "postponed", "starts", "free", "available", "tune",
    ]
)
# fmt: on
# fmt: off
_EN_PAST = frozenset(
    [
        "was", "were", "wasn't", "weren't", "had", "hadn't", "did", "didn't", "went", "got", "came", "saw", "said",
        "told", "made", "took", "gave", "found", "bought", "met", "ate", "drank", "slept", "woke", "ran", "sang",
        "wrote", "read", "drove", "flew", "fell", "felt", "heard", "held", "kept", "knew", "left", "led", "lent",
        "lost", "paid", "rode", "rose", "sat", "sold", "sent", "shot", "shut", "spoke", "spent", "stood", "stole",
        "swam", "taught", "thought", "threw", "understood", "wore", "won", "began", "broke", "brought", "built",
        "caught", "chose", "dealt", "drew", "fed", "fought", "forgot", "forgave", "froze", "grew", "hid", "hit",
        "hurt", "laid", "lay", "let", "lit", "meant", "quit", "rang", "sank", "set", "shook", "showed", "sought",
        "stuck", "struck", "swore", "tore", "withdrew", "became", "been", "happened", "couldn't", "wouldn't",
        "used", "born",
    ]
)
# fmt: on
# fmt: off
_EN_PROPOSED = frozenset(["suggested", "proposed", "offered", "invited", "recommended", "planned", "promised"])
"""What was proposed lies ahead of the proposal."""
_EN_ED_NOT = frozenset(
    [
        "need", "feed", "red", "bed", "hundred", "speed", "seed", "weed", "wed", "shed", "indeed", "exceed",
        "proceed", "succeed", "bleed", "breed", "greed", "creed", "reed", "deed", "sled", "fed", "led", "ted",
        "fred", "ned", "med", "used",
    ]
)
# fmt: on
# fmt: off
_EN_BE = frozenset(
    [
        "am", "is", "are", "'m", "'s", "'re", "i'm", "you're", "he's", "she's", "it's", "we're", "they're", "be",
        "being", "get", "gets", "so", "very", "too", "getting",
    ]
)
# fmt: on
# fmt: off
_EN_ORDERS = frozenset(
    [
        "set", "put", "let", "cut", "meet", "call", "text", "ping", "join", "pick", "come", "remind", "message",
        "see", "wake", "tell", "bring", "send",
    ]
)
# fmt: on
# fmt: off
_EN_BREAK = frozenset([
        "but", "because", "although", "though", "while", "which", "so", "when", "if", "and", "then", "that",
    ])
# fmt: on
# fmt: off
_EN_HABIT = frozenset(
    [
        "every", "each", "usually", "always", "often", "sometimes", "typically", "normally", "generally", "never",
        "weekly", "daily", "regularly",
    ]
)
# fmt: on


def _english_tense(words: list[str], index_from_expression: list[int]) -> str:
    best, distance = "none", 1 << 30
    for position, word in enumerate(words):
        kind = ""
        if word in _EN_FUTURE or word.endswith("'ll"):
            kind = "future"
            following = words[position + 1 : position + 3]
            if word in ("going",) and not (following and following[0] == "to"):
                kind = "future" if position and words[position - 1] in _EN_BE else ""
            elif word in ("may", "might", "can", "could", "would", "should", "must", "i'd", "we'd") and "have" in following:
                kind = "past"
            elif (word in ("could", "would", "i'd") and not following) or (
                word in ("free", "available", "book", "plan", "may") and position and words[position - 1] in ("the", "a", "my")
            ):
                kind = ""
        elif word in _EN_PAST or (len(word) > 3 and word.endswith("ed") and word not in _EN_ED_NOT):
            kind = "past"
            if (position and words[position - 1] in _EN_BE and word not in _EN_PAST) or (
                word in ("set", "let", "hit", "read", "lay", "shut", "quit", "hurt")
                and position
                and (words[position - 1] in ("to", "will", "can", "should", "must", "please", "let's"))
            ):
                kind = ""
        elif word.endswith("ing") and len(word) > 4 and position and words[position - 1] in _EN_BE:
            kind = "future"
        if position == 0 and word in _EN_ORDERS:
            kind = "future"  # an order
        if kind:
            away = index_from_expression[position]
            if away < distance:
                best, distance = kind, away
    return best


_EN_REPORTS = word_list(
    """announced said told confirmed mentioned promised posted agreed reminded informed decided heard learned wrote
    texted emailed replied noted explained knew thought found says tells"""
)
_EN_LINKS = frozenset(["on", "at", "for", "this", "the", "by", "until", "from", "in", "not", "back", "again", "here", "there"])
_EN_NO_VERB = word_list(
    """was has this his is its us yes as always sometimes perhaps was's does did hers ours yours theirs goes's thus
    across towards afterwards besides unless"""
)
_EN_BEFORE_NOUN = word_list("a an the my your his her its our their all some any these those many few both no of to with and")


def _reported(before: list[str]) -> int | None:
    """Where the clause of the expression begins, if it is what somebody told: "announced that the club meets on …".

    Its own verb must show that it is one: be in the present, or a third person singular after its subject.
    """
    for position in range(len(before) - 1, -1, -1):
        if before[position] in _EN_REPORTS:
            break
    else:
        return None
    clause = before[position + 1 :]
    while clause and clause[-1] in _EN_LINKS:
        clause = clause[:-1]
    if len(clause) < 2:
        return None
    for index in range(1, len(clause)):
        word = clause[index]
        if word in ("is", "are", "isn't", "aren't"):
            return position + 1
        if (
            word.endswith("s")
            and not word.endswith(("ss", "'s"))
            and word not in _EN_NO_VERB
            and word not in _EN_PAST
            and clause[index - 1] not in _EN_BEFORE_NOUN
            and index == len(clause) - 1
            and (index >= 2 or clause[0] == "that")
        ):
            return position + 1
    return None


def _words(piece: str) -> list[str]:
    return [word for word in _WORD.findall(piece) if word[0].isalpha()]


_LAST_WORD = re.compile(r"(?<![a-z])(since|until|till|til|by) (?:the )?$")

_IS_ON = re.compile(r"(?<![a-z])(?:is|are|it's|isn't|aren't) (?:not |only |now |set |due )?(?:on|in|for) $")
"""What is on a day is ahead: "the concert is on October 11"."""


def english_evidence(text: str, start: int, end: int) -> str:
    """Tense of the verb nearest to text[start:end] in its clause, else in its sentence. `text` is in lower case."""
    lead = _LAST_WORD.search(text, max(0, start - 12), start)
    if lead is not None:
        return "past" if lead.group(1) in ("since",) else "future"
    if _IS_ON.search(text, max(0, start - 24), start) is not None:
        return "future"
    for stops, narrow in ((".!?;\n,:", True), (".!?;\n", False)):
        low, high = _clause(text, start, end, stops)
        before, after = _words(text[low:start]), _words(text[end:high])
        reported = _reported(before)
        if reported is not None:
            before = before[reported:]
        if narrow:
            for position in range(len(before) - 1, -1, -1):
                if before[position] in _EN_BREAK and position < len(before) - 1:
                    before = before[position + 1 :]
                    break
            for position, word in enumerate(after):
                if word in _EN_BREAK and position:
                    after = after[:position]
                    break
        if narrow and not _EN_PROPOSED.isdisjoint(before) and "that" not in before:
            return "future"
        found = _english_tense(before + after, [len(before) - i for i in range(len(before))] + list(range(1, len(after) + 1)))
        if found != "none":
            return found
    return "none"


def english_habit(text: str, start: int, end: int) -> bool:
    """Whether the clause tells of what happens again and again (every, usually, always)."""
    low, high = _clause(text, start, end, ".!?;\n")
    return any(word in _EN_HABIT for word in _words(text[low:high]))
