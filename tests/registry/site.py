"""A real web server whose answer a test changes while it is being watched."""

from __future__ import annotations

import contextlib
import http.server
import threading
import time
from typing import Any, Self


class Site:
    """A real web server whose answer a test changes."""

    def __init__(self) -> None:
        self.body = b"one\ntwo\n"
        self.status = 200
        self.headers: dict[str, str] = {}
        self.cut = 0
        self.delay = 0.0
        self.hits = 0
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.hits += 1
                time.sleep(site.delay)
                self.send_response(site.status)
                for key, value in site.headers.items():
                    self.send_header(key, value)
                self.send_header("Content-Length", str(len(site.body)))
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(site.body[: len(site.body) - site.cut])

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
