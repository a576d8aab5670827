"""Completion in a shell: commands, options, and names that are really there."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from journeys.world import Person, document
from support.cli import run_skill, user_home


def completed(person: Person, line: str) -> set[str]:
    """What a bash would be given for a line whose last word is begun."""
    env = {
        "_SKILL_COMPLETE": "bash_complete", "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }  # fmt: skip
    done = run_skill(home=person.home, env={**person.env, **env}, fresh=True)
    return {row.partition(",")[2] for row in done.out.splitlines() if row}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("skill ins", {"install"}),
        ("skill tap a", {"add", "accept"}),
        ("skill update --al", {"--all", "--allow"}),
        ("skill install cut-", {"cut-a-release"}),
        ("skill remove ti", {"tidy-up"}),
        ("skill pin ", {"tidy-up", "sweep"}),
        ("skill read create-w", {"create-watch"}),
        ("skill history nothing-such", set()),
        ("skill nonsense ", set()),
    ],
)
def test_what_fits_is_offered(line: str, wanted: set[str], person: Person) -> None:
    for name in ("tidy-up", "sweep"):
        person.writes(f"{name}/SKILL.md", document(name))
    person.writes("$(touch x)/SKILL.md", document("x"))
    assert completed(person, line) == wanted


def test_a_damaged_state_spoils_no_line(person: Person) -> None:
    person.writes("tidy-up/SKILL.md", document("tidy-up"))
    (person.home / "state.db").write_text("no database")
    assert completed(person, "skill remove ti") == {"tidy-up"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_one_that_its_shell_reads(shell: str, person: Person) -> None:
    script = person.skill("completion", shell).out
    assert "_SKILL_COMPLETE" in script
    program = shutil.which(shell)
    if program:
        subprocess.run([program, "-n"], input=script, text=True, check=True)


def test_bash_completes_with_it(person: Person) -> None:
    program = shutil.which("bash")
    if program is None:
        pytest.skip("there is no bash")
    script = person.skill("completion", "bash").out
    place = user_home(person.home) / "skill"
    place.write_text("#!/bin/sh\nprintf 'plain,tidy-up\\nplain,sweep\\n'\n")
    place.chmod(0o755)
    ask = f'{script}\nCOMP_WORDS=(skill pin ""); COMP_CWORD=2; _skill_completion {place}'
    done = subprocess.run(
        [program, "-c", f'{ask}; printf "%s\\n" "${{COMPREPLY[@]}}"'],
        text=True, capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["tidy-up", "sweep"]
