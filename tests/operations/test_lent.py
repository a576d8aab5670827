"""What a project's lock may name without anybody here having typed it."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

import pytest

from skillpm.edges.host import Dirs, Host
from skillpm.formats.address import parse_source
from skillpm.model.policy import Policy
from skillpm.operations.fetching import lent
from skillpm.operations.workspace import Workspace

CONFIG = '[tokens]\n"https://git.corp.example:8443" = "CORP_TOKEN"\n'

NAMED = {
    "https://git.corp.example:8443/team/x.git": True,
    "https://git.corp.example/team/x.git": False,
    "ssh://git@git.corp.example/team/x": True,
    "git@git.corp.example:team/x": True,
    "git@github.com:team/x": True,
    "ssh://git@gitlab.com/team/x": True,
    "git@github.com.evil.example:team/x": False,
    "ssh://git@github.evil.example/team/x": False,
    "ssh://git@10.0.0.7/team/x": False,
    "https://10.0.0.7/team/x.git": False,
    "http://127.0.0.1/x.md": False,
}


def workspace(folder: Path, *, in_project: bool) -> Workspace:
    """A workspace with a token for one host."""
    (folder / "config.toml").write_text(CONFIG)
    host = Host(
        Dirs(folder, folder, folder / "cache"), MappingProxyType({"SKILL_HUB": "off"}), False
    )
    return Workspace(host, lambda _: None, lambda *_: None, in_project)


@pytest.mark.parametrize("address", NAMED)
def test_private_addresses_and_ssh_need_the_users_own_settings(
    address: str, tmp_path: Path
) -> None:
    source = parse_source(address)
    url = getattr(source, "url", "")
    policy = lent(workspace(tmp_path, in_project=True), Policy(typed=True), source)
    assert not policy.typed
    assert policy.allows_private(url) == NAMED[address]


@pytest.mark.parametrize("address", NAMED)
def test_what_the_user_typed_for_themselves_stays_theirs(address: str, tmp_path: Path) -> None:
    typed = Policy(typed=True)
    assert lent(workspace(tmp_path, in_project=False), typed, parse_source(address)) is typed
