"""Is what stands beside a secret's name the secret, or a word of the sentence, a variable, a hint?"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from .randomness import UUID, has_letter_and_digit, is_hash, is_jumbled, is_unspeakable, looks_random
from .secret_names import SECRET_NAMES, Kind, folded_case
from .spans import PLACEHOLDER

HAN = "\u3400-\u4dbf\u4e00-\u9fff"
Link = Literal["assigned", "paired", "said", "option", "beside"]
_CHINESE_NUMBER = re.compile("[零〇一二三四五六七八九两幺]{4,}")
_CHINESE_TALK = re.compile(
    "[请的了吗呢是后前号私聊问找群在不无未没有错误对改忘记输入填写空需必须同上见附联系设置重弱强中等高低位数字长度过期失效保密管理任意随便想]"
)
_COUNTED = re.compile(
    r"[ \t]{0,2}(?:位|个|次|天|分钟|小时|年|月|字|种|条|\+|-?(?:char|digit|letter|time|day|minute|hour|bit|"
    r"byte|attempt|word|second|year|month|week)s?\b(?!=)|or more)",
    re.I,
)
_ABOUT_HASHING = re.compile(r"[ \t]{0,2}(?:加密|哈希|算法|格式|编码|类型|协议|散列|hash|encrypt|encod|algorithm)", re.I)
_ALGORITHM = re.compile(
    r"(?:md5|sha-?\d{1,3}|bcrypt\d*|argon2i?d?|varchar\d*|pbkdf2|scrypt|base64|oauth2?|utf-?8(?:mb\d)?|aes-?\d*|rsa-?\d*|"
    r"win\d+|python\d|http2?|"
    r"ipv[46]|1password\d?|keepass\w{0,4})",
    re.I,
)
_DATE_OR_VERSION = re.compile(r"v?\d+(?:[.\-/:年月日]\d+){1,5}[\w日.-]{0,16}|\d{4}年.*")
_VARIABLE = re.compile(r"[A-Za-z_$][A-Za-z_$]*")
_CODE = re.compile(
    r"[A-Za-z_][\w.]*(?:<\w+>)?[\[(]|\$\w+(?:\[|->|::)|(?:self|this|os|process|config|settings|request|req|env|args|ctx|"
    r"app|user|data|options|"
    r"params|form|body|event|secrets|vault|state|session|props|cfg|conf|opts|client|res|response|import|system|"
    r"obj|var|local|module|z|t|yup|getpass)\.[A-Za-z_]"
)
_PROGRAMS = frozenset(
    (
        "pbcopy",
        "grep",
        "jq",
        "yq",
        "base64",
        "tee",
        "xargs",
        "head",
        "tail",
        "sed",
        "awk",
        "cut",
        "tr",
        "wc",
        "less",
        "more",
        "xclip",
        "clip",
        "sort",
        "uniq",
        "sha256sum",
        "md5sum",
        "cat",
    )
)
_ASKING = re.compile(
    r"(?:get|read|fetch|load|prompt|ask|find|lookup|delete|remove|has|check|verify|validate|hash|forgot|reset)_?\w{0,16}\([\"'`]$",
    re.I,
)
_CODE_SIGNS = re.compile(r"[(){};]|(?<!\w)(?:def|return|const|let|var|import|self|this|func|fn|if|public|private)(?!\w)|->|::|==")
_REGEX = re.compile(r"A-Z|a-z|0-9\]|\\[dwsS]|\(\?[:=!<]|\[\^|\.\*")
_ATTRIBUTE = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)+")
_PATH = re.compile(r"/[a-z]{2,12}/?|(?:~|\.{1,2})?/[\w.@-]+(?:/[\w.@-]+)+/?|[A-Za-z]:\\\w.*|\w+://.*|(?:\.{1,2}|~)/[\w./-]+")
_TEMPLATE = re.compile(
    r"\$\{[^{}]*\}?|\$\{\{[^{}]*\}\}?|\$\(.*|\$[A-Za-z_]\w*(?:/.*)?|\{\{[^{}]*\}\}|\{[\w.!:\[\]'\"]*\}?|<[^<>]*>?|%[sdr]|%\w*\(.*|%[A-Z_]+%|"
    r"\[[^\]]*\]?|"
    r"(?:your|example|insert|enter|replace|put|add)[-_ ].{0,60}|(?:my|the|some|an?)[-_ ][^\d]{0,60}|.{0,20}(?:_here|-here|"
    r"placeholder)|"
    r"change[-_ ]?(?:me|it)|"
    r"[xX*•.…#?\-_=+~]{1,200}|\([^()]*\)?|@[A-Za-z_.]*@?|@\w+@|@{2,}.*@{2,}|:[a-z_]+|#\{.*|__\w+__|"
    r"!(?:vault|env|secret|ref|sub|getatt|include)\w*",
    re.I,
)
_MASKED = re.compile(r".{0,16}(?:\*{3}|•{3}|\.{3}|…|x{5}|X{5}).{0,24}")  # `sk-ab****yz`
_DUMMY = re.compile(  # glc_11111111…, X_PUT_YOUR_TOKEN_HERE_X, ACCESS_TOKEN
    r".*([\w#*.])\1{9}.*|.*(?:YOUR|your)[-_ ](?:\w+[-_ ])*(?:TOKEN|KEY|SECRET|PASSWORD|token|key|secret|password).*"
    r"|[A-Z]+(?:_[A-Z]+)*_(?:TOKEN|KEY|SECRET|PASSWORD)|AKIA\w{9}EXAMPLE|.{20,}EXAMPLEKEY",
    re.DOTALL,
)
_PUBLIC_KEY = re.compile(r"AAAA[BCE][23][NV]")  # of SSH
_NO_VALUES = frozenset(
    re.findall(
        r"\S+",
        """
        none null nil undefined true false yes no empty blank unset optional required string str int integer bytes bool boolean
        number text varchar char any object secretstr void never unknown default auto redacted hidden masked removed n/a na
        missing invalid valid wrong incorrect correct expired weak strong secure insecure set unchanged changed reset stored
        hashed
        encrypted needed not the a an in on at to for of and or if is was be been this that it your my our his her their
        all same here there below above too very also only still already never always ok okay good bad safe unsafe short long
        ok. pass fail failed passed disabled enabled private public basic bearer token password secret key value field column
        manager hint policy reset input type name prompt protected generator hashing login authentication authorization
        new await raise return throw async yield typeof lambda not if else elif def class import function via from
        with as using by
        option options argument arguments flag flags parameter incomplete
        self file path env environment vault prompted ask read typing tbd todo lost forgotten known shared exposed leaked
        compromised
        """,
    )
)
_VARIABLES = frozenset(
    [
        "pwd",
        "pw",
        "value",
        "val",
        "text",
        "line",
        "input",
        "raw",
        "data",
        "result",
        "res",
        "arg",
        "args",
        "s",
        "x",
        "y",
        "p",
        "t",
        "tok",
        "word",
        "user",
        "form",
        "item",
        "items",
        "entry",
        "row",
        "parts",
        "match",
        "node",
        "cur",
        "current",
        "nxt",
        "next",
        "prev",
        "first",
        "last",
        "lexeme",
        "content",
        "body",
        "response",
        "payload",
        "getpass",
    ]
)


_CODE_WORDS = frozenset(
    re.findall(
        r"\S+",
        """
        get set read load new old current user db database input default config env args value var my the raw
        plain hashed root admin from to parse decode encode encrypted test temp tmp self
        """,
    )
)


@dataclass(frozen=True, slots=True)
class Value:
    text: str
    start: int
    end: int
    quoted: bool


def is_placeholder(value: str) -> bool:
    """Whether `value` stands for a secret instead of being one: `${TOKEN}`, `<your key>`, `****`, `[PASSWORD]`, null."""
    return (
        value.lower() in _NO_VALUES
        or is_template(value)
        or bool(_MASKED.fullmatch(value) or _PUBLIC_KEY.match(value) or _DUMMY.fullmatch(value))
    )


def is_template(value: str) -> bool:
    """Like `is_placeholder`, words such as `password` or `none` apart: those do occur as passwords in URLs."""
    return bool(_TEMPLATE.fullmatch(value) or PLACEHOLDER.fullmatch(value) or not any(character.isalnum() for character in value))


def is_code(value: str) -> bool:
    """Whether `value` begins like a call, a subscript or an attribute: `get_token(`, `os.environ[`, `self.token`."""
    return bool(_CODE.match(value))


def is_plausible(kind: Kind, link: Link, linking: str, value: Value, text: str) -> bool:
    written = value.text
    if value.quoted and _is_glued(written, text[max(0, value.start - 2) : value.start]):
        return False
    if not value.quoted and re.fullmatch(r"&(?:'\w+ ?)?(?:mut ?)?(?:str|\[u8\]?|String|\w*Str\w*)?", written):
        return False  # a type
    if value.quoted and re.fullmatch(r"\w+:\\?\"[^\"]*\"(?: \w+:\"[^\"]*\")*", written):
        return False  # what a field is called elsewhere
    if re.match(r"[.+]\s?\$\w", written) or (value.quoted and re.match(r"[,;)\]}].*[:=(,]$", written)):
        return False  # code between two texts
    if "|" in linking and written in _PROGRAMS:
        return False  # where a command's answer goes
    if linking == "(" and value.quoted and _ASKING.search(text, max(0, value.start - 48), value.start):
        return False  # `get_password("weather", …)`
    if "→" in linking and not value.quoted and re.match(f"[{HAN}]", written):
        return False  # the next step
    if not value.quoted and re.fullmatch(r"<\w{1,8}>[a-z-]+(?:</\w{0,8}>?)?", written):
        return False  # the next word of a page
    if is_placeholder(written) or is_placeholder(written.lstrip("=")) or _PATH.fullmatch(written) or _REGEX.search(written):
        return False
    if ("->" in linking or "→" in linking) and re.match(r"\s*(?:->|→)", text[value.end : value.end + 4]):
        return False  # a step of several
    if not value.quoted and linking.rstrip().endswith("=") and linking.startswith(" ") and _ATTRIBUTE.fullmatch(written):
        return False
    if not value.quoted and (
        _CODE.match(written) or (_VARIABLE.fullmatch(written) and text[value.end : value.end + 1] in ("(", "["))
    ):
        return False
    if _names_a_secret(written) and not (kind == "password" and link == "assigned" and value.quoted and _is_a_phrase(written)):
        return False
    if link == "paired":
        return _is_distinct(written) and is_plausible(kind, "assigned", linking, value, text)
    if kind == "password":
        return _accepts_password(link, linking, value, text)
    return _accepts_key(kind, link, value, text)


def _is_glued(written: str, before: str) -> bool:
    """Whether quotation marks hold code: what is put between two texts (`" + password + "`), or a text with variables in it."""
    if re.match(r"\s*[+.&]\s", written) and re.search(r"\s[+.&]\s*$", written):
        return True
    variable = r"\{[\w.\[\]()'\"]{1,60}(?:![rsa])?\}" if before[:1] in ("f", "F") else r"\$\{[\w.\[\]()'\"?:|&+ -]{1,80}\}"
    rest = re.sub(variable, "", written)
    return rest != written and not (len(rest) >= 8 and has_letter_and_digit(rest))


def _is_a_phrase(written: str) -> bool:
    """Whether small letters say more than whose password it is: `thisismypassword`, `rootpasswd`, not `userpassword`."""
    if re.fullmatch(
        r"(?:root|admin|my|test|super|top|guest|default|postgres|mysql|redis)(?:pass(?:word|wd)?|pwd|secret)\d*", written
    ):
        return True
    said = re.fullmatch(
        r"([a-z]{6,40})(?:password|passwd|passphrase|secret)|(?:password|passwd|passphrase|secret)([a-z]{8,40})", written
    )
    return said is not None and bool(re.search("my|is|the|this|our", said[1] or said[2]))


def _is_among_settings(linking: str, value: Value, text: str) -> bool:
    """Whether the value ends a line of a file of settings: the one above is a section or sets a user or a host without quotes."""
    if linking.count("=") != 1 or not re.match(r"[ \t]*(?:\r?\n|$)", text[value.end : value.end + 8]):
        return False
    words = value.text.lower().split("_")
    if len(words) < 2 or not all(words) or not _CODE_WORDS.isdisjoint(words):
        return False
    line = text.rfind("\n", 0, value.start)
    for _ in range(3):  # comments
        higher = text.rfind("\n", 0, max(0, line))
        if not re.match(r"[ \t]*(?://|#|;)", text[higher + 1 : max(0, line)]):
            break
        line = higher
    above = text[max(0, text.rfind("\n", max(0, line - 200), max(0, line)) + 1) : max(0, line)]
    return bool(
        re.fullmatch(
            r"[ \t]*(?:\[[\w.: -]{1,60}\]|[\w.-]{0,30}(?:user|username|login|host|server|port|url|db|database|e?mail)"
            r"[ \t]*=[ \t]*[\w.@:/-]{1,120})[ \t\r]*",
            above,
        )
    )


def _is_distinct(written: str) -> bool:
    """Whether a word that follows the name in a list of arguments is a value, and not one more name or a message."""
    if _is_salt(written):
        return True
    return (
        len(written) >= 6
        and " " not in written
        and "(" not in written
        and has_letter_and_digit(written)
        and not _ALGORITHM.search(written)
    )


def _accepts_password(link: Link, linking: str, value: Value, text: str) -> bool:
    written = value.text
    after = text[value.end : value.end + 24]
    if written.isdecimal():
        adjacent = linking == "" and not re.match(r"[\w.:-]", after)
        adjacent = adjacent or (linking.strip() in ("（", "(", "【") and after[:1] in ("）", ")", "】"))
        enough = 4 if link != "beside" or adjacent or re.search("[Pp][Ii][Nn] ?码$", text[: value.start].rstrip()[-6:]) else 6
        return len(written) >= enough and not _COUNTED.match(after)
    if re.match(f"[{HAN}]", written):
        if _CHINESE_NUMBER.fullmatch(written):
            return True
        mixed = value.quoted and any(c.isdigit() for c in written)
        if "|" in linking:
            return False  # the next cell
        if link == "assigned" and re.fullmatch(rf"[{HAN}]{{2,8}}\d{{3,}}", written):
            return True
        return (link == "assigned" or (link == "said" and mixed)) and not _CHINESE_TALK.search(written)
    if value.quoted and link != "assigned" and "(" in written:
        return False
    if value.quoted:
        return len(written) >= 3 and not _is_sentence(written) and (link != "beside" or " " not in written)
    if _ALGORITHM.fullmatch(written) or _ABOUT_HASHING.match(after):
        return False
    if _VARIABLE.fullmatch(written):
        in_talk = bool(re.search(f"[{HAN}]", text[max(0, value.start - 60) : value.start])) and not _CODE_SIGNS.search(
            text, max(0, value.start - 80), value.end + 80
        )
        return _accepts_plain_word(link, linking, written, after, in_talk=in_talk) or (
            link == "assigned" and _is_among_settings(linking, value, text)
        )
    if link == "beside":
        mixed = any(c.isdigit() for c in written) and any(not c.isdigit() for c in written)
        mixed = mixed or (linking == "" and bool(re.fullmatch(r"[A-Za-z_]{2,}[@#$!%^&*]+[A-Za-z_]{2,}", written)))
        plain = not _DATE_OR_VERSION.fullmatch(written) and not re.fullmatch(r"[\w.-]+=.*|\w+\(.*", written)
        return mixed and plain and len(written) >= 6 and not _COUNTED.match(after)
    if link == "said" and _DATE_OR_VERSION.fullmatch(written):
        return False
    return len(written) >= 3 and not _COUNTED.match(after)


def is_password_in_talk(word: str, after: str) -> bool:
    """Whether a word that no sign links to the name is a password: letters and figures, but no date, version, hash name."""
    mixed = has_letter_and_digit(word) and len(word) >= 6
    plain = not (_DATE_OR_VERSION.fullmatch(word) or _ALGORITHM.fullmatch(word) or _PATH.fullmatch(word) or _CODE.match(word))
    return mixed and plain and not is_placeholder(word) and not _COUNTED.match(after) and not _ABOUT_HASHING.match(after)


def _accepts_plain_word(link: Link, linking: str, word: str, after: str, *, in_talk: bool) -> bool:
    """Letters alone: a password like any other after `=`, a word of the sentence after `is` or a space."""
    if len(word) < (4 if "=" in linking else 3) or link == "beside":
        return False
    if link == "option":
        return True
    if link == "said":
        if re.search(f"[{HAN}]", linking):
            return len(word) >= 4
        return (
            linking.strip() != "to"
            and bool(re.match(r"[ \t]*(?:$|[.!?。！？\n])", after))
            and not word.lower().endswith(("ed", "ing", "able", "ible", "ly", "en"))
        )
    if "==" in linking:
        return False
    if "\n" in linking and re.match(r"[ \t]+\S", after):
        return False  # the next line begins a sentence
    if "=" in linking and re.match(r"\s*[+*/%?]|[ ](?:if|or|and|in|is|for)\b", after):
        return False  # a sum, a condition
    if ":" in linking and re.fullmatch(r"(?:[A-Z][a-z0-9]+)+", word) and re.match(r"[,)]|[ ][|=]", after):
        return False  # a type
    spaced = linking.rstrip("\"'*").endswith(" ")
    if "=" in linking and spaced:
        return word.lower() not in _VARIABLES and ("_" not in word or in_talk)
    return not (spaced and re.match(r" [a-z]{2,}(?![\w]*[:=：])", after))


def _accepts_key(kind: Kind, link: Link, value: Value, text: str) -> bool:
    written = value.text
    if value.quoted and _is_salt(written):
        return True
    if " " in written or not written.isascii():
        return False
    if _rich_in_symbols(written) and (link != "beside" or value.quoted):
        return True
    mixed = has_letter_and_digit(written)
    if kind == "key":
        if UUID.fullmatch(written) and re.search(r"[\"']key[\"']\s?:\s?[\"']$", text[max(0, value.start - 10) : value.start]):
            return False  # of a store's object
        random = looks_random(written, 20) or (len(written) >= 20 and has_letter_and_digit(written) and _is_mixed_case(written))
        random = random or (is_hash(written) and not UUID.fullmatch(written))
        named = link == "beside" and re.search(
            r"(?:[a-z]{3}|[\u4e00-\u9fff]) ?key $", text[max(0, value.start - 12) : value.start], re.I
        )
        return (link in ("assigned", "said", "option") or bool(named)) and random
    if link == "beside":
        random = looks_random(written) or (kind == "secret" and is_jumbled(written))
        random = random and not _DATE_OR_VERSION.fullmatch(written)
        return random and (not is_hash(written) or text[value.start - 1] in " )）")
    if re.match(r"[a-z]{1,3}=", written) and "sig=" not in written:
        return False  # parts of a token without its signature
    if _DATE_OR_VERSION.fullmatch(written) or "://" in written or re.fullmatch(r"[A-Za-z_]+(?::[A-Za-z_]+)*:\d+", written):
        return False
    if value.quoted and kind == "secret":
        return len(written) >= 6 and not re.fullmatch(r"[a-z]+(?:[-_.][a-z]+)+", written)
    if link == "option":
        return len(written) >= 8
    if not value.quoted and re.fullmatch(r"(?:[A-Z][a-z]+|[A-Z]\d{1,4}){3,}", written):
        return False  # a class: `account_key: AuthConfigAccountKey`
    if mixed and kind == "secret" and re.search("[A-Z]=$", text[max(0, value.start - 2) : value.start]):
        return len(written) >= 8  # a variable of the environment
    if mixed:
        return len(written) >= 8 and not re.fullmatch(r"[a-z]+(?:[-_.][a-z]+)*[-_.]?v?\d{1,2}", written)
    return len(written) >= 16 and (
        _is_mixed_case(written)
        or is_unspeakable(written)
        or is_jumbled(written)
        or (kind == "secret" and len(set(written)) >= 8 and written.isalpha())
    )


def _rich_in_symbols(value: str) -> bool:
    return len(value) >= 16 and len(set(value) & set("{}()[]$#<>^&*!%@~+")) >= 5 and "://" not in value


def _is_salt(value: str) -> bool:
    """Whether printable characters of every kind stand in no order, blanks among them, as generators of salts make them."""
    return _rich_in_symbols(value) and len(value) >= 24 and not re.search(r"[a-z]{5}|[A-Z]{5}", value)


def _is_mixed_case(value: str) -> bool:
    """Whether upper and lower case alternate too often for words joined together."""
    pairs = list(pairwise(value))
    return sum(a.islower() and b.isupper() for a, b in pairs) >= len(value) / 6


def _names_a_secret(value: str) -> bool:
    """Whether the value is itself a name from code: `user_password`, `new_token`, `DB_PASSWORD`, `your-api-key`."""
    if not re.fullmatch(r"[A-Za-z_.\-$]{3,60}|(?:[A-Z][a-z]+|[A-Z]\d){3,}", value):
        return False
    short = ("pw", "pin", "key", "pass", "auth")
    return any(name.group() not in short or name.group() == value.lower() for name in SECRET_NAMES.finditer(folded_case(value)))


def _is_sentence(value: str) -> bool:
    return bool(set(value) & set(" |")) and bool(
        re.search("请|输入|密码|不能|必须|错误", value)
        or re.search(r"\b(?:please|your|must|required|password|cannot|invalid|incorrect|enter|at least)\b", value, re.I)
    )
