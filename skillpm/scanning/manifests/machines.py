"""The reader for containers that are made from a file: what of the machine they are given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.deeds import deeds_of
from skillpm.scanning.facts import FileFacts
from skillpm.scanning.manifests.remarks import Remark, Setting

_MAX_FOUND: Final = 100
_HOME: Final = (
    r"(?:~|\$\{?HOME\}?|\$\{(?:local)?Env:HOME\}|/home/[\w.-]{1,40}|/Users/[\w.-]{1,40}|/root)"
)
_START: Final = r"(?:^[ \t]{0,40}-[ \t]{1,4}[\"']?|\bsource[ \t]{0,2}[:=][ \t]{0,4}[\"']?|[\"'])"
_WHOLE: Final = regex(
    r"^[ \t]{1,40}privileged[ \t]{0,4}:[ \t]{0,4}[\"']?(?:true|yes|on)\b"
    r"|^[ \t]{1,40}pid[ \t]{0,4}:[ \t]{0,4}[\"']?host\b|--privileged\b|--pid[= ]host\b"
    rf"|{_START}/:/[\w/-]{{0,40}}|\bsource[=:] ?[\"']?/[\"']?(?:,|[ \t]{{0,20}}$)",
    re.MULTILINE | re.IGNORECASE,
)
_KEYS: Final = regex(
    rf"{_START}{_HOME}(?:/\.(?:ssh|aws|gnupg|kube|docker|config/gcloud|azure|claude|codex|netrc"
    r"|git-credentials|npmrc)\b[\w./-]{0,60}|/?(?=[:,]))",
    re.MULTILINE | re.IGNORECASE,
)
_SOCKET: Final = regex(
    r"/(?:var/)?run/(?:docker|containerd/containerd|crio/crio|podman/podman)\.sock\b"
)
_RULERS: Final = regex(
    r"traefik|portainer|watchtower|dozzle|autoheal|nginx-proxy|docker-gen|cadvisor|diun|ouroboros"
    r"|docker-socket-proxy|localstack|act_runner|gitlab-runner|testcontainers|dind|docker:|telegraf"
    r"|datadog|promtail|vector|fluent|homepage|yacht|lazydocker|jenkins",
    re.IGNORECASE,
)


def read_container(facts: FileFacts, setting: Setting) -> Iterator[Remark]:
    """Rights over the machine, folders with keys, and the socket of the engine."""
    del setting
    text = facts.layers[0].text
    rights = [found for found in _some(_WHOLE, text) if not _is_comment(text, found.start())]
    socket = next(_some(_SOCKET, text), None)
    mounts = any("/" in found[0] for found in rights)
    if rights and (mounts or socket or len(rights) > 1):
        yield Remark("privilege/host-opened", *rights[0].span(), rights[0][0].strip())
    elif rights:
        yield Remark("privilege/engine-opened", *rights[0].span(), rights[0][0].strip())
    if socket and not _RULERS.search(text):
        yield Remark("privilege/engine-opened", *socket.span())
    rule = "privilege/home-opened" if deeds_of(text).fetches else "privilege/home-lent"
    for found in _some(_KEYS, text):
        if not _is_comment(text, found.start()):
            yield Remark(rule, *found.span(), found[0].strip(" -\"'"))


def _is_comment(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at + 1].lstrip()
    return line.startswith(("#", "//"))


def _some(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for _, found in zip(range(_MAX_FOUND), pattern.finditer(text), strict=False):
        yield found
