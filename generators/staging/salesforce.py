"""Salesforce rows that families put on stage."""

from __future__ import annotations

from typing import Any

from environment.apps.salesforce.ids import spell_id
from generators.business import Company, Person
from generators.family import Scene


def add_record(scene: Scene, kind: str, **fields: Any) -> str:
    """Add a record of an object with these fields, and return its id."""
    record_id = spell_id(kind, scene.invent.number(101, 999))
    scene.add("salesforce", kind, {"Id": record_id, **fields})
    return record_id


def add_contact(scene: Scene, person: Person, **fields: Any) -> str:
    """Add a person as a contact with a telephone number, and return its id."""
    known = {"FirstName": person.first, "LastName": person.last, "Email": person.email, "Phone": scene.invent.phone()}
    return add_record(scene, "Contact", **{**known, **fields})


def add_lead(scene: Scene, person: Person, company: Company, **fields: Any) -> str:
    """Add a person as a lead of a company, and return its id."""
    known = {"FirstName": person.first, "LastName": person.last, "Email": person.email, "Company": company.name}
    return add_record(scene, "Lead", **{**known, **fields})


def add_deal(scene: Scene, customer: Company, stage: str, amount: int, close: str, **fields: Any) -> str:
    """Add an opportunity of a company, named after it, and return its id."""
    known = {"Name": f"{customer.name} deal", "StageName": stage, "Amount": amount, "CloseDate": close}
    return add_record(scene, "Opportunity", **known, **fields)
