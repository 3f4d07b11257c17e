"""Macros prepare a change of a ticket; applying one shows what the change would be, and an update makes it.

Source: the Macros page of the Support API v2 and "Actions reference" (developer.zendesk.com, read in 2025).
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

from pydantic import Field

from environment.apps.crud import crud, find
from environment.apps.kit import Args, Call, Route
from environment.apps.zendesk.people import acting_user
from environment.apps.zendesk.rows import Group, Macro, MacroAction, Ticket, User, tag_set
from environment.apps.zendesk.style import STYLE, PageArgs, list_body
from environment.apps.zendesk.views import record_view, ticket_view

_PLAIN = ("status", "type", "priority", "subject")


class OneMacro(Args):
    id: str = Field(description="Macro id")


class MacroOnTicket(OneMacro):
    ticket_id: str = Field(description="Ticket id")


class SearchMacros(PageArgs):
    query: str = Field(description="Part of the title")
    active: bool | None = Field(None, description="Only active ones")


def list_active_macros(call: Call, args: PageArgs) -> dict[str, Any]:
    """List active macros."""
    return _listed(call, call.tables.where(Macro, "active", True), "/macros/active", args)


def search_macros(call: Call, args: SearchMacros) -> dict[str, Any]:
    """Find macros by their title."""
    wanted = args.query.casefold()
    macros = [
        macro
        for macro in call.tables.all(Macro)
        if wanted in macro.title.casefold() and args.active in (None, macro.active)
    ]
    return _listed(call, macros, "/macros/search", args)


def show_macro_changes(call: Call, args: OneMacro) -> dict[str, Any]:
    """Show what a macro changes, without changing anything."""
    macro = find(call, STYLE, Macro, args.id, "macro")
    fields: dict[str, Any] = {}
    comment: dict[str, Any] = {}
    for action in macro.actions:
        _apply(call, action, fields, comment, (), lambda text: text)
    return {"result": {"ticket": {**fields, **({"comment": comment} if comment else {})}}}


def show_ticket_after_macro(call: Call, args: MacroOnTicket) -> dict[str, Any]:
    """Show a ticket as a macro would leave it, without changing it."""
    ticket = find(call, STYLE, Ticket, args.ticket_id, "ticket")
    macro = find(call, STYLE, Macro, args.id, "macro")
    fields: dict[str, Any] = {}
    comment: dict[str, Any] = {}
    for action in macro.actions:
        _apply(call, action, fields, comment, ticket.tags, lambda text: _filled_in(call, ticket, text))
    view = ticket_view(call, ticket)
    for item in fields.pop("custom_fields", []):
        view["custom_fields"] = [item if item["id"] == held["id"] else held for held in view["custom_fields"]]
    return {"result": {"ticket": {**view, **fields}, **({"comment": comment} if comment else {})}}


def _listed(call: Call, macros: list[Macro], path: str, args: PageArgs) -> dict[str, Any]:
    return list_body(call, macros, lambda macro: record_view(call, macro, "macro"), "macros", path, args)


def _apply(
    call: Call,
    action: MacroAction,
    fields: dict[str, Any],
    comment: dict[str, Any],
    tags: tuple[str, ...],
    fill: Callable[[str], str],
) -> None:
    """Add what one action does to the ticket's `fields` and to the `comment`."""
    name, text = action.field, _text(action.value)
    if name in _PLAIN:
        fields[name] = fill(text)
    elif name in ("group_id", "assignee_id"):
        key = acting_user(call).id if text == "current_user" else text
        fields[name] = int(key) if key.isdecimal() else None
    elif name in ("set_tags", "current_tags", "remove_tags"):
        held, given = {*fields.get("tags", tags)}, {*tag_set(text)}
        result = {"set_tags": given, "current_tags": held | given, "remove_tags": held - given}[name]
        fields["tags"] = sorted(result)
    elif name in ("comment_value", "comment_value_html"):
        comment["body"] = fill(text)
        comment.setdefault("public", True)
    elif name == "comment_mode_is_public":
        comment["public"] = text.lower() == "true"
    elif found := re.fullmatch(r"custom_fields_(\d+)", name):
        fields.setdefault("custom_fields", []).append({"id": int(found[1]), "value": text})


def _text(value: Any) -> str:
    """The text of an action's value; of a pair such as ["channel:all", "Hello"] its second part."""
    return str(value[-1] if value else "") if isinstance(value, tuple) else str(value)


def _filled_in(call: Call, ticket: Ticket, text: str) -> str:
    """The text with its placeholders, such as {{ticket.requester.first_name}}, replaced."""
    agent = acting_user(call)
    group = call.tables.find(Group, ticket.group_id) if ticket.group_id else None
    known = {
        "ticket.id": ticket.id,
        "ticket.title": ticket.subject,
        "ticket.status": ticket.status,
        "ticket.group.name": group.name if group else "",
        **_named("ticket.requester", call.tables.find(User, ticket.requester_id)),
        **_named("ticket.assignee", call.tables.find(User, ticket.assignee_id) if ticket.assignee_id else None),
        **_named("current_user", agent),
    }
    return re.sub(r"\{\{\s*([\w.]+)\s*\}\}", lambda found: known.get(found[1], ""), html.unescape(text))


def _named(place: str, user: User | None) -> dict[str, str]:
    if user is None:
        return {}
    return {f"{place}.name": user.name, f"{place}.first_name": user.name.split()[0], f"{place}.email": user.email or ""}


def _route(name: str, path: str, args: type[Args], handler: Any) -> Route:
    return Route(name, "GET", path, "read", args, handler, as_action=False, keywords="template canned reply")


ROUTES = (
    _route("list_active_macros", "/macros/active", PageArgs, list_active_macros),
    _route("search_macros", "/macros/search", SearchMacros, search_macros),
    *crud(
        Macro,
        STYLE,
        *("list", "get", "create", "update", "delete"),
        writable=("title", "description", "active", "position", "actions"),
        required=("title", "actions"),
        show=lambda call, macro: record_view(call, macro, "macro"),
    ),
    _route("show_macro_changes", "/macros/{id}/apply", OneMacro, show_macro_changes),
    _route("show_ticket_after_macro", "/tickets/{ticket_id}/macros/{id}/apply", MacroOnTicket, show_ticket_after_macro),
)
