"""A watch tells each change once it was seen, whatever the source does."""

from __future__ import annotations

import json
import re
import socket
import sys
import time
from pathlib import Path

import pytest

from .site import Site
from .tools import run
from .watching import (
    CHANGED,
    SAME,
    UNREADABLE,
    WATCH,
    gone,
    once,
    printing,
    until,
)


def test_the_first_check_records_and_the_next_is_silent(site: Site, state: Path) -> None:
    first = once(state, "--url", site.url)
    assert (first.returncode, first.stdout) == (SAME, "")
    assert "baseline recorded" in first.stderr
    second = once(state, "--url", site.url)
    assert (second.returncode, second.stdout, second.stderr) == (SAME, "", "")


def test_a_change_is_told_exactly_and_only_once(site: Site, state: Path) -> None:
    site.body = b"a\nb\nc\nd\ne\nf\ng\nh\n"
    once(state, "--url", site.url)
    site.body = b"a\nb\nc\nd\nE\nf\ng\nh\ni\n"
    done = once(state, "--url", site.url)
    assert done.returncode == CHANGED
    assert re.match(r"change 1 at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ in http://127", done.stdout)
    lines = done.stdout.splitlines()[2:]
    assert lines == [
        "@@ -2,8 +2,9 @@",
        " b",
        " c",
        " d",
        "-e",
        "+E",
        " f",
        " g",
        " h",
        "+i",
        " ",
    ]
    assert once(state, "--url", site.url).returncode == SAME


def test_going_back_is_a_change_of_its_own(site: Site, state: Path) -> None:
    old = site.body
    once(state, "--url", site.url)
    site.body = b"else\n"
    assert "change 1 " in once(state, "--url", site.url).stdout
    site.body = old
    assert "change 2 " in once(state, "--url", site.url).stdout


def test_a_missing_last_newline_and_an_empty_answer_are_changes(site: Site, state: Path) -> None:
    once(state, "--url", site.url)
    site.body = b"one\ntwo"
    assert once(state, "--url", site.url).returncode == CHANGED
    site.body = b""
    assert once(state, "--url", site.url).returncode == CHANGED


def test_as_json_a_change_is_one_object(site: Site, state: Path) -> None:
    once(state, "--url", site.url)
    site.body = b"one\nthree\n"
    done = once(state, "--json", "--url", site.url)
    event = json.loads(done.stdout)
    assert event["diff"] == ["@@ -1,3 +1,3 @@", " one", "-two", "+three", " "]
    assert (event["event"], event["number"], event["target"]) == ("change", 1, site.url)


def test_a_long_difference_is_cut_and_says_so(site: Site, state: Path) -> None:
    once(state, "--url", site.url)
    site.body = b"".join(b"%d\n" % i for i in range(5000))
    done = once(state, "--diff-lines", "10", "--url", site.url)
    assert len(done.stdout.splitlines()) == 13
    assert "more lines" in done.stdout


def test_two_large_texts_without_a_common_line_are_compared_in_time(
    site: Site, state: Path
) -> None:
    site.body = b"".join(b"a%d\n" % i for i in range(60_000))
    once(state, "--url", site.url)
    site.body = b"".join(b"b%d\n" % i for i in range(60_000))
    done = once(state, "--diff-lines", "0", "--url", site.url)
    assert done.returncode == CHANGED
    assert done.stdout.count("\n-a") == 60_000
    assert done.stdout.count("\n+b") == 60_000


def test_escapes_of_the_source_do_not_reach_the_terminal(site: Site, state: Path) -> None:
    once(state, "--url", site.url)
    site.body = "\x1b[2J\x07\u202eevil\n".encode()
    done = once(state, "--url", site.url)
    assert "\\x1b[2J\\x07\\u202eevil" in done.stdout
    assert not set(done.stdout) & set("\x1b\x07\u202e")


def test_ignored_lines_are_no_change(site: Site, state: Path) -> None:
    site.body = b"value 1\ntime 10:00\n"
    once(state, "--ignore", "^time", "--url", site.url)
    site.body = b"value 1\ntime 10:01\n"
    assert once(state, "--ignore", "^time", "--url", site.url).returncode == SAME
    site.body = b"value 2\ntime 10:02\n"
    assert "10:02" not in once(state, "--ignore", "^time", "--url", site.url).stdout


def test_binary_content_is_compared_by_its_digest(site: Site, state: Path) -> None:
    site.body = b"\xff\xfe\x00"
    once(state, "--url", site.url)
    site.body = b"\xff\xfe\x01"
    assert "+binary content, 3 bytes, sha256 " in once(state, "--url", site.url).stdout


@pytest.mark.parametrize("status", [404, 429, 500])
def test_an_error_of_the_server_is_no_change(site: Site, state: Path, status: int) -> None:
    once(state, "--url", site.url)
    body, site.body, site.status = site.body, b"sorry", status
    done = once(state, "--url", site.url)
    assert (done.returncode, done.stdout) == (UNREADABLE, "")
    assert str(status) in done.stderr
    site.body, site.status = body, 200
    assert once(state, "--url", site.url).returncode == SAME


def test_an_answer_that_was_cut_short_is_no_change(site: Site, state: Path) -> None:
    once(state, "--url", site.url)
    site.cut = 4
    done = once(state, "--url", site.url)
    assert done.returncode == UNREADABLE


def test_too_much_or_too_slow_is_a_failed_check(site: Site, state: Path) -> None:
    site.body = b"x" * 5000
    done = once(state, "--max-bytes", "4999", "--url", site.url)
    assert done.returncode == UNREADABLE
    assert "4999" in done.stderr
    site.delay = 1.0
    begun = time.monotonic()
    assert once(state, "--timeout", "0.2", "--url", site.url).returncode == UNREADABLE
    assert time.monotonic() - begun < 5


def test_a_redirect_may_not_lead_to_a_file(site: Site, state: Path) -> None:
    site.status, site.headers = 302, {"Location": "file:///etc/hostname"}
    assert once(state, "--url", site.url).returncode == UNREADABLE


def test_a_server_that_is_not_there_is_a_failed_check(state: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    assert once(state, "--url", f"http://127.0.0.1:{port}/").returncode == UNREADABLE


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--url", "file:///etc/hostname"],
        ["--url", "http://user:word@127.0.0.1/"],
        ["--url", "http://127.0.0.1/", "--", "true"],
        ["--until-change", "--url", "http://127.0.0.1/"],
        ["--interval", "0", "--url", "http://127.0.0.1/"],
        ["--ignore", "(", "--url", "http://127.0.0.1/"],
    ],
)
def test_wrong_usage_is_status_2_and_makes_no_state(state: Path, words: list[str]) -> None:
    assert once(state, *words).returncode == 2
    assert not state.exists()


def test_a_command_is_watched_without_a_shell(state: Path, tmp_path: Path) -> None:
    odd = tmp_path / "a b;$(touch x)"
    odd.write_text("one\n")
    once(state, *printing(odd))
    odd.write_text("two\n")
    done = once(state, *printing(odd))
    assert done.returncode == CHANGED
    assert "-one\n+two\n" in done.stdout


def test_a_failing_command_is_a_failed_check_unless_its_status_is_watched(
    state: Path, tmp_path: Path
) -> None:
    program: list[str | Path] = [
        "--",
        sys.executable,
        "-c",
        "import os,sys; sys.exit(not os.path.exists('mark'))",
    ]
    assert run(WATCH, "--state", state, "--once", *program, cwd=tmp_path).returncode == UNREADABLE
    words: list[str | Path] = ["--state", tmp_path / "s2", "--once", "--with-status", *program]
    assert run(WATCH, *words, cwd=tmp_path).returncode == SAME
    (tmp_path / "mark").touch()
    done = run(WATCH, *words, cwd=tmp_path)
    assert "-exit status 1\n+exit status 0\n" in done.stdout


def test_a_command_that_hangs_is_ended_with_all_it_started(state: Path, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    code = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "open(sys.argv[1], 'w').write(str(child.pid))\n"
        "time.sleep(60)\n"
    )
    words: list[str | Path] = ["--timeout", "1.5", "--", sys.executable, "-c", code, mark]
    assert once(state, *words).returncode == UNREADABLE
    pid = int(mark.read_text())
    until(lambda: gone(pid))
