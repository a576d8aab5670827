"""The runner keeps its limits and hands on the status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest

from .tools import Done, argv, environment, run, script

RUN: Final = script("write-a-script", "run.py")


def python(code: str, *options: str | Path, stdin: str = "") -> Done:
    """Run a line of Python under the runner."""
    return run(RUN, *options, "--", sys.executable, "-c", code, stdin=stdin)


@pytest.mark.parametrize("status", [0, 1, 3, 77, 255])
def test_the_status_of_the_program_is_handed_on(status: int) -> None:
    done = python(f"import sys; print('out'); sys.exit({status})")
    assert (done.returncode, done.stdout) == (status, "out\n")
    assert f"run.py: status {status} after" in done.stderr


def test_a_program_ended_by_a_signal_is_told_by_128_and_its_number() -> None:
    done = python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert done.returncode == 128 + signal.SIGKILL


def test_the_time_limit_ends_the_program_and_all_it_started(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    code = (
        "import signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "c = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(mark)!r}, 'w').write(str(c.pid))\n"
        "print('begun', flush=True)\n"
        "time.sleep(60)\n"
    )
    begun = time.monotonic()
    done = python(code, "--timeout", "1.5")
    assert done.returncode == 124
    assert done.stdout == "begun\n"
    assert "time limit of 1.5 s" in done.stderr
    assert time.monotonic() - begun < 15
    assert ended(int(mark.read_text()))


def test_a_child_left_behind_does_not_outlive_the_run(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    code = (
        "import subprocess, sys\n"
        "c = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], "
        "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        f"open({str(mark)!r}, 'w').write(str(c.pid))\n"
    )
    assert python(code, "--timeout", "20").returncode == 0
    assert ended(int(mark.read_text()))


def ended(pid: int) -> bool:
    """Whether a process has ended, given a moment for it."""
    for _ in range(200):
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return True
        if stat.rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False


def test_a_long_output_keeps_its_beginning_and_its_end() -> None:
    done = python("print('a' * 500 + 'b' * 100000 + 'c' * 499)", "--max-output", "1000")
    assert done.stdout.startswith("a" * 500 + "\n[... 100000 bytes left out ...]\n")
    assert done.stdout.endswith("c" * 499 + "\n")
    assert len(done.stdout) < 1100


@pytest.mark.parametrize("size", [0, 1, 499, 500, 501, 999, 1000])
def test_an_output_within_the_limit_is_untouched(size: int) -> None:
    done = python(f"import sys; sys.stdout.write('x' * {size})", "--max-output", "1000")
    assert done.stdout == "x" * size


def test_both_outputs_come_through_at_once_without_blocking() -> None:
    code = "import sys\nfor i in range(3000): print('o' * 99); print('e' * 99, file=sys.stderr)"
    done = python(code, "--max-output", "1000000")
    assert done.stdout.count("\n") == 3000
    assert done.stderr.count("e" * 99) == 3000


def test_words_are_handed_on_as_they_are_without_a_shell(tmp_path: Path) -> None:
    words = ["a b", "$HOME", "*", "; touch x", "--help", "-n", ""]
    code = "import json, sys; print(json.dumps(sys.argv[1:]))"
    done = run(RUN, "--cwd", tmp_path, "--", sys.executable, "-c", code, *words)
    assert json.loads(done.stdout) == words
    assert list(tmp_path.iterdir()) == []


def test_standard_input_is_closed_unless_it_is_asked_for() -> None:
    code = "import sys; print(repr(sys.stdin.read()))"
    assert python(code, stdin="hello").stdout == "''\n"
    assert python(code, "--stdin", stdin="hello").stdout == "'hello'\n"


def test_a_bare_environment_holds_no_other_variables() -> None:
    code = "import os; print(os.environ.get('MY_TOKEN'), bool(os.environ.get('PATH')))"
    words = ("--", sys.executable, "-c", code)
    env = {"MY_TOKEN": "t"}
    assert run(RUN, *words, env=env).stdout == "t True\n"
    assert run(RUN, "--bare-env", *words, env=env).stdout == "None True\n"


def test_a_program_that_is_not_there_or_not_executable_is_told_apart(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("x")
    assert run(RUN, "--", tmp_path / "none").returncode == 127
    assert run(RUN, "--", plain).returncode == 126
    plain.chmod(0o755)
    assert run(RUN, "--", plain).returncode == 125  # it can't be executed after all


@pytest.mark.parametrize(
    "words", [[], ["--timeout", "0", "--", "x"], ["--cwd", "/no/such", "--", "x"]]
)
def test_wrong_usage_is_status_2(words: list[str]) -> None:
    assert run(RUN, *words).returncode == 2


def test_each_run_leaves_one_line_in_the_record(tmp_path: Path) -> None:
    record = tmp_path / "runs.jsonl"
    python("pass", "--record", record)
    python("raise SystemExit(4)", "--record", record)
    entries = [json.loads(line) for line in record.read_text().splitlines()]
    assert [entry["status"] for entry in entries] == [0, 4]
    assert entries[0]["argv"][0] == sys.executable


def test_terminating_the_runner_ends_the_program(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    code = f"import os, time; open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    words = argv(RUN, ["--", sys.executable, "-c", code])
    with subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()
    ) as child:
        for _ in range(500):
            if mark.exists() and mark.read_text():
                break
            time.sleep(0.02)
        os.kill(child.pid, signal.SIGTERM)
        assert child.wait(15) == 143
    assert ended(int(mark.read_text()))
