"""Where errors end: one message or one envelope, a status, and a log for a bug."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from support.cli import environment, user_home

from skillpm.cli.boundary import guarded
from skillpm.errors import ConflictError, SkillError, StateError


def ending(error: BaseException, *args: str) -> int:
    """The status of a command that raises."""

    def main(_args: list[str]) -> int:
        raise error

    return guarded(main, list(args))


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ConflictError("no"), 5),
        (StateError("no"), 8),
        (OSError(28, "No space left on device"), 8),
        (click.UsageError("no"), 2),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
        (ValueError("a surprise"), 70),
        (RecursionError("deep"), 70),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_every_error_has_its_status(
    error: BaseException, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ending(error, "list") == status
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Traceback" not in shown.err


def test_a_bug_leaves_a_log_and_an_envelope(capsys: pytest.CaptureFixture[str]) -> None:
    assert ending(ValueError("a surprise"), "tap", "list", "--json") == 70
    envelope = json.loads(capsys.readouterr().out)
    assert envelope["command"] == "tap list"
    assert envelope["status"] == 70
    message = envelope["error"]["message"]
    assert "a surprise" in message
    log = Path(message.rpartition("details in ")[2])
    assert "ValueError: a surprise" in log.read_text()


def test_what_an_error_says_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    ending(SkillError("\x1b[31mred\u202e", hint="\x07"), "list")
    shown = capsys.readouterr().err
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\x07" not in shown


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no disk that is always full")
@pytest.mark.parametrize("errors_too", [False, True])
@pytest.mark.parametrize("words", [("list",), ("list", "--json"), ("info", "nobody"), ("--help",)])
def test_output_that_cannot_be_written_is_no_success(
    words: tuple[str, ...], errors_too: bool, tmp_path: Path
) -> None:
    home = tmp_path / "skillhome"
    with FULL.open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "skillpm", *words], env=environment(home),
            cwd=user_home(home), stdout=full, stderr=full if errors_too else subprocess.PIPE,
            check=False, timeout=60,
        )  # fmt: skip
    assert done.returncode in (3, 8)
    assert b"Traceback" not in (done.stderr or b"")


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    home = tmp_path / "skillhome"
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "skillpm", "--help"], env=environment(home),
        cwd=user_home(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
