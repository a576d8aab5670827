"""Where the input of a command comes from and where its output goes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE, Carries, Deed
from skillpm.scanning.behaviour.shell.calls import Call, peer_of
from skillpm.scanning.behaviour.shell.changes import is_disk
from skillpm.scanning.behaviour.shell.expansion import Scope, single
from skillpm.scanning.behaviour.shell.grammar import Redirect, Statement
from skillpm.scanning.behaviour.shell.options import names
from skillpm.scanning.behaviour.shell.programs import language_of
from skillpm.scanning.behaviour.shell.words import EMPTY, Value, origin

_CONNECTION: Final = regex(r"/dev/(?:tcp|udp)/([^/]*)/?(.*)\Z", re.DOTALL)
_NOWHERE: Final = frozenset({"/dev/null", "/dev/stderr", "/dev/stdout", "/dev/tty", "-", ""})
_INTERACTIVE: Final = names("python perl ruby php lua javascript")


class Plumbing(Scope, Protocol):
    """What redirections ask of the machine."""

    @property
    def descriptors(self) -> dict[int, Value]:
        """What is open under a number."""
        ...

    def run_all(self, body: Sequence[Statement], stdin: Value | None) -> Value:
        """Runs statements."""
        ...

    def drain(self, path: str) -> Sequence[Statement] | None:
        """The statements that read what is written to a path."""
        ...


@dataclass(slots=True)
class Streams:
    """The redirected input and output of one statement.

    Attributes:
        call: for which acts are noted.
        stdin: what is read.
        files: paths that the output is written to, with whether it is appended.
        peers: connections that it is sent to.
        bodies: statements that read it.
        diverts: 1 when the output goes elsewhere than before, else 0.
        connected: whether the input is a connection.
    """

    call: Call
    stdin: Value | None
    files: list[tuple[Value, bool]] = field(default_factory=list)
    peers: list[str] = field(default_factory=list)
    bodies: list[Sequence[Statement]] = field(default_factory=list)
    diverts: int = 0
    connected: bool = False
    read: bool = False

    def rewire(self, call: Call) -> None:
        """Notes that a shell is tied to a connection."""
        if not self.connected and not self.peers:
            return
        texts = [word.text for word in call.words]
        shell = next(
            (at for at, text in enumerate(texts[:4]) if language_of(text.rpartition("/")[2])), -1
        )
        language = language_of(texts[shell].rpartition("/")[2]) if shell >= 0 else ""
        alone = all(text[:1] == "-" and text not in ("-c", "-e") for text in texts[shell + 1 :])
        tied = language == "shell" and (alone or (self.connected and bool(self.peers)))
        if texts == ["exec"] or tied or (language in _INTERACTIVE and self.connected and alone):
            peer = (self.peers or [peer_of(self.stdin or EMPTY)])[0]
            call.act(Deed.REWIRE, peer, Value(carries=Carries.SOCKET))

    def deliver(self, out: Value, machine: Plumbing) -> Value:
        """Takes the output where it goes; what is left of it for the next in the pipeline."""
        for peer in self.peers:
            self.call.act(Deed.SEND, peer, out)
        for path, append in self.files:
            if is_disk(path.text):
                self.call.act(Deed.DELETE, path.text, out, "overwrite")
            else:
                self.call.write(path, out, *(["append"] if append else []))
        for body in self.bodies:
            machine.run_all(body, out)
        return EMPTY if self.diverts else out

    def bare(self) -> Value:
        """Redirections without a command: `> file` empties it, `< file` is what is in it."""
        for path, append in self.files:
            if append:
                continue
            self.call.act(Deed.DELETE, path.text, path, "overwrite")
            self.call.host.store(path, EMPTY)
        for peer in self.peers:
            self.call.act(Deed.SEND, peer)
        return (self.stdin or EMPTY) if self.read else EMPTY


def streams(call: Call, redirects: Sequence[Redirect], machine: Plumbing) -> Streams:
    """The streams of a call behind its redirections."""
    found = Streams(call, call.stdin)
    for redirect in redirects:
        word = redirect.word
        value = single(word, machine)
        if redirect.operator in ("<<", "<<-", "<<<"):
            found.stdin = value.saying(value.text + "\n") if redirect.operator == "<<<" else value
        elif redirect.operator[0] == "<":
            _input(found, redirect, value, machine)
        else:
            _output(found, redirect, value, machine)
    return found


def _input(found: Streams, redirect: Redirect, value: Value, machine: Plumbing) -> None:
    text, number = value.text, redirect.descriptor
    connection = _CONNECTION.match(text)
    if redirect.operator == "<&" or (text == "&0"):
        source = machine.descriptors.get(int(text)) if text.isdigit() else None
        if source is None:
            return
        found.connected = found.connected or Carries.SOCKET in source.carries
    elif connection:
        source = _connected(found.call, connection)
        found.connected = found.connected or number == 0
    else:
        source = found.call.read(value)
    if number == 0:
        found.stdin, found.read = source, True
    else:
        machine.descriptors[number] = source


def _connected(call: Call, connection: re.Match[str]) -> Value:
    peer = f"{connection[1]}:{connection[2]}".rstrip(":")
    call.act(Deed.FETCH, peer)
    hop = call.hop(f"fetched from {peer}")
    return Value(HOLE, Carries.NETWORK | Carries.SOCKET, frozenset(), (hop,), f"<{peer}>")


def _output(found: Streams, redirect: Redirect, value: Value, machine: Plumbing) -> None:
    text, number = value.text, redirect.descriptor
    if redirect.operator == ">&" and (text.isdigit() or text == "-"):
        _duplicated(found, text, number, machine)
        return
    both = redirect.operator in ("&>", "&>>") or (redirect.operator == ">&" and number == 1)
    connection = _CONNECTION.match(text)
    body = machine.drain(text)
    if number == 2 and not both:
        if not connection and body is None and text not in _NOWHERE:
            found.call.act(Deed.WRITE, text)
        return
    if connection:
        peer = f"{connection[1]}:{connection[2]}".rstrip(":")
        if number > 2:
            machine.descriptors[number] = Value(peer, Carries.SOCKET)
            return
        found.peers.append(peer)
    elif number > 2:
        machine.descriptors[number] = origin([value], text, value.key)
        return
    elif body is not None:
        found.bodies.append(body)
    elif text not in _NOWHERE:
        found.files.append((value, ">>" in redirect.operator))
    if text not in ("/dev/stdout", "/dev/tty", "/dev/stderr"):
        found.diverts = 1


def _duplicated(found: Streams, text: str, number: int, machine: Plumbing) -> None:
    """`2>&1`, `>&3`."""
    target = machine.descriptors.get(int(text)) if text.isdigit() else None
    if number == 2 or target is None:
        return
    if Carries.SOCKET in target.carries:
        peer = peer_of(target)
        found.peers.append(peer)
    elif target.text and target.text not in _NOWHERE:
        found.files.append((target, True))
    found.diverts = 1
