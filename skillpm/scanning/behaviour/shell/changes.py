"""Commands that delete, copy, permit and arrange what is started later."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE, Carries, Deed
from skillpm.scanning.behaviour.paths import is_secret
from skillpm.scanning.behaviour.shell.calls import (
    Call,
    Handler,
    Options,
    options,
    run_later,
    together,
)
from skillpm.scanning.behaviour.shell.network import parsed
from skillpm.scanning.behaviour.shell.options import names
from skillpm.scanning.behaviour.shell.programs import filled, run
from skillpm.scanning.behaviour.shell.tables import GUARDS, PROTECTIONS
from skillpm.scanning.behaviour.shell.transfers import copied
from skillpm.scanning.behaviour.shell.words import EMPTY, FIFO, Value, join, lines, origin

_WORLD: Final = regex(r"(?:^|,)(?:[ao]*[ao]|)[+=][rxst]*w|^[0-7]?[0-7][0-7][2367]$")
_SETS_ID: Final = regex(r"(?:^|,)[ugoa]*[+=][rwxt]*s|^[2-7][0-7]{3}$")
_MODE: Final = regex(r"[ugoa]*[-+=][rwxXstugo]*(?:,[ugoa]*[-+=][rwxXstugo]*)*\Z|[0-7]{3,5}\Z")
_VERB_LAST: Final = names("service update-rc.d chkconfig rc-service")
_STOPS: Final = names("stop disable mask kill remove off unload bootout del delete")
_STARTS: Final = names("enable reenable defaults add on load bootstrap submit link")
_NAMED: Final = names("-name -iname -path -ipath -wholename -regex")
_SLASH: Final = Value("/")
_DISK: Final = regex(r"/dev/(?:sd|hd|nvme|vd|xvd|disk|rdisk|mmcblk|mapper/|dm-|loop)")


def is_disk(path: str) -> bool:
    """Whether a path is a block device."""
    return bool(_DISK.match(path))


def remove(call: Call) -> Value:
    """`rm`, `unlink`, `rmdir`, `shred`, `wipefs`, `truncate`."""
    given = parsed(call)
    how = ["recursive"] if given.has("-r", "-R", "--recursive") else []
    how += ["forced"] if given.has("-f", "--force", "-u", "-a") else []
    how += ["overwrite"] if call.name in ("shred", "wipefs", "truncate", "srm", "wipe") else []
    for path in given.rest:
        call.act(Deed.DELETE, path.text, path, *how)
    return EMPTY


def make_file_system(call: Call) -> Value:
    """`mkfs.*`, `mkswap`, `blkdiscard`."""
    for path in parsed(call).rest[-1:]:
        call.act(Deed.DELETE, path.text, path, "overwrite")
    return EMPTY


def dump(call: Call) -> Value:
    """`dd if=… of=…`."""
    parts = {word.text.partition("=")[0]: word for word in call.words[1:] if "=" in word.text}
    source, target = parts.get("if"), parts.get("of")
    content = call.read(source.saying(source.text[3:])) if source else call.given
    if target is None:
        return content
    path = target.saying(target.text[3:])
    if is_disk(path.text):
        call.act(Deed.DELETE, path.text, content, "overwrite")
    else:
        call.write(path, content)
    return EMPTY


def copy(call: Call) -> Value:
    """`cp`, `mv`, `ln`, `install`: the files that are written, with what was in the others."""
    given = parsed(call)
    folder = given.first("-t", "--target-directory")
    paths = given.rest
    if call.name == "install" and given.has("-d", "--directory"):
        return EMPTY
    sources, target = (
        (paths, folder) if folder else (paths[:-1], paths[-1] if len(paths) > 1 else None)
    )
    if target is None:
        return EMPTY
    if call.name == "mv" and target.text == "/dev/null":
        for path in sources:
            call.act(Deed.DELETE, path.text, path, "forced")
        return EMPTY
    recursive = given.has("-r", "-R", "-a", "--recursive", "--archive")
    for source in sources:
        content = _content(call, source, recursive=recursive)
        call.write(_inside(target, source, many=len(sources) > 1 or bool(folder)), content)
    return EMPTY


def _content(call: Call, source: Value, *, recursive: bool) -> Value:
    if call.name == "ln":
        stored = call.host.stored(source)
        secret = Carries.SECRET_FILE if is_secret(source.text) else Carries.FILE
        return stored or Value(HOLE, secret, frozenset(), (call.hop(f"linked to {source.text}"),))
    if call.name == "mv":
        return call.host.stored(source) or call.read(source)
    return copied(call, source) if recursive else call.read(source)


def _inside(target: Value, source: Value, *, many: bool) -> Value:
    """The file in a folder that a copy becomes."""
    if not (many or target.text.endswith("/") or target.text == "."):
        return target
    leaf = source.saying(source.text.rstrip("/").rpartition("/")[2])
    whole = join([target.saying(target.text.rstrip("/")), Value("/"), leaf])
    return whole._replace(key=f"{target.key.rstrip('/')}/{leaf.text}") if target.key else whole


def mode(call: Call) -> Value:
    """`chmod`, `chown`, `chattr`, `setfacl`, `setcap`."""
    words = [
        word for word in call.words[1:] if word.text not in ("-R", "-v", "-f", "-h", "--recursive")
    ]
    changed = next((word for word in words if _MODE.match(word.text)), EMPTY)
    given = Options(rest=[word for word in words if word is not changed and word.text[:1] != "-"])
    paths = given.rest if call.name == "chmod" else given.rest[1:] or given.rest
    how = ["recursive"] if any(word.text in ("-R", "--recursive") for word in call.words) else []
    if call.name == "chmod":
        how += ["world"] if _WORLD.search(changed.text) else []
        how += ["privileged"] if _SETS_ID.search(changed.text) else []
        how += ["executable"] if re.search(r"\+\w*x|[1357]", changed.text) else []
    if call.name == "setcap":
        how += ["privileged"]
    for path in paths:
        call.act(Deed.PERMIT, path.text, origin([path, call.host.stored(path) or EMPTY]), *how)
    return EMPTY


def attribute(call: Call) -> Value:
    """`xattr -d com.apple.quarantine`, `xattr -c`."""
    texts = [word.text for word in call.words[1:]]
    flags = "".join(text for text in texts if text[:1] == "-")
    if "d" in flags or "c" in flags:
        target = "quarantine" if "c" in flags or "quarantine" in " ".join(texts) else texts[-1]
        call.act(Deed.PERMIT, target, EMPTY, *(["recursive"] if "r" in flags else []))
    return EMPTY


def protection(call: Call) -> Value:
    """Commands that may switch a protection off; else programs."""
    texts = [word.text for word in call.words[1:]]
    for text in [*texts, ""]:
        name = PROTECTIONS.get((call.name, text))
        if name and not (call.name == "auditctl" and text == "-e" and "0" not in texts):
            call.act(Deed.PERMIT, name)
            return EMPTY
    return run(call)


def kill(call: Call) -> Value:
    """`pkill`, `killall`, `kill`: of what guards the machine."""
    for word in call.words[1:]:
        if word.text.lower() in GUARDS or word.text in GUARDS:
            call.act(Deed.PERMIT, word.text)
            return EMPTY
    return run(call)


def group(call: Call) -> Value:
    """`usermod -aG sudo`, `gpasswd -a`, `useradd`."""
    texts = " ".join(word.text for word in call.words[1:])
    found = re.search(r"(?:^|[ ,])(sudo|wheel|docker|admin|root|disk|shadow)(?:[ ,]|$)", texts)
    if found:
        call.act(Deed.PERMIT, found[1], EMPTY, "privileged")
        return EMPTY
    return run(call)


def umask(call: Call) -> Value:
    """`umask 000`."""
    if any(re.fullmatch(r"0{1,4}", word.text) for word in call.words[1:2]):
        call.act(Deed.PERMIT, "umask", EMPTY, "world")
    return EMPTY


def service(call: Call) -> Value:
    """`systemctl`, `service`, `launchctl`, `update-rc.d`, `rc-update`, `chkconfig`."""
    texts = [word.text for word in call.words[1:] if word.text[:1] != "-"]
    verb, names = (texts[:1] or [""])[0], texts[1:]
    if call.name in _VERB_LAST and len(texts) > 1:
        verb, names = texts[1], texts[:1]
    if verb in _STOPS:
        guards = [n.removesuffix(".service") for n in names]
        guards = [name for name in guards if name.lower() in GUARDS]
        for name in guards:
            call.act(Deed.PERMIT, name)
        if guards:
            return EMPTY
    if verb in _STARTS:
        user = any(word.text == "--user" for word in call.words)
        for name in names[-1:] if call.name == "launchctl" else names:
            call.act(Deed.WRITE, _unit(call.name, name, user=user))
        return EMPTY
    return run(call)


def _unit(command: str, name: str, *, user: bool) -> str:
    """Where the description of a service lies."""
    if "/" in name or command == "launchctl":
        return name
    if command == "systemctl":
        folder = "~/.config/systemd/user" if user else "/etc/systemd/system"
        return f"{folder}/{name}"
    return f"/etc/init.d/{name}"


def schedule(call: Call) -> Value:
    """`crontab`, `at`, `batch`: what is run later is played now."""
    given = parsed(call)
    if call.name == "crontab":
        if given.has("-l"):
            return Value(HOLE, Carries.FACTS)
        if given.has("-r"):
            call.act(Deed.DELETE, "crontab")
            return EMPTY
        if not given.rest and call.stdin is None:
            return EMPTY
        path = given.rest[0] if given.rest else Value("-")
        content = call.given if path.text == "-" else call.read(path)
        call.act(Deed.WRITE, "crontab", content)
    else:
        if given.has("-l", "-c", "-r"):
            return EMPTY
        listed = given.first("-f")
        content = call.read(listed) if listed is not None else call.given
        call.act(Deed.WRITE, "/var/spool/cron/at", content)
    later = run_later("/etc/cron", content.text) if call.name == "crontab" else content.text
    call.host.play(content.saying(later), call)
    return EMPTY


def find(call: Call) -> Value:
    """`find`, `fd`: the files found; `-exec` and `-delete` act on them."""
    words = call.words[1:]
    cut = next(
        (at for at, w in enumerate(words) if w.text[:1] == "-" or w.text in ("(", "!")), len(words)
    )
    roots = words[:cut] or [Value(".")]
    given = options(
        words[cut:],
        _NAMED,
        dashed=True,
    )
    named = given.first("-name", "-iname", "-path", "-ipath", "-wholename")
    found = [_found(root, named) for root in roots[:10]]
    texts, printed = [word.text for word in words], list[Value]()
    for number, text in enumerate(texts):
        if text in ("-exec", "-execdir", "-ok", "-okdir"):
            command = _executed(words[number + 1 :])
            for path in found:
                printed.append(
                    call.again([filled(word, "{}", path) for word in command], stdin=EMPTY)
                )
        elif text == "-delete":
            printed.append(EMPTY)
            for root, path in zip(roots, found, strict=False):
                target = path if named else root
                call.act(Deed.DELETE, target.text, target, "recursive")
    if printed:
        return lines(printed)
    listing = join(found, "\n")
    return listing.carrying(Carries.FACTS)


def fifo(call: Call) -> Value:
    """`mkfifo`, `mknod … p`: a file that carries what is written to it to those who read it."""
    for path in parsed(call).rest:
        if path.text not in ("p", "b", "c"):
            call.host.store(path, FIFO)
    return EMPTY


def _found(root: Value, named: Value | None) -> Value:
    leaf, holes = EMPTY, Value(HOLE)
    if named:
        pattern = named.text.rpartition("/")[2]
        bare = pattern.lstrip("*")
        leaf = named.saying(bare if is_secret(bare) else pattern)
    if root.text == "/":
        root = EMPTY
    stem = root.saying(root.text.rstrip("/"))
    return join([stem, Value("/"), holes, Value("/"), leaf] if named else [stem, Value("/"), holes])


def _executed(words: Sequence[Value]) -> Sequence[Value]:
    for number, word in enumerate(words):
        if word.text in (";", "+", "\\;"):
            return words[:number]
    return words


def archive(call: Call) -> Value:
    """`tar`, `zip`, `7z`, `unzip`: packs files, or unpacks them."""
    words = list(call.words[1:])
    if call.name in ("tar", "gtar", "bsdtar") and words and words[0].text[:1] != "-":
        words[0] = words[0].saying("-" + words[0].text)
    inner = Call(call.host, [call.words[0], *words], call.stdin, call.start, call.end, call.how)
    given = parsed(inner)
    for action in given.all("--checkpoint-action", "--to-command", "-I"):
        if "exec=" in action.text:
            call.host.play(action.saying(action.text.partition("exec=")[2]), call)
    packs = given.has("-c", "--create", "-r", "-u") or call.name == "zip"
    if call.name in ("7z", "7za", "7zr", "rar"):
        verb = given.rest[0].text if given.rest else ""
        given.rest = given.rest[1:]
        packs = verb in ("a", "u")
    target = given.first("-f", "--file")
    if target is None and call.name not in ("tar", "gtar", "bsdtar"):
        target = given.rest.pop(0) if given.rest else None
    if packs:
        return _packed(call, given, target)
    source = call.given if target is None or target.text == "-" else call.read(target)
    folder = given.first("-C", "--directory", "-d") or Value(".")
    if given.has("-t", "--list", "-l", "-Z"):
        return Value(HOLE, Carries.FACTS)
    if source.carries & (Carries.NETWORK | Carries.DECODED):
        call.host.unpack(folder, source)
    return origin([source]) if given.has("-O", "--to-stdout", "-p") else EMPTY


def _packed(call: Call, given: Options, target: Value | None) -> Value:
    folder = given.first("-C", "--directory")
    paths = given.rest[:20]
    if folder is not None:
        paths = [p if p.text[:1] in ("/", "~", "$") else join([folder, _SLASH, p]) for p in paths]
    load = together([copied(call, path) for path in paths])
    out = origin([load]).carrying(Carries.ENCODED, call.hop(f"packed by {call.name}"))
    if call.name in ("zip", "7z", "7za", "rar") and given.has("-P", "-e", "--password", "-p"):
        call.act(Deed.ENCRYPT, paths[0].text if paths else "", load)
    if target is None or target.text == "-":
        return out
    if target.text and "." not in target.text.rpartition("/")[2] and call.name == "zip":
        target = target.saying(target.text + ".zip")
    call.write(target, out)
    return EMPTY


def _all(text: str, handler: Handler) -> dict[str, Handler]:
    return dict.fromkeys(names(text), handler)


HANDLERS: Final[dict[str, Handler]] = {
    **_all("rm unlink shred wipefs truncate srm wipe trash", remove),
    **_all("mkfs mkswap blkdiscard newfs", make_file_system),
    **_all("cp mv ln install ditto link", copy),
    **_all("chmod chown chgrp chattr setfacl setcap chflags", mode),
    **dict.fromkeys({name for name, _ in PROTECTIONS}, protection),
    **_all("pkill killall kill", kill),
    **_all("usermod gpasswd useradd adduser", group),
    **_all("systemctl service launchctl update-rc.d rc-update chkconfig rc-service", service),
    **_all("tar gtar bsdtar zip unzip 7z 7za 7zr rar unrar", archive),
    **_all("mkfifo mknod", fifo),
    **_all("crontab at batch", schedule),
    **_all("find gfind", find),
    "dd": dump,
    "xattr": attribute,
    "umask": umask,
}
