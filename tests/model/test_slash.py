"""What a skill is called where people type `/name`."""

from __future__ import annotations

import pytest

from skillpm.model.slash import Collision, assign, command_of

LONG = "a-very-long-name-of-a-skill-that-goes"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("weather", "weather"),
        ("read-pdf", "read_pdf"),
        ("7zip", "7zip"),
        ("Über mich!", "ber_mich"),
        (f"{LONG}-on", "a_very_long_name_of_a_skill_that"),
        ("abcdefghijklmnopqrstuvwxyz01234-x", "abcdefghijklmnopqrstuvwxyz01234"),
    ],
)
def test_the_command_of_a_name(name: str, command: str) -> None:
    assert command_of(name) == command
    assert len(command) <= 32


def test_a_command_of_the_host_wins_and_so_does_the_first_of_two_skills() -> None:
    names = ["help", "weather", f"{LONG}-one", f"{LONG}-two", "deploy"]
    given, collisions = assign(names, ["/Deploy"])
    assert given == {"weather": "weather", "a_very_long_name_of_a_skill_that": f"{LONG}-one"}
    assert collisions == [
        Collision("help", "help", "the host"),
        Collision(f"{LONG}-two", "a_very_long_name_of_a_skill_that", f"{LONG}-one"),
        Collision("deploy", "deploy", "the host"),
    ]
