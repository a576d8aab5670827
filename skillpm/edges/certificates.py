"""Which authorities are believed: the system's, or those of a file or folder that the user names.

What the user names counts alone, for HTTP and git alike; see decision 7.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from skillpm.edges import disk, folders
from skillpm.errors import StateError, UnreachableError
from skillpm.model.text import safe

if TYPE_CHECKING:
    import ssl

_FILES: Final = ("SSL_CERT_FILE", "GIT_SSL_CAINFO")
_FOLDERS: Final = ("SSL_CERT_DIR", "GIT_SSL_CAPATH")
_MAX: Final = 16 * 1024 * 1024


def context(env: Mapping[str, str]) -> ssl.SSLContext:
    """A client's TLS context.

    Raises:
        UnreachableError: what a variable names holds no certificates.
    """
    import ssl

    named = _named(env, ("SSL_CERT_FILE", "GIT_SSL_CAINFO", *_FOLDERS))
    if named:
        return _exclusive(*named)
    made = ssl.create_default_context()
    if not made.cert_store_stats()["x509_ca"] and not _has_folder(ssl.get_default_verify_paths()):
        import certifi  # a machine without a store of its own, as minimal containers are

        made.load_verify_locations(certifi.where())
    return made


def for_git(env: Mapping[str, str], cache: Path) -> dict[str, str]:
    """The variables that make git believe the same authorities; none for the system's.

    git is also given an empty folder, since it would read the system's besides.

    Raises:
        UnreachableError: what a variable names holds no certificates.
        StateError: the cache cannot be written.
    """
    named = _named(env, ("GIT_SSL_CAINFO", "SSL_CERT_FILE", "GIT_SSL_CAPATH", "SSL_CERT_DIR"))
    if not named:
        return {}
    made = _exclusive(*named)
    path = Path(named[1])
    if named[0] in _FOLDERS:
        pem = _together(path)
        path = cache / "certificates" / f"{hashlib.sha256(pem).hexdigest()[:16]}.pem"
        if disk.read_file(path, _MAX) != pem:
            folders.write_atomic(path, pem)
    del made
    nothing = folders.private_folder(cache / "certificates" / "none")
    return {"GIT_SSL_CAINFO": str(path), "GIT_SSL_CAPATH": str(nothing)}


def _named(env: Mapping[str, str], names: tuple[str, ...]) -> tuple[str, str] | None:
    return next(((name, env[name]) for name in names if env.get(name)), None)


def _exclusive(name: str, path: str) -> ssl.SSLContext:
    import ssl

    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        if name in _FILES:
            made.load_verify_locations(cafile=path)
        else:
            made.load_verify_locations(cadata=_together(Path(path)).decode("ascii"))
    except (OSError, ValueError, StateError) as error:
        reason = error.message if isinstance(error, StateError) else str(error)
        raise UnreachableError(
            f"{name}={safe(path)} holds no certificates: {safe(reason, 200)}",
            hint=f"correct {name} or unset it",
        ) from None
    return made


def _together(folder: Path) -> bytes:
    """Every certificate of a folder, one after the other.

    Raises:
        StateError: it is no folder, or cannot be read.
    """
    with disk.translated(f"read {folder}"):
        paths = sorted(path for path in folder.iterdir() if path.is_file())
        found = {path.read_bytes() for path in paths if path.stat().st_size <= _MAX}
    return b"\n".join(sorted(data for data in found if b"-----BEGIN CERTIFICATE-----" in data))


def _has_folder(paths: ssl.DefaultVerifyPaths) -> bool:
    return bool(paths.capath) and any(Path(paths.capath).iterdir())
