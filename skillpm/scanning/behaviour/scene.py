"""What a judge of acts may look at beside the act itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import urlsplit

from skillpm.scanning.behaviour.acts import Act
from skillpm.scanning.behaviour.hosts import domain_of
from skillpm.scanning.facts import FileFacts
from skillpm.scanning.identify import Kind
from skillpm.scanning.rules import RuleSet

_DOCUMENTS: Final = frozenset(("markdown", "text"))
_READ: Final = 200_000


@dataclass(frozen=True)
class Scene:
    """The skill around an act.

    Attributes:
        files: every file of it.
        rules: the rule set, for the installers that it knows.
    """

    files: tuple[FileFacts, ...]
    rules: RuleSet

    @cached_property
    def by_path(self) -> Mapping[str, FileFacts]:
        """The files by path, lower case."""
        return {facts.file.path.lower(): facts for facts in self.files}

    @cached_property
    def documents(self) -> str:
        """What the documents of the skill say, lower case."""
        texts = (
            facts.layers[0].text[:_READ]
            for facts in self.files
            if facts.layers and facts.identity.language in _DOCUMENTS
        )
        return "\n".join(texts).lower()

    def kind_of(self, path: str) -> Kind | None:
        """What a file of the skill is, by a path that ends like its own; None when it has none."""
        wanted = path.strip().strip("\"'").removeprefix("./").lower()
        if not wanted or wanted.startswith(("/", "~")):
            return None
        for known, facts in self.by_path.items():
            if known == wanted or known.endswith("/" + wanted) or wanted.endswith("/" + known):
                return facts.identity.kind
        return None

    def says(self, host: str) -> bool:
        """Whether the documents name a host or the domain above it."""
        domain = domain_of(host)
        return bool(host) and (host in self.documents or domain in self.documents)

    def names(self, variables: Iterable[str]) -> bool:
        """Whether the documents name all of these variables."""
        return all(name.lower() in self.documents for name in variables)

    def is_known_installer(self, act: Act) -> bool:
        """Whether everything an act runs came from installers that are published as one-liners."""
        urls = fetched_from(act)
        return bool(urls) and all(self._is_published(url) for url in urls)

    def _is_published(self, url: str) -> bool:
        parts = urlsplit(url)
        address = f"{parts.netloc}{parts.path}"
        return parts.scheme == "https" and any(
            address == known or address.startswith(known.rstrip("/") + "/")
            for known in self.rules.trusted_installers
        )


def speaks_of(variable: str) -> list[str]:
    """The words in the name of a secret variable that say whose it is (`GITHUB_TOKEN`: github)."""
    words = re.split(r"[_\W]+", variable.lower())
    return [word for word in words if len(word) > 2 and word not in _GENERIC]


def is_its_own(variables: Iterable[str], address: str) -> bool:
    """Whether secrets go to an address that their names speak of, or speak of nobody."""
    where = address.lower()
    return all(not (said := speaks_of(name)) or any(w in where for w in said) for name in variables)


def fetched_from(act: Act) -> list[str]:
    """The URLs on the way that data took to an act."""
    words = [hop.words for hop in act.trail if hop.words.startswith("fetched from ")]
    return [url for word in words if (url := word.removeprefix("fetched from ").strip())]


_GENERIC: Final = frozenset(
    {"api", "key", "keys", "token", "secret", "password", "passwd", "access", "auth", "client",
     "app", "private", "user", "service", "account", "bearer", "the", "bot", "env", "prod", "dev",
     "test", "read", "write", "admin", "personal", "url", "pass", "credential", "credentials",
     "session", "cookie", "webhook", "hook"}
)  # fmt: skip
