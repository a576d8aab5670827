"""Calls that reach the network: who is written to, what is fetched, who may connect."""

from __future__ import annotations

from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, Deed
from skillpm.scanning.behaviour.python.effects import (
    RECEIVER,
    Row,
    Special,
    aimed,
    calls,
    keys,
    rows,
    send,
    targets_of,
    write_file,
)
from skillpm.scanning.behaviour.python.machine import Call, Machine
from skillpm.scanning.behaviour.python.names import result_of
from skillpm.scanning.behaviour.python.values import (
    FACTS,
    NETWORK,
    NOTHING,
    PRIVATE,
    SOCKET,
    Link,
    Value,
    both,
    flow_of,
    known,
    text,
    texts,
)

_URL: Final = keys("0 url")
_SECOND_URL: Final = keys("1 url")
_MAIL: Final = frozenset({"mail"})
_UPLOAD: Final = frozenset({"upload"})
_THERE: Final = (RECEIVER,)


def _fetch(target: tuple[int | str, ...] = _URL) -> Row:
    return Row(Deed.FETCH, target, gives=NETWORK, words="from the network")


def _send(
    target: tuple[int | str, ...] = _URL, how: frozenset[str] = frozenset(), says: str = ""
) -> Row:
    return Row(Deed.SEND, target, says, gives=NETWORK, how=how, words="from the network")


def _upload(target: tuple[int | str, ...], files: str = "", says: str = "") -> Row:
    return Row(Deed.SEND, target, says, keys(files), NETWORK, how=_UPLOAD)


NETWORK_ROWS: Final[dict[str, Row]] = {
    **rows(
        "requests.{get,head,options,delete} httpx.{get,head,options,delete} "
        "aiohttp.{get,head,delete,ws_connect} urllib.request.urlopen "
        "urllib.request.OpenerDirector().open wget.download "
        "grequests.get feedparser.parse pandas.read_html "
        "webbrowser.{open,open_new,open_new_tab} trafilatura.fetch_url treq.get "
        "mechanize.urlopen pycurl.Curl().perform gdown.download asks.get",
        _fetch(),
    ),
    **rows(
        "requests.{post,put,patch} httpx.{post,put,patch} aiohttp.{post,put,patch} "
        "grequests.post treq.post asks.post discord_webhook.DiscordWebhook "
        "discord.SyncWebhook.from_url discord.Webhook.from_url apprise.Apprise().add",
        _send(),
    ),
    **rows(
        "requests.request httpx.request httpx.stream aiohttp.request "
        "urllib3.{request,request_encode_url,request_encode_body,urlopen}",
        _fetch(_SECOND_URL),
    ),
    **rows("http.client.HTTPConnection().request http.client.HTTPConnection().send", _send(_THERE)),
    **rows(
        "http.client.HTTPConnection().getresponse",
        Row(gives=NETWORK, words="from the network"),
    ),
    **rows(
        "smtplib.SMTP().sendmail smtplib.SMTP().send_message yagmail.SMTP().send",
        _send(_THERE, _MAIL),
    ),
    **rows("ftplib.FTP().storbinary ftplib.FTP().storlines", _upload(_THERE)),
    **rows(
        "ftplib.FTP().retrbinary ftplib.FTP().retrlines poplib.POP3().retr imaplib.IMAP4().fetch",
        _fetch(_THERE),
    ),
    **rows(
        "paramiko.SSHClient().open_sftp().put scp.SCPClient().put pysftp.Connection().put "
        "fabric.Connection().put",
        _upload(_THERE, "0 localpath"),
    ),
    **rows("paramiko.SSHClient().open_sftp().putfo scp.SCPClient().putfo", _upload(_THERE)),
    **rows(
        "paramiko.SSHClient().exec_command fabric.Connection().run",
        Row(Deed.SEND, _THERE, gives=NETWORK, words="from another machine"),
    ),
    **rows("boto3.client().upload_file", _upload(keys("1 Bucket"), "0 Filename", "s3://")),
    **rows("boto3.client().upload_fileobj", _upload(keys("1 Bucket"), says="s3://")),
    **rows("boto3.client().put_object", _upload(keys("Bucket"), says="s3://")),
    **rows("boto3.client().download_file boto3.client().get_object", _fetch(keys("0 Bucket"))),
    **rows("boto3.client().{send_email,publish,send_message}", _send((), _MAIL, "amazonaws.com")),
    **rows("minio.Minio().fput_object", _upload(keys("0"), "2 file_path", "s3://")),
    **rows(
        "telegram.Bot().send_message telegram.Bot().send_document "
        "telebot.TeleBot().{send_message,send_document,send_photo} telegram.Bot().send_photo "
        "aiogram.Bot().send_message aiogram.Bot().send_document",
        _send((), says="api.telegram.org"),
    ),
    **rows(
        "slack_sdk.WebClient().{chat_postMessage,files_upload,files_upload_v2} "
        "slack.WebClient().chat_postMessage",
        _send((), says="slack.com"),
    ),
    **rows(
        "websocket.WebSocket().send websocket.WebSocket().send_json aiohttp.ws_connect().send_str",
        _send(_THERE),
    ),
    **rows(
        "websocket.WebSocket().recv aiohttp.ws_connect().receive websocket.WebSocket().recv_data",
        _fetch(_THERE),
    ),
    **rows("paho.mqtt.publish.single", Row(Deed.SEND, keys("hostname"))),
    **rows(
        "http.server.HTTPServer http.server.ThreadingHTTPServer "
        "socketserver.{TCPServer,ThreadingTCPServer,UDPServer} xmlrpc.server.SimpleXMLRPCServer "
        "http.server.test",
        Row(Deed.LISTEN, keys("0 server_address")),
    ),
}

METHOD_ROWS: Final[dict[str, Row]] = {
    **rows("upload_from_filename", _upload((), "0 filename", "storage.googleapis.com")),
    **rows("upload_from_string upload_from_file", _upload((), says="storage.googleapis.com")),
    **rows("upload_blob", _upload((), says="blob.core.windows.net")),
    **rows("upload_file", _upload((), "0 path_or_fileobj Filename path")),
    **rows("sendall", _send(_THERE)),
}
"""Methods whose name says enough, whatever their object is."""

_LISTENERS: Final[dict[str, tuple[str, str]]] = {
    "flask.Flask().run": ("0 host", "1 port"),
    "quart.Quart().run": ("0 host", "1 port"),
    "bottle.run": ("host", "port"),
    "bottle.Bottle().run": ("host", "port"),
    "uvicorn.run": ("host", "port"),
    "waitress.serve": ("host", "port"),
    "hypercorn.run": ("host", "port"),
    "aiohttp.web.run_app": ("host", "port"),
    "asyncio.start_server": ("1 host", "2 port"),
    "websockets.serve": ("1 host", "2 port"),
    "websockets.sync.server.serve": ("1 host", "2 port"),
    "wsgiref.simple_server.make_server": ("0 host", "1 port"),
    "socketio.run": ("host", "port"),
    "sanic.Sanic().run": ("host", "port"),
}


def _listen(machine: Machine, call: Call) -> Value:
    host, port = (call.argument(*keys(part)) for part in _LISTENERS[call.callee.name])
    shown = [f"{texts(host)[0] if known(host) else 'localhost'}:{one}" for one in texts(port)]
    machine.emit(Deed.LISTEN, call.node, shown)
    return Value(result_of(call.callee.name))


def _socket(machine: Machine, call: Call) -> Value:
    """A new connection: what is sent through it goes to the one that it is connected to later."""
    link = Link()
    if call.positional and call.callee.name != "socket.socket":
        link.peer = _address(call)
    flow = machine.source(call.node, SOCKET, "opens a connection")
    return Value(result_of(call.callee.name), options=(link.peer,), flow=flow, thing=link)


def _address(call: Call) -> str:
    first = call.argument(0, "address", "host")
    if first.items is None and not isinstance(first.const, tuple) and call.has(1, "port"):
        return f"{texts(first)[0]}:{texts(call.argument(1, 'port'))[0]}"
    return targets_of(first)[0]


def _client(_machine: Machine, call: Call) -> Value:
    """A client of one host, given now or when it connects."""
    host = call.argument(0, "host", "hostname", "uri")
    return Value(result_of(call.callee.name), thing=Link(targets_of(host)[0]))


def _opened(machine: Machine, call: Call) -> Value:
    """`asyncio.open_connection`: a reader and a writer."""
    both_ends = _socket(machine, call)
    end = Value(
        "socket.socket()", options=both_ends.options, flow=both_ends.flow, thing=both_ends.thing
    )
    return Value("", flow=end.flow, items=(end, end))


def _connect(_machine: Machine, call: Call) -> Value:
    if isinstance(call.receiver.thing, Link):
        call.receiver.thing.peer = _address(call)
    return Value(flow=call.receiver.flow)


def _peer(call: Call) -> tuple[str, ...]:
    return (call.receiver.thing.peer,) if isinstance(call.receiver.thing, Link) else (HOLE,)


def _socket_send(machine: Machine, call: Call) -> Value:
    to = call.positional[-1] if call.method == "sendto" and len(call.positional) > 1 else None
    where = targets_of(to) if to else _peer(call)
    send(machine, call.node, where, call.flow().but(SOCKET))
    return NOTHING


def _receive(machine: Machine, call: Call) -> Value:
    where = _peer(call)
    machine.emit(Deed.FETCH, call.node, where)
    flow = machine.source(call.node, NETWORK, f"received from {where[0]}")
    one = Value("", flow=flow)
    return Value("", flow=flow, items=(one, one)) if call.method == "recvfrom" else one


def _bind(machine: Machine, call: Call) -> Value:
    machine.emit(Deed.LISTEN, call.node, (_address(call),))
    return NOTHING


def _accept(machine: Machine, call: Call) -> Value:
    flow = machine.source(call.node, SOCKET, "accepts a connection")
    connection = Value("socket.socket()", flow=flow, thing=Link())
    return Value("", flow=flow, items=(connection, NOTHING))


def _handle(_machine: Machine, call: Call) -> Value:
    """A descriptor or file of a connection, or the same connection wrapped."""
    source = call.receiver if isinstance(call.receiver.thing, Link) else call.argument(0, "sock")
    return Value("socket.socket()", options=source.options, flow=source.flow, thing=source.thing)


def _look_up(machine: Machine, call: Call) -> Value:
    """Looks a name up: what is written into the name reaches whoever owns the domain."""
    name = call.argument(0, "host", "qname", "name")
    flow = aimed(name.flow)
    data = flow.labels & PRIVATE
    if data and (data & ~FACTS or any("." in option for option in name.options)):
        send(machine, call.node, texts(name), flow, frozenset({"lookup"}))
    if call.callee.name.startswith("dns."):
        machine.emit(Deed.FETCH, call.node, texts(name), how=frozenset({"lookup"}))
        return Value(flow=machine.source(call.node, NETWORK, "looked up"))
    return NOTHING


def _retrieve(machine: Machine, call: Call) -> Value:
    """Fetches straight into a file."""
    url, path = call.argument(0, "url"), call.argument(1, "filename", "out")
    where = texts(url)
    machine.emit(Deed.FETCH, call.node, where, aimed(url.flow))
    flow = machine.source(call.node, NETWORK, f"from {where[0]}")
    if known(path) or call.has(1, "filename"):
        write_file(machine, call.node, path, flow)
    return Value("", options=path.options, flow=flow, items=(text(*path.options), NOTHING))


def _request(_machine: Machine, call: Call) -> Value:
    """A request that is made up now and sent later."""
    url = (
        call.argument(1, "url")
        if call.callee.name.startswith("requests")
        else call.argument(0, "url")
    )
    flow = both(call.flow(), flow_of((url,)))
    return Value(result_of(call.callee.name), options=url.options, flow=flow)


NETWORK_CALLS: Final[dict[str, Special]] = {
    **dict.fromkeys(_LISTENERS, _listen),
    **calls(
        "socket.socket socket.create_connection telnetlib.Telnet websocket.create_connection "
        "websockets.connect websockets.sync.client.connect",
        _socket,
    ),
    **calls(
        "http.client.HTTPConnection http.client.HTTPSConnection smtplib.SMTP smtplib.SMTP_SSL "
        "ftplib.FTP ftplib.FTP_TLS paramiko.SSHClient paramiko.client.SSHClient "
        "paramiko.Transport xmlrpc.client.ServerProxy fabric.Connection pysftp.Connection",
        _client,
    ),
    "asyncio.open_connection": _opened,
    **calls(
        "socket.socket().connect socket.socket().connect_ex paramiko.SSHClient().connect "
        "smtplib.SMTP().connect ftplib.FTP().connect",
        _connect,
    ),
    **calls("socket.socket().{send,sendall,sendto,write,writelines}", _socket_send),
    **calls(
        "socket.socket().{recv,recvfrom,read,readline,recv_into,readuntil,read_until}",
        _receive,
    ),
    "socket.socket().bind": _bind,
    "socket.create_server": _bind,
    "socket.socket().accept": _accept,
    **calls(
        "socket.socket().fileno socket.socket().makefile ssl.wrap_socket "
        "ssl.SSLContext().wrap_socket ssl.create_default_context().wrap_socket "
        "socket.socket().dup",
        _handle,
    ),
    **calls(
        "socket.{gethostbyname,gethostbyname_ex,getaddrinfo} dns.resolver.resolve "
        "dns.resolver.query dns.resolver.Resolver().resolve dns.resolver.Resolver().query "
        "dns.asyncresolver.resolve",
        _look_up,
    ),
    "urllib.request.urlretrieve": _retrieve,
    "urllib.request.Request": _request,
    "requests.Request": _request,
    "httpx.Request": _request,
}
