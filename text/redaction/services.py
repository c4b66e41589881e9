"""Keys of services that stand beside the service's name alone: `asana: '…'`, `splunk.hec=…`, `GrafanaClient("…")`.

What is drawn by lot and assigned to a service's name is its key. A digest or a UUID may be an id, a commit or a version:
it counts where the name also says that it is a key, a login or the like.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from .placeholders import is_placeholder
from .randomness import UUID, has_letter_and_digit, humps, is_hash, looks_random
from .service_names import FILLERS, KEY_WORDS, OF_KEYS, OF_SOURCES, SERVICES
from .spans import Redaction

_RUN = re.compile(
    r"(?<![A-Za-z0-9_+/.~%|!$-])[A-Za-z0-9_+~|!$-](?:[A-Za-z0-9_+/.~%|!$-]|(?<=[0-9a-fA-F]{6}):(?=[0-9a-zA-Z]{16})){13,511}={0,2}"
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SIGN = re.compile(
    r"(?P<close>\\?[\"'`*)\]]{0,3})(?P<sign>[ \t]{0,8}(?:=>|:=|={1,2}|:|->|(?<=[\"'`]),|>|\(|[ ]is(?![a-z])|)[ \t]{0,8})"
    r"(?:new[ ][A-Z]\w{1,20}\()?(?:[rbu]?\\{0,2}[\"'`]|[(<\[{]){0,3}$"
)
_NAME = re.compile(r"[A-Za-z][\w.$/-]*(?:[ ][A-Za-z0-9][\w-]*){0,5}$")
_ARGUMENTS = re.compile(
    r"\(\s{0,4}(?:[^\"'()\n,]{0,40}[\"'][^\"'\n]{0,80}[\"']\s?,|[\w.= ]{1,40},){1,3}\s{0,4}(?:\w{1,30}\s?=\s?)?[\"']$"
)
# Names that announce nothing but secrets, whosever they are.
_ALONE = re.compile(
    r"(?:authentication|(?<![a-z])(?:pat|jwt|hec|sas|dsn|unseal|salt))[\"'`)\]]{0,3}[ \t]{0,8}[:=]?[ \t\"'`]{0,8}$", re.I
)
_OF_DIGESTS = re.compile(
    r"hash|sha\d|md5|digest|commit|checksum|revision|version|image|uuid|guid|(?<![a-z])(?:rev|ref|id|tag)(?![a-z])", re.I
)
_DEFINED = re.compile(r"(?<!\w)-[DP](?=[a-z])")  # `-Dsonar.login=…`
_LAST_WORD = re.compile(r"[A-Za-z]{1,24}$")
_NO_KEY = re.compile(
    r"\d{4}-\d\d|(?:[a-z]{3,}-){2,}|v\d+/|sha\d+-|v?\d+\.\d|[./~]|[A-Za-z]:[\\/]|.*//|.*\.(?:[a-z]{2,5}|mp[34])$|"
    r"(?:price|cus|pi|pm|ch|evt|acct|seti|cs|re|txn|il|prod|sub|in|si|org|user|team|prj|dpl|file|proj|phc)[_-]|0x|pk[._]|G-|UA-|GTM-|"
    r"(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_./](?:[A-Z]?[a-z]+|[A-Z]+))+(?:[-_.]?\d{1,3})?$|(?:[a-z0-9-]+\.)+[a-z]{2,6}(?:$|[:/])"
)
_REACH = 100


def find_service_keys(text: str) -> Iterator[Redaction]:
    for run in _RUN.finditer(text):
        written = run.group().rstrip(".|!-")
        if not has_letter_and_digit(written) and not _is_mixed(written):
            continue
        before = text[max(0, run.start() - _REACH) : run.start()]
        before = _DEFINED.sub(" ", before[before.rfind("\n") + 1 :])
        if not _is_linked(before) or not (_mentions_service(before) or _ALONE.search(before)):
            continue
        if _is_key(before, written) and not is_placeholder(written):
            yield Redaction(run.start(), run.start() + len(written), "API_KEY")


def _is_linked(before: str) -> bool:
    """Whether a sign or a word that announces keys stands right before a value: a quick look, for most have neither."""
    ahead = before.rstrip("\"'`\\([{< \t")
    if ahead[-1:] in ("=", ":", ">", ",") or "(" in before[len(ahead) :]:
        return True
    last = _LAST_WORD.search(ahead)
    return last is not None and (last.group().lower() in KEY_WORDS or last.group() == "is")


def _is_key(before: str, written: str) -> bool:
    sign = _SIGN.search(before)
    if sign is None:
        return False
    announced = before[: sign.start()]
    arguments = _ARGUMENTS.search(before)
    if arguments:
        announced = before[: arguments.start()]
    name = _NAME.search(announced)
    if name is None:
        return False
    service, key_word = _read(name.group())
    if not service and sign["sign"].strip() and _ALONE.search(announced):
        return looks_random(written, 20) and not _NO_KEY.match(written)
    if not service or (not key_word and not arguments and not sign["sign"].strip()):
        return False
    if _NO_KEY.match(written):
        return False
    bare = re.sub(r"[_+/.~%|!$:-]", "", written.rstrip("="))
    if UUID.fullmatch(written) or is_hash(written):
        if key_word:
            return True
        calling = bool(arguments) or "(" in sign["sign"]
        return calling or (service not in OF_SOURCES and not _OF_DIGESTS.search(before))
    quoted = before[-1] in "\"'`"
    return looks_random(bare, 16) or ((key_word or quoted) and _is_mixed(bare)) or (key_word and looks_random(bare, 14))


def _is_mixed(written: str) -> bool:
    """Whether upper and lower case alternate too often for words joined together."""
    return humps(written) >= max(4, len(written) / 7)


def _words(name: str) -> list[str]:
    return [part for word in _WORD.findall(name) for part in _parted(word.lower())]


@lru_cache(maxsize=4096)
def _parted(word: str) -> tuple[str, ...]:
    """Give a service and what follows it where both are written in one: `herokuapikey`, `algoliasearch`."""
    if len(word) > 7 and word not in SERVICES:
        for cut in range(4, len(word) - 2):
            if word[:cut] in SERVICES and (word[cut:] in KEY_WORDS or word[cut:] in OF_KEYS or word[cut:] in FILLERS):
                return word[:cut], word[cut:]
    return (word,)


def _mentions_service(before: str) -> bool:
    words = _words(before)
    return (
        not SERVICES.isdisjoint(words)
        or any(a + b in SERVICES for a, b in pairwise(words))
        or any(a + b + c in SERVICES for a, b, c in zip(words, words[1:], words[2:], strict=False))
    )


def _read(name: str) -> tuple[str, bool]:
    """Give the service that the last words of `name` name, and whether they also say that it is a key.

    It is none when a word among them says something else: an id, an address, a version.
    """
    words = _words(name)
    service = ""
    key_word = False
    only_of_keys = False
    at = len(words)
    while at > 0:
        count = next((n for n in (3, 2, 1) if at >= n and "".join(words[at - n : at]) in SERVICES), 0)
        if count:
            service = service or "".join(words[at - count : at])
        else:
            count = 1
            word = words[at - 1]
            if word in KEY_WORDS:
                key_word = True
            elif word in OF_KEYS:
                only_of_keys = True
            elif word not in FILLERS and not word.isdigit() and len(word) > 1:
                break
        at -= count
    return ("" if only_of_keys and not key_word else service), key_word
