"""Pickles: which names they would import and call, read from their opcodes, never loaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.containers.parts import Budget, Found, Note, shown, text_part
from skillpm.scanning.words import words

_MAX_OPCODES: Final = 200_000
_MAX_DATA: Final = 10_000_000
_MAX_TEXT: Final = 200_000
_MAX_NAMES: Final = 200
_PLAIN: Final = regex(r"(?:^|[\n(.\x80-\xff])c[A-Za-z_][\w.]{0,60}\n[A-Za-z_][\w.]{0,60}\n")
_BINARY: Final = regex(rb"\x80[\x02-\x05]")

_MODULES: Final = words(
    "os posix nt subprocess pty commands popen2 sys socket shutil runpy importlib webbrowser ctypes"
    " code codeop pip multiprocessing marshal pickle _pickle dill cloudpickle types requests urllib"
    " http httplib httpx aiohttp ftplib smtplib telnetlib bdb pdb profile cProfile timeit trace"
    " doctest pydoc imaplib poplib ssl tempfile signal threading _thread asyncio platform"
    " linecache idlelib lib2to3 distutils setuptools venv ensurepip builtins __builtin__ io"
    " operator functools inspect zipimport pkgutil cffi torch.hub numpy.testing numpy.f2py"
)
_HARMLESS: Final = words(
    "builtins.set builtins.frozenset builtins.bytearray builtins.complex builtins.range"
    " builtins.slice builtins.object builtins.list builtins.dict builtins.tuple builtins.int"
    " builtins.float builtins.str builtins.bytes builtins.bool builtins.type builtins.print"
    " __builtin__.set __builtin__.frozenset __builtin__.bytearray __builtin__.complex"
    " __builtin__.object __builtin__.list __builtin__.dict __builtin__.long __builtin__.unicode"
    " __builtin__.xrange __builtin__.slice __builtin__.type __builtin__.tuple"
    " builtins.Exception builtins.ValueError builtins.KeyError builtins.NotImplemented"
    " builtins.Ellipsis functools.partial operator.itemgetter io.BytesIO io.StringIO"
    " types.SimpleNamespace types.MappingProxyType"
)
_STRINGS: Final = words(
    "UNICODE BINUNICODE SHORT_BINUNICODE BINUNICODE8 STRING BINSTRING SHORT_BINSTRING"
)


def open_pickle(data: bytes, budget: Budget) -> Iterator[Found]:
    """What loading the pickle would reach, and the strings in it."""
    del budget  # bounded by itself
    names, strings = references(data)
    reached = [name for name in names if _is_dangerous(name)]
    if reached:
        yield Note("files/pickle-calls", shown(", ".join(sorted(set(reached))[:5])))
    told = "\n".join(strings)[:_MAX_TEXT]
    if told:
        yield text_part("strings", told, "strings", unseen=True)


def open_array(data: bytes, budget: Budget) -> Iterator[Found]:
    """A NumPy file: only an array of objects holds a pickle."""
    header = data[:512]
    found = _BINARY.search(data, 10)
    if b"|O" in header and found:
        yield Note("files/serialized-objects", "in a NumPy array")
        yield from open_pickle(data[found.start() :], budget)


def starts_pickle(data: bytes) -> bool:
    """Whether binary data begins with a protocol and ends as a pickle does."""
    return bool(_BINARY.match(data)) and data.endswith(b".")


def is_plain_pickle(text: str) -> bool:
    """Whether a text is a pickle of protocol 0 that imports something."""
    if not _PLAIN.search(text[:100_000]):
        return False
    found = [name for name, _ in _opcodes(text.encode("utf-8", "replace"))]
    return "STOP" in found and any(name in ("GLOBAL", "INST") for name in found)


def references(data: bytes) -> tuple[list[str], list[str]]:
    """The `module.name` of every import, and the strings, as far as the opcodes are sound."""
    names: list[str] = []
    strings: list[str] = []
    stack: list[str] = []
    memo: dict[int, str] = {}
    for name, argument in _opcodes(data):
        if name in _STRINGS:
            stack.append(str(argument))
            strings.append(str(argument))
        elif name in ("MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT"):
            memo[len(memo) if argument is None else int(str(argument))] = stack[-1] if stack else ""
        elif name in ("GET", "BINGET", "LONG_BINGET"):
            stack.append(memo.get(int(str(argument)), ""))
        elif name in ("GLOBAL", "INST"):
            names.append(str(argument).replace(" ", ".", 1))
            stack.append("")
        elif name == "STACK_GLOBAL":
            names.append(".".join(stack[-2:]))
            stack[-2:] = [""]
        if len(names) >= _MAX_NAMES:
            break
    return names, strings


def _opcodes(data: bytes) -> Iterator[tuple[str, object]]:
    import io
    import pickletools

    stream, left = io.BytesIO(data[:_MAX_DATA]), _MAX_OPCODES
    while left > 0 and stream.tell() < len(data):
        start = stream.tell()
        try:
            for opcode, argument, _ in pickletools.genops(stream):
                yield opcode.name, argument
                left -= 1
                if left <= 0:
                    return
        except Exception:  # noqa: BLE001 - genops raises many types; what came before it counts
            return
        if stream.tell() <= start:
            return


def _is_dangerous(name: str) -> bool:
    if name in _HARMLESS:
        return False
    module, _, _ = name.rpartition(".")
    return module in _MODULES or module.partition(".")[0] in _MODULES
