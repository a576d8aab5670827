"""What a piece of text would do if it were run, told from a few words.

For places where running is the point (hooks, install scripts, start-up files), so that a word is
enough; elsewhere the rules and the front ends for code say more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from skillpm.model.regex import regex

MAX_TEXT: Final = 200_000

_FETCHES: Final = regex(
    r"\b(?:curl|wget|aria2c|urlopen|urlretrieve|urllib\.request|urllib2|http\.client|axios|node-fetch"
    r"|invoke-webrequest|invoke-restmethod|iwr|irm|downloadstring|downloadfile|start-bitstransfer"
    r"|certutil|bitsadmin|socket\.socket|create_connection|websocket|/dev/tcp|ncat?|nslookup)\b"
    r"|\b(?:requests|httpx|aiohttp|urllib3)\b[^\n]{0,80}\b(?:get|post|put|request|session)\b"
    r"|\bfetch\(|\bhttps?[\"'\\]{0,2}\)?\.(?:get|request)\(|\bfile_get_contents\([^\n]{0,8}https?:|/dev/(?:tcp|udp)/|\bopen-uri\b|net::http"
    r"|\b(?:ureq|reqwest|minreq|attohttpc|isahc|hyper)::",
    re.IGNORECASE,
)
_DECODES: Final = regex(
    r"\b(?:b(?:64|32|85)decode|a85decode|unhexlify|fromhex|zlib\.decompress|lzma\.decompress"
    r"|marshal\.loads|frombase64string|atob|codecs\.decode|rot13)\b"
    r"|\bbase(?:64|32)\b[^\n|;]{0,20}\s(?:-d|-D|--decode)\b|\bxxd\s{1,4}-r|\bopenssl\b[^\n|;]{0,40}\s-d\b"
    r"|buffer\.from\([^\n]{0,400}[\"'](?:base64|hex)[\"']|-enc(?:odedcommand)?\b|fromcharcode"
    r"|(?:\\x[0-9a-f]{2}){6}|\bchr\(\d{2,3}\)\s{0,4}\+",
    re.IGNORECASE,
)
_RUNS: Final = regex(
    r"\b(?:os\.system|os\.popen|os\.exec\w{1,3}|os\.spawn\w{1,4}|os\.startfile|subprocess|popen|pty\.spawn"
    r"|child_process|execsync|spawnsync|execfile|runpy|importlib|__import__|invoke-expression|iex"
    r"|osascript|mshta|rundll32|powershell|pwsh)\b|(?:^|[^.\w])(?:exec|eval|spawn)\s{0,4}\(|\bsystem\("
    r"|\b(?:ba|z|da)?sh\s{1,4}-c\b|\|\s{0,4}(?:sudo\s{1,4})?(?:ba|z|da)?sh\b|\bnode\s{1,4}-e\b"
    r"|\bpython[0-9.]{0,4}\s{1,4}-c\b|\beval\s{1,4}[\"'$`]|<\(\s{0,4}curl",
    re.IGNORECASE,
)
_HIDES: Final = regex(
    r">\s{0,2}/dev/null\s{1,4}2>&1\s{0,4}&|&>\s{0,2}/dev/null\s{0,4}&|\bnohup\b|\bdisown\b|\bsetsid\b"
    r"|-windowstyle\s{1,4}hidden|-w\s{1,4}hidden|\bcreationflags\b|detached:\s{0,4}true|start_new_session"
    r"|>\s{0,2}/tmp/\.|/\.cache/\.|/var/tmp/\.",
    re.IGNORECASE,
)
_SECRETS: Final = regex(
    r"\.ssh/|id_(?:rsa|ed25519|ecdsa)\b|\.aws/|\.netrc|\.git-credentials|\.npmrc|\.pypirc|\.gnupg"
    r"|\.kube/config|\.docker/config|\.config/gcloud|/etc/(?:passwd|shadow)|keychain|login data"
    r"|\.claude/\.credentials|\.claude\.json|\.codex/auth|\bprintenv\b|process\.env\b(?!\.)"
    r"|dict\(os\.environ\)|os\.environ\.(?:items|copy)|(?:^|[\s;|&])env\s{0,4}\||json\.dumps\([^\n]{0,30}environ",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Deeds:
    """Which kinds of deed the words of a text speak of."""

    fetches: bool
    decodes: bool
    runs: bool
    hides: bool
    secrets: bool

    @property
    def hostile(self) -> bool:
        """Whether it fetches or decodes something and runs it, or sends secrets away."""
        return (
            (self.runs and (self.fetches or self.decodes))
            or (self.fetches and (self.secrets or self.hides))
            or (self.decodes and self.hides)
        )

    @property
    def telling(self) -> str:
        """The deeds in words, for people."""
        pairs = (
            (self.fetches, "reaches the network"),
            (self.decodes, "decodes something"),
            (self.runs, "runs commands"),
            (self.hides, "works out of sight"),
            (self.secrets, "touches secrets"),
        )
        return ", ".join(words for holds, words in pairs if holds)


def deeds_of(text: str) -> Deeds:
    """The deeds of a text, judged by its first `MAX_TEXT` characters."""
    seen = text[:MAX_TEXT]
    return Deeds(
        fetches=bool(_FETCHES.search(seen)),
        decodes=bool(_DECODES.search(seen)),
        runs=bool(_RUNS.search(seen)),
        hides=bool(_HIDES.search(seen)),
        secrets=bool(_SECRETS.search(seen)),
    )
