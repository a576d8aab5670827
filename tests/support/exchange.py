"""Requests, answers and faults: the values that the servers of the kit and their tests share."""

from __future__ import annotations

import base64
import binascii
import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import Any, Self
from urllib.parse import parse_qsl, unquote

Body = bytes | Iterable[bytes]


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong while an answer is sent; by default nothing.

    Attributes:
        delay: seconds before the first byte; `math.inf` hangs until the server closes.
        drip: seconds between two single bytes of the body.
        cut_after: close the connection after that many bytes of the body.
        reset: close with a TCP reset instead of an orderly end when the cut comes.
        length: the Content-Length to claim instead of the truth.
    """

    delay: float = 0
    drip: float = 0
    cut_after: int | None = None
    reset: bool = False
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer.

    A body of bytes has a Content-Length; any other iterable of chunks is sent chunked, and
    closed when it has a `close`. With `raw`, exactly these bytes are sent instead of an
    answer, and the connection is closed.
    """

    status: int = 200
    body: Body = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    faults: Faults = field(default_factory=Faults)
    raw: bytes | None = None

    @classmethod
    def text(cls, text: str, status: int = 200, content_type: str = "text/plain") -> Self:
        """An answer of text in UTF-8."""
        return cls(status, text.encode(), {"Content-Type": f"{content_type}; charset=utf-8"})

    @classmethod
    def json(cls, value: Any, status: int = 200) -> Self:
        """An answer of JSON."""
        return cls(status, json.dumps(value).encode(), {"Content-Type": "application/json"})

    @classmethod
    def redirect(cls, to: str, status: int = 302) -> Self:
        """A redirect to an address."""
        return cls(status, b"", {"Location": to})


@dataclass(slots=True)
class Request:
    """One request as it came in, and what was moved for it.

    Attributes:
        method: the HTTP method.
        target: path and query as sent, still percent-encoded.
        headers: the headers; look-ups ignore case.
        body: the bytes after any chunking is undone; a Content-Encoding is left alone.
        status: the status of the answer, 0 before there is one.
        received: bytes that came in, head and body.
        sent: bytes that went out, head and body, without TLS.
    """

    method: str
    target: str
    headers: Message
    body: bytes = b""
    status: int = 0
    received: int = 0
    sent: int = 0

    @property
    def path(self) -> str:
        """The decoded path."""
        return unquote(self.target.partition("?")[0])

    @property
    def query(self) -> dict[str, str]:
        """The decoded query; of a repeated key, the last value."""
        return dict(parse_qsl(self.target.partition("?")[2], keep_blank_values=True))

    @property
    def basic(self) -> tuple[str, str] | None:
        """User and password of a Basic authorization, or None."""
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if scheme.casefold() != "basic":
            return None
        try:
            user, _, password = base64.b64decode(token).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return None
        return user, password


Hook = Callable[[Request], "Reply | Faults | None"]
"""Looks at a request first: answers it, lets the real answer go wrong, or (None) passes."""


def matches(path: str, request: Request) -> bool:
    """Whether a path (with its query, or decoded, or ending in `*`) stands for the request."""
    if path.endswith("*"):
        return request.path.startswith(path[:-1])
    return path in (request.target, request.path)


def endless(chunk: bytes = b"x" * 65536) -> Iterable[bytes]:
    """A body that never ends."""
    return itertools.repeat(chunk)
