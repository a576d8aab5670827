"""The opener for Office documents (OOXML, ODF, EPUB): their text, links, fields and macros.

XML is never parsed: tags are taken out of bounded text, so no entity is ever expanded.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.containers import vba
from skillpm.scanning.containers.archives import open_zip
from skillpm.scanning.containers.parts import Budget, Found, Note, Part, shown, text_part

_MAX_XML: Final = 4_000_000
_FOLDERS: Final = regex(r"^(?:word|ppt|xl|visio|oebps|ops|epub)/|^content\.xml$", re.IGNORECASE)
_MARKUP: Final = regex(r"\.(?:xml|rels|xhtml|html|opf|ncx|vml)$", re.IGNORECASE)
_TEXTLESS: Final = regex(
    r"(?:^|/)(?:styles|settings|websettings|fonttable|theme\d{0,3}|numbering|manifest|container"
    r"|presprops|viewprops|tablestyles|\[content_types\])\.xml$|/(?:slidelayouts|slidemasters|theme)/",
    re.IGNORECASE,
)
_PROPERTIES: Final = regex(r"(?:^|/)(?:docprops|customxml)/|^meta\.xml$", re.IGNORECASE)
_BREAK: Final = regex(
    r"</(?:w:p|a:p|p|text:p|text:h|h[1-6]|li|si|row|div|td)>"
    r"|<(?:w:br|a:br|br|text:line-break)\b[^<>]{0,200}>"
)
_TAB: Final = regex(r"<(?:w:tab|text:tab)\b[^<>]{0,200}>")
_TAG: Final = regex(r"<[^<>]{0,4000}>")
_RUN: Final = regex(r"<w:r[ >]")
_RUN_TEXT: Final = regex(r"<w:t(?: [^<>]{0,200})?>([^<]{0,20000})</w:t>")
_UNSEEN: Final = regex(
    r"<w:vanish\b|<w:webHidden\b|<w:color [^<>]{0,80}w:val=\"(?:FFFFFF|ffffff|FEFEFE)\""
    r"|<w:sz w:val=\"[1-4]\""
)
_FIELD: Final = regex(r"<w:instrText[^<>]{0,200}>([^<]{0,4000})<|w:instr=\"([^\"<>]{0,4000})\"")
_FORMULA: Final = regex(r"<f(?: [^<>]{0,200})?>([^<]{0,8000})</f>")
_DDE: Final = regex(
    r"\bDDE(?:AUTO)?\b\s{1,20}\S|\b(?:cmd|powershell|mshta|rundll32|regsvr32|excel)(?:\.exe)?\s{0,4}\|\s{0,4}['\"]",
    re.IGNORECASE,
)
_XLM: Final = regex(
    r"\b(?:EXEC|CALL|REGISTER|FORMULA\.FILL|URLDownloadToFile\w?)\s{0,4}\(", re.IGNORECASE
)
_RELATION: Final = regex(r"<Relationship\b[^<>]{0,6000}>")
_TARGET: Final = regex(r"\bTarget=[\"']([^\"'<>]{1,4000})[\"']")
_LOADED: Final = regex(
    r"/(?:attachedTemplate|oleObject|frame|subDocument|externalLink|externalLinkPath|package)[\"']"
)
_REMOTE: Final = regex(
    r"^(?:https?:|ftp:|\\\\|//|file:/{2,5}[^/]|mhtml:|ms-\w{2,20}:)", re.IGNORECASE
)
_MACRO_FOLDER: Final = regex(r"^(?:Basic|Scripts)/", re.IGNORECASE)
_HARMLESS_MACROS: Final = regex(r"(?:script-l[bc]|dialog-l[bc])\.xml$")
_RENAMED: Final = {
    "files/archive": "files/document-read",
    "files/script-in-archive": "files/code-in-document",
    "files/program-in-archive": "files/code-in-document",
}


def open_office(data: bytes, budget: Budget) -> Iterator[Found]:
    """The texts, notes and other members of an Office document, or of a zip that poses as one."""
    found = list(open_zip(data, budget))
    names = [one.name for one in found if isinstance(one, Part)]
    if not any(map(_FOLDERS.search, names)):
        yield from found
        return
    book = any(name.lower().endswith(".opf") for name in names)
    for one in found:
        if isinstance(one, Note):
            plain_book = book and one.rule == "files/script-in-archive"
            yield one if plain_book else Note(_RENAMED.get(one.rule, one.rule), one.detail)
        else:
            yield from _member(one)


def xml_text(xml: str) -> str:
    """What a reader sees of an XML document: its text, paragraphs on lines of their own."""
    broken = _TAB.sub("\t", _BREAK.sub("\n", xml[:_MAX_XML]))
    return html.unescape(_TAG.sub("", broken))


def _member(part: Part) -> Iterator[Found]:
    lowered = part.name.lower()
    if lowered.endswith("vbaproject.bin"):
        yield from vba.open_project(part.data)
    elif _MARKUP.search(part.name):
        yield from _xml(part)
    else:
        yield part
    if _MACRO_FOLDER.match(part.name) and not _HARMLESS_MACROS.search(lowered):
        yield Note("files/office-macros", shown(part.name))


def _xml(part: Part) -> Iterator[Found]:
    encoding = "utf-16" if part.data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    xml = part.data[:_MAX_XML].decode(encoding, "replace")
    if "<!ENTITY" in xml:
        yield Note("files/document-entities", shown(part.name))
    if part.name.lower().endswith(".rels"):
        yield from _relations(xml)
        return
    yield from _commands(part.name, xml)
    if _TEXTLESS.search(part.name):
        return
    text = xml_text(xml)
    if text.strip():
        hidden = bool(_PROPERTIES.search(part.name))
        origin = "document properties" if hidden else "document text"
        yield text_part(part.name, text, origin, unseen=hidden)
    unseen = _unseen(xml)
    if unseen.strip():
        yield text_part(f"{part.name} (hidden)", unseen, "hidden text", unseen=True)


def _relations(xml: str) -> Iterator[Found]:
    links = []
    for relation in _RELATION.findall(xml):
        found = _TARGET.search(relation)
        target = html.unescape(found[1]) if found else ""
        if "External" not in relation or not _REMOTE.match(target):
            continue
        if _LOADED.search(relation) or not target.lower().startswith(("http:", "https:")):
            yield Note("files/remote-template", shown(target))
        links.append(target)
    if links:
        yield text_part("links", "\n".join(links), "document links")


def _commands(name: str, xml: str) -> Iterator[Found]:
    fields = "".join(plain or quoted for plain, quoted in _FIELD.findall(xml))
    formulas = _FORMULA.findall(xml)
    told = html.unescape("\n".join([fields, *formulas]))
    if _DDE.search(told) or "<ddeLink" in xml or "<x14:ddeLink" in xml:
        yield Note("files/document-command", shown(name))
    if "/macrosheets/" in name.lower() and _XLM.search(told):
        yield Note("files/macro-runs-programs", shown(name))


def _unseen(xml: str) -> str:
    """The text of runs that are set not to be seen."""
    if not _UNSEEN.search(xml):
        return ""
    runs = [run.partition("</w:r>")[0] for run in _RUN.split(xml)[1:]]
    hidden = (run for run in runs if _UNSEEN.search(run))
    return html.unescape("".join("".join(_RUN_TEXT.findall(run)) for run in hidden))
