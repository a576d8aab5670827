"""One call of a command, and what the command may ask of the machine that runs it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE, Act, Carries, Deed, Hop
from skillpm.scanning.behaviour.paths import is_secret, starts_programs
from skillpm.scanning.behaviour.shell.words import EMPTY, Value, join, origin

MAX_COMMAND: Final = 400
FETCHED: Final = "fetched from "
_PLAIN: Final = regex(r"[\w@%+=:,./~*?$\[\]{}#" + HOLE + r"-]+\Z")
_PLAIN_LINE: Final = regex(r"[\w@%+=:,./~ *?-]+\Z")
_UNIT: Final = regex(r"(?m)^Exec(?:Start(?:Pre|Post)?|Stop)?=[-@+!]*(.*)")
_STRING: Final = regex(r"<string>([^<]*)</string>")
_NO_COMMANDS: Final = regex(
    r"sudoers|/environment$|ld\.so\.preload|\.ssh/|git(?:config|ignore)$|/\.git/config"
)
_SHEBANG: Final = regex(r"#!.{0,40}\b(?:ba|z|da|k)?sh\b")
_CRON: Final = regex(r"(?m)^[ \t]*(?:@\w+|(?:[\d*/,?A-Za-z-]+[ \t]+){5})[ \t]*")
_HOME: Final = regex(r"(?:~|\$HOME|/root|/home/[^/]+|/Users/[^/]+)/?(?:\.?\*)?\Z")


class Host(Protocol):
    """What a command may ask of the machine."""

    @property
    def path(self) -> str:
        """The file whose text is being run."""
        ...

    def outside(self, name: str) -> Value:
        """What an environment variable is."""
        ...

    def record(self, act: Act) -> None:
        """Notes an act; its offsets are those of the statement being run."""
        ...

    def invoke(self, call: Call) -> Value:
        """Runs a command; its standard output."""
        ...

    def play(self, text: Value, call: Call, *, stdin: Value | None = None) -> Value:
        """Runs a text as shell commands in place of the call; its standard output."""
        ...

    def perform(self, path: Value, words: Sequence[Value], call: Call) -> Value | None:
        """Runs another script of the skill with its name and arguments; None when it has none."""
        ...

    def stored(self, path: Value) -> Value | None:
        """What the script itself wrote to a file, downloaded or unpacked there."""
        ...

    def store(self, path: Value, content: Value, *, append: bool = False) -> None:
        """Remembers what is in a file."""
        ...

    def unpack(self, folder: Value, content: Value) -> None:
        """Remembers where the files of a folder come from."""
        ...

    def enter(self, folder: Value) -> None:
        """Changes the working folder."""
        ...


@dataclass(slots=True)
class Call:
    """A command with its arguments and input.

    Attributes:
        host: the machine.
        words: the name first.
        stdin: what it can read; None when that is the terminal.
        start: offset of the statement.
        end: offset after it.
        how: manner that it takes over from what wraps it.
    """

    host: Host
    words: list[Value]
    stdin: Value | None
    start: int
    end: int
    how: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The command without its folder."""
        return self.words[0].text.rpartition("/")[2]

    @property
    def given(self) -> Value:
        """The standard input, empty when it is the terminal."""
        return self.stdin or EMPTY

    @property
    def line(self) -> str:
        """The whole command, as one would type it."""
        return command_line(self.words)

    def act(
        self, deed: Deed, target: str, value: Value = EMPTY, *how: str, language: str = ""
    ) -> None:
        """Notes that the command does something, with what flows into it."""
        manner = self.how | frozenset(how) if how else self.how
        act = Act(
            deed, self.start, self.end, target, value.carries, value.variables, value.trail,
            language, manner,
        )  # fmt: skip
        self.host.record(act)

    def hop(self, words: str) -> Hop:
        """A step of a trail at this command."""
        return Hop(self.start, words[:120], self.host.path)

    def again(self, words: Sequence[Value], *how: str, stdin: Value | None = None) -> Value:
        """Runs another command in place of this one."""
        if not words:
            return EMPTY
        given = self.stdin if stdin is None else stdin
        manner = self.how | frozenset(how)
        return self.host.invoke(Call(self.host, list(words), given, self.start, self.end, manner))

    def read(self, path: Value) -> Value:
        """What is in a file; notes that it is read."""
        text = path.text
        if text in ("-", "/dev/stdin", "/proc/self/fd/0"):
            return self.given
        if not text or text.startswith(
            ("/dev/null", "/dev/zero", "/dev/tty", "/dev/random", "/dev/urandom")
        ):
            return EMPTY
        stored = self.host.stored(path)
        if text.startswith("/dev/fd/") and stored:
            return stored
        value = stored or fresh(path, self.hop(f"read from {text}"))
        self.act(Deed.READ, text, origin([Value(carries=value.carries), path]))
        return value

    def write(self, path: Value, content: Value, *how: str) -> None:
        """Notes that a file is written, and remembers what is in it."""
        text = path.text
        if not text or text in ("-", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"):
            return
        self.act(Deed.WRITE, text, content, *how)
        self.host.store(path, content, append="append" in how)
        if content.text.strip(HOLE) and (later := run_later(text, content.text)):
            self.host.play(content.saying(later), self)


Handler: TypeAlias = Callable[[Call], Value]


def fresh(path: Value, hop: Hop) -> Value:
    """The contents of a file that the script did not make."""
    carries = Carries.SECRET_FILE if guards_secret(path.text) else Carries.FILE
    key = f"<{path.identity}>"
    return Value(HOLE, carries, frozenset(), (hop,), key)


def guards_secret(path: str) -> bool:
    """Whether a path is that of a secret, also when it is a pattern for such."""
    if is_secret(path):
        return True
    return "*" in path and is_secret(path.replace("*", ""))


def run_later(path: str, text: str) -> str:
    """The commands in a text that are run when it stands in the file."""
    if path.endswith((".service", ".desktop", ".timer")):
        return "\n".join(_UNIT.findall(text))
    if path.endswith(".plist"):
        return " ".join(_STRING.findall(text)) if starts_programs(path) else ""
    if _NO_COMMANDS.search(path) or path.endswith(
        (".py", ".pth", ".ps1", ".js", ".json", ".md", ".txt", ".gitconfig")
    ):
        return ""
    if (
        path.startswith("/etc/cron")
        or starts_programs(path)
        or path.endswith((".sh", ".bash", ".zsh"))
        or _SHEBANG.match(text)
    ):
        return _CRON.sub("", text) if "cron" in path else text
    return ""


def peer_of(value: Value) -> str:
    """The other end of the connection that a value came from."""
    hops = [hop.words for hop in value.trail if hop.words.startswith(FETCHED)]
    return hops[-1].removeprefix(FETCHED) if hops else value.text.strip(HOLE)


def is_home(path: str) -> bool:
    """Whether a path is a whole home folder."""
    return bool(_HOME.match(path))


def command_line(words: Iterable[Value]) -> str:
    """Words as one would type them, cut at `MAX_COMMAND`."""
    texts = [word.text for word in words]
    line = " ".join(texts)
    if len(line) <= MAX_COMMAND and _PLAIN_LINE.match(line) and line.count(" ") == len(texts) - 1:
        return line
    parts, length = list[str](), 0
    for text in texts:
        quoted = text if _PLAIN.match(text) else "'" + text.replace("'", "'\\''") + "'"
        parts.append(quoted)
        length += len(quoted) + 1
        if length > MAX_COMMAND:
            break
    return " ".join(parts)[:MAX_COMMAND]


@dataclass(slots=True)
class Options:
    """The arguments of a command: options with their values, and the rest."""

    flags: dict[str, list[Value]] = field(default_factory=dict)
    rest: list[Value] = field(default_factory=list)

    def has(self, *names: str) -> bool:
        """Whether one of the options is given."""
        return any(name in self.flags for name in names)

    def all(self, *names: str) -> list[Value]:
        """Every value of the options."""
        return [value for name in names for value in self.flags.get(name, ())]

    def first(self, *names: str) -> Value | None:
        """The first value of the options, None when none is given."""
        return next(iter(self.all(*names)), None)

    def add(self, name: str, value: Value) -> None:
        """Notes an option."""
        self.flags.setdefault(name, []).append(value)


def options(words: Sequence[Value], valued: frozenset[str], *, dashed: bool = False) -> Options:
    """Tells options from the rest.

    Args:
        words: the arguments.
        valued: the options that take a value, with their dashes.
        dashed: whether `-name` is one option, not several letters (`openssl`, `find`).
    """
    found, at = Options(), 0
    while at < len(words):
        word = words[at]
        text = word.text
        at += 1
        if text == "--":
            found.rest += words[at:]
            break
        if len(text) < 2 or text[0] != "-" or text[1].isspace():
            found.rest.append(word)
        elif text.startswith("--") or dashed:
            at += _long(found, word, words[at : at + 1], valued)
        else:
            at += _short(found, word, words[at : at + 1], valued)
    return found


def _long(found: Options, word: Value, following: Sequence[Value], valued: frozenset[str]) -> int:
    name, equals, value = word.text.partition("=")
    if equals:
        found.add(name, word.saying(value))
        return 0
    if name in valued and following:
        found.add(name, following[0])
        return 1
    found.add(name, EMPTY)
    return 0


def _short(found: Options, word: Value, following: Sequence[Value], valued: frozenset[str]) -> int:
    for number, letter in enumerate(word.text[1:], 2):
        name = "-" + letter
        if name not in valued:
            found.add(name, EMPTY)
            continue
        if word.text[number:]:
            found.add(name, word.saying(word.text[number:].removeprefix("=")))
            return 0
        if following:
            found.add(name, following[0])
            return 1
    return 0


def together(values: Sequence[Value]) -> Value:
    """Values that flow into one act."""
    return origin(values, join(values).text if values else "")
