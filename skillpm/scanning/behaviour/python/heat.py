"""Which functions are worth going through when nobody calls them: those that could act at all."""

from __future__ import annotations

from collections.abc import Sequence

from skillpm.scanning.behaviour.python.machine import Function, Module


def hot_functions(module: Module, functions: Sequence[Function]) -> list[Function]:
    """The functions of a module that could do something, or call one that could."""
    return [function for function in functions if function.frame.module is module]
