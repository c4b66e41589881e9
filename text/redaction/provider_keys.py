"""Keys that show by their form who gave them out."""

import re
from collections.abc import Iterator

from .key_forms import (
    URL,
    WORD,
    Form,
    always,
    ends_in_a_draw,
    form,
    has_dense_part,
    has_figures,
    has_long_part,
    is_base62,
    is_long_or_drawn,
    is_mixed,
    names_an_account,
    whole,
)
from .randomness import UUID, has_letter_and_digit, looks_random
from .spans import Redaction

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
_FORMS: tuple[Form, ...] = (
    form("sk-", rf"[{URL}]{{16,400}}", accepts=has_dense_part),  # OpenAI, Anthropic, DeepSeek, Moonshot, DashScope …
    *(
        form(prefix, r"(?!\w{9}EXAMPLE)[A-Z0-9]{16}(?![A-Za-z0-9])")
        for prefix in ("AKIA", "ASIA", "ABIA", "ACCA", "AROA", "AIDA", "A3TX")
    ),
    *(form(prefix, rf"[{WORD}]{{30,255}}", "TOKEN") for prefix in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    whole("ghs_", rf"ghs_\d{{1,12}}_eyJ[{URL}.]{{30,2000}}", "TOKEN"),
    form("github_pat_", r"[A-Za-z0-9_]{22,255}", "TOKEN"),
    *(
        form(prefix, rf"[{URL}.]{{18,300}}", "TOKEN")
        for prefix in ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-", "glft-", "glagent-", "gloas-")
    ),
    whole("xox", rf"xox(?<![{WORD}]xox)[abcdeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{{10,255}}", "TOKEN", has_figures),
    form("xapp-", r"[A-Za-z0-9-]{20,255}", "TOKEN"),
    whole("hooks.slack.com/", r"(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[\w/-]{20,200}", "TOKEN"),
    form("AIza", rf"[{URL}]{{35}}"),
    form("ya29.", rf"[{URL}]{{20,400}}", "TOKEN"),
    form("GOCSPX-", rf"[{URL}]{{20,60}}", "SECRET"),
    form("1//0", rf"[{URL}]{{30,200}}", "TOKEN", has_dense_part),
    *(form(prefix + mode, rf"[{WORD}]{{16,255}}") for prefix in ("sk_", "rk_", "pk_") for mode in ("live_", "test_", "prod_")),
    form("whsec_", r"[A-Za-z0-9+/=]{20,100}", "SECRET"),
    whole(":A", rf"(?<![{WORD}])(?:bot)?\d{{6,12}}:A[{URL}]{{32,40}}(?![{URL}])", "TOKEN"),  # Telegram
    form("hf_", rf"[{WORD}]{{28,64}}", "TOKEN", is_mixed),
    form("npm_", rf"[{WORD}]{{30,64}}", "TOKEN"),
    form("pypi-", rf"[{URL}]{{50,500}}", "TOKEN"),
    *(
        form(prefix, rf"[{WORD}]{{20,128}}")
        for prefix in ("gsk_", "xai-", "r8_", "tvly-", "tvly-dev-", "pplx-", "fw_", "csk-", "nvapi-")
    ),
    whole("SG.", rf"SG\.(?<![{WORD}]SG\.)[{URL}]{{16,32}}\.[{URL}]{{16,64}}", "API_KEY"),
    whole("SK", rf"SK(?<![{WORD}]SK)[0-9a-f]{{32}}(?![{WORD}])", "API_KEY"),  # Twilio
    whole(".", rf"(?<![{URL}.])[MNO][{URL}]{{22,27}}\.[{URL}]{{6}}\.[{URL}]{{27,45}}(?![{URL}])", "TOKEN", has_letter_and_digit),
    whole("api/webhooks/", r"(?<=api/webhooks/)\d{15,22}/[\w-]{40,100}", "TOKEN"),  # Discord
    whole("bot/v2/hook/", r"(?<=bot/v2/hook/)[\w-]{30,60}", "TOKEN"),  # Feishu
    form("SEC", r"[0-9a-f]{64}(?![0-9a-f])", "SECRET"),  # DingTalk
    *(form(prefix, rf"[{WORD}]{{12,40}}", accepts=has_letter_and_digit) for prefix in ("LTAI", "AKID", "AKLT")),
    *(form(prefix, rf"[{WORD}]{{32,128}}") for prefix in ("dop_v1_", "doo_v1_", "shpat_", "shpss_", "shpca_", "shppa_")),
    *(form(prefix, rf"[{WORD}]{{36,64}}") for prefix in ("ntn_", "secret_", "lin_api_", "lin_oauth_")),
    *(form(prefix, rf"[{URL}.$/]{{20,400}}", "TOKEN", is_long_or_drawn) for prefix in _PREFIXES),
    whole("Atz", r"Atz[ar]\|[\w/+=-]{40,2000}", "TOKEN"),  # Amazon
    whole("v^1.1#", r"v\^1\.1#i\^1#[^\s\"'<>，。；]{40,4000}", "TOKEN"),  # eBay
    form("key_", r"[0-9a-f]{64}(?!\w)"),  # Cursor
    whole("NRAL", r"(?<!\w)(?:[a-z]{2}\d{2}xx[0-9a-f]{24,40}|[0-9a-f]{36})NRAL(?!\w)", "API_KEY"),  # New Relic
    *(form(prefix, r"[A-Za-z0-9]{20,64}(?!\w)") for prefix in ("key_live_", "key_test_")),  # Branch
    whole("endr+", r"endr\+[A-Za-z0-9]{16,32}(?!\w)", "API_KEY"),  # Endor Labs
    whole("|", r"(?<![\w|])\d{13,17}\|(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{24,40}(?![\w|-])", "TOKEN"),  # Meta's apps
    form("sntrys_", r"[A-Za-z0-9+/_-]{20,400}={1,2}_[A-Za-z0-9+/_-]{20,200}", "TOKEN"),
    form("fc-", r"[0-9a-f]{32}(?![A-Za-z0-9])"),  # Firecrawl
    form("cio", r"[A-Za-z0-9]{32}(?![A-Za-z0-9])", "TOKEN", has_letter_and_digit),  # crates.io
    form("oy2", r"[a-z0-9]{43}(?![A-Za-z0-9])", "TOKEN", has_letter_and_digit),  # NuGet
    form("sl.", rf"[{URL}]{{60,400}}", "TOKEN", has_letter_and_digit),  # Dropbox
    form("SCT", r"\d{1,8}T[A-Za-z0-9]{16,40}", "TOKEN"),  # ServerChan
    form("pat-", rf"(?:na|eu)\d-{UUID.pattern}", "TOKEN"),  # HubSpot
    form("re_", rf"[{WORD}]{{8}}_[{WORD}]{{20,32}}", accepts=has_letter_and_digit),  # Resend
    whole("Q~", rf"(?<![{URL}.~])[{URL}.~]{{3}}\dQ~[{URL}.~]{{31,34}}(?![{URL}~])", "SECRET"),  # Microsoft Entra
    whole(".atlasv1.", rf"(?<![{WORD}])[{WORD}]{{14}}\.atlasv1\.[{URL}]{{40,80}}", "TOKEN"),  # Terraform Cloud
    whole("pat", rf"pat(?<![{WORD}]pat)[{WORD}]{{14}}\.[0-9a-f]{{64}}", "TOKEN"),  # Airtable
    whole("AC", rf"AC(?<![{WORD}]AC)[0-9a-f]{{32}}(?![{WORD}])", "API_KEY"),  # Twilio, the account
    whole("sk_", r"sk_(?<![A-Za-z0-9]sk_)[0-9a-f]{40,64}(?![A-Za-z0-9])", "API_KEY"),  # ElevenLabs
    # Licences, and the keys of Tencent's maps.
    whole("-", r"(?<![A-Za-z0-9-])(?:[A-Z0-9]{5}-){4,5}[A-Z0-9]{5}(?![A-Za-z0-9-])", "API_KEY", has_letter_and_digit),
    # Whoever gave it out: a word that says what it is, then a run drawn by lot.
    *(
        whole(
            mark,
            rf"(?<![{WORD}])(?:sk|pat|apikey|secret|token|tok|tkn|"
            rf"key){mark}(?:v?\d{{1,2}}{mark})?[{WORD}]{{20,200}}(?![{WORD}])",
            "API_KEY",
            ends_in_a_draw,
        )
        for mark in "_-"
    ),
    form("AKCp", rf"[{WORD}]{{10,80}}"),  # Artifactory
    form("EAA", rf"[{WORD}]{{60,400}}", "TOKEN", has_letter_and_digit),  # Meta
    form("A3-", r"[A-Z0-9]{6}-[A-Z0-9]{6}(?:-?[A-Z0-9]{5}){3,4}(?![A-Za-z0-9])", "SECRET"),  # 1Password
    form("access-", rf"(?:sandbox|development|production)-{UUID.pattern}", "TOKEN"),  # Plaid
    whole("API-", r"(?<![A-Za-z0-9/])API-[A-Z0-9]{25,32}(?![A-Za-z0-9])", "API_KEY", has_letter_and_digit),  # Octopus
    form("ms-", UUID.pattern, "TOKEN"),  # ModelScope
    form("oauth:", r"[a-z0-9]{30}(?![A-Za-z0-9])", "TOKEN", has_letter_and_digit),  # Twitch
    form("mfa.", rf"[{URL}]{{60,100}}", "TOKEN"),  # Discord
    *(form(prefix, r"[A-Za-z0-9]{24}(?![A-Za-z0-9])", accepts=has_letter_and_digit) for prefix in ("app-", "dataset-")),  # Dify
    *(form(prefix, r"[A-Za-z0-9]{22}(?![A-Za-z0-9])", "TOKEN", looks_random) for prefix in ("ak-", "as-")),  # Modal
    form("pa-", rf"[{URL}]{{43}}(?![{URL}])", accepts=has_dense_part),  # Voyage
    whole("pk_", rf"pk_(?<![{WORD}]pk_)\d{{6,10}}_[A-Z0-9]{{32}}(?![{WORD}])", "TOKEN"),  # ClickUp
    whole("st.", r"(?<![A-Za-z0-9.])st\.[0-9a-f-]{24,36}\.[0-9a-f]{32}", "TOKEN"),  # Infisical
    whole("pat.", rf"(?<![{WORD}.])[ps]at\.[{URL}]{{22}}\.[0-9a-f]{{24}}\.[{WORD}]{{20}}", "TOKEN"),  # Harness
    form("sctp", r"\d{1,8}t[a-z0-9]{16,40}", "TOKEN"),  # ServerChan
    form("SCU", r"\d{1,8}T[a-z0-9]{32,60}", "TOKEN"),
    form("dapi", r"[0-9a-f]{32}", "TOKEN"),
    form("key-", r"[0-9a-f]{32}(?![0-9a-f])"),  # Mailgun
    whole("-us", rf"(?<![{WORD}])[0-9a-f]{{32}}-us\d{{1,2}}(?![{WORD}])", "API_KEY"),  # Mailchimp
    whole(".", rf"(?<![{WORD}.])[0-9a-f]{{32}}\.[{WORD}]{{16}}(?![{WORD}.])", "API_KEY", has_letter_and_digit),  # Zhipu
    form("AGE-SECRET-KEY-1", r"[A-Z0-9]{40,80}", "PRIVATE_KEY"),
    form("b3BlbnNzaC1rZXktdjE", r"[A-Za-z0-9+/=]{40,8000}", "PRIVATE_KEY"),  # "openssh-key-v1" in base64
    whole("eyJ", rf"(?<![{URL}.])eyJ[{URL}]{{8,}}\.[{URL}]{{8,}}(?:\.[{URL}]*){{0,3}}", "TOKEN"),  # JWT, JWE
    # A JWT behind a prefix: `sk.eyJ…` of Mapbox, `p.eyJ…` of Tinybird, `csp_eyJ…`.
    whole(
        "eyJ",
        rf"(?<![{URL}./])[{WORD}]{{1,12}}[._-]eyJ[{URL}]{{8,2000}}\.[{URL}]{{8,4000}}(?:\.[{URL}]{{8,2000}})?",
        "TOKEN",
    ),
    *(form(prefix, rf"[{WORD}]{{14}}(?![{WORD}])", accepts=has_letter_and_digit) for prefix in ("rzp_live_", "rzp_test_")),
    # Atlassian: the checksum stands behind an equals sign.
    *(form(prefix, rf"[{URL}]{{60,400}}=[0-9A-F]{{8}}", "TOKEN") for prefix in ("ATATT3", "ATCTT3")),
    whole("", rf"(?<![{WORD}+/])[MNO][{WORD}+/]{{43}}(?![{WORD}+/=])", "TOKEN", names_an_account),  # Jira
    whole("-", rf"(?<![{WORD}.-])\d{{1,3}}-[{WORD}]{{64}}(?![{WORD}-])", "API_KEY", is_base62),  # TrueNAS
    whole("1000.", r"(?<![\w.])1000\.[0-9a-f]{32}\.[0-9a-f]{32}(?!\w)", "TOKEN"),  # Zoho
    whole("v1.0-", r"(?<![\w.])v1\.0-[0-9a-f]{24,64}-[0-9a-f]{64,200}(?!\w)", "API_KEY"),  # Cloudflare, for servers of origin
    whole(":", r"(?<![\w/])[012]/\d{10,20}(?:/\d{10,20})?:[0-9a-f]{32}(?!\w)", "TOKEN"),  # Asana
    *(whole(f"{mark}.", rf"(?<![\w.$]){mark}\.[{WORD}]{{24,26}}(?![\w.(])", "TOKEN", looks_random) for mark in "sb"),  # Vault
    form("3MVG9", rf"[{URL}.]{{50,120}}"),  # Salesforce
    whole("00D", r"(?<!\w)00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{60,160}", "TOKEN"),
    form("5Aep861", rf"[{URL}.]{{40,120}}", "TOKEN"),
    *(form(prefix, r"[0-9a-f]{26}(?!\w)") for prefix in ("EXO",)),  # Exoscale
    *(form(prefix, r"[A-Za-z0-9_-]{12,60}[0-9a-f-]{12}", accepts=has_long_part) for prefix in ("PRD-", "SBX-")),  # eBay
    *(form(prefix, rf"[{URL}]{{40}}(?!\w)", "TOKEN", looks_random) for prefix in ("live_", "sandbox_")),  # GoCardless
    *(form(prefix, r"[0-9a-f]{31,35}(?!\w)") for prefix in ("live_", "test_", "live_pub_", "test_pub_")),  # Lob
    form("md-", rf"(?=[{URL}]{{0,20}}[A-Z])[{URL}]{{22}}(?![{URL}])", accepts=looks_random),  # Mandrill
    form("BSA", rf"(?=[{URL}]{{0,26}}\d)[{URL}]{{27,28}}(?![{URL}])", accepts=looks_random),  # Brave
    form("YC", rf"[{URL}]{{38}}(?![{URL}])", "SECRET", looks_random),  # Yandex
    whole("t1.", rf"(?<![\w.])t1\.[A-Z0-9a-z_-]{{20,400}}={{0,2}}\.[{URL}]{{86}}={{0,2}}", "TOKEN"),
    whole("jsn", r"(?<!\w)[0-9a-z]{10}msh[0-9a-z]{15}p1[0-9a-z]{5}jsn[0-9a-z]{12}(?!\w)", "API_KEY"),  # RapidAPI
    whole("_mmk", rf"(?<!\w)[{WORD}]{{6}}_[{WORD}]{{29}}_mmk(?!\w)", "API_KEY"),  # MaxMind
    whole("sandbox_", r"(?<!\w)(?:sandbox|production)_[a-z0-9]{8}_[a-z0-9]{16}(?!\w)", "API_KEY"),  # Braintree
    whole("production_", r"(?<!\w)production_[a-z0-9]{8}_[a-z0-9]{16}(?!\w)", "API_KEY"),
    whole("JQQJ99", rf"(?<![{WORD}])[{WORD}]{{52}}JQQJ99[{WORD}]{{14,30}}(?![{WORD}])", "API_KEY"),  # Azure
    whole("J99", rf"(?<![{WORD}])[{WORD}]{{40,60}}JQQJ9[0-9][{WORD}]{{20,34}}(?![{WORD}])", "API_KEY"),
    *(
        whole(mark, rf"(?<![{WORD}+/])[{WORD}+/]{{32,80}}{re.escape(mark)}[{WORD}+/]{{4,10}}={{0,2}}(?![{WORD}=])", "API_KEY")
        for mark in ("+ASt", "AzSe", "+ARm", "+ACR", "+AMC", "ACDb", "AzFu", "AIoT", "+AEh")
    ),  # Azure: what the key is for stands near its end
    whole("AZDO", rf"(?<![{WORD}])[{WORD}]{{70,80}}AZDO[{WORD}]{{4,8}}(?![{WORD}])", "TOKEN"),  # Azure DevOps
    form("4b1d", rf"[{WORD}]{{38}}(?![{WORD}])", accepts=is_base62),  # ClickHouse
    *(
        whole(
            name,
            rf"(?<!\w)[0-9a-f]{{8}}:[0-9a-f]{{8}}(?=@[\w.-]{{0,40}}{name})|(?<={name}__COM)=[0-9a-f]{{8}}:[0-9a-f]{{8}}",
            "TOKEN",
        )
        for name in ("contribsys", "CONTRIBSYS")
    ),
    whole("-", r"(?<![\w-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![\w-])", "API_KEY"),  # Mailgun
    *(form(prefix, r"[0-9a-f]{32}(?!\w)", "TOKEN") for prefix in ("dkea", "dose", "dsec")),  # Databricks
    form("NRJS-", r"[0-9a-f]{19}(?!\w)"),
    *(form(prefix, rf"[{WORD}]{{20}}(?!\w)", "TOKEN", is_base62) for prefix in ("lip_", "lio_")),  # Lichess
    *(form(prefix, rf"[{WORD}]{{16}}(?!\w)", "TOKEN", has_letter_and_digit) for prefix in ("sm_aat_", "sm_pat_", "sm_sat_")),
    form("AVNS_", rf"[{URL}]{{19}}(?!\w)", "PASSWORD", has_letter_and_digit),  # Aiven
    form("CG-", rf"[{WORD}]{{24}}(?![\w-])", accepts=is_base62),  # CoinGecko
    form("sl.u.", rf"[{URL}]{{60,1200}}", "TOKEN", has_letter_and_digit),
    whole("LLM|", rf"(?<!\w)LLM\|\d{{10,20}}\|[{URL}]{{20,40}}", "TOKEN"),  # Meta
    form("nsec1", r"[02-9ac-hj-np-z]{58}(?!\w)", "PRIVATE_KEY"),  # Nostr
    form("RGAPI-", UUID.pattern),  # Riot
    whole("vk1.", rf"(?<![\w.])vk1\.a\.[{URL}]{{60,240}}", "TOKEN"),  # VK
    form("key_", r"[0-9a-f]{28}(?!\w)"),  # Retell
    form("AQE", r"(?=[A-Za-z0-9+/]{0,40}\d)[A-Za-z0-9+/]{60,200}={0,2}", accepts=looks_random),  # Adyen
    whole(":APA91", rf"(?<![{URL}])[{URL}]{{7,40}}:APA91[{URL}]{{60,200}}", "TOKEN"),  # Firebase
    form("key_", r"[0-9a-f]{128}(?!\w)"),  # Runway
    *(form(prefix, rf"{UUID.pattern}(?![\w-])", accepts=always) for prefix in ("sdk-", "mob-", "api-")),  # LaunchDarkly
    whole("pk.", r"(?<![\w.])pk\.[0-9a-f]{32}(?!\w)", "TOKEN"),  # LocationIQ
    # The private parts of a JSON Web Key.
    whole('"kty"', r"(?<=\")(?:d|k|p|q|dp|dq|qi)\"[ ]?:[ ]?\"[A-Za-z0-9_-]{20,600}(?=\")", "PRIVATE_KEY"),
)
# The secrets that go with the names of accounts which are secret themselves: both are pasted together.
_COMPANIONS = {
    literal: re.compile(rf"(?<![A-Za-z0-9/+=]){body}(?![A-Za-z0-9/+=])")
    for literals, body in (
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
    for known in _FORMS:
        if known.literal not in runs:
            continue
        for match in known.pattern.finditer(text):
            if not known.accepts(match.group()) or _MASK.search(_AZURE_ZEROS.sub("", match.group())):
                continue
            yield Redaction(match.start(), match.end(), known.label)
            companion = _COMPANIONS.get(known.literal)
            secret = companion.search(text, match.end(), match.end() + 200) if companion else None
            if secret and has_letter_and_digit(secret.group()):
                yield Redaction(secret.start(), secret.end(), "SECRET")
