"""A workflow skill: what starts it, what must hold, what it does, and what it may do.

The second dialect of a skill's header. What is written here has been checked by
`formats.workflow`; running it is `skillpm.workflow`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

Category = Literal[
    "data-sync", "email-marketing", "sms-whatsapp", "loyalty", "analytics", "integrations"
]
Status = Literal["stable", "beta", "experimental"]
Operator = Literal["=", "!=", ">", ">=", "<", "<=", "contains", "starts_with", "in", "exists"]
Backoff = Literal["constant", "linear", "exponential"]
OnError = Literal["stop", "continue"]
OnInterrupt = Literal["stop", "continue", "repeat"]

CATEGORIES: Final[tuple[str, ...]] = get_args(Category)
STATUSES: Final[tuple[str, ...]] = get_args(Status)
OPERATORS: Final[tuple[str, ...]] = get_args(Operator)
BACKOFFS: Final[tuple[str, ...]] = get_args(Backoff)

STOP: Final = "stop"
"""The target of a branch that ends the run."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison.

    Attributes:
        field: a path with dots into the data, or a whole template, `{{ cart.converted }}`.
        operand: what it is compared with, as text; "" for `exists`.
        written: the condition as its author wrote it.
    """

    field: str
    operator: Operator
    operand: str
    written: str


@dataclass(frozen=True, slots=True)
class EventTrigger:
    """Starts a run when an event arrives and every condition holds.

    Attributes:
        debounce: seconds in which one subject starts no second run; 0 for none.
    """

    event: str
    conditions: tuple[Condition, ...] = ()
    debounce: float = 0.0


@dataclass(frozen=True, slots=True)
class ScheduleTrigger:
    """Starts a run by the clock.

    Attributes:
        schedule: five cron fields; `every_hour` and `every_day` are read as such.
        timezone: an IANA name.
    """

    schedule: str
    timezone: str = "UTC"
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class WebhookTrigger:
    """Starts a run when a request arrives.

    Attributes:
        path: with its leading slash.
        authentication: None for none, which is never served beyond loopback.
    """

    path: str
    method: str = "POST"
    authentication: Literal["api_key"] | None = None
    conditions: tuple[Condition, ...] = ()


Trigger = EventTrigger | ScheduleTrigger | WebhookTrigger


@dataclass(frozen=True, slots=True)
class Retry:
    """How often an action is tried, and how long is waited in between.

    Attributes:
        attempts: all of them, the first included.
        delay: seconds before the second attempt; `backoff` says how it grows.
        jitter: whether a random part, up to half, is taken off each wait.
    """

    attempts: int = 1
    backoff: Backoff = "exponential"
    delay: float = 1.0
    jitter: bool = True


@dataclass(frozen=True, slots=True)
class Action:
    """One step.

    Attributes:
        id: unique in its workflow; for a bare type it is made of the type.
        parameters: as written, templates unrendered.
        bare: whether it was written as a type alone: its parameters come from the data, and it
            runs only when the event's verb is not that of another bare action.
        on_interrupt: what becomes of it when a run stopped while its effect was under way.
    """

    id: str
    type: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    retry: Retry = Retry()
    on_error: OnError = "stop"
    on_interrupt: OnInterrupt | None = None
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """The MCP tool that a workflow is offered as.

    Attributes:
        name: as its author wrote it, `tajo/skill-name`.
        schema: the JSON Schema of its arguments.
        servers: the Brevo modules that it needs.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    servers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow skill, read and valid.

    Attributes:
        environment: the variables that its header declares, the only ones templates may read.
        endpoints: `METHOD /path` each, of `brevoEndpoints`.
    """

    name: str
    version: str
    description: str
    category: Category
    triggers: tuple[Trigger, ...]
    actions: tuple[Action, ...]
    status: Status = "stable"
    permissions: tuple[str, ...] = ()
    endpoints: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    featured: bool = False
    tool: Tool | None = None
    environment: tuple[str, ...] = ()

    def action(self, name: str) -> Action | None:
        """The action of an id."""
        return next((one for one in self.actions if one.id == name), None)
