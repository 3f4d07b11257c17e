"""A description tells an org's objects and their fields, the way Salesforce's describe calls do."""

from __future__ import annotations

import re
from typing import Any

from environment.apps.kit import Call
from environment.apps.salesforce.columns import Column, relationship
from environment.apps.salesforce.fields import Fields
from environment.apps.salesforce.ids import KEY_PREFIXES
from environment.apps.salesforce.rows import CHILDREN, SOBJECTS, CampaignMemberStatus, CustomField, SObject, User


def brief(kind: type[SObject]) -> dict[str, Any]:
    """An object without its fields."""
    name = kind.__name__
    writable = kind not in (User, CampaignMemberStatus)
    base = f"/services/data/v60.0/sobjects/{name}"
    return {
        "name": name,
        "label": _label(name),
        "keyPrefix": KEY_PREFIXES[name],
        "custom": False,
        "createable": writable,
        "updateable": writable,
        "deletable": writable,
        "queryable": True,
        "searchable": True,
        "urls": {"sobject": base, "describe": f"{base}/describe", "rowTemplate": base + "/{ID}"},
    }


def overview() -> dict[str, Any]:
    """All objects of the org."""
    return {"encoding": "UTF-8", "maxBatchSize": 200, "sobjects": [brief(kind) for kind in SOBJECTS]}


def full(call: Call, kind: type[SObject]) -> dict[str, Any]:
    """An object with its fields, custom ones last, and its child relationships."""
    labels = {field.name: field.label for field in call.tables.where(CustomField, "object", kind.__name__)}
    fields = []
    for name, column in Fields(call).columns(kind).items():
        default = kind.model_fields[name].default if name in kind.model_fields else None
        fields.append(_field(name, column, labels.get(name) or _label(name), default))
    children = [
        {"childSObject": child, "field": field, "relationshipName": name}
        for name, (child, field) in CHILDREN.get(kind.__name__, {}).items()
    ]
    return {**brief(kind), "fields": fields, "childRelationships": children}


def _field(name: str, column: Column, label: str, default: Any) -> dict[str, Any]:
    return {
        "name": name,
        "label": label,
        "type": column.kind,
        "length": column.length if column.kind in ("id", "string", "textarea", "email", "phone", "url") else 0,
        "nillable": not column.required,
        "defaultedOnCreate": default is not None and not column.required,
        "createable": column.on_create,
        "updateable": column.on_update,
        "custom": name.endswith("__c"),
        "referenceTo": list(column.refers),
        "relationshipName": relationship(name) if column.refers else None,
        "restrictedPicklist": bool(column.values) and column.restricted,
        "picklistValues": [
            {"active": True, "defaultValue": value == default, "label": value, "value": value, "validFor": None}
            for value in column.values
        ],
    }


def _label(name: str) -> str:
    """Words of a field's name: BillingCity -> Billing City."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
