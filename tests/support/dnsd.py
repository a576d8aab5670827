"""A name server on UDP that answers from a script, so that a name can change its address."""

from __future__ import annotations

import ipaddress
import socket
import struct
import threading
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

_TYPES: Final = {1: 4, 28: 6}
"""Of the record types A and AAAA, the family of their addresses."""


class NameServer:
    """Answers for the names that it was told about, NXDOMAIN for all others.

    Attributes:
        asked: how often each name was asked for, by the family of the addresses.
    """

    def __init__(self, address: tuple[str, int] = ("127.0.0.1", 53)) -> None:
        self.asked: dict[tuple[str, int], int] = defaultdict(int)
        self._scripts: dict[str, list[Sequence[str]]] = {}
        self._silent: set[str] = set()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(address)
        threading.Thread(target=self._serve, daemon=True).start()

    def answer(self, name: str, *turns: Sequence[str]) -> None:
        """Answer a name with these addresses, each turn once and the last one for ever."""
        self._scripts[name] = list(turns)

    def be_silent(self, name: str) -> None:
        """Answer a name with nothing at all."""
        self._silent.add(name)

    def _serve(self) -> None:
        while True:
            query, sender = self._socket.recvfrom(4_096)
            with suppress(IndexError, struct.error, UnicodeDecodeError):
                name, kind, question = _question(query)
                family = _TYPES.get(kind, 0)
                self.asked[name, family] += 1
                if name not in self._silent:
                    found = self._turn(name, family)
                    self._socket.sendto(_reply(query[:2], question, kind, found), sender)

    def _turn(self, name: str, family: int) -> list[bytes] | None:
        """The addresses of a family, None for a name that nobody knows."""
        turns = self._scripts.get(name)
        if turns is None:
            return None
        number = min(self.asked[name, family], len(turns)) - 1
        found = map(ipaddress.ip_address, turns[number])
        return [address.packed for address in found if address.version == family]


def _question(query: bytes) -> tuple[str, int, bytes]:
    labels, at = [], 12
    while length := query[at]:
        labels.append(query[at + 1 : at + 1 + length].decode("ascii").lower())
        at += 1 + length
    (kind,) = struct.unpack_from(">H", query, at + 1)
    return ".".join(labels), kind, query[12 : at + 5]


def _reply(number: bytes, question: bytes, kind: int, found: list[bytes] | None) -> bytes:
    flags = 0x8183 if found is None else 0x8180
    head = number + struct.pack(">HHHHH", flags, 1, len(found or ()), 0, 0)
    records = [
        struct.pack(">HHHIH", 0xC00C, kind, 1, 0, len(packed)) + packed for packed in found or ()
    ]
    return head + question + b"".join(records)
