"""What kind of place a URL or host is, and whether anybody known stands behind it."""

from __future__ import annotations

import enum
import ipaddress
import re
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE


class Place(enum.StrEnum):
    """Kinds of destinations, the least known last."""

    LOCAL = "this machine or its network"
    KNOWN = "a well-known service"
    NAMED = "a named host"
    CHOSEN = "a host chosen by the user or at run time"
    CHANNEL = "a channel of a chat service"
    SHORT = "a shortened or pasted address"
    ADDRESS = "a bare address"
    DROP = "a drop for anonymous data"


_AUTHORITY: Final = regex(r"^(?:[a-z][a-z0-9+.-]{1,20}://)?(?:[^/@\s]{0,80}@)?([^/?#\s]{1,255})")
_DROPS: Final = (
    "webhook.site", "requestbin.com", "requestbin.net", "pipedream.net", "requestcatcher.com",
    "hookbin.com", "beeceptor.com", "interact.sh", "oast.fun", "oast.me", "oast.live", "oast.pro",
    "oast.site", "oast.online", "oastify.com", "burpcollaborator.net", "canarytokens.com",
    "dnslog.cn", "ceye.io", "ngrok.io", "ngrok.app", "ngrok.dev", "ngrok-free.app",
    "ngrok-free.dev", "trycloudflare.com", "loca.lt", "localhost.run", "serveo.net", "bore.pub",
    "transfer.sh", "file.io", "0x0.st", "bashupload.com", "temp.sh", "termbin.com", "ix.io",
    "sprunge.us", "gofile.io", "anonfiles.com", "catbox.moe", "uguu.se", "tmpfiles.org",
)  # fmt: skip
_SHORTS: Final = (
    "pastebin.com", "paste.ee", "rentry.co", "rentry.org", "glot.io", "hastebin.com",
    "ghostbin.com", "dpaste.com", "dpaste.org", "controlc.com", "paste.rs", "bit.ly",
    "tinyurl.com", "is.gd", "cutt.ly", "t.ly", "shorturl.at", "rb.gy", "justpaste.it",
    "telegra.ph", "pastecode.io", "privatebin.net", "gist.githubusercontent.com",
)  # fmt: skip
_CHANNELS: Final = (
    "discord.com/api/webhooks", "discordapp.com/api/webhooks", "api.telegram.org/bot",
    "hooks.slack.com/services", "webhook.office.com", "open.feishu.cn/open-apis/bot",
    "oapi.dingtalk.com/robot", "qyapi.weixin.qq.com/cgi-bin/webhook",
)  # fmt: skip
_KNOWN: Final = (
    "github.com", "githubusercontent.com", "gitlab.com", "bitbucket.org", "codeberg.org",
    "pypi.org", "pythonhosted.org", "npmjs.org", "npmjs.com", "crates.io", "rubygems.org",
    "golang.org", "docker.io", "docker.com", "ghcr.io", "quay.io", "debian.org", "ubuntu.com",
    "anthropic.com", "claude.ai", "openai.com", "googleapis.com", "google.com", "azure.com",
    "microsoft.com", "windows.net", "amazonaws.com", "cloudflare.com", "huggingface.co",
    "nvidia.com", "wikipedia.org", "wikimedia.org", "mozilla.org", "python.org", "nodejs.org",
    "slack.com", "notion.com", "atlassian.net", "linear.app", "stripe.com", "sentry.io",
    "datadoghq.com", "mistral.ai", "cohere.ai", "openrouter.ai", "replicate.com", "groq.com",
    "elevenlabs.io", "brevo.com", "sendgrid.com", "twilio.com", "figma.com", "vercel.com",
    "netlify.com", "supabase.co", "x.ai", "perplexity.ai", "deepseek.com",
)  # fmt: skip
_METADATA: Final = frozenset(
    ("169.254.169.254", "169.254.170.2", "100.100.100.200", "fd00:ec2::254")
)
_LOCAL: Final = regex(r"^(?:localhost|.{0,80}\.(?:local|internal|lan|test|localhost|home\.arpa))$")


def host_of(address: str) -> str:
    """The host of a URL, of `user@host:path`, of `host:port`; lower case, "" when unknown."""
    found = _AUTHORITY.match(address.strip().strip("\"'").lower())
    if not found:
        return ""
    authority = found[1]
    if authority.startswith("["):
        return authority[1:].partition("]")[0]
    return authority.partition(":")[0].rstrip(".")


def place_of(address: str) -> Place:
    """What kind of place an address leads to."""
    text = address.strip().strip("\"'").lower()
    host = host_of(text)
    if any(channel in text for channel in _CHANNELS):
        return Place.CHANNEL
    if not host or HOLE in host or "$" in host or "{" in host or "<" in host:
        return Place.DROP if _below(host, _DROPS) else Place.CHOSEN
    address_kind = _numeric(host)
    if address_kind:
        return address_kind
    if _LOCAL.match(host) or "." not in host:
        return Place.LOCAL
    for kind, hosts in ((Place.DROP, _DROPS), (Place.SHORT, _SHORTS), (Place.KNOWN, _KNOWN)):
        if _below(host, hosts):
            return kind
    return Place.NAMED


def asks_metadata(address: str) -> bool:
    """Whether an address is that of a cloud's metadata service, in any of its spellings."""
    host = host_of(address)
    if host in ("metadata.google.internal", "metadata.goog", "metadata"):
        return True
    found = _as_number(host)
    if found is None:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found) in _METADATA


def domain_of(host: str) -> str:
    """The part of a host that its owner registered, by rule of thumb: its last two labels.

    Three when the last but one is a common second level (`co.uk`, `com.br`).
    """
    labels = host.split(".")
    second = len(labels) > 2 and labels[-2] in (
        "co",
        "com",
        "org",
        "net",
        "gov",
        "ac",
        "edu",
        "gob",
    )
    return ".".join(labels[-3 if second and len(labels[-1]) == 2 else -2 :])


def _below(host: str, hosts: tuple[str, ...]) -> bool:
    return any(host == known or host.endswith("." + known) for known in hosts)


def _as_number(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An IP address in any of its spellings: dotted, one number, hexadecimal, IPv6."""
    try:
        value: int | str = (
            int(host, 0) if re.fullmatch(r"0x[0-9a-f]{1,8}|[1-9]\d{7,9}", host) else host
        )
        return ipaddress.ip_address(value)
    except ValueError:
        return None


def _numeric(host: str) -> Place | None:
    address = _as_number(host)
    if address is None:
        return None
    documentation = str(address).startswith(("203.0.113.", "198.51.100.", "192.0.2."))
    near = address.is_private or address.is_loopback or address.is_link_local
    return Place.LOCAL if not documentation and (near or address.is_unspecified) else Place.ADDRESS
