"""The fixtures of the journeys and of adoptions."""

from __future__ import annotations

from journeys.world import person, world

from operations.adoption import project

__all__ = ["person", "project", "world"]
