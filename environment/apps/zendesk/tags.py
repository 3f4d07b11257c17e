"""Tags of a ticket, user or organization: PUT adds some, DELETE removes some, POST puts others in place of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import Field

from environment.apps.crud import change, find
from environment.apps.kit import Args, Call, Response, Route
from environment.apps.zendesk.rows import Organization, Ticket, User, tag_set
from environment.apps.zendesk.style import STYLE
from environment.apps.zendesk.ticket_rules import check_not_closed

_KINDS: dict[str, type[Any]] = {"ticket": Ticket, "user": User, "organization": Organization}


class OneRecord(Args):
    id: str = Field(description="Record id")


class ChangeTags(OneRecord):
    tags: list[str] | str = Field(description="Tags")


def _lister(noun: str) -> Callable[[Call, OneRecord], Any]:
    def list_tags(call: Call, args: OneRecord) -> dict[str, Any]:
        return {"tags": list(find(call, STYLE, _KINDS[noun], args.id, noun).tags)}

    list_tags.__doc__ = f"List the tags of a record: a {noun}."
    return list_tags


def _changer(noun: str, doc: str, status: int, result: Callable[[set[str], set[str]], set[str]]) -> Any:
    def change_tags(call: Call, args: ChangeTags) -> Response:
        row = find(call, STYLE, _KINDS[noun], args.id, noun)
        if isinstance(row, Ticket):
            check_not_closed(row)
        tags = result(set(row.tags), set(tag_set(args.tags)))
        changed = change(call, STYLE, row, {"tags": sorted(tags)})
        if changed != row:
            call.tables.put(changed)
        return Response(status, {"tags": list(changed.tags)})

    change_tags.__doc__ = f"{doc}: a {noun}."
    return change_tags


def _routes(noun: str) -> tuple[Route, ...]:
    path = f"/{noun}s/{{id}}/tags"
    add = _changer(noun, "Add tags to a record", 200, lambda old, given: old | given)
    replace = _changer(noun, "Replace all tags of a record", 201, lambda old, given: given)
    remove = _changer(noun, "Remove tags from a record", 200, lambda old, given: old - given)
    return (
        Route(f"list_{noun}_tags", "GET", path, "read", OneRecord, _lister(noun), as_action=False),
        Route(f"add_{noun}_tags", "PUT", path, "write", ChangeTags, add, as_action=False),
        Route(f"set_{noun}_tags", "POST", path, "write", ChangeTags, replace, as_action=False),
        Route(f"remove_{noun}_tags", "DELETE", path, "write", ChangeTags, remove, as_action=False),
    )


ROUTES = tuple(route for noun in _KINDS for route in _routes(noun))
