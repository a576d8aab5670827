"""What code does, in one vocabulary for every language.

A front end reads the sources of one language and says which acts they would carry out, with what
flows into each. It never runs anything, never raises on any text, and takes bounded time.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

HOLE: Final = "\ufffc"
"""Stands in a text for a part that is not known before the code runs."""

MAX_SOURCE: Final = 400_000
"""Longer sources are not parsed; the pattern rules still read them."""

MAX_ACTS: Final = 5_000
"""A front end notes so many acts of one kind for one source, and no more."""

MAX_TEXT: Final = 20_000
"""A folded text is cut at this length."""


class Deed(enum.StrEnum):
    """What an act does; what `Act.target` holds for each."""

    READ = "read"
    """Reads a file: its path."""
    WRITE = "write"
    """Writes, appends to, copies or moves onto a file: its path."""
    DELETE = "delete"
    """Deletes files or overwrites a device: the path."""
    SEND = "send"
    """Sends data out: URL or host (a port behind a colon), or the name that is looked up."""
    FETCH = "fetch"
    """Gets something over the network: URL or host."""
    LISTEN = "listen"
    """Waits for connections: `host:port`."""
    RUN = "run"
    """Starts a program: its name and arguments as one shell would write them."""
    INTERPRET = "interpret"
    """Hands text to an interpreter (`eval`, `sh -c`, a pipe into `bash`): the text."""
    LOAD = "load"
    """Loads code or live objects from a file or module that is chosen at run time: which."""
    VARIABLE = "variable"
    """Reads an environment variable: its name; `*` for all of them."""
    REWIRE = "rewire"
    """Ties the input or output of a shell or process to a connection: the host or device."""
    PERMIT = "permit"
    """Changes mode, owner, attributes or protection: the path or the protection."""
    CAPTURE = "capture"
    """Watches the user: `clipboard`, `keyboard`, `screen`, `microphone` or `camera`."""
    ENCRYPT = "encrypt"
    """Encrypts data: the path, when it is a file's."""
    UNREAD = "unread"
    """Nothing that code does: the front end could not follow the source to its end."""
    SHOW = "show"
    """Prints or logs, which an agent reads: the text."""


class Carries(enum.Flag):
    """What flows into an act: where the data comes from."""

    NOTHING = 0
    SECRET_FILE = enum.auto()
    """Contents of a file that `paths.py` calls secret."""
    ENVIRONMENT = enum.auto()
    """All environment variables, or all that look like secrets."""
    SECRET_VARIABLE = enum.auto()
    """A single variable whose name says secret; the name is in `Act.variables`."""
    FILE = enum.auto()
    """Contents of another local file."""
    FACTS = enum.auto()
    """Facts about the machine or user: host name, user name, names of files, processes."""
    INPUT = enum.auto()
    """Arguments, standard input, what the user typed."""
    CAPTURED = enum.auto()
    """What `Deed.CAPTURE` saw."""
    NETWORK = enum.auto()
    """What came over the network."""
    DECODED = enum.auto()
    """What was encoded, compressed or encrypted in the source or in a file."""
    ENCODED = enum.auto()
    """What the code itself encodes or compresses before it passes it on."""
    SOCKET = enum.auto()
    """An open connection, or its file descriptor."""
    TEMPORARY = enum.auto()
    """A path that the code itself made as a temporary one."""
    BUILT = enum.auto()
    """A text put together from pieces in a way that keeps it from being read in the source
    (character codes, reversed, joined letters), not an ordinary f-string or path join."""


SECRETS: Final = (
    Carries.SECRET_FILE | Carries.ENVIRONMENT | Carries.SECRET_VARIABLE | Carries.CAPTURED
)


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of the way that data took: where in the source, and what happened there."""

    start: int
    words: str
    path: str = ""
    """The file of the step, when it is another one than the act's."""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that code does.

    Attributes:
        deed: what.
        start: offset of the act in the source.
        end: offset after it.
        target: see the deed; parts that are not known are `HOLE`.
        carries: what flows into it: the payload of SEND and WRITE, the text of INTERPRET, the
            file of RUN and LOAD; for READ, DELETE and PERMIT what the path is made of.
        variables: names of the secret variables among what flows in.
        trail: from where the data came, oldest first, at most eight.
        language: of what INTERPRET and RUN start: `python`, `shell`, `javascript`, …; "" else.
        how: words about the manner, of: `recursive`, `forced`, `append`, `shell`, `background`,
            `quiet`, `executable`, `privileged`, `world`, `unverified`, `loop`, `lookup` (data in
            a name that is looked up), `mail`, `upload`, `install`, `overwrite`.
    """

    deed: Deed
    start: int
    end: int
    target: str = ""
    carries: Carries = Carries.NOTHING
    variables: frozenset[str] = frozenset()
    trail: tuple[Hop, ...] = ()
    language: str = ""
    how: frozenset[str] = field(default_factory=frozenset)


UNREAD: Final = Act(Deed.UNREAD, 0, 0)
"""Given for a source that took too long, or was nested too deeply, to be followed to its end."""


@dataclass(frozen=True, slots=True)
class Source:
    """A piece of source text.

    Attributes:
        path: of the file it stands in, as in the tree.
        text: the piece itself.
        whole: whether it is the whole file, which other files can then import or source.
    """

    path: str
    text: str
    whole: bool = True


class FrontEnd(Protocol):
    """Turns the sources of one language into acts."""

    def acts(self, sources: Sequence[Source]) -> Iterator[tuple[int, Act]]:
        """Every act, with the number of the source it stands in.

        The sources are all of one skill, so that data can be followed from one file to another.
        A source that is not in the language has no acts; one that could not be followed to its
        end has `UNREAD` among them.
        """
        ...
