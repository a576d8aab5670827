"""What a new skill begins with: documents that validate and scan clean as they stand."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, Literal

from skillpm.model.name import SkillName
from skillpm.model.tree import ENTRY, File, Tree

Kind = Literal["document", "package", "workflow"]

_DOCUMENT: Final = """\
---
name: {name}
description: {description}
metadata:
  version: "0.1.0"
---

# {title}

Say in a sentence what is there when this is done.

## Before you begin

- What must be there: files, access, commands.

## Steps

1. The first thing to do, as a command or a clear instruction.
2. The next one.{script}
3. Check the result: say what is seen when it is right.

## When something goes wrong

- What is seen, and what to do then.{reference}
"""
_SCRIPT: Final = '''\
#!/usr/bin/env python3
"""Do the part of {name} that needs no judgement."""

import argparse


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", help="what to work on")
    print(parser.parse_args().text)


if __name__ == "__main__":
    main()
'''
_REFERENCE: Final = """\
# {title}: details

What is needed now and then, so that the procedure itself stays short.
"""
_WORKFLOW: Final = """\
---
name: {name}
version: 0.1.0
description: {description}
category: integrations
status: experimental

triggers:
  - event: {event}_requested
    conditions:
      - email: exists
    debounce: 5m

actions:
  - id: wait
    type: control/delay
    parameters:
      duration: 1h

  - id: send_message
    type: brevo/send-email
    parameters:
      template_id: 1
      to: "{{{{ contact.email }}}}"
      params:
        first_name: "{{{{ contact.firstName | default: 'friend' }}}}"
    retry:
      attempts: 3
      backoff: exponential
    on_error: stop

brevoEndpoints:
  - POST /v3/smtp/email

permissions:
  - email:send
---

# {title}

Say what starts this workflow, what it does, and what is there when it is done.
"""


def skeleton(name: SkillName, kind: Kind, description: str = "") -> Tree:
    """The files of a new skill.

    Args:
        name: what it will be called.
        kind: one document; a folder with a script and a reference; or a workflow.
        description: what it is for and when to use it; "" for a sentence that says what to write.
    """
    return Tree.of(_MAKERS[kind](name, description or _unwritten(name)))


def _unwritten(name: SkillName) -> str:
    return f"Say here what {name} does. Use when somebody asks for it."


def _document(name: SkillName, description: str) -> list[File]:
    return [File(ENTRY, _filled(_DOCUMENT, name, description, script="", reference=""))]


def _package(name: SkillName, description: str) -> list[File]:
    script = " `scripts/main.py TEXT` does the part that needs no judgement."
    reference = "\n\nMore is in `references/details.md`."
    return [
        File(ENTRY, _filled(_DOCUMENT, name, description, script=script, reference=reference)),
        File("references/details.md", _filled(_REFERENCE, name)),
        File("scripts/main.py", _filled(_SCRIPT, name), executable=True),
    ]


def _workflow(name: SkillName, description: str) -> list[File]:
    return [File(ENTRY, _filled(_WORKFLOW, name, description, event=name.replace("-", "_")))]


def _filled(template: str, name: SkillName, description: str = "", **parts: str) -> bytes:
    title = name.replace("-", " ").capitalize()
    told = json.dumps(description, ensure_ascii=False)  # a JSON text is a YAML text
    return template.format(name=name, title=title, description=told, **parts).encode()


_MAKERS: Final[dict[Kind, Callable[[SkillName, str], list[File]]]] = {
    "document": _document,
    "package": _package,
    "workflow": _workflow,
}
