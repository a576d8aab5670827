"""Over HTTP nobody is answered but programs of this machine that have the token."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from support.inside import workspace

from skillpm.errors import StateError, UsageError
from skillpm.mcp.gate import App, Gate, Receive, Scope, Send
from skillpm.mcp.token import token

TOKEN = "0123456789abcdef"
HOST = ("Host", "127.0.0.1:8427")
RIGHT = ("Authorization", f"Bearer {TOKEN}")


async def nothing(scope: Scope, receive: Receive, send: Send) -> None:
    raise AssertionError("nobody is let through here")


def refusal(*headers: tuple[str, str], app: App = nothing) -> int:
    found = Gate(app, 8427, TOKEN).refusal([(n.encode(), v.encode()) for n, v in headers])
    return found[0] if found else 0


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ((HOST, RIGHT), 0),
        ((("host", "LOCALHOST:8427"), ("authorization", f"bearer {TOKEN}")), 0),
        ((HOST, RIGHT, ("Origin", "http://127.0.0.1:8427")), 0),
        ((HOST, RIGHT, ("Origin", "http://localhost:8427")), 0),
        ((RIGHT,), 421),
        ((HOST, HOST, RIGHT), 421),
        ((("Host", "evil.example:8427"), RIGHT), 421),
        ((("Host", "127.0.0.1"), RIGHT), 421),
        ((("Host", "127.0.0.1:84270"), RIGHT), 421),
        ((("Host", "127.0.0.1:8427.evil.example"), RIGHT), 421),
        ((("Host", "0.0.0.0:8427"), RIGHT), 421),
        ((HOST, RIGHT, ("Origin", "null")), 403),
        ((HOST, RIGHT, ("Origin", "http://evil.example")), 403),
        ((HOST, RIGHT, ("Origin", "https://127.0.0.1:8427")), 403),
        ((HOST, RIGHT, ("Origin", "http://127.0.0.1:8427"), ("Origin", "http://x")), 403),
        ((HOST,), 401),
        ((HOST, ("Authorization", "Bearer ")), 401),
        ((HOST, ("Authorization", TOKEN)), 401),
        ((HOST, ("Authorization", f"Basic {TOKEN}")), 401),
        ((HOST, ("Authorization", f"Bearer {TOKEN}x")), 401),
        ((HOST, ("Authorization", f"Bearer {TOKEN[:-1]}")), 401),
        ((HOST, ("Authorization", "Bearer ü")), 401),
        ((HOST, RIGHT, RIGHT), 401),
    ],
)
def test_who_is_let_through(headers: tuple[tuple[str, str], ...], status: int) -> None:
    assert refusal(*headers) == status


def test_a_token_is_made_once_for_its_owner_alone(home: Path) -> None:
    host = workspace(home).host
    made, place = token(host)
    assert len(made) >= 40
    assert token(host) == (made, place)
    assert stat.S_IMODE(Path(place).stat().st_mode) == 0o600


def test_the_variable_wins_and_is_not_shown(home: Path) -> None:
    given = workspace(home, {"SKILL_MCP_TOKEN": TOKEN}).host
    assert token(given) == (TOKEN, "SKILL_MCP_TOKEN")
    assert not (home / "mcp-token").exists()


@pytest.mark.parametrize(
    "bad", ["short", "with a space in it", "ünüsable-in-a-header", "line\nend-line-end"]
)
def test_a_token_that_is_none_is_refused(home: Path, bad: str) -> None:
    with pytest.raises(UsageError, match="16 visible"):
        token(workspace(home, {"SKILL_MCP_TOKEN": bad}).host)
    home.mkdir(parents=True)
    (home / "mcp-token").write_text(bad)
    with pytest.raises(StateError, match="holds no token"):
        token(workspace(home).host)
