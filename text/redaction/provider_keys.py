"""Keys that show by their form who gave them out."""

import base64
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from .randomness import UUID, has_letter_and_digit, is_hash, is_unspeakable, looks_random
from .spans import Label, Redaction

_WORD = "A-Za-z0-9"
_URL = r"A-Za-z0-9_\-"


@dataclass(frozen=True, slots=True)
class _Form:
    literal: str
    """Stands in every key of the form: a text without it is not searched."""
    pattern: re.Pattern[str]
    label: Label
    accepts: Callable[[str], bool]


def _always(_: str) -> bool:
    return True


def _has_dense_part(key: str) -> bool:
    """Tell `sk-` keys from CSS classes and file names: one part between separators is long and mixed."""
    parts = re.split(r"[_-]", key)
    return any(len(part) >= (16 if has_letter_and_digit(part) else 40) for part in parts) or bool(UUID.search(key))


def _has_long_part(key: str) -> bool:
    """Whether something long and mixed follows the prefix: in one part, as a UUID, or as parts that are drawn together."""
    parts = re.split(r"[_.$/-]", key)
    return any(len(part) >= 16 and has_letter_and_digit(part) for part in parts) or _is_drawn_in_parts(key)


def _is_long_or_drawn(key: str) -> bool:
    mixed = any(c.isupper() for c in key) and any(c.islower() for c in key) and sum(c.isdigit() for c in key) >= 2
    return (
        _has_long_part(key) or _is_drawn_in_parts(key) or (len(key) >= 28 and mixed) or is_unspeakable(re.split("[_-]", key)[-1])
    )


def _is_mixed(key: str) -> bool:
    """Whether figures stand among the letters, or upper and lower case alternate too often for words joined together."""
    alternating = sum(a.islower() and b.isupper() for a, b in pairwise(key)) >= len(key) / 7
    return has_letter_and_digit(key) or alternating or is_unspeakable(key.rpartition("_")[2])


def _has_figures(key: str) -> bool:
    return sum(c.isdigit() for c in key) >= 4


def _is_drawn_in_parts(key: str) -> bool:
    return bool(UUID.search(key)) or (looks_random(re.sub(r"[_.$/-]", "", key), 24) and sum(c.isdigit() for c in key) >= 4)


def _is_base62(key: str) -> bool:
    return any(c.isupper() for c in key) and any(c.islower() for c in key) and looks_random(key)


def _names_an_account(key: str) -> bool:
    """Whether base64 begins with figures and a colon, as the tokens of self-hosted trackers do: the account, then the key."""
    decoded = base64.b64decode(key, validate=True)
    return bool(re.match(rb"\d{10,13}:", decoded))


def _ends_in_a_draw(key: str) -> bool:
    """Whether the last part of `token_…` is random; behind `key` and `token` a hash is an identifier (`cache_key_9f86…`)."""
    last = re.split(r"[_-]", key)[-1]
    return looks_random(last, 20) and (not is_hash(last) or key.startswith(("sk", "pat", "secret")))


def _form(literal: str, body: str, label: Label = "API_KEY", accepts: Callable[[str], bool] = _always) -> _Form:
    # The literal first, the look behind it second: so `re` can search for the literal as such.
    start = re.escape(literal)
    return _Form(literal, re.compile(rf"{start}(?<![{_WORD}]{start}){body}"), label, accepts)


def _whole(literal: str, pattern: str, label: Label, accepts: Callable[[str], bool] = _always) -> _Form:
    return _Form(literal, re.compile(pattern), label, accepts)


# Prefixes that nothing else begins with: what follows only has to be long and to hold letters and figures.
_PREFIXES = re.findall(
    r"\S+",
    """
    dckr_pat_ dckr_oat_ hvs. hvb. hvr. sq0atp- sq0csp- EAAA rpa_ glsa_ glc_ sbp_ sb_secret_ nfp_ sntrys_ sntryu_ ATATT3
    ATCTT3 ATBB pcsk_ jina_ e2b_ fo1_ rubygems_ pscale_tkn_ pscale_pw_ pscale_oauth_ dp.pt. dp.st. dp.sa. dp.ct. pul-
    tskey- ops_eyJ CFPAT- xkeysib- xsmtpsib- mlsn. rzp_live_ rzp_test_ FLWSECK dt0c01. HRKU- rnd_ tfp_ PMAK- figd_ figo_
    NRAK- NRII- NRJS- NRIQ- lsv2_ ls__ api_org_ hf_oauth_ apify_api_ phx_ amzn.mws. gAAAAA ABSK cmVmdGtu bce-v3/ALTAK-
    access_token$production$ access_token$sandbox$ vck_ vcp_ vercel_ napi_ crsr_ ctx7sk- zpka_ waka_ shptka_ sgp_ bkua_
    CCIPAT_ CCIPRJ_ p8e- CLOJARS_ duffel_live_ duffel_test_ EZAK EZTK fm1r_ fm1a_ fm2_ fio-u- ico- s-s4t2ud- s-s4t2af-
    shippo_live_ shippo_test_ pnu_ rdme_ sm_pat_ squ_ sqp_ sqa_ tk-us- tgp_v1_ sha256~ dor_v1_ AQ.Ab8 AQVN IGQV IGAA dG9rO
    fastgpt- bedrock-api-key- sess- GR1348941 glimt- glffct- AKTP xprv shpua_ ghe_ live_pk_ live_sk_ lip_live_ lip_test_
    rk-live- ubi_ wbh_ tsm_ sdk-live- mob-live- api-live- phs_ vca_ vcr_ vci_ aio_ akab- odt_ dp.scim. dp.audit. NRAA-
    NRRA- NRSP- px-api- px-dep- AVNS_ aivenv1 aph0_ esecret_ ATTA BBDC- bkpi_ bkct_ bkaj_ bkpt_ cfut_ cfat_ cfk_ gcntfy-
    cfsk_ma_ ctp_ CCDB1_ dvc_server_ dvc_mobile_ dvc_client_ dbtc_ dbtu_ dnkey- ddp_ ddw_ endr+ essu_ flp_ hawk. hcaik_
    hcxik_ hcamk_ xaat- xapt-  JDC_ lio_ lmb_ mdb_sa_sk_ Mid-server- SB-Mid-server- nyk_ os_v2_app_ os_v2_org_
    pdl_live_apikey_ pdl_sdbx_apikey_ persona_production_ persona_sandbox_ polar_oat_ polar_pat_  pnb_ rootly_
    samsara_api_ scp-live- sktsec_ sindri_ skey_live_ skey_test_ slk_ sm_aat_ sm_sat_ sk-lf- sk-pyx- tp-pyx- secret-token:
    api_live. api_sandbox. wrkatrial- wrkprod- wandb_v1_ xau_ xnd_production_ xnd_development_ vtwn_ unkey_ tss_ SWMTKN-1-
    QN_ amzn1.oa2-cs.v1. $aact_ ak_live_ ak_test_ APP_USR- ajkey_ dt0s01. dt0s02. dt0s08. dt0s16. FLWPUBK_TEST-
    FLWSECK_TEST-  hxtp_ llx-  ory_at_ ory_pat_ ory_st_ ory_apikey_ pubkey- sq0idb- sec-c- sntryi_ testsk_ sk_car_
    sk-helicone- bb_live_ helius_ cal_live_ scauth_ authress_ eyJrIjoi  ydc-sk- snyk_uat. snyk_sat.
    """,
)

# Forms as the providers document them; lengths are lower bounds, since they have changed before.
_FORMS: tuple[_Form, ...] = (
    _form("sk-", rf"[{_URL}]{{16,400}}", accepts=_has_dense_part),  # OpenAI, Anthropic, DeepSeek, Moonshot, DashScope …
    *(
        _form(prefix, r"(?!\w{9}EXAMPLE)[A-Z0-9]{16}(?![A-Za-z0-9])")
        for prefix in ("AKIA", "ASIA", "ABIA", "ACCA", "AROA", "AIDA", "A3TX")
    ),
    *(_form(prefix, rf"[{_WORD}]{{30,255}}", "TOKEN") for prefix in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    _whole("ghs_", rf"ghs_\d{{1,12}}_eyJ[{_URL}.]{{30,2000}}", "TOKEN"),
    _form("github_pat_", r"[A-Za-z0-9_]{22,255}", "TOKEN"),
    *(
        _form(prefix, rf"[{_URL}.]{{18,300}}", "TOKEN")
        for prefix in ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-", "glft-", "glagent-", "gloas-")
    ),
    _whole("xox", rf"xox(?<![{_WORD}]xox)[abcdeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{{10,255}}", "TOKEN", _has_figures),
    _form("xapp-", r"[A-Za-z0-9-]{20,255}", "TOKEN"),
    _whole("hooks.slack.com/", r"(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[\w/-]{20,200}", "TOKEN"),
    _form("AIza", rf"[{_URL}]{{35}}"),
    _form("ya29.", rf"[{_URL}]{{20,400}}", "TOKEN"),
    _form("GOCSPX-", rf"[{_URL}]{{20,60}}", "SECRET"),
    _form("1//0", rf"[{_URL}]{{30,200}}", "TOKEN", _has_dense_part),
    *(_form(prefix + mode, rf"[{_WORD}]{{16,255}}") for prefix in ("sk_", "rk_", "pk_") for mode in ("live_", "test_", "prod_")),
    _form("whsec_", r"[A-Za-z0-9+/=]{20,100}", "SECRET"),
    _whole(":A", rf"(?<![{_WORD}])(?:bot)?\d{{6,12}}:A[{_URL}]{{32,40}}(?![{_URL}])", "TOKEN"),  # Telegram
    _form("hf_", rf"[{_WORD}]{{28,64}}", "TOKEN", _is_mixed),
    _form("npm_", rf"[{_WORD}]{{30,64}}", "TOKEN"),
    _form("pypi-", rf"[{_URL}]{{50,500}}", "TOKEN"),
    *(
        _form(prefix, rf"[{_WORD}]{{20,128}}")
        for prefix in ("gsk_", "xai-", "r8_", "tvly-", "tvly-dev-", "pplx-", "fw_", "csk-", "nvapi-")
    ),
    _whole("SG.", rf"SG\.(?<![{_WORD}]SG\.)[{_URL}]{{16,32}}\.[{_URL}]{{16,64}}", "API_KEY"),
    _whole("SK", rf"SK(?<![{_WORD}]SK)[0-9a-f]{{32}}(?![{_WORD}])", "API_KEY"),  # Twilio
    _whole(
        ".", rf"(?<![{_URL}.])[MNO][{_URL}]{{22,27}}\.[{_URL}]{{6}}\.[{_URL}]{{27,45}}(?![{_URL}])", "TOKEN", has_letter_and_digit
    ),
    _whole("api/webhooks/", r"(?<=api/webhooks/)\d{15,22}/[\w-]{40,100}", "TOKEN"),  # Discord
    _whole("bot/v2/hook/", r"(?<=bot/v2/hook/)[\w-]{30,60}", "TOKEN"),  # Feishu
    _form("SEC", r"[0-9a-f]{64}(?![0-9a-f])", "SECRET"),  # DingTalk
    *(_form(prefix, rf"[{_WORD}]{{12,40}}", accepts=has_letter_and_digit) for prefix in ("LTAI", "AKID", "AKLT")),
    *(_form(prefix, rf"[{_WORD}]{{32,128}}") for prefix in ("dop_v1_", "doo_v1_", "shpat_", "shpss_", "shpca_", "shppa_")),
    *(_form(prefix, rf"[{_WORD}]{{36,64}}") for prefix in ("ntn_", "secret_", "lin_api_", "lin_oauth_")),
    *(_form(prefix, rf"[{_URL}.$/]{{20,400}}", "TOKEN", _is_long_or_drawn) for prefix in _PREFIXES),
    _whole("Atz", r"Atz[ar]\|[\w/+=-]{40,2000}", "TOKEN"),  # Amazon
    _whole("v^1.1#", r"v\^1\.1#i\^1#[^\s\"'<>，。；]{40,4000}", "TOKEN"),  # eBay
    _form("key_", r"[0-9a-f]{64}(?!\w)"),  # Cursor
    _whole("NRAL", r"(?<!\w)(?:[a-z]{2}\d{2}xx[0-9a-f]{24,40}|[0-9a-f]{36})NRAL(?!\w)", "API_KEY"),  # New Relic
    *(_form(prefix, r"[A-Za-z0-9]{20,64}(?!\w)") for prefix in ("key_live_", "key_test_")),  # Branch
    _whole("endr+", r"endr\+[A-Za-z0-9]{16,32}(?!\w)", "API_KEY"),  # Endor Labs
    _whole("|", r"(?<![\w|])\d{13,17}\|(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{24,40}(?![\w|-])", "TOKEN"),  # Meta's apps
    _form("sntrys_", r"[A-Za-z0-9+/_-]{20,400}={1,2}_[A-Za-z0-9+/_-]{20,200}", "TOKEN"),
    _form("fc-", r"[0-9a-f]{32}(?![A-Za-z0-9])"),  # Firecrawl
    _form("cio", r"[A-Za-z0-9]{32}(?![A-Za-z0-9])", "TOKEN", has_letter_and_digit),  # crates.io
    _form("oy2", r"[a-z0-9]{43}(?![A-Za-z0-9])", "TOKEN", has_letter_and_digit),  # NuGet
    _form("sl.", rf"[{_URL}]{{60,400}}", "TOKEN", has_letter_and_digit),  # Dropbox
    _form("SCT", r"\d{1,8}T[A-Za-z0-9]{16,40}", "TOKEN"),  # ServerChan
    _form("pat-", rf"(?:na|eu)\d-{UUID.pattern}", "TOKEN"),  # HubSpot
    _form("re_", rf"[{_WORD}]{{8}}_[{_WORD}]{{20,32}}", accepts=has_letter_and_digit),  # Resend
    _whole("Q~", rf"(?<![{_URL}.~])[{_URL}.~]{{3}}\dQ~[{_URL}.~]{{31,34}}(?![{_URL}~])", "SECRET"),  # Microsoft Entra
    _whole(".atlasv1.", rf"(?<![{_WORD}])[{_WORD}]{{14}}\.atlasv1\.[{_URL}]{{40,80}}", "TOKEN"),  # Terraform Cloud
    _whole("pat", rf"pat(?<![{_WORD}]pat)[{_WORD}]{{14}}\.[0-9a-f]{{64}}", "TOKEN"),  # Airtable
    _whole("AC", rf"AC(?<![{_WORD}]AC)[0-9a-f]{{32}}(?![{_WORD}])", "API_KEY"),  # Twilio, the account
    _whole("sk_", r"sk_(?<![A-Za-z0-9]sk_)[0-9a-f]{40,64}(?![A-Za-z0-9])", "API_KEY"),  # ElevenLabs
    # Licences, and the keys of Tencent's maps.
    _whole("-", r"(?<![A-Za-z0-9-])(?:[A-Z0-9]{5}-){4,5}[A-Z0-9]{5}(?![A-Za-z0-9-])", "API_KEY", has_letter_and_digit),
    # Whoever gave it out: a word that says what it is, then a run drawn by lot.
    *(
        _whole(
            mark,
            rf"(?<![{_WORD}])(?:sk|pat|apikey|secret|token|tok|tkn|"
            rf"key){mark}(?:v?\d{{1,2}}{mark})?[{_WORD}]{{20,200}}(?![{_WORD}])",
            "API_KEY",
            _ends_in_a_draw,
        )
        for mark in "_-"
    ),
    _form("AKCp", rf"[{_WORD}]{{10,80}}"),  # Artifactory
    _form("EAA", rf"[{_WORD}]{{60,400}}", "TOKEN", has_letter_and_digit),  # Meta
    _form("A3-", r"[A-Z0-9]{6}-[A-Z0-9]{6}(?:-?[A-Z0-9]{5}){3,4}(?![A-Za-z0-9])", "SECRET"),  # 1Password
    _form("access-", rf"(?:sandbox|development|production)-{UUID.pattern}", "TOKEN"),  # Plaid
    _whole("API-", r"(?<![A-Za-z0-9/])API-[A-Z0-9]{25,32}(?![A-Za-z0-9])", "API_KEY", has_letter_and_digit),  # Octopus
    _form("ms-", UUID.pattern, "TOKEN"),  # ModelScope
    _form("oauth:", r"[a-z0-9]{30}(?![A-Za-z0-9])", "TOKEN", has_letter_and_digit),  # Twitch
    _form("mfa.", rf"[{_URL}]{{60,100}}", "TOKEN"),  # Discord
    *(_form(prefix, r"[A-Za-z0-9]{24}(?![A-Za-z0-9])", accepts=has_letter_and_digit) for prefix in ("app-", "dataset-")),  # Dify
    *(_form(prefix, r"[A-Za-z0-9]{22}(?![A-Za-z0-9])", "TOKEN", looks_random) for prefix in ("ak-", "as-")),  # Modal
    _form("pa-", rf"[{_URL}]{{43}}(?![{_URL}])", accepts=_has_dense_part),  # Voyage
    _whole("pk_", rf"pk_(?<![{_WORD}]pk_)\d{{6,10}}_[A-Z0-9]{{32}}(?![{_WORD}])", "TOKEN"),  # ClickUp
    _whole("st.", r"(?<![A-Za-z0-9.])st\.[0-9a-f-]{24,36}\.[0-9a-f]{32}", "TOKEN"),  # Infisical
    _whole("pat.", rf"(?<![{_WORD}.])[ps]at\.[{_URL}]{{22}}\.[0-9a-f]{{24}}\.[{_WORD}]{{20}}", "TOKEN"),  # Harness
    _form("sctp", r"\d{1,8}t[a-z0-9]{16,40}", "TOKEN"),  # ServerChan
    _form("SCU", r"\d{1,8}T[a-z0-9]{32,60}", "TOKEN"),
    _form("dapi", r"[0-9a-f]{32}", "TOKEN"),
    _form("key-", r"[0-9a-f]{32}(?![0-9a-f])"),  # Mailgun
    _whole("-us", rf"(?<![{_WORD}])[0-9a-f]{{32}}-us\d{{1,2}}(?![{_WORD}])", "API_KEY"),  # Mailchimp
    _whole(".", rf"(?<![{_WORD}.])[0-9a-f]{{32}}\.[{_WORD}]{{16}}(?![{_WORD}.])", "API_KEY", has_letter_and_digit),  # Zhipu
    _form("AGE-SECRET-KEY-1", r"[A-Z0-9]{40,80}", "PRIVATE_KEY"),
    _form("b3BlbnNzaC1rZXktdjE", r"[A-Za-z0-9+/=]{40,8000}", "PRIVATE_KEY"),  # "openssh-key-v1" in base64
    _whole("eyJ", rf"(?<![{_URL}.])eyJ[{_URL}]{{8,}}\.[{_URL}]{{8,}}(?:\.[{_URL}]*){{0,3}}", "TOKEN"),  # JWT, JWE
    # A JWT behind a prefix: `sk.eyJ…` of Mapbox, `p.eyJ…` of Tinybird, `csp_eyJ…`.
    _whole(
        "eyJ",
        rf"(?<![{_URL}./])[{_WORD}]{{1,12}}[._-]eyJ[{_URL}]{{8,2000}}\.[{_URL}]{{8,4000}}(?:\.[{_URL}]{{8,2000}})?",
        "TOKEN",
    ),
    *(_form(prefix, rf"[{_WORD}]{{14}}(?![{_WORD}])", accepts=has_letter_and_digit) for prefix in ("rzp_live_", "rzp_test_")),
    # Atlassian: the checksum stands behind an equals sign.
    *(_form(prefix, rf"[{_URL}]{{60,400}}=[0-9A-F]{{8}}", "TOKEN") for prefix in ("ATATT3", "ATCTT3")),
    _whole("", rf"(?<![{_WORD}+/])[MNO][{_WORD}+/]{{43}}(?![{_WORD}+/=])", "TOKEN", _names_an_account),  # Jira
    _whole("-", rf"(?<![{_WORD}.-])\d{{1,3}}-[{_WORD}]{{64}}(?![{_WORD}-])", "API_KEY", _is_base62),  # TrueNAS
    _whole("1000.", r"(?<![\w.])1000\.[0-9a-f]{32}\.[0-9a-f]{32}(?!\w)", "TOKEN"),  # Zoho
    _whole("v1.0-", r"(?<![\w.])v1\.0-[0-9a-f]{24,64}-[0-9a-f]{64,200}(?!\w)", "API_KEY"),  # Cloudflare, for servers of origin
    _whole(":", r"(?<![\w/])[012]/\d{10,20}(?:/\d{10,20})?:[0-9a-f]{32}(?!\w)", "TOKEN"),  # Asana
    *(_whole(f"{mark}.", rf"(?<![\w.$]){mark}\.[{_WORD}]{{24,26}}(?![\w.(])", "TOKEN", looks_random) for mark in "sb"),  # Vault
    _form("3MVG9", rf"[{_URL}.]{{50,120}}"),  # Salesforce
    _whole("00D", r"(?<!\w)00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{60,160}", "TOKEN"),
    _form("5Aep861", rf"[{_URL}.]{{40,120}}", "TOKEN"),
    *(_form(prefix, r"[0-9a-f]{26}(?!\w)") for prefix in ("EXO",)),  # Exoscale
    *(_form(prefix, r"[A-Za-z0-9_-]{12,60}[0-9a-f-]{12}", accepts=_has_long_part) for prefix in ("PRD-", "SBX-")),  # eBay
    *(_form(prefix, rf"[{_URL}]{{40}}(?!\w)", "TOKEN", looks_random) for prefix in ("live_", "sandbox_")),  # GoCardless
    *(_form(prefix, r"[0-9a-f]{31,35}(?!\w)") for prefix in ("live_", "test_", "live_pub_", "test_pub_")),  # Lob
    _form("md-", rf"(?=[{_URL}]{{0,20}}[A-Z])[{_URL}]{{22}}(?![{_URL}])", accepts=looks_random),  # Mandrill
    _form("BSA", rf"(?=[{_URL}]{{0,26}}\d)[{_URL}]{{27,28}}(?![{_URL}])", accepts=looks_random),  # Brave
    _form("YC", rf"[{_URL}]{{38}}(?![{_URL}])", "SECRET", looks_random),  # Yandex
    _whole("t1.", rf"(?<![\w.])t1\.[A-Z0-9a-z_-]{{20,400}}={{0,2}}\.[{_URL}]{{86}}={{0,2}}", "TOKEN"),
    _whole("jsn", r"(?<!\w)[0-9a-z]{10}msh[0-9a-z]{15}p1[0-9a-z]{5}jsn[0-9a-z]{12}(?!\w)", "API_KEY"),  # RapidAPI
    _whole("_mmk", rf"(?<!\w)[{_WORD}]{{6}}_[{_WORD}]{{29}}_mmk(?!\w)", "API_KEY"),  # MaxMind
    _whole("sandbox_", r"(?<!\w)(?:sandbox|production)_[a-z0-9]{8}_[a-z0-9]{16}(?!\w)", "API_KEY"),  # Braintree
    _whole("production_", r"(?<!\w)production_[a-z0-9]{8}_[a-z0-9]{16}(?!\w)", "API_KEY"),
    _whole("JQQJ99", rf"(?<![{_WORD}])[{_WORD}]{{52}}JQQJ99[{_WORD}]{{14,30}}(?![{_WORD}])", "API_KEY"),  # Azure
    _whole("J99", rf"(?<![{_WORD}])[{_WORD}]{{40,60}}JQQJ9[0-9][{_WORD}]{{20,34}}(?![{_WORD}])", "API_KEY"),
    *(
        _whole(
            mark, rf"(?<![{_WORD}+/])[{_WORD}+/]{{32,80}}{re.escape(mark)}[{_WORD}+/]{{4,10}}={{0,2}}(?![{_WORD}=])", "API_KEY"
        )
        for mark in ("+ASt", "AzSe", "+ARm", "+ACR", "+AMC", "ACDb", "AzFu", "AIoT", "+AEh")
    ),  # Azure: what the key is for stands near its end
    _whole("AZDO", rf"(?<![{_WORD}])[{_WORD}]{{70,80}}AZDO[{_WORD}]{{4,8}}(?![{_WORD}])", "TOKEN"),  # Azure DevOps
    _form("4b1d", rf"[{_WORD}]{{38}}(?![{_WORD}])", accepts=_is_base62),  # ClickHouse
    *(
        _whole(
            name,
            rf"(?<!\w)[0-9a-f]{{8}}:[0-9a-f]{{8}}(?=@[\w.-]{{0,40}}{name})|(?<={name}__COM)=[0-9a-f]{{8}}:[0-9a-f]{{8}}",
            "TOKEN",
        )
        for name in ("contribsys", "CONTRIBSYS")
    ),
    _whole("-", r"(?<![\w-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])", "API_KEY"),  # Mailgun
    *(_form(prefix, r"[0-9a-f]{32}(?!\w)", "TOKEN") for prefix in ("dkea", "dose", "dsec")),  # Databricks
    _form("NRJS-", r"[0-9a-f]{19}(?!\w)"),
    *(_form(prefix, rf"[{_WORD}]{{20}}(?!\w)", "TOKEN", _is_base62) for prefix in ("lip_", "lio_")),  # Lichess
    *(_form(prefix, rf"[{_WORD}]{{16}}(?!\w)", "TOKEN", has_letter_and_digit) for prefix in ("sm_aat_", "sm_pat_", "sm_sat_")),
    _form("AVNS_", rf"[{_URL}]{{19}}(?!\w)", "PASSWORD", has_letter_and_digit),  # Aiven
    _form("CG-", rf"[{_WORD}]{{24}}(?![\w-])", accepts=_is_base62),  # CoinGecko
    _form("sl.u.", rf"[{_URL}]{{60,1200}}", "TOKEN", has_letter_and_digit),
    _whole("LLM|", rf"(?<!\w)LLM\|\d{{10,20}}\|[{_URL}]{{20,40}}", "TOKEN"),  # Meta
    _form("nsec1", r"[02-9ac-hj-np-z]{58}(?!\w)", "PRIVATE_KEY"),  # Nostr
    _form("RGAPI-", UUID.pattern),  # Riot
    _whole("vk1.", rf"(?<![\w.])vk1\.a\.[{_URL}]{{60,240}}", "TOKEN"),  # VK
    _form("key_", r"[0-9a-f]{28}(?!\w)"),  # Retell
    _form("AQE", r"(?=[A-Za-z0-9+/]{0,40}\d)[A-Za-z0-9+/]{60,200}={0,2}", accepts=looks_random),  # Adyen
    _whole(":APA91", rf"(?<![{_URL}])[{_URL}]{{7,40}}:APA91[{_URL}]{{60,200}}", "TOKEN"),  # Firebase
    _form("key_", r"[0-9a-f]{128}(?!\w)"),  # Runway
    *(_form(prefix, rf"{UUID.pattern}(?![\w-])", accepts=_always) for prefix in ("sdk-", "mob-", "api-")),  # LaunchDarkly
    _whole("pk.", r"(?<![\w.])pk\.[0-9a-f]{32}(?!\w)", "TOKEN"),  # LocationIQ
    # The private parts of a JSON Web Key.
    _whole('"kty"', r"(?<=\")(?:d|k|p|q|dp|dq|qi)\"[ ]?:[ ]?\"[A-Za-z0-9_-]{20,600}(?=\")", "PRIVATE_KEY"),
)
# The secrets that go with the names of accounts which are secret themselves: both are pasted together.
_COMPANIONS = {
    literal: re.compile(rf"(?<![A-Za-z0-9/+=]){form}(?![A-Za-z0-9/+=])")
    for literals, form in (
        (("AKIA", "ASIA"), "[A-Za-z0-9/+]{40}"),
        (("AC",), "[0-9a-f]{32}"),
        (("LTAI",), "[A-Za-z0-9]{30}"),
        (("AKID",), "[A-Za-z0-9]{32}"),
    )
    for literal in literals
}
_MASK = re.compile(r"([A-Za-z_*.#])\1{7}|(\d)\2{13}|(?:YOUR|your|my)[-_]\w|[-_]HERE|-here\b")
"""What no key holds: eight times the same letter, fourteen times the same figure, words to the reader."""


_AZURE_ZEROS = re.compile(r"(?<=[A-Za-z0-9]{52})A{8,24}(?=[A-Z0-9])")
"""In the middle of Azure's keys a number is written in base64, mostly zeros."""


# No key is shorter or holds a blank: only what stands in such runs has to be looked for.
_RUN = re.compile(r"[!-~]{14,}")


def find_provider_keys(text: str) -> Iterator[Redaction]:
    runs = " ".join(_RUN.findall(text))
    for form in _FORMS:
        if form.literal not in runs:
            continue
        for match in form.pattern.finditer(text):
            if not form.accepts(match.group()) or _MASK.search(_AZURE_ZEROS.sub("", match.group())):
                continue
            yield Redaction(match.start(), match.end(), form.label)
            companion = _COMPANIONS.get(form.literal)
            secret = companion.search(text, match.end(), match.end() + 200) if companion else None
            if secret and has_letter_and_digit(secret.group()):
                yield Redaction(secret.start(), secret.end(), "SECRET")
