"""A catalogue of 20,000 skills, and 30 queries whose best answers in it are known.

The answers are 30 skills such as people write; the rest is made from the same words, so that every
query has rivals: names and descriptions that mention what it asks for without being about it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from skillpm.store.searching import Indexed

SIZE = 20_000

# name: what it is for | tags | trust
KNOWN = """
pdf: Read PDF files, fill their forms, merge and split them | documents | official
pdf-table-extractor: Turn tables of scanned documents into CSV | tables,ocr | community
code-review: Review a change for bugs, risks and missing tests | review,quality | official
pull-request: Write the description of a change and open it for review | git,github | community
commit: Write a commit message from the staged diff | git | official
changelog: Keep CHANGELOG.md from the history of commits | release,git | community
cut-a-release: Compute the next version, write the changelog section and the tag | release | builtin
postgresql-tuning: Find slow queries and missing indexes in a database | sql,database | community
sql: Write and explain queries for any database | database | official
docker-compose: Describe services, volumes and networks in one file | containers | community
kubernetes-debug: Find out why a pod does not start | containers,k8s | community
terraform-plan: Explain what an infrastructure plan would change | cloud,iac | community
javascript-lint: Configure ESLint and fix what it reports | web,quality | community
typescript-migration: Move a code base from JavaScript file by file | web | community
pytest-fixtures: Share set-up between tests without repeating it | python,testing | community
unit-tests: Write tests for a function before it is changed | testing | official
webapp-testing: Drive a web application with Playwright and check it | testing,browser | official
web-scraper: Collect data from pages politely, with limits | crawling | community
internal-comms: Write newsletters, status reports and incident updates | writing | official
meeting-notes: Summarise a call into decisions and action items | writing | community
brand-guidelines: Apply colours and typography of a company to artifacts | design | official
slide-deck: Build a presentation in PowerPoint from an outline | documents,pptx | community
spreadsheet: Create and edit Excel workbooks with formulas | documents,xlsx | official
csv-cleaner: Repair encodings, quotes and columns of tabular files | data | community
abandoned-cart-recovery: Recover abandoned shopping carts with emails | email | official
invoice-organizer: Sort receipts and bills for taxes | finance | community
translate: Translate a text and keep its formatting | language | official
security-audit: Look for injections, secrets and unsafe defaults | security | community
mcp-builder: Build a server for the Model Context Protocol | mcp,api | official
image-resizer: Scale, crop and compress pictures | images | community
"""

QUERIES = (
    ("pdf", "pdf"),
    ("pdf table", "pdf-table-extractor"),
    ("table extractor", "pdf-table-extractor"),
    ("code review", "code-review"),
    ("review code", "code-review"),
    ("pull-request", "pull-request"),
    ("commit message", "commit"),
    ("commit", "commit"),
    ("changelog", "changelog"),
    ("release tag", "cut-a-release"),
    ("postgres tuning", "postgresql-tuning"),
    ("sql", "sql"),
    ("slow queries", "postgresql-tuning"),
    ("dockercompose", "docker-compose"),
    ("kubernets debug", "kubernetes-debug"),
    ("k8s", "kubernetes-debug"),
    ("script", "typescript-migration"),
    ("eslint", "javascript-lint"),
    ("pytest fixture", "pytest-fixtures"),
    ("unit test", "unit-tests"),
    ("webapp test", "webapp-testing"),
    ("webscraper", "web-scraper"),
    ("meeting summarise", "meeting-notes"),
    ("brand colours", "brand-guidelines"),
    ("pptx", "slide-deck"),
    ("spredsheet", "spreadsheet"),
    ("carts", "abandoned-cart-recovery"),
    ("transalte", "translate"),
    ("mcp server", "mcp-builder"),
    ("wright", "webapp-testing"),
)

_WORDS = """
    data code test file web tool agent skill project report api review build write create release
    git manage search read document email table image text query database server client cloud
    deploy check format convert extract merge split plan summary meeting note message commit branch
    issue ticket customer order invoice payment product catalog cart campaign contact event log
    metric alert monitor debug trace profile cache queue job schedule backup restore migrate schema
    index model train prompt chat voice audio video picture slide sheet chart graph map design
    brand style color font page site form field label tag list filter sort group user team role
    policy secret token security audit scan fix lint refactor docs guide template example python
    javascript typescript rust go java kotlin swift ruby php sql postgres mysql sqlite redis kafka
    docker kubernetes terraform ansible aws azure gcp linux windows macos ios android react vue
    angular svelte node django flask rails spring graphql rest grpc oauth json yaml csv xml html
    css markdown latex pdf excel word powerpoint slack discord telegram notion jira linear github
    gitlab bitbucket stripe shopify brevo mailchimp hubspot salesforce zendesk figma blender unity
"""
WORDS = tuple(_WORDS.split())
ACTIONS = (
    "write",
    "review",
    "check",
    "build",
    "convert",
    "extract",
    "plan",
    "fix",
    "scan",
    "sync",
    "watch",
    "draft",
    "sort",
)
SHAPES = (
    "{a} {w} and {x} for {y} projects, with {z}",
    "Helps to {a} {w} when the {x} of a {y} is ready; knows {z}",
    "A {w} {x} that can {a} {y}, {z} and more",
    "Use when somebody asks to {a} {w} for {x}. Works with {y} and {z}",
)


def known() -> Iterator[Indexed]:
    """The skills that are the answers."""
    for line in KNOWN.strip().splitlines():
        name, _, rest = line.partition(": ")
        description, tags, trust = rest.split(" | ")
        yield entry(name, description, tuple(tags.split(",")), trust)


def entry(name: str, description: str, tags: tuple[str, ...], trust: str) -> Indexed:
    return Indexed(name, f"@someone/{name}", description, "1.0.0", trust, tags=tags)


def rivals(rng: random.Random) -> Iterator[Indexed]:
    """Skills made of the same words, the words of the answers among them."""
    used = {part for item in known() for part in item.name.split("-")}
    words = sorted({*WORDS, *used} - {"a"})
    while True:
        first, second, *others = rng.sample(words, 6)
        action = rng.choice(ACTIONS)
        name = rng.choice(
            (f"{first}-{second}", f"{action}-{first}", f"{first}-{second}-{others[0]}")
        )
        w, x, y, z = others
        text = rng.choice(SHAPES).format(a=action, w=w, x=x, y=y, z=z)
        trust = "official" if rng.random() < 0.02 else "community"
        yield entry(name, text, tuple(others[:2]), trust)


def catalogue() -> list[Indexed]:
    """Answers and rivals by name, one of each name."""
    named = {item.name: item for item in known()}
    made = rivals(random.Random(30))
    while len(named) < SIZE:
        item = next(made)
        named.setdefault(item.name, item)
    return [named[name] for name in sorted(named)]
