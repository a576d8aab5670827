"""Sites with an index of their skills under `/.well-known/`, on a `WebServer`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from .webserver import WebServer

SCHEMA: Final = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
NEW: Final = "/.well-known/agent-skills"
OLD: Final = "/.well-known/skills"


def publish(
    web: WebServer, artifacts: Mapping[str, bytes | str], below: str = "", **changes: Any
) -> str:
    """A 0.2.0 index of those artifacts: text is a document, bytes are an archive.

    Args:
        web: the server.
        artifacts: skill name to artifact.
        below: a path in front of `/.well-known/`.
        changes: fields of every entry that say something else.

    Returns:
        The index's address.
    """
    entries = []
    for name, artifact in artifacts.items():
        data = artifact.encode() if isinstance(artifact, str) else artifact
        ending = "md" if isinstance(artifact, str) else "zip"
        web.serve(f"{below}{NEW}/{name}.{ending}", data)
        entry = {
            "name": name,
            "type": "skill-md" if isinstance(artifact, str) else "archive",
            "description": f"About {name}.",
            "url": f"{name}.{ending}",
            "digest": f"sha256:{hashlib.sha256(data).hexdigest()}",
        }
        entries.append(entry | changes)
    index = {"$schema": SCHEMA, "skills": entries}
    return web.serve(f"{below}{NEW}/index.json", json.dumps(index), "application/json")


def publish_old(web: WebServer, skills: Mapping[str, Mapping[str, str]]) -> str:
    """A 0.1.0 index: skill name to files; returns the index's address."""
    entries = []
    for name, files in skills.items():
        entries.append({"name": name, "description": f"About {name}.", "files": [*files]})
        for path, text in files.items():
            web.serve(f"{OLD}/{name}/{path}", text)
    return web.serve(f"{OLD}/index.json", json.dumps({"skills": entries}), "application/json")
