"""A hub: owners, packages and versions behind the HTTP routes of a real one."""

from __future__ import annotations

import hashlib
import ssl
import time
from dataclasses import replace
from typing import Any, Final, Unpack

from .exchange import Reply, Request
from .hubpages import (
    Package,
    Publication,
    Release,
    changes_of,
    file_of,
    files_of,
    item_of,
    metadata_of,
    readme_of,
    release_of,
    search,
)
from .webserver import WebServer

API: Final = "/api/v1"
_MESSAGES: Final = {
    "not_found": "Pacote não encontrado.",
    "blocked": "Este pacote foi bloqueado pela moderação.",
    "malicious": "Esta versão foi marcada como maliciosa.",
    "rate_limited": "Muitas requisições. Tente novamente em instantes.",
    "unauthorized": "Autenticação necessária.",
}


class HubServer(WebServer):
    """A hub with one method for whatever can happen on it.

    Any answer can be replaced: `hub.on(hub.page("@h/n"), closure)`; the closure may take the
    true answer from `hub.real(request)` and change it.

    Args:
        context: a server's TLS context; None serves plain HTTP.

    Attributes:
        packages: every package by its present name.
    """

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.packages: dict[str, Package] = {}
        self._moved: dict[str, str] = {}
        self._left: int | None = None
        self._lying = False
        super().__init__(context)

    def publish(
        self, name: str, version: str, data: bytes, **facts: Unpack[Publication]
    ) -> Package:
        """Publish a version, and with the first one the package.

        Args:
            name: `@handle/slug`.
            version: the version; `latest` moves to it.
            data: the artifact, a zip for a skill.
            facts: kind, category, summary, official, owner, moderation of the package; scan,
                changelog, requires, content_type of this version. What is not given stays as
                it was.
        """
        package = self.packages.get(name)
        if package is None:
            package = Package(len(self.packages) + 1, name)
            self.packages[name] = package
        package.change(facts)
        package.releases.insert(0, Release.of(version, data, facts))
        package.latest = version
        return package

    def rename(self, old: str, new: str) -> None:
        """Give a package a new name; the old name goes on answering with the new package."""
        package = self.packages.pop(old)
        package.name = new
        self.packages[new] = package
        self._moved[old] = new
        self._moved.pop(new, None)

    def transfer(self, name: str, handle: str) -> str:
        """Give a package to another owner, under their handle; returns its new name."""
        new = f"@{handle}/{name.partition('/')[2]}"
        self.rename(name, new)
        self.packages[new].owner = handle
        return new

    def delete(self, name: str) -> None:
        """Remove a package; its name is free again."""
        del self.packages[name]

    def lie_about_digest(self) -> None:
        """From now on announce the SHA-256 of other bytes with every download."""
        self._lying = True

    def limit_after(self, requests: int) -> None:
        """Answer 429 `rate_limited` when that many further API requests are answered."""
        self._left = requests

    def page(self, name: str, tail: str = "") -> str:
        """The API path of a package, with a tail such as `/versions`."""
        return f"{API}/packages/{name}{tail}"

    def download(self, name: str, version: str) -> str:
        """The API path of a version's artifact."""
        return self.page(name, f"/versions/{version}/download")

    def page_url(self, name: str) -> str:
        """The address of the page that people see, as they would paste it."""
        return f"{self.url}/skills/{name}"

    def real(self, request: Request) -> Reply:
        """The hub's own answer to a request, without any replacement."""
        if not request.path.startswith("/api/"):
            return self._human_page(request)
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                limited = _error(429, "rate_limited")
                headers = {**limited.headers, "Retry-After": "60"}
                return _rated(replace(limited, headers=headers), request, spent=True)
        return _rated(self._api(request), request)

    def answer(self, request: Request) -> Reply:
        """The test's replacement, or the hub's own answer."""
        return self._replacement(request) or self.real(request)

    def _api(self, request: Request) -> Reply:
        if request.method not in ("GET", "HEAD"):
            return _error(401, "unauthorized")
        if request.path == f"{API}/search":
            found = search(self.packages.values(), request.query)
            return _bad_request(found) if isinstance(found, str) else Reply.json(found)
        if request.path.startswith("/api/npm/"):
            return _error(404, "not_found")
        parts = request.path.removeprefix(f"{API}/packages/").split("/", 2)
        package = self._named("/".join(parts[:2]))
        if package is None or not request.path.startswith(f"{API}/packages/"):
            return _error(404, "not_found")
        return self._package(package, parts[2] if len(parts) > 2 else "", request)

    def _named(self, name: str) -> Package | None:
        return self.packages.get(name) or self.packages.get(self._moved.get(name, ""))

    def _package(self, package: Package, tail: str, request: Request) -> Reply:
        if not tail:
            return Reply.json(metadata_of(package))
        if tail == "versions":
            return Reply.json({"items": [release_of(r) for r in package.releases]})
        if tail == "diff":
            changes = changes_of(package, request.query)
            return _bad_request("invalid_query") if changes is None else Reply.json(changes)
        kind, _, rest = tail.partition("/")
        version, _, action = rest.partition("/")
        release = package.release(version)
        if kind != "versions" or release is None:
            return _error(404, "not_found")
        return self._release(package, release, action)

    def _release(self, package: Package, release: Release, action: str) -> Reply:
        if action == "download":
            return self._artifact(package, release)
        answer: dict[str, Any] | None = None
        if action == "files":
            answer = files_of(release)
        elif action == "readme":
            answer = readme_of(release)
        elif action.startswith("files/"):
            answer = file_of(release, action.removeprefix("files/"))
        return _error(404, "not_found") if answer is None else Reply.json(answer)

    def _artifact(self, package: Package, release: Release) -> Reply:
        if package.moderation in ("blocked", "hidden"):
            return _error(403, "blocked")
        if release.scan and release.scan.get("status") == "malicious":
            return _error(403, "malicious")
        digest = hashlib.sha256(b"a lie" if self._lying else release.data).hexdigest()
        headers = {"Content-Type": release.content_type, "X-PepeHub-Sha256": digest}
        return Reply(200, release.data, headers)

    def _human_page(self, request: Request) -> Reply:
        place, _, name = request.path.strip("/").partition("/")
        package = self._named(name)
        if package is None or place != f"{package.kind}s".replace("plugins", "packages"):
            return Reply.text("<h1>404</h1>", 404, "text/html")
        return Reply.text(f"<h1>{item_of(package)['name']}</h1>", 200, "text/html")


def _rated(reply: Reply, request: Request, *, spent: bool = False) -> Reply:
    limit = 3000 if request.headers.get("Authorization") else 600
    rate = {
        "RateLimit-Limit": str(limit),
        "RateLimit-Remaining": "0" if spent else str(limit),
        "RateLimit-Reset": str((int(time.time()) // 60 + 1) * 60),
    }
    return replace(reply, headers={**reply.headers, **rate})


def _error(status: int, code: str) -> Reply:
    return Reply.json({"error": code, "message": _MESSAGES.get(code, code)}, status)


def _bad_request(code: str) -> Reply:
    return _error(400, code)
