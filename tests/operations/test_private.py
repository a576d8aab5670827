"""A private repository is installed and updated with a token that nobody gets to see."""

from __future__ import annotations

import base64

from journeys.world import World, document, packages
from support.exchange import Reply, Request
from support.files import tree_of

TOKEN = "t0k3n-of-the-firm"
ENCODED = base64.b64encode(f"oauth2:{TOKEN}".encode()).decode()


def lock(world: World) -> None:
    """Let the git server answer 404 to whoever has no token, as GitHub does."""

    def check(request: Request) -> Reply | None:
        known = request.headers.get("Authorization") == f"Basic {ENCODED}"
        return None if known else Reply(404, b"not found")

    world.git.on_request(check)


def test_without_the_token_it_is_not_found_and_with_it_all_goes_well(world: World) -> None:
    repo = world.git.repo("firm/skills")
    repo.commit(packages("tidy-up"))
    lock(world)
    words = ("install", "tidy-up", "--source", "firm/skills", "--yes")
    told = world.person.error(*words, status=3)
    assert "not found, or is private and we have no access" in told
    assert "GITHUB_TOKEN" in told
    with (world.person.home / "config.toml").open("a") as config:
        config.write(f'[tokens]\n"{world.git.url}" = "FIRM_TOKEN"\n')
    env = {"FIRM_TOKEN": TOKEN, "GITHUB_TOKEN": "another-" + TOKEN}
    said = [world.person.skill(*words, env=env)]
    repo.commit({"skills/tidy-up/SKILL.md": document("tidy-up", "Newer.")})
    for more in (("outdated",), ("update", "--all", "--yes"), ("info", "tidy-up"),
                 ("audit", "--json"), ("list", "--json"), ("cache", "info")):  # fmt: skip
        status = 1 if more[0] == "outdated" else 0
        said.append(world.person.skill(*more, status=status, env=env))
    said.append(
        world.person.skill("update", "tidy-up", status=3, env={"FIRM_TOKEN": "wrong-" + TOKEN})
    )
    spoken = "".join(result.out + result.err for result in said)
    written = repr(tree_of(world.person.home.parent))
    for secret in (TOKEN, ENCODED):
        assert secret not in spoken
        assert secret not in written
    assert "FIRM_TOKEN gives no access" in said[-1].err
    assert "another-" not in "".join(str(request.headers) for request in world.git.requests)
