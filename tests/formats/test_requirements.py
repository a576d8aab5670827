"""What a skill needs, in every spelling; and that nothing but names of the right shape get in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from skillpm.formats.document import read_document
from skillpm.formats.requirements import MOST, requirements_of
from skillpm.model.requirements import (
    Missing,
    Requirements,
    Variable,
    local_name,
    requirements_from,
)

VARIABLES: dict[str, tuple[str, list[Variable]]] = {
    "names": ("required_environment_variables:\n  - A\n  - B\n", [Variable("A"), Variable("B")]),
    "text": ("required_environment_variables: A, B\n", [Variable("A"), Variable("B")]),
    "text in brackets": ("required_environment_variables: '[A, B]'\n",
                         [Variable("A"), Variable("B")]),
    "flow": ("required_environment_variables: [A]\n", [Variable("A")]),
    "maps": (
        ("required_environment_variables:\n  - name: A\n    help: Ask Jane.\n"
        "    required_for: all\n  - env_var: B\n    optional: true\n    url: https://b.example\n"),
        [Variable("A", "Ask Jane.", False, "all"), Variable("B", "https://b.example", True)],
    ),
    "below metadata": ("metadata:\n  required_environment_variables: [A]\n", [Variable("A")]),
    "below metadata.pepe": ("metadata:\n  pepe:\n    required_environment_variables: [A]\n",
                            [Variable("A")]),
    "secrets": (
        ("setup:\n  help: See the wiki.\n  collect_secrets:\n    - env_var: A\n"
        "      prompt: Which?\n    - env_var: B\n      provider_url: https://b.example\n"
        "    - env_var: C\n"),
        [Variable("A", "Which?"), Variable("B", "https://b.example"),
         Variable("C", "See the wiki.")],
    ),
    "prerequisites": ("prerequisites:\n  env_vars: [A]\n", [Variable("A")]),
    "openclaw": ("metadata:\n  openclaw:\n    requires:\n      env: [A]\n", [Variable("A")]),
    "openclaw as JSON": ('metadata: {"openclaw": {"requires": {"env": ["A"]}}}\n',
                         [Variable("A")]),
    "openclaw as JSON text": ("metadata: '{\"openclaw\": {\"requires\": {\"env\": [\"A\"]}}}'\n",
                              [Variable("A")]),
    "openclaw inside as JSON text": (
        "metadata:\n  openclaw: '{\"requires\": {\"env\": [\"A\"]}}'\n", [Variable("A")]),
    "its older names": (("metadata:\n  clawdbot:\n    requires:\n      env: [A]\n  clawdis:\n"
                        "    requires:\n      env: [B]\n"), [Variable("A"), Variable("B")]),
    "envVars": (("metadata:\n  openclaw:\n    envVars:\n      - name: A\n        required: false\n"
                "        description: The key.\n"), [Variable("A", "The key.", True)]),
    "a hub's": ("requires:\n  env: [A]\n  bins: [jq]\n", [Variable("A")]),
    "the first wins": (("required_environment_variables:\n  - name: A\n    help: one\n"
                       "prerequisites:\n  env_vars: [A, B]\n"),
                       [Variable("A", "one"), Variable("B")]),
    "who speaks to us first": (
        ("required_environment_variables:\n  - name: A\n    help: all\nmetadata:\n  pepe:\n"
        "    required_environment_variables:\n      - name: A\n        help: ours\n"),
        [Variable("A", "ours")]),
    "no names": ("required_environment_variables: ['A B', 1A, $A, A=1, '', 7, null, ä]\n", []),
    "nothing": ("required_environment_variables:\n", []),
    "no list": ("required_environment_variables: 7\nsetup: x\nprerequisites: [A]\n", []),
}  # fmt: skip
COMMANDS: dict[str, tuple[str, list[tuple[str, ...]]]] = {
    "names": ("required_commands: [jq, git-lfs, ./run.sh, python3.11, g++]\n",
              [("jq",), ("git-lfs",), ("python3.11",), ("g++",)]),
    "prerequisites": ("prerequisites:\n  commands: [jq]\n", [("jq",)]),
    "openclaw": ("metadata:\n  openclaw:\n    requires:\n      bins: [jq]\n      anyBins: [a, b]\n",
                 [("jq",), ("a", "b")]),
    "a hub's": ("requires:\n  env: [A]\n  bins: [jq]\n", [("jq",)]),
    "below metadata": ("metadata:\n  required_commands: [jq]\n  requires:\n    bins: [fd]\n",
                       [("jq",), ("fd",)]),
    "no names": ("required_commands: ['a b', '-x', 'a;b', '$(a)', '', 7]\n", []),
}  # fmt: skip
SKILLS: dict[str, tuple[str, list[str]]] = {
    "a list": ("requires:\n  - read-pdf\n  - team/deploy\n", ["read-pdf", "team/deploy"]),
    "text": ("requires: read-pdf, deploy\n", ["read-pdf", "deploy"]),
    "depends-on": ("depends-on: [read-pdf]\ndepends_on: [deploy]\n", ["read-pdf", "deploy"]),
    "below metadata": ("metadata:\n  requires: [read-pdf]\n", ["read-pdf"]),
    "inside a hub's": ("requires:\n  bins: [jq]\n  skills: [read-pdf]\n", ["read-pdf"]),
    "references": ("requires: ['@jane/read-pdf', '@jane/x@1.0.0', 'clawhub:@jane/y', 'team/z']\n",
                   ["@jane/read-pdf", "@jane/x@1.0.0", "clawhub:@jane/y", "team/z"]),
    "maps": ("requires:\n  - name: read-pdf\n", ["read-pdf"]),
    "no references": (("requires: [../x, 'https://x.example/a.md', Read PDF, '-x', a/b/c, '@a/..',"
                      " 'file:///etc', '', 7, 'x y', './x', '/x', 'con']\n"), []),
}  # fmt: skip


def read(header: str) -> Requirements:
    return requirements_of(read_document(f"---\n{header}---\nx".encode()).header.values)


@pytest.mark.parametrize("case", VARIABLES)
def test_variables_are_read_in_every_spelling(case: str) -> None:
    header, wanted = VARIABLES[case]
    assert list(read(header).variables) == wanted


@pytest.mark.parametrize("case", COMMANDS)
def test_commands_are_read_in_every_spelling(case: str) -> None:
    header, wanted = COMMANDS[case]
    assert list(read(header).commands) == wanted


@pytest.mark.parametrize("case", SKILLS)
def test_other_skills_are_read_in_every_spelling(case: str) -> None:
    header, wanted = SKILLS[case]
    assert list(read(header).skills) == wanted


def test_there_is_an_end_to_what_a_skill_may_need() -> None:
    many = ", ".join(f"A{n}" for n in range(500))
    found = read(f"required_environment_variables: [{many}]\nrequired_commands: [{many}]\n")
    assert (len(found.variables), len(found.commands)) == (MOST, MOST)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["requires", "env", "bins", "name", "openclaw", "pepe", "skills", "setup",
                         "collect_secrets", "env_vars", "required_commands", "anyBins"]),
        inner, max_size=4),
    max_leaves=10,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["metadata", "requires", "setup", "prerequisites",
                                        "required_environment_variables"]), ANYTHING))  # fmt: skip
def test_whatever_a_header_holds_is_read_and_kept(header: dict[str, Any]) -> None:
    found = requirements_of(header)
    assert requirements_from(found.as_text()) == found


def test_only_what_is_not_there_is_missing() -> None:
    wanted = Requirements(
        (Variable("A"), Variable("B"), Variable("C"), Variable("D", optional=True)),
        (("jq",), ("fd", "find"), ("a", "b")),
        ("read-pdf", "team/deploy", "@jane/x@1.0"),
    )
    values = {"A": "1", "B": "  "}
    found = wanted.missing(
        lambda name: values.get(name, ""),
        lambda name: f"/bin/{name}" if name in ("jq", "find") else "",
        lambda name: name == "deploy",
    )
    assert found == Missing(
        (Variable("B"), Variable("C")), (("a", "b"),), ("read-pdf", "@jane/x@1.0")
    )
    assert str(found) == "B, C, command a or b, skill read-pdf, skill @jane/x@1.0"
    assert not Requirements().missing(str, str, bool)


@pytest.mark.parametrize(
    ("reference", "name"),
    [("a", "a"), ("t/a", "a"), ("@h/a", "a"), ("@h/a@1.0", "a"), ("hub:@h/a", "a"), ("a@2", "a")],
)
def test_a_reference_has_a_local_name(reference: str, name: str) -> None:
    assert local_name(reference) == name


@pytest.mark.parametrize("text", ["{}", "[]", "1", "{", '{"variables": [1]}', "null"])
def test_what_is_no_record_of_requirements_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        requirements_from(text)
