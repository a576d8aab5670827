"""Functions that talk to other machines."""

from __future__ import annotations

from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, Carries, Deed
from skillpm.scanning.behaviour.javascript.calls import Call, Handler
from skillpm.scanning.behaviour.javascript.folding import option
from skillpm.scanning.behaviour.javascript.things import (
    CALLABLE,
    Instance,
    Items,
    Number,
    Record,
    Thing,
    text_of,
)
from skillpm.scanning.behaviour.shell.network import TELLING
from skillpm.scanning.behaviour.shell.words import EMPTY, UNKNOWN, Value, join, origin

_POSTS: Final = frozenset({"POST", "PUT", "PATCH"})
_BODIES: Final = ("body", "data", "json", "form", "multipart", "formData", "payload")
_HEADS: Final = ("headers", "auth", "params", "searchParams", "query", "qs", "username", "token")


def _address(call: Call, thing: Thing | None) -> Value:
    """The address that a text or an options object stands for."""
    if isinstance(thing, Record):
        for name in ("url", "uri", "href"):
            if name in thing.fields:
                base = thing.fields.get("baseURL")
                path = call.host.flow(thing.fields[name])
                return path if base is None else join([call.host.flow(base), path])
        host = thing.fields.get("hostname") or thing.fields.get("host")
        if host is None:
            return UNKNOWN
        parts = [Value("https://"), call.host.flow(host)]
        port, path_part = thing.fields.get("port"), thing.fields.get("path")
        parts += [Value(":"), call.host.flow(port)] if port is not None else []
        parts += [call.host.flow(path_part)] if path_part is not None else []
        return join(parts)
    return EMPTY if thing is None else call.host.flow(thing)


def _load(call: Call, names: tuple[str, ...]) -> list[Value]:
    found = []
    for thing in call.arguments:
        for name in names:
            field = option(thing, name)
            if field is not None:
                found.append(call.host.flow(field))
    return found


def exchange(call: Call, url: Value, body: list[Value], *, posts: bool) -> Value:
    """Notes what goes to an address; what comes back."""
    sent = origin([*body, *_load(call, _HEADS), url], "")
    posts = posts or any(value.text or value.carries for value in body)
    if posts or sent.carries & TELLING:
        call.act(Deed.SEND, url.text, sent)
    if not posts:
        call.act(Deed.FETCH, url.text)
    return call.fetched(url.text)


def fetch(call: Call) -> Thing:
    """`fetch`, `axios`, `got`, `request`, `$.ajax`: with an options object."""
    url = _address(call, call.thing(0))
    if not url.text:
        return UNKNOWN
    method = (text_of(call.option("method")) or text_of(call.option("type"))).upper()
    answer = exchange(call, url, _load(call, _BODIES), posts=method in _POSTS)
    call.callback(UNKNOWN, answer, answer)
    return answer


def asked(call: Call) -> Thing:
    """`axios.get(url, options)`, `$.get`."""
    return fetch(call)


def posted(call: Call) -> Thing:
    """`axios.post(url, data, options)`, `$.post`."""
    url = _address(call, call.thing(0))
    if not url.text:
        return UNKNOWN
    second = call.thing(1)
    body = _load(call, _BODIES)
    if (
        second is not None
        and not isinstance(second, CALLABLE)
        and (not body or "axios" in call.name)
    ):
        body.append(call.host.flow(second))
    answer = exchange(call, url, body, posts=True)
    call.callback(UNKNOWN, answer, answer)
    return answer


def requested(call: Call) -> Thing:
    """`http.request(options, f)`, `http.get`: the body may be written later."""
    url = _address(call, call.thing(0))
    if isinstance(call.thing(1), Record) and not url.text:
        url = _address(call, call.thing(1))
    method = text_of(call.option("method")).upper()
    answer = exchange(call, url, [], posts=method in _POSTS)
    call.callback(answer)
    return Instance("request", url, {"answer": answer})


def written(call: Call) -> Thing:
    """`request.write(data)`, `socket.end(data)`, `webSocket.send(data)`."""
    target = call.this if isinstance(call.this, Instance) else call.thing(1)
    value = call.value(0)
    if not isinstance(target, Instance) or not (value.text or value.carries):
        return target or UNKNOWN
    peer = target.value.text if target.kind != "socket" else text_of(target.fields.get("peer"))
    if call.leaf == "emit" and "io" not in target.fields:
        return target
    call.act(
        Deed.SEND, peer or HOLE, origin([value, target.value.saying("")._replace(trail=())], "")
    )
    return target


def heard(call: Call) -> Thing:
    """`request.on('response', f)`, `socket.on('data', f)`."""
    target = call.this
    if isinstance(target, Instance):
        given = target.fields.get("answer", target.value)
        call.callback(given)
    return target or UNKNOWN


def socket(call: Call) -> Thing:
    """`net.connect(port, host)`, `new net.Socket().connect(…)`, `new WebSocket(url)`."""
    first, second = call.thing(0), call.thing(1)
    if isinstance(first, Record):
        host = text_of(first.fields.get("host")) or text_of(first.fields.get("hostname"))
        peer = f"{host}:{text_of(first.fields.get('port'))}".strip(":")
    elif call.name in ("new WebSocket", "new ws", "new ws.WebSocket", "new EventSource", "io"):
        peer = call.value(0).text
    else:
        port = text_of(first)
        host = text_of(second) or ("localhost" if isinstance(first, Number) else "")
        peer = f"{host}:{port}".strip(":")
    call.act(Deed.FETCH, peer)
    made = call.this if isinstance(call.this, Instance) and call.this.kind == "socket" else None
    made = made or Instance("socket")
    made.value = call.fetched(peer).carrying(Carries.SOCKET)
    made.fields["peer"] = Value(peer)
    if call.name == "io":
        made.fields["io"] = made.value
    for thing in call.arguments:
        if isinstance(thing, CALLABLE):
            call.host.apply(thing, [])
    return made


def unconnected(_call: Call) -> Thing:
    """`new net.Socket()`."""
    return Instance("socket")


def server(call: Call) -> Thing:
    """`net.createServer(f)`, `http.createServer(f)`, `express()`."""
    if call.name.startswith("net."):
        peer = Instance("socket", call.fetched("a client").carrying(Carries.SOCKET))
        peer.fields["peer"] = Value("a client")
        call.callback(peer)
    elif call.arguments:
        asking = Value(HOLE, Carries.INPUT)
        call.callback(asking, UNKNOWN)
    return Instance("server")


def listen(call: Call) -> Thing:
    """`server.listen(port, host)`, `Deno.serve`, `Bun.serve`."""
    port = text_of(call.thing(0)) or text_of(call.option("port"))
    host = text_of(call.thing(1)) or text_of(call.option("hostname")) or "0.0.0.0"  # noqa: S104
    call.act(Deed.LISTEN, f"{host}:{port or HOLE}")
    call.callback()
    return call.this or UNKNOWN


def xhr(_call: Call) -> Thing:
    """`new XMLHttpRequest()`."""
    return Instance("xhr", EMPTY)


def xhr_open(call: Call) -> Thing:
    """`xhr.open(method, url)`."""
    if isinstance(call.this, Instance):
        call.this.value = call.value(1)
        call.this.fields["method"] = call.thing(0) or EMPTY
        call.this.fields["answer"] = call.fetched(call.value(1).text)
    return UNKNOWN


def xhr_send(call: Call) -> Thing:
    """`xhr.send(data)`."""
    if isinstance(call.this, Instance):
        method = text_of(call.this.fields.get("method")).upper()
        answer = exchange(call, call.this.value, [call.value(0)], posts=method in _POSTS)
        call.this.fields.update(dict.fromkeys(("response", "responseText"), answer))
        for name in ("onload", "onreadystatechange"):
            function = call.this.fields.get(name)
            if isinstance(function, CALLABLE):
                call.host.apply(function, [answer], call.this)
    return UNKNOWN


def xhr_heard(call: Call) -> Thing:
    """`xhr.onload = f`, `xhr.addEventListener('load', f)`."""
    target, function = call.this, call.arguments[-1] if call.arguments else UNKNOWN
    if isinstance(target, Instance) and isinstance(function, CALLABLE):
        answer = target.fields.get("answer", UNKNOWN)
        target.fields.update(dict.fromkeys(("response", "responseText"), answer))
        call.host.apply(function, [answer], target)
    return UNKNOWN


def beacon(call: Call) -> Thing:
    """`navigator.sendBeacon(url, data)`."""
    exchange(call, call.value(0), [call.value(1)], posts=True)
    return UNKNOWN


def gone(call: Call) -> Thing:
    """`location.href = url`, `window.open(url)`: a message when data is in it."""
    url = call.value(0)
    if url.carries & TELLING:
        call.act(Deed.SEND, url.text, url)
    return UNKNOWN


def looked_up(call: Call) -> Thing:
    """`dns.lookup(name)`, `dns.resolve`."""
    name = call.value(0)
    if name.text:
        call.act(Deed.SEND, name.text, name, "lookup")
    call.callback(UNKNOWN, UNKNOWN)
    return UNKNOWN


def datagram(call: Call) -> Thing:
    """`socket.send(data, port, host)` of `dgram`."""
    peer = ":".join(text_of(thing) for thing in reversed(call.arguments[-3:]) if text_of(thing))
    call.act(Deed.SEND, peer, call.value(0))
    return UNKNOWN


def mailer(_call: Call) -> Thing:
    """`nodemailer.createTransport(…)`."""
    return Instance("mailer")


def mail(call: Call) -> Thing:
    """`transport.sendMail({ to, text, attachments })`."""
    to = call.option("to")
    attached = call.option("attachments")
    files = [option(item, "path") for item in attached.items] if isinstance(attached, Items) else []
    read = [call.read(call.host.flow(path)) for path in files if path is not None]
    load = _load(call, ("text", "html", "subject", "attachments"))
    call.act(
        Deed.SEND, "" if to is None else call.host.flow(to).text, origin([*load, *read], ""), "mail"
    )
    return UNKNOWN


def uploaded(call: Call) -> Thing:
    """`new PutObjectCommand({ Bucket, Body })`, `s3.upload`."""
    body = call.option("Body")
    if body is None:
        return UNKNOWN
    bucket = text_of(call.option("Bucket")) or HOLE
    call.act(Deed.SEND, f"s3://{bucket}", call.host.flow(body), "upload")
    return UNKNOWN


def form(_call: Call) -> Thing:
    """`new FormData()`: what is appended flows on."""
    return Items()


def client(call: Call) -> Thing:
    """`axios.create(options)`: the library itself."""
    return _CLIENTS.get(call.name, UNKNOWN)


def _all(handler: Handler, *names: str) -> dict[str, Handler]:
    return dict.fromkeys(names, handler)


_CLIENTS: Final[dict[str, Thing]] = {}
_LIBRARIES: Final = ("axios", "got", "request", "needle", "superagent", "ky", "phin", "$", "ofetch")

HANDLERS: Final[dict[str, Handler]] = {
    **_all(fetch, "fetch", *_LIBRARIES, "axios.request", "$.ajax", "undici.request", "$.getJSON"),
    **_all(fetch, "Bun.fetch", "make-fetch-happen", "$fetch", "$.getScript", "wretch"),
    **{f"{name}.{verb}": asked for name in _LIBRARIES for verb in ("get", "head", "stream")},
    **{f"{name}.{verb}": posted for name in _LIBRARIES for verb in ("post", "put", "patch")},
    **_all(requested, "http.request", "http.get"),
    **_all(written, "<request>.write", "<request>.end", "<socket>.write", "<socket>.end"),
    **_all(written, "<socket>.send", "<socket>.emit"),
    **_all(heard, "<request>.on", "<socket>.on", "<request>.once", "<socket>.once"),
    **_all(heard, "<socket>.addEventListener", "<socket>.onmessage=", "<socket>.addListener"),
    **_all(socket, "net.connect", "net.createConnection", "tls.connect", "<socket>.connect"),
    **_all(socket, "new WebSocket", "new ws", "new ws.WebSocket", "new EventSource", "io"),
    **_all(socket, "Deno.connect", "Bun.connect", "Deno.connectTls"),
    **_all(unconnected, "new net.Socket", "net.Socket"),
    **_all(server, "net.createServer", "http.createServer", "express", "tls.createServer"),
    **_all(server, "fastify", "new Koa", "new http.Server"),
    **_all(listen, "<server>.listen", "Deno.serve", "Bun.serve", "Deno.listen"),
    **_all(gone, "window.open", "open=", "location.assign", "location.replace", "location.href="),
    **_all(gone, "location=", "<element>.src=", "<element>.href=", "open"),
    **_all(looked_up, "dns.lookup", "dns.resolve", "dns.resolve4", "dns.resolveTxt"),
    **_all(looked_up, "dns.resolve6", "dns.resolveAny", "dns.resolveCname", "Deno.resolveDns"),
    **_all(uploaded, "new PutObjectCommand", "new @aws-sdk/client-s3.PutObjectCommand"),
    **_all(uploaded, "new Upload"),
    **_all(form, "new FormData", "new form-data"),
    "dgram.createSocket": lambda _: Instance("datagram"),
    "<datagram>.send": datagram,
    "new XMLHttpRequest": xhr,
    "<xhr>.open": xhr_open,
    "<xhr>.send": xhr_send,
    **_all(xhr_heard, "<xhr>.onload=", "<xhr>.onreadystatechange=", "<xhr>.addEventListener"),
    "navigator.sendBeacon": beacon,
    "nodemailer.createTransport": mailer,
    "<mailer>.sendMail": mail,
    "<mailer>.send": mail,
}
