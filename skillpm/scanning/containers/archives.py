"""Openers for zip, tar and single compressed files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.containers import tars, zips
from skillpm.scanning.containers.inflating import inflate
from skillpm.scanning.containers.parts import Budget, Found, Note, Part, is_bomb, shown

_CODE: Final = regex(
    r"\.(?:sh|bash|zsh|command|py|pyw|js|mjs|cjs|ts|rb|pl|php|lua|ps1|psm1|bat|cmd|vbs|vbe|wsf|hta"
    r"|applescript|scpt|jar|class)$",
    re.IGNORECASE,
)
_PROGRAM_NAME: Final = regex(
    r"\.(?:exe|dll|so|dylib|scr|com|msi|msp|pif|cpl|appimage|deb|rpm|dmg|pkg|apk|lnk)$",
    re.IGNORECASE,
)
_PROGRAM_MAGIC: Final = (
    b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xfe\xed\xfa\xcf",
    b"\xfe\xed\xfa\xce", b"\xca\xfe\xba\xbe",
)  # fmt: skip
_DRIVE: Final = regex(r"[A-Za-z]:")
_SHOWN: Final = 3


def open_zip(data: bytes, budget: Budget) -> Iterator[Found]:
    """The members of a zip file."""
    infos = zips.table(data)
    if infos is None:
        yield Note("unscanned/damaged-archive", "its table can't be read")
        return
    for reason in zips.ambiguities(data, infos):
        yield Note("files/ambiguous-archive", reason)
    told = _Contents("zip")
    if is_bomb(len(data), sum(info.file_size for info in infos)):
        yield Note("unscanned/archive-bomb", "it says so itself")
        told.missing = True
    for info in infos:
        name = info.filename
        if _escapes(name):
            yield Note("files/archive-escape", shown(name))
        if info.is_dir():
            continue
        plain = zips.content(data, info, min(budget.left, info.file_size) + 1)
        if plain is None or not budget.take(len(plain)):
            yield from told.left_out(budget, name, locked=bool(info.flag_bits & 0x1))
            if budget.members <= 0 or budget.left <= 0:
                break
        elif zips.is_link(info):
            yield from _link(name, plain.decode("utf-8", "replace"))
        else:
            yield told.part(name, plain, executable=zips.is_executable(info))
    yield from told.summary()


def open_tar(data: bytes, budget: Budget, kind: str = "tar") -> Iterator[Found]:
    """The members of a tar file."""
    told = _Contents(kind)
    for member in tars.members(data):
        if member is None:
            yield Note("unscanned/damaged-archive", "it is cut off")
            told.missing = True
            break
        if _escapes(member.name):
            yield Note("files/archive-escape", shown(member.name))
        if member.kind == "link":
            yield from _link(member.name, member.target)
        elif member.kind == "other":
            yield Note("files/archive-escape", f"{shown(member.name)} is a device or a pipe")
        elif member.kind == "file" and budget.take(len(member.data)):
            yield told.part(member.name, member.data, executable=member.executable)
        elif member.kind == "file":
            yield from told.left_out(budget, member.name)
            break
    yield from told.summary()


def open_compressed(data: bytes, budget: Budget, method: str, name: str) -> Iterator[Found]:
    """What a gzip, bzip2 or xz file holds: a tar or a single file, which is called `name`."""
    plain, whole = inflate(data, method, budget.left)
    if not whole and len(plain) >= budget.left:
        bomb = is_bomb(len(data), len(plain))
        yield Note("unscanned/archive-bomb" if bomb else "unscanned/archive-too-large")
    elif not whole:
        yield Note("unscanned/damaged-archive", "it is cut off")
    if tars.is_tar(plain):
        yield from open_tar(plain, budget, f"tar in {method}")
    elif plain and budget.take(len(plain)):
        told = _Contents(method)
        told.missing = not whole
        yield told.part(name, plain)
        yield from told.summary()


class _Contents:
    """What was seen of one archive, and what was not."""

    def __init__(self, kind: str) -> None:
        self.kind, self.missing, self.count = kind, False, 0
        self.code: list[str] = []
        self.programs: list[str] = []

    def part(self, name: str, data: bytes, *, executable: bool = False) -> Part:
        self.count += 1
        if _PROGRAM_NAME.search(name) or data.startswith(_PROGRAM_MAGIC):
            self.programs.append(shown(name))
        elif _CODE.search(name) or data.startswith(b"#!"):
            self.code.append(shown(name))
        return Part(name, data, executable)

    def left_out(self, budget: Budget, name: str, *, locked: bool = False) -> Iterator[Found]:
        """Say once why something was left out; a locked archive has its own finding."""
        first, self.missing = not self.missing, True
        if budget.members <= 0 or budget.left <= 0:
            yield Note("unscanned/archive-too-large")
        elif first and not locked:
            yield Note("unscanned/archive", f"{shown(name)} can't be read")

    def summary(self) -> Iterator[Found]:
        if self.programs:
            yield Note("files/program-in-archive", ", ".join(self.programs[:_SHOWN]))
        if self.code:
            yield Note("files/script-in-archive", ", ".join(self.code[:_SHOWN]))
        if not self.missing:
            yield Note("files/archive", f"{self.kind}, {self.count} files")


def _link(name: str, target: str) -> Iterator[Found]:
    folder = name.rpartition("/")[0]
    if _escapes(target) and _climbs(folder, target):
        yield Note("files/archive-escape", f"{shown(name)} leads to {shown(target)}")


def _escapes(name: str) -> bool:
    path = name.replace("\\", "/")
    return path.startswith("/") or ".." in path.split("/") or bool(_DRIVE.match(path))


def _climbs(folder: str, target: str) -> bool:
    """Whether a link in `folder` leads out of the archive."""
    path = target.replace("\\", "/")
    if path.startswith("/") or _DRIVE.match(path):
        return True
    depth = len([part for part in folder.split("/") if part not in ("", ".")])
    for part in path.split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return False
