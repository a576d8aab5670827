"""The settings that `config.toml` may have, as rows, and changing one of them in the file's text.

A change leaves every other byte as it is, comments included: tomlkit edits the text.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, Final, NamedTuple

from skillpm.errors import StateError, UsageError
from skillpm.formats.config import DEFAULT_HUB, read_toml
from skillpm.model.text import safe

Path = tuple[str, ...]

_FLAGS: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class Setting(NamedTuple):
    """One setting.

    Attributes:
        key: dotted; a last part in capitals stands for any name, and its values are several.
        read: a word from the command line to its value; ValueError says what it must be.
        default: what holds when nothing is said; None for nothing.
        env: the variable that stands before the file; "" for none.
        help: what it does, in a line.
        guards: it decides what may come in, or from where: a person on a terminal changes it.
    """

    key: str
    read: Callable[[str], Any]
    default: Any
    env: str
    help: str
    guards: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it is a table of values under names that the user chooses."""
        return self.key.rpartition(".")[2].isupper()

    @property
    def table(self) -> Path:
        """Where it stands in the file: the tables, and the key unless it is open."""
        parts = tuple(self.key.split("."))
        return parts[:-1] if self.is_open else parts


def _text(word: str) -> str:
    return word


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError("a number") from None


def _flag(word: str) -> bool:
    if word.lower() not in _FLAGS:
        raise ValueError("true or false")
    return _FLAGS[word.lower()]


def _list(word: str) -> list[str]:
    return [part.strip() for part in word.split(",") if part.strip()]


SETTINGS: Final = (
    Setting("hub.url", _text, DEFAULT_HUB, "SKILL_HUB",
            "the hub that @owner/name means; off for none", guards=True),
    Setting("search.seconds", _number, 3.0, "SKILL_SEARCH_SECONDS",
            "how long a search waits for taps and hubs"),
    Setting("network.offline", _flag, False, "SKILL_OFFLINE", "connect to nothing"),
    Setting("github.use_gh", _flag, False, "SKILL_USE_GH", "whether gh may be asked for a token"),
    Setting("history.keep", _text, "forever", "SKILL_HISTORY_KEEP",
            "how long what was replaced is kept: forever, 90d, 200 (operations)"),
    Setting("agents.link", _list, None, "SKILL_AGENTS",
            "the agents whose folders show what is installed"),
    Setting("mirrors.PREFIX", _text, None, "",
            "what replaces the beginning of an address", guards=True),
    Setting("tokens.ORIGIN", _text, None, "",
            "the variable that holds the token for scheme, host and port", guards=True),
    Setting("policy.min_origin", _text, "local", "",
            "builtin, official, community or local: this one or better", guards=True),
    Setting("policy.require_reviewed", _flag, False, "",
            "only what a person here has reviewed", guards=True),
    Setting("policy.min_age", _text, "0m", "",
            "only revisions that were known here for so long: 7d, 12h, 30m", guards=True),
    Setting("policy.allowed_hosts", _list, None, "",
            "only from these hosts, with commas between them", guards=True),
    Setting("scan.rules.RULE", _text, None, "",
            "what a rule weighs: danger, caution, info or off", guards=True),
    Setting("scan.refuse.ORIGIN", _text, None, "",
            "which verdict is refused for an origin: danger, caution or never", guards=True),
)  # fmt: skip


def setting_of(key: str) -> tuple[Setting, Path]:
    """The setting of a key as typed, and where its value stands in the file.

    Raises:
        UsageError: there is none; the hint names one that is nearly so.
    """
    for one in SETTINGS:
        prefix = ".".join(one.table) + "."
        if key == one.key and not one.is_open:
            return one, one.table
        if one.is_open and key.startswith(prefix) and key != prefix:
            return one, (*one.table, key.removeprefix(prefix))
    close = difflib.get_close_matches(key, [one.key for one in SETTINGS], n=1)
    meant = f"did you mean {close[0]}? " if close else ""
    raise UsageError(
        f"there is no setting {safe(key, 80)}", hint=f"{meant}skill config list shows them all"
    )


def parsed(setting: Setting, word: str) -> Any:
    """The value that a word from the command line says.

    Raises:
        UsageError: it says none that the setting can have.
    """
    try:
        return setting.read(word)
    except ValueError as error:
        raise UsageError(f"{setting.key} is {error}, not {safe(word, 60)!r}") from None


def value_at(table: Mapping[str, Any], path: Path) -> Any:
    """What stands at a place of a file that was read; None for nothing."""
    value: Any = table
    for part in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(part)
    return value


def with_value(data: bytes, path: Path, value: Any, place: str) -> bytes:
    """The bytes of a `config.toml` in which a value stands there; None takes it out.

    Raises:
        StateError: the file is no TOML, or is written so that only a person can change it.
    """
    import tomlkit  # only who changes a setting waits for it
    from tomlkit.exceptions import TOMLKitError

    try:
        wanted = read_toml(data)
        _put(wanted, path, value)
        document = tomlkit.parse(data.decode())
        _put(document, path, value)
        new = tomlkit.dumps(document).encode()
        same = read_toml(new) == wanted
    except (ValueError, TypeError, TOMLKitError):
        same = False
    if not same:
        raise StateError(
            f"{safe(place)} is written in a way that cannot be changed safely",
            hint=f"change {safe('.'.join(path), 80)} there yourself",
        )
    return new


def _put(table: MutableMapping[str, Any], path: Path, value: Any) -> None:
    *tables, key = path
    inner: Any = table
    for part in tables:
        if value is None and part not in inner:
            return
        inner = inner.setdefault(part, {})
    if value is None:
        inner.pop(key, None)
    else:
        inner[key] = value
