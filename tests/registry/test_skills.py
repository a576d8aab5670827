"""What every bundled skill keeps."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from .tools import SKILLS, run, script

NAMES: Final = sorted(path.name for path in SKILLS.iterdir() if path.is_dir())
SCRIPTS: Final = sorted(path for path in SKILLS.glob("*/scripts/*") if path.is_file())
WORKFLOWS: Final = (
    "abandoned-cart-recovery",
    "browse-abandonment",
    "customer-sync",
    "order-events",
)
ENDPOINTS: Final = {
    "brevo/send-email": ("POST /v3/smtp/email", "email:send"),
    "brevo/create-contact": ("POST /v3/contacts", "contacts:write"),
    "brevo/update-contact": ("PUT /v3/contacts/{identifier}", "contacts:write"),
    "brevo/delete-contact": ("DELETE /v3/contacts/{identifier}", "contacts:write"),
    "brevo/track-event": ("POST /v3/events", "events:write"),
}
PATHS: Final = re.compile(r"(?<![\w/.-])((?:scripts|references)/[\w-]+\.[a-z]+)")


def text_of(name: str) -> str:
    return (SKILLS / name / "SKILL.md").read_text(encoding="utf-8")


def header_of(name: str) -> dict[str, Any]:
    _, head, _ = text_of(name).split("---\n", 2)
    loaded = yaml.safe_load(head)
    assert isinstance(loaded, dict)
    return loaded


def test_the_thirteen_skills_are_there() -> None:
    assert len(NAMES) == 13
    assert set(WORKFLOWS) < set(NAMES)


def test_more_than_five_skills_are_packages_with_scripts() -> None:
    assert len({path.parent.parent for path in SCRIPTS}) > 5


@pytest.mark.parametrize("name", NAMES)
def test_the_name_is_that_of_the_folder_and_follows_the_grammar(name: str) -> None:
    assert header_of(name)["name"] == name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert len(name) <= 64


@pytest.mark.parametrize("name", NAMES)
def test_the_description_is_short_enough(name: str) -> None:
    description = header_of(name)["description"]
    assert 40 <= len(description) <= (160 if name in WORKFLOWS else 299)


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(WORKFLOWS)))
def test_an_ordinary_skill_has_only_fields_of_the_format(name: str) -> None:
    header = header_of(name)
    allowed = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
    assert set(header) <= allowed
    assert "Use when" in header["description"]
    assert 1 <= len(header["compatibility"]) <= 500
    assert all(isinstance(value, str) for value in header["metadata"].values())
    assert re.fullmatch(r"\d+\.\d+\.\d+", header["metadata"]["version"])


@pytest.mark.parametrize("name", NAMES)
def test_the_header_has_no_anchor_alias_tag_or_repeated_key(name: str) -> None:
    _, head, _ = text_of(name).split("---\n", 2)
    events = list(yaml.parse(head, Loader=yaml.SafeLoader))
    assert not any(isinstance(event, yaml.AliasEvent) for event in events)
    assert not any(getattr(event, "anchor", None) for event in events)
    assert not any(getattr(event, "tag", None) for event in events)
    assert repeated(yaml.compose(head, Loader=yaml.SafeLoader)) == []


def repeated(node: yaml.Node | None) -> list[str]:
    if isinstance(node, yaml.MappingNode):
        keys = [key.value for key, _ in node.value]
        inner = [twice for _, value in node.value for twice in repeated(value)]
        return [key for key in set(keys) if keys.count(key) > 1] + inner
    if isinstance(node, yaml.SequenceNode):
        return [twice for item in node.value for twice in repeated(item)]
    return []


@pytest.mark.parametrize("name", NAMES)
def test_the_body_is_below_500_lines_and_begins_with_a_title(name: str) -> None:
    lines = text_of(name).split("---\n", 2)[2].strip().splitlines()
    assert len(lines) < 500
    assert lines[0].startswith("# ")


@pytest.mark.parametrize("name", NAMES)
def test_every_file_the_text_mentions_exists(name: str) -> None:
    mentioned = set(PATHS.findall(text_of(name)))
    own = {path for path in mentioned if (SKILLS / name / path).is_file()}
    assert mentioned == own


@pytest.mark.parametrize("name", NAMES)
def test_every_script_is_mentioned_in_the_text(name: str) -> None:
    for path in (SKILLS / name).glob("scripts/*"):
        assert f"scripts/{path.name}" in text_of(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_skill_a_text_asks_skill_path_for_is_there(name: str) -> None:
    for other, path in re.findall(r"skill path ([a-z-]+) (\S+?)[`)\s]", text_of(name)):
        assert (SKILLS / other / path).is_file()


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parts[-3]}/{path.name}")
def test_a_script_is_executable_and_explains_itself(path: Path) -> None:
    assert os.access(path, os.X_OK)
    assert path.read_bytes().startswith(b"#!/usr/bin/env python3\n")
    done = run(path, "--help")
    assert done.returncode == 0
    assert "Exit statuses" in done.stdout


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parts[-3]}/{path.name}")
def test_a_script_calls_wrong_usage_status_2(path: Path) -> None:
    assert run(path, "--no-such-option").returncode == 2


@pytest.mark.parametrize("name", NAMES)
def test_no_text_names_a_product_it_was_not_written_for_or_hides_a_comment(name: str) -> None:
    for path in (SKILLS / name).rglob("*"):
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\bpepe", text, re.IGNORECASE)
        assert "<!--" not in text
        assert not re.search(r"[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]", text)


@pytest.mark.parametrize("name", NAMES)
def test_the_checker_of_skill_creator_finds_no_error(name: str) -> None:
    done = run(script("skill-creator", "check.py"), SKILLS / name)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_a_skill_has_only_plain_files(name: str) -> None:
    for path in (SKILLS / name).rglob("*"):
        assert not path.is_symlink()
        assert path.is_dir() or path.suffix in {".md", ".py"}


# --- the workflow dialect -----------------------------------------------------------------


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_has_the_required_fields_with_their_types(name: str) -> None:
    header = header_of(name)
    assert re.fullmatch(r"\d+\.\d+\.\d+", header["version"])
    assert header["category"] in {
        "data-sync",
        "email-marketing",
        "sms-whatsapp",
        "loyalty",
        "analytics",
        "integrations",
    }
    assert header["status"] in {"stable", "beta", "experimental"}
    assert header["triggers"]
    assert header["actions"]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_action_ids_are_unique_and_every_branch_leads_somewhere(name: str) -> None:
    actions = header_of(name)["actions"]
    ids = [action["id"] for action in actions]
    assert len(ids) == len(set(ids))
    for place, action in enumerate(actions):
        if action["type"] == "control/condition":
            for branch in ("then", "else"):
                target = action["parameters"][branch]
                assert target == "stop" or target in ids[place + 1 :]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_endpoints_and_permissions_are_those_the_actions_need(name: str) -> None:
    header = header_of(name)
    needed = [ENDPOINTS[a["type"]] for a in header["actions"] if a["type"] in ENDPOINTS]
    endpoints = {endpoint for endpoint, _ in needed}
    permissions = {permission for _, permission in needed}
    assert set(header["brevoEndpoints"]) - {"GET /v3/contacts/{identifier}"} == endpoints
    assert set(header["permissions"]) - {"contacts:read"} == permissions
    if "GET /v3/contacts/{identifier}" in header["brevoEndpoints"]:
        assert "contacts:read" in header["permissions"]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_related_skills_are_bundled_too(name: str) -> None:
    related = header_of(name)["relatedSkills"]
    assert set(related) <= set(WORKFLOWS) - {name}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_the_tool_has_a_schema_whose_required_fields_are_described(name: str) -> None:
    tool = header_of(name)["mcp"]
    assert re.fullmatch(r"tajo/[a-z0-9]+(-[a-z0-9]+)*", tool["tool_name"])
    schema = tool["inputSchema"]
    assert schema["type"] == "object"
    assert set(schema["required"]) <= set(schema["properties"])
    assert tool["brevo_servers"]


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_template_is_a_quoted_text(name: str) -> None:
    def texts(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [text for item in value.values() for text in texts(item)]
        if isinstance(value, list):
            return [text for item in value for text in texts(item)]
        return [value] if isinstance(value, str) else []

    head = text_of(name).split("---\n", 2)[1]
    found = [text for text in texts(header_of(name)) if "{{" in text]
    assert len(found) == len([line for line in head.splitlines() if "{{" in line])
    assert all(text.count("{{") == text.count("}}") for text in found)
