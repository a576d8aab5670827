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
        return Pins(roots=roots, signers=signers, held=held, known=known, **value)
    except (ValueError, TypeError, AttributeError) as error:
        raise StateError(f"the pins of a tap in state.db are damaged: {error}") from None
