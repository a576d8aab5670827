"""Scripts run only when somebody vouches for their files, as they were checked, and with little."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from journeys.world import Person, document
from support.files import build
from support.inside import review, workspace

from skillpm.errors import InvalidSkillError, NotFoundError, RefusedError, SkillError, UsageError
from skillpm.model.name import skill_name
from skillpm.model.outcome import Outcome
from skillpm.operations.executing import Asked, execute
from skillpm.sources import shipped

SECRETS = {
    "GITHUB_TOKEN": "s", "SKILL_MCP_TOKEN": "s", "CORP_TOKEN": "s", "AWS_SECRET_ACCESS_KEY": "s",
    "LD_PRELOAD": "", "PYTHONPATH": "/nowhere", "BASH_ENV": "/nowhere", "NODE_OPTIONS": "x",
}  # fmt: skip
ASKS = (
    "---\nname: tidy\ndescription: Tidies.\nrequired_environment_variables: [WEATHER_KEY,"
    " LD_PRELOAD, SKILL_MCP_TOKEN]\n---\n\n# Tidy\n"
)
TELLS = "import json,os,sys; print(json.dumps([sys.argv, dict(os.environ), os.getcwd()]))\n"


@pytest.fixture
def tidy(home: Path) -> Path:
    files: dict[str, bytes | str] = {
        "SKILL.md": ASKS,
        "scripts/tells.py": TELLS,
        "scripts/fails.sh": "echo out; echo err >&2; exit 7\n",
        "scripts/hangs": "#!/bin/sh\necho begun\nsleep 60\n",
        "scripts/uses.py": "import beside\n",
        "scripts/beside.py": "print('beside as reviewed')\n",
        "scripts/a.rb": "puts 1\n",
        "scripts/a.pl": "#!/usr/bin/perl\nprint 1\n",
        "scripts/a.js": "console.log('from node', process.argv[2])\n",
    }
    return build(home / "library" / "tidy", files)


def execute_in(
    home: Path, path: str, *args: str, name: str = "tidy", seconds: float = 20.0,
    env: Mapping[str, str] | None = None,
) -> Outcome:  # fmt: skip
    asked = Asked(skill_name(name), path, args, seconds)
    return execute(workspace(home, env), asked)


def test_nothing_runs_until_these_very_files_are_reviewed(home: Path, tidy: Path) -> None:
    with pytest.raises(RefusedError, match="nobody here has reviewed") as refused:
        execute_in(home, "scripts/fails.sh")
    assert refused.value.hint == "a person looks at it with: skill review tidy"
    review(workspace(home), "tidy")
    assert execute_in(home, "scripts/fails.sh").status == 7
    (tidy / "scripts" / "fails.sh").write_text("echo other\n")
    with pytest.raises(RefusedError):
        execute_in(home, "scripts/fails.sh")


def test_compiled_files_beside_the_scripts_of_an_installed_skill_are_refused(
    person: Person,
) -> None:
    person.skill("install", "read-pdf")
    build(person.home / "library" / "read-pdf" / "scripts" / "__pycache__", {"x.pyc": b"\0"})
    told = person.error("exec", "read-pdf", "scripts/extract.py", status=5)
    assert "Python left compiled files in read-pdf, which nobody looked at" in told
    assert "skill update read-pdf" in told


@pytest.mark.parametrize(
    ("path", "error", "why"),
    [
        ("SKILL.md", RefusedError, "no script"),
        ("scripts/a.pl", RefusedError, "asks for 'perl'"),
        ("scripts/none.py", NotFoundError, "has no file"),
        ("scripts", NotFoundError, "has no file"),
        ("", NotFoundError, "has no file"),
        ("../other/x.sh", UsageError, "not a path"),
        ("scripts/../../x.sh", UsageError, "not a path"),
        ("/bin/sh", NotFoundError, "has no file"),
    ],
)
def test_what_is_no_script_of_the_skill_is_refused(
    home: Path, tidy: Path, path: str, error: type[SkillError], why: str
) -> None:
    review(workspace(home), "tidy")
    with pytest.raises(error, match=why):
        execute_in(home, path)


def test_a_link_among_the_files_is_refused(home: Path, tidy: Path) -> None:
    review(workspace(home), "tidy")
    (tidy / "scripts" / "fails.sh").unlink()
    (tidy / "scripts" / "fails.sh").symlink_to("/bin/ls")
    with pytest.raises(InvalidSkillError, match="is a link"):
        execute_in(home, "scripts/fails.sh")


def test_output_errors_and_status_come_back(home: Path, tidy: Path) -> None:
    review(workspace(home), "tidy")
    done = execute_in(home, "scripts/fails.sh")
    assert (done.text, done.errors, done.status) == ("out\n", "err\n", 7)
    assert done.data["exit_status"] == 7
    assert (done.data["stdout"], done.data["stderr"]) == ("out\n", "err\n")
    used = workspace(home).kept.usage.all()["tidy"]
    assert (used.uses, used.failures) == (0, 1)


def test_its_time_is_up(home: Path, tidy: Path) -> None:
    review(workspace(home), "tidy")
    done = execute_in(home, "scripts/hangs", seconds=0.4)
    assert done.status == 124
    assert done.data["timed_out"]
    assert done.data["exit_status"] is None
    assert done.text == "begun\n"
    with pytest.raises(UsageError, match="3600 seconds"):
        execute_in(home, "scripts/hangs", seconds=0)


def test_it_gets_what_every_program_gets_and_what_its_document_asks_for(
    home: Path, tidy: Path
) -> None:
    review(workspace(home), "tidy")
    env = {**SECRETS, "WEATHER_KEY": "sun", "LANG": "C.UTF-8", "PATH": f"x:.:{os.environ['PATH']}"}
    argv, given, cwd = json.loads(execute_in(home, "scripts/tells.py", "-x", "$HOME", env=env).text)
    assert argv[1:] == ["-x", "$HOME"]
    assert given["WEATHER_KEY"] == "sun"
    assert given["LANG"] == "C.UTF-8"
    assert not SECRETS.keys() & given.keys()
    assert all(part.startswith("/") for part in given["PATH"].split(":"))
    assert cwd == str(Path.cwd())
    assert argv[0] == f"{given['SKILL_DIR']}/scripts/tells.py"


def test_what_runs_is_the_immutable_copy_and_what_was_planted_there_is_gone(
    home: Path, tidy: Path
) -> None:
    digest = review(workspace(home), "tidy")
    assert execute_in(home, "scripts/uses.py").text == "beside as reviewed\n"
    kept = home / "store" / digest.rpartition(":")[2] / "scripts"
    assert not (kept / "__pycache__").exists()
    (kept / "beside.py").write_text("print('planted')\n")
    (kept / "json.py").write_text("print('planted')\n")
    assert execute_in(home, "scripts/uses.py").text == "beside as reviewed\n"
    assert not (kept / "json.py").exists()


def test_a_bundled_script_runs_from_a_copy_without_what_python_put_beside_it(home: Path) -> None:
    place = execute_in(home, "scripts/watch.py", "--help", name="create-watch")
    assert "usage: watch.py" in place.text
    digest = shipped.tree("create-watch").digest
    kept = home / "store" / digest.rpartition(":")[2] / "scripts"
    assert [file.name for file in kept.iterdir()] == ["watch.py"]


@pytest.mark.skipif(not shutil.which("node"), reason="node is not here")
def test_node_runs_its_own(home: Path, tidy: Path) -> None:
    review(workspace(home), "tidy")
    assert execute_in(home, "scripts/a.js", "arg").text == "from node arg\n"


def test_what_would_run_it_and_is_not_here_is_named(home: Path, tidy: Path, tmp_path: Path) -> None:
    review(workspace(home), "tidy")
    tmp_path.joinpath("ruby").write_text("planted where a relative PATH leads")
    with pytest.raises(NotFoundError, match="ruby is not on PATH"):
        execute_in(home, "scripts/a.rb", env={"PATH": ".:/nowhere"})


def test_the_command_gives_back_all_three(person: Person) -> None:
    build(
        person.home / "library" / "tidy", {"SKILL.md": document("tidy"), "a.sh": "echo $1; exit 3"}
    )
    assert "skill review tidy" in person.error("exec", "tidy", "a.sh", status=5)
    review(workspace(person.home), "tidy")
    done = person.skill("exec", "tidy", "a.sh", "--", "--json", status=3)
    assert done.out == "--json\n"
    envelope = person.skill("exec", "--json", "tidy", "a.sh", status=3).json()
    assert envelope["data"]["exit_status"] == envelope["status"] == 3
    assert envelope["error"] is None
