"""What keeps a test inside the test: its own home, and no way out of loopback."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest

from .loopback import fault

_T = TypeVar("_T")

_OURS: Final = ("GIT_", "SKILL", "SSH_", "XDG_", "PEPE")
_TRUST: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NETRC")
_LOOKS: Final = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "COLUMNS", "LINES")
_TOOLS: Final = ("PAGER", "EDITOR", "VISUAL")
_PROXIES: Final = ("_proxy", "_PROXY")


class OutsideError(OSError):
    """The test reached for something that is not loopback."""


class Network:
    """Stops every connection and look-up that leaves loopback, and remembers it.

    It stands on Python's audit events, which no library can go around; a hook cannot be taken
    back, so there is one for the process: `NETWORK`.
    """

    def __init__(self) -> None:
        self._seen: list[str] = []
        self._installed = False

    def install(self) -> None:
        """Start to watch; once is enough."""
        if not self._installed:
            self._installed = True
            sys.addaudithook(self._hook)
            self._look_before_names()

    def take(self) -> list[str]:
        """What was stopped since the last time, in words; and forget it."""
        seen, self._seen = self._seen, []
        return seen

    def _look_before_names(self) -> None:
        # A connect to a name looks the name up in C, before the event.
        def watched(real: Callable[[socket.socket, Any], _T]) -> Callable[[socket.socket, Any], _T]:
            def connect(connection: socket.socket, address: Any, /) -> _T:
                self._hook("socket.connect", (connection, address))
                return real(connection, address)

            return connect

        for name in ("connect", "connect_ex"):
            setattr(socket.socket, name, watched(getattr(socket.socket, name)))

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        found = fault(event, arguments)
        if found:
            self._seen.append(found)
            raise OutsideError(found)


NETWORK: Final = Network()


@contextmanager
def own_environment(folder: Path) -> Iterator[None]:
    """Inside, HOME, XDG_*, TMPDIR and git's configuration lie in a folder; no proxies, no colours.

    Args:
        folder: an existing folder of the test's own.
    """
    places = {
        "HOME": "home",
        "TMPDIR": "tmp",
        "XDG_CONFIG_HOME": "home/.config",
        "XDG_DATA_HOME": "home/.local/share",
        "XDG_CACHE_HOME": "home/.cache",
        "XDG_STATE_HOME": "home/.local/state",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name in filter(_foreign, tuple(os.environ)):
            patch.delenv(name)
        for name, place in places.items():
            (folder / place).mkdir(parents=True, exist_ok=True)
            patch.setenv(name, str(folder / place))
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("GIT_TERMINAL_PROMPT", "0")
        patch.setenv("GIT_ALLOW_PROTOCOL", "file:http:https")
        patch.setattr(tempfile, "tempdir", None)
        yield


def _foreign(name: str) -> bool:
    return name.startswith(_OURS) or name in _TRUST + _LOOKS + _TOOLS or name.endswith(_PROXIES)
