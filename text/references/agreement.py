"""English verbs after a subject has changed from "I" or "you" to a name: am → is, have → has, like → likes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..word_lists import word_list

_MODALS = word_list(
    """
    can could will would shall should may might must ought can't couldn't won't wouldn't shan't shouldn't mightn't
    mustn't cannot cant couldnt wont wouldnt shouldnt better did didn't didnt had hadn't hadnt was wasn't wasnt used
    """
)
_IRREGULAR = {
    "am": "is", "'m": "is", "are": "is", "'re": "is", "have": "has", "'ve": "has", "do": "does", "go": "goes",
    "don't": "doesn't", "dont": "doesn't", "haven't": "hasn't", "havent": "hasn't", "aren't": "isn't", "arent": "isn't",
    "ain't": "isn't", "were": "was", "weren't": "wasn't", "werent": "wasn't", "wanna": "wants to", "gotta": "has to",
    "gonna": "is going to", "dunno": "doesn't know", "r": "is",
}  # fmt: skip
_PAST = word_list(
    """
    arose ate awoke became began bent bit bled blew bought bound bred broke brought built burnt came caught chose
    clung crept dealt did done drank drew dreamt drove dug fed fell felt fled flew flung forbade forgave forgot
    fought found froze gave gone got ground grew had heard held hid hung kept knelt knew laid lay leapt learnt led
    left lent lied lit lost made meant met mistook misunderstood oversaw overslept overcame paid ran rang rebuilt
    redid rewrote rode rose said sang sank sat saw seen sent shone shook shot showed shrank slept slid smelt sold
    sought spat spelt spent spilt spoke spoilt sprang spun stole stood stuck stung struck strove swam swore swept
    swung taught thought threw told took tore undertook understood undid upheld was went wept withdrew woke won wore
    wove wrote been
    """
)
_SAME_FORM = word_list("put cut let set read hit cost hurt quit shut split spread cast burst beat upset shed reset")
_ENDS_IN_ED = word_list("need feed speed seed bleed breed heed weed embed exceed proceed succeed shed wed greed indeed")
_ENDS_IN_ING = word_list("bring sing ring cling fling sting swing string ping spring wring")
_ADVERBS = word_list(
    """
    really also just never always often usually still only actually probably definitely certainly already sometimes
    rarely even simply kinda sorta ever now then currently recently finally generally normally mostly mainly truly
    honestly literally basically totally absolutely especially once again both all hardly barely seldom maybe
    perhaps too almost quite rather soon today absolutely not so much
    """
)
_NOT_ADVERBS = word_list("rely apply supply reply fly imply multiply comply ally bully rally tally family bly july italy")
_HABIT = word_list("always often usually never sometimes rarely seldom normally generally")
_NOT_VERBS = word_list(
    """
    a an the this that these those my your his her its our their some any no every each all both half another other
    such what which who whom whose when where why how if because since while although though unless until after
    before as than at by for from in into of off on onto out over to toward towards up with without about against
    along among around between through during under and or but nor so yet too either neither i me we us you he him
    she they them it himself herself myself one two three four five here there yes no ok okay please not guys
    """
)
_HAVE_AFTER_S = word_list("been got gotten had done gone become made taken seen known written given begun grown never")
_WOULD_HAD = word_list(
    "been gone done had seen taken made known become begun come given written eaten forgotten spoken better met heard lost left"
)
_VERBS = word_list(
    """
    accept add admire adopt agree allow apologize appreciate argue arrive attend avoid bake become begin believe
    belong borrow bring build buy carry celebrate choose clean collect come compare complain complete consider
    continue cook create cry deal decide deliver deny depend describe deserve develop die discover discuss dislike
    eat encourage enjoy examine exist expect explain explore feel find finish follow forget forgive get give go grow
    hate have hear help hide hold improve include increase introduce invite join keep know laugh lead learn leave
    lend listen live lose love maintain make manage meet miss move need observe offer organize own paint pay perform
    plan play practice practise prefer prepare prevent produce protect prove provide read realize receive recognize
    recommend remember remind remove repair reply say see seem sell send serve share sing sit sleep solve speak
    spend stand start stay study suffer suggest swim take talk teach tell tend think travel try understand use visit
    wait walk want watch wear win wish wonder work worry write run drive ride draw dance feed train volunteer teach
    mentor garden hike jog train cook
    """
)
_NOUNS_TOO = word_list(
    """
    cook cry deal feed find garden help hike jog lead lend love need offer paint plan play practice read reply say
    share sleep stand start stay study talk train try use visit wait walk watch wear win wish wonder work worry
    write run drive ride draw dance travel volunteer own miss laugh move train hold cut
    """
)
_STATIVE = word_list("hate love like want need prefer dislike enjoy know think believe hope feel have live am")
_SUBJECT_WORDS = word_list("i you he she we they it who that which this there people if because when while so since")
_DETERMINER_NEXT = word_list(
    """
    a an the my your his her its our their some any every this that these those to it him them me us you in on at
    for with as from about out up
    """
)
_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?")
_GAP_WORD = re.compile(r"([^\S\n]+)([A-Za-z]+(?:['’][A-Za-z]+)?)")
_SENTENCE_STOP = re.compile(r"[.!?;\n]|[—(]")
_COORDINATION = re.compile(r"(?:,\s*(?:(?:and|or|but)(?:\s+then)?|then)?|\b(?:and|or|but)(?:\s+then)?)(?=\s)")
_LIGHT_NOUNS = word_list("bake cook draw play practice read study teach watch write")

Edit = tuple[int, int, str]
"""Start, end and the new wording of a piece of text."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the verb phrase after a new subject needs: text that replaces a contraction, and edits further on."""

    contraction_end: int
    after_subject: str
    edits: tuple[Edit, ...]


def third_person(verb: str) -> str:
    """The third person singular of a verb in its base form: try → tries, watch → watches, have → has."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if re.search(r"(?:s|x|z|ch|sh)$", verb):
        return verb + ("zes" if verb == "quiz" else "es")
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    if verb.endswith("o") and verb[-2:-1] not in "aeiou":
        return verb + "es"
    return verb + "s"


def is_base_form(word: str, *, habitual: bool = False) -> bool:
    """Whether a word that follows "I" is a verb in the present. Forms that could be past (put, read) count only if habitual."""
    lower = word.lower().replace("’", "'")
    if lower in _NOT_VERBS or lower in _PAST or lower in _MODALS or (word[0].isupper() and word != "I"):
        return False
    if lower in _SAME_FORM:
        return habitual
    if lower in _IRREGULAR:
        return True
    if "'" in lower or len(lower) < 2:
        return False
    if lower.endswith("ed") and lower not in _ENDS_IN_ED:
        return False
    if lower.endswith("ing") and lower not in _ENDS_IN_ING:
        return False
    return not (lower.endswith("s") and not lower.endswith("ss") and lower not in ("focus", "bias", "canvas"))


def is_common_verb(word: str) -> bool:
    """Whether a word is a verb that people use of each other and of themselves, in its base form."""
    return word in _VERBS or word in _STATIVE or word in _IRREGULAR


def agree(text: str, end: int, *, plural: bool = False) -> Agreement:
    """What follows a subject that ends at `end` when that subject becomes a name.

    With `plural` the new subject is several names: only contractions are written out.
    """
    contraction = re.compile(r"['’](m|re|ve|ll|d|s)(?![A-Za-z])", re.IGNORECASE).match(text, end)
    if contraction:
        words = _expand(text, contraction.end(), contraction.group(1).lower(), plural)
        stop = contraction.end()
        kind = "modal" if contraction.group(1).lower() in ("ll", "d") else "present"
        return Agreement(stop, words, () if plural else tuple(_coordinated(text, stop, kind)))
    if plural:
        return Agreement(end, "", ())
    position, habitual = end, False
    for _ in range(4):
        match = _GAP_WORD.match(text, position)
        if match is None:
            return Agreement(end, "", ())
        word = match.group(2)
        lower = word.lower().replace("’", "'")
        if lower in _ADVERBS or (lower.endswith("ly") and lower not in _NOT_ADVERBS):
            habitual = habitual or lower in _HABIT
            position = match.end()
            continue
        if lower in _MODALS:
            return Agreement(end, "", tuple(_coordinated(text, match.end(), "modal")))
        if not is_base_form(word, habitual=habitual):
            return Agreement(end, "", ())
        edits: list[Edit] = [(match.start(2), match.end(2), third_person(lower))]
        kind = "modal" if lower in ("do", "don't", "dont") and _next_is_bare(text, match.end()) else "present"
        edits.extend(_coordinated(text, match.end(), kind))
        return Agreement(end, "", tuple(edits))
    return Agreement(end, "", ())


def _next_is_bare(text: str, end: int) -> bool:
    match = _GAP_WORD.match(text, end)
    return match is not None and (match.group(2).lower() == "not" or is_base_form(match.group(2)))


def _expand(text: str, end: int, letters: str, plural: bool) -> str:
    """The full word of a contraction, with the space before it."""
    match = _GAP_WORD.match(text, end)
    following = match.group(2).lower() if match else ""
    if following in _ADVERBS and match is not None and (second := _GAP_WORD.match(text, match.end())):
        following = second.group(2).lower()
    if letters in ("m", "re"):
        return " are" if plural else " is"
    if letters == "ve":
        return " have" if plural else " has"
    if letters == "ll":
        return " will"
    if letters == "d":
        had = following in _WOULD_HAD or (following.endswith("ed") and following not in _ENDS_IN_ED)
        return " had" if had else " would"
    if following in _HAVE_AFTER_S:
        return " has"
    if following.endswith("ed") and following not in ("excited", "interested", "tired", "married", "worried", "bored", "scared"):
        return "'s"
    return " is"


def _coordinated(text: str, position: int, kind: str) -> list[Edit]:
    """Verbs that share the subject with the one before `position`: "likes tea and hates coffee".

    After a modal or an infinitive only verbs of state are taken to stand beside the first verb; a word that is a noun
    as well needs an object or a preposition after it.
    """
    stop = _SENTENCE_STOP.search(text, position, min(len(text), position + 300))
    limit = stop.start() if stop else min(len(text), position + 300)
    edits: list[Edit] = []
    for match in _COORDINATION.finditer(text, position, limit):
        between = text[position : match.start()]
        if any(found.group().lower() in _SUBJECT_WORDS or found.group() == "I" for found in _WORD.finditer(between)):
            break
        start, adverb = match.end(), False
        while (found := _GAP_WORD.match(text, start)) and (
            found.group(2) in _ADVERBS or (found.group(2).endswith("ly") and found.group(2) not in _NOT_ADVERBS)
        ):
            start, adverb = found.end(), True
        if found is None or found.end() > limit:
            continue
        word = found.group(2).replace("’", "'")
        if word in ("am", "don't", "dont", "haven't") or (word in ("are", "have", "do") and kind == "present"):
            edits.append((found.start(2), found.end(2), third_person(word)))
            continue
        if word not in _VERBS and word not in _STATIVE:
            continue
        infinitive = re.search(r"\bto\s+[a-z]+\b", between) is not None
        if (kind == "modal" or infinitive) and word not in _STATIVE:
            continue
        following = _GAP_WORD.match(text, found.end())
        after = following.group(2) if following else ""
        has_object = after.lower() in _DETERMINER_NEXT or (word in _LIGHT_NOUNS and after not in ("", "and", "or", "is", "are"))
        if word in _NOUNS_TOO and not adverb and not has_object:
            continue
        edits.append((found.start(2), found.end(2), third_person(word)))
    return edits


def inverted_auxiliary(text: str, start: int) -> Edit | None:
    """The auxiliary before a subject in a question ("do I like"), as the new subject needs it; None if there is none.

    The third element is "" where the auxiliary stays as it is.
    """
    shortened = re.search(
        r"\b(?:how|what|where|why|when|who)(['’](?:ve|re))\s+$", text[max(0, start - 20) : start], re.IGNORECASE
    )
    if shortened is not None:
        at = max(0, start - 20)
        return at + shortened.start(1), at + shortened.end(1), f"{shortened.group(1)[0]}s"
    match = re.search(r"([A-Za-z]+(?:['’]t)?)\s+$", text[max(0, start - 20) : start])
    if match is None:
        return None
    word = match.group(1).lower().replace("’", "'")
    if word not in _INVERTING:
        return None
    at = max(0, start - 20) + match.start(1)
    before = text[max(0, at - 30) : at].rstrip()
    opener = re.search(r"([A-Za-z']+)$", before)
    if opener and opener.group(1).lower() not in _BEFORE_INVERSION:
        return None
    new = _IRREGULAR.get(word, "")
    if new and match.group(1)[0].isupper():
        new = new[0].upper() + new[1:]
    return at, at + len(match.group(1)), new


_INVERTING = word_list(
    """
    am are is was were do does did don't didn't doesn't aren't weren't wasn't have has had haven't hadn't can could
    will would shall should may might must can't couldn't won't wouldn't shouldn't
    """
)
_BEFORE_INVERSION = word_list(
    """
    what who whom whose which when where why how and but so or nor neither only then well than ok okay hey yeah long
    much many often far if music time asked
    """
)
