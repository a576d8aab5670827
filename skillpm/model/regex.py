"""Regular expressions that are compiled when they are first used.

The scanner has hundreds, and one command uses a few of them; to compile all when the modules are
loaded would take longer than most commands do.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, Final, cast

_METHODS: Final = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, compiled at the first use; a mistake in it is told then.

    The `re` of a match is the compiled expression, and not what is returned here.
    """
    return cast("re.Pattern[AnyStr]", _Late(pattern, flags))


class _Late:
    """Stands for a compiled expression; its methods are looked up once."""

    __slots__ = ("_compiled", "_flags", "_pattern", *_METHODS)

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._pattern = pattern
        self._flags = flags
        self._compiled: re.Pattern[Any] | None = None

    def __getattr__(self, name: str) -> Any:
        """Compile; from now on the methods are found without this detour."""
        if self._compiled is None:
            self._compiled = re.compile(self._pattern, self._flags)
            for method in _METHODS:
                setattr(self, method, getattr(self._compiled, method))
        return getattr(self._compiled, name)
