"""A throw-away certificate authority, so that HTTPS in tests is checked for real."""

from __future__ import annotations

import ssl
from datetime import datetime
from pathlib import Path

import trustme


class CA:
    """A certificate authority that nobody but the test trusts.

    Args:
        folder: an existing folder in which the public certificate is written.

    Attributes:
        pem: the file for `SSL_CERT_FILE` and `GIT_SSL_CAINFO`.
    """

    def __init__(self, folder: Path) -> None:
        self._authority = trustme.CA()
        self.pem = folder / "ca.pem"
        self._authority.cert_pem.write_to_path(str(self.pem))

    def context(
        self, *hosts: str, not_before: datetime | None = None, not_after: datetime | None = None
    ) -> ssl.SSLContext:
        """A server's context with a certificate for the hosts.

        Args:
            hosts: names and addresses; by default `127.0.0.1` and `localhost`.
            not_before: the start of its validity; a moment to come makes it not yet valid.
            not_after: the end of its validity; a moment gone by makes it expired.
        """
        names = hosts or ("127.0.0.1", "localhost")
        certificate = self._authority.issue_cert(*names, not_before=not_before, not_after=not_after)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
        return context

    def client_context(self) -> ssl.SSLContext:
        """A client's context that trusts this authority alone."""
        return ssl.create_default_context(cafile=str(self.pem))

    def environment(self) -> dict[str, str]:
        """The variables that make OpenSSL, Python and git trust this authority."""
        return {"SSL_CERT_FILE": str(self.pem), "GIT_SSL_CAINFO": str(self.pem)}
