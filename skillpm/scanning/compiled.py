"""The analyser that holds Python bytecode against the source it claims to come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.analyser import Sighting
from skillpm.scanning.containers.bytecode import header_of, matches_source, strings
from skillpm.scanning.facts import FileFacts, SkillFacts
from skillpm.scanning.identify import Kind
from skillpm.scanning.rules import RuleSet
from skillpm.scanning.words import words

_CACHED: Final = regex(r"^(.{0,2000}/|)__pycache__/([^/.]{1,200})\.[^/]{0,60}\.pyc$")
_TELLING: Final = words(
    "subprocess Popen check_output system popen exec eval compile marshal base64 b64decode"
    " b85decode unhexlify zlib lzma urllib urlopen urlretrieve requests httpx aiohttp socket"
    " create_connection smtplib ftplib paramiko ctypes pty environ getenv importlib __import__"
    " rmtree pickle expanduser webbrowser"
)
_SHOWN: Final = 5


class Compiled:
    """Says which bytecode has no source, or was not made from the one beside it."""

    def analyse(self, skill: SkillFacts, rules: RuleSet) -> Iterator[Sighting]:
        """At most one sighting for each file of bytecode."""
        compiled = [one for one in skill.files if one.identity.detail == "Python bytecode"]
        if not compiled:
            return
        sources = {facts.file.path: facts for facts in skill.files if _is_source(facts)}
        for facts in compiled:
            found = _judged(facts, sources)
            if found:
                yield Sighting(rules[found[0]], facts, detail=found[1])


def _is_source(facts: FileFacts) -> bool:
    return facts.identity.kind in (Kind.TEXT, Kind.EMPTY) and facts.file.path.endswith(".py")


def _judged(facts: FileFacts, sources: Mapping[str, FileFacts]) -> tuple[str, str] | None:
    cached = _CACHED.match(facts.file.path)
    name = f"{cached[1]}{cached[2]}.py" if cached else facts.file.path.rpartition(".")[0] + ".py"
    source = sources.get(name)
    if source is None:
        return None if cached else ("files/bytecode-without-source", "")
    header = header_of(facts.file.data)
    if header is not None and not matches_source(header, source.file.data):
        return "files/bytecode-differs", "its header names another source"
    used = {word for text in strings(facts.file.data) for word in (text,) if word in _TELLING}
    foreign = sorted(word for word in used if word not in source.identity.text)
    if foreign:
        return "files/bytecode-differs", "only it uses " + ", ".join(foreign[:_SHOWN])
    return None
