"""Secrets in headers, cookies, URLs, query strings and command options."""

import base64
import binascii
import re
from collections.abc import Iterator

from .plausible import is_code, is_placeholder, is_strong, is_template
from .randomness import is_hash, is_mixed, looks_random
from .rules import Rule, Rules, compiled, words
from .spans import Redaction

_QUOTE = r"\\{0,4}[\"'`]"
_GIVEN = rf"(?P<quote>{_QUOTE})?(?P<value>(?(quote)(?:(?!(?P=quote))[^\n]){{3,256}}|[^\s\"'`]{{3,256}}))"
_LINE = r"[^\n|;&]{0,160}?"
_PAIR = r"[\w.$@-]{1,80}=(?:\"[^\"\n]{2,4096}\"|[^\s;,\"'`\\&，。；]{2,4096})"
_MANUAL_WORDS = words("password pass passwd pwd secret changeme mypassword yourpassword pw 密码 口令 你的密码 密碼")
"""Placeholder passwords of manuals: `user:password@host`."""
_HARMLESS_COOKIE = (
    r"(?i)path|domain|expires|max-age|samesite|secure|httponly|priority|partitioned|version|lang\w*|locale|i18n\w*|theme|mode|"
    r"color\w*|dark\w*|view|layout|sidebar\w*|currency|region|country|city|tz|time_?zone|[\w-]*consent\w*|cookie\w*|utm_\w+|"
    r"_g[ai]\w*|_gid|device|platform|font\w*|page_?size|"
)
_SESSION_NAMES = (
    r"(?i:SESSDATA|bili_jct|p_skey|skey|pt4_token|pt_login_sig|PHPSESSID|JSESSIONID|ASP\.NET_SessionId|connect\.sid|"
    r"session_?id|csrf_?token|XSRF-TOKEN|BDUSS|STOKEN|sessionKey|laravel_session|__Secure-[\w-]{2,40}|steamLoginSecure|ltoken|"
    r"cookie_token|wordpress_(?:logged_in|sec)_[0-9a-f]{32}|MUSIC_U|z_c0|d_c0|ROBLOSECURITY)"
)
_WEAK_QUERY = words("appid user_key userkey key sign code sid ticket auth")
"""Ambiguous names: only a value that looks like a key is redacted after them."""
_IDENTIFYING = (
    r"(?i)SHA|HASH|COMMIT|RELEASE|PARENT|HEAD|BASE|REV|REF|DIGEST|MD5|CHECKSUM|SUM|ETAG|VERSION|BUILD|TRACE|SPAN|CACHE|TAG|"
    r"IMAGE|UUID|GUID|(?:^|_)ID|PUBLIC|NONCE|MODEL|FILE|PATH|NAME"
)


def _is_authorization(match: re.Match[str]) -> bool:
    value = match["value"]
    if is_placeholder(value) or re.fullmatch(r"bearer|basic|token|[a-z_]+=", value.lower()):
        return False
    if not match["scheme"] and (is_code(value) or re.match(r"[A-Za-z_]\w*[)}\]]", value)):
        return False
    return bool(match["scheme"]) or is_mixed(value) or len(value) >= 20


def _is_scheme_value(match: re.Match[str]) -> bool:
    value = match["value"]
    if match["scheme"].lower() == "bearer":
        return is_mixed(value) and not is_placeholder(value)
    try:
        return b":" in base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except binascii.Error:
        return False  # an ordinary word ("basic understanding")


def _is_given(match: re.Match[str]) -> bool:
    return not is_placeholder(match["value"]) and not re.fullmatch(r"\d{1,5}|-.*", match["value"])


def _is_strong_value(match: re.Match[str]) -> bool:
    return is_strong(match["value"]) and not re.search(r"://|^\d+[:/]|=|\.[a-z]{2,4}$", match["value"])


def _is_account_option(match: re.Match[str]) -> bool:
    account = re.split(r"[ =\"'`\\]", match.group()[: match.start("value") - match.start() - 1])[-1]
    example = account.startswith(("<", "[", "{")) or re.fullmatch(r"([A-Za-z])\1{2,}", match["value"])
    return not match["value"].isdecimal() and not is_placeholder(match["value"]) and not example


def _holds_cookies(match: re.Match[str]) -> bool:
    return not all(_is_harmless_cookie(pair) for pair in match["value"].split(";"))


def _is_harmless_cookie(pair: str) -> bool:
    """Return True if a cookie is an attribute, a display preference or a consent."""
    name, _, value = pair.strip().partition("=")
    if is_template(value) or value[:1] in ("<", "{", "$") or (value.isalpha() and len(value) < 8):
        return True
    return len(value) <= 40 and bool(compiled(_HARMLESS_COOKIE).fullmatch(name))


def _is_session(match: re.Match[str]) -> bool:
    return is_mixed(match["value"]) and not is_placeholder(match["value"])


def _is_query(match: re.Match[str]) -> bool:
    value, weak = match["value"], match["name"].lower() in _WEAK_QUERY
    return not is_placeholder(value) and not (weak and not (len(value) >= 12 and is_mixed(value)))


def _is_setting(match: re.Match[str]) -> bool:
    value = match["value"].rstrip("=")
    drawn = (is_hash(value) and "-" not in value) or looks_random(value, 20)
    return drawn and not compiled(_IDENTIFYING).search(match["name"])


# fmt: off
_RULES = Rules(
    Rule("TOKEN", ("authorization",),
         rf"(?i)authorization(?:{_QUOTE})?[ \t]{{0,3}}\]?[ \t]{{0,3}}(?:[:=：][ \t]{{0,3}}(?:{_QUOTE})?|,[ \t]{{0,3}}{_QUOTE})"
         r"(?P<scheme>(?:bearer|basic|token|digest|apikey|api-key|negotiate|bot|key|"
         r"oauth)[ \t]{1,3})?(?P<value>[^\s\"'`\\,;<>，。；]{6,8192})", _is_authorization),
    Rule("TOKEN", ("bearer", "basic"),
         r"(?i)(?<![\w-])(?P<scheme>bearer|basic)[ \t:：]{1,4}(?P<value>[A-Za-z0-9._~+/=-]{8,8192})",
         _is_scheme_value, before=1),
    Rule("COOKIE", ("cookie",),
         rf"(?i)(?:set-)?cookies?(?:{_QUOTE})?[ \t]{{0,3}}(?:[:：=,]|是|为|填上|设为|里有?的?|中的?|"
         rf"is)[ \t:：]{{0,3}}(?:{_QUOTE})?(?P<value>{_PAIR}(?:;[ \t]{{0,2}}[\w.$@-]{{1,80}}(?:=(?:\"[^\"\n]{{0,4096}}\"|"
         rf"[^\s;\"'`\\，。；]{{0,4096}}))?){{0,99}})",
         _holds_cookies, after=4000),
    Rule("COOKIE", ("cookie",),
         r"(?i)cookies?(?:[\"'])?[ \t]{0,2}[:=][ \t]{0,2}\{(?P<value>[^{}\n]{6,4096})\}",
         lambda match: bool(re.search(r"[\"']\s{0,2}[:,]\s{0,2}[\"'][^\"']{4}", match["value"])), after=4000),
    Rule("COOKIE", ("\ttrue\t", "\tfalse\t", " true / ", " false / "),
         r"(?m)^\S{1,120}\s(?:TRUE|FALSE)\s\S{1,80}\s(?:TRUE|FALSE)\s\d{1,12}\s\S{1,80}\s(?P<value>[!-~]{8,4096})$",
         before=130),
    Rule("COOKIE", ("sess", "bili_jct", "skey", "pt4_", "pt_login", "connect.sid", "csrf", "xsrf", "bduss", "stoken",
         "wordpress_", "steamlogin", "__secure", "ltoken", "cookie_t", "music_u", "_c0", "roblosec"),
         rf"(?<![A-Za-z0-9]){_SESSION_NAMES}(?:=|(?<!id)(?<!token)(?<!key)(?:[:：][ ]?|"
         rf"是))\"?(?P<value>[^\s;,\"'`\\&，。；]{{6,4096}})", _is_session, before=12),
    Rule("COOKIE", ("value",),
         r"(?i)[\"']?name[\"']?[ ]?:[ ]?[\"'][\w.-]{0,24}(?:sess|sid|token|auth|login|"
         r"jwt)[\w.-]{0,24}[\"'][ ]?,\s{0,8}[\"']?value[\"']?[ ]?:[ ]?[\"'](?P<value>[^\"'\n]{12,4096})[\"']", before=100),
    # `admin:…@10.0.0.1` without a scheme: only with an IP address or a port; otherwise it could be a mailbox.
    Rule("PASSWORD", ("@",),
         r"(?<![\w/.@:])[\w.-]{1,32}:(?P<value>[^\s:/\"'<>，。；]{4,64})@(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|(?:tcp|unix)\(|"
         r"(?!sha\d)[\w.-]{1,80}:\d{2,5})",
         lambda match: is_mixed(match["value"]) and not is_template(match["value"]), before=100),
    Rule("TOKEN", ("=",),
         r"(?i)[?&;#](?:amp;)?(?P<name>(?:x-amz-|x-oss-|x-goog-|q-)?(?:access_?token|id_token|refresh_token|auth_?token|token|"
         r"auth|api_?key|api-key|key|sig|sign|signa|signature|security-token|hapikey|appid|apitoken|user_?key|access_?key|"
         r"secret_?key|private_?key|subscription-key|secret|client_secret|app_?secret|corpsecret|ticket|session_?id|sid|code|"
         r"rkey|jwt|hmac))=(?P<value>[^&;\s\"'<>#，。；）]{4,4096})", _is_query, before=24),
    Rule("PASSWORD", ("identified",),
         r"(?i)identified (?:with [\w\"']{1,40} )?by (?:password )?['\"](?P<value>[^'\"\n]{1,256})['\"]",
         lambda match: not is_template(match["value"])),
    # `curl -u ann:…`, `http -a ann:…`
    Rule("PASSWORD", ("-u ", "--user", "--proxy-user", "-u=", "-a ", "--auth"),
         rf"(?<![\w-])(?:-u|--user|--proxy-user|-a|"
         rf"--auth)[ =]{{1,3}}(?P<quote>{_QUOTE})?[\w.@\\-]{{0,64}}:(?P<value>(?(quote)(?:(?!(?P=quote))[^\n]){{3,256}}|"
         rf"[^\s\"'`]{{3,256}}))", _is_account_option, before=1),
    # A program with its password option.
    Rule("PASSWORD", ("mysql", "mariadb", "redis-cli", "sshpass", "docker login", "podman login", "mongo", "zip ",
         "7z", "rar ", "plink", "pscp", "ldap", "sqlcmd", "psexec", "keytool", "openssl", "mosquitto", "ipmitool",
         "ssh-keygen", "twine", "nmcli", "rclone"),
         rf"(?<![\w.-])(?:(?:mysql|mariadb)\w*[ ](?:{_LINE}[ ])?-p|(?:7z|rar|unrar)\w*[ ](?:{_LINE}[ ])?-h?p|"
         rf"redis-cli[ ]{_LINE}-a[ ]|(?:sshpass|docker login|podman login|mongo\w*|twine|nmcli)[ ](?:{_LINE}[ ])?-p[ ]?|"
         rf"(?:plink|pscp)[ ]{_LINE}-pw[ ]|(?:zip|unzip|sqlcmd|mosquitto_\w+|ipmitool)[ ]{_LINE}-P[ ]?|ldap\w+[ ]{_LINE}-w[ ]?|"
         rf"ssh-keygen[ ]{_LINE}-[NP][ ]|openssl[ ]{_LINE}-(?:k|passin|passout)[ ](?!file|env|fd|stdin)(?:pass:)?){_GIVEN}",
         _is_given),
    # `echo … | sudo -S`, `echo ann:… | chpasswd`
    Rule("PASSWORD", ("echo ", "printf "),
         rf"(?:echo|printf)[ ](?:-[ne]{{1,2}}[ ])?(?:{_QUOTE})?(?:[\w.-]{{1,32}}:(?=[^\n]{{3,90}}chpasswd))?(?P<value>[^\s\"'`|"
         rf"]{{3,128}})(?:{_QUOTE})?[ ]{{0,4}}\|[ ]{{0,4}}(?:sudo[ ]{_LINE}-S|(?:sudo )?chpasswd|(?:docker|podman|gh|wrangler|"
         rf"fly)[ ]{_LINE}"
         r"(?:secrets?[ ](?:create|put|set)|login)|passwd --stdin|cryptsetup)", _is_given),
    # `imap.login('ann', '…')`, `auth=('ann', '…')`, `WiFi.begin("home", "…")`
    Rule("PASSWORD", ("login(", "auth", "connect", "credentials(", "begin(", "pdo("),
         r"(?i)(?:login|authenticate|auth|connect\w{0,12}|credentials|begin|"
         r"pdo)[ ]?=?[ ]?\((?:[^()\n]{0,80},)?[ ]{0,2}[\"'][^\"'\n]{1,40}[\"'],[ ]{0,2}[\"'](?P<value>[!-~]{4,64})[\"']\)",
         _is_strong_value),
    # `root / …`, `账号 ann / …`
    Rule("PASSWORD", (" / ", "admin/", "root/", "sa/", "guest/", "demo/", "ubuntu/"),
         r"(?i)(?:(?<![\w./-])(?:(?:telecom|super)?admin\w{0,9}|root|sa|guest|demo|ubuntu|pi)|(?:账号|帐号|账户|用户名?|登录|"
         r"login|credentials?)[^\n/]{0,30}?[ :：][\w.@-]{2,40})[ ]?/[ ]?(?P<value>[!-.0-~]{5,64})(?![!-~])",
         lambda match: _is_strong_value(match) and (" / " in match.group() or not match["value"].islower()), before=60, after=70),
    # The result of a tool call for a secret: `get_password({"user": "ann"}) → …`
    Rule("PASSWORD", (") → ",),
         r"(?i)(?:passw|secret|token|api_?key|credential|密码)[^→\n]{0,240}\) → [\"']?(?P<value>[!-Z^-z|}~]{6,256})",
         _is_strong_value, before=300),
    # `OPENWEATHER=…`: a random value assigned to the name of a service is its key.
    Rule("API_KEY", ("=",),
         r"(?<![\w?&;/.$-])(?P<name>[A-Z][A-Z0-9_]{3,60})=(?P<quote>[\"']?)(?P<value>[A-Za-z0-9_+/-]{20,200}={0,2})(?P=quote)(?"
         r"=\s|$)",
         _is_setting, before=64),
)
# fmt: on


def find_credentials(text: str, folded: str) -> Iterator[Redaction]:
    """Find credentials in headers, cookies, URLs and commands; `folded` is the text in lower case."""
    yield from _RULES.find(text, folded)
    at = text.find("://")
    while at >= 0:
        yield from _user_info(text, at)
        at = text.find("://", at + 3)


def _user_info(text: str, at: int) -> Iterator[Redaction]:
    """Find the password of a URL whose `://` is at `at`: `postgres://app:…@db.test`."""
    match = compiled(r"://[^\s/:@\"'<>，。；]{0,128}:(?P<password>[^\s\"'<>，。；]{1,256})").match(text, at)
    if match is None:
        return
    password = match["password"]
    cut = password.rfind("@")
    scheme = compiled(r"[A-Za-z0-9+.-]{1,24}$").search(text, max(0, at - 24), at)
    if scheme and scheme.group().lower().startswith(("http", "ws", "git")):
        # A path may contain an @ (https://host:8443/@bob): the password ends before the first slash.
        cut = re.split("[/?]", password)[0].rfind("@")
    elif re.match(r"\d{1,5}/", password):
        cut = -1
    if cut > 0 and not is_template(password[:cut]) and password[:cut].lower() not in _MANUAL_WORDS:
        yield Redaction(match.start("password"), match.start("password") + cut, "PASSWORD")
