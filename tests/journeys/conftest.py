"""The fixtures of the journeys."""

from __future__ import annotations

from journeys.team import team
from journeys.world import person, world

__all__ = ["person", "team", "world"]
