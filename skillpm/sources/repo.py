"""Git repositories: from a ref to a commit, from a commit to one skill's files."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace

from skillpm.edges.git import Git as GitPort, Refs
from skillpm.edges.gitrun import Remote
from skillpm.errors import IntegrityError, NotFoundError
from skillpm.model.address import Git
from skillpm.model.name import is_skill_name
from skillpm.model.provenance import Revision
from skillpm.model.text import safe
from skillpm.model.tree import ENTRY, Blob, git_tree_id
from skillpm.sources.collection import choose, inside, names_in, to_tree
from skillpm.sources.fetched import Fetched, Want


def resolve(git: GitPort, source: Git, want: Want) -> tuple[Revision, str]:
    """The commit a source points at now, and the path inside it.

    Raises:
        NotFoundError: no such branch, tag or repository.
        IntegrityError: a commit was asked for that no branch or tag reaches.
        UnreachableError, RefusedError: as the git port.
    """
    refs = git.refs(Remote(source.url, want.policy))
    if want.commit:
        revision, path = locate(source, refs)
        return replace(revision, value=want.commit), path
    if want.ref and (source.ref or source.tail):
        commit = refs.commits.get(want.ref, want.ref if _is_commit(want.ref) else "")
        if not commit:
            raise NotFoundError(f"{safe(source.url)} no longer has {safe(want.ref)}")
        return Revision("commit", commit, want.ref), source.path
    revision, path = locate(source, refs)
    if revision.value == revision.ref and not git.reachable(
        Remote(source.url, want.policy), revision.value, refs
    ):
        raise IntegrityError(
            f"the commit {revision.value[:12]} is part of no branch or tag of {safe(source.url)}:"
            " anyone who may open a pull request there could have made it"
        )
    return revision, path


def locate(source: Git, refs: Refs) -> tuple[Revision, str]:
    """Split ref and path against the repository's own refs, and peel to a commit.

    Raises:
        NotFoundError: no such branch, tag or commit, or an empty repository.
    """
    if source.tail:
        return _split_tail(source, refs)
    if not source.ref:
        if not refs.head:
            raise NotFoundError(f"{safe(source.url)} is empty: it has no commit yet")
        return Revision("commit", refs.head, refs.head_ref), source.path
    if _is_commit(source.ref):  # forty hex digits are never a branch that is called so
        return Revision("commit", source.ref, source.ref), source.path
    name = _full_name(source.ref, refs)
    if name:
        return Revision("commit", refs.commits[name], name), source.path
    raise _no_ref(source, source.ref, refs)


def settle(git: GitPort, source: Git, want: Want) -> tuple[Want, str]:
    """What the `x` of `owner/repo@x` means: a skill named x, else a ref x; and which it was.

    Raises:
        NotFoundError: the repository has neither.
        UnreachableError, RefusedError: as the git port.
    """
    bare = Git(source.url)
    refs = git.refs(Remote(source.url, want.policy))
    as_ref = _full_name(source.pick, refs) or (source.pick if _is_commit(source.pick) else "")
    if not (want.name and as_ref) and refs.head and is_skill_name(source.pick):
        commit = git.open(Remote(source.url, want.policy), refs.head)
        if source.pick in names_in(commit.nodes):
            said = f"{source.pick} is taken as the skill of that name, not as a branch or tag"
            return replace(want, source=bare, name=want.name or source.pick), said
    if not as_ref:
        raise NotFoundError(
            f"{safe(source.url)} has neither a skill nor a branch or tag {safe(source.pick)}"
        )
    said = f"{safe(source.pick)} is taken as a branch or tag: there is no skill of that name"
    return replace(want, source=bare.at(source.pick, "")), said


def fetch(git: GitPort, source: Git, want: Want) -> Fetched:
    """One skill out of a repository, pinned to a commit.

    Raises:
        SkillError: as `resolve`, `choose` and `to_tree`.
    """
    revision, path = resolve(git, source, want)
    commit = git.open(Remote(source.url, want.policy), revision.value)
    choice = choose(commit, want.name, want.path or path)
    return Fetched(to_tree(commit, choice), revision, choice.root, choice.package)


def prefetch(git: GitPort, source: Git, want: Want, names: Iterable[str]) -> None:
    """Bring the files of several skills of a repository in one request; nothing is given back.

    Raises:
        SkillError: as `fetch`, for any of them.
    """
    revision, path = resolve(git, source, want)
    commit = git.open(Remote(source.url, want.policy), revision.value)
    chosen = [node for name in names for node in choose(commit, name, path).nodes]
    git.bring(commit, [node for node in chosen if node.kind == "file"])


def git_tree(git: GitPort, source: Git, want: Want, revision: Revision) -> str:
    """The SHA-1 tree id of the wanted place at a revision, without fetching any of its bytes.

    It equals `Tree.git_sha1` of what `fetch` would give.

    Raises:
        NotFoundError: the source no longer has the place.
        UnreachableError, RefusedError: as the git port.
    """
    commit = git.open(Remote(source.url, want.policy), revision.value)
    choice = choose(commit, want.name, want.path)
    blobs = (
        Blob(inside(choice, node), "100755" if node.executable else "100644", node.key)
        for node in choice.nodes
        if node.kind == "file"
    )
    if not choice.package:
        blobs = (Blob(ENTRY, "100644", node.key) for node in choice.nodes)
    return git_tree_id(blobs)


def _split_tail(source: Git, refs: Refs) -> tuple[Revision, str]:
    """The longest ref that is a prefix of `ref/path` wins, as on the forges' own pages."""
    tail = source.tail
    parts = tail.split("/")
    for end in range(len(parts), 0, -1):
        name = _full_name("/".join(parts[:end]), refs)
        if name:
            return Revision("commit", refs.commits[name], name), "/".join(parts[end:])
    raise _no_ref(source, parts[0], refs)


def _full_name(ref: str, refs: Refs) -> str:
    """The full ref name of a branch or tag, branches first; "" when there is none."""
    for name in (ref if ref.startswith("refs/") else "", f"refs/heads/{ref}", f"refs/tags/{ref}"):
        if name in refs.commits:
            return name
    return ""


def _is_commit(text: str) -> bool:
    return len(text) == 40 and all(c in "0123456789abcdef" for c in text)


def _no_ref(source: Git, ref: str, refs: Refs) -> NotFoundError:
    short = [n.removeprefix("refs/heads/").removeprefix("refs/tags/") for n in refs.commits]
    close = difflib.get_close_matches(ref, short, n=1)
    hint = f"did you mean {safe(close[0])}?" if close else ""
    return NotFoundError(f"{safe(source.url)} has no branch or tag {safe(ref)}", hint=hint)
