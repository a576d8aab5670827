"""Commands that copy files to other machines or from them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE, Carries, Deed
from skillpm.scanning.behaviour.shell.calls import (
    Call,
    Handler,
    Options,
    is_home,
    options,
    together,
)
from skillpm.scanning.behaviour.shell.network import fetched, parsed
from skillpm.scanning.behaviour.shell.options import VALUED
from skillpm.scanning.behaviour.shell.words import EMPTY, Value, join, origin

_REMOTE: Final = regex(
    r"(?:[\w.+-]{2,}|.{0,80}@[^/]{1,200}|\[[0-9a-f:]+\]|" + HOLE + r")::?|\w{2,10}://"
)
_BUCKET: Final = regex(r"(?:s3|gs|az|oss|cos|r2|b2|https?)://|[\w" + HOLE + r"-]{2,40}:")
_SCP_LIKE: Final = regex(r"(?:https?|git|ssh|git\+ssh|file)://|[\w.-]+@[\w.-]+:")
_PUTS: Final = regex(r"\b(?:put|mput|send|mirror\s+-R)\s+(\S+)")


def copied(call: Call, path: Value) -> Value:
    """The contents of a file or of all that is in a folder."""
    content = call.read(path)
    return content.carrying(Carries.SECRET_FILE) if is_home(path.text) else content


def _between(call: Call, paths: Sequence[Value], remote: re.Pattern[str], *how: str) -> Value:
    """Copies from all but the last path to the last."""
    if len(paths) < 2:
        return EMPTY
    *sources, target = paths
    if remote.match(target.text):
        load = [
            call.given if s.text == "-" else copied(call, s)
            for s in sources
            if not remote.match(s.text)
        ]
        call.act(Deed.SEND, target.text, origin([together(load), target]), "upload", *how)
        return EMPTY
    for source in sources:
        if remote.match(source.text):
            call.act(Deed.FETCH, source.text)
            answer = fetched(call, source.text)
            if target.text == "-":
                return answer
            call.write(target, answer, *how)
            call.host.unpack(target, answer)
        else:
            call.write(target, copied(call, source), *how)
    return EMPTY


def scp(call: Call) -> Value:
    """`scp from… to`."""
    return _between(call, parsed(call).rest, _REMOTE)


def rsync(call: Call) -> Value:
    """`rsync from… to`, also with `--delete`."""
    given = parsed(call)
    if given.rest and given.has("--delete", "--delete-after", "--delete-before", "--del"):
        call.act(Deed.DELETE, given.rest[-1].text, given.rest[-1], "recursive")
    return _between(call, given.rest, _REMOTE)


def ssh(call: Call) -> Value:
    """`ssh host command`: the command is played, what is piped in goes to the host."""
    given = options(_until_host(call.words[1:]), VALUED["ssh"])
    if not given.rest:
        return EMPTY
    host = given.rest[0]
    command = call.words[1 + len(_until_host(call.words[1:])) :]
    call.act(Deed.RUN, call.line, together(given.rest))
    if call.stdin is not None and (call.stdin.carries or call.stdin.text):
        call.act(Deed.SEND, host.text, call.stdin)
    if command:
        text = join(command, " ")
        call.host.play(text, call, stdin=call.stdin)
    return fetched(call, host.text)


def _until_host(words: Sequence[Value]) -> Sequence[Value]:
    at = 0
    while at < len(words) and words[at].text[:1] == "-":
        at += 2 if words[at].text[:2] in VALUED["ssh"] and len(words[at].text) == 2 else 1
    return words[: at + 1]


def ftp(call: Call) -> Value:
    """`sftp`, `ftp`, `lftp`, `tftp`: what their input tells them to put."""
    given = parsed(call)
    scripts = [call.given, *given.all("-b", "-e", "-c")]
    load = [
        call.read(Value(path)) for script in scripts for path in _PUTS.findall(script.text)[:20]
    ]
    host = given.rest[0] if given.rest else EMPTY
    if load:
        call.act(Deed.SEND, host.text, together(load), "upload")
    elif host.text:
        call.act(Deed.FETCH, host.text)
    return EMPTY


def cloud(call: Call) -> Value:
    """`aws s3`, `gsutil`, `gcloud storage`, `az storage`, `rclone`, `s3cmd`, `mc`."""
    given = options(call.words[1:], VALUED["cloud"])
    texts = [value.text for value in given.rest]
    verb = next(
        (t for t in texts if t in ("cp", "sync", "mv", "move", "copy", "copyto", "put", "rsync")),
        "",
    )
    if verb:
        return _between(call, given.rest[texts.index(verb) + 1 :], _BUCKET)
    uploads = any(text in ("put-object", "upload", "upload-batch", "rcat") for text in texts)
    if not uploads:
        return _program(call)
    files = given.all("--body", "--file", "-f", "--source", "-s")
    load = [call.read(path) for path in files] or [call.given]
    where = given.first("--bucket", "--container-name", "-c") or (
        given.rest[-1] if given.rest else EMPTY
    )
    call.act(Deed.SEND, where.text, together(load), "upload")
    return EMPTY


def _program(call: Call) -> Value:
    call.act(Deed.RUN, call.line, call.given)
    return Value(HOLE, call.given.carries, call.given.variables, call.given.trail)


def github(call: Call) -> Value:
    """`gh gist create file…`, `gh release upload`, else a program."""
    given = options(call.words[1:], VALUED["gh"])
    texts = [value.text for value in given.rest]
    if texts[:2] in (["gist", "create"], ["release", "upload"], ["issue", "create"]):
        files = given.rest[2:] if texts[0] == "gist" else given.rest[3:]
        load = [call.read(path) for path in files] + ([call.given] if call.stdin else [])
        load += given.all("--body", "-b")
        where = "gist.github.com" if texts[0] == "gist" else "github.com"
        call.act(Deed.SEND, where, together(load), "upload")
        return EMPTY
    return _program(call)


def git(call: Call) -> Value:
    """`git clone`, `clean`, `config core.hooksPath`; else a program."""
    words = call.words[1:]
    given = options(words, VALUED["git"])
    texts = [value.text for value in given.rest]
    verb = texts[0] if texts else ""
    if verb == "clone":
        return _clone(call, options(given.rest[1:], VALUED["git-clone"]), words)
    if verb == "clean" and any("f" in v.text for v in words if v.text[:1] == "-"):
        call.act(Deed.DELETE, ".", EMPTY, "recursive", "forced")
        return EMPTY
    if verb == "config" and _configures(call, given, words):
        return EMPTY
    if verb in ("log", "config", "remote", "status", "branch", "ls-files", "diff", "show", "blame"):
        call.act(Deed.RUN, call.line)
        return Value(HOLE, Carries.FACTS)
    return _program(call)


def _configures(call: Call, given: Options, words: Sequence[Value]) -> bool:
    """Whether `git config` sets what is run later."""
    wide = any(value.text in ("--global", "--system") for value in words)
    for key, value in zip(given.rest[1:], given.rest[2:], strict=False):
        name = key.text.lower()
        if name == "core.hookspath":
            folder = value.text.rstrip("/")
            call.act(
                Deed.WRITE,
                "~/.gitconfig" if wide else f".git/hooks/{folder.replace('/', '-')}",
                value,
            )
            return True
        if name in (
            "core.fsmonitor",
            "core.sshcommand",
            "core.editor",
            "core.pager",
            "init.templatedir",
            "credential.helper",
        ) or name.startswith(("alias.", "filter.")):
            call.act(Deed.WRITE, "~/.gitconfig" if wide else ".git/config", value)
            if value.text.startswith("!"):
                call.host.play(value.saying(value.text[1:]), call)
            return True
    return False


def _clone(call: Call, given: Options, words: Sequence[Value]) -> Value:
    rest = given.rest
    if not rest:
        return EMPTY
    url = rest[0]
    call.act(Deed.FETCH, url.text, origin([url]))
    leaf = url.text.rstrip("/").rpartition("/")[2].rpartition(":")[2].removesuffix(".git")
    folder = rest[1] if len(rest) > 1 else url.saying(leaf or HOLE)
    if any(value.text == "--mirror" for value in words):
        return EMPTY
    call.host.unpack(folder, fetched(call, url.text))
    return EMPTY


HANDLERS: Final[dict[str, Handler]] = {
    "scp": scp, "rsync": rsync, "ssh": ssh, "autossh": ssh, "sftp": ftp, "ftp": ftp, "lftp": ftp,
    "tftp": ftp, "aws": cloud, "gsutil": cloud, "gcloud": cloud, "az": cloud, "rclone": cloud,
    "s3cmd": cloud, "mc": cloud, "gh": github, "git": git,
}  # fmt: skip
