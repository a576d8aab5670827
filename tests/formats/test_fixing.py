"""Fixing: only what can be meant one way, and never anything else of the author's."""

from __future__ import annotations

import pytest

from formats.documents import NAME, documents
from skillpm.formats.document import read_document
from skillpm.formats.fixing import fix
from skillpm.formats.spec import validate
from skillpm.model.tree import File, Tree

D = "description: Use when there is a PDF.\n"

CASES: dict[str, tuple[str, str]] = {
    "a colon": (
        "name: read-pdf\ndescription: Use when: now\n",
        'name: read-pdf\ndescription: "Use when: now"\n',
    ),
    "a hash": (
        "name: read-pdf\ndescription: Use when #5 is open\n",
        'name: read-pdf\ndescription: "Use when #5 is open"\n',
    ),
    "tabs": (f"name:\tread-pdf\n{D}metadata:\n\ta: b\n", f"name: read-pdf\n{D}metadata:\n  a: b\n"),
    "another name": (f"name: Read PDF # ours\n{D}", f"name: read-pdf # ours\n{D}"),
    "no name": (D, f"name: read-pdf\n{D}"),
    "an empty name": (f"name:\n{D}", f"name: read-pdf\n{D}"),
    "a number for a licence": (
        f"name: read-pdf\n{D}license: 1.10\n", f'name: read-pdf\n{D}license: "1.10"\n'
    ),
    "a number in metadata": (
        f"name: read-pdf\n{D}metadata:\n  version: 1.10 # ours\n",
        f'name: read-pdf\n{D}metadata:\n  version: "1.10" # ours\n',
    ),
    "tools in brackets": (
        f"name: read-pdf\n{D}allowed-tools: [Bash, Read]\n",
        f"name: read-pdf\n{D}allowed-tools: Bash Read\n",
    ),
    "tools as lines": (
        f"name: read-pdf\nallowed-tools:\n  - Bash\n  - Read\n{D}",
        f"name: read-pdf\nallowed-tools: Bash Read\n{D}",
    ),
    "a mapping in braces": (
        f"name: read-pdf\n{D}metadata: {{a: b, c: {{d: [e, 'f: g']}}}}\n",
        f'name: read-pdf\n{D}metadata:\n  a: b\n  c:\n    d:\n      - e\n      - "f: g"\n',
    ),
}  # fmt: skip

LEFT_ALONE: dict[str, str] = {
    "a good one": f"name: read-pdf\n{D}",
    "no description": "name: read-pdf\n",
    "a description that is too long": f"name: read-pdf\ndescription: {'x' * 1025}\n",
    "tools with spaces": f"name: read-pdf\n{D}allowed-tools:\n  - Bash(git add *)\n",
    "an anchor": f"name: read-pdf\n{D}license: &a MIT\n",
    "a key twice": f"name: read-pdf\n{D}license: a\nlicense: b\n",
    "a field of somebody's": f"name: read-pdf\n{D}version: 1.0\n",
    "an empty mapping": f"name: read-pdf\n{D}metadata: {{}}\n",
    "a comment in brackets": f"name: read-pdf\n{D}metadata: {{a: b}} # mine\n",
    "lists in lists": f"name: read-pdf\n{D}metadata: {{a: [[b]]}}\n",
}


def document(header: str, body: str = "\n# Read\n\nDo it.\n") -> bytes:
    return f"---\n{header}---\n{body}".encode()


@pytest.mark.parametrize("case", CASES)
def test_what_can_be_fixed_is_and_nothing_else_changes(case: str) -> None:
    before, after = CASES[case]
    found = fix(Tree.single(document(before)), NAME)
    assert found is not None
    assert found.after.decode() == document(after).decode()
    assert validate(Tree.single(found.after), NAME) == ()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_the_ends_of_lines_stay_what_they_are(case: str, end: str) -> None:
    before, after = (document(text).decode().replace("\n", end) for text in CASES[case])
    found = fix(Tree.single(before.encode()), NAME)
    assert found is not None
    assert found.after.decode() == after


@pytest.mark.parametrize("case", LEFT_ALONE)
def test_what_only_its_author_can_mend_is_left_alone(case: str) -> None:
    assert fix(Tree.single(document(LEFT_ALONE[case])), NAME) is None


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_another_encoding_becomes_utf_8(codec: str) -> None:
    text = document(f"name: read-pdf\n{D}").decode()
    found = fix(Tree.single(text.encode(codec)), NAME)
    assert found is not None
    assert (found.after, found.rules) == (text.encode(), ("encoding",))


def test_without_a_folder_no_name_is_made_up() -> None:
    assert fix(Tree.single(document(D)), "") is None
    assert fix(Tree.of([File("x", b"x")]), NAME) is None


def test_of_every_made_document_the_body_and_the_other_values_stay() -> None:
    for label, data in documents():
        found = fix(Tree.single(data), NAME)
        if found is None:
            continue
        before, after = read_document(data), read_document(found.after)
        assert after.body == before.body, label
        assert before.header.values.keys() <= after.header.values.keys(), label
        worse = {p.rule for p in validate(Tree.single(found.after), NAME) if p.severity == "error"}
        had = {p.rule for p in validate(Tree.single(data), NAME) if p.severity == "error"}
        assert worse < had or not worse - had, label
        again = fix(Tree.single(found.after), NAME)
        assert again is None, label
