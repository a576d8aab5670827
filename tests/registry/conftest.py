"""A site to watch, and a place for what a watch remembers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .site import Site


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as made:
        yield made


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "state.json"
