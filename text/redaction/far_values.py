"""The net below the rules: what is drawn by lot and long, in a line that speaks of secrets, or right below one."""

import re
from collections.abc import Iterator

from .randomness import UUID, is_hash, is_jumbled, is_unspeakable, looks_random
from .spans import Redaction

_RUN = re.compile(r"(?<![A-Za-z0-9_+/=~%.$-])[A-Za-z0-9_+/=~%.-]{20,2048}")
_WORD = re.compile(
    r"cookie|session|sess_?id|authoriz|authentic|credential|secret|token(?!iz)|api[ _-]?key|access[ _-]?key|auth[ _-]?key|apikey|"
    r"private[ _-]?key|license[ _-]?key|(?<![a-z])(?:auth|login|key|jwt|sso)(?![a-z])|passw|密码|密钥|秘钥|密匙|令牌|"
    r"口令|凭证|凭据|登录态|授权|鉴权|私钥|(?<![公])钥|\"ticket\""
)
# Behind these even what has the form of a digest is a key.
_NAMED = re.compile(
    r"(?:api|access|auth|secret|refresh|encryption|signing|local|device|"
    r"app|admin|account|service|my|the|new|old|your|our|private|master|license)[ _-]?(?:key|"
    r"token|secret)"
    r"(?![a-z])|密钥|秘钥|密匙|令牌|(?<![a-z])(?:ak|sk)(?![a-z])|api[ _-]?hash|secret(?![a-z])"
)
# `key 我申请好了：…`, `access token 我刚拿到：…`, told in a sentence.
_TOLD_KEY = re.compile(
    "(?<![a-z])(?<!primary )(?<!public )(?<!cache )(?<!公)(?:key|token|sk|ak)(?![a-z])"
    "[^\n]{0,24}[\u4e00-\u9fff][^\n]{0,12}(?:[:：]|是|为|就是|粘贴?|填上?|贴|输入)[ ]?[\"'`「“]?$"
    "|(?<![a-z])(?<!primary )(?<!public )(?<!cache )(?<!foreign )(?<!row )(?<!object )(?<!idempotency )"
    "(?:key|token)(?![a-z])[^\n]{0,40}"
    "(?:[ ]is|[ ]was|[ ]for[ ][a-z ]{2,40}[=:])[ ][\"'`]?$"
)
# `encryption key for the vault (AES-256, base64): …`
_NAMED_BEFORE = re.compile(
    "(?:encryption|signing|secret|private|master|api|access|session)[ _-]?key(?![a-z])[^\n]{0,60}[:：=][ ]?[\"'`]?$|"
    "[密私]钥[^\n]{0,40}[:：=][ ]?[\"'`]?$"
)
_TOLD_TOKEN = re.compile(
    "(?:access[ _-]?token|api[ _-]?key|auth[ _-]?token|refresh[ _-]?token|secret|密钥|令牌|(?<![a-z])token)(?![a-z])"
    "[^\n]{0,24}(?:[:：=]|是|为|is|一个|一串)[ ]?[\"'`「“]?$"
)
_PUBLIC_BLOCK = re.compile(r"-{4,5}BEGIN (?!(?:[A-Z]{2,9} )?PRIVATE)[A-Z0-9 ]{3,40}-{4,5}[^-]{0,16384}")
_WORDS = (
    "cookie", "sess", "auth", "cred", "secret", "token", "key", "login", "jwt", "sso", "passw",
    "ticket", "密", "令牌", "口令", "凭", "登录态", "授权", "鉴权", "钥",
)  # fmt: skip
# What a run like this may be instead; the word stands some way before it.
_HARMLESS = re.compile(
    r"hash|sha-?\d|md5|commit|checksum|digest|etag|uuid|guid|fingerprint|public|pubkey|公钥|指纹|哈希|校验|integrity|version|"
    r"build|trace|request|(?<![a-z])rid(?![a-z])|openid|unionid|cursor|page|next|nonce|image|base64|(?<![a-z])(?:id|ids|ref|rev|tx|txid|cid|file|path|model|"
    r"branch|img|png|docs?|drive|video|folder|sheet|form|"
    r"jpg|gif|ssh-\w+|cert|certificate|cache|key_id|kid|jti|chunk|block|address|wallet|order|tracking|object|node|pod|container|"
    r"package|name|sitekey|site_key|serial|编号|单号|文件|订单|地址|标识)(?![a-z])|-----|data:|://|0x"
)
# Right behind it: `… 这个 token 能用`, `…, that key leaked`.
_AFTER = re.compile(
    r"[^\S\n]*[^\w\s]?[^\n.。]{0,20}?(?:api[ _-]?key|access[ _-]?key|(?:this|that|the|my|our|old|"
    r"leaked)[ ](?:[a-z]+[ ])?(?:key|token|secret)"
    r"|token|密钥|令牌|密码|口令|凭证|(?<![a-z])key)(?![a-z])"
)
_FIELD = re.compile(r"\"[ ]?:[ ]")  # it names a field
# `…"); // admin api key`
_AFTER_KEY = re.compile(
    r"[\"'`)\];,，。 \t]{0,6}(?://|#|--|[(（]|<-|←)[ ]?[^\n]{0,24}?"
    r"(?:api|access|admin|auth|secret)[ _-]?(?:key|token|secret)(?![a-z])"
)
_REACH = 160
_NEAR = 32
_SHOULD_BE_ONE = re.compile(r"(?!0[xX][0-9a-fA-F]{40,64}$)[A-Za-z0-9+/=_-]+(?:[.%~][A-Za-z0-9+/=_-]+){0,8}")
_FILE = re.compile(
    r".*\.(?:[A-Za-z]{1,5}|mp[34]|m4[av]|7z|bz2)|[/~.].*|.*//.*|(?:[a-z]+[-_./]){2,}.*|"
    r"[a-z0-9]+(?:-[a-z0-9]+)*-[a-z0-9]{8,10}-[a-z0-9]{5}|.*(?:[-_./][a-z]{3,}){2,}"
)


def find_far_values(text: str, folded: str) -> Iterator[Redaction]:
    if not any(word in folded for word in _WORDS):
        return
    public = [block.span() for block in _PUBLIC_BLOCK.finditer(text)] if "-BEGIN " in text else []
    for run in _RUN.finditer(text):
        if any(start <= run.start() < end for start, end in public[:8]):
            continue
        written = run.group().rstrip(".=%")
        cut = re.match(r"[A-Za-z_.-]{1,40}=(?!=)", written)
        start = run.start() + (cut.end() if cut else 0)
        written = written[start - run.start() :]
        hashed = is_hash(written)
        if not (hashed or _is_drawn(written)) or _FIELD.match(text, run.end()):
            continue
        if _is_announced(text, folded, start, start + len(written), hashed):
            yield Redaction(start, start + len(written), "TOKEN")


def _is_announced(text: str, folded: str, start: int, end: int, hashed: bool) -> bool:
    """Whether the line, the one above it or the words right behind speak of a secret, and no nearer word of something else."""
    before = max(0, start - _REACH)
    line = text.rfind("\n", before, start)
    above = text.rfind("\n", before, line) if line > 0 else -1
    while 0 < line == above + 1 and above > 0:  # an empty line
        line, above = above, text.rfind("\n", before, above)
    if hashed and UUID.fullmatch(text, start, end):
        near = max(line + 1, start - 40)
        return bool(_TOLD_TOKEN.search(folded, near, start)) and not _HARMLESS.search(folded, near, start)
    if hashed:
        near = max(line + 1, start - 48)
        named = _AFTER_KEY.match(folded, end) or _TOLD_KEY.search(folded, near, start) or _NAMED.search(folded, near, start)
        return bool(named) and not _HARMLESS.search(folded, near, start)
    if _AFTER.match(folded, end) and not _HARMLESS.search(folded, max(line + 1, start - 24), start):
        return True
    if _NAMED_BEFORE.search(folded, max(line + 1, start - 100), start) and not folded.endswith("sha256:", 0, start):
        return True
    told = _WORD.search(folded, max(before, above + 1), start)
    return bool(told) and not _HARMLESS.search(folded, max(line + 1, start - _NEAR), start)


def _is_drawn(written: str) -> bool:
    return (
        len(written) >= 20
        and not is_hash(written)
        and bool(_SHOULD_BE_ONE.fullmatch(written))
        and not _FILE.fullmatch(written)
        and (
            (looks_random(written, 20) and sum(c.isdigit() for c in written) >= 3)
            or is_jumbled(written)
            or is_unspeakable(written)
        )
    )
