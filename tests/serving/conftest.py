"""The fixtures of the server's tests."""

from __future__ import annotations

from journeys.world import person, world

__all__ = ["person", "world"]
