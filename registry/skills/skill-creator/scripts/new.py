#!/usr/bin/env python3
"""Start a new skill: a folder with a SKILL.md to fill in.

Nothing that exists is overwritten. Prints the path of the new SKILL.md.

Exit statuses:
  0  made
  1  there is something of that name already
  2  wrong usage (a name or a description the format does not allow)
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

MADE, EXISTS = 0, 1
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
BODY = """---
name: {name}
description: {description}
metadata:
  version: "0.1.0"
---

# {title}

## When it applies

(Which requests, files or errors call for this; and what looks like it but isn't.)

## Steps

1. (One action a step, with the exact command and what it prints when it worked.)

## What can go wrong

- **(What one sees)**: (what to do.)

## Check before you say it is done

1. (Something that would fail if the work were not done.)

## When to ask

(What the person decides, not you.)
"""


def main() -> int:
    """Run; see the module text for the exit statuses."""
    made = argparse.ArgumentParser(
        prog="new.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("name", help="lower-case letters, digits, single inner hyphens")
    made.add_argument("--description", required=True, help="what it does, and when to use it")
    made.add_argument("--into", type=Path, default=Path(), help="folder the skill goes into (here)")
    made.add_argument("--scripts", action="store_true", help="with an empty scripts/ folder")
    options = made.parse_args()
    if not NAME.fullmatch(options.name) or len(options.name) > 64:
        made.error("the name takes lower-case letters, digits and single inner hyphens, at most 64")
    description = " ".join(options.description.split())
    if not 1 <= len(description) <= 1024 or not description.isprintable():
        made.error("the description must have 1 to 1024 printable characters")
    root = options.into / options.name
    title = options.name.replace("-", " ").capitalize()
    try:
        root.mkdir(parents=True)
    except FileExistsError:
        print(f"{root} exists already; edit it instead", file=sys.stderr)
        return EXISTS
    if options.scripts:
        (root / "scripts").mkdir()
    quoted = json.dumps(description, ensure_ascii=False)  # a JSON string is a YAML string
    text = BODY.format(name=options.name, description=quoted, title=title)
    with (root / "SKILL.md").open("x", encoding="utf-8") as file:
        file.write(text)
    print(root / "SKILL.md")
    return MADE


if __name__ == "__main__":
    sys.exit(main())
