"""Keys of whoever: a word of its issuer and a long run drawn by lot, or such a run given to a name that is no identifier's.

The forms that are known stand in `provider_keys`. New ones come every month, and most look like this: `odt_KTJl…`.
What looks the same and is none are identifiers, which are shorter as a rule and told by their first word.
"""

import re
from collections.abc import Iterator

from .randomness import has_both_cases, is_hash, looks_random
from .spans import Redaction

_ISSUED = re.compile(
    r"(?<![A-Za-z0-9_+/=.%~@:?&#-])(?P<issuer>[A-Za-z][A-Za-z0-9]{1,11})[_-](?P<rest>[A-Za-z0-9_-]{20,400})(?![A-Za-z0-9_+/=.@-])"
)
# First words of identifiers: of messages, calls, files, payments, requests.
_IDENTIFIERS = re.compile(
    r"(?:call|diff|chat\w*|cmpl|resp|response|run|thread|asst|assistant|step|tool\w*|item|conv\w*|batch|ft\w*|file|files|img|image|"
    r"photo|pic|video|audio|voice|media|doc|docs|document|page|node|block|msg|message|evt|event|req|request|trace|span|session|"
    r"sess|user|usr|uid|id|ids|obj|object|item|task|job|jobs|org|team|ws|env|acct|account|cus|cust|customer|sub|price|prod|"
    r"product|plan|order|ord|pay|payment|pi|pm|ch|charge|txn|tx|inv|invoice|in|ii|re|refund|test|tests|tmp|temp|data|hash|"
    r"sha\d*|md5|blake\w*|etag|blob|chunk|ref|rev|commit|build|version|v\d+|cache|key|kid|index|idx|wx\w*|openid|unionid|oid|"
    r"css|js|svg|class|style|module|bundle|vendor|main|app|static|assets?|fonts?|icon|logo|screenshot|wp|www|http\w*|ssh|"
    r"sticker|emoji|avatar|cover|thumb\w*|layer|pod|deploy\w*|rs|fc|ig|vs|ws|mcp|snap\w*|vol|ami|eni|subnet|vpc|arn|urn|model|"
    r"checkpoint|log|part|upload|download|export|import|backup|record|row|col|field|form|group|channel|room|bot|post|comment)",
    re.I,
)
_GIVEN = re.compile(
    r"(?<![A-Za-z0-9_.$-])(?P<name>[A-Za-z_][\w.-]{0,60})[\"']?[ ]{0,3}(?:=|:|:=|=>|：|(?<= )-(?= ))[ ]{0,3}"
    r"(?P<mark>[\"'])(?P<value>[A-Za-z0-9+/_-]{20,512}={0,2})(?P=mark)"
)
_NO_KEYS_NAME = re.compile(
    r"(?:id|ids|uid|uuid|guid|hash|hashes|sha\d*|md5|digest|checksum|integrity|etag|image|img|icon|logo|data|content|contents|"
    r"text|body|url|uri|link|href|src|file|filename|path|cursor|page|next|prev|offset|public|pub|cert|certificate|fingerprint|"
    r"font|version|revision|rev|commit|ref|name|title|value|val|expected|actual|result|output|input|payload|encoded|decoded|"
    r"base64|b64|blob|chunk|buffer|bytes|wasm|audio|photo|avatar|nonce|state|trace|span|request|parent|model|object|key_id|kid|"
    r"address|wallet|contract|tx|block|signature_public|type|class|dtype|tag|label|digest\w*|\w*pubkey\d*|challenge|integrities)"
)
_IDENTIFIED = re.compile(
    r"(?:id|ids|编号|标识|号|hash|commit|ref|name|etag)[\"']?[ \t]{0,2}(?:[:：=]|是|为|is)?[ \t]{0,2}(?:W/)?[\"'`]?$", re.I
)
_SITE = re.compile(r"(?:site|map|public)[_-]?key", re.I)


def find_drawn_tokens(text: str) -> Iterator[Redaction]:
    for found in _ISSUED.finditer(text):
        if _IDENTIFIERS.fullmatch(found["issuer"]) or _IDENTIFIED.search(text, max(0, found.start() - 12), found.start()):
            continue
        rest = found["rest"]
        if any(len(part) >= 20 and _is_drawn(part) for part in re.split("[_-]", rest)) or (len(rest) >= 40 and _is_drawn(rest)):
            yield Redaction(found.start(), found.end(), "TOKEN")
    for found in _GIVEN.finditer(text):
        value = found["value"]
        if not _is_drawn(value.rstrip("=")) or is_hash(value) or _IDENTIFIERS.fullmatch(re.split("[_-]", value)[0]):
            continue
        words = re.findall(r"[a-z]+\d*", re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", found["name"]).lower())
        if words and not any(_NO_KEYS_NAME.fullmatch(word) for word in words) and not _SITE.search(found["name"]):
            yield Redaction(found.start("value"), found.end("value"), "TOKEN")


def _is_drawn(run: str) -> bool:
    """Whether upper and lower case and figures stand mixed, as nobody writes them."""
    return (
        has_both_cases(run)
        and sum(c.isdigit() for c in run) >= 3
        and looks_random(run, 20)
        and not re.search("[a-z]{6}.*[a-z]{6}", run)
    )
