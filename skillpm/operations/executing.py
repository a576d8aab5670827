"""`skill exec`: running a script of a skill whose files are trusted, as they were checked.

What was read and checked is what runs: the script, and all that it loads from beside it, come from
the immutable copy of exactly these files in the store, which is read once more. So an edit, an
update or a planted file in the library between the check and the run changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from skillpm.edges import process
from skillpm.edges.host import Host
from skillpm.edges.process import Ended, Job
from skillpm.errors import NotFoundError, RefusedError, UsageError
from skillpm.formats.script import Runner, runner_of
from skillpm.model.name import SkillName
from skillpm.model.outcome import Notes, Outcome
from skillpm.model.tree import File
from skillpm.operations.reading import Readable, file_of, find, is_trusted
from skillpm.operations.workspace import Workspace

SECONDS: Final = 120.0
LONGEST: Final = 3600.0
TIMED_OUT: Final = 124
SIGNALLED: Final = 128

_HANDED: Final = frozenset((
    "HOME", "LANG", "LANGUAGE", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
    "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
    "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME",
    "DISPLAY", "WAYLAND_DISPLAY",
))  # fmt: skip
_OURS: Final = ("SKILL_", "SKILLPM_")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be run.

    Attributes:
        path: of the script, inside the skill.
        args: what it is given.
        seconds: how long it may take.
        is_stopped: asked while it runs; True ends it.
    """

    name: SkillName
    path: str
    args: Sequence[str] = ()
    seconds: float = SECONDS
    is_stopped: Callable[[], bool] = lambda: False


def execute(workspace: Workspace, asked: Asked) -> Outcome:
    """Run a script of a skill in the current folder, and give back what it said.

    The outcome's status is the script's own, 124 when its time was up, 128 and the number of the
    signal that ended it.

    Raises:
        RefusedError: nobody vouches for these files, or the file is no script that is run.
        NotFoundError: there is no such skill or file, or nothing to run it with.
        UsageError: the path climbs out, or the time is none.
    """
    if not 0 < asked.seconds <= LONGEST:
        raise UsageError(f"a script may take up to {LONGEST:.0f} seconds, and more than none")
    skill = find(workspace, asked.name)
    _check_trusted(workspace, skill)
    file = file_of(skill, asked.path)
    runner = _runner(skill, file)
    program = _program(workspace.host, runner)
    place = workspace.store.keep(skill.tree)
    script = str(place / file.path)
    job = Job(
        [program, *runner.options, script, *asked.args],
        _environment(workspace, skill, str(place)),
        workspace.host.here(),
        asked.seconds,
    )
    ended = process.run(job, asked.is_stopped)
    status = _status(ended)
    (workspace.kept.usage.failed if status else workspace.kept.usage.used)(asked.name)
    return _outcome(asked, skill, file, ended, status)


def _check_trusted(workspace: Workspace, skill: Readable) -> None:
    if is_trusted(workspace, skill):
        return
    if skill.ran:
        raise RefusedError(
            f"Python left compiled files in {skill.name}, which nobody looked at",
            hint=f"skill update {skill.name} takes them away; run with exec, scripts leave none",
        )
    why = f"{skill.name} is {skill.origin.value}, and nobody here has reviewed these files"
    if skill.edited:
        why = f"{skill.name} was edited, and nobody here has reviewed it as it is now"
    raise RefusedError(
        f"{why}: its scripts are not run",
        hint=f"a person looks at it with: skill review {skill.name}",
    )


def _runner(skill: Readable, file: File) -> Runner:
    found = runner_of(file.path, file.data)
    if not found.program:
        raise RefusedError(
            f"{file.path} of {skill.name} is not run: {found.problem}",
            hint="what is run is Python, Node, Ruby, Bash and sh; to read it:"
            f" skill read {skill.name} {file.path}",
        )
    return found


def _program(host: Host, runner: Runner) -> str:
    found = host.program(runner.program)
    if not found and runner.program == "python3":
        found = host.program("python")
    if not found:
        raise NotFoundError(f"{runner.program} is not on PATH", hint=f"install {runner.program}")
    return found


def _environment(workspace: Workspace, skill: Readable, place: str) -> dict[str, str]:
    """What every program is given, and the variables that the skill's own document asks for.

    Nothing else: no token of ours or of the agent that calls. PATH keeps its absolute parts.
    """
    from skillpm.operations.requiring import needs_of

    env: Mapping[str, str] = workspace.host.env
    asked = {one.name for one in needs_of(skill.tree).variables}
    given = {
        name: value
        for name, value in env.items()
        if (name in _HANDED or name.startswith("LC_") or name in asked)
        and not name.startswith(_OURS)
        and not _steers(name)
    }
    parts = [part for part in env.get("PATH", "").split(":") if part.startswith("/")]
    return {
        **given,
        "PATH": ":".join(parts) or "/usr/local/bin:/usr/bin:/bin",
        "SKILL_DIR": place,
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _steers(name: str) -> bool:
    """Whether a variable changes which code runs: a document may not ask for that."""
    return name.startswith(("LD_", "DYLD_", "PYTHON", "RUBY", "BASH_", "GIT_")) or name in (
        "ENV", "NODE_OPTIONS", "NODE_PATH", "GEM_PATH", "GEM_HOME", "SHELLOPTS", "PATH",
    )  # fmt: skip


def _status(ended: Ended) -> int:
    if ended.timed_out or ended.stopped:
        return TIMED_OUT
    return SIGNALLED - ended.status if ended.status < 0 else ended.status


def _outcome(asked: Asked, skill: Readable, file: File, ended: Ended, status: int) -> Outcome:
    notes = Notes()
    if ended.timed_out:
        notes.fail(f"{file.path} was ended after {asked.seconds:g} seconds (--timeout)")
    elif ended.stopped:
        notes.fail(f"{file.path} was ended: whoever asked for it went away")
    elif ended.status < 0:
        notes.fail(f"{file.path} was ended by signal {-ended.status}")
    out, err = ended.out.text(), ended.err.text()
    data: dict[str, Any] = {
        "name": skill.name,
        "file": file.path,
        "digest": skill.tree.digest,
        "exit_status": None if ended.timed_out or ended.stopped else status,
        "timed_out": ended.timed_out,
        "seconds": round(ended.seconds, 3),
        "stdout": out,
        "stderr": err,
        "left_out": {"stdout": ended.out.left_out, "stderr": ended.err.left_out},
    }
    return Outcome(data, tuple(notes.messages), text=out, status=status, errors=err)
