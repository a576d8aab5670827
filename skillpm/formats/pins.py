"""The pins of a tap as JSON text, and back."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from skillpm.errors import StateError
from skillpm.model.pins import Known, Pins, Signer


def pins_text(pins: Pins) -> str:
    """Pins as JSON text."""
    return json.dumps(dataclasses.asdict(pins), sort_keys=True)


def read_pins(text: str) -> Pins:
    """The pins that `pins_text` wrote.

    Raises:
        StateError: the text is something else.
    """
    try:
        value: dict[str, Any] = json.loads(text)
        known = {name: Known(**one) for name, one in value.pop("known", {}).items()}
        signers, held = (
            tuple(Signer(**one) for one in value.pop(key, ())) for key in ("signers", "held")
        )
        roots = tuple(value.pop("roots", ()))
        pins = Pins(roots=roots, signers=signers, held=held, known=known, **value)
        _check(pins)
    except (ValueError, TypeError, AttributeError) as error:
        raise StateError(f"the pins of a tap in state.db are damaged: {error}") from None
    return pins


def _check(pins: Pins) -> None:
    texts = [*pins.roots, pins.first, pins.signed_by, pins.expires]
    texts += [
        text for signer in (*pins.signers, *pins.held) for text in dataclasses.astuple(signer)
    ]
    texts += [text for one in pins.known.values() for text in dataclasses.astuple(one)]
    texts += [text for item in pins.retired.items() for text in item]
    version = pins.version
    whole = version is None or (isinstance(version, int) and not isinstance(version, bool))
    if not whole or not all(isinstance(text, str) for text in texts):
        raise TypeError("something is of another kind")
