"""Who signed a commit: stock git and ssh-keygen, with the keys that are pinned and no others.

What the programs print never decides: `git verify-commit` ends with 0 only when one of the given
keys made a good signature over this very commit. Signatures of any other kind count as none, so
no other program is ever started for them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import Final

from skillpm.edges import folders
from skillpm.edges.repository import Repository
from skillpm.errors import IntegrityError
from skillpm.model.text import safe

_TELLS: Final = "--format=%GS%x00%GF"


class UncheckableError(IntegrityError):
    """Signatures cannot be checked on this machine, so that nothing counts as signed."""


def signer_of(repository: Repository, commit: str, allowed: str) -> str:
    """Who signed a commit, `NAME KEY`; "" when none of the allowed signers did.

    Args:
        repository: where the commit is.
        commit: its id.
        allowed: lines of an allowed-signers file.

    Raises:
        UncheckableError: there is no ssh-keygen on this machine.
    """
    program = repository.program
    keygen = program.program("ssh-keygen")
    if not keygen:
        raise UncheckableError(
            "signatures cannot be checked: ssh-keygen is not on PATH",
            hint="install OpenSSH 8.2 or newer; git must be 2.34 or newer",
        )
    folders.private_folder(program.folder)
    with tempfile.NamedTemporaryFile(dir=program.folder) as file:
        file.write(allowed.encode("ascii"))
        file.flush()
        config = _config(keygen, file.name)
        here = ["--git-dir", str(repository.path)]
        if not commit or not program.attempt([*config, *here, "verify-commit", commit]):
            return ""
        shown = program.attempt([*config, *here, "log", "-1", _TELLS, commit]) or b""
    return safe(" ".join(shown.decode("utf-8", "replace").split("\0")).strip(), 200)


def _config(keygen: str, file: str) -> Sequence[str]:
    settings = {
        "gpg.ssh.program": keygen,
        "gpg.ssh.allowedSignersFile": file,
        "gpg.minTrustLevel": "fully",
        "gpg.program": os.devnull,
        "gpg.openpgp.program": os.devnull,
        "gpg.x509.program": os.devnull,
    }
    return [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
