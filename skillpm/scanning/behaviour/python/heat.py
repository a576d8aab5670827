"""What is worth reading: the sources and functions in which a word stands that leads to an act.

Most code works something out and never touches the world. It is told apart by its words alone,
before it is parsed or gone through; what hot code calls is gone through with it all the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import Source
from skillpm.scanning.behaviour.python.calls import ROWS, SPECIALS
from skillpm.scanning.behaviour.python.machine import Class, Function, Module
from skillpm.scanning.behaviour.python.names import ROOTS
from skillpm.scanning.behaviour.python.values import Value

_IDLE: Final = frozenset(
    {
        *("builtins", "json", "io", "csv", "operator", "functools", "dataclasses", "itertools"),
        *("logging", "click", "typer", "rich", "pprint", "glob", "threading", "signal", "atexit"),
        *("hashlib", "hmac", "base64", "binascii", "zlib", "codecs", "shlex", "html", "quopri"),
        *("argparse", "platform", "uuid", "string", "sys", "plistlib", "toml", "secrets", "random"),
        *("concurrent", "multiprocessing", "loguru", "globals()", "get_ipython()", "inquirer"),
    }
)
"""Modules that only work something out, or pass on what others give."""

_ROOTS: Final = frozenset(name.partition(".")[0] for name in (*ROWS, *SPECIALS)) - _IDLE | {
    *("urllib2", "httplib", "commands", "posix", "nt", "cPickle", "_pickle", "builtins", "imp"),
    *("aiofiles", "anyio", "decouple", "cloudscraper", "requests_html", "Cryptodome", "sh"),
}
_WORDS: Final = frozenset(
    {
        *("open", "eval", "exec", "execfile", "file", "__import__", "__builtins__", "__dict__"),
        *("globals", "locals", "vars", "modules", "import", "get_ipython"),
        *("read_text", "read_bytes", "write_text", "write_bytes", "unlink", "rmdir", "chmod"),
        *("upload_from_filename", "upload_from_string", "upload_from_file", "upload_blob"),
        *("upload_file", "sendall", "clipboard_get", "rfile"),
    }
)
_EVERYWHERE: Final = _WORDS | (_ROOTS & ROOTS)
_WORD: Final = regex(r"[^\W\d]\w*")
_HOT: Final = regex(
    r"(?m)^[ \t]*(?:>>> )?[!%]|\b(?:"
    + "|".join(sorted(map(re.escape, (_ROOTS | _WORDS) - {"import"})))
    + r")\b"
)


def hot_sources(sources: Sequence[Source]) -> list[bool]:
    """Whether each source could act, or is imported by one that could."""
    hot = [_HOT.search(_normal(source.text)) is not None for source in sources]
    waiting = [number for number, found in enumerate(hot) if found]
    stems = [_stem(source.path) for source in sources]
    while waiting:
        text = _normal(sources[waiting.pop()].text)
        for number, stem in enumerate(stems):
            if not hot[number] and stem in text:
                hot[number] = True
                waiting.append(number)
    return hot


def _normal(text: str) -> str:
    """A text with its letters as Python takes them in names."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _stem(path: str) -> str:
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem == "__init__" else stem


class Heat:
    """Which functions of a module could act."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._words: dict[Function, frozenset[str]] = {}

    def hot(self, functions: Iterable[Function]) -> list[Function]:
        """The functions that could do something, or that use one that could."""
        known = list(functions)
        for function in known:
            if function not in self._words:
                self._words[function] = self._words_of(function)
        hot_words = _EVERYWHERE | self._hot_names(known)
        found: set[Function] = set()
        while True:
            more = [
                function
                for function in known
                if function not in found and not hot_words.isdisjoint(self._words[function])
            ]
            if not more:
                return [function for function in known if function in found]
            found.update(more)
            hot_words |= {name for function in more for name in _names_of(function)}

    def _words_of(self, function: Function) -> frozenset[str]:
        start, end = self._module.reading.places.span(function.node)
        return frozenset(_WORD.findall(_normal(self._module.text[start:end])))

    def _hot_names(self, functions: Sequence[Function]) -> set[str]:
        names = {name for name, value in self._module.frame.names.items() if _leads_on(value)}
        for owner in {function.owner for function in functions if function.owner is not None}:
            names.update(name for name, value in owner.names.items() if _leads_on(value))
            if any(base.name for base in owner.bases):
                names.update(("self", "cls"))
        return names


def _names_of(function: Function) -> tuple[str, ...]:
    name = getattr(function.node, "name", "")
    owner = function.owner.node.name if function.owner is not None else ""
    return tuple(one for one in (name, owner) if one)


def _leads_on(value: Value, depth: int = 0) -> bool:
    """Whether a value is or holds something that could act, or data from somewhere."""
    if value.flow.labels or (value.name and value.name.partition(".")[0] in _ROOTS):
        return True
    if value.thing is not None and not isinstance(value.thing, Function | Class):
        return True
    inner = (*(value.items or ())[:64], *list((value.fields or {}).values())[:64])
    return depth < 3 and any(_leads_on(one, depth + 1) for one in inner)
