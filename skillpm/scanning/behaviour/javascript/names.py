"""The full names of what the language and its libraries provide."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

_GLOBALS: Final = frozenset({"globalThis", "window", "global", "self", "top", "parent", "root"})
_MODULES: Final = {
    "fs-extra": "fs",
    "graceful-fs": "fs",
    "fs/promises": "fs",
    "original-fs": "fs",
    "https": "http",
    "http2": "http",
    "follow-redirects": "http",
    "node-fetch": "fetch",
    "cross-fetch": "fetch",
    "isomorphic-fetch": "fetch",
    "undici": "undici",
    "cross-spawn": "child_process.spawn",
    "child-process-promise": "child_process",
    "shelljs": "shell",
    "path/posix": "path",
    "path/win32": "path",
    "timers/promises": "timers",
    "dns/promises": "dns",
    "original-url": "url",
    "request-promise": "request",
    "request-promise-native": "request",
    "del": "rimraf",
    "zx/globals": "zx",
    "google/zx": "zx",
    "bun": "Bun",
    "jquery": "$",
    "jQuery": "$",
}
_PATHS: Final = {
    "fs.promises": "fs",
    "dns.promises": "dns",
    "http.follow-redirects": "http",
    "path.posix": "path",
    "path.win32": "path",
    "zx.$": "shell.$",
    "Bun.$": "shell.$",
    "dax.$": "shell.$",
    "execa.$": "shell.$",
    "execa.execa": "execa",
    "undici.fetch": "fetch",
    "undici.request": "fetch",
    "undici.stream": "fetch",
    "fetch.fetch": "fetch",
    "Buffer.Buffer": "Buffer",
    "buffer.Buffer": "Buffer",
    "process.process": "process",
    "process.mainModule.require": "require",
    "module.require": "require",
    "module.createRequire": "createRequire",
    "module.Module": "module",
    "document.defaultView": "globalThis",
    "axios.default": "axios",
    "process.getBuiltinModule": "require",
    "jQuery": "$",
    "Reflect.construct": "Reflect.construct",
}
_SYNC: Final = ("fs.", "child_process.", "Deno.", "zlib.", "execa.", "rimraf.", "dns.")


def module_path(name: str) -> str:
    """The full name that a module goes by: `node:fs/promises` is `fs`."""
    name = name.removeprefix("node:").removeprefix("npm:").removeprefix("jsr:")
    return _MODULES.get(name, name)


@lru_cache(maxsize=4096)
def canonical(path: str) -> str:
    """One name for all spellings of a function: `globalThis.fs.promises.readFileSync`."""
    parts = path.split(".")
    while len(parts) > 1 and parts[0] in _GLOBALS:
        parts = parts[1:]
    done = _MODULES.get(parts[0], parts[0])
    for part in parts[1:]:
        done = done if part == "default" else f"{done}.{part}"
        done = _PATHS.get(done, done)
    done = _PATHS.get(done, done)
    if done.startswith(_SYNC):
        done = done.removesuffix("Sync")
    return done
