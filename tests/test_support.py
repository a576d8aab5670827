"""Every guard guards, and the command runner, the archives and the files keep their word."""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from pathlib import Path
from typing import Any, Final

import pytest
from support import archives, cli
from support.archives import Entry, tar_of, zip_of
from support.files import assert_same, build, tree_of
from support.guards import NETWORK, OutsideError, own_environment
from support.loopback import fault

SKILL: Final[dict[str, bytes | str]] = {
    "SKILL.md": "---\nname: a\n---\n",
    "scripts/run.sh": b"#!/bin/sh\n",
}


class TestGuards:
    @pytest.mark.parametrize("address", ["192.0.2.1", "10.0.0.1", "2001:db8::1", "example.com"])
    def test_a_connection_out_of_loopback_is_stopped_and_remembered(self, address: str) -> None:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family) as connection, pytest.raises(OutsideError):
            connection.connect((address, 80))
        assert NETWORK.take()

    def test_the_quiet_ways_out_are_stopped_too(self) -> None:
        with socket.socket() as tcp, pytest.raises(OutsideError):
            tcp.connect_ex(("192.0.2.1", 80))
        with (
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
            pytest.raises(OutsideError),
        ):
            udp.sendto(b"x", ("192.0.2.1", 53))
        assert len(NETWORK.take()) == 2

    def test_a_swallowed_error_is_still_remembered(self) -> None:
        with pytest.raises(urllib.error.URLError):
            urllib.request.urlopen("http://192.0.2.1/")
        assert NETWORK.take()

    @pytest.mark.parametrize("name", ["example.com", b"example.com", "localhost.example.com"])
    def test_a_look_up_of_a_foreign_name_is_stopped(self, name: str | bytes) -> None:
        with pytest.raises(OutsideError):
            socket.getaddrinfo(name, 443)
        assert NETWORK.take()

    def test_gethostbyname_is_stopped(self) -> None:
        with pytest.raises(OutsideError):
            socket.gethostbyname("example.com")
        assert NETWORK.take()

    @pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "127.8.8.8", "::1", None])
    def test_loopback_stays_open(self, name: str | None) -> None:
        assert not fault("socket.getaddrinfo", (name, 80))
        assert not fault("socket.connect", (None, (name, 80)))

    def test_numbers_may_be_looked_up_but_not_reached(self) -> None:
        assert socket.getaddrinfo("192.0.2.1", 80)
        assert fault("socket.connect", (None, ("192.0.2.1", 80)))
        assert not fault("socket.connect", (None, "/run/a.socket"))

    def test_a_test_that_leaves_loopback_fails(self, tmp_path: Path) -> None:
        build(
            tmp_path,
            {
                "pytest.ini": "[pytest]\n",
                "conftest.py": Path(__file__).with_name("conftest.py").read_text(),
                "test_it.py": "import socket\nfrom contextlib import suppress\n\n"
                "def test_out() -> None:\n    with suppress(OSError):\n"
                "        socket.create_connection(('192.0.2.1', 80))\n",
            },
        )
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(cli.ROOT / "tests")}
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=env, check=False
        )
        assert done.returncode == 1
        assert "the test left loopback" in done.stdout

    def test_home_and_its_friends_belong_to_the_test(self) -> None:
        home = Path(os.environ["HOME"])
        assert Path.home() == home
        assert not tree_of(home).keys() - {".config/", ".cache/", ".local/share/", ".local/state/"}
        assert Path(tempfile.gettempdir()) == home.parent / "tmp"
        for name in ("CONFIG", "DATA", "CACHE", "STATE"):
            assert Path(os.environ[f"XDG_{name}_HOME"]).is_relative_to(home)

    def test_what_a_developer_exported_does_not_reach_a_test(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        foreign = ("GIT_DIR", "SKILL_HOME", "https_proxy", "NO_PROXY", "SSL_CERT_FILE", "NO_COLOR")
        for name in foreign:
            monkeypatch.setenv(name, "theirs")
        with own_environment(tmp_path):
            assert not set(foreign) & set(os.environ)
        assert os.environ["GIT_DIR"] == "theirs"

    def test_git_reads_no_configuration_of_the_user(self) -> None:
        done = subprocess.run(
            ["git", "config", "--list"], capture_output=True, text=True, check=False, cwd="/"
        )
        assert done.stdout == ""

    def test_git_speaks_no_other_protocol(self) -> None:
        assert os.environ["GIT_ALLOW_PROTOCOL"] == "file:http:https"
        done = subprocess.run(
            ["git", "ls-remote", "ext::touch evil"], capture_output=True, text=True, check=False
        )
        assert "transport 'ext' not allowed" in done.stderr


class TestCli:
    """The runner, run on a stand-in for the command that does what its first word says."""

    STAND_IN = """\
import json, os, socket, sys, time
word, rest = sys.argv[1], sys.argv[2:]
if word == "env":
    print(json.dumps(dict(os.environ) | {"cwd": os.getcwd(), "path": sys.path}))
elif word == "tty":
    print(sys.stdin.isatty(), sys.stdout.isatty(), os.get_terminal_size().columns, input("? "))
elif word == "echo":
    sys.stdout.write(sys.stdin.read())
elif word == "say":
    sys.stdout.write(rest[0])
elif word == "out":
    try:
        socket.create_connection(("192.0.2.1", 80))
    except OSError:
        pass
elif word == "sleep":
    time.sleep(60)
else:
    raise SystemExit(int(word))
"""

    @pytest.fixture
    def run(self, home: Path, tmp_path: Path) -> Any:
        folder = build(tmp_path / "stand-in", {"skillpm/__main__.py": self.STAND_IN})
        build(folder, {"skillpm/__init__.py": ""})
        path = cli.environment(home)["PYTHONPATH"].split(os.pathsep)
        env = {"PYTHONPATH": os.pathsep.join([path[0], path[1], str(folder)])}

        def run(*args: str, **more: Any) -> cli.Result:
            return cli.run_skill(*args, home=home, env=env | more.pop("env", {}), **more)

        return run

    def test_the_environment_is_made_from_scratch(
        self, run: Any, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SKILL_LEAK", "1")
        monkeypatch.setenv("https_proxy", "http://proxy")
        found = run("env", env={"SKILL_X": "y"}).ok().json()
        assert found["SKILL_HOME"] == str(home)
        assert found["HOME"] == found["cwd"] == str(cli.user_home(home))
        assert found["SKILL_X"] == "y"
        assert not {"SKILL_LEAK", "https_proxy"} & set(found)
        assert found["cwd"] not in found["path"]
        assert "" not in found["path"]

    def test_input_and_statuses(self, run: Any) -> None:
        assert run("echo", input="héllo").ok().out == "héllo"
        assert run("7").ended(7).status == 7
        with pytest.raises(AssertionError, match="status 3"):
            run("3").ok()
        with pytest.raises(AssertionError, match="undocumented"):
            cli.assert_clean_output(run("42"))

    def test_a_terminal(self, run: Any) -> None:
        result = run("tty", tty=True, input="yes\n")
        assert result.status == 0
        assert "True True 100 yes" in result.out

    @pytest.mark.parametrize("tty", [False, True])
    def test_a_hanging_command_is_killed(self, run: Any, tty: bool) -> None:
        with pytest.raises(subprocess.TimeoutExpired):
            run("sleep", tty=tty, timeout=0.5)

    @pytest.mark.parametrize("text", ["\x1b[31m", "\r", "\x9b", "\u202e", "\u2066", "\ud800"])
    def test_raw_control_characters_are_found(self, text: str) -> None:
        with pytest.raises(AssertionError, match="raw"):
            cli.assert_clean_output(cli.Result((), 0, text, ""))

    def test_a_traceback_is_found(self, run: Any) -> None:
        with pytest.raises(AssertionError, match="Traceback"):
            cli.assert_clean_output(run("nonsense"))

    def test_a_command_that_leaves_loopback_fails_the_test(self, run: Any) -> None:
        with pytest.raises(AssertionError, match="reached outside loopback"):
            run("out")
        run("0").ok()

    def test_json_is_one_value(self, run: Any) -> None:
        assert run("say", '{"a": 1}').json() == {"a": 1}
        with pytest.raises(AssertionError, match="not JSON"):
            run("say", '{"a": 1} x').json()


class TestFiles:
    def test_a_tree_is_read_back(self, tmp_path: Path) -> None:
        build(tmp_path, {"a/b.txt": "text", "run.sh": b"x", "empty/": ""}, executable=["run.sh"])
        (tmp_path / "link").symlink_to("a")
        found = tree_of(tmp_path)
        assert found["a/b.txt"] == (b"text", 0o644)
        assert found["run.sh"] == (b"x", 0o755)
        assert found["link"][0] == b"a"
        assert sorted(found) == ["a/b.txt", "empty/", "link", "run.sh"]
        assert tree_of(tmp_path / "not-there") == {}

    def test_differences_are_named(self, tmp_path: Path) -> None:
        before = tree_of(build(tmp_path, {"a": "1", "b": "2", "c": "3"}))
        assert_same(before, tree_of(tmp_path))
        build(tmp_path, {"a": "other", "d": "4"}, executable=["b"])
        (tmp_path / "b").chmod(0o755)
        (tmp_path / "c").unlink()
        with pytest.raises(AssertionError) as told:
            assert_same(before, tree_of(tmp_path))
        for line in ("changed a", "mode 644 -> 755 b", "removed c", "added d"):
            assert line in str(told.value)


class TestArchives:
    def test_a_good_zip_and_tar_hold_the_files(self) -> None:
        with zipfile.ZipFile(io.BytesIO(zip_of(SKILL, executable=["scripts/run.sh"]))) as found:
            assert found.namelist() == list(SKILL)
            assert found.getinfo("scripts/run.sh").external_attr >> 16 == 0o100755
        with tarfile.open(fileobj=io.BytesIO(tar_of(SKILL, folder="top"))) as tar:
            assert tar.getnames() == [f"top/{path}" for path in SKILL]
        assert zip_of(SKILL) == zip_of(SKILL)
        assert tar_of(SKILL) == tar_of(SKILL)

    def test_hostile_zips_keep_their_hostility(self) -> None:
        found = archives.hostile_zips()
        names = {key: _zip_names(data) for key, data in found.items()}
        assert "../evil.txt" in names["parent"]
        assert names["duplicate"].count("SKILL.md") == 2
        assert found["two names"].count(b"scripts/pwn.sh") == 1
        assert len(found["bomb"]) < 200_000
        with zipfile.ZipFile(io.BytesIO(found["overlapping"])) as archive:
            assert sum(info.file_size for info in archive.infolist()) == 100 * 1024 * 1024
        with zipfile.ZipFile(io.BytesIO(found["symlink out"])) as archive:
            assert archive.getinfo("link").external_attr >> 28 == 0o12

    @pytest.mark.parametrize("key", ["wrong checksum", "size too small", "encrypted", "two names"])
    def test_a_good_reader_refuses_the_twisted_zips(self, key: str) -> None:
        with zipfile.ZipFile(io.BytesIO(archives.hostile_zips()[key])) as archive:
            infos = archive.infolist()
            with pytest.raises((zipfile.BadZipFile, RuntimeError, EOFError)):
                [archive.read(info) for info in infos]

    def test_hostile_tars_keep_their_hostility(self) -> None:
        found = archives.hostile_tars()
        assert "../evil.txt" in _tar_names(found["pax path"])
        assert "../evil.txt" in _tar_names(found["global pax path"])
        assert "/tmp/skillpm-evil.txt" in _tar_names(found["absolute"])
        with tarfile.open(fileobj=io.BytesIO(found["device"])) as tar:
            assert tar.getmember("device").ischr()

    def test_odd_archives_still_hold_the_skill(self) -> None:
        for key, make in archives.odd_but_good().items():
            names = _zip_names(make()) or _tar_names(make())
            assert any(name.endswith("SKILL.md") for name in names), key

    def test_setuid_bits_survive(self) -> None:
        with tarfile.open(fileobj=io.BytesIO(tar_of([Entry("x", b"", 0o6755)]))) as tar:
            assert tar.getmember("x").mode == 0o6755


def _zip_names(data: bytes) -> list[str]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.namelist()
    except zipfile.BadZipFile:
        return []


def _tar_names(data: bytes) -> list[str]:
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return tar.getnames()
