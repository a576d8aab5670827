"""Calls that data comes from, that change its form, or that show it; and attributes that do."""

from __future__ import annotations

from typing import Final

from skillpm.scanning.behaviour.acts import HOLE, Deed
from skillpm.scanning.behaviour.python.decoding import (
    DECODERS,
    UNESCAPERS,
    codec,
    decoded,
    unescaped,
)
from skillpm.scanning.behaviour.python.effects import (
    Row,
    Special,
    calls,
    dropped,
    encoded,
    file_contents,
    rows,
    same,
    targets_of,
)
from skillpm.scanning.behaviour.python.machine import Call, Machine, Stored
from skillpm.scanning.behaviour.python.names import ENVIRON, PATH, PLACES, is_secret_name, result_of
from skillpm.scanning.behaviour.python.values import (
    CAPTURED,
    DECODED,
    ENCODED,
    ENVIRONMENT,
    FACTS,
    FILE,
    INPUT,
    MISSING,
    NETWORK,
    NOTHING,
    RANDOM,
    SECRET,
    SECRET_FILE,
    SECRET_VARIABLE,
    UNPACKED,
    WALKED,
    Flow,
    Value,
    both,
    constant,
    text,
    texts,
)

ATTRIBUTES: Final[dict[str, tuple[int, str]]] = {
    "sys.argv": (INPUT, "arguments"),
    "sys.stdin": (INPUT, "standard input"),
    ENVIRON: (ENVIRONMENT, "all environment variables"),
    "flask.request": (NETWORK, "a request"),
    "bottle.request": (NETWORK, "a request"),
}
"""Attributes of modules that data comes from."""

TEXTS: Final[dict[str, str]] = {
    "sys.executable": "python",
    "os.devnull": "/dev/null",
    "os.sep": "/",
    "os.path.sep": "/",
    "os.curdir": ".",
    "os.pardir": "..",
    "os.linesep": "\n",
    "string.ascii_lowercase": "abcdefghijklmnopqrstuvwxyz",
    "string.ascii_uppercase": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "string.ascii_letters": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "string.digits": "0123456789",
    "string.punctuation": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    "winreg.HKEY_CURRENT_USER": "HKCU",
    "winreg.HKEY_LOCAL_MACHINE": "HKLM",
    "winreg.HKEY_CLASSES_ROOT": "HKCR",
    "winreg.HKEY_USERS": "HKU",
}
"""Attributes of modules that are texts."""

SOURCE_ROWS: Final[dict[str, Row]] = {
    **rows(
        "socket.gethostname socket.getfqdn "
        "platform.{node,platform,uname,system,release,version,machine,processor} os.uname "
        "os.getlogin getpass.getuser uuid.getnode pwd.getpwuid pwd.getpwall grp.getgrall "
        "psutil.{process_iter,pids,net_connections,net_if_addrs,users,disk_partitions} "
        "netifaces.interfaces netifaces.ifaddresses",
        Row(gives=FACTS, words="facts about the machine"),
    ),
    **rows(
        "builtins.input getpass.getpass click.prompt argparse.ArgumentParser().parse_args "
        "typer.prompt argparse.ArgumentParser().parse_known_args sys.stdin.read "
        "sys.stdin.readline inquirer.prompt",
        Row(gives=INPUT, words="what the user gives"),
    ),
    **rows(
        "pyperclip.paste tkinter.Tk().clipboard_get win32clipboard.GetClipboardData "
        "pandas.read_clipboard clipboard.paste klembord.get_text",
        Row(Deed.CAPTURE, says="clipboard", gives=CAPTURED, words="the clipboard"),
    ),
    **rows(
        "PIL.ImageGrab.grab pyautogui.screenshot mss.mss().grab mss.mss().shot "
        "pyscreenshot.grab ImageGrab.grab mss.mss().save d3dshot.create "
        "d3dshot.create().screenshot",
        Row(Deed.CAPTURE, says="screen", gives=CAPTURED, words="the screen"),
    ),
    **rows(
        "keyboard.{record,read_key,read_event}",
        Row(Deed.CAPTURE, says="keyboard", gives=CAPTURED, words="the keyboard"),
    ),
    **rows(
        "sounddevice.rec sounddevice.InputStream pyaudio.PyAudio().open "
        "speech_recognition.Recognizer().listen",
        Row(Deed.CAPTURE, says="microphone", gives=CAPTURED, words="the microphone"),
    ),
    **rows("base64.encodebytes", Row(keeps=True)),
    **rows(
        "os.urandom secrets.token_bytes random.randbytes",
        Row(gives=RANDOM, words="random bytes"),
    ),
    **rows("os.environ.keys", Row(gives=FACTS, words="names of environment variables")),
    **rows(
        "win32crypt.CryptUnprotectData",
        Row(gives=SECRET_FILE | DECODED, words="passwords a browser keeps"),
    ),
    **rows("os.getcwd os.path.curdir", Row()),
}

CAPTURE_METHODS: Final = {
    "clipboard_get": Row(Deed.CAPTURE, says="clipboard", gives=CAPTURED, words="the clipboard"),
}

_BROWSERS: Final = {
    "chrome": "~/Library/Application Support/Google/Chrome/Default/Cookies",
    "chromium": "~/.config/chromium/Default/Cookies",
    "firefox": "~/.mozilla/firefox/profile/cookies.sqlite",
    "brave": "~/.config/BraveSoftware/Brave-Browser/Default/Cookies",
    "edge": "~/AppData/Local/Microsoft/Edge/User Data/Default/Cookies",
    "load": "~/Library/Application Support/Google/Chrome/Default/Cookies",
    "safari": "~/Library/Cookies/Cookies.binarycookies",
}


def environment(machine: Machine, call: Call, key: Value, default: Value) -> Value:
    """Reads one environment variable."""
    if key.name == "os.environ[]":
        machine.emit(Deed.VARIABLE, call.node, ("*",))
        return Value("", flow=machine.source(call.node, ENVIRONMENT, "all environment variables"))
    names = texts(key)
    machine.emit(Deed.VARIABLE, call.node, names)
    secret = frozenset(name for name in names if is_secret_name(name))
    flow = default.flow
    if secret:
        hop = machine.hop(call.node, f"variable {min(secret)}")
        flow = both(Flow(SECRET_VARIABLE, secret, (hop,)), flow)
    places = [PLACES[name] for name in names if name in PLACES]
    name = "" if flow.labels else default.name
    return Value(
        name, options=tuple(dict.fromkeys((*places, *filter(None, default.options)))), flow=flow
    )


def _getenv(machine: Machine, call: Call) -> Value:
    return environment(machine, call, call.argument(0, "key"), call.argument(1, "default"))


def _whole_environment(machine: Machine, call: Call) -> Value:
    machine.emit(Deed.VARIABLE, call.node, ("*",))
    flow = machine.source(call.node, ENVIRONMENT, "all environment variables")
    name = Value(
        "os.environ[]", flow=machine.source(call.node, FACTS, "names of environment variables")
    )
    if call.method == "copy":
        return Value(ENVIRON, flow=flow)
    if call.method == "items":
        pair = Value("", flow=flow, items=(name, Value("", flow=flow)))
        return Value("", flow=flow, items=(pair, NOTHING))
    if call.method == "values":
        return Value("", flow=flow)
    return Value("", flow=name.flow, items=(name, NOTHING))


def _decode(machine: Machine, call: Call) -> Value:
    """Decodes or decompresses; what was constant is worked out."""
    data = call.argument(0, "s", "data", "obj")
    how = ""
    if call.callee.name == "codecs.decode":
        how = codec(call.argument(1, "encoding").const)
        if not how:
            return data
    word = how or call.callee.name.rpartition(".")[2]
    return decode(machine, call, data, how, word)


def decode(machine: Machine, call: Call, data: Value, how: str, word: str) -> Value:
    """What comes out of a decoder."""
    whole = decoded(call.callee.name, data.const, how) if machine.affords(100) else MISSING
    flow = data.flow
    in_files = FILE | SECRET_FILE | INPUT | DECODED
    labels = DECODED if whole is not MISSING or flow.labels & in_files else UNPACKED
    flow = flow.then(machine.hop(call.node, word), labels)
    if not isinstance(whole, bytes) or not machine.affords(len(whole)):
        return Value("", flow=flow, thing=data.thing)
    return constant(whole, flow)


def _decrypt(machine: Machine, call: Call) -> Value:
    data = call.argument(0)
    return Value("", flow=data.flow.then(machine.hop(call.node, "decrypt"), DECODED))


def _encrypt(machine: Machine, call: Call) -> Value:
    """Encrypts; the path is that of the file that the data was read from."""
    values = [value for value in (*call.positional, *call.keywords.values()) if value.flow.labels]
    stored = next((value for value in values if isinstance(value.thing, Stored)), None)
    flow = call.flow()
    how = frozenset({"recursive"}) if flow.labels & WALKED else frozenset[str]()
    machine.emit(Deed.ENCRYPT, call.node, targets_of(stored) if stored else (HOLE,), flow, how)
    return Value(
        "", flow=flow.then(machine.hop(call.node, "encrypt"), ENCODED) if flow.labels else flow
    )


def _unescape(_machine: Machine, call: Call) -> Value:
    return unescaped(call.callee.name, call.argument(0))


def _show(machine: Machine, call: Call) -> Value:
    """Prints or logs; only secrets matter."""
    flow = call.flow("file", "exc_info")
    if flow.labels & SECRET:
        machine.emit(Deed.SHOW, call.node, texts(call.argument(0)), flow)
    return NOTHING


def _listener(machine: Machine, call: Call) -> Value:
    """Something that calls back with what the user does."""
    machine.emit(
        Deed.CAPTURE, call.node, ("keyboard" if "mouse" not in call.callee.name else "mouse",)
    )
    if "mouse" not in call.callee.name:
        typed = Value("", flow=machine.source(call.node, CAPTURED, "the keyboard"))
        for given in (*call.positional, *call.keywords.values()):
            if given.thing is not None:
                machine.call_back(given, (typed,), call.node)
    return NOTHING


def _camera(machine: Machine, call: Call) -> Value:
    device = call.argument(0, "index")
    if not isinstance(device.const, int):
        return Value(result_of(call.callee.name), flow=call.flow())
    machine.emit(Deed.CAPTURE, call.node, ("camera",))
    return Value(
        result_of(call.callee.name), flow=machine.source(call.node, CAPTURED, "the camera")
    )


def _keyring(machine: Machine, call: Call) -> Value:
    name = f"keyring:{texts(call.argument(0))[0]}"
    hop = machine.hop(call.node, f"password from {name}")
    return Value("", flow=Flow(SECRET_VARIABLE, frozenset({name}), (hop,)))


def _browser(machine: Machine, call: Call) -> Value:
    path = _BROWSERS[call.callee.name.rpartition(".")[2]]
    return Value("", flow=file_contents(machine, call.node, text(path)))


def _dotenv(machine: Machine, call: Call) -> Value:
    path = call.argument(0, "dotenv_path")
    flow = file_contents(machine, call.node, path if path.options else text(".env"))
    return Value("", flow=flow)


def _cwd(_machine: Machine, call: Call) -> Value:
    return text(".", name=PATH if call.callee.name.startswith("pathlib") else "")


def _home(_machine: Machine, _call: Call) -> Value:
    return text("~", name=PATH)


SOURCE_CALLS: Final[dict[str, Special]] = {
    **calls("os.getenv os.environ.{get,pop,setdefault}", _getenv),
    **calls("os.environ.{items,values,copy,keys}", _whole_environment),
    **dict.fromkeys(DECODERS, _decode),
    **dict.fromkeys(UNESCAPERS, _unescape),
    **calls(
        "cryptography.fernet.Fernet().decrypt Crypto.Cipher.AES.new().decrypt "
        "nacl.secret.SecretBox().decrypt Crypto.Cipher.ARC4.new().decrypt",
        _decrypt,
    ),
    **calls(
        "cryptography.fernet.Fernet().encrypt Crypto.Cipher.AES.new().encrypt "
        "Crypto.Cipher.AES.new().encrypt_and_digest nacl.secret.SecretBox().encrypt "
        "Crypto.Cipher.ChaCha20.new().encrypt Crypto.Cipher.Salsa20.new().encrypt "
        "cryptography.hazmat.primitives.ciphers.Cipher().encryptor().update "
        "cryptography.hazmat.primitives.ciphers.aead.AESGCM().encrypt "
        "Crypto.Cipher.DES3.new().encrypt pyAesCrypt.encryptFile "
        "pyaes.AESModeOfOperationCTR().encrypt "
        "cryptography.hazmat.primitives.ciphers.aead.ChaCha20Poly1305().encrypt",
        _encrypt,
    ),
    **calls(
        "base64.{b64encode,urlsafe_b64encode,standard_b64encode,b32encode,b85encode,a85encode} "
        "base64.{b16encode,encodebytes} "
        "binascii.hexlify binascii.b2a_base64 zlib.compress gzip.compress bz2.compress "
        "lzma.compress codecs.encode base64.encodestring",
        encoded,
    ),
    **calls(
        "builtins.print click.echo click.secho typer.echo rich.print pprint.pprint "
        "rich.console.Console().print sys.stdout.write sys.stderr.write sys.stdout.buffer.write "
        "logging.{debug,info,warning,error,critical,exception,log} "
        "logging.getLogger().{debug,info,warning,error,critical,exception,log} "
        "loguru.logger.{debug,info,warning,error,critical,exception,log}",
        _show,
    ),
    **calls(
        "pynput.keyboard.Listener keyboard.{on_press,on_release,hook} pynput.mouse.Listener "
        "keyboard.on_press_key",
        _listener,
    ),
    "cv2.VideoCapture": _camera,
    **calls("keyring.get_password keyring.get_credential", _keyring),
    **calls(
        "browser_cookie3.{chrome,chromium,firefox,brave,edge,load,safari} "
        "browsercookie.{chrome,chromium,firefox,brave,edge,load,safari} "
        "rookiepy.{chrome,chromium,firefox,brave,edge,load,safari}",
        _browser,
    ),
    "dotenv.dotenv_values": _dotenv,
    **calls("os.getcwd pathlib.Path.cwd", _cwd),
    "pathlib.Path.home": _home,
    **calls(
        "os.path.{expanduser,expandvars,abspath,realpath,normpath} os.fspath shlex.quote "
        "pipes.quote os.fsencode os.fsdecode",
        same,
    ),
    **calls(
        "hashlib.{md5,sha1,sha224,sha256,sha384,sha512,sha3_256,blake2b,blake2s,new} "
        "hashlib.{pbkdf2_hmac,scrypt} "
        "hmac.{new,digest,compare_digest} zlib.crc32 zlib.adler32 "
        "os.path.{exists,isfile,isdir,getsize,getmtime,islink}",
        dropped,
    ),
}
