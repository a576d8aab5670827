"""Bodies that may be asked for conditionally: kept by digest, named by URL and credential.

A kept answer is never used without the server's word that it still holds; what is damaged, or
stands there without its body, is as if it had never been kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from skillpm.edges import disk, folders
from skillpm.errors import StateError

_FACTS: Final = 16 * 1024
_VALIDATORS: Final = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}


@dataclass(frozen=True, slots=True)
class Kept:
    """A complete answer of an earlier time.

    Attributes:
        headers: those that matter to whoever reads the body.
    """

    headers: dict[str, str]
    body: bytes

    @property
    def conditions(self) -> dict[str, str]:
        """What to send, so that the server answers 304 when nothing changed."""
        return {
            name: self.headers[header]
            for header, name in _VALIDATORS.items()
            if header in self.headers
        }

    def confirmed_by(self, headers: dict[str, str]) -> bool:
        """Whether a 304 speaks of these bytes and of no others."""
        etag = headers.get("etag", "")
        return not etag or _strong(etag) == _strong(self.headers.get("etag", ""))


class HttpCache:
    """Kept answers below a folder; None as the folder keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._keeps = folder is not None
        self._folder = folder or Path()

    def get(self, url: str, credential: str) -> Kept | None:
        """The answer kept for a URL as seen with a credential, when it is whole."""
        if not self._keeps:
            return None
        with contextlib.suppress(StateError, ValueError, KeyError, TypeError, AttributeError):
            facts: Any = json.loads(disk.read_file(self._facts(url, credential), _FACTS) or b"")
            digest = facts["sha256"]
            path = self._body(digest)
            body = disk.read_file(path, facts["size"])
            if body is not None and hashlib.sha256(body).hexdigest() == digest:
                os.utime(path)
                headers = {str(key): str(value) for key, value in facts["headers"].items()}
                return Kept(headers, body)
        return None

    def put(self, url: str, credential: str, headers: dict[str, str], body: bytes) -> None:
        """Keep a complete answer that has something to ask for it by; a full disk keeps none."""
        kept = {key: headers[key] for key in (*_VALIDATORS, "content-type") if key in headers}
        if not self._keeps or not set(kept) & set(_VALIDATORS):
            return
        digest = hashlib.sha256(body).hexdigest()
        facts = {"sha256": digest, "size": len(body), "headers": kept}
        with contextlib.suppress(StateError):
            folders.write_atomic(self._body(digest), body)
            folders.write_atomic(self._facts(url, credential), json.dumps(facts).encode())

    def _facts(self, url: str, credential: str) -> Path:
        name = hashlib.sha256(f"{url}\0{credential}".encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"{name}.json"

    def _body(self, digest: str) -> Path:
        if len(digest) != 64 or not digest.isalnum():
            raise ValueError(digest)
        return self._folder / "bodies" / digest


def _strong(etag: str) -> str:
    return etag.removeprefix("W/")
