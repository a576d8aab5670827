"""`skill config list|get|set|unset|path`."""

from __future__ import annotations

import click

from skillpm.cli.shared import command
from skillpm.model.outcome import Outcome
from skillpm.operations import configuring
from skillpm.operations.workspace import Workspace


@click.group("config")
def config_command() -> None:
    """Show and change settings: config.toml, and the variables that stand before it."""


@config_command.command("list")
@command("config list")
def list_command(workspace: Workspace) -> Outcome:
    """Show every setting, what holds, and who says so."""
    return configuring.settings(workspace)


@config_command.command("get")
@click.argument("key")
@command("config get")
def get_command(workspace: Workspace, key: str) -> Outcome:
    """Print what holds for the setting KEY."""
    return configuring.get(workspace, key)


@config_command.command("set")
@click.argument("key")
@click.argument("value")
@command("config set")
def set_command(workspace: Workspace, key: str, value: str) -> Outcome:
    """Set KEY to VALUE in config.toml; lists have commas. What guards needs a terminal."""
    return configuring.put(workspace, key, value)


@config_command.command("unset")
@click.argument("key")
@command("config unset")
def unset_command(workspace: Workspace, key: str) -> Outcome:
    """Take KEY out of config.toml, so that its default holds."""
    return configuring.put(workspace, key, None)


@config_command.command("path")
@command("config path")
def path_command(workspace: Workspace) -> Outcome:
    """Print where config.toml is, or would be."""
    return configuring.where(workspace)
