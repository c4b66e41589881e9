"""Values that stand beside the name of a secret: `password=…`, `"token": "…"`, `密码是…`, `the secret: …`.

A name alone proves nothing: people talk about passwords, and code passes tokens around. What decides is how the two
are linked (an equals sign says more than a space) and what the value looks like.
"""

import re
from collections.abc import Iterator

from .plausibility import HAN, Link, Value, is_password_in_talk, is_plausible
from .randomness import is_hash, looks_random
from .secret_names import NAME_PARTS, SECRET_NAMES, Kind, folded_case, is_name, kind_of_match, label_of_kind
from .spans import PLACEHOLDER, Redaction

_LINK = re.compile(
    r"(?:[ _-]?(?:\d{1,2}|prod|production|dev|test|staging|new|old|value|string|plain|text|base64|b64)(?![a-z0-9]))?"
    r"(?P<close>\\{0,4}[\"'`]|\*{1,2}|[\]】」』）]|\[\])?\]?\??(?:(?:[ ][(\[]|[（【]|[(\[](?=[^()\n]{0,24}["
    + HAN
    + r"]))[^()（）\[\]【】\n]{1,24}[)）\]】](?=[ ]?[:：=]|[ ]?[!-~])|"
    r"[ ]for[ ](?:[\"'][^\"'\n]{1,80}[\"']|[^\s:：]{1,60})(?=[:：]))?"
    r"(?:"
    r"(?P<paired>(?<=[\"'`])\]?[\"'`]?[ \t]?(?:,[ \t]{0,8}|\){1,2}\.(?:send_?keys|type|fill|set_?(?:value|text)|val|input)\([ ]?)"
    r"(?=[rbfun@]{0,2}\\{0,4}[\"'`]))"
    r"|(?P<assigned>(?:(?:[ \t]?[:=])?[ \t]?\{\s{0,8}(?:\w{1,16}[ \t]{0,16}=[ \t]?[\w\"]{1,40}\s{1,16}){0,3}|[ \t]?,\s{0,8}|"
    r"\s{1,16}(?:[\w-]{1,20}=[\"'][^\"'\n]{0,40}[\"']\s{1,4}){0,3})\\{0,4}[\"']?(?:value|default)\\{0,4}[\"']?[ \t]{0,12}[:=][ \t]?|[ \t]{0,8}(?:=>|:=|->|→|={1,2}|[:：＝]{1,2}|"
    r"\|(?!\|))[ \t]{0,8}(?:\*{2}[ \t]{0,2}|!!(?:str|binary)[ ])?(?:(?:[|>][+-]?)?\r?\n[ \t]{0,16})?|"
    r"(?:[ \t][\w:-]{1,20}=[\"'][^\"'\n]{0,120}[\"']){0,3}>|"
    r"[ \t]{1,3}(?:(?:value|content)[ \t]?=[ \t]?|--(?:value|body|data|secret)[ =]))"
    r"|(?P<said>[ \t]{0,3}(?:应该|现在|还|就|都|一直|默认|初始|已经?|被|我|给|重新|统一){0,3}"
    r"(?:是|为|叫|改成了?|改为了?|换成了?|设成了?|设置为|设置成了?|设为|变成了?|重置为|用的是|给你|发你了?|发给你)[ \t:：]{0,3}"
    r"|[ \t]{1,3}(?:(?:is|was|are|will|should|has|been|be|equals|set|"
    r"changed|reset|updated|now|still|just|to)[ \t]{1,3}){1,5}[: \t]{0,3})"
    r"|(?P<beside>[ \t]{0,3}\r?\n|[ \t]{1,24}|[ \t]{0,2}[(（《<]|))"
)
_QUOTED = re.compile(r"[rbfun@]{0,2}(?P<mark>\\{0,4}[\"'`]|[“‘「『])", re.I)
_CLOSING = {"“": "”", "‘": "’", "「": "」", "『": "』"}
_BARE = re.compile(
    r"(?:[^\s\"'`<>,;&|，。；、！？：“”‘’「」『』（）【】《》\\" + HAN + r"]"
    r"|\\(?![nrtu\"'\\])|[<>](?=[^\s/<>])"
    r"|[,;&](?=[^\s\"'`{\[,;&\\<>" + HAN + r"])(?![A-Za-z_][\w.-]{0,40}[ ]?[=:])){1,512}"
)
_SECOND = re.compile(r"[ \t]{0,2}[/／][ \t]{0,2}([^\s\"'`<>,;，。；、）)]{3,256})")
_CHINESE_VALUE = re.compile(rf"(?:[{HAN}]{{2,12}}(?![A-Za-z0-9])|[{HAN}]{{1,8}}[A-Za-z0-9@#!._-]{{2,20}})(?![{HAN}])")
_NEXT = re.compile(r"[ \t]{0,2}[,，、 ][ \t]{0,2}([^\s\"'`<>,;，。；、）)]{4,256})")
_IN_TALK = re.compile(
    rf"(?!管理|保护|登录|强度|算法|错误|学|锁|本)[{HAN}]{{1,10}}"
    r"(?:[ \t]{0,2}([:：])[ \t]{0,2}|[ \t]{1,2})([!-~]{6,128})(?![!-~])"
)
_REVERSED = re.compile(
    r"(?<![!-~])([!-~]{6,64}) (?:as|is) (?:the|my|our|your|his|her|their) (?!worst|most|best|weakest)(?:\w{1,20} )?(?:password|passcode|passphrase|pwd)\b"
    r"|(?<![!-~])([!-~]{6,64})[ ]?(?:就是|是|当|作为|做|作)(?:我的?|你的?|他的?|新的?|登录|账号|开机){0,3}密码",
    re.I,
)
# `nextPageToken`, `eos_token`: places in a list and parts of a text.
_HARMLESS_TOKEN = re.compile(
    r"(?:next|lock|client[ _-]?request|page|pagination|continuation|sync|idempotency|resume|cancellation|pad|eos|bos|unk|mask|stop|special|syntax|lexer|"
    r"range|marker|change|watch|fencing|delta|design|cursor|scroll|action|client ?request)[ _-]?$",
    re.I,
)
_IN_ADDRESS = re.compile(r"://[^\s\"'<>]*$")
_RESOURCE = re.compile(r"arn:[\w-]{2,12}:[^\s\"'<>]{0,100}$")
_LOOSE = re.compile(r"[A-Za-z0-9_+/=.~-]{16,512}")
_LOOSE_REACH = 40
_MNEMONIC = re.compile(
    r"(?:备份|如下|是)?[\s:：\"'`是为=]{0,6}(?:is[ ])?((?:(?:\d{1,2}[.)、:][ ]?)?[a-z]{3,8}[ ,，、\n]{1,3}){11,23}(?:\d{1,2}[.)、:][ ]?)?[a-z]{3,8})(?![a-z])"
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
        kind = kind_of_match(name)
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
    linked = _LINK.match(folded, name.end())
    if linked is None:
        return None
    link = _kind_of_link(linked)
    if link == "beside" and text[name.start() - 2 : name.start()].startswith("-") and linked["beside"].strip(" ") == "":
        link = "option"
    glued = linked.end() == name.end()
    if kind == "token" and _HARMLESS_TOKEN.search(text[max(0, name.start() - 24) : name.start()]):
        return None
    if link == "beside" and linked["beside"] == "" and _is_word(text[linked.end() - 1]):
        return None
    if glued and text[name.end() : name.end() + 1] in ("-", "_"):
        return None
    value = _value_at(text, linked.end())
    if value is None or value.text.startswith("?"):  # `${PASSWORD:?is missing}`
        return None
    before = text[max(0, name.start() - 80) : name.start()]
    if "://" in before and _IN_ADDRESS.search(before):
        cut = value.text.find("@")
        if cut == 0:
            return None
        value = Value(value.text[:cut], value.start, value.start + cut, False) if cut > 0 else value
    elif value.text.startswith("@") and linked.group().endswith(">"):
        return None  # `app:<password>@localhost`
    if name.group() in ("pass", "pin") and link == "beside" and value.quoted and text[name.start() - 1 : name.start()] != "_":
        return None  # "pass `update`", "pin 'x<2'": the verbs
    if name.group() == "pin" and link == "said" and not any(c.isdigit() for c in value.text):
        return None  # "pin 5 to ground"
    if name.group().startswith("app") and name.group().endswith("key") and len(value.text) < 16:
        return None  # an app's short key is its name
    credentials = name.group().startswith("cred") or "/" in name.group()
    account = kind == "password" and bool(_ACCOUNT_BEFORE.search(before[-12:]))
    if link != "option" and (account or credentials or (kind == "password" and "/" in value.text)):
        second = _SECOND.match(text, value.end) or (_NEXT.match(text, value.end) if account else None)
        if second and second.re is _NEXT and not is_password_in_talk(second[1], "") and not value.text.isdecimal():
            second = None
        if second:
            return Value(text[value.start : second.end()], value.start, second.end(), False)
    return value if is_plausible(kind, link, linked.group(), value, text) else None


def _kind_of_link(linked: re.Match[str]) -> Link:
    if linked["paired"] is not None:
        return "paired"
    return "assigned" if linked["assigned"] is not None else "said" if linked["said"] is not None else "beside"


def _value_at(text: str, start: int) -> Value | None:
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
    if not between and name.group().isascii():
        return None  # the name is a part of the run: four letters of some base64
    if "://" in between or re.search(
        r"\b(?:commit|hash|sha\d*|md5|uuid|id|etag|version|model|file)\b|[/@#]$|提交|哈希", between, re.I
    ):
        return None
    if is_hash(written) or re.fullmatch("wx[0-9a-f]{16}", written) or not looks_random(written, 20 if kind == "key" else 16):
        return None
    return Value(written, start, start + len(written), False)


def _is_in_placeholder(text: str, name: re.Match[str]) -> bool:
    opening = text.rfind("[", max(0, name.start() - 12), name.start())
    standing = PLACEHOLDER.match(text, opening) if opening >= 0 else None
    return standing is not None and standing.end() > name.end()
