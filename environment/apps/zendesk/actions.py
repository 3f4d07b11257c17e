"""Zendesk's actions are small scripts over its API, each for one thing that support agents do there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import ConfigDict, Field

from environment.apps.kit import Action, AppError, Args, Fetch
from environment.apps.zendesk.rows import AGENTS

_FOUND, _COMMENTS = 10, 20
"""Most tickets or users that are shown at once, and most comments of a ticket, the newest."""
_Status = Literal["open", "pending", "hold", "solved"]
_Priority = Literal["low", "normal", "high", "urgent"]


class TextArgs(Args):
    """Numbers are taken where text is expected: ids are numbers."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)


class SearchTickets(TextArgs):
    query: str = Field(description="Zendesk search, such as status<solved")
    page: int | None = Field(None, description="Page of results")


class OneTicket(TextArgs):
    id: str = Field(description="Ticket id")


class Say(OneTicket):
    text: str = Field(description="Text")


class UpdateTicket(OneTicket):
    status: _Status | None = Field(None, description="New status")
    priority: _Priority | None = Field(None, description="New priority")
    group: str | None = Field(None, description="Group name")
    assignee: str | None = Field(None, description="Agent name or email")


class TagTicket(OneTicket):
    tags: list[str] = Field(description="Tags")


class MergeTickets(TextArgs):
    source: str = Field(description="Duplicate ticket id")
    target: str = Field(description="Ticket id to keep")


class FindUser(TextArgs):
    query: str = Field(description="Name or email")


class ApplyMacro(OneTicket):
    macro: str = Field(description="Macro title")


class CreateTicket(TextArgs):
    subject: str = Field(description="Subject")
    text: str = Field(description="Text")
    requester_email: str = Field(description="Requester's email")
    requester_name: str | None = Field(None, description="Requester's name")
    priority: _Priority | None = Field(None, description="Priority")


def _search_tickets(fetch: Fetch, args: SearchTickets) -> Any:
    page = max(args.page or 1, 1)
    query = f"type:ticket {args.query}"
    params = {"query": query, "per_page": _FOUND, "page": page, "include": "tickets(users)"}
    found = fetch("GET", "/search.json", params)
    names = {user["id"]: user["name"] for user in found.get("users", [])}
    more = {"next_page": page + 1} if found["next_page"] else {}
    return {"tickets": [_line(ticket, names) for ticket in found["results"]], **more}


def _get_ticket(fetch: Fetch, args: OneTicket) -> Any:
    body = fetch("GET", _path(args.id), {"include": "users,groups,organizations"})
    ticket = body["ticket"]
    newest_first = {"include": "users", "sort_order": "desc", "per_page": _COMMENTS}
    comments = fetch("GET", _path(args.id, "/comments"), newest_first)
    people = {user["id"]: user["name"] for user in (*body["users"], *comments["users"])}
    emails = {user["id"]: user["email"] for user in body["users"]}
    custom = fetch("GET", "/ticket_fields.json")["ticket_fields"] if ticket["custom_fields"] else []
    values = {field["id"]: field["value"] for field in ticket["custom_fields"] if field["value"] is not None}
    shown = {
        **_line(ticket, people),
        "requester_email": emails.get(ticket["requester_id"]),
        "organization": next((row["name"] for row in body["organizations"]), None),
        "group": next((row["name"] for row in body["groups"]), None),
        **{field["title"]: values.get(field["id"]) for field in custom},
    }
    said = [_comment(comment, people) for comment in reversed(comments["comments"])]
    earlier = {"earlier_comments": comments["count"] - len(said)} if comments["count"] > len(said) else {}
    return {**_present(shown), **earlier, "comments": said}


def _reply(fetch: Fetch, args: Say) -> Any:
    _update(fetch, args.id, {"comment": {"body": args.text, "public": True}})
    return {"id": args.id, "replied": True}


def _add_note(fetch: Fetch, args: Say) -> Any:
    _update(fetch, args.id, {"comment": {"body": args.text, "public": False}})
    return {"id": args.id, "noted": True}


def _update_ticket(fetch: Fetch, args: UpdateTicket) -> Any:
    fields: dict[str, Any] = _present({"status": args.status, "priority": args.priority})
    named: dict[str, Any] = {}
    if args.group is not None:
        fields["group_id"], named["group"] = _group(fetch, args.group)
    if args.assignee is not None:
        fields["assignee_id"], named["assignee"] = _agent(fetch, args.assignee)
    if not fields:
        raise AppError(400, "give at least one field to change")
    ticket = _update(fetch, args.id, fields)
    priority = {"priority": ticket["priority"]} if args.priority else {}
    return {"id": args.id, "status": ticket["status"], **priority, **named}


def _add_tags(fetch: Fetch, args: TagTicket) -> Any:
    return {"id": args.id, "tags": fetch("PUT", _path(args.id, "/tags"), None, {"tags": args.tags})["tags"]}


def _remove_tags(fetch: Fetch, args: TagTicket) -> Any:
    return {"id": args.id, "tags": fetch("DELETE", _path(args.id, "/tags"), None, {"tags": args.tags})["tags"]}


def _merge_tickets(fetch: Fetch, args: MergeTickets) -> Any:
    fetch("POST", _path(args.target, "/merge"), None, {"ids": [args.source]})
    return {"id": args.target, "merged": args.source}


def _find_user(fetch: Fetch, args: FindUser) -> Any:
    users = _users(fetch, args.query)
    keys = {user["organization_id"] for user in users} - {None}
    names = {key: fetch("GET", f"/organizations/{key}.json")["organization"]["name"] for key in sorted(keys)}
    return [
        _present(
            {
                "id": str(user["id"]),
                "name": user["name"],
                "email": user["email"],
                "role": user["role"],
                "phone": user["phone"],
                "organization": names.get(user["organization_id"]),
            }
        )
        for user in users
    ]


def _create_ticket(fetch: Fetch, args: CreateTicket) -> Any:
    requester = _present({"email": args.requester_email, "name": args.requester_name})
    fields = {"subject": args.subject, "comment": {"body": args.text}, "requester": requester}
    ticket = fetch("POST", "/tickets.json", None, {"ticket": {**fields, **_present({"priority": args.priority})}})
    return {"id": str(ticket["ticket"]["id"]), "status": ticket["ticket"]["status"]}


def _apply_macro(fetch: Fetch, args: ApplyMacro) -> Any:
    macros = fetch("GET", "/macros/active.json")["macros"]
    key, title = _named("macro", [(macro["id"], macro["title"]) for macro in macros], args.macro)
    changes = fetch("GET", f"/macros/{key}/apply.json")["result"]["ticket"]
    result = fetch("GET", _path(args.id, f"/macros/{key}/apply"))["result"]
    fields = {name: result["ticket"][name] for name in changes if name != "comment"}
    comment = {"comment": result["comment"]} if "comment" in result else {}
    ticket = _update(fetch, args.id, {**fields, **comment})
    said = {"comment": result["comment"]["body"], "public": result["comment"]["public"]} if comment else {}
    return {"id": args.id, "macro": title, "status": ticket["status"], **said}


def _path(key: str, below: str = "") -> str:
    """Path of a ticket. Raises AppError for text that can be no id; a # before it is passed over."""
    digits = key.strip().removeprefix("#")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 19:
        raise AppError(400, f"{key[:40]!r} is no ticket id")
    return f"/tickets/{digits}{below}.json"


def _update(fetch: Fetch, key: str, fields: dict[str, Any]) -> dict[str, Any]:
    return fetch("PUT", _path(key), None, {"ticket": fields})["ticket"]


def _users(fetch: Fetch, query: str) -> list[dict[str, Any]]:
    return fetch("GET", "/users/search.json", {"query": query, "per_page": _FOUND})["users"]


def _agent(fetch: Fetch, wanted: str) -> tuple[int, str]:
    """Id and name of the agent with this name, address or id."""
    if wanted.strip().lower() == "me":
        user = fetch("GET", "/users/me.json")["user"]
        return user["id"], user["name"]
    if wanted.strip().isdecimal():
        user = fetch("GET", f"/users/{wanted.strip()}.json")["user"]
        return user["id"], user["name"]
    agents = [user for user in _users(fetch, wanted) if user["role"] in AGENTS]
    return _named("agent", [(user["id"], user["name"]) for user in agents], wanted, agents)


def _group(fetch: Fetch, wanted: str) -> tuple[int, str]:
    groups = fetch("GET", "/groups.json")["groups"]
    return _named("group", [(group["id"], group["name"]) for group in groups], wanted)


def _named(
    noun: str, known: Sequence[tuple[int, str]], wanted: str, found: Sequence[Any] | None = None
) -> tuple[int, str]:
    """The one that is called so, or the only one `found`. Raises AppError that names the choices."""
    name = wanted.strip().casefold()
    exact = [item for item in known if name in (item[1].casefold(), str(item[0]))]
    matching = exact or (list(known) if found is not None else [])
    if len(matching) == 1:
        return matching[0]
    choices = ", ".join(f"{title} ({key})" for key, title in (matching or known)[:20])
    raise AppError(400, f"there is no single {noun} {wanted[:60]!r}; choices: {choices or 'none'}")


def _line(ticket: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, Any]:
    return _present(
        {
            "id": str(ticket["id"]),
            "subject": ticket["subject"],
            "status": ticket["status"],
            "priority": ticket["priority"],
            "requester": names.get(ticket["requester_id"]),
            "assignee": names.get(ticket["assignee_id"]),
            "tags": ticket["tags"],
            "created": ticket["created_at"][:10],
        }
    )


def _comment(comment: Mapping[str, Any], names: Mapping[int, str]) -> dict[str, Any]:
    note = {} if comment["public"] else {"internal": True}
    at = comment["created_at"][:16].replace("T", " ")
    return {"author": names.get(comment["author_id"]), "at": at, **note, "body": comment["body"]}


def _present(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that hold something."""
    return {name: value for name, value in fields.items() if value not in (None, [], "")}


ACTIONS = (
    Action("zendesk_search_tickets", "read", "Search tickets, newest first.", SearchTickets, _search_tickets),
    Action("zendesk_get_ticket", "read", "Read a ticket with its comments.", OneTicket, _get_ticket),
    Action("zendesk_reply", "write", "Send a public reply to the requester.", Say, _reply),
    Action("zendesk_add_note", "write", "Add an internal note.", Say, _add_note),
    Action("zendesk_update_ticket", "write", "Change a ticket.", UpdateTicket, _update_ticket),
    Action("zendesk_add_tags", "write", "Add tags to a ticket.", TagTicket, _add_tags),
    Action("zendesk_remove_tags", "write", "Remove tags from a ticket.", TagTicket, _remove_tags),
    Action("zendesk_merge_tickets", "write", "Merge a duplicate into another ticket.", MergeTickets, _merge_tickets),
    Action("zendesk_create_ticket", "write", "Create a ticket with a public comment.", CreateTicket, _create_ticket),
    Action("zendesk_apply_macro", "write", "Apply a macro to a ticket.", ApplyMacro, _apply_macro),
    Action("zendesk_find_user", "read", "Find customers and agents.", FindUser, _find_user),
)
