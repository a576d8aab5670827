"""The immutable trees, by digest: what the library is made from and history goes back to."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from skillpm.edges import disk, folders
from skillpm.errors import IntegrityError, InvalidSkillError, StateError
from skillpm.model.tree import DIGEST_PREFIX, Tree


class Trees:
    """The folder of trees; only whoever holds the lock of the store changes it.

    Args:
        root: the folder.
        staging: private work space on the same disk.
    """

    def __init__(self, root: Path, staging: Path) -> None:
        self._root = root
        self._staging = staging

    def place(self, digest: str) -> Path:
        """Where the tree of that digest lies, or would."""
        return self._root / digest.removeprefix(DIGEST_PREFIX)

    def keep(self, tree: Tree) -> Path:
        """Put a tree there, unless it is there and whole; returns its folder.

        Raises:
            StateError: the disk refuses.
        """
        place = self.place(tree.digest)
        if self._is_whole(place, tree.digest):
            return place
        if disk.entry_kind(place):
            folders.remove_entry(place)
        stage = folders.new_folder(self._staging)
        folders.write_tree(tree, stage / "tree")
        folders.private_folder(place.parent)
        folders.move_new(stage / "tree", place)
        folders.remove_entry(stage)
        return place

    def has(self, digest: str) -> bool:
        """Whether that tree is there and whole."""
        return self._is_whole(self.place(digest), digest)

    def read(self, digest: str) -> Tree:
        """The files of a tree.

        Raises:
            IntegrityError: it is not there any more, or it is not what it was.
        """
        place = self.place(digest)
        if disk.entry_kind(place) != "folder":
            raise IntegrityError(
                f"the files of {digest[:28]}… are not kept any more",
                hint="they can only be fetched from their source again",
            )
        tree = disk.read_tree(place)
        if tree.digest != digest:
            raise IntegrityError(
                f"the files in {place} are not those of {digest[:28]}…",
                hint="move that folder away; they can only be fetched from their source again",
            )
        return tree

    def others(self, digests: Collection[str]) -> tuple[Path, ...]:
        """The trees that none of the digests names.

        Raises:
            StateError: the disk refuses.
        """
        if disk.entry_kind(self._root) != "folder":
            return ()
        named = {self.place(digest) for digest in digests}
        with disk.translated(f"read {self._root}"):
            return tuple(sorted(path for path in self._root.iterdir() if path not in named))

    def _is_whole(self, place: Path, digest: str) -> bool:
        if disk.entry_kind(place) != "folder":
            return False
        try:
            return disk.read_tree(place).digest == digest
        except (InvalidSkillError, StateError):
            return False
