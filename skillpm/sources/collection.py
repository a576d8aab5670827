"""Choosing one skill inside a place, the same way for repositories, archives and folders."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final, Protocol

from skillpm.errors import AmbiguousError, InvalidSkillError, NotFoundError
from skillpm.formats.document import decode, looks_like_html, read_document
from skillpm.formats.lfs import is_pointer
from skillpm.formats.plugin import declared_folders, is_manifest
from skillpm.model.address import is_document
from skillpm.model.name import show
from skillpm.model.node import Node
from skillpm.model.text import safe
from skillpm.model.tree import ENTRY, MAX_FILES, File, Tree, check_path

_NOT_SKILLS: Final = frozenset(
    {"readme", "changelog", "contributing", "license", "code_of_conduct", "security", "agents",
     "claude", "gemini", "authors", "notice"}
)  # fmt: skip
_ARCHIVES: Final = frozenset({"archive", "archived", ".archive", "deprecated"})
_LISTED: Final = 12
_READ_FOR_NAMES: Final = 50


class Contents(Protocol):
    """A place that can list what it holds and read some of it."""

    @property
    def nodes(self) -> Sequence[Node]:
        """Everything in it."""

    def read(self, nodes: Sequence[Node]) -> Mapping[str, bytes]:
        """The bytes of regular files, by path."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One skill of a place.

    Attributes:
        root: the folder of a package, or the path of the single document.
        nodes: the files that make it up.
        named: whether its very place was asked for; else it may not call itself internal.
    """

    root: str
    nodes: tuple[Node, ...]
    package: bool
    named: bool = True


def choose(contents: Contents, wanted: str, base: str = "") -> Choice:
    """The skill that is meant.

    A package folder with the wanted name wins over a document with that name; a folder whose
    header carries the name comes next; the only skill of a place answers to any name. What lies
    in an archive folder, or calls itself internal, is meant only when its own path is asked for.

    Args:
        contents: the place.
        wanted: the asked name; "" for whatever is there.
        base: a folder or document inside the place to start from.

    Raises:
        NotFoundError: nothing there answers to the name; the message lists what does.
        AmbiguousError: two equally good ones; the message lists them.
    """
    nodes = contents.nodes
    if base:
        direct = _at(nodes, base)
        if direct:
            return direct
        nodes = [node for node in nodes if node.path.startswith(base + "/")]
        if not nodes:
            raise NotFoundError(f"there is no {show(base)} in the source")
    nodes = _current(nodes, base)
    folders = _offered(contents, nodes)
    if not wanted and 1 < len(folders) <= _READ_FOR_NAMES and "." not in folders:
        hidden = _internal(contents, nodes, folders)
        folders = [folder for folder in folders if folder not in hidden] or folders
    chosen = _by_folder(folders, wanted)
    if chosen is None and wanted and len(folders) > 1:
        chosen = _by_header(contents, nodes, folders, wanted)
    if chosen is not None:
        return replace(_package(contents.nodes, chosen), named=chosen == ".")
    return _document(nodes, folders, wanted)


def _current(nodes: Sequence[Node], base: str) -> list[Node]:
    """What does not lie in an archive folder below `base`; everything when all of it does."""
    start = len(base) + 1 if base else 0
    kept = [n for n in nodes if not _ARCHIVES & set(n.path[start:].lower().split("/")[:-1])]
    return kept or list(nodes)


def _offered(contents: Contents, nodes: Sequence[Node]) -> list[str]:
    """The package folders: outermost ones, and those that a plugin's manifest declares.

    Of several with one name, those that call themselves internal do not count.
    """
    folders = package_folders(nodes)
    manifests = [n for n in nodes if n.kind == "file" and is_manifest(n.path)]
    if manifests:
        declared: set[str] = set()
        for path, data in contents.read(manifests).items():
            declared.update(declared_folders(path, data))
        packages = {
            str(PurePosixPath(n.path).parent) for n in nodes if n.path.endswith(f"/{ENTRY}")
        }
        below = {p for p in packages if {p, str(PurePosixPath(p).parent)} & declared}
        folders = sorted({*folders, *below})
    counted = Counter(_name_of(folder) for folder in folders)
    twice = [folder for folder in folders if counted[_name_of(folder)] > 1]
    hidden = _internal(contents, nodes, twice[:_READ_FOR_NAMES])
    return [folder for folder in folders if folder not in hidden]


def _internal(contents: Contents, nodes: Sequence[Node], folders: Sequence[str]) -> set[str]:
    """Those folders whose header says `metadata.internal: true`."""
    wanted = set(folders)
    entries = [n for n in nodes if n.kind == "file" and _folder_of(n) in wanted]
    data = contents.read(entries) if entries else {}
    return {_folder_of(n) for n in entries if is_internal(data[n.path])}


def _folder_of(node: Node) -> str:
    """The folder whose entry document a node is, "." for the root; "" for any other node."""
    folder, _, name = node.path.rpartition("/")
    return (folder or ".") if name == ENTRY else ""


def _name_of(folder: str) -> str:
    """The last part of a folder; "" for the root."""
    return "" if folder == "." else folder.rpartition("/")[2]


def is_internal(data: bytes) -> bool:
    """Whether a document says that it is not for others: `metadata.internal: true`."""
    try:
        metadata = read_document(data).header.values.get("metadata")
    except InvalidSkillError:
        return False
    said = metadata.get("internal") if isinstance(metadata, dict) else None
    return said is True or (isinstance(said, str) and said.lower() == "true")


def skills_in(nodes: Iterable[Node]) -> dict[str, str]:
    """The skills of a collection: folder name to folder; a name that stands twice is left out.

    So is what lies in an archive folder.
    """
    found: dict[str, list[str]] = {}
    for folder in package_folders(_current(list(nodes), "")):
        found.setdefault(_name_of(folder), []).append(folder)
    return {name: folders[0] for name, folders in found.items() if name and len(folders) == 1}


def names_in(nodes: Iterable[Node]) -> frozenset[str]:
    """The names of the package folders of a place, those that stand twice included."""
    return frozenset(_name_of(folder) for folder in package_folders(nodes))


def to_tree(contents: Contents, choice: Choice) -> Tree:
    """The chosen files as a tree whose entry document is known to be text.

    Raises:
        InvalidSkillError: links, nested repositories, unsafe paths, too much of anything, or an
            entry document that is empty, binary or a web page.
    """
    for node in choice.nodes:
        _check_kind(node)
        check_path(inside(choice, node))
    if len(choice.nodes) > MAX_FILES:
        raise InvalidSkillError(f"the skill has more than {MAX_FILES} files")
    data = contents.read(choice.nodes)
    entry = f"{choice.root}/{ENTRY}" if choice.root else ENTRY
    if not choice.named and is_internal(data.get(entry, b"")):
        raise NotFoundError(
            f"{show(choice.root)} is marked as internal: it is not meant for others",
            hint="its full path installs it all the same: ADDRESS#:FOLDER",
        )
    for path, content in data.items():
        if is_pointer(content):
            raise InvalidSkillError(
                f"{show(path)} is kept in Git LFS: the repository has only a pointer to it",
                hint="ask its author to put the file itself into the repository",
            )
    if not choice.package:
        return single(data[choice.nodes[0].path])
    files = [File(inside(choice, n), data[n.path], n.executable) for n in choice.nodes]
    tree = Tree.of(files)
    check_entry(tree.entry)
    return tree


def single(data: bytes) -> Tree:
    """The tree of a single document, known to be text.

    Raises:
        InvalidSkillError: it is empty, binary, in another encoding, or a web page.
    """
    check_entry(data)
    return Tree.single(data)


def check_entry(data: bytes) -> None:
    """Refuse what cannot be an entry document.

    Raises:
        InvalidSkillError: it is empty, binary, in another encoding, or a web page.
    """
    if looks_like_html(data):
        raise InvalidSkillError(
            "the source answered a web page, not Markdown",
            hint="give the raw file's address; or is there a login page in between?",
        )
    decode(data)


def inside(choice: Choice, node: Node) -> str:
    """The path of a chosen node inside its skill."""
    if not choice.package:
        return ENTRY
    return node.path.removeprefix(choice.root + "/") if choice.root else node.path


def _check_kind(node: Node) -> None:
    if node.kind == "file":
        return
    kind = {"link": "a link", "repository": "a nested repository (submodule)"}
    raise InvalidSkillError(
        f"{show(node.path)} is {kind.get(node.kind, 'a device')}; a skill holds regular files only"
    )


def _at(nodes: Iterable[Node], base: str) -> Choice | None:
    """What stands exactly at `base`: a document, or a folder that is a package."""
    listed = list(nodes)
    slug = base.removeprefix("file-") if base.startswith("file-") else ""
    for node in listed:
        if node.path == base or (slug and _gist_slug(node.path) == slug):
            if PurePosixPath(node.path).name == ENTRY:
                return _package(listed, str(PurePosixPath(node.path).parent))
            if not is_document(node.path):
                raise InvalidSkillError(f"{show(base)} is not a Markdown document")
            return Choice(node.path, (node,), package=False)
    if any(node.path == f"{base}/{ENTRY}" for node in listed):
        return _package(listed, base)
    return None


def _gist_slug(path: str) -> str:
    """How a gist's page writes a file name behind `#file-`."""
    return "".join(c if c.isalnum() else "-" for c in path.lower())


def _package(nodes: Iterable[Node], folder: str) -> Choice:
    root = "" if folder == "." else folder
    inside = tuple(n for n in nodes if not root or n.path.startswith(root + "/"))
    return Choice(root, inside, package=True)


def package_folders(nodes: Iterable[Node]) -> list[str]:
    """Folders with an entry document, without those that lie inside another one."""
    folders = sorted(
        (folder for node in nodes if (folder := _folder_of(node))),
        key=lambda folder: folder.split("/"),
    )
    outer: list[str] = []
    last = "."
    for folder in folders:  # what lies inside a folder follows it at once in this order
        if last == "." or not folder.startswith(last + "/"):
            outer.append(folder)
            last = folder
    return sorted(outer)


def _by_folder(folders: list[str], wanted: str) -> str | None:
    if not wanted:
        if "." in folders or len(folders) == 1:
            return "." if "." in folders else folders[0]
        if folders:
            raise AmbiguousError(
                f"the source holds {len(folders)} skills: {_listed(folders)}",
                hint="name the one you want: skill install NAME --source ADDRESS",
            )
        return None
    named = [folder for folder in folders if _name_of(folder) == wanted]
    if len(named) > 1:
        raise AmbiguousError(
            f"{wanted} stands in several places of the source: {', '.join(map(safe, named))}",
            hint="add the folder to the address: ADDRESS#:FOLDER",
        )
    if named:
        return named[0]
    return folders[0] if len(folders) == 1 else None


def _by_header(
    contents: Contents, nodes: Sequence[Node], folders: list[str], wanted: str
) -> str | None:
    """The folder whose header carries the name; at most a few dozen headers are read."""
    if len(folders) > _READ_FOR_NAMES:
        return None
    entries = {str(PurePosixPath(n.path).parent): n for n in nodes if n.path.endswith(ENTRY)}
    files = [entries[folder] for folder in folders if entries[folder].kind == "file"]
    data = contents.read(files)
    matching = [
        str(PurePosixPath(node.path).parent)
        for node in files
        if _header_name(data[node.path]) == wanted
    ]
    if len(matching) > 1:
        raise AmbiguousError(f"several skills of the source call themselves {wanted}: {matching}")
    return matching[0] if matching else None


def _header_name(data: bytes) -> str:
    try:
        return read_document(data).name
    except InvalidSkillError:
        return ""


def _document(nodes: Iterable[Node], folders: list[str], wanted: str) -> Choice:
    documents = documents_in(nodes)
    named = [n for n in documents if wanted and PurePosixPath(n.path).stem.lower() == wanted]
    candidates = named or ([] if folders else documents)
    if len(candidates) > 1:
        paths = [node.path for node in candidates]
        raise AmbiguousError(
            f"the source holds several documents: {_listed(paths)}",
            hint="add the document to the address: ADDRESS#:PATH",
        )
    if candidates:
        return Choice(candidates[0].path, (candidates[0],), package=False)
    raise _nothing(folders, wanted)


def _nothing(folders: list[str], wanted: str) -> NotFoundError:
    if not folders:
        return NotFoundError(f"the source holds no skill: neither a {ENTRY} nor a document")
    names = [_name_of(folder) for folder in folders]
    close = difflib.get_close_matches(wanted, names, n=1)
    hint = f"did you mean {safe(close[0])}?" if close else ""
    return NotFoundError(f"the source has no skill {wanted}; it has {_listed(names)}", hint=hint)


def documents_in(nodes: Iterable[Node]) -> list[Node]:
    """The documents of a place that may be skills."""
    return [n for n in nodes if is_document(n.path) and not is_about(n.path)]


def is_about(path: str) -> bool:
    """Whether a document tells about the repository rather than being a skill."""
    return PurePosixPath(path).stem.lower() in _NOT_SKILLS


def _listed(names: list[str]) -> str:
    shown = ", ".join(safe(name) for name in names[:_LISTED])
    return shown if len(names) <= _LISTED else f"{shown} and {len(names) - _LISTED} more"
