"""Documents made for comparing readers: several hundred, each with a name that says what it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

NAME: Final = "read-pdf"
HEAD: Final = f"name: {NAME}\ndescription: Use when there is a PDF.\n"


def header(text: str, body: str = "\n# Read\n") -> bytes:
    """A document with that header."""
    return f"---\n{text}---\n{body}".encode()


NAMES: Final = (
    "read-pdf", "Read-PDF", "a", "a" * 64, "a" * 65, "-read-pdf", "read-pdf-", "read--pdf",
    "read_pdf", "read.pdf", "read pdf", "read/pdf", "'read-pdf'", '"read-pdf"', "''", "' '", "7",
    "true", "null", "~", "1.5", "über-uns", "読む", "ПДФ", "пдф", "ﬁle", "e\u0301", "\u00e9", "²",
    "ⅷ", "İ", "ß", "ǆ", "a\u200bb", "read-pdf # why", "read-pdf#x", "@read", "`read`", "read: pdf",
    "[read-pdf]", "{a: b}", "|\n  read-pdf", ">-\n  read-pdf", "&a read-pdf", "!!str read-pdf",
    "*a", "read-pdf\n  more", "", "\tread-pdf", "read-pdf\t", "read\tpdf", "'it''s'", '"a\\x41"',
    "-", "--", "...", "none", "2024-01-01", "0x1f", "1_000", "read-pdf ", " read-pdf",
)  # fmt: skip
DESCRIPTIONS: Final = (
    "Use when there is a PDF.", "x", "x" * 1024, "x" * 1025, f"'{'x' * 1023} '", f"' {'x' * 1024}'",
    "''", "'   '", "", "7", "true", "null", "~", "1.10", "Use when: always", "Use it: now # or not",
    "Fix #5 and more", "Use C # and more", "a:b", "a :b", "a: ", "ends:", "http://x.example/a: b",
    "'quoted: yes'", '"quoted: yes"', "'open", '"open', '"a\\qb"', "[a, b]", "{a: b}", "{{ a }}",
    "[TODO] write it", "*bold* text", "&x text", "!important text", "% text", "@mention text",
    "`code` text", "- dash", "? what", "| pipe", "> quote", "# comment", "|\n  Two\n  lines",
    ">\n  Two\n  lines", "|-\n  x", "|+\n  x\n\n", "|2\n  x", f"|\n  {'x' * 1024}",
    f"|-\n  {'x' * 1024}", "one\n  two", "one\n  two: three", "one\n\n  two", "one\ntwo",
    "one\n\ttwo", "a --- b", "--- a", "a ---", "tab\there", "\ttab", "x\u00a0y", "x\u0085y",
    "x\u2028y", "x\u0007y", "x\u200by", "\U0001f600 smile", "x\ufeffy", "<b>bold</b>", "a, b, c",
    "a; b", "50%", "a & b", "a * b", "(see: x)", "Don't", "'Don''t'", "- a\n- b", "\n  - a\n  - b",
    "\n  a: b",
)  # fmt: skip
LINES: Final = (
    "license: MIT", "license: ''", "license:", "license: 7", "license: [MIT]", "license:\n  - MIT",
    "license:\n  a: b", "license: true", "compatibility: any", "compatibility: ''",
    "compatibility:", f"compatibility: {'x' * 500}", f"compatibility: {'x' * 501}",
    "compatibility: 7", "compatibility:\n  - a", "compatibility:\n  a: b", "compatibility: [a]",
    "compatibility: needs: git", "metadata:", "metadata: text", "metadata: 7", "metadata:\n  a: b",
    "metadata:\n  a: 1", "metadata:\n  version: 1.10", "metadata:\n  a: true", "metadata: {a: b}",
    "metadata: {}", "metadata: []", "metadata:\n  - a", "metadata:\n  a:\n    b: c",
    "metadata:\n  a:\n    b: c\n  d:\n      e: f", "metadata:\n    a: b\n",
    "metadata:\n  a:\n    b: c\n  d:\n    e: f", "metadata:\n  a: [1, 2]", "metadata:\n  a: {b: c}",
    "metadata:\n  a: b\n  a: c", "metadata:\n  7: a", "metadata:\n  ? [a]\n  : b",
    "metadata:\n  <<: a", "metadata:\n\ta: b", "metadata:\n  a: b: c", "metadata:\n  a: 'b: c'",
    "metadata:\n  a: &x b", "metadata:\n  a: !t b", "metadata:\n a: b", "metadata:\n  a: |\n    x",
    "metadata:\n  - a: b\n    c: d\n  - a: b", "metadata:\n  - a: b\n  -   c: d",
    "metadata: '{\"a\": 1}'", 'metadata: {"openclaw": {"requires": {"bins": ["jq"]}}}',
    "allowed-tools: Bash", "allowed-tools: Bash(git:*) Read", "allowed-tools: ''",
    "allowed-tools:", "allowed-tools: 7", "allowed-tools: [Bash]", "allowed-tools: [Bash, Read]",
    "allowed-tools:\n  - Bash\n  - Read", "allowed-tools:\n- Bash", "allowed-tools:\n  a: b",
    "allowed-tools: Bash, Read", "allowed-tools: Bash(git add: *)", "allowed-tools: *",
    "allowed_tools: Bash", "version: 1.0", "author: me", "tags: [a]", "tags:\n  - a", "model: opus",
    "disable-model-invocation: true", "user-invocable: false", "argument-hint: '[file]'",
    "argument-hint: [file]", "hooks:\n  a: b", "Name: x", "7: x", "true: x", "null: x", "'': x",
    "'license': MIT", '"license": MIT', "? license\n: MIT", "license : MIT", "license:MIT",
    "license:  MIT", "license MIT", "- license: MIT", "name: read-pdf", "description: again",
    "license: MIT\nlicense: MIT", "# a comment", "  # an indented comment", "", "   ", "\t",
    "license: MIT # a comment", "license: MIT\t# a comment", "license:\tMIT", "license: MIT\t",
    "license: MIT ", "license: M\tIT", "...", "%YAML 1.2", "license: '---'", "license: ---",
    "license: a---b", "license: &a MIT", "license: *a", "license: !!str MIT", "license: ! MIT",
    "license: |\n  MIT", "license: >\n  MIT", "license: |\n  MIT\n  ---\n", "<<: x", "=: x",
    'license: "a\\u0041"', 'license: "a\\', "license: 'a\n  b'", 'license: "a\n  b"',
    'license: "a\nb"', "license: a,b", "license: a]b", "license: a}b", "license: ]", "license: }",
    "license: ,", "license: -", "license: - a", "license: ?", "license: ? a", "license: :",
    "license: :a", "license: a: b", "license: a #b", "license: a # b", "license: yes",
    "license: 0o7", "license: 1e3", "license: .inf", "license: 2024-01-01", "license: 12:30",
    "license: [", "license: {", "license: [a", "license: {a", "license: [a, b", "license: '",
    'license: "', "license: `x`", "license: @x", "license: %x", "license: x\u0000y",
    "license: \ud7ff", "license: \ue000", "license: \ufffe", "license: \U0010ffff",
    "license: \u007f", "license: \u0080", "license: \u200e", "triggers:\n  - event: x",
    "required_environment_variables:\n  - TOKEN", "requires:\n  - other-skill",
)  # fmt: skip
WHOLE: Final = {
    "nothing": b"", "white space": b" \n\n", "a mark alone": b"\xef\xbb\xbf", "no header": b"# x\n",
    "a header alone": b"---\n---\n", "an empty header": b"---\n\n---\nx", "dashes alone": b"---",
    "two dashes": b"--\nname: a\n--\n", "four dashes": b"----\n" + HEAD.encode() + b"----\nx",
    "never closed": b"---\n" + HEAD.encode(), "a list": b"---\n- a\n---\nx",
    "a scalar": b"---\ntext\n---\nx", "text": b"---\nname\n---\nx", "closed at once": b"------\nx",
    "a blank line first": b"\n---\n" + HEAD.encode() + b"---\nx",
    "a space first": b" ---\n" + HEAD.encode() + b"---\nx",
    "spaces after the first line": b"---  \n" + HEAD.encode() + b"---\nx",
    "spaces after the last line": b"---\n" + HEAD.encode() + b"---  \nx",
    "an indented last line": b"---\n" + HEAD.encode() + b" ---\nx",
    "words after the first line": b"--- x\n" + HEAD.encode() + b"---\nx",
    "words after the last line": b"---\n" + HEAD.encode() + b"--- x\nx",
    "four dashes at the end": b"---\n" + HEAD.encode() + b"----\nx",
    "no end of line at the end": b"---\n" + HEAD.encode() + b"---",
    "a comment": b"---\n# x\n" + HEAD.encode() + b"---\nx", "no body": header(HEAD, ""),
    "a mark": b"\xef\xbb\xbf" + header(HEAD), "UTF-16": header(HEAD).decode().encode("utf-16"),
    "UTF-32": header(HEAD).decode().encode("utf-32"),
    "UTF-16 without a mark": header(HEAD).decode().encode("utf-16-le"),
    "CRLF": header(HEAD).replace(b"\n", b"\r\n"), "CR": header(HEAD).replace(b"\n", b"\r"),
    "mixed ends": header(HEAD).replace(b"\n", b"\r\n", 2),
    "Windows-1252": header(HEAD + "license: caf").replace(b"caf", b"caf\xe9\n"),
    "half a character": header(HEAD) + b"\xc3", "a NUL": header(HEAD) + b"\0",
    "a body with dashes": header(HEAD, "x\n---\ny\n---\n"), "JSON": b'{"name": "read-pdf"}',
    "a web page": b"<!doctype html><html></html>", "all indented": header(
        "".join(f"  {line}\n" for line in HEAD.splitlines())),
    "indented by one and none": header(" name: read-pdf\ndescription: x\n"),
    "the other order": header("description: Use when there is a PDF.\nname: read-pdf\n"),
    "no name": header("description: x\n"), "no description": header("name: read-pdf\n"),
    "neither": header("license: MIT\n"), "upper case keys": header(HEAD.upper()),
    "a long header": header(HEAD + f"license: {'x' * 60_000}\n"),
    "TOML": b"+++\nname = 'read-pdf'\n+++\nx", "two headers": header(HEAD) + header(HEAD),
    "deep": header(HEAD + "metadata:\n" + "".join(f"{'  ' * n}a:\n" for n in range(1, 9))),
}  # fmt: skip


def documents() -> Iterator[tuple[str, bytes]]:
    """Every made document, by what it is."""
    for value in NAMES:
        rest = "description: Use when there is a PDF.\n"
        yield f"name: {value}", header(f"name: {value}\n{rest}")
    for value in DESCRIPTIONS:
        yield f"description: {value}", header(f"name: {NAME}\ndescription: {value}\n")
    for line in LINES:
        yield line, header(f"{HEAD}{line}\n")
        yield f"first {line}", header(f"{line}\n{HEAD}")
    yield from WHOLE.items()
