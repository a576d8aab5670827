"""How far an address that packages come from can be trusted."""

from __future__ import annotations

import ipaddress
import re
from typing import Final
from urllib.parse import urlsplit

from skillpm.model.regex import regex
from skillpm.scanning.manifests.distance import distance_is_one
from skillpm.scanning.words import words

UNPROTECTED: Final = "supply-chain/unprotected-source"
THROWAWAY: Final = "supply-chain/throwaway-source"
UNKNOWN: Final = "supply-chain/unknown-source"
GIT: Final = "supply-chain/git-dependency"
IMITATED: Final = "supply-chain/imitated-source"

_SHORT: Final = regex(r"^(?:github|gitlab|bitbucket|gist):([\w.-]{1,80})/")
_OWNER_REPO: Final = regex(r"^([\w.-]{1,60})/[\w.-]{1,100}(?:#\S{1,100})?$")
_SCP: Final = regex(r"^(?:ssh://)?git@([\w.-]{1,120})[:/]([\w.-]{1,80})/")
_ADDRESS: Final = regex(r"^(?:git\+|hg\+|svn\+|bzr\+)?(?:https?|ssh|git|ftp)://", re.IGNORECASE)

_FORGES: Final = words(
    "github.com gitlab.com bitbucket.org codeberg.org git.sr.ht salsa.debian.org gitee.com"
    " huggingface.co gitlab.gnome.org gitlab.freedesktop.org dev.azure.com go.googlesource.com"
)
_INDEXES: Final = words(
    "pypi.org test.pypi.org pypi.python.org files.pythonhosted.org registry.npmjs.org"
    " registry.yarnpkg.com registry.npmmirror.com registry.npm.taobao.org npm.pkg.github.com"
    " npm.jsr.io jsr.io download.pytorch.org pypi.nvidia.com pypi.ngc.nvidia.com"
    " developer.download.nvidia.com urm.nvidia.com data.pyg.org wheels.vllm.ai docs.vllm.ai"
    " pypi.anaconda.org conda.anaconda.org repo.anaconda.com mirrors.aliyun.com"
    " pypi.tuna.tsinghua.edu.cn mirrors.tuna.tsinghua.edu.cn pypi.mirrors.ustc.edu.cn"
    " mirrors.cloud.tencent.com repo.huaweicloud.com pypi.doubanio.com rubygems.org crates.io"
    " index.crates.io static.crates.io proxy.golang.org sum.golang.org repo.maven.apache.org"
    " repo1.maven.org maven.google.com plugins.gradle.org api.nuget.org packagist.org"
    " storage.googleapis.com objects.githubusercontent.com codeload.github.com deb.debian.org"
    " archive.ubuntu.com security.debian.org dl-cdn.alpinelinux.org packages.microsoft.com"
    " download.docker.com cdn.playwright.dev playwright.azureedge.net nodejs.org python.org"
    " www.python.org cdn.sheetjs.com registry.bit.cloud esm.sh unpkg.com cdn.jsdelivr.net"
    " deno.land extension.js.org apt.releases.hashicorp.com pkg.jenkins.io repo.spring.io"
)
_INDEX_SUFFIXES: Final = (
    ".pkg.dev", ".jfrog.io", ".pkgs.visualstudio.com", "pkgs.dev.azure.com", ".amazonaws.com",
    ".cloudsmith.io", ".fury.io", ".gemfury.com", ".tsinghua.edu.cn", ".pythonhosted.org",
    ".npmjs.org", ".nvidia.com", ".anaconda.org", ".googlesource.com", ".debian.org",
    ".ubuntu.com", ".pytorch.org", ".jetson-ai-lab.io", ".jetson-ai-lab.dev", ".apache.org",
    ".r-project.org", ".posit.co",
)  # fmt: skip
_THROWAWAY: Final = regex(
    r"^(?:.{0,60}\.)?(?:ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|serveo\.net|loca\.lt"
    r"|localhost\.run"
    r"|pastebin\.com|paste\.ee|rentry\.(?:co|org)|hastebin\.com|dpaste\.(?:com|org)|transfer\.sh"
    r"|file\.io"
    r"|0x0\.st|temp\.sh|bashupload\.com|catbox\.moe|litterbox\.catbox\.moe|gofile\.io"
    r"|anonfiles\.com"
    r"|cdn\.discordapp\.com|media\.discordapp\.net|webhook\.site|requestbin\.(?:com|net)"
    r"|pipedream\.net"
    r"|bit\.ly|tinyurl\.com|is\.gd|t\.ly|cutt\.ly|rb\.gy|shorturl\.at|glot\.io|telegra\.ph"
    r"|mediafire\.com"
    r"|mega\.nz|sendspace\.com|oast\.(?:fun|me|live|pro|site|online)|interact\.sh)$"
)
_STANDS_FOR: Final = regex(
    r"(?:^|[.-])(?:your|my)-?(?:company|org|organization|domain|registry|server|host|corp|internal)"
    r"\b|^(?:[\w-]{1,40}\.)?company\.com$"
)
_IMITATED: Final = regex(
    r"^(?:.{0,80}\.)?(?:npmjs|npm-?registry|pythonhosted|pypi-?python|rubygems|yarnpkg"
    r"|crates-?io|pypi-?org)"
    r"\.(?:[a-z]{2,12})(?:\.[a-z]{2})?$"
)
_LOCAL: Final = regex(
    r"^(?:localhost|.{0,80}\.(?:local|internal|localhost|lan|corp|test|invalid))$"
)


def judge(address: str, own: frozenset[str]) -> str:
    """The rule that an address of a package falls under; "" for one that is beyond suspicion.

    Names of files, versions and shorthands of forges are understood too; what is no address at
    all has no rule.
    """
    text = address.strip().strip("\"'")
    short = _SHORT.match(text) or _OWNER_REPO.match(text)
    scp = _SCP.match(text)
    if scp:
        return _of_host(scp[1].lower(), f"{scp[1]}/{scp[2]}".lower(), own, index=False)
    if short:
        return GIT
    if not _ADDRESS.match(text):
        return ""
    return _of_url(text, own)


def host_of(address: str) -> str:
    """The host of an address, lower case; "" when it has none."""
    try:
        return (urlsplit(address.strip().strip("\"'")).hostname or "").lower()
    except ValueError:
        return ""


def _of_url(text: str, own: frozenset[str]) -> str:
    scheme, _, rest = text.lower().partition("://")
    host = host_of(f"https://{rest}")
    path = rest.partition("/")[2]
    if not host or "$" in host or "{" in host or "<" in host:
        return ""
    if _is_local(host) or _STANDS_FOR.search(host):
        return ""
    if _is_address(host):
        return UNPROTECTED
    if _THROWAWAY.match(host):
        return THROWAWAY
    if scheme.rpartition("+")[2] in ("http", "git", "ftp"):
        return UNPROTECTED
    return _of_host(host, f"{host}/{path.partition('/')[0]}", own, index=True)


def _of_host(host: str, owner: str, own: frozenset[str], *, index: bool) -> str:
    if host in own or owner in own:
        return ""
    if host in _FORGES:
        return GIT
    if index and (host in _INDEXES or host.endswith(_INDEX_SUFFIXES)):
        return ""
    return IMITATED if _is_imitated(host) else UNKNOWN


def _is_imitated(host: str) -> bool:
    """Whether a host has the name of an index, with another ending, in front, or one letter off."""
    known = host in _INDEXES or host.endswith(("npmjs.com", "rubygems.org", "npmjs.org"))
    return not known and (
        bool(_IMITATED.match(host))
        or any(host.startswith(f"{one}.") or distance_is_one(host, one) for one in _INDEXES)
    )


def _is_local(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return bool(_LOCAL.match(host)) or "." not in host
    documentation = str(address).startswith(("203.0.113.", "198.51.100.", "192.0.2."))
    return (address.is_private or address.is_loopback) and not documentation


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
