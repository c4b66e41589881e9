"""Values that stand beside the name of a secret: `password=…`, `"token": "…"`, `密码是…`, `the secret: …`.

A name alone proves nothing: people talk about passwords, and code passes tokens around. What decides is how the two
are linked (an equals sign says more than a space) and what the value looks like.
"""

import re
from collections.abc import Iterator

from .characters import HAN, SYMBOLS
from .links import LINK, Link, Value, kind_of_link
from .plausibility import is_plausible
from .plausible_passwords import is_password_in_talk
from .randomness import is_hash, looks_random
from .secret_names import NAME_PARTS, SECRET_NAMES, Kind, folded_case, is_name, kind_of_match, label_of_kind
from .spans import PLACEHOLDER, Redaction

_QUOTED = re.compile(r"[rbfun@]{0,2}(?P<mark>\\{0,4}[\"'`]|[“‘「『【])", re.I)
_TRIPLE = re.compile(r"(?P<mark>\"{3}|'{3})(?P<value>[^\n\"']{1,512})(?P=mark)")
_CLOSING = {"“": "”", "‘": "’", "「": "」", "『": "』", "【": "】"}
_BARE = re.compile(
    r"(?:[^\s\"'`<>,;&|，。；、！？：“”‘’「」『』（）【】《》\\" + HAN + r"]"
    r"|\\(?![nrtu\"'\\])|[<>](?=[^\s/<>])"
    r"|[,;&](?=[^\s\"'`{\[,;&\\<>" + HAN + r"])(?![A-Za-z_][\w.-]{0,40}[ ]?[=:])){1,512}"
)
_NOTE = re.compile(rf"[(](?=[^()\n]{{0,12}}[{HAN}])")
_SECOND = re.compile(r"[ \t]{0,2}[/／][ \t]{0,2}([^\s\"'`<>,;，。；、）)]{3,256})")
_CHINESE_VALUE = re.compile(rf"(?:[{HAN}]{{2,12}}(?![A-Za-z0-9])|[{HAN}]{{1,8}}[A-Za-z0-9@#!._-]{{2,20}})(?![{HAN}])")
_NEXT = re.compile(r"[ \t]{0,2}[,，、 ][ \t]{0,2}([^\s\"'`<>,;，。；、）)]{4,256})")
_IN_TALK = re.compile(
    rf"(?!管理|保护|登录|强度|算法|错误|学|锁|本)[{HAN}]{{1,10}}"
    r"(?:[ \t]{0,2}([:：])[ \t]{0,2}|[ \t]{1,2})([!-~]{6,128})(?![!-~])"
)
_REVERSED = re.compile(
    r"(?<![!-~])([!-~]{6,64}) (?:as (?=pass)|(?:as|is) (?:the|my|our|your|his|her|their) )(?!worst|most|best|"
    r"weakest)(?:\w{1,20} )?(?:password|passcode|passphrase|pwd)\b"
    r"|(?<![!-~])([!-~]{6,64})[ ]?(?:就是|是|当|作为|做|作|这个|那个|这|为|设成|设为|改成|设置为)"
    r"(?:我的?|你的?|他的?|新的?|登录|账号|开机){0,3}密码",
    re.I,
)
_ENVIRONMENT = re.compile(r"(?:^|\n)[ \t]*(?:ENV|ARG|setenv|SetEnv)[ \t]+[A-Z0-9_]*$")  # `ENV DB_PASSWORD …`
_UNPACKED = re.compile(r"\w, \w{0,24}$")  # `user, password = split`
# `nextPageToken`, `eos_token`: places in a list and parts of a text.
_HARMLESS_TOKEN = re.compile(
    r"(?:next|lock|public[ _-]?key|client[ _-]?request|page|pagination|continuation|sync|idempotency|resume|cancellation|"
    r"pad|eos|bos|unk|"
    r"mask|stop|special|syntax|lexer|"
    r"range|marker|change|watch|fencing|delta|design|cursor|scroll|action|client ?request)[ _-]?$",
    re.I,
)
_OPTION = re.compile(r"(?<![\w-])--?(?:[a-z]{2,12}-){0,2}$")
_VARIABLE_BEFORE = re.compile(r"\$\{?\w{0,40}$")
_IN_ADDRESS = re.compile(r"://[^\s\"'<>]*$")
_RESOURCE = re.compile(r"arn:[\w-]{2,12}:[^\s\"'<>]{0,100}$")
_LOOSE = re.compile(r"[A-Za-z0-9_+/=.~-]{16,512}")
_LOOSE_REACH = 40
_MNEMONIC = re.compile(
    r"(?:备份|如下|"
    r"是)?[\s:：\"'`是为=]{0,6}(?:is[ ])?((?:(?:\d{1,2}[.)、:][ ]?)?[a-z]{3,8}[ ,，、\n]{1,3}){11,23}"
    r"(?:\d{1,2}[.)、:][ ]?)?[a-z]{3,8})(?![a-z])"
)
_ACCOUNT_BEFORE = re.compile(
    r"(?:账号|帐号|账户|用户名?|user(?:name)?|login)[ \t]{0,2}(?:/|和|与|,|，|、|and|&|\+)?[ \t]{0,2}$", re.I
)


def find_named_values(text: str) -> Iterator[Redaction]:
    folded = folded_case(text)
    if any(word in folded for word in ("密码", "password", "passcode", "passphrase", "pwd")):
        yield from _passwords_before_their_name(text)
    if not any(part in folded for part in NAME_PARTS):
        return
    done = 0
    resources = "arn:" in text
    for name in SECRET_NAMES.finditer(folded):
        if name.start() < done or not is_name(text, name) or _is_in_placeholder(text, name):
            continue
        if resources and _RESOURCE.search(text, max(0, name.start() - 120), name.start()):
            continue
        if text[name.start() - 1 : name.start()] == "《" and text.find("》", name.end(), name.end() + 20) > 0:
            continue  # the title of a book
        kind = kind_of_match(name)
        if kind == "token" and _HARMLESS_TOKEN.search(text, max(0, name.start() - 24), name.start()):
            continue
        if kind == "mnemonic":
            words = _MNEMONIC.match(folded, name.end())
            if words:
                yield Redaction(*words.span(1), "PRIVATE_KEY")
                done = words.end()
            continue
        value = (
            _linked_value(text, folded, name, kind)
            or (_said_password(text, name) if kind == "password" else None)
            or _loose_value(text, name, kind)
        )
        if value is not None:
            yield Redaction(value.start, value.end, label_of_kind(kind))
            done = value.end


def _linked_value(text: str, folded: str, name: re.Match[str], kind: Kind) -> Value | None:
    linked = LINK.match(folded, name.end())
    if linked is None:
        return None
    link = kind_of_link(linked)
    if link == "beside" and linked["beside"].strip(" ") == "" and _OPTION.search(text, max(0, name.start() - 32), name.start()):
        link = "option"
    before = text[max(0, name.start() - 80) : name.start()]
    if link == "beside" and _VARIABLE_BEFORE.search(before):
        return None  # `"$DB_PW" mysql:8`
    if link == "beside" and _ENVIRONMENT.search(before):
        link = "option"
    value = None if _is_part_of_a_word(text, name, linked, link) else _value_at(text, linked.end())
    if value is not None and "://" in before and _IN_ADDRESS.search(before):
        value = _before_the_host(value)
    if link == "paired" and value is not None and re.match(r"[\"'][ ]?:", text[value.end : value.end + 3]):
        return None  # the name of the next field
    if value is None or _is_of_another_thing(name, linked.group(), link, value, before, text[value.end : value.end + 2]):
        return None
    if link != "option":
        both = _with_account(text, name, kind, value, before)
        if both is not None:
            return both
    return value if is_plausible(kind, link, linked.group(), value, text) else None


def _is_part_of_a_word(text: str, name: re.Match[str], linked: re.Match[str], link: Link) -> bool:
    """Whether the name and what follows it are written in one, and no sign stands between them."""
    if link == "beside" and linked["beside"] == "" and _is_word(text[linked.end() - 1]):
        return True
    return linked.end() == name.end() and text[name.end() : name.end() + 1] in ("-", "_")


def _before_the_host(value: Value) -> Value | None:
    """Give the value without the host that follows it in an address (`://x-access-token:…@github.com`)."""
    cut = value.text.find("@")
    return value if cut < 0 else Value(value.text[:cut], value.start, value.start + cut, False) if cut else None


def _is_of_another_thing(name: re.Match[str], linking: str, link: Link, value: Value, before: str, after: str) -> bool:
    """Whether the word means something else here: a verb, a place in a list, a variable among others."""
    word = name.group()
    if value.text.startswith("?") or (value.text.startswith("@") and linking.endswith(">")):
        return True  # `${PASSWORD:?is missing}`, `app:<password>@localhost`
    if "\n" in linking and re.match(r"[A-Za-z_][\w.-]*=|https?:", value.text):
        return True  # a line of its own
    if "\n" in linking and not value.quoted and re.match(r":(?:\s|$)", after):
        return True  # the first field of a mapping
    if link == "beside" and "\n" in linking and re.search(r"[,;|\t][ ]?[\"']?$", before):
        return True  # the heading of a table
    if word in ("pass", "pin") and link == "beside" and value.quoted and not before.endswith("_"):
        return True  # "pass `update`", "pin 'x<2'"
    if word == "pin" and link == "said" and not any(c.isdigit() for c in value.text):
        return True  # "pin 5 to ground"
    if word.startswith("app") and word.endswith("key") and len(value.text) < 16:
        return True  # an app's short key is its name
    return not value.quoted and linking == " = " and bool(_UNPACKED.search(before) and re.fullmatch(r"[A-Za-z_.]+", value.text))


def _with_account(text: str, name: re.Match[str], kind: Kind, value: Value, before: str) -> Value | None:
    """Give an account and its password where one name announces both: `账号密码：ann / …`, `credentials: ann / …`."""
    credentials = name.group().startswith("cred") or "/" in name.group()
    account = kind == "password" and bool(_ACCOUNT_BEFORE.search(before[-12:]))
    if not (account or credentials or (kind == "password" and "/" in value.text)):
        return None
    if not value.text.isascii():
        return None
    second = _SECOND.match(text, value.end)
    if second is None:
        second = _NEXT.match(text, value.end)
        if second and not is_password_in_talk(second[1], "") and not value.text.isdecimal():
            second = None
        if second and not account and not SYMBOLS & set(second[1]):
            second = None  # a word of the sentence
    return Value(text[value.start : second.end()], value.start, second.end(), False) if second else None


def _value_at(text: str, start: int) -> Value | None:
    triple = _TRIPLE.match(text, start)
    if triple:
        return Value(triple["value"], *triple.span("value"), True)
    quoted = _QUOTED.match(text, start)
    if quoted:
        mark = quoted["mark"]
        close = text.find(_CLOSING.get(mark, mark), quoted.end(), quoted.end() + 4096)
        while len(mark) == 1 and close > quoted.end() and _is_escaped(text, close):
            close = text.find(mark, close + 1, quoted.end() + 4096)
        if close > quoted.end() and "\n" not in text[quoted.end() : close]:
            return Value(text[quoted.end() : close], quoted.end(), close, True)
        start = quoted.end()
    bare = _BARE.match(text, start)
    if bare is None:
        chinese = _CHINESE_VALUE.match(text, start)
        return Value(chinese.group(), *chinese.span(), False) if chinese else None
    end = bare.end()
    note = _NOTE.search(text, start, end + 14)
    if note and 5 <= note.start() - start < end - start:
        end = note.start()  # `Laoli1956(L大写)`
    if end - start == 512:
        rest = re.compile(r"[^\s\"'<>]*").match(text, end)
        end = rest.end() if rest else end
    while end > start and (text[end - 1] in ".?:…~" or _unbalanced(text[start:end])):
        end -= 1
    return Value(text[start:end], start, end, False) if end > start else None


def _is_word(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _is_escaped(text: str, at: int) -> bool:
    """Whether an odd number of backslashes stands before the quotation mark at `at`."""
    before = text[max(0, at - 8) : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _said_password(text: str, name: re.Match[str]) -> Value | None:
    """Find a password some words behind its name (`密码我发你：…`, `密码还是老样子 …`)."""
    found = _IN_TALK.match(text, name.end())
    if found is None or not is_password_in_talk(found[2], text[found.end() : found.end() + 24]):
        return None
    if not found[1] and (len(found[2]) < 8 or sum(character.isdigit() for character in found[2]) < 2):
        return None
    return Value(found[2], *found.span(2), False)


def _passwords_before_their_name(text: str) -> Iterator[Redaction]:
    """Find `hunter2 is my password`, `用 … 当密码`."""
    for found in _REVERSED.finditer(text):
        value = found[1] or found[2]
        group = 1 if found[1] else 2
        if is_password_in_talk(value, "") and "=" not in value and ":" not in value:
            yield Redaction(*found.span(group), "PASSWORD")


def _unbalanced(value: str) -> bool:
    pair = {")": "(", "]": "[", "}": "{"}.get(value[-1])
    return pair is not None and pair not in value[:512]


def _loose_value(text: str, name: re.Match[str], kind: Kind) -> Value | None:
    """Find a random-looking run in the words that follow the name: `the token I use: …`, `这是 key，你记一下 …`."""
    found = _LOOSE.search(text, name.end(), name.end() + _LOOSE_REACH + 16)
    if found is None:
        return None
    run = _LOOSE.match(text, found.start())
    if run is None or run.start() - name.end() > _LOOSE_REACH:
        return None
    written = run.group().rstrip(".=")
    inner = re.match(r"[A-Za-z_.-]{1,80}=(?!=)", written)  # `token …/lookup key=…`
    start = run.start() + (inner.end() if inner else 0)
    written = written[start - run.start() :]
    between = text[name.end() : run.start()]
    if re.match(r"[\"'][ ]?:", text[run.end() : run.end() + 3]):
        return None  # the name of a field
    if not between and name.group().isascii():
        return None  # the name is a part of the run: four letters of some base64
    if "\n" in between and not re.search(r"[:：=][ \t]*$", between[: between.index("\n")]):
        return None
    if "://" in between or re.search(
        r"\b(?:commit|hash|sha\d*|md5|uuid|id|etag|rid|version|model|file|trace|request|pod|doc|video|contract|address)\b|"
        r"BEGIN (?:PUBLIC|CERT)|"
        r"[/@#]$|提交|哈希|合约|地址",
        between,
        re.I,
    ):
        return None
    if (
        is_hash(written)
        or re.fullmatch("wx[0-9a-f]{16}|0x[0-9a-fA-F]{40}", written)
        or not looks_random(written, 20 if kind == "key" else 16)
    ):
        return None
    return Value(written, start, start + len(written), False)


def _is_in_placeholder(text: str, name: re.Match[str]) -> bool:
    opening = text.rfind("[", max(0, name.start() - 12), name.start())
    standing = PLACEHOLDER.match(text, opening) if opening >= 0 else None
    return standing is not None and standing.end() > name.end()
