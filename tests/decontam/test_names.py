"""Company names: where they are found and when two are one."""

from __future__ import annotations

from typing import Any

import pytest

from decontam.domains import company_label, exemption_of
from decontam.names import NameIndex, companies_in, domain_keys, name_key
from decontam.passages import Passage, passages_of_task
from decontam.reading import Reading, read
from tests.decontam.made_tasks import made_task


@pytest.mark.parametrize(
    "spelling",
    [
        "Meridian Corp",
        "MERIDIAN CORP.",
        "Meridian, Inc.",
        "The Meridian Company",
        "M\u00e9ridian GmbH",
        "Meridian L.L.C.",
        "meridian  ltd",
        "Meridian\u200b PLC",
        "Meridian S.A.",
    ],
)
def test_legal_suffix_case_accents_and_punctuation_do_not_tell_companies_apart(spelling: str) -> None:
    assert name_key(spelling) == "meridian"


def test_what_belongs_to_a_name_tells_companies_apart() -> None:
    assert name_key("Meridian Labs") != name_key("Meridian Logistics")
    assert name_key("Drum & Yoke") == name_key("Drum and Yoke Ltd") == "drumandyoke"
    assert name_key("Global Tech") == name_key("GlobalTech") == name_key("Global-Tech, Inc.")


@pytest.mark.parametrize(
    "name", ["", "Support", "Sales Team", "Customer Support", "N/A", "Google Sheets", "HubSpot", "X", "42"]
)
def test_departments_applications_and_blanks_are_no_companies(name: str) -> None:
    assert name_key(name) == ""


@pytest.mark.parametrize(
    ("domain", "keys"),
    [
        ("larkfield-optics.com", ("larkfieldoptics",)),
        ("mail.larkfield.co.uk", ("larkfield",)),
        ("meridiancorp.io", ("meridiancorp", "meridian")),
        ("zinc.com", ("zinc",)),
        ("company.example.com", ()),
        ("acme.test", ()),
        ("acme.example", ()),
        ("gmail.com", ()),
        ("acme.my.salesforce.com", ()),
        ("notexample.com", ("notexample",)),
    ],
)
def test_domains_name_their_owner_unless_exempt(domain: str, keys: tuple[str, ...]) -> None:
    assert domain_keys(domain) == keys


def test_exemptions_say_why() -> None:
    assert exemption_of("a.b.EXAMPLE.org") == "reserved"
    assert exemption_of("googlemail.com") == "mail provider"
    assert exemption_of("tarnwick.zendesk.com") == "application"
    assert exemption_of("tarnwick.com") is None
    assert company_label("localhost") == ""


def keys_in(world: dict[str, Any], prompt: str = "do it") -> set[str]:
    task = made_task(prompt, world, company="Own Firm", domain="own.test")
    return set(companies_in(read(passages_of_task(task)))) - {"ownfirm"}


@pytest.mark.parametrize(
    ("world", "keys"),
    [
        ({"salesforce": {"Lead": ({"Id": "1", "Company": "Apex Forge Ltd"},)}}, {"apexforge"}),
        ({"salesforce": {"Account": ({"Id": "1", "Name": "Apex Forge"},)}}, {"apexforge"}),
        ({"salesforce": {"Contact": ({"Id": "1", "Account": {"Name": "Apex Forge"}},)}}, {"apexforge"}),
        ({"hubspot": {"companies": ({"id": "1", "properties": {"name": "Apex Forge"}},)}}, {"apexforge"}),
        ({"quickbooks": {"Vendor": ({"Id": "1", "DisplayName": "Apex Forge"},)}}, {"apexforge"}),
        ({"xero": {"Contacts": ({"ContactID": "1", "Name": "Apex Forge"},)}}, {"apexforge"}),
        ({"quickbooks": {"Account": ({"Id": "1", "Name": "Petty Cash"},)}}, set()),
        ({"salesforce": {"Contact": ({"Id": "1", "Name": "Mira Brandt"},)}}, set()),
        ({"gmail": {"messages": ({"id": "1", "from": "Mira <mira@apex-forge.com>"},)}}, {"apexforge"}),
        ({"gmail": {"messages": ({"id": "1", "from": "Mira <mira@mail.example.com>"},)}}, set()),
        ({"slack": {"messages": ({"id": "1", "text": "see https://www.apexforge.com/prices please"},)}}, {"apexforge"}),
        ({"hubspot": {"contacts": ({"id": "1", "website": "apexforge.com"},)}}, {"apexforge"}),
        ({"slack": {"messages": ({"id": "1", "text": "From Apex Forge Inc., for the record"},)}}, {"apexforge"}),
        ({"slack": {"messages": ({"id": "1", "text": "Ask Sales Group about it"},)}}, {"asksalesgroup"}),
        (
            {
                "google_sheets": {
                    "rows": (
                        {"id": "1", "sheet_id": "s", "position": 0, "cells": ["Vendor", "Owner"]},
                        {"id": "2", "sheet_id": "s", "position": 1, "cells": ["Apex Forge", "Mira Brandt"]},
                    )
                }
            },
            {"apexforge"},
        ),
    ],
)
def test_companies_are_found_in_typed_fields_domains_and_prose(world: dict[str, Any], keys: set[str]) -> None:
    assert keys_in(world) == keys


def test_the_actors_company_counts() -> None:
    task = made_task("do it", company="Apex Forge LLC", domain="af-group.com")
    assert set(companies_in(read(passages_of_task(task)))) == {"apexforge", "afgroup"}


def reading(*texts: str, field: str = "prompt") -> Reading:
    return read([Passage(f"{field}[{n}]", text, field) for n, text in enumerate(texts)])


def shared(theirs: Reading, ours: Reading) -> dict[str, tuple[str, str]]:
    pairs = NameIndex(theirs, companies_in(theirs)).shared(ours, companies_in(ours))
    return {pair.ours.key: (pair.ours.name, pair.theirs.name) for pair in pairs}


def test_a_typed_company_is_found_in_the_other_sides_prose() -> None:
    prose, typed = reading("Marcus at GlobalTech called"), reading("Global Tech Ltd", field="world.a.Lead.Company")
    assert shared(prose, typed) == {"globaltech": ("Global Tech Ltd", "GlobalTech")}
    assert shared(typed, prose) == {"globaltech": ("GlobalTech", "Global Tech Ltd")}


def test_a_single_word_in_prose_must_be_capitalised_and_a_longer_name_need_not() -> None:
    typed = reading("Summit Corp", "Quantum Labs", field="initial_state.a.Lead.Company")
    assert shared(typed, reading("we reached the summit at last")) == {}
    assert set(shared(typed, reading("Summit is late again"))) == {"summit"}
    assert set(shared(typed, reading("quantum labs wrote again"))) == {"quantumlabs"}
    assert shared(reading("we reached the summit"), reading("Summit Ltd", field="world.a.Lead.Company")) == {}


def test_a_name_inside_a_longer_name_is_another_company() -> None:
    typed = reading("Meridian Corp", field="initial_state.a.Lead.Company")
    ours = reading("Meridian Freight", field="world.a.Lead.Company")
    assert shared(typed, ours) == {}
    mixed = read([*ours.passages, Passage("prompt", "Meridian Freight pays, and Meridian pays too", "prompt")])
    assert set(shared(typed, mixed)) == {"meridian"}


def test_words_before_a_name_in_prose_do_not_hide_it() -> None:
    typed = reading("Quantum Labs", field="initial_state.a.Lead.Company")
    assert set(shared(typed, reading("Ring Quantum Labs about the crates"))) == {"quantumlabs"}


def test_reserved_domains_on_both_sides_share_no_name() -> None:
    assert shared(reading("write to ops@company.example.com"), reading("write to me@company.example.com")) == {}


def test_a_domain_and_a_name_are_one_company() -> None:
    theirs = reading("Quantum Labs, Inc.", field="initial_state.a.Account.Name")
    assert shared(theirs, reading("Mail mira@quantum-labs.com today")) == {
        "quantumlabs": ("quantum-labs.com", "Quantum Labs, Inc.")
    }
