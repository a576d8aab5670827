"""Lists of signers: lines of an allowed-signers file, as ssh-keygen(1) describes it, read strictly.

What is read is written anew before ssh-keygen gets it, so that nothing of a stranger's line ever
reaches it: one plain name, the namespace `git`, the dates, the type and the key.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable
from typing import Final

from skillpm.errors import UsageError
from skillpm.model.name import show
from skillpm.model.pins import Signer

MAX_SIGNERS: Final = 64
MAX_BYTES: Final = 64 * 1024
_LONGEST_KEY: Final = 4_096

_KINDS: Final = frozenset({
    "ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
    "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com",
})  # fmt: skip
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9@._+-]{0,99}")
_DATE: Final = re.compile(r"[0-9]{8}(?:[0-9]{4}(?:[0-9]{2})?)?")
_OPTION: Final = re.compile(r'([a-z-]+)(?:="([^"]*)")?')


def read_signers(text: str, default: str = "") -> tuple[Signer, ...]:
    """The signers of some lines, each `NAME [options] TYPE KEY`; `#` begins a remark.

    Args:
        text: the lines.
        default: the name for a line that begins with the type, as a public key file does; "" when
            a line must have its own.

    Raises:
        UsageError: a line is none, or there is none at all.
    """
    if len(text) > MAX_BYTES:
        raise UsageError(f"a list of signers is larger than {MAX_BYTES >> 10} kB")
    lines = [line.strip() for line in text.replace("\r\n", "\n").split("\n")]
    found = [_signer(line, default) for line in lines if line and not line.startswith("#")]
    unique = tuple(dict.fromkeys(found))
    if not unique:
        raise UsageError("a list of signers names no key")
    if len(unique) > MAX_SIGNERS:
        raise UsageError(f"a list of signers has more than {MAX_SIGNERS} keys")
    return unique


def signers_text(signers: Iterable[Signer]) -> str:
    """The lines for ssh-keygen: these keys, for commits and nothing else."""
    return "".join(f"{_line(signer)}\n" for signer in signers)


def _line(signer: Signer) -> str:
    dates = (("valid-after", signer.after), ("valid-before", signer.before))
    options = ['namespaces="git"', *(f'{key}="{value}Z"' for key, value in dates if value)]
    return f"{signer.name} {','.join(options)} {signer.kind} {signer.key}"


def _signer(line: str, default: str) -> Signer:
    words = line.split()
    if words[0] in _KINDS:
        words = [default, *words]
    name, rest = words[0], words[1:]
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{show(name)} is no name for a signer",
            hint="a line is: NAME TYPE KEY, for one jane@example.com ssh-ed25519 AAAA…",
        )
    options = rest.pop(0) if rest and rest[0] not in _KINDS else ""
    if len(rest) < 2 or rest[0] not in _KINDS:
        raise UsageError(f"{show(line[:80])} names no SSH key that can sign")
    return Signer(name, rest[0], _key(rest[0], rest[1]), *_dates(options))


def _key(kind: str, text: str) -> str:
    """A public key, when its inside agrees with the type before it (RFC 4253, 6.6)."""
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    length = int.from_bytes(raw[:4], "big")
    if len(text) > _LONGEST_KEY or raw[4 : 4 + length] != kind.encode():
        raise UsageError(f"{show(text[:40])} is no {kind} key")
    return base64.b64encode(raw).decode()


def _dates(options: str) -> tuple[str, str]:
    found = {"valid-after": "", "valid-before": ""}
    for part in options.split(",") if options else ():
        match = _OPTION.fullmatch(part)
        key, value = match.groups() if match else (part, None)
        if key == "namespaces" and value == "git":
            continue
        date = (value or "").removesuffix("Z")
        if key not in found or not _DATE.fullmatch(date):
            raise UsageError(f"the option {show(part)} of a signer is not one that is understood")
        found[key] = date
    return found["valid-after"], found["valid-before"]
