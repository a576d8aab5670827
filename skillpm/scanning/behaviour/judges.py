"""What acts mean for a user: one row for each rule about behaviour.

A judge says in a few words what makes its rule hold for an act, or None when it doesn't. The rule
itself (severity, why, what to do) is a row of the rule data.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour import paths
from skillpm.scanning.behaviour.acts import HOLE, SECRETS, Act, Carries, Deed
from skillpm.scanning.behaviour.hosts import Place, asks_metadata, host_of, place_of
from skillpm.scanning.behaviour.scene import Scene, fetched_from, is_its_own
from skillpm.scanning.identify import Kind

Judge = Callable[[Act, Scene], str | None]

_NOBODYS: Final = frozenset((Place.DROP, Place.ADDRESS, Place.SHORT))
_ANONYMOUS: Final = _NOBODYS | {Place.CHANNEL}
_OURS: Final = Carries.FILE | Carries.FACTS | Carries.INPUT | Carries.CAPTURED
_FOREIGN: Final = Carries.NETWORK
_NOT_PROGRAMS: Final = frozenset(
    (Kind.IMAGE, Kind.DOCUMENT, Kind.FONT, Kind.MEDIA, Kind.ARCHIVE, Kind.DATABASE, Kind.UNKNOWN)
)
_INERT: Final = regex(
    r"\.(?:png|jpe?g|gif|webp|ico|bmp|pdf|mp3|mp4|wav|woff2?|ttf|txt|md|csv|dat|bin|log)$"
)
_PICTURE: Final = regex(
    r"^read(?:s| from) \S.{0,200}"
    r"\.(?:png|jpe?g|gif|webp|ico|bmp|tiff?|mp3|mp4|wav|pdf|woff2?|ttf)$",
    re.IGNORECASE,
)
_CREDENTIALS: Final = regex(
    r"security-credentials|/iam\b|/token\b|user-data|service-accounts|/credentials\b"
)
_READ_FROM: Final = regex(r"^read(?:s| from) ")
_INTERPRETED: Final = regex(
    r"^(?:sudo )?(?:ba|z|da|k)?sh\s+(\S+)|^(?:source|\.)\s+(\S+)"
    r"|^(?:sudo )?(?:python[0-9.]*|node|perl|ruby|php)\s+(\S+)"
)
_DEVICE: Final = regex(
    r"^/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper/|md)|^\\\\[.?]\\physicaldrive",
    re.IGNORECASE,
)
_SENDING: Final = regex(
    r"\b(?:upload|send|sent|post|api|server|https?|network|service|sync|remote|publish|share|online"
    r"|deploy|submit|webhook|report(?:s|ed)? to|cloud|backup|push)"
)
_RULING: Final = frozenset(("sudo", "wheel", "admin", "root"))
_SHUT_OFF: Final = regex(
    r"gatekeeper|quarantine|defender|antivirus|firewall|selinux|apparmor|csrutil|sip\b|spctl|setenforce"
    r"|ufw|iptables|auditd|falcon|sentinel|clamav|amsi|tamper|realtime",
)


@dataclass(frozen=True, slots=True)
class Row:
    """A rule about behaviour.

    Attributes:
        deeds: what it is about.
        spoken: the languages it looks at; where a pattern rule says the same of the others.
    """

    rule: str
    deeds: frozenset[Deed]
    judge: Judge
    spoken: frozenset[str] = frozenset(("python", "javascript", "shell"))


def _secret_file_sent(act: Act, _: Scene) -> str | None:
    return _to(act) if Carries.SECRET_FILE in act.carries else None


def _environment_sent(act: Act, _: Scene) -> str | None:
    return _to(act) if Carries.ENVIRONMENT in act.carries else None


def _secret_to_nobody(act: Act, _: Scene) -> str | None:
    if Carries.SECRET_VARIABLE not in act.carries or place_of(act.target) not in _NOBODYS:
        return None
    return f"{_named(act)} {_to(act)}"


def _secret_to_another(act: Act, scene: Scene) -> str | None:
    place = place_of(act.target)
    if Carries.SECRET_VARIABLE not in act.carries or place is not Place.NAMED:
        return None
    told = scene.says(host_of(act.target)) or scene.names(act.variables)
    if told or is_its_own(act.variables, act.target):
        return None
    return f"{_named(act)} {_to(act)}"


def _printed_secret_sent(act: Act, scene: Scene) -> str | None:
    """What `gh auth token` and its like print goes to a host that neither it nor a text names."""
    printed = [name for name in act.variables if " " in name]
    foreign = place_of(act.target) in _NOBODYS | {Place.NAMED}
    if Carries.SECRET_VARIABLE not in act.carries or not printed or not foreign:
        return None
    host = host_of(act.target)
    if any(name.startswith(("gh ", "glab ")) for name in printed):
        return None if "git" in host or "ghe" in host else _to(act)
    told = scene.says(host) or any(name.startswith("gcloud") for name in printed)
    return None if told else _to(act)


def _home_sent(act: Act, scene: Scene) -> str | None:
    foreign = place_of(act.target) in _ANONYMOUS | {Place.NAMED}
    if Carries.FILE not in act.carries or not foreign or scene.says(host_of(act.target)):
        return None
    read = (_READ_FROM.sub("", hop.words) for hop in act.trail if _READ_FROM.match(hop.words))
    return _to(act) if any(paths.is_vital(path) and paths.in_home(path) for path in read) else None


def _captured_sent(act: Act, _: Scene) -> str | None:
    return _to(act) if Carries.CAPTURED in act.carries else None


def _data_in_a_name(act: Act, _: Scene) -> str | None:
    if "lookup" not in act.how or not act.carries & (SECRETS | _OURS):
        return None
    if not act.target.strip(HOLE) and not act.carries & (SECRETS | Carries.ENCODED):
        return None  # the whole name was given, as in a tool that looks names up
    return _to(act)


def _dropped(act: Act, _: Scene) -> str | None:
    place = place_of(act.target)
    if not act.carries & (_OURS & ~Carries.CAPTURED) or place not in _ANONYMOUS:
        return None
    if place is Place.CHANNEL and HOLE in act.target:  # the user's own, by a token of theirs
        return None
    return _to(act)


def _metadata_asked(act: Act, _: Scene) -> str | None:
    told = asks_metadata(act.target) and _CREDENTIALS.search(act.target.lower())
    return _to(act) if told else None


def _browser_read(act: Act, _: Scene) -> str | None:
    return _short(act.target) if paths.is_browser_store(act.target) else None


def _sent_unsaid(act: Act, scene: Scene) -> str | None:
    """Files or facts go to a host, and no document names it or speaks of sending anything."""
    if not act.carries & (Carries.FILE | Carries.FACTS) or place_of(act.target) is not Place.NAMED:
        return None
    said = scene.says(host_of(act.target)) or _SENDING.search(scene.documents)
    return None if said else _to(act)


def _secret_shown(act: Act, _: Scene) -> str | None:
    told = act.carries & (Carries.ENVIRONMENT | Carries.SECRET_FILE)
    return "printed, where the agent reads it" if told else None


def _secret_packed(act: Act, _: Scene) -> str | None:
    leaf = act.target.rpartition("/")[2]
    at_home = paths.is_secret(act.target) and not paths.is_temporary(act.target)
    if Carries.SECRET_FILE not in act.carries or at_home:
        return None
    if leaf.startswith(".env"):  # a copy beside it, for safety
        return None
    return f"into {_short(act.target)}" if act.target else None


def _downloaded_run(act: Act, scene: Scene) -> str | None:
    if not act.carries & _FOREIGN or scene.is_known_installer(act):
        return None
    return None if _is_plain_download(act) else _way(act)


def _downloaded_file_run(act: Act, scene: Scene) -> str | None:
    if not act.carries & _FOREIGN or scene.is_known_installer(act):
        return None
    return _way(act) if _is_plain_download(act) else None


def _is_plain_download(act: Act) -> bool:
    """Whether a file, which somebody could look at, comes from a well-known service and is run."""
    urls = fetched_from(act)
    known = all(place_of(url) is Place.KNOWN and url.startswith("https://") for url in urls)
    return act.deed is Deed.RUN and bool(urls) and known


def _decoded_run(act: Act, _: Scene) -> str | None:
    if not act.carries & Carries.DECODED:
        return None
    return _short(act.target) if act.target.strip(HOLE + " ") else "decoded when it runs"


def _built_run(act: Act, _: Scene) -> str | None:
    built = Carries.BUILT in act.carries and Carries.DECODED not in act.carries
    return _short(act.target) if built else None


def _not_a_program_run(act: Act, scene: Scene) -> str | None:
    found = _INTERPRETED.match(act.target)
    path = next((part for part in found.groups() if part), "") if found else ""
    if not path and act.deed is Deed.LOAD:
        path = act.target
    if not path and act.deed is Deed.INTERPRET:
        return next((_short(hop.words) for hop in act.trail if _PICTURE.search(hop.words)), None)
    kind = scene.kind_of(path) if path else None
    posing = bool(path) and _INERT.search(path.lower()) is not None
    if kind in _NOT_PROGRAMS or (posing and kind is not None):
        return _short(path)
    return None


def _objects_loaded(act: Act, _: Scene) -> str | None:
    return _short(act.target) if act.carries & _FOREIGN else None


def _shell_lent(act: Act, _: Scene) -> str | None:
    if Carries.SOCKET not in act.carries:
        return None
    return f"to {_short(act.target)}" if act.target.strip(HOLE) else "to a connection"


def _vital_deleted(act: Act, _: Scene) -> str | None:
    if _DEVICE.match(act.target):
        return f"overwrites {_short(act.target)}"
    if "recursive" in act.how and act.target.endswith("/" + HOLE) and _goes_through(act):
        return f"everything {_goes_through(act)}"
    sweeping = "recursive" in act.how or act.target.endswith(("/*", "*"))
    if sweeping and paths.is_vital(act.target) and Carries.TEMPORARY not in act.carries:
        return _short(act.target).replace(HOLE, "…")
    return None


def _goes_through(act: Act) -> str:
    """The words of a hop that lists everything in a place that must not be lost."""
    words = (hop.words for hop in act.trail if hop.words.startswith("names in "))
    return next((said for said in words if paths.is_vital(said.removeprefix("names in "))), "")


def _encrypted(act: Act, _: Scene) -> str | None:
    folder, _slash, leaf = act.target.rpartition("/")
    swept = not leaf.strip(HOLE + "*") and bool(folder) and paths.is_vital(folder)
    return "every file found" if swept or act.how & {"loop", "recursive"} else None


def _login_added(act: Act, _: Scene) -> str | None:
    return _short(act.target) if paths.lets_in(act.target) else None


def _start_up_payload(act: Act, _: Scene) -> str | None:
    hidden = act.carries & (Carries.NETWORK | Carries.DECODED | Carries.BUILT)
    return _short(act.target) if hidden and _starts(act.target) else None


def _start_up(act: Act, _: Scene) -> str | None:
    return _short(act.target) if _starts(act.target) else None


def _agent_steered(act: Act, _: Scene) -> str | None:
    return _short(act.target) if paths.steers_agents(act.target) else None


def _agent_fed(act: Act, _: Scene) -> str | None:
    foreign = act.carries & (Carries.NETWORK | Carries.DECODED)
    return _short(act.target) if foreign and paths.steers_agents(act.target) else None


def _shut_off(act: Act, _: Scene) -> str | None:
    return _short(act.target) if _SHUT_OFF.search(act.target.lower()) else None


def _raised(act: Act, _: Scene) -> str | None:
    target = paths.normal(act.target)
    sudoers = target.startswith("/etc/sudoers")
    group = act.deed is Deed.PERMIT and target in _RULING
    return _short(act.target) if sudoers or group else None


def _made_privileged(act: Act, _: Scene) -> str | None:
    return _short(act.target) if "privileged" in act.how else None


def _loaded_everywhere(act: Act, _: Scene) -> str | None:
    return _short(act.target) if paths.normal(act.target) == "/etc/ld.so.preload" else None


def _shadowed(act: Act, _: Scene) -> str | None:
    return _short(act.target) if paths.shadows_command(act.target) else None


def _spread(act: Act, _: Scene) -> str | None:
    return _short(act.target) if paths.is_any_skill(act.target) else None


_SCRIPTED: Final = frozenset(("python", "javascript"))
_ON_NET: Final = frozenset((Deed.SEND,))
_RUNS: Final = frozenset((Deed.INTERPRET, Deed.RUN, Deed.LOAD))
_WRITES: Final = frozenset((Deed.WRITE,))

ROWS: Final = (
    Row("exfiltration/secret-file-sent", _ON_NET, _secret_file_sent),
    Row("exfiltration/environment-sent", _ON_NET, _environment_sent),
    Row("exfiltration/secret-to-a-drop", _ON_NET, _secret_to_nobody),
    Row("exfiltration/secret-to-another-host", _ON_NET, _secret_to_another),
    Row("exfiltration/printed-secret-sent", _ON_NET, _printed_secret_sent),
    Row("exfiltration/home-sent", _ON_NET, _home_sent),
    Row("exfiltration/captured-input-sent", _ON_NET, _captured_sent),
    Row("exfiltration/data-in-a-lookup", _ON_NET, _data_in_a_name),
    Row("exfiltration/data-to-a-drop", _ON_NET, _dropped),
    Row("exfiltration/metadata-asked", frozenset((Deed.FETCH, Deed.SEND)), _metadata_asked),
    Row("exfiltration/browser-store-read", frozenset((Deed.READ,)), _browser_read),
    Row("mismatch/data-sent-unsaid", _ON_NET, _sent_unsaid),
    Row("exfiltration/secret-shown", frozenset((Deed.SHOW,)), _secret_shown, _SCRIPTED),
    Row("exfiltration/secret-copied", _WRITES, _secret_packed),
    Row("remote-code/downloaded-code-runs", _RUNS, _downloaded_run),
    Row("remote-code/downloaded-file-runs", _RUNS, _downloaded_file_run),
    Row("obfuscation/decoded-code-runs", _RUNS, _decoded_run),
    Row("obfuscation/built-code-runs", _RUNS, _built_run),
    Row("files/not-a-program-runs", _RUNS, _not_a_program_run),
    Row("remote-code/shell-over-network", frozenset((Deed.REWIRE,)), _shell_lent),
    Row("destructive/vital-files-deleted", frozenset((Deed.DELETE, Deed.WRITE)), _vital_deleted),
    Row("destructive/files-encrypted", frozenset((Deed.ENCRYPT,)), _encrypted),
    Row("persistence/login-added", _WRITES, _login_added),
    Row("persistence/start-up-fed", _WRITES, _start_up_payload),
    Row("persistence/start-up-written", _WRITES, _start_up, _SCRIPTED),
    Row("persistence/agent-fed", _WRITES, _agent_fed),
    Row("persistence/agent-steered", _WRITES, _agent_steered),
    Row("persistence/loaded-everywhere", _WRITES, _loaded_everywhere),
    Row("persistence/command-shadowed", _WRITES, _shadowed),
    Row("persistence/other-skills-changed", _WRITES, _spread),
    Row("privilege/protection-off", frozenset((Deed.PERMIT,)), _shut_off),
    Row("privilege/raised", frozenset((Deed.PERMIT, Deed.WRITE)), _raised),
    Row("privilege/raised", frozenset((Deed.PERMIT,)), _made_privileged, _SCRIPTED),
)
"""Every rule that is about behaviour; for one act each row of its deed is asked."""


def _starts(path: str) -> bool:
    named = path.lower().startswith(("crontab", "hkcu", "hklm", "hkey_"))
    return named or paths.starts_programs(path)


def _to(act: Act) -> str:
    place = place_of(act.target)
    where = _short(host_of(act.target)).replace(HOLE, "…")
    return f"to {where or place.value}{_way(act, between='; ')}"


def _way(act: Act, between: str = "") -> str:
    words = [hop.words.replace(HOLE, "…") for hop in act.trail[-4:] if hop.words]
    return between + ", ".join(words) if words else ""


def _named(act: Act) -> str:
    return ", ".join(sorted(act.variables)[:3])


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 60 else flat[:59] + "…"
