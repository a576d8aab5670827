"""What a path means to its user: a secret, a place that starts programs, a place to keep out of."""

from __future__ import annotations

import re
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE

_HOME: Final = regex(
    r"^(?:~[\w.-]*|\$\{?home\}?|\$env:(?:userprofile|home|appdata|localappdata)|%(?:userprofile|appdata"
    r"|localappdata|homepath)%|/home/[^/]{1,64}|/users/[^/]{1,64}|/root|[a-z]:/users/[^/]{1,64})(?=/|$)"
)
_SECRET: Final = regex(
    r"(?:^|/)(?:"
    r"\.ssh(?:/(?!(?:config|known_hosts|authorized_keys|.{0,80}\.pub)$).{0,80})?"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)"
    r"|\.aws(?:/(?:credentials|config|sso/.{1,80}|\*))?|\.azure(?:/.{0,80})?"
    r"|\.config/gcloud(?:/.{0,80})?|application_default_credentials\.json"
    r"|\.kube/config|\.docker/config\.json|\.netrc|_netrc|\.git-credentials|\.npmrc|\.pypirc"
    r"|\.gnupg(?:/.{0,80})?|\.password-store(?:/.{0,80})?|\.pgpass|\.my\.cnf"
    r"|\.config/gh/hosts\.yml|\.config/(?:solana|op|rclone)(?:/.{0,80})?|\.vault-token"
    r"|\.terraform\.d/credentials\.tfrc\.json|\.cargo/credentials(?:\.toml)?|\.gem/credentials"
    r"|\.(?:bash|zsh|python|psql|mysql|node_repl)_history|\.local/share/fish/fish_history"
    r"|\.claude/\.credentials\.json|\.claude\.json|\.codex/auth\.json|\.gemini/oauth_creds\.json"
    r"|\.openclaw/(?:credentials|openclaw\.json).{0,40}"
    r"|\.claude/(?:history\.jsonl|projects(?:/.{0,80})?)|\.codex/(?:history\.jsonl|sessions(?:/.{0,80})?)"
    r"|\.env(?:\.(?!example$|sample$|template$|dist$)[\w-]{1,24})?"
    r"|wallet\.dat|\.electrum(?:/.{0,80})?|\.bitcoin(?:/.{0,80})?|\.ethereum/keystore(?:/.{0,80})?"
    r"|\.(?:exodus|atomic|metamask|phantom)(?:/.{0,80})?"
    r"|(?:appdata(?:/roaming|/local)?|%(?:local)?appdata%|application support|\.config"
    r"|\.local/share)/"
    r"(?:exodus|electrum|atomic|ledger live|coinomi|guarda|bitcoin|litecoin|dogecoin|dashcore|zcash"
    r"|monero|bytecoin|armory|jaxx.{0,20}|com\.liberty\.jaxx|walletwasabi|ethereum/keystore"
    r"|binance|daedalus"
    r"|trezor suite|@trezor.{0,20}|com\.ledger\.live)(?:/.{0,120})?"
    r"|(?!(?:.{0,60}[-_.])?(?:ca|certs?|(?:full)?chain|bundle|root|pub|public|cacert|server-ca)(?:"
    r"[-_.].{0,40})?\.pem$)[\w.-]{1,80}\.pem|[\w.-]{1,80}\.(?:ppk|pfx|p12|jks)"
    r"|login data|logins\.json|key[34]\.db|cookies\.(?:sqlite|binarycookies)|local state|web data"
    r"|(?:google/chrome|google-chrome(?:-\w{1,10})?|chromium|bravesoftware"
    r"|vivaldi|opera software|microsoft/edge|mozilla/firefox|\.mozilla"
    r"|firefox/profiles)(?:/.{0,120})?"
    r"|keychains(?:/.{0,80})?|.{0,40}\.keychain(?:-db)?|.{0,60}\.kdbx|seed[-_]?phrase.{0,20}"
    r")$|^/etc/(?:shadow|gshadow|sudoers)$|^/proc/[^/]{1,12}/environ$"
)
_STARTUP: Final = regex(
    r"(?:^|/)(?:\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|kshrc"
    r"|cshrc|tcshrc|xprofile|xinitrc|xsession)|\.config/fish/(?:config\.fish|conf\.d/.{1,60})"
    r"|(?:microsoft\.)?(?:powershell_)?profile\.ps1|\.config/autostart/.{1,80}"
    r"|library/launch(?:agents|daemons)/.{1,80}|\.config/systemd/user/.{1,80}"
    r"|start menu/programs/startup.{0,80}|(?:site|user)customize\.py|.{1,60}\.pth"
    r"|\.git/hooks/.{1,40}|\.husky/.{1,40}|\.ssh/(?:rc|config|environment)"
    r"|\.pythonstartup|\.gitconfig|\.envrc)$"
    r"|^/etc/(?:profile|bash\.bashrc|zsh/.{1,20}|profile\.d/.{1,60}|crontab|cron\.[a-z.]{1,10}/.{1,60}|rc\.local"
    r"|init\.d/.{1,60}|systemd/system/.{1,80}|ld\.so\.preload|environment|sudoers(?:\.d/.{1,60})?)$"
    r"|^/var/spool/cron(?:/.{0,60})?$|^/(?:usr/)?lib/systemd/system/.{1,80}$"
)
_KEYS_TO_US: Final = regex(r"(?:^|/)\.ssh/authorized_keys2?$")
_AGENT: Final = regex(
    r"(?:^|/)(?:claude(?:\.local)?\.md|agents?\.md|gemini\.md|soul\.md|memory\.md|identity\.md|user\.md"
    r"|heartbeat\.md|\.cursorrules|\.windsurfrules|\.clinerules(?:/.{1,60})?|copilot-instructions\.md"
    r"|\.cursor/(?:rules/.{1,80}|mcp\.json|hooks\.json)|\.claude/(?:settings(?:\.local)?\.json|hooks/.{1,80}"
    r"|(?:agents|commands)/.{1,80})|\.claude\.json|\.codex/(?:config\.toml|agents\.md|hooks.{0,40})"
    r"|\.gemini/settings\.json|\.mcp\.json|mcp\.json|claude_desktop_config\.json|\.openclaw/.{1,80}"
    r"|\.vscode/(?:settings|tasks|mcp)\.json)$"
)
_BROWSER: Final = regex(
    r"(?:chrome|chromium|brave|edge|opera|vivaldi|arc|firefox|mozilla|librewolf|user data|default"
    r"|profiles?).{0,120}/(?:network/)?"
    r"(?:cookies|login data|web data|local state|logins\.json|key[34]\.db|cookies\.sqlite)$"
    r"|(?:^|/)cookies\.binarycookies$"
)
_SHADOWED: Final = regex(
    r"(?:^|/)(?:\.?local/s?bin|\.?bin|s?bin)/(?:sudo|su|doas|ssh|login|passwd|gpg|pinentry|ls|ps"
    r"|netstat|security|osascript)$"
)
_ANY_SKILL: Final = regex(
    r"(?:^|/)\.?(?:claude|codex|gemini|cursor|openclaw|agents|agent)/(?:workspace/)?skills/\*/"
)
_HARMLESS_LEAVES: Final = frozenset(
    {"node_modules", "dist", "build", "out", "target", "tmp", "temp", "cache", ".cache",
     "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".next", ".nuxt", ".turbo",
     ".parcel-cache", "coverage", ".coverage", "htmlcov", "venv", ".venv", "env", ".tox",
     ".gradle", "vendor", "bin", "obj", "public", "site", "_site", "logs", "log", "output",
     "outputs", "results", "artifacts", "generated"}
)  # fmt: skip
_SYSTEM: Final = regex(
    r"^(?:/\*|/(?:bin|boot|dev|etc|home|lib|lib64|opt|proc|root|sbin|srv|sys|usr|var|users|system|library"
    r"|applications|windows|mnt|media)?(?:/\*)?|/usr/(?:bin|lib|local|sbin|share)(?:/\*)?"
    r"|[a-z]:(?:/(?:windows|users|program files.{0,6})?)?(?:/\*)?)$"
)
_PERSONAL: Final = frozenset(
    {"documents", "desktop", "downloads", "pictures", "music", "movies", "videos", "library",
     ".ssh", ".aws", ".gnupg", ".config", ".local", "projects", "code", "work", "src", "repos",
     "dev"}
)  # fmt: skip


def normal(path: str) -> str:
    """A path with forward slashes, lower case, without `./`, doubled or trailing slashes."""
    text = (
        path.strip().strip("\"'").replace("\\", "/").replace("${HOME}", "~").replace("$HOME", "~")
    )
    text = re.sub(r"/{2,}", "/", text.lower())
    text = text.replace("/./", "/").removeprefix("./")
    return text.rstrip("/") or ("/" if text.startswith("/") else "")


def is_secret(path: str) -> bool:
    """Whether a file or folder holds keys, credentials, histories or other secrets of the user."""
    return bool(_SECRET.search(normal(path)))


def starts_programs(path: str) -> bool:
    """Whether what stands in the file is run later without being asked for."""
    return bool(_STARTUP.search(normal(path)))


def lets_in(path: str) -> bool:
    """Whether the file says who may log in."""
    return bool(_KEYS_TO_US.search(normal(path)))


def steers_agents(path: str) -> bool:
    """Whether the file gives an agent its instructions, tools or permissions."""
    return bool(_AGENT.search(normal(path)))


def is_browser_store(path: str) -> bool:
    """Whether a browser keeps cookies, logins or the keys to them in the file."""
    return bool(_BROWSER.search(normal(path)))


def shadows_command(path: str) -> bool:
    """Whether a program of that path is called instead of one that the user trusts."""
    return bool(_SHADOWED.search(normal(path)))


def is_any_skill(path: str) -> bool:
    """Whether a path stands for files of every skill that is installed."""
    return bool(_ANY_SKILL.search(normal(path)))


def is_vital(path: str) -> bool:
    """Whether deleting it with all that it holds destroys a machine or a person's files.

    The file system's root, system folders, a home folder, its best known folders, everything in
    them (`~/*`), something unknown in a home folder, or a path that begins with something unknown
    and ends with `/` or `/*`.
    """
    text = normal(path)
    if text in ("*", ".*", "..", "../*", ".git", HOLE + "/*", f"/{HOLE}", f"/{HOLE}/*"):
        return text != ".git"
    if _SYSTEM.match(text):
        return True
    home = _HOME.match(text)
    if not home:
        return False
    rest = text[home.end() :].strip("/").removesuffix("/*").removesuffix("*").strip("/")
    return rest in ("", HOLE) or rest in _PERSONAL


def is_build_output(path: str) -> bool:
    """Whether a path ends in a folder that is made anew at any time."""
    leaf = normal(path).removesuffix("/*").rpartition("/")[2]
    return leaf in _HARMLESS_LEAVES


def in_home(path: str) -> bool:
    """Whether a path begins in a home folder."""
    return bool(_HOME.match(normal(path)))


def is_temporary(path: str) -> bool:
    """Whether a path lies in a folder for temporary files."""
    return bool(
        re.match(r"(?:/tmp|/var/tmp|/private/tmp|\$\{?tmpdir\}?|%temp%)(?:/|$)", normal(path))
    )
