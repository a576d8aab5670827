"""Reading an HTTP answer under caps, and what its failures are called."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from skillpm.edges.network import Progress, host_of
from skillpm.edges.retry import BrokenError, asked_wait
from skillpm.errors import NotFoundError, SkillError, UnreachableError
from skillpm.model.text import safe

MAX_HEADERS: Final = 64 * 1024
TLS_HINT: Final = "if your network has its own authority, set SSL_CERT_FILE to its certificate"

_FAULTS: Final = (
    ("self-signed certificate in certificate chain", "an authority that is not known here signed"),
    ("self-signed certificate", "its certificate is self-signed"),
    ("certificate has expired", "its certificate has expired"),
    ("certificate is not yet valid", "its certificate is not yet valid (is your clock right?)"),
    ("Hostname mismatch", "its certificate is for another host"),
    ("IP address mismatch", "its certificate is for another host"),
    ("unable to get local issuer", "its certificate's issuer is not known, or not sent along"),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """How much of a body is read, until when, and who is told."""

    url: str
    size: int
    until: float
    progress: Progress

    def body(self, chunks: Iterable[bytes], headers: Mapping[str, str]) -> bytes:
        """The whole body, as many bytes as were announced.

        Raises:
            BrokenError: it was cut off.
            UnreachableError: it is too large, too slow, or encoded.
        """
        where = host_of(self.url)
        if headers.get("content-encoding", "identity") not in ("identity", ""):
            raise UnreachableError(f"{where} sent an encoded body that was not asked for")
        announced = headers.get("content-length", "")
        total = int(announced) if announced.isascii() and announced.isdigit() else 0
        parts, size = [], 0
        self._check_size(total)
        for chunk in chunks:
            parts.append(chunk)
            size += len(chunk)
            self.progress(where, size, total)
            self._check_size(size)
            if time.monotonic() > self.until:
                raise UnreachableError(f"{where} did not finish in time")
        if announced and size != total:
            raise BrokenError(f"{where} cut the answer off")
        return b"".join(parts)

    def _check_size(self, size: int) -> None:
        if size > self.size:
            raise UnreachableError(f"{safe(self.url)} is larger than {self.size // 1024} kB")


def checked_headers(url: str, headers: Sequence[tuple[str, str]]) -> dict[str, str]:
    """The headers by lower-case name.

    Raises:
        UnreachableError: there are too many.
    """
    if sum(len(name) + len(value) for name, value in headers) > MAX_HEADERS:
        raise UnreachableError(f"{host_of(url)} sent too many headers")
    return {name.lower(): value for name, value in headers}


def is_short(headers: Mapping[str, str]) -> bool:
    """Whether a body is announced to be so short that reading it costs less than a connection."""
    length = headers.get("content-length", "")
    return length.isascii() and length.isdigit() and len(length) < 6


def status_error(url: str, status: int, headers: Mapping[str, str]) -> SkillError:
    """What a status that is no answer means."""
    where = safe(url)
    if status in (404, 410):
        return NotFoundError(f"{where} is not there (HTTP {status})")
    wait = asked_wait(status, headers)
    if status == 429 or wait is not None:
        hint = f"it asks to wait {wait:.0f} s" if wait is not None else "try again in a minute"
        return UnreachableError(f"{host_of(url)} says that there were too many requests", hint=hint)
    if status == 401:
        return NotFoundError(
            f"{where} was not found, or is private and we have no access (HTTP 401)",
            hint="for a private one name its token in [tokens] of config.toml,"
            " or let git's credential helper know it",
        )
    if status == 403:
        return UnreachableError(f"{where} is not open to us (HTTP 403)")
    return UnreachableError(f"{where} answered HTTP {status}")


def certificate_fault(error: BaseException | None) -> str:
    """What is wrong with a server's certificate, or "" when that is not it."""
    text = str(error)
    if "CERTIFICATE" not in text.upper():
        return ""
    found = next((said for words, said in _FAULTS if words.lower() in text.lower()), "")
    return f"{found} ({safe(text, 200)})" if found else safe(text, 200)
