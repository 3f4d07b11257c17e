"""A write creates, changes or deletes one record, after the checks that Salesforce makes of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from environment.apps.kit import Call
from environment.apps.salesforce.columns import Column, columns_of
from environment.apps.salesforce.consequences import settle
from environment.apps.salesforce.fields import Fields
from environment.apps.salesforce.ids import kind_of, read_id
from environment.apps.salesforce.moments import spell_moment
from environment.apps.salesforce.refusal import Refusal, no_column, not_found
from environment.apps.salesforce.rows import (
    OBJECT_NAMES,
    Account,
    Campaign,
    CampaignMember,
    CampaignMemberStatus,
    Case,
    Contact,
    Event,
    Lead,
    Note,
    Opportunity,
    SObject,
    Task,
    User,
)

_ADDRESS = re.compile(r"[^\s@<>(),;:\"]+@[^\s@<>(),;:\"]+\.[^\s@<>(),;:\"]+")
_LARGEST = 1e16
"""Currency fields hold sixteen digits before the point."""
_DELETES_ALONG = (
    (Account, Contact, "AccountId"),
    (Account, Opportunity, "AccountId"),
    (Account, Note, "ParentId"),
    (Contact, CampaignMember, "ContactId"),
    (Contact, Note, "ParentId"),
    (Lead, CampaignMember, "LeadId"),
    (Lead, Note, "ParentId"),
    (Opportunity, Note, "ParentId"),
    (Case, Note, "ParentId"),
    (Campaign, Note, "ParentId"),
    (Campaign, CampaignMember, "CampaignId"),
    (Campaign, CampaignMemberStatus, "CampaignId"),
    (Account, Task, "WhatId"),
    (Opportunity, Task, "WhatId"),
    (Case, Task, "WhatId"),
    (Contact, Task, "WhoId"),
    (Lead, Task, "WhoId"),
    (Account, Event, "WhatId"),
    (Opportunity, Event, "WhatId"),
    (Case, Event, "WhatId"),
    (Contact, Event, "WhoId"),
    (Lead, Event, "WhoId"),
)
"""Deleting a record of the first object deletes those of the second whose field points at it."""


def find_object(name: str) -> type[SObject]:
    """The object of that name in any case. Raises a 404 refusal when there is none."""
    kind = OBJECT_NAMES.get(name.lower())
    if kind is None:
        raise not_found()
    return kind


def find_record(call: Call, kind: type[SObject], record_id: str) -> SObject:
    """The record by its 15- or 18-character id. Raises 404 when there is none, 400 when the id is of another object."""
    found = read_id(record_id)
    if found is None:
        raise Refusal(
            404,
            "NOT_FOUND",
            f"Provided external ID field does not exist or is not accessible: {record_id[:80]}",
        )
    if kind_of(found) != kind.__name__:
        raise Refusal(400, "MALFORMED_ID", f"{kind.__name__} ID: id value of incorrect type: {found}", ("Id",))
    row = call.tables.find(kind, found)
    if row is None:
        raise not_found()
    return row


def create(call: Call, kind: type[SObject], given: Mapping[str, Any]) -> SObject:
    """Create a record from the fields given by a caller."""
    _writable(kind)
    fields = _accepted(call, kind, given, creating=True)
    missing = [name for name, column in columns_of(kind).items() if column.required and fields.get(name) is None]
    if missing:
        raise _missing(missing)
    if "OwnerId" in kind.model_fields and fields.get("OwnerId") is None:
        fields["OwnerId"] = acting_user(call)
    return insert(call, kind, fields)


def insert(call: Call, kind: type[SObject], fields: dict[str, Any]) -> SObject:
    """Create a record from fields that are known to be good."""
    kept = {name: value for name, value in fields.items() if value is not None}
    complete = settle(call, kind, None, kept)
    stamp, user = spell_moment(call.now), acting_user(call)
    system = {"CreatedDate": stamp, "LastModifiedDate": stamp, "CreatedById": user, "LastModifiedById": user}
    return call.tables.put(kind.model_validate({**complete, **system, "Id": call.tables.new_id(kind)}))


def update(call: Call, row: SObject, given: Mapping[str, Any]) -> SObject:
    """Change the fields given by a caller; null clears one."""
    kind = type(row)
    _writable(kind)
    if isinstance(row, Lead) and row.IsConverted:
        raise Refusal(400, "CANNOT_UPDATE_CONVERTED_LEAD", "cannot reference converted lead", ())
    fields = _accepted(call, kind, given, creating=False)
    missing = [name for name, value in fields.items() if value is None and _never_null(kind, name)]
    if missing:
        raise _missing(missing)
    return revise(call, row, fields)


def revise(call: Call, row: SObject, fields: dict[str, Any]) -> SObject:
    """Change fields that are known to be good."""
    complete = settle(call, type(row), row, fields)
    return call.tables.put(
        row.change(**complete, LastModifiedDate=spell_moment(call.now), LastModifiedById=acting_user(call))
    )


def delete(call: Call, row: SObject) -> None:
    """Delete a record with what hangs on it; refused where Salesforce protects what would be orphaned."""
    _writable(type(row))
    _remove(call, row)


def _remove(call: Call, row: SObject) -> None:
    _deletable(call, row)
    call.tables.delete(row)
    for parent, child, field in _DELETES_ALONG:
        if isinstance(row, parent):
            for dependent in call.tables.where(child, field, row.Id):
                _remove(call, dependent)


def acting_user(call: Call) -> str | None:
    """Id of the user whom the agent acts as, None when the org has no user with that e-mail address."""
    users = call.tables.where(User, "Email", call.actor.get("email"))
    return users[0].Id if users else None


def _writable(kind: type[SObject]) -> None:
    if kind in (User, CampaignMemberStatus):
        raise Refusal(
            400,
            "CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY",
            f"entity type {kind.__name__} cannot be changed by this user",
        )


def _deletable(call: Call, row: SObject) -> None:
    if isinstance(row, Account | Contact):
        field = f"{type(row).__name__}Id"
        if call.tables.where(Case, field, row.Id):
            raise _delete_failed(row, "it is associated with cases")
    if isinstance(row, Account) and any(deal.IsWon for deal in call.tables.where(Opportunity, "AccountId", row.Id)):
        raise _delete_failed(row, "some opportunities in this account were closed won")


def _delete_failed(row: SObject, reason: str) -> Refusal:
    name = getattr(row, row.name_field)
    return Refusal(400, "DELETE_FAILED", f"Your attempt to delete {name} could not be completed because {reason}.", ())


def _missing(names: list[str]) -> Refusal:
    return Refusal(400, "REQUIRED_FIELD_MISSING", f"Required fields are missing: [{', '.join(names)}]", tuple(names))


def _never_null(kind: type[SObject], name: str) -> bool:
    info = kind.model_fields.get(name)
    return info is not None and (info.is_required() or info.default is not None)


def _accepted(call: Call, kind: type[SObject], given: Mapping[str, Any], creating: bool) -> dict[str, Any]:
    """The fields under their own names with values of their own types. Raises the refusal of the first bad one."""
    known = Fields(call)
    accepted = {}
    for asked, value in given.items():
        if asked == "attributes":
            continue
        name = known.own_name(kind, str(asked))
        if name is None:
            raise no_column(str(asked), kind.__name__)
        column = known.columns(kind)[name]
        if name == "Id":
            raise Refusal(400, "INVALID_FIELD", "The Id field should not be specified in the sobject data.")
        if not (column.on_create if creating else column.on_update):
            raise Refusal(
                400,
                "INVALID_FIELD_FOR_INSERT_UPDATE",
                f"Unable to create/update fields: {name}. Please check the security settings of this field and verify "
                "that it is read/write for your profile or permission set.",
                (name,),
            )
        accepted[name] = None if value is None or value == "" else _value(call, name, column, value)
    return accepted


def _value(call: Call, name: str, column: Column, value: Any) -> Any:
    """The value as the column stores it."""
    if column.kind == "boolean":
        if not isinstance(value, bool):
            raise _undecodable("boolean", value)
        return value
    if column.kind in ("double", "currency", "percent", "int"):
        return _number(name, column, value)
    if not isinstance(value, str):
        raise _undecodable("string" if column.kind not in ("date", "datetime") else column.kind, value)
    if column.kind in ("date", "datetime"):
        return _time(column, value)
    if column.kind == "reference":
        return _reference(call, name, column, value)
    if len(value) > column.length:
        shown = value[:40]
        raise Refusal(
            400, "STRING_TOO_LONG", f"{name}: data value too large: {shown} (max length={column.length})", (name,)
        )
    if any((letter < " " and letter not in "\n\r\t") or "\ud800" <= letter <= "\udfff" for letter in value):
        raise Refusal(400, "JSON_PARSER_ERROR", f"{name}: illegal character in the value")
    if column.kind == "email" and not _ADDRESS.fullmatch(value):
        raise Refusal(400, "INVALID_EMAIL_ADDRESS", f"{name}: invalid email address: {value}", (name,))
    if column.kind == "picklist":
        return _picked(name, column, value)
    return value


def _number(name: str, column: Column, value: Any) -> float | int:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise _undecodable(column.kind, value) from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _undecodable(column.kind, value)
    if not -_LARGEST < value < _LARGEST:
        raise Refusal(
            400, "NUMBER_OUTSIDE_VALID_RANGE", f"{name}: value outside of valid range on numeric field", (name,)
        )
    if column.kind == "int":
        if value != int(value):
            raise _undecodable("int", value)
        return int(value)
    return float(value)


def _time(column: Column, value: str) -> str:
    try:
        if column.kind == "date":
            return datetime.fromisoformat(value).date().isoformat()
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is not None:
            return spell_moment(moment)
    except (ValueError, OverflowError):
        pass
    raise _undecodable(column.kind, value)


def _reference(call: Call, name: str, column: Column, value: str) -> str:
    found = read_id(value)
    target = kind_of(found) if found else None
    if found is None or target not in column.refers:
        raise Refusal(400, "MALFORMED_ID", f"{name}: id value of incorrect type: {value[:40]}", (name,))
    row = call.tables.find(OBJECT_NAMES[target.lower()], found)
    if row is None:
        raise Refusal(400, "INVALID_CROSS_REFERENCE_KEY", f"invalid cross reference id: {found}", (name,))
    if name == "OwnerId" and isinstance(row, User) and not row.IsActive:
        raise Refusal(
            400, "INACTIVE_OWNER_OR_USER", f"operation performed with inactive user [{found}] as owner", (name,)
        )
    return found


def _picked(name: str, column: Column, value: str) -> str:
    if not column.values or not column.restricted:
        return value
    own = next((choice for choice in column.values if choice.lower() == value.lower()), None)
    if own is None:
        raise Refusal(
            400,
            "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST",
            f"{name}: bad value for restricted picklist field: {value[:80]} (use one of: {', '.join(column.values)})",
            (name,),
        )
    return own


def _undecodable(kind: str, value: Any) -> Refusal:
    shapes = {str: "VALUE_STRING", bool: "VALUE_TRUE", int: "VALUE_NUMBER_INT", float: "VALUE_NUMBER_FLOAT"}
    shape = shapes.get(type(value), "START_OBJECT" if isinstance(value, Mapping) else "START_ARRAY")
    return Refusal(
        400,
        "JSON_PARSER_ERROR",
        f"Cannot deserialize instance of {kind} from {shape} value {str(value)[:80]} or request may be missing a "
        "required field",
    )
