"""The reader for settings of agents and editors that are written in JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from skillpm.model.finding import Severity
from skillpm.model.regex import regex
from skillpm.scanning.grants import servers, tools
from skillpm.scanning.grants.remarks import Grant, Scene, hook_rule
from skillpm.scanning.lenient import load_json, place, strings, walk
from skillpm.scanning.manifests.addresses import host_of, judge

_Path = tuple[str, ...]
_ASKS_NOBODY: Final = (
    (regex(r"defaultmode|permissionmode|approvalmode|approval_mode"
    r"|mode"), regex(r"bypasspermissions|yolo|dontask|never|full-?auto")),
    (regex(r"approval_?policy"), regex(r"never")),
    (regex(r"sandbox_?mode"), regex(r"danger-full-access|none|off")),
    (
        regex(
            r"skipdangerousmodepermissionprompt|dangerouslyskippermissions"
            r"|bypasspermissionsmodeaccepted"
            r"|enableallprojectmcpservers|chat\.tools\.(?:global\.)?autoapprove|autoaccept"
            r"|yolo(?:mode)?"
            r"|alwaysallowexecute|autoapprovalenabled|executeallcommands|yes-always|autorun"
            r"|auto_run"
            r"|hastrustdialogaccepted|dangerouslyallowbrowser|unsafeautoapprove"
        ),
        regex(r"true|on|1|always"),
    ),
    (regex(r"security\.workspace\.trust\.enabled|foldertrust"
    r"|sandbox\.enabled"), regex(r"false")),
    (regex(r"bash|\*|edit|webfetch"), regex(r"allow")),
)  # fmt: skip
_ALLOW_LISTS: Final = frozenset(
    (
        "allow",
        "allowedtools",
        "allowed_tools",
        "allowed",
        "autoapprove",
        "alwaysallow",
        "allowedcommands",
    )
)
_HELPERS: Final = frozenset(
    ("apikeyhelper", "awsauthrefresh", "awscredentialexport", "otelheadershelper", "gcpauthrefresh")
)
_INSTALLED: Final = regex(r"/(?:usr|opt)/[\w./-]{1,120}$")
_BASES: Final = regex(
    r"^(?:anthropic|openai|gemini|google_gemini|azure_openai|claude|codex|mistral|groq"
    r"|openrouter)_?(?:api_)?(?:base_?url|base|endpoint|api_url)$"
    r"|^(?:api_?base(?:_?url)?|base_?url|anthropic_vertex_base_url|anthropic_bedrock_base_url)$"
)
_PROXIES: Final = regex(r"^(?:https?_proxy|all_proxy|http\.proxy)$")
_OFFICIAL: Final = regex(
    r"(?:^|\.)(?:anthropic\.com|openai\.com|googleapis\.com|azure\.com|amazonaws\.com"
    r"|mistral\.ai|groq\.com"
    r"|openrouter\.ai|deepseek\.com|moonshot\.(?:ai|cn)|bigmodel\.cn|z\.ai|github\.com"
    r"|githubcopilot\.com"
    r"|nvidia\.com|together\.xyz|fireworks\.ai|x\.ai|cohere\.(?:ai|com)|aliyuncs\.com"
    r"|minimax(?:i)?\.(?:io|com|chat)"
    r"|siliconflow\.(?:cn|com)|perplexity\.ai|cerebras\.ai|sambanova\.ai|deepinfra\.com|novita\.ai"
    r"|hyperbolic\.xyz|huggingface\.co|cloudflare\.com|vercel\.sh|portkey\.ai|helicone\.ai"
    r"|replicate\.com|ai21\.com|volces\.com|baseten\.co|databricks\.com|snowflakecomputing\.com"
    r"|requesty\.ai|venice\.ai|nebius\.(?:ai|com)|ollama\.com|litellm\.ai|langfuse\.com|braintrust\.dev"
    r"|lambda\.ai|chutes\.ai|inference\.net|stepfun\.com|baichuan-ai\.com|hunyuan\.cloud\.tencent\.com)$"
)
_PRELOADS: Final = regex(
    r"^(?:ld_preload|dyld_insert_libraries|bash_env|node_options"
    r"|pythonstartup|perl5opt|rubyopt|prompt_command|git_ssh_command|git_external_diff"
    r"|npm_config_script_shell)$"
)
_INTERPRETERS: Final = regex(
    r"(?:interpreterpath|pythonpath|\.path|nodepath|executablepath"
    r"|shellpath)$"
)


def read_settings(scene: Scene) -> Iterator[Grant]:
    """Modes, permissions, hooks, helpers, variables and servers."""
    value = load_json(scene.text)
    if value is None:
        return
    for path, one in walk(value):
        if not path:
            continue
        key = path[-1].lower()
        for read in _READERS:
            yield from read(scene, path, key, one)
    yield from servers.read_servers(scene, value)


def leads_away(address: str) -> bool:
    """Whether an address is that of no known maker or host of models, nor of this machine."""
    host = host_of(address)
    return bool(host and judge(address, frozenset()) and not _OFFICIAL.search(host))


def _modes(scene: Scene, path: _Path, key: str, one: Any) -> Iterator[Grant]:
    if not isinstance(one, bool | str):
        return
    word = str(one).lower()
    for number, (keys, values) in enumerate(_ASKS_NOBODY):
        permission = number < len(_ASKS_NOBODY) - 1 or "permission" in path[:-1]
        if permission and keys.fullmatch(key) and values.fullmatch(word):
            yield Grant("grants/asks-nobody", *place(scene.text, path[-1]), f"{path[-1]}: {one}")
    if key == "enabled" and one is False and path[-2:-1] in (("folderTrust",), ("sandbox",)):
        yield Grant("grants/asks-nobody", *place(scene.text, path[-2]), f"{path[-2]} is off")


def _permissions(scene: Scene, path: _Path, key: str, one: Any) -> Iterator[Grant]:
    if key not in _ALLOW_LISTS:
        return
    for token in strings(one):
        rule = tools.rule_in_settings(token.strip())
        if rule:
            yield Grant(rule, *place(scene.text, path[-1], token), token[:80])


def _auto_approved(scene: Scene, path: _Path, key: str, one: Any) -> Iterator[Grant]:
    """Patterns of terminal commands that an editor runs unasked."""
    if "terminal.autoapprove" not in key or not isinstance(one, dict):
        return
    for pattern, allowed in one.items():
        if allowed is True and re.search(
            r"\.\*|^/\.|^\*|^/\^?\.?[+*]?/?$|bash|curl|sudo"
            r"|^sh$",
            pattern,
        ):
            yield Grant("grants/everything-allowed", *place(scene.text, path[-1], pattern), pattern)


def _hooks(scene: Scene, path: _Path, key: str, one: Any) -> Iterator[Grant]:
    if key not in ("command", "bash", "powershell") or "hooks" not in [p.lower() for p in path]:
        return
    for command in [" ".join(strings(one))]:
        if command:
            rule = hook_rule(scene, command)
            yield Grant(rule, *place(scene.text, "hooks", command), command[:80])


def _helpers(scene: Scene, path: _Path, key: str, one: Any) -> Iterator[Grant]:
    status = key == "command" and path[-2:-1] in (("statusLine",), ("fileSuggestion",))
    if not (key in _HELPERS or status or key == "notify"):
        return
    command = " ".join(strings(one))
    if command:
        own = status or key == "notify" or _INSTALLED.match(command)
        rule = hook_rule(scene, command, "grants/hook-plain" if own else "")
        yield Grant(rule, *place(scene.text, path[-1], command), command[:80])


def _variables(scene: Scene, path: _Path, key: str, one: Any) -> Iterator[Grant]:
    if not isinstance(one, str) or not one:
        return
    if _BASES.match(key) or _PROXIES.match(key):
        if leads_away(one):
            detail = host_of(one)
            yield Grant("grants/leads-agent-away", *place(scene.text, path[-1], one), detail)
    elif _PRELOADS.match(key):
        acts = scene.severity_of(one) > Severity.INFO or "/" in one
        if acts and "max-old-space" not in one.lower():
            yield Grant(
                "grants/loads-code", *place(scene.text, path[-1], one), f"{path[-1]}: {one[:60]}"
            )
    elif key == "node_tls_reject_unauthorized" and one == "0":
        yield Grant("grants/loads-code", *place(scene.text, path[-1], one), path[-1])
    elif _INTERPRETERS.search(key) and re.match(
        r"^(?:\$\{workspaceFolder\}"
        r"|\.)?/?\.?[\w-]{0,40}/",
        one,
    ):
        inside = one.replace("${workspaceFolder}", ".").startswith("./")
        if inside and ".venv" not in one and "/venv" not in one and "node_modules" not in one:
            yield Grant(
                "grants/loads-code", *place(scene.text, path[-1], one), f"{path[-1]}: {one[:60]}"
            )


_READERS: Final[tuple[Callable[[Scene, _Path, str, Any], Iterator[Grant]], ...]] = (
    _modes,
    _permissions,
    _auto_approved,
    _hooks,
    _helpers,
    _variables,
)
