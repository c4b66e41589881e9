"""Secrets in the paths of services' addresses: whoever knows the address may read, write or call."""

import re
from collections.abc import Iterator

from .placeholders import is_placeholder
from .randomness import UUID, has_letter_and_digit, is_hash, looks_random
from .spans import Redaction

_KEY = r"(?P<value>[A-Za-z0-9_-]{16,128})"
# What stands in the address, what comes before the secret, and where it ends.
_ADDRESSES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (literal, re.compile(rf"{re.escape(literal)}{between}{_KEY}(?![\w-])", re.I))
    for literal, between in (
        # Nodes of chains.
        ("infura.io/", r"(?:ws/)?v[23]/"),
        ("ipfs.infura.io", r"[^\s\"'<>]{0,40}/"),
        ("alchemyapi.io/", r"(?:nft/)?v[123]/"),
        ("alchemy.com/", r"(?:nft/)?v[123]/"),
        ("quiknode.pro/", r""),
        ("rpc.ankr.com/", r"(?:[\w-]{1,32}/){1,2}"),
        ("chainstack", r"[^\s/\"'<>]{0,40}/"),
        ("getblock.io/", r"(?:[\w-]{1,32}/){0,2}"),
        ("blastapi.io/", r""),
        ("moralis", r"[^\s/\"'<>]{0,40}/"),
        ("helius-rpc.com/", r"\?api-key="),
        ("nodereal.io/", r"v1/"),
        ("pokt.network/", r"v1/(?:lb/)?"),
        ("zmok.io/", r"(?:\w{1,20}/)?"),
        ("drpc.org/", r"(?:[\w-]{1,20}/){0,2}"),
        ("omniatech.io/", r"v1/(?:[\w-]{1,20}/){1,3}"),
        # Monitors, logs and alarms.
        ("hc-ping.com/", r""),
        ("healthchecks.io/ping/", r""),
        ("cronitor.link/", r"(?:p/)?"),
        ("heartbeat.uptimerobot.com/", r""),
        ("uptime.betterstack.com/api/v1/heartbeat/", r""),
        ("uptime.betterstack.com/api/v1/incoming-webhook/", r""),
        ("deadmanssnitch.com/", r""),
        ("nosnch.in/", r""),
        ("loggly.com/", r"(?:inputs|bulk)/"),
        ("sumologic.com/", r"receiver/v1/http/"),
        ("logs.datadoghq.com/", r"(?:api/v2|v1)/(?:logs|input)/"),
        ("pagerduty.com/", r"(?:integration|x-ere)/"),
        ("opsgenie.com/", r"[^\s\"'<>]{0,60}?apiKey="),
        ("victorops.com/", r"[^\s\"'<>]{0,60}?/alert/"),
        ("airbrake.io/api/v3/projects/", r"\d{1,9}/notices\?key="),
        ("sentry.io/api/", r"\d{1,16}/security/\?sentry_key="),
        ("ingest.signalfx.com/", r"[^\s\"'<>]{0,30}/"),
        ("statuspage.io/", r"[^\s\"'<>]{0,40}/"),
        # Automations and messengers.
        ("maker.ifttt.com/", r"(?:trigger/[\w-]{1,80}/(?:json/)?with/key|use)/"),
        ("hook.integromat.com/", r""),
        ("make.com/", r""),
        ("hooks.pipedream", r"[^\s/\"'<>]{0,20}/"),
        ("webhook.site/", r""),
        ("webhooks.fivetran.com/", r"[^\s\"'<>]{0,40}/"),
        ("flow.microsoft.com/", r"[^\s\"'<>]{0,80}/"),
        ("api.day.app/", r""),
        ("sctapi.ftqq.com/", r""),
        ("sc.ftqq.com/", r""),
        ("rocket.chat/hooks/", r"(?:\w{10,30}/)?"),
        ("open-apis/bot/v2/hook/", r""),
        ("open-apis/bot/hook/", r""),
        ("calendar.google.com/calendar/ical/", r"[^\s/\"'<>]{1,120}/private-"),
        ("netlify.com/build_hooks/", r""),
        ("vercel.com/v1/integrations/deploy/", r"(?:\w{10,40}/)?"),
        ("cloudflare.com/client/v4/pages/webhooks/deploy_hooks/", r""),
        ("render.com/deploy/", r"srv-\w{10,30}\?key="),
        ("codecov.io/", r"[^\s\"'<>]{0,80}\?token="),
        ("circleci.com/", r"[^\s\"'<>]{0,100}circle-token="),
        ("forestry.io/", r"[^\s\"'<>]{0,60}/"),
        ("ingest.", r"[^\s/\"'<>]{0,40}/api/v1/\w{1,20}/"),
        ("buildkite.com/v1/", r"[^\s\"'<>]{0,40}/"),
        ("codeship.com/projects/", r""),
        ("snyk.io/", r"[^\s\"'<>]{0,40}\?token="),
        # Devices.
        ("blynk", r"[^\s/\"'<>]{0,40}/(?!api/|external/)"),
        ("dweet.io/", r"[^\s\"'<>]{0,60}\?key="),
        ("particle.io/", r"[^\s\"'<>]{0,80}access_token="),
    )
)
# `…/api/v1/<token>/telemetry` on whatever host.
_OF_DEVICE = re.compile(rf"/api/v1/{_KEY}/(?:telemetry|attributes|rpc|claim|firmware)(?![\w-])")
# Webhooks of Teams: the parts behind the connector.
_TEAMS = re.compile(
    rf"(?:outlook\.office(?:365)?\.com/webhook|webhook\.office\.com/webhookb2)/(?P<value>{UUID.pattern}@{UUID.pattern}/[\w/-]{{20,160}})",
    re.I,
)


def find_in_addresses(text: str) -> Iterator[Redaction]:
    if "://" not in text and ".com/" not in text and ".io/" not in text:
        return
    folded = text.lower()
    for literal, pattern in _ADDRESSES:
        if literal in folded:
            for match in pattern.finditer(text):
                if _is_drawn(match["value"]):
                    yield Redaction(*match.span("value"), "TOKEN")
    if "/api/v1/" in folded:
        for match in _OF_DEVICE.finditer(text):
            if _is_drawn(match["value"]):
                yield Redaction(*match.span("value"), "TOKEN")
    if "webhook" in folded:
        yield from (Redaction(*match.span("value"), "TOKEN") for match in _TEAMS.finditer(text))


def _is_drawn(written: str) -> bool:
    if is_placeholder(written):
        return False
    return is_hash(written) or (has_letter_and_digit(written) and looks_random(re.sub("[_-]", "", written)))
