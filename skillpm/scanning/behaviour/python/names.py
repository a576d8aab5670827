"""Names: one for each thing that goes by several, and what a name tells."""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Mapping
from typing import Final

from skillpm.model.regex import regex

PATH: Final = "pathlib.Path()"
ENVIRON: Final = "os.environ"

_MODULES: Final = {
    "posix": "os",
    "nt": "os",
    "posixpath": "os.path",
    "ntpath": "os.path",
    "__builtin__": "builtins",
    "__builtins__": "builtins",
    "requests.api": "requests",
    "requests.sessions": "requests",
    "curl_cffi.requests": "requests",
    "requests_html": "requests",
    "cloudscraper": "requests",
    "urllib2": "urllib.request",
    "urllib.urlopen": "urllib.request.urlopen",
    "urllib.urlretrieve": "urllib.request.urlretrieve",
    "urllib.urlencode": "urllib.parse.urlencode",
    "httplib": "http.client",
    "cPickle": "pickle",
    "_pickle": "pickle",
    "commands": "subprocess",
    "_winreg": "winreg",
    "_socket": "socket",
    "_thread.start_new_thread": "threading.Thread",
    "ConfigParser": "configparser",
    "Cryptodome": "Crypto",
    "subprocess32": "subprocess",
    "builtins.unicode": "builtins.str",
    "builtins.xrange": "builtins.range",
    "builtins.raw_input": "builtins.input",
    "builtins.unichr": "builtins.chr",
    "builtins.file": "builtins.open",
    "builtins.execfile": "runpy.run_path",
    "builtins.reload": "importlib.reload",
    "io.open": "builtins.open",
    "_io.open": "builtins.open",
    "codecs.open": "builtins.open",
    "aiofiles.open": "builtins.open",
    "tokenize.open": "builtins.open",
    "gzip.open": "builtins.open",
    "bz2.open": "builtins.open",
    "lzma.open": "builtins.open",
    "os.getenvb": "os.getenv",
    "os.environb": ENVIRON,
    "decouple.config": "os.getenv",
    "dotenv.get_key": "dotenv.dotenv_values",
    "pathlib.PurePath": "pathlib.Path",
    "pathlib.PosixPath": "pathlib.Path",
    "pathlib.WindowsPath": "pathlib.Path",
    "pathlib.PurePosixPath": "pathlib.Path",
    "pathlib.PureWindowsPath": "pathlib.Path",
    "path.Path": "pathlib.Path",
    "anyio.Path": "pathlib.Path",
    "imp.load_source": "importlib.machinery.SourceFileLoader",
}
_OBJECTS: Final = {
    "pathlib.Path.home()": PATH,
    "pathlib.Path.cwd()": PATH,
    "requests.Session()": "requests",
    "requests.session()": "requests",
    "requests.HTMLSession()": "requests",
    "requests.create_scraper()": "requests",
    "requests.AsyncSession()": "requests",
    "httpx.Client()": "httpx",
    "httpx.AsyncClient()": "httpx",
    "aiohttp.ClientSession()": "aiohttp",
    "aiohttp.client.ClientSession()": "aiohttp",
    "urllib3.PoolManager()": "urllib3",
    "urllib3.ProxyManager()": "urllib3",
    "urllib3.HTTPSConnectionPool()": "urllib3",
    "urllib.request.build_opener()": "urllib.request.OpenerDirector()",
    "http.client.HTTPSConnection()": "http.client.HTTPConnection()",
    "socket.create_connection()": "socket.socket()",
    "smtplib.SMTP_SSL()": "smtplib.SMTP()",
    "ftplib.FTP_TLS()": "ftplib.FTP()",
    "telnetlib.Telnet()": "socket.socket()",
    "websocket.create_connection()": "websocket.WebSocket()",
    "websockets.connect()": "websocket.WebSocket()",
    "websockets.sync.client.connect()": "websocket.WebSocket()",
    "paramiko.Transport()": "paramiko.SSHClient()",
    "paramiko.client.SSHClient()": "paramiko.SSHClient()",
    "paramiko.SFTPClient.from_transport()": "paramiko.SSHClient().open_sftp()",
    "boto3.resource()": "boto3.client()",
    "boto3.Session().client()": "boto3.client()",
    "boto3.session.Session().client()": "boto3.client()",
    "concurrent.futures.ThreadPoolExecutor()": "concurrent.futures.Executor()",
    "concurrent.futures.ProcessPoolExecutor()": "concurrent.futures.Executor()",
    "importlib.import_module()": "",
    "builtins.getattr()": "",
}
ROOTS: Final = frozenset(
    {"os", "sys", "subprocess", "socket", "requests", "httpx", "urllib", "shutil", "base64", "json",
     "pathlib", "pickle", "builtins", "importlib", "ctypes", "pty", "zlib", "codecs", "marshal",
     "boto3", "paramiko", "smtplib", "aiohttp", "tempfile", "glob", "platform", "getpass"}
)  # fmt: skip
"""Modules that a piece of a document uses without importing them."""

BUILTINS: Final = frozenset(vars(builtins)) | {
    *("__builtins__", "unicode", "raw_input", "xrange", "unichr", "execfile", "file", "reload")
}


def canonical(name: str) -> str:
    """The one name of a module or function."""
    return _MODULES.get(name, name)


def result_of(name: str) -> str:
    """The name of what a call gives."""
    if not name or len(name) > 120:
        return ""
    made = name + "()"
    return _OBJECTS.get(made, made)


_SECRET_WORD: Final = regex(
    r"SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|MNEMONIC|SEED_?PHRASE|COOKIE"
    r"|(?:PRIVATE|API|ACCESS)_?KEY|TOKEN(?!I[ZS]|S(?:_|$|IZ))"
    r"|(?:^|_)(?:KEYS?|PASS|PAT|SESSION|AUTH|TOKENS|CREDS?)(?:_|$)"
)
_OPEN_WORD: Final = regex(
    r"PUBLIC_?KEY|XDG_|DESKTOP_SESSION|SESSION_MANAGER|_SESSION_(?:TYPE|CLASS)|SSH_AUTH_SOCK"
    r"|(?:MAX|NUM)_.{0,20}TOKENS|TOKENS_PER|TOKEN_LIMIT|KEY_?(?:NAME|PATH|FILE|DIR|BINDINGS)$"
    r"|_(?:TIMEOUT|URL|LIMIT)$"
)


def is_secret_name(name: str) -> bool:
    """Whether the name of an environment variable says that it holds a secret."""
    upper = name.upper()
    return len(name) <= 200 and bool(_SECRET_WORD.search(upper)) and not _OPEN_WORD.search(upper)


PLACES: Final[Mapping[str, str]] = {
    "HOME": "~",
    "USERPROFILE": "~",
    "HOMEPATH": "~",
    "APPDATA": "%APPDATA%",
    "LOCALAPPDATA": "%LOCALAPPDATA%",
    "TEMP": "/tmp",  # noqa: S108  # what the variable says, not a file of ours
    "TMP": "/tmp",  # noqa: S108
    "TMPDIR": "/tmp",  # noqa: S108
    "XDG_CONFIG_HOME": "~/.config",
    "XDG_DATA_HOME": "~/.local/share",
    "SHELL": "/bin/sh",
    "SYSTEMROOT": "C:/Windows",
}
"""What some environment variables hold."""

_LIBRARY: Final = sys.stdlib_module_names
_PASSES_ON: Final = regex(
    r"dump|encod|encrypt|compress|quote|pack|serial|format|str|join|hex|text|bytes|b64|copy|render",
    re.IGNORECASE,
)


def is_foreign(name: str) -> bool:
    """Whether a name belongs to a library that is not known: no one can tell what it gives.

    A client that is made with a key, or a page that is rendered by one, does not hand the key on.
    """
    root, _, _ = name.partition(".")
    return bool(root) and root not in _LIBRARY and not passes_on(name)


def passes_on(name: str) -> bool:
    """Whether the name of a function says that it only changes the form of what it is given."""
    return _PASSES_ON.search(name.rstrip("()").rpartition(".")[2]) is not None
