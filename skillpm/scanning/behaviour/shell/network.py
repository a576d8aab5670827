"""Commands that talk to other machines."""

from __future__ import annotations

import re
from typing import Final

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE, Carries, Deed
from skillpm.scanning.behaviour.shell.calls import Call, Handler, Options, options, together
from skillpm.scanning.behaviour.shell.options import FAMILY, VALUED
from skillpm.scanning.behaviour.shell.words import EMPTY, Value, join, origin

TELLING: Final = (
    Carries.SECRET_FILE
    | Carries.ENVIRONMENT
    | Carries.SECRET_VARIABLE
    | Carries.CAPTURED
    | Carries.FILE
    | Carries.FACTS
    | Carries.ENCODED
)
"""What makes an address or header a message."""

_CURL_BODY: Final = ("-d", "--data", "--data-ascii", "--data-binary", "--json", "--expand-data")
_CURL_FORM: Final = ("-F", "--form")
_CURL_HEAD: Final = (
    "-H", "--header", "-A", "--user-agent", "-e", "--referer", "-b", "--cookie", "-u", "--user",
    "--oauth2-bearer", "--url-query",
)  # fmt: skip
_METHODS: Final = frozenset({"POST", "PUT", "PATCH"})
_HTTPIE: Final = regex(r"([\w.\[\]-]{1,80})(:=@|=@|:=|==|=|@|:)(.*)", re.DOTALL)
_ADDRESS: Final = regex(
    r"(?:TCP|UDP|OPENSSL|SSL|SOCKS4A?|PROXY)[46]?(?:-CONNECT)?:([^,\s]+)", re.IGNORECASE
)


def parsed(call: Call) -> Options:
    """The options of a call, by the table for its command."""
    name = FAMILY.get(call.name, call.name)
    return options(call.words[1:], VALUED.get(name, frozenset()))


def fetched(call: Call, url: str) -> Value:
    """What comes back from an address."""
    return Value(HOLE, Carries.NETWORK, frozenset(), (call.hop(f"fetched from {url}"),), f"<{url}>")


def _leaf(url: str) -> str:
    return url.partition("?")[0].partition("#")[0].rstrip("/").rpartition("/")[2]


def _attached(call: Call, value: Value, *, form: bool) -> tuple[Value, bool]:
    """What `@file` or `name=@file` stands for, and whether it is a file."""
    text = value.text
    if form or (text[:1] != "@" and "=" not in text and "@" in text):
        text = text.partition("=" if form else "@")[2]
        text = text if form else "@" + text
    text = text.strip("\"'")
    if text[:1] not in (("@", "<") if form else ("@",)):
        return value, False
    path = value.saying(text[1:].partition(";")[0].strip("\"'"))
    return origin([call.read(path), path], HOLE), True


def curl(call: Call) -> Value:
    """`curl`: what it sends, what it fetches and where it puts that."""
    given = parsed(call)
    body, uploads = [], False
    for name in (*_CURL_BODY, *_CURL_FORM, "--data-urlencode"):
        for value in given.all(name):
            content, is_file = _attached(call, value, form=name in _CURL_FORM)
            body.append(content)
            uploads = uploads or (is_file and name != "-d")
    body += given.all("--data-raw", "--form-string")
    for path in given.all("-T", "--upload-file"):
        body.append(call.given if path.text in ("-", ".") else call.read(path))
        uploads = True
    method = given.first("-X", "--request")
    posts = bool(body) or (method is not None and method.text.upper() in _METHODS)
    how = ["upload"] if uploads else []
    how += ["unverified"] if given.has("-k", "--insecure") else []
    how += ["quiet"] if given.has("-s", "--silent") else []
    heads = given.all(*_CURL_HEAD)
    out = EMPTY
    for url in given.rest + given.all("--url", "--expand-url"):
        address = url.saying(url.text.strip("\"'"))
        _exchange(call, address, together([*body, *heads]), how, posts=posts)
        out = _delivered(call, given, address)
    return out


def _exchange(call: Call, url: Value, load: Value, how: list[str], *, posts: bool) -> None:
    """Notes what goes to an address and what comes back."""
    sent = origin([load, url])
    if posts or sent.carries & TELLING:
        call.act(Deed.SEND, url.text, sent, *how)
    if not posts:
        call.act(Deed.FETCH, url.text, EMPTY, *how)


def _delivered(call: Call, given: Options, url: Value) -> Value:
    """Where `curl` puts the answer."""
    answer = fetched(call, url.text)
    target = given.first("-o", "--output", "--create-file")
    if target is None and given.has("-O", "--remote-name"):
        target = url.saying(_leaf(url.text) or HOLE)
        folder = given.first("--output-dir")
        target = join([folder, Value("/"), target]) if folder else target
    if target is None or target.text in ("-", "/dev/stdout"):
        return answer
    call.write(target, answer)
    return EMPTY


def wget(call: Call) -> Value:
    """`wget`, likewise."""
    given = parsed(call)
    body = given.all("--post-data", "--body-data")
    files = given.all("--post-file", "--body-file")
    body += [call.read(path) for path in files]
    how = ["upload"] if files else []
    how += ["unverified"] if given.has("--no-check-certificate") else []
    how += ["quiet"] if given.has("-q", "--quiet") else []
    out = EMPTY
    for url in given.rest:
        heads = given.all("--header", "-U", "--user-agent", "--referer", "--user", "--password")
        _exchange(call, url, together([*body, *heads]), how, posts=bool(body))
        target = given.first("-O", "--output-document")
        answer = fetched(call, url.text)
        if target is not None and target.text in ("-", "/dev/stdout"):
            out = answer
        elif not given.has("--spider"):
            call.write(target or _saved(given, url), answer)
    return out


def _saved(given: Options, url: Value) -> Value:
    leaf = url.saying(_leaf(url.text) or "index.html")
    folder = given.first("-P", "--directory-prefix")
    return join([folder, Value("/"), leaf]) if folder else leaf


def httpie(call: Call) -> Value:
    """`http`, `https`, `xh`: `name=value`, `name=@file`, `name@file`, `Header:value`."""
    given = parsed(call)
    rest = given.rest
    method = rest[0].text if rest and rest[0].text.isupper() else ""
    rest = rest[1:] if method else rest
    if not rest:
        return EMPTY
    url, load, posts, uploads = rest[0], [], method in _METHODS, False
    for item in rest[1:]:
        found = _HTTPIE.match(item.text)
        if not found:
            continue
        if "@" in found[2]:
            load.append(call.read(item.saying(found[3])))
            uploads = True
        else:
            load.append(item)
        posts = posts or found[2] not in (":", "==")
    if call.stdin:
        load.append(call.stdin)
        posts = True
    load += given.all("-a", "--auth")
    _exchange(call, url, together(load), ["upload"] if uploads else [], posts=posts)
    return _delivered(call, given, url)


def netcat(call: Call) -> Value:
    """`nc`, `ncat`, `netcat`, `telnet`."""
    given = parsed(call)
    rest = given.rest
    host = rest[0].text if rest else ""
    port = rest[1].text if len(rest) > 1 else ""
    if given.has("-l", "--listen"):
        listens = given.first("-p")
        port = listens.text if listens else (rest[-1].text if rest else "")
        host = "0.0.0.0"  # noqa: S104
    peer = f"{host}:{port}" if port else host
    program = given.first("-e", "-c", "--exec", "--sh-exec")
    if given.has("-l", "--listen"):
        call.act(Deed.LISTEN, peer)
    if program:
        call.act(Deed.REWIRE, peer, program)
    if program or given.has("-z"):
        return EMPTY
    return _connected(call, peer, together(rest), talks=not given.has("-l"))


def _connected(call: Call, peer: str, address: Value, *, talks: bool = True) -> Value:
    """A connection that the input goes into and the output comes from."""
    if not peer:
        return EMPTY
    sent = origin([call.given, address])
    if call.stdin is not None and talks:
        call.act(Deed.SEND, peer, sent)
    elif talks:
        call.act(Deed.FETCH, peer)
    answer = fetched(call, peer)
    return answer.carrying(Carries.SOCKET)


def socat(call: Call) -> Value:
    """`socat`: two addresses tied to each other."""
    rest = parsed(call).rest
    text = " ".join(value.text for value in rest)
    upper = text.upper()
    found = _ADDRESS.search(text)
    peer = found[1] if found else ""
    if "LISTEN" in upper:
        listening = re.search(r"LISTEN:([^,\s]+)", text, re.IGNORECASE)
        peer = f"0.0.0.0:{listening[1]}" if listening else "0.0.0.0"  # noqa: S104
        call.act(Deed.LISTEN, peer)
    if ("EXEC:" in upper or "SYSTEM:" in upper or "SHELL:" in upper) and peer:
        call.act(Deed.REWIRE, peer, together(rest))
        return EMPTY
    return _connected(call, peer, together(rest), talks="LISTEN" not in upper)


def openssl_client(call: Call) -> Value:
    """`openssl s_client -connect host:port`."""
    given = options(call.words[2:], VALUED["openssl"], dashed=True)
    peer = given.first("-connect", "-host") or (given.rest[0] if given.rest else EMPTY)
    if call.stdin is not None and not call.given.text and not call.given.carries:
        call.act(Deed.FETCH, peer.text)
        return fetched(call, peer.text)
    return _connected(call, peer.text, peer)


def lookup(call: Call) -> Value:
    """`dig`, `nslookup`, `host`: the name that is asked for."""
    for name in parsed(call).rest:
        text = name.text
        if text[:1] in ("@", "+") or (text.isupper() and len(text) < 7) or not text:
            continue
        call.act(Deed.SEND, text, name, "lookup")
        break
    return Value(HOLE)


def ping(call: Call) -> Value:
    """`ping host`, also with data in its padding."""
    given = parsed(call)
    load = together(given.all("-p", "-e", "--data", "--file"))
    for host in given.rest[-1:]:
        call.act(Deed.SEND, host.text, origin([load, host]), "lookup")
    return EMPTY


def mail(call: Call) -> Value:
    """`mail`, `mutt`, `sendmail`, `swaks`: the message, attachments and addresses."""
    given = parsed(call)
    load = [call.given, *given.all("-s", "--body", "--header", "-u", "-m")]
    load += [call.read(path) for path in given.all("-a", "-A", "--attach") if path.text]
    to = [value.text for value in [*given.rest, *given.all("--to", "-c", "-b")]]
    call.act(Deed.SEND, " ".join(to), together(load), "mail")
    return EMPTY


HANDLERS: Final[dict[str, Handler]] = {
    "curl": curl, "wget": wget, "wget2": wget, "http": httpie, "https": httpie, "xh": httpie,
    "nc": netcat, "ncat": netcat, "netcat": netcat, "nc.openbsd": netcat,
    "nc.traditional": netcat, "telnet": netcat, "socat": socat, "dig": lookup,
    "nslookup": lookup, "host": lookup, "drill": lookup, "ping": ping, "ping6": ping,
    "hping3": ping, "mail": mail, "mailx": mail, "mutt": mail, "sendmail": mail, "swaks": mail,
    "msmtp": mail, "sendemail": mail, "s-nail": mail,
}  # fmt: skip
