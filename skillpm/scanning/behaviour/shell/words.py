"""Abstract values: what is known of a text before the code runs, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from skillpm.model.regex import regex
from skillpm.scanning.behaviour.acts import HOLE, MAX_TEXT, Carries, Hop

MAX_TRAIL: Final = 8
_SECRET_NAME: Final = regex(
    r"(?:^|_)(?:TOKEN|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|CREDENTIALS?|APIKEY|PAT|AUTH"
    r"|MNEMONIC|SEED_PHRASE|(?:API|ACCESS|SECRET|PRIVATE|SIGNING|ENCRYPTION|AUTH|SSH|MASTER|DEPLOY"
    r"|SERVICE|ACCOUNT|CLIENT|LICENSE|OPENAI|ANTHROPIC)_?KEY|KEY)(?:_?(?:ID|VALUE|B64|BASE64))?\d*$"
)
_SECRET_INFIX: Final = regex(
    r"TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIAL"
)
_NOT_SECRET: Final = regex(
    r"(?:^|_)(?:MAX|MIN|NUM|COUNT|LIMIT|TOTAL|LEN|LENGTH|BUDGET|PER|URL|URI|FILE|PATH|DIR|NAME"
    r"|TYPE|HOST|PORT|TTL|EXPIRY|EXPIRES|PUBLIC|TOKENS|OLDPWD|LIFETIME|ENDPOINT)(?:_|$)|^PWD$"
)
_HOLES: Final = HOLE * 2


def is_secret_name(name: str) -> bool:
    """Whether a variable of this name holds a secret: `GITHUB_TOKEN`, not `MAX_TOKENS`."""
    upper = name.upper()
    if _NOT_SECRET.search(upper):
        return False
    return bool(_SECRET_NAME.search(upper) or _SECRET_INFIX.search(upper))


class Value(NamedTuple):
    """What is known of a text, and what flowed into it.

    Attributes:
        text: the text; `HOLE` for each part that is not known.
        carries: where its parts come from.
        variables: names of the secret variables in it.
        trail: the way it took, oldest step first.
        key: tells two texts apart that have different unknown parts; "" when all is known.
        joined: whether pieces were put together in the middle of a word of letters.
    """

    text: str = ""
    carries: Carries = Carries.NOTHING
    variables: frozenset[str] = frozenset()
    trail: tuple[Hop, ...] = ()
    key: str = ""
    joined: bool = False

    @property
    def known(self) -> bool:
        """Whether the whole text is known."""
        return HOLE not in self.text

    @property
    def identity(self) -> str:
        """The text with names in place of what is not known."""
        return self.key or self.text

    def saying(self, text: str) -> Value:
        """Another text of the same origin."""
        return Value(text[:MAX_TEXT], self.carries, self.variables, self.trail)

    def carrying(self, carries: Carries, hop: Hop | None = None) -> Value:
        """The same text with more flowing into it, and the step that added it."""
        trail = self.trail if hop is None else (*self.trail, hop)[-MAX_TRAIL:]
        return self._replace(carries=self.carries | carries, trail=trail)


EMPTY: Final = Value()
UNKNOWN: Final = Value(HOLE)
FIFO: Final = Value(key="<fifo>")
"""What is in a named pipe before anything was written to it."""


def join(values: Sequence[Value], separator: str = "") -> Value:
    """The values one after the other; unknown neighbours become one unknown part."""
    if len(values) == 1:
        return values[0]
    text = separator.join(value.text for value in values)[:MAX_TEXT]
    while _HOLES in text:  # much faster than an expression, in a text made of holes
        text = text.replace(_HOLES, HOLE)
    key = ""
    if any(value.key for value in values):
        key = separator.join(value.identity for value in values)[:MAX_TEXT]
    return origin(values, text, key)


def lines(outputs: Sequence[Value]) -> Value:
    """What commands print one after the other."""
    printed = [value for value in outputs if value is not EMPTY]
    if len(printed) < 2:
        return printed[0] if printed else EMPTY
    ended = [v.saying(v.text + "\n") if v.text.endswith(HOLE) else v for v in printed]
    return join(ended)


def origin(values: Iterable[Value], text: str = HOLE, key: str = "") -> Value:
    """A text that was made of the values, with all that flowed into them."""
    carries, variables, trail = Carries.NOTHING, frozenset[str](), tuple[Hop, ...]()
    joined = False
    for value in values:
        joined = joined or value.joined
        if value.carries is not Carries.NOTHING:
            carries |= value.carries
            variables |= value.variables
        if value.trail and value.trail != trail:
            trail = (*trail, *value.trail)[:MAX_TRAIL]
    return Value(text[:MAX_TEXT], carries, variables, trail, key, joined)
