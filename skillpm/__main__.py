"""`python -m skillpm` is the `skill` command."""

from skillpm.cli.main import run

run()
