"""The thirteen types of actions: what each takes, and which permission and route it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["text", "number", "integer", "boolean", "list", "mapping", "duration", "any"]
"""What a parameter may be; a template may stand for any of them."""

OnInterrupt = Literal["stop", "repeat"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an action.

    Attributes:
        required: whether an action in its full form must have it.
        choices: the only texts it may be; empty for any.
    """

    kinds: tuple[Kind, ...]
    required: bool = False
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ActionType:
    """A row of the table.

    Attributes:
        permission: what a skill must declare for it; "" for none.
        endpoint: the Brevo route that it calls, as `brevoEndpoints` writes it; "" for none.
        one_of: of these parameters at least one must be there.
        outside: whether it has an effect outside this program.
        on_interrupt: what a run does about one whose outcome is unknown, unless the action says:
            `repeat` where doing it twice is doing it once.
        verb: of the events that choose between bare actions: `created`, `updated`, `deleted`.
    """

    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    permission: str = ""
    endpoint: str = ""
    one_of: tuple[str, ...] = ()
    outside: bool = True
    on_interrupt: OnInterrupt = "stop"
    verb: str = ""


def _p(*kinds: Kind, required: bool = False, choices: tuple[str, ...] = ()) -> Parameter:
    return Parameter(kinds, required, choices)


_CONTACT: Final = {
    "email": _p("text"),
    "ext_id": _p("text"),
    "attributes": _p("mapping"),
    "list_ids": _p("list"),
}
_IDENTIFIER: Final = {"identifier": _p("text", "integer"), "email": _p("text")}
_MESSAGE: Final = {
    "template_id": _p("integer"),
    "params": _p("mapping"),
}

ACTION_TYPES: Final[Mapping[str, ActionType]] = {
    "brevo/send-email": ActionType(
        {
            **_MESSAGE,
            "to": _p("text", "list", "mapping", required=True),
            "cc": _p("text", "list"),
            "bcc": _p("text", "list"),
            "reply_to": _p("text", "mapping"),
            "sender": _p("text", "mapping"),
            "subject": _p("text"),
            "html_content": _p("text"),
            "text_content": _p("text"),
            "tags": _p("list"),
            "headers": _p("mapping"),
        },
        "email:send",
        "POST /v3/smtp/email",
        one_of=("template_id", "html_content", "text_content"),
    ),
    "brevo/send-sms": ActionType(
        {
            "to": _p("text", required=True),
            "content": _p("text", required=True),
            "sender": _p("text", required=True),
            "tag": _p("text"),
            "type": _p("text", choices=("transactional", "marketing")),
            "unicode": _p("boolean"),
        },
        "sms:send",
        "POST /v3/transactionalSMS/send",
    ),
    "brevo/send-whatsapp": ActionType(
        {
            **_MESSAGE,
            "to": _p("text", "list", required=True),
            "sender": _p("text", required=True),
            "text": _p("text"),
        },
        "whatsapp:send",
        "POST /v3/whatsapp/sendMessage",
        one_of=("template_id", "text"),
    ),
    "brevo/create-contact": ActionType(
        {**_CONTACT, "update_enabled": _p("boolean")},
        "contacts:write",
        "POST /v3/contacts",
        one_of=("email", "ext_id", "attributes"),
        on_interrupt="repeat",
        verb="created",
    ),
    "brevo/update-contact": ActionType(
        {**_CONTACT, **_IDENTIFIER, "unlink_list_ids": _p("list")},
        "contacts:write",
        "PUT /v3/contacts/{identifier}",
        one_of=("identifier", "email"),
        on_interrupt="repeat",
        verb="updated",
    ),
    "brevo/delete-contact": ActionType(
        _IDENTIFIER,
        "contacts:write",
        "DELETE /v3/contacts/{identifier}",
        one_of=("identifier", "email"),
        on_interrupt="repeat",
        verb="deleted",
    ),
    "brevo/add-to-list": ActionType(
        {
            "list_id": _p("integer", required=True),
            "email": _p("text"),
            "emails": _p("list"),
            "ids": _p("list"),
        },
        "lists:write",
        "POST /v3/contacts/lists/{listId}/contacts/add",
        one_of=("email", "emails", "ids"),
        on_interrupt="repeat",
    ),
    "brevo/remove-from-list": ActionType(
        {
            "list_id": _p("integer", required=True),
            "email": _p("text"),
            "emails": _p("list"),
            "ids": _p("list"),
        },
        "lists:write",
        "POST /v3/contacts/lists/{listId}/contacts/remove",
        one_of=("email", "emails", "ids"),
        on_interrupt="repeat",
    ),
    "brevo/track-event": ActionType(
        {
            "event_name": _p("text", required=True),
            "email": _p("text"),
            "identifiers": _p("mapping"),
            "contact_properties": _p("mapping"),
            "event_properties": _p("mapping"),
            "event_date": _p("text"),
        },
        "events:write",
        "POST /v3/events",
        one_of=("email", "identifiers"),
    ),
    "http/request": ActionType(
        {
            "url": _p("text", required=True),
            "method": _p(
                "text", choices=("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
            ),
            "headers": _p("mapping"),
            "query": _p("mapping"),
            "json": _p("any"),
            "body": _p("text"),
            "timeout": _p("duration", "number"),
        },
        "http:{host}",
    ),
    "transform/map": ActionType(
        {
            "input": _p("any"),
            "fields": _p("mapping"),
            "mapping": _p("mapping"),
            "output": _p("text"),
        },
        one_of=("fields", "mapping"),
        outside=False,
    ),
    "control/delay": ActionType(
        {"duration": _p("duration", "number", required=True)}, outside=False
    ),
    "control/condition": ActionType(
        {
            "condition": _p("text", "boolean", required=True),
            "then": _p("text"),
            "else": _p("text"),
        },
        one_of=("then", "else"),
        outside=False,
    ),
}

PERMISSIONS: Final = {
    "contacts:read": "read the data of contacts",
    "contacts:write": "create, change and delete contacts",
    "email:send": "send transactional e-mails",
    "sms:send": "send SMS messages",
    "whatsapp:send": "send WhatsApp messages",
    "lists:write": "put contacts on lists and take them off",
    "events:write": "track events",
}
"""What a skill can ask for; `http:HOST` besides, for requests to one host (`http:*.example.com`
for all of a domain)."""
