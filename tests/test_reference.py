"""The reference is what the commands say; every variable that is read is documented."""

from __future__ import annotations

import importlib.util
import re
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest
from support.cli import ROOT

NAMES = ("search", "install", "update", "tap", "audit")


def maker() -> ModuleType:
    """`docs/make.py`, which is no package."""
    spec = importlib.util.spec_from_file_location("docs_make", ROOT / "docs/make.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_made_from_the_commands() -> None:
    made = maker().reference()
    written = (ROOT / "docs/reference.md").read_text("utf-8")
    assert written == made, "python docs/make.py reference"


def test_every_variable_of_ours_is_documented() -> None:
    told = (ROOT / "docs/output.md").read_text("utf-8")
    for path in (ROOT / "skillpm").rglob("*.py"):
        for name in re.findall(r"[\"'](SKILL_[A-Z_]+)[\"']", path.read_text("utf-8")):
            assert name.endswith("_") or f"`{name}`" in told, f"{name}, read in {path.name}"


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_of_each_main_command_is_there_and_shown(name: str) -> None:
    picture = ROOT / f"docs/pictures/{name}.svg"
    assert ET.parse(picture).getroot().tag.endswith("svg")
    assert f"pictures/{name}.svg" in (ROOT / "docs/guide.md").read_text("utf-8")
