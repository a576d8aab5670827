"""Which fixes the git on this machine may lack: looked at once for a program, then remembered.

In 2025 git let a repository write where it should not (CVE-2025-48384, CVE-2025-48385 and others);
the releases of July 2025 are the first without it:
<https://github.com/git/git/blob/v2.50.1/Documentation/RelNotes/2.43.7.adoc>. A distribution that
carries the fixes back keeps the old number, so a number alone never stops anything.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
from pathlib import Path
from typing import Final

from skillpm.edges import disk, folders
from skillpm.edges.host import Host
from skillpm.errors import StateError
from skillpm.model.text import safe

FIXED: Final = {43: 7, 44: 4, 45: 4, 46: 4, 47: 3, 48: 2, 49: 1, 50: 1}
"""The first release with the fixes in each line 2.x that was maintained then."""

_VERSION: Final = re.compile(r"git version (\d{1,4})\.(\d{1,4})(?:\.(\d{1,4})(?!\d))?")
_MARK: Final = "git-version"
_SECONDS: Final = 10.0


def may_lack_fixes(version: str) -> bool:
    """Whether what `git --version` prints is older than the fixes, or tells nothing."""
    found = _VERSION.match(version)
    if not found:
        return True
    major, minor, patch = (int(part or 0) for part in found.groups())
    if major != 2 or minor > max(FIXED):
        return major < 2
    return minor not in FIXED or patch < FIXED[minor]


def remark(host: Host, cache: Path) -> str:
    """What to tell the person about their git, once for each program; "" when there is nothing.

    The program is known by its place, size and time, so that no process is started to ask again.
    """
    try:
        program = host.git()
        status = Path(program).stat()
    except (StateError, OSError):
        return ""  # that is told where it is needed
    known = f"{program} {status.st_size} {status.st_mtime_ns}\n".encode()
    with contextlib.suppress(StateError):
        if disk.read_file(cache / _MARK, 8_192) == known:
            return ""
        folders.write_atomic(cache / _MARK, known)
    version = version_of(program)
    if not may_lack_fixes(version):
        return ""
    return (
        f"{safe(version, 60) or 'the git'} at {safe(program)} may lack the security fixes of 2025:"
        " git 2.50.1 has them, and so may your distribution's own package (this is said once)"
    )


def version_of(program: str) -> str:
    """What a git program says of itself, as it says it; "" when it does not."""
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, check=False, timeout=_SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout[:200].decode("utf-8", "replace").strip()
