"""The web server, the hub and the fault proxy, with real HTTP clients."""

from __future__ import annotations

import hashlib
import math
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

import httpx
import pytest

from support.archives import zip_of
from support.ca import CA
from support.exchange import Faults, Reply, Request, endless
from support.faultproxy import FaultProxy
from support.hubserver import HubServer
from support.webserver import WebServer

SKILL: Final[dict[str, bytes | str]] = {
    "SKILL.md": "---\nname: a\n---\n",
    "scripts/run.sh": b"#!/bin/sh\n",
}


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=10, trust_env=False) as found:
        yield found


class TestWebServer:
    def test_serves_bytes_with_headers(self, web: WebServer, client: httpx.Client) -> None:
        url = web.serve("/a b.md", b"hello", "text/markdown", headers={"X-A": "1"}, status=203)
        answer = client.get(url)
        assert (answer.status_code, answer.content, answer.headers["X-A"]) == (203, b"hello", "1")
        assert web.paths() == ["GET /a b.md"]
        assert web.requests[0].headers["Accept"] == "*/*"

    def test_serves_over_https(self, https_web: WebServer, ca: CA) -> None:
        url = https_web.serve("/x", "body")
        with urllib.request.urlopen(url, context=ca.client_context()) as answer:
            assert answer.read() == b"body"
        with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
            urllib.request.urlopen(url, context=ssl.create_default_context())

    @pytest.mark.parametrize("hosts", [("localhost",), ("127.0.0.1",)])
    def test_a_certificate_for_another_host_or_time(self, ca: CA, hosts: tuple[str, ...]) -> None:
        past = datetime(2020, 1, 1, tzinfo=UTC) if hosts == ("127.0.0.1",) else None
        with WebServer(ca.context(*hosts, not_after=past)) as server:
            url = server.serve("/", "x")
            with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
                urllib.request.urlopen(url, context=ca.client_context())

    def test_one_connection_carries_many_requests(
        self, web: WebServer, client: httpx.Client
    ) -> None:
        web.on("/echo", lambda request: Reply(200, request.body))
        for size in (0, 1, 100_000):
            assert client.post(web.url + "/echo", content=b"x" * size).content == b"x" * size
        chunks = iter([b"one", b"two"])
        assert client.post(web.url + "/echo", content=chunks).content == b"onetwo"
        assert client.head(web.url + "/echo").content == b""
        assert client.get(web.url + "/none").status_code == 404

    def test_routes_redirects_and_queries(self, web: WebServer, client: httpx.Client) -> None:
        web.serve("/x?page=2", "two")
        web.serve("/below/*", "below")
        to = web.redirect("/old", "/below/anything", 301)
        web.on("/query", lambda request: Reply.json(request.query))
        assert client.get(web.url + "/x?page=2").text == "two"
        assert client.get(to, follow_redirects=True).text == "below"
        assert client.get(web.url + "/query?a=1&b=%20").json() == {"a": "1", "b": " "}

    def test_cut_and_reset(self, web: WebServer, client: httpx.Client) -> None:
        url = web.serve("/x", b"x" * 1000)
        web.fault("/x", Faults(cut_after=500))
        with pytest.raises(httpx.RemoteProtocolError):
            client.get(url)
        web.fault("/x", Faults(cut_after=500, reset=True))
        with pytest.raises(httpx.ReadError):
            client.get(url)

    def test_a_wrong_length(self, web: WebServer, client: httpx.Client) -> None:
        url = web.serve("/x", b"x" * 1000)
        web.fault("/x", Faults(length=2000))
        with pytest.raises(httpx.RemoteProtocolError):
            client.get(url)
        web.fault("/x", Faults(length=10))
        assert client.get(url).content == b"x" * 10

    def test_an_endless_body(self, web: WebServer, client: httpx.Client) -> None:
        seen = 0
        with client.stream("GET", web.serve("/x", endless())) as answer:
            for chunk in answer.iter_raw():
                seen += len(chunk)
                if seen > 1_000_000:
                    break
        assert web.sent > 1_000_000

    def test_a_slow_and_a_silent_server(self, web: WebServer, client: httpx.Client) -> None:
        url = web.serve("/x", b"12345")
        web.fault("/x", Faults(delay=0.05, drip=0.02))
        started = time.monotonic()
        assert client.get(url).content == b"12345"
        assert time.monotonic() - started > 0.1
        web.fault("/x", Faults(delay=math.inf))
        with pytest.raises(httpx.ReadTimeout):
            client.get(url, timeout=0.1)

    def test_nonsense_instead_of_http(self, web: WebServer, client: httpx.Client) -> None:
        with pytest.raises(httpx.RemoteProtocolError):
            client.get(web.on("/x", lambda _: Reply(raw=b"SSH-2.0-nonsense\r\n")))

    def test_a_failing_handler_fails_the_test(self, client: httpx.Client) -> None:
        def broken(request: Request) -> Reply:
            raise KeyError(request.path)

        server = WebServer()
        assert client.get(server.on("/x", broken)).status_code == 500
        with pytest.raises(AssertionError, match="KeyError"):
            server.close()

    def test_it_leaves_nothing_behind(self, ca: CA) -> None:
        before = threading.active_count()
        for context in (None, ca.context()):
            server = WebServer(context)
            with socket.create_connection(("127.0.0.1", server.port)) as idle:
                time.sleep(0.05)
                server.close()
                assert idle.recv(10) == b""
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", server.port))
        assert threading.active_count() == before


class TestHub:
    def test_metadata_versions_and_download(self, hub: HubServer, client: httpx.Client) -> None:
        data = zip_of(SKILL)
        hub.publish("@ana/notes", "1.0.0", data, summary="Keeps notes", official=True)
        hub.publish("@ana/notes", "1.1.0", data + b"x", scan={"status": "warning"})
        page = client.get(hub.url + hub.page("@ana/notes"))
        wanted = {"name": "@ana/notes", "kind": "skill", "official": True, "owner": "ana"}
        assert wanted.items() <= page.json().items()
        assert page.json()["latestVersion"] == "1.1.0"
        assert page.headers["RateLimit-Limit"] == "600"
        assert page.headers["RateLimit-Remaining"] == "600"
        versions = client.get(hub.url + hub.page("@ana/notes", "/versions")).json()["items"]
        assert [item["version"] for item in versions] == ["1.1.0", "1.0.0"]
        assert [item["scan"]["status"] for item in versions] == ["warning", "clean"]
        got = client.get(hub.url + hub.download("@ana/notes", "1.0.0"))
        assert got.content == data
        assert got.headers["X-PepeHub-Sha256"] == hashlib.sha256(data).hexdigest()
        assert versions[1]["sha256"] == hashlib.sha256(data).hexdigest()

    def test_search_pages_and_filters(self, hub: HubServer, client: httpx.Client) -> None:
        for number in range(45):
            hub.publish(f"@ana/tool-{number}", "1.0.0", b"", summary="Does X", category="tool")
        hub.publish("@ana/hidden", "1.0.0", b"", moderation="hidden")
        hub.publish("@ana/blocked", "1.0.0", b"", moderation="blocked")
        names: list[str] = []
        cursor: int | str | None = ""
        while cursor is not None:
            found = client.get(hub.url + "/api/v1/search", params={"cursor": cursor}).json()
            names += [item["name"] for item in found["items"]]
            cursor = found["nextCursor"]
        assert names == ["@ana/blocked", *(f"@ana/tool-{n}" for n in reversed(range(45)))]
        few = client.get(hub.url + "/api/v1/search?q=does%20x&category=tool&kind=skill").json()
        assert len(few["items"]) == 20
        for wrong in ("category=x", "kind=x", "cursor=x"):
            answer = client.get(f"{hub.url}/api/v1/search?{wrong}")
            assert answer.status_code == 400
            assert answer.json()["error"] == f"invalid_{wrong[:-2]}"

    def test_files_readme_and_diff(self, hub: HubServer, client: httpx.Client) -> None:
        hub.publish("@a/b", "1.0.0", zip_of(SKILL))
        hub.publish("@a/b", "1.1.0", zip_of(SKILL | {"SKILL.md": "new", "x.bin": b"\0"}))
        base = hub.url + hub.page("@a/b")
        paths = [i["path"] for i in client.get(base + "/versions/1.0.0/files").json()["items"]]
        assert paths == list(SKILL)
        file = client.get(base + "/versions/1.1.0/files/SKILL.md").json()
        assert (file["content"], file["isBinary"], file["truncated"]) == ("new", False, False)
        assert client.get(base + "/versions/1.0.0/readme").json()["sourcePath"] == "SKILL.md"
        changes = client.get(base + "/diff?from=1.0.0&to=1.1.0").json()["files"]
        assert [(c["path"], c["status"]) for c in changes] == [
            ("SKILL.md", "modified"),
            ("x.bin", "binary"),
        ]
        assert client.get(base + "/diff?from=9").json()["error"] == "invalid_query"

    def test_errors(self, hub: HubServer, client: httpx.Client) -> None:
        hub.publish("@a/blocked", "1.0.0", b"", moderation="blocked")
        hub.publish("@a/bad", "1.0.0", b"", scan={"status": "malicious", "riskLevel": "high"})
        wanted = {
            hub.page("@a/none"): (404, "not_found"),
            hub.page("@A/bad"): (404, "not_found"),
            hub.page("@a/bad", "/versions/9/download"): (404, "not_found"),
            "/api/npm/@a/bad": (404, "not_found"),
            hub.download("@a/blocked", "1.0.0"): (403, "blocked"),
            hub.download("@a/bad", "1.0.0"): (403, "malicious"),
        }
        for path, (status, code) in wanted.items():
            answer = client.get(hub.url + path)
            assert (answer.status_code, answer.json()["error"]) == (status, code), path
        assert client.post(hub.url + hub.page("@a/bad", "/versions")).status_code == 401
        hub.limit_after(1)
        assert client.get(hub.url + hub.page("@a/bad")).status_code == 200
        limited = client.get(hub.url + hub.page("@a/bad"))
        assert (limited.status_code, limited.json()["error"]) == (429, "rate_limited")
        assert limited.headers["Retry-After"] == "60"
        assert limited.headers["RateLimit-Remaining"] == "0"

    def test_an_old_name_answers_with_the_new_package(
        self, hub: HubServer, client: httpx.Client
    ) -> None:
        hub.publish("@a/old", "1.0.0", b"zip")
        hub.rename("@a/old", "@a/new")
        assert client.get(hub.url + hub.page("@a/old")).json()["name"] == "@a/new"
        assert hub.transfer("@a/new", "b") == "@b/new"
        assert client.get(hub.url + hub.page("@a/new")).json()["owner"] == "b"
        assert client.get(hub.url + hub.page("@a/old")).status_code == 404
        assert client.get(hub.page_url("@b/new")).status_code == 200

    def test_lies_and_replaced_answers(self, hub: HubServer, client: httpx.Client) -> None:
        hub.publish("@a/b", "1.0.0", b"zip")
        path = hub.download("@a/b", "1.0.0")
        hub.lie_about_digest()
        got = client.get(hub.url + path)
        assert got.headers["X-PepeHub-Sha256"] != hashlib.sha256(got.content).hexdigest()

        def tampered(request: Request) -> Reply:
            return Reply(200, b"other", hub.real(request).headers)

        assert client.get(hub.on(path, tampered)).content == b"other"


class TestFaultProxy:
    BODY = bytes(range(256)) * 400

    @pytest.fixture
    def proxy(self, web: WebServer) -> Iterator[FaultProxy]:
        web.serve("/x", self.BODY)
        with FaultProxy(web.port, seed=1) as proxy:
            yield proxy

    def test_passes_everything_on_and_counts(self, proxy: FaultProxy, client: httpx.Client) -> None:
        proxy.down.slice(10_000).latency(0.01, jitter=0.01)
        assert client.get(proxy.url + "/x").content == self.BODY
        assert proxy.connections == 1
        assert proxy.down.bytes > len(self.BODY) > proxy.up.bytes > 0

    def test_cuts_and_resets(self, proxy: FaultProxy, client: httpx.Client) -> None:
        proxy.down.cut_after(50_000)
        with pytest.raises(httpx.RemoteProtocolError):
            client.get(proxy.url + "/x")
        assert proxy.down.bytes == 50_000
        proxy.down.clear().reset_after(50_000)
        with pytest.raises(httpx.ReadError):
            client.get(proxy.url + "/x")
        proxy.down.clear()
        proxy.up.reset_after(10)
        with pytest.raises((httpx.ReadError, httpx.WriteError)):
            client.get(proxy.url + "/x")

    def test_flips_one_bit(self, proxy: FaultProxy, client: httpx.Client) -> None:
        proxy.down.flip(50_000)
        found = client.get(proxy.url + "/x").content
        changed = [a ^ b for a, b in zip(found, self.BODY, strict=True) if a != b]
        assert [bits.bit_count() for bits in changed] == [1]

    def test_swallows(self, proxy: FaultProxy, client: httpx.Client) -> None:
        proxy.down.blackhole()
        with pytest.raises(httpx.ReadTimeout):
            client.get(proxy.url + "/x", timeout=0.2)
        assert proxy.down.bytes == 0

    def test_nobody_listens_behind_it(self, client: httpx.Client) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port: int = listener.getsockname()[1]
        with FaultProxy(port) as proxy, pytest.raises(httpx.TransportError):
            client.get(proxy.url + "/x")
