"""What stands for a secret instead of being one: variables, templates, masks, words such as `none`."""

import re

from .spans import PLACEHOLDER

# `${TOKEN}`, `{{ password }}`, `<your key>`, `your-token-here`, `%s`, `xxxx`, `!vault`
_TEMPLATE = re.compile(
    r"\$\{[^{}]*\}?|\$\{\{[^{}]*\}\}?|\$\(.*|\$[A-Za-z_]\w*(?:/.*)?|\{\{[^{}]*\}\}|\{[\w.!:\[\]'\"]*\}?|<[^<>]*>?|%[sdr]|%\w*\(.*|%[A-Z_]+%|"
    r"\[[^\]]*\]?|"
    r"(?:your|example|insert|enter|replace|put|add)[-_ ].{0,60}|(?:my|the|some|an?)[-_ ][^\d]{0,60}|.{0,20}(?:_here|-here|"
    r"placeholder)|"
    r"change[-_ ]?(?:me|it)/?|"
    r"[xX*•.…#?\-_=+~]{1,200}|\([^()]*\)?|@[A-Za-z_.]*@?|@\w+@|@{2,}.*@{2,}|:[a-z_]+|#\{.*|__\w+__|"
    r"!(?:vault|env|secret|ref|sub|getatt|include)\w*",
    re.I,
)
# `sk-ab****yz`
_MASKED = re.compile(r".{0,16}(?:\*{3}|•{3}|\.{3}|…|x{5}|X{5}).{0,24}")
# `glc_11111111…`, `X_PUT_YOUR_TOKEN_HERE_X`, `ACCESS_TOKEN`
_DUMMY = re.compile(
    r".*([\w#*.])\1{9}.*|.*(?:YOUR|your)[-_ ](?:\w+[-_ ])*(?:TOKEN|KEY|SECRET|PASSWORD|token|key|secret|password).*"
    r"|[A-Z]+(?:_[A-Z]+)*_(?:TOKEN|KEY|SECRET|PASSWORD)|AKIA\w{9}EXAMPLE|.{20,}EXAMPLEKEY",
    re.DOTALL,
)
# Of SSH: `AAAAB3N…`
_PUBLIC_KEY = re.compile(r"AAAA[BCE][23][NV]")
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
