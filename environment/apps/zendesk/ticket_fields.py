"""Ticket fields are the custom fields of tickets: what each takes, and which must be filled before solving."""

from __future__ import annotations

import re
from typing import Any

from environment.apps.crud import crud
from environment.apps.kit import AppError, Call
from environment.apps.zendesk.rows import Ticket, TicketField
from environment.apps.zendesk.style import STYLE, invalid
from environment.apps.zendesk.views import record_view


def merged_fields(call: Call, before: Ticket | None, given: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The values held before with the given ones in their place; None empties a field. Raises the vendor's refusal."""
    values: dict[str, Any] = {field.id: field.value for field in before.custom_fields} if before else {}
    for item in given:
        field = call.tables.find(TicketField, item["id"])
        if field is None:
            raise invalid("custom_fields", f"Custom field {item['id']} does not exist", "RecordNotFound")
        values[field.id] = _value(field, item["value"])
    kept = {key: value for key, value in values.items() if value not in (None, "")}
    return [{"id": key, "value": kept[key]} for key in sorted(kept)]


def check_required_fields(call: Call, ticket: Ticket) -> None:
    """Raises the refusal of solving a ticket that lacks the value of a required field."""
    filled = {field.id for field in ticket.custom_fields}
    for field in call.tables.all(TicketField):
        if field.required and field.active and field.id not in filled:
            raise invalid(
                "base",
                f"{field.title}: is required when solving a ticket",
                "BlankValue",
                ticket_field_id=int(field.id),
                ticket_field_type=_class_name(field.type),
            )


def _value(field: TicketField, value: Any) -> Any:
    if value is None or value == "":
        return None
    options = [option.value for option in field.custom_field_options]
    chosen = [value] if field.type == "tagger" else value if field.type == "multiselect" else []
    if not isinstance(chosen, list | tuple):
        raise _bad_value(field, "takes a list")
    for one in chosen:
        if one not in options:
            raise _bad_value(field, f"is one of {', '.join(options)}"[:300])
    if field.type == "checkbox" and not isinstance(value, bool):
        raise _bad_value(field, "is true or false")
    if field.type == "integer" and not str(value).lstrip("-").isdecimal():
        raise _bad_value(field, "takes a whole number")
    if field.type == "date" and not re.fullmatch(r"\d{4}-\d\d-\d\d", str(value), re.ASCII):
        raise _bad_value(field, "takes a date such as 2026-03-04")
    return value


def _bad_value(field: TicketField, words: str) -> AppError:
    return invalid(
        "base", f"{field.title}: {words}", ticket_field_id=int(field.id), ticket_field_type=_class_name(field.type)
    )


def _class_name(kind: str) -> str:
    return f"Field{kind.capitalize()}"


ROUTES = (
    *crud(
        TicketField,
        STYLE,
        *("list", "get", "create", "update", "delete"),
        writable=("title", "type", "description", "required", "active", "position", "custom_field_options"),
        required=("title", "type"),
        show=lambda call, field: record_view(call, field, "ticket_field"),
    ),
)
