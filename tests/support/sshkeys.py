"""SSH keys made for one test, and commits signed with them by stock git."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from .gitrepo import GitRepo

needs_ssh_keygen = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None, reason="there is no ssh-keygen to make and check keys with"
)


@dataclass(frozen=True, slots=True)
class Key:
    """A private key in a file; its public half lies beside it."""

    path: Path

    @property
    def public(self) -> str:
        """`TYPE BASE64`, as a person would paste it."""
        return " ".join(self.path.with_suffix(".pub").read_text().split()[:2])

    def line(self, name: str, options: str = "") -> str:
        """A line of an allowed-signers file."""
        return " ".join(part for part in (name, options, self.public) if part) + "\n"


def make_key(path: Path, kind: str = "ed25519") -> Key:
    """Make a key without a passphrase."""
    path.parent.mkdir(parents=True, exist_ok=True)
    argv = ["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "", "-f", str(path)]
    subprocess.run(argv, check=True, capture_output=True)
    return Key(path)


def sign(repo: GitRepo, key: Key, branch: str = "main") -> str:
    """Make the last commit of a branch anew, signed, and return its id."""
    head = repo.head(branch)
    tree = repo.git("rev-parse", f"{head}^{{tree}}")
    parents = repo.git("rev-parse", f"{head}^@").split()
    config = ("-c", "gpg.format=ssh", "-c", f"user.signingkey={key.path}")
    options = [part for parent in parents for part in ("-p", parent)]
    sha = repo.git(*config, "commit-tree", "-S", tree, *options, "-m", "signed")
    repo.force(branch, sha)
    return sha
