"""Values that stand beside the name of a secret: `password=…`, `"token": "…"`, `密码是…`, `the secret: …`.

A name alone proves nothing: people talk about passwords, and code passes tokens around. What decides is how the two
are linked (an equals sign says more than a space) and what the value looks like.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from .randomness import UUID, has_letter_and_digit, is_hash, looks_random
from .spans import PLACEHOLDER, Label, Redaction

Kind = Literal["password", "secret", "token", "key", "mnemonic"]
Link = Literal["assigned", "said", "option", "beside"]

_NAMES = re.compile(
    r"(?P<mnemonic>助记词|助記詞|seed phrase|recovery phrase|mnemonic(?: phrase)?)"
    r"|(?P<secret>(?:client|app|api|consumer|corp|shared|signing|webhook|jwt|hmac|session|master)[ _-]?secret|"
    r"secret[ _-]?(?:access[ _-]?)?key|secretaccesskey|accesskeysecret|access[ _-]?key[ _-]?secret|secret|"
    r"(?:api|access|private|signing|encryption|account|master|service|license|signature|subscription|auth|ssh|shared[ _-]?access|"
    r"storage|deploy|aes|hmac|app|web|secret|function|admin)[ _-]?key|apikey|sharedaccesssignature|"
    r"密钥|密鑰|秘钥|金鑰|私钥|私鑰|加签)"
    r"|(?P<token>(?:access|auth|refresh|bot|api|id|session|bearer|oauth|csrf|xsrf|security|verification)[ _-]?token|token|令牌|"
    r"credentials?|凭证|authkey|auth|session[ _-]?(?:id|key)|bearer)"
    r"|(?P<password>password|passwd|passphrase|passcode|passwort|requirepass|masterauth|contraseña|pass|pswd|psw|pwd|pw|pin|"
    r"密码|密碼|口令|授权码|pin码)"
    r"|(?P<key>key)"
)
_SHORT_NAMES = frozenset(("pass", "psw", "pwd", "pw", "pin", "auth", "key", "token", "secret", "bearer", "credential", "credentials", "webkey"))
_LABELS: dict[Kind, Label] = {
    "password": "PASSWORD", "secret": "SECRET", "token": "TOKEN", "key": "API_KEY", "mnemonic": "PRIVATE_KEY"
}  # fmt: skip
_LINK = re.compile(
    r"(?:[ _-]?(?:\d{1,2}|prod|production|dev|test|staging|new|old|value|string|plain|text|base64|b64)(?![a-z0-9]))?"
    r"(?P<close>\\{0,4}[\"'`]|\*{1,2}|[\]】」』）])?\]?\??"
    r"(?:"
    r"(?P<assigned>[ \t]{0,8}(?:=>|:=|->|→|={1,2}|[:：＝]{1,2}|\|(?!\|))[ \t]{0,8}(?:\*{2}[ \t]{0,2})?(?:\r?\n[ \t]{0,16})?|>)"
    r"|(?P<said>[ \t]{0,3}(?:应该|现在|还|就|都|一直|默认|初始|已经?|被|我|给|重新|统一){0,3}"
    r"(?:是|为|叫|改成了?|改为了?|换成了?|设成了?|设置为|设置成了?|设为|变成了?|重置为|用的是|给你|发你了?|发给你)[ \t:：]{0,3}"
    r"|[ \t]{1,3}(?:(?:is|was|are|will|should|has|been|be|equals|set|changed|reset|updated|now|still|just|to)[ \t]{1,3}){1,5}[: \t]{0,3})"
    r"|(?P<beside>[ \t]{1,3}(?:\r?\n)?|[ \t]{0,2}[(（《<]|))"
)
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_QUOTED = re.compile(r"[rbfu]{0,2}(?P<mark>\\{0,4}[\"'`]|[“‘「『])", re.I)
_CLOSING = {"“": "”", "‘": "’", "「": "」", "『": "』"}
_BARE = re.compile(
    r"(?:[^\s\"'`<>,;&|，。；、！？：“”‘’「」『』（）【】《》\\" + _HAN + r"]"
    r"|\\(?![nrtu\"'\\])"
    r"|[,;&](?=[^\s\"'`{\[,;&\\<>" + _HAN + r"])(?![A-Za-z_][\w.-]{0,40}[ ]?[=:])){1,512}"
)
_SECOND = re.compile(r"[ \t]{0,2}[/／][ \t]{0,2}([^\s\"'`<>,;，。；、）)]{3,256})")
_CHINESE_VALUE = re.compile(rf"[{_HAN}]{{2,12}}(?![{_HAN}])")
_CHINESE_NUMBER = re.compile("[零〇一二三四五六七八九两幺]{4,}")
_CHINESE_TALK = re.compile("[请的了吗呢是在不无未没有错误对改忘记输入填写空需必须同上见附联系设置重弱强中等高低位数字长度过期失效保密管理任意随便]")
_COUNTED = re.compile(r"[ \t]{0,2}(?:位|个|次|天|分钟|小时|年|月|字|种|条|\+|-?(?:char|digit|letter|time|day|minute|hour|bit|byte|attempt|word|second|year|month|week)s?\b|or more)", re.I)
_ABOUT_HASHING = re.compile(r"[ \t]{0,2}(?:加密|哈希|算法|格式|编码|类型|协议|散列|hash|encrypt|encod|algorithm)", re.I)
_ALGORITHM = re.compile(r"(?:md5|sha-?\d{1,3}|bcrypt|argon2i?d?|pbkdf2|scrypt|base64|oauth2?|utf-?8|aes-?\d*|rsa-?\d*|win\d+|python\d|http2?|ipv[46])", re.I)
_DATE_OR_VERSION = re.compile(r"v?\d+(?:[.\-/:年月日]\d+){1,5}[\w日.-]*|\d{4}年.*")
_VARIABLE = re.compile(r"[A-Za-z_$][A-Za-z_$]*")
_CODE = re.compile(
    r"[A-Za-z_][\w.]*[\[(]|(?:self|this|os|process|config|settings|request|req|env|args|ctx|app|user|data|options|"
    r"params|form|body|event|secrets|vault|state|session|props|cfg|conf|opts|client|res|response|import|system|"
    r"obj|var|local|module|z|t|yup|getpass)\.[A-Za-z_]"
)
_PATH = re.compile(r"(?:~|\.{1,2})?/[\w.@-]+(?:/[\w.@-]+)+/?|[A-Za-z]:\\\w.*|\w+://.*|(?:\.{1,2}|~)/[\w./-]+")
_TEMPLATE = re.compile(
    r"\$\{.*|\$\(.*|\$[A-Za-z_]\w*|\{\{.*|\{[\w.!:\[\]'\"]*\}?|<[^>]*>?|%[sdr]|%\(.*|%[A-Z_]+%|\[[^\]]*\]?|"
    r"(?:your|my|the|some|an?|example|insert|enter|replace|put|add)[-_ ].{0,60}|.{0,20}(?:_here|-here|placeholder)|"
    r"[xX*•.…#?\-_=+~]{1,200}|\(.*|@.*",
    re.I,
)
_NO_VALUES = frozenset(
    re.findall(
        r"\S+",
        """
        none null nil undefined true false yes no empty blank unset optional required string str int integer bytes bool boolean
        number text varchar char any object secretstr void never unknown default auto redacted hidden masked removed n/a na
        missing invalid valid wrong incorrect correct expired weak strong secure insecure set unchanged changed reset stored hashed
        encrypted needed not the a an in on at to for of and or if is was be been this that it your my our his her their
        all same here there below above too very also only still already never always ok okay good bad safe unsafe short long
        ok. pass fail failed passed disabled enabled private public basic bearer token password secret key value field column
        manager hint policy reset input type name prompt protected generator hashing login authentication authorization
        self file path env environment vault prompted ask read typing tbd todo lost forgotten known shared exposed leaked compromised
        """,
    )
)
_VARIABLES = frozenset(
    "pwd pw value val text line input raw data result res arg args s x y p t tok word user form item items entry row parts match "
    "node cur current nxt next prev first last lexeme content body response payload getpass".split(" ")
)
_LOOSE = re.compile(r"[A-Za-z0-9_+/=.~-]{16,512}")
_LOOSE_REACH = 40
_MNEMONIC = re.compile(r"[\s:：\"'`是为=]{0,6}(?:is[ ])?((?:[a-z]{3,8}[ ,\n]{1,3}){11,23}[a-z]{3,8})(?![a-z])")
_ACCOUNT_BEFORE = re.compile(r"(?:账号|帐号|账户|用户名?|user(?:name)?|login|id)[ \t]{0,2}(?:/|和|与|,|，|、|and|&|\+)?[ \t]{0,2}$", re.I)


@dataclass(frozen=True, slots=True)
class _Value:
    text: str
    start: int
    end: int
    quoted: bool


def is_placeholder(value: str) -> bool:
    """Whether `value` stands for a secret instead of being one: `${TOKEN}`, `<your key>`, `****`, `[PASSWORD]`, null."""
    return (
        value.lower() in _NO_VALUES
        or bool(_TEMPLATE.fullmatch(value))
        or bool(PLACEHOLDER.match(value))
        or not any(c.isalnum() for c in value)
    )


def kind_of_name(name: str) -> Kind | None:
    """Give what a key of a dictionary or a column announces, None when it is no secret: `dbPassword`, `X-Api-Key`."""
    folded = folded_case(name.strip())
    found = None
    for match in _NAMES.finditer(folded):
        end = re.match(r"s?(?:[ _-]?(?:\d{1,2}|prod|dev|test|new|old|value|plain))?$", folded[match.end() :])
        if end and _is_word(name.strip(), match):
            found = match
    return _kind(found) if found else None


def label_of_kind(kind: Kind) -> Label:
    return _LABELS[kind]


def folded_case(text: str) -> str:
    """Lower the case, offsets kept: `İ` alone would become two characters."""
    return text.replace("İ", "I").lower()


def find_named_values(text: str) -> Iterator[Redaction]:
    folded = folded_case(text)
    done = 0
    for name in _NAMES.finditer(folded):
        if name.start() < done or not _is_word(text, name):
            continue
        kind = _kind(name)
        if kind == "mnemonic":
            words = _MNEMONIC.match(folded, name.end())
            if words:
                yield Redaction(*words.span(1), "PRIVATE_KEY")
                done = words.end()
            continue
        value = _linked_value(text, folded, name, kind) or _loose_value(text, name, kind)
        if value is not None:
            yield Redaction(value.start, value.end, _LABELS[kind])
            done = value.end


def _kind(name: re.Match[str]) -> Kind:
    return name.lastgroup  # type: ignore[return-value]  # the groups are the kinds


def _is_word(text: str, name: re.Match[str]) -> bool:
    """Whether the name stands as a word of its own: not the `pass` of `bypass`, the `token` of `tokens`."""
    if not name.group().isascii():
        return True
    before = text[max(0, name.start() - 1) : name.start()]
    if name.group() in _SHORT_NAMES and before.isascii() and before.isalpha():
        camel_case = text[name.start()].isupper() and before.islower()
        if not camel_case:
            return False
    after = text[name.end() : name.end() + 1]
    return not (after.isascii() and after.isalpha())


def _linked_value(text: str, folded: str, name: re.Match[str], kind: Kind) -> _Value | None:
    linked = _LINK.match(folded, name.end())
    if linked is None:
        return None
    link: Link = "assigned" if linked["assigned"] is not None else "said" if linked["said"] is not None else "beside"
    if link == "beside" and text[name.start() - 2 : name.start()].startswith("-") and linked["beside"].strip(" ") == "":
        link = "option"
    if link == "beside" and linked.end() == name.end() and text[name.end() - 1].isascii():
        return None
    value = _value_at(text, linked.end())
    if value is None:
        return None
    if kind == "password" and link != "option" and (_ACCOUNT_BEFORE.search(text[max(0, name.start() - 12) : name.start()]) or "/" in value.text):
        second = _SECOND.match(text, value.end)
        if second:
            return _Value(text[value.start : second.end()], value.start, second.end(), False)
    return value if _accepts(kind, link, linked.group(), value, text) else None


def _value_at(text: str, start: int) -> _Value | None:
    quoted = _QUOTED.match(text, start)
    if quoted:
        mark = quoted["mark"]
        close = text.find(_CLOSING.get(mark, mark), quoted.end(), quoted.end() + 4096)
        if close > quoted.end() and "\n" not in text[quoted.end() : close]:
            return _Value(text[quoted.end() : close], quoted.end(), close, True)
        start = quoted.end()
    bare = _BARE.match(text, start)
    if bare is None:
        chinese = _CHINESE_VALUE.match(text, start)
        return _Value(chinese.group(), *chinese.span(), False) if chinese else None
    end = bare.end()
    if end - start == 512:
        rest = re.compile(r"[^\s\"'<>]*").match(text, end)
        end = rest.end() if rest else end
    while end > start and (text[end - 1] in ".?:…~" or _unbalanced(text[start:end])):
        end -= 1
    return _Value(text[start:end], start, end, False) if end > start else None


def _unbalanced(value: str) -> bool:
    pair = {")": "(", "]": "[", "}": "{"}.get(value[-1])
    return pair is not None and pair not in value[:512]


def _accepts(kind: Kind, link: Link, linking: str, value: _Value, text: str) -> bool:
    written = value.text
    if is_placeholder(written) or _PATH.fullmatch(written):
        return False
    if not value.quoted and (_CODE.match(written) or (_VARIABLE.fullmatch(written) and text[value.end : value.end + 1] in ("(", "["))):
        return False
    if _names_a_secret(written):
        return False
    if kind == "password":
        return _accepts_password(link, linking, value, text)
    return _accepts_key(kind, link, value, text)


def _accepts_password(link: Link, linking: str, value: _Value, text: str) -> bool:
    written = value.text
    after = text[value.end : value.end + 24]
    if written.isdecimal():
        enough = 4 if link != "beside" else 6
        return len(written) >= enough and not _COUNTED.match(after)
    if re.match(f"[{_HAN}]", written):
        if _CHINESE_NUMBER.fullmatch(written):
            return True
        return link == "assigned" and not _CHINESE_TALK.search(written)
    if value.quoted and link != "assigned" and "(" in written:
        return False
    if value.quoted:
        return len(written) >= 3 and not _is_sentence(written) and (link != "beside" or " " not in written)
    if _ALGORITHM.fullmatch(written) or _ABOUT_HASHING.match(after):
        return False
    if _VARIABLE.fullmatch(written):
        return _accepts_plain_word(link, linking, written, after)
    if link == "beside":
        mixed = any(c.isdigit() for c in written) and any(not c.isdigit() for c in written)
        plain = not _DATE_OR_VERSION.fullmatch(written) and not re.fullmatch(r"[\w.-]+=.*|\w+\(.*", written)
        return mixed and plain and len(written) >= 6 and not _COUNTED.match(after)
    if link == "said" and _DATE_OR_VERSION.fullmatch(written):
        return False
    return len(written) >= 3 and not _COUNTED.match(after)


def _accepts_plain_word(link: Link, linking: str, word: str, after: str) -> bool:
    """Letters alone: a password like any other after `=`, a word of the sentence after `is` or a space."""
    if len(word) < 3 or link == "beside":
        return False
    if link == "option":
        return True
    if link == "said":
        if re.search(f"[{_HAN}]", linking):
            return len(word) >= 4
        return bool(re.match(r"[ \t]*(?:$|[.!?。！？\n])", after)) and not word.lower().endswith(
            ("ed", "ing", "able", "ible", "ly", "en")
        )
    spaced = linking.rstrip("\"'*").endswith(" ")
    if "=" in linking and spaced:
        return "_" not in word and word.lower() not in _VARIABLES
    return not (spaced and re.match(r" [a-z]{2,}(?![\w]*[:=：])", after))


def _accepts_key(kind: Kind, link: Link, value: _Value, text: str) -> bool:
    written = value.text
    if " " in written or not written.isascii():
        return False
    mixed = has_letter_and_digit(written)
    if kind == "key":
        random = looks_random(written, 20) or (is_hash(written) and not UUID.fullmatch(written))
        return link in ("assigned", "said", "option") and random
    if link == "beside":
        random = looks_random(written) and not _DATE_OR_VERSION.fullmatch(written)
        return random and (not is_hash(written) or text[value.start - 1] == " ")
    if _DATE_OR_VERSION.fullmatch(written) or "://" in written:
        return False
    if value.quoted and kind == "secret":
        return len(written) >= 6 and not re.fullmatch(r"[a-z]+(?:[-_.][a-z]+)+", written)
    if link == "option":
        return len(written) >= 8
    if mixed:
        return len(written) >= 8 and not re.fullmatch(r"[a-z]+(?:[-_.][a-z]+)*[-_.]?v?\d{1,2}", written)
    return len(written) >= 16 and (looks_mixed_case(written) or (kind == "secret" and len(set(written)) >= 8 and written.isalpha()))


def looks_mixed_case(value: str) -> bool:
    """Whether upper and lower case alternate too often for words joined together."""
    pairs = list(pairwise(value))
    return sum(a.islower() and b.isupper() for a, b in pairs) >= len(value) / 6


def _names_a_secret(value: str) -> bool:
    """Whether the value is itself a name from code: `user_password`, `new_token`, `DB_PASSWORD`, `your-api-key`."""
    if not re.fullmatch(r"[A-Za-z_.\-$]{4,60}", value):
        return False
    name = _NAMES.search(folded_case(value))
    return name is not None and (name.group() not in ("pw", "pin", "key", "pass", "auth") or name.group() == value.lower())


def _is_sentence(value: str) -> bool:
    return bool(
        re.search("请|输入|密码|不能|必须|错误", value)
        or re.search(r"\b(?:please|your|must|required|password|cannot|invalid|incorrect|enter|at least)\b", value, re.I)
    )


def _loose_value(text: str, name: re.Match[str], kind: Kind) -> _Value | None:
    """Find a random-looking run in the words that follow the name: `the token I use: …`, `这是 key，你记一下 …`."""
    found = _LOOSE.search(text, name.end(), name.end() + _LOOSE_REACH + 16)
    if found is None:
        return None
    run = _LOOSE.match(text, found.start())
    if run is None or run.start() - name.end() > _LOOSE_REACH:
        return None
    written = run.group().rstrip(".=")
    between = text[name.end() : run.start()]
    if "://" in between or re.search(r"\b(?:commit|hash|sha\d*|md5|uuid|id|etag|version|model|file)\b|[/@#]$|提交|哈希", between, re.I):
        return None
    if is_hash(written) or not looks_random(written, 20 if kind == "key" else 16):
        return None
    return _Value(written, run.start(), run.start() + len(written), False)
