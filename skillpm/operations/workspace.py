"""The ports and the state of one user, bundled: what every operation is given."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from skillpm.edges import disk
from skillpm.edges.database import Database
from skillpm.edges.host import Host
from skillpm.edges.lock import exclusive
from skillpm.store.kept import Kept
from skillpm.store.schema import MIGRATIONS

if TYPE_CHECKING:
    from skillpm.edges.git import Git
    from skillpm.edges.http import Http
    from skillpm.edges.network import Network, Progress
    from skillpm.formats.config import Config
    from skillpm.operations.project import Project
    from skillpm.sources.hubs import Hub
    from skillpm.store.shelf import Shelf
    from skillpm.store.transaction import Store

_CONFIG_LIMIT = 1024 * 1024


@dataclass(frozen=True)
class Workspace:
    """One user's surroundings and state; the network ports load only when they are used.

    Attributes:
        host: directories, environment, clock.
        say: tells the person one line while something takes long.
        progress: tells the person about bytes as they arrive.
        in_project: whether skills are those of the project here, not those of the user.
        for_agent: whether a program asks on its own: no address that it gives was typed by anybody.
    """

    host: Host
    say: Callable[[str], None]
    progress: Progress
    in_project: bool = False
    for_agent: bool = False

    @cached_property
    def config(self) -> Config:
        """The settings in force.

        Raises:
            StateError: `config.toml` is damaged.
        """
        from skillpm.formats.config import read_config

        path = self.host.dirs.config / "config.toml"
        data = disk.read_file(path, _CONFIG_LIMIT) or b""
        return read_config(data, self.host.env, str(path))

    @cached_property
    def store(self) -> Store:
        """Library, records and journal, healed when something was interrupted.

        Raises:
            StateError: the state is damaged or cannot be made.
        """
        from skillpm.store.transaction import Store

        store = Store(self.host.dirs.data, self._database, self.host.now, self.say)
        for line in store.heal():
            self.say(line)
        return store

    @cached_property
    def kept(self) -> Kept:
        """The same to look at; nothing is loaded that changes skills, unless there is to heal.

        Raises:
            StateError: as `store`.
        """
        kept = Kept(self.host.dirs.data, self._database, self.host.now)
        if kept.is_unsettled():
            return self.store.kept
        return kept

    @cached_property
    def _database(self) -> Database:
        data = self.host.dirs.data
        place = data / "state.db"
        new = not disk.entry_kind(place)  # it is made in the work space, which healing clears
        with exclusive(data / "lock", self.say) if new else nullcontext():
            return Database(place, MIGRATIONS)

    @property
    def shelf(self) -> Shelf:
        """Where skills are put: the user's library, or the folder of the project here.

        Raises:
            StateError: as `store`.
            ConflictError: the project's folder is reached through a link.
        """
        return self.project if self.in_project else self.store

    @cached_property
    def project(self) -> Project:
        """The project that the current folder lies in.

        Raises:
            StateError, ConflictError: as `shelf`.
        """
        from skillpm.operations.project import Project, find_root, trust

        root = find_root(self.host.here())
        project = Project(root, self.store, self.host.now, trust)
        project.check_folders()
        return project

    @cached_property
    def explained(self) -> tuple[str, ...]:
        """The origins that the user's own settings name: of taps, of hubs, and those with a token.

        Raises:
            StateError: our own state is damaged.
        """
        from skillpm.model.policy import origin

        urls = [tap.url.removeprefix("git+") for tap in self.store.taps.all()]
        urls += [hub.base for hub in self.hubs]
        return tuple(sorted({origin(url) for url in (*urls, *self.config.tokens)}))

    @cached_property
    def network(self) -> Network:
        """The way out, as the user set it up."""
        from skillpm.edges.credentials import Credentials
        from skillpm.edges.network import Network

        config = self.config
        credentials = Credentials(self.host, config.tokens, config.use_gh)
        return Network(self.host.env, config.mirrors, config.offline, credentials)

    @cached_property
    def http(self) -> Http:
        """The HTTP port."""
        from skillpm.edges.http import Http

        return Http(self.network, self.progress, self.host.dirs.cache / "http")

    @cached_property
    def git(self) -> Git:
        """The git port; a git that may lack security fixes is told when it is first used."""
        from skillpm.edges.git import Git
        from skillpm.edges.gitversion import remark

        told = remark(self.host, self.host.dirs.cache)
        if told:
            self.say(f"warning: {told}")
        return Git(self.host, self.host.dirs.cache, self.network, self.progress)

    @cached_property
    def hubs(self) -> tuple[Hub, ...]:
        """The hubs in use, the default one first.

        Raises:
            StateError: our own state is damaged.
        """
        from skillpm.sources.hub_kinds import in_use
        from skillpm.sources.hubs import Ports

        added = ((hub.name, hub.kind, hub.url) for hub in self.store.records.hubs())
        return in_use(Ports(self.http, lambda: self.git), self.config.hub, added)

    def close(self) -> None:
        """End what still runs: connections, and git processes that nobody waits for any more."""
        for port in ("git", "http"):
            if port in self.__dict__:
                getattr(self, port).close()
