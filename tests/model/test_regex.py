"""Expressions that are compiled at the first use: the same answers, and no mistake stays unseen."""

from __future__ import annotations

import gc
import importlib
import pkgutil
import re

import pytest

import skillpm
from skillpm.model.regex import _Late, regex


def test_it_answers_like_a_compiled_one() -> None:
    pattern = r"(?P<a>b+)|c"
    late, compiled = regex(pattern, re.IGNORECASE), re.compile(pattern, re.IGNORECASE)
    for text in ("", "bb", "aBBc", "xyz"):
        assert [m.span() for m in late.finditer(text)] == [
            m.span() for m in compiled.finditer(text)
        ]
        for method in ("search", "match", "fullmatch"):
            found, other = getattr(late, method)(text, 0), getattr(compiled, method)(text, 0)
            assert (found and found.groupdict()) == (other and other.groupdict())
        assert late.sub("-", text) == compiled.sub("-", text)
        assert late.findall(text) == compiled.findall(text)
        assert late.split(text) == compiled.split(text)
    assert (late.pattern, late.flags) == (compiled.pattern, compiled.flags)


def test_bytes_are_searched_too() -> None:
    assert regex(rb"\x00+").search(b"a\0\0")


def test_a_mistake_is_told_at_the_first_use_and_again() -> None:
    late = regex("(")
    for _ in range(2):
        with pytest.raises(re.error):
            late.search("x")


def test_every_expression_of_the_package_compiles() -> None:
    for module in pkgutil.walk_packages(skillpm.__path__, "skillpm."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    late = [one for one in gc.get_objects() if type(one) is _Late]
    assert len(late) > 300
    for one in late:
        assert one.pattern is not None
