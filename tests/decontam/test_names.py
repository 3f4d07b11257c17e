"""Company names: where they are found and when two are one."""

from __future__ import annotations

from typing import Any

import pytest

from decontam.companies import companies_in
from decontam.domains import APPLICATION_NAMES, company_label, exemption_of
from decontam.name_keys import domain_keys, name_key, name_keys
from decontam.names import NameIndex
from decontam.passages import Passage, passages_of_task
from decontam.reading import Reading, read
from environment.rng import derive_rng
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
    "name",
    [
        "",
        "Support",
        "Sales Team",
        "Customer Support",
        "N/A",
        "Google Sheets",
        "HubSpot",
        "X",
        "42",
        "Re:amaze",
        "The Group",
    ],
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
        ("acme.my.salesforce.com", ("acme",)),
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
        ({"slack": {"messages": ({"id": "1", "text": "Ask Sales Group about it"},)}}, set()),
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


SPELLINGS = {
    "quantumlabs": [
        "Quantum Labs",
        "QUANTUM LABS",
        "Quantum Labs, Inc.",
        "Quantum Labs LLC",
        "Quantum-Labs",
        "QuantumLabs",
        "The Quantum Labs Company",
        "Quantum  Labs",
        "Quantum\u00a0Labs",
        "Quantum Labs Pty Ltd",
        "Quantum Labs Pvt. Ltd.",
        "Quantum Labs Sdn Bhd",
        "Quantum Labs S.p.A.",
        "Quantum Labs S.r.l.",
        "Quantum Labs Sp. z o.o.",
        "Quantum Labs s.r.o.",
        "Quantum Labs GmbH & Co. KG",
        "Quantum Labs A/S",
        "Quantum Labs ApS",
        "Quantum Labs Oy",
        "Quantum Labs AB",
        "Quantum Labs B.V.",
        "Quantum Labs Kft.",
        "Quantum Labs K.K.",
        "Quantum Labs Ltda.",
        "Quantum Labs S.A. de C.V.",
        "PT Quantum Labs Tbk",
        "OOO Quantum Labs",
        "Quantum Labs (UK) Ltd",
        "Qu\u00e1ntum L\u00e0bs",
    ],
    "drumyoke": ["Drum & Yoke", "Drum and Yoke Ltd", "Drum + Yoke", "DRUM AND YOKE", "Drum&Yoke Co."],
    "mullersohn": ["M\u00fcller & Sohn GmbH", "Mueller und Sohn", "Muller Sohn AG"],
    "orsted": ["\u00d8rsted A/S", "Orsted", "Oersted"],
    "macys": ["Macy's", "Macy\u2019s Inc.", "MACYS"],
}


@pytest.mark.parametrize(
    ("key", "spelling"),
    [(key, spelling) for key, spellings in SPELLINGS.items() for spelling in spellings],
)
def test_every_usual_spelling_has_a_key_in_common_with_the_plainest(key: str, spelling: str) -> None:
    plainest = SPELLINGS[key][0]
    assert not set(name_keys(spelling)).isdisjoint(name_keys(plainest))


@pytest.mark.parametrize(
    "domain",
    [
        "quantumlabs.com",
        "quantum-labs.co.uk",
        "mail.eu.quantumlabs.com.au",
        "quantumlabsinc.com",
        "quantumlabs.uk.com",
        "getquantumlabs.io",
        "thequantumlabs.com",
        "quantumlabshq.com",
        "QUANTUMLABS.CO.JP",
        "quantumlabs.zendesk.com",
        "quantum-labs.atlassian.net",
        "quantum-labs.github.io",
        "quantumlabs--full.my.salesforce.com",
        "quantumlabs.plc.uk",
        "billing.quantumlabs.org.br",
        "xn--quntumlabs-t4a.de",
    ],
)
def test_every_usual_domain_names_the_company(domain: str) -> None:
    assert "quantumlabs" in domain_keys(domain)


@pytest.mark.parametrize(
    "domain",
    [
        "api.zendesk.com",
        "docs.google.com",
        "www.slack.com",
        "your-domain.atlassian.net",
        "x.test",
        "mail.example.org",
        "yahoo.co.uk",
    ],
)
def test_hosts_of_services_and_reserved_ones_name_nobody(domain: str) -> None:
    assert domain_keys(domain) == ()


def test_the_domains_of_every_simulated_application_name_nobody() -> None:
    hosts = (
        "login.salesforce.com api.hubapi.com app.hubspot.com api.pipedrive.com gmail.googleapis.com slack.com "
        "api.twilio.com sheets.googleapis.com www.googleapis.com docs.googleapis.com googleads.googleapis.com "
        "api.notion.com api.airtable.com api.calendly.com api.zoom.us app.asana.com api.trello.com api.monday.com "
        "3.basecampapi.com api.pipefy.com api.linear.app api.intercom.io api.helpscout.net desk.zoho.com "
        "quickbooks.api.intuit.com api.xero.com api.stripe.com gql.waveapps.com api.bamboohr.com harvest.greenhouse.io "
        "api.recruitee.com us1.api.mailchimp.com api.bufferapp.com api.linkedin.com graph.facebook.com api.x.com "
        "na1.docusign.net"
    ).split()
    assert [host for host in hosts if domain_keys(host) or exemption_of(host) != "application"] == []
    assert [name for name in APPLICATION_NAMES if name_keys(name)] == []


PROSE = [
    "Marcus at Quantum Labs called",
    "Quantum Labs' invoice is late",
    "QUANTUM LABS wrote",
    "the QuantumLabs renewal",
    "see Quantum-Labs, please",
    "a note to Quantum Labs.",
    "from quantum labs again",
    "\u201cQuantum Labs\u201d is a customer",
    "Fwd: Quantum Labs - Enterprise Deal",
    "Ring Quantum Labs",
    "Quantum\nLabs asked",
    "Quantum Labs, Inc. asked",
    "Ask Quantum\u00a0Labs",
    "Qu\u00e1ntum Labs asked",
    "Mira <mira@quantumlabs.com>",
    "https://quantumlabs.com/prices",
    "[Quantum Labs](https://example.com)",
    "Quantum Labs\u2019s order",
]


@pytest.mark.parametrize("text", PROSE)
def test_a_typed_company_is_found_in_prose_of_either_side(text: str) -> None:
    typed = reading("Quantum Labs", field="world.a.Lead.Company")
    assert set(shared(typed, reading(text))) == {"quantumlabs"}
    assert set(shared(reading(text), typed)) == {"quantumlabs"}


@pytest.mark.parametrize(
    "text",
    [
        "Acme\u2019s order",
        "Acme's order",
        "ACME wrote",
        "Ring Acme",
        "Acme: renewal",
        "Renewal (Acme)",
        "Acme Corp wrote",
        "to Acme Platform",
    ],
)
def test_a_company_of_one_word_is_found_where_it_is_capitalised(text: str) -> None:
    typed = reading("Acme", field="world.a.Lead.Company")
    assert set(shared(typed, reading(text))) == {"acme"}
    assert set(shared(reading(text), typed)) == {"acme"}


@pytest.mark.parametrize(
    ("company", "text"),
    [
        ("Brandt GmbH", "Mira Brandt will call"),
        ("Brandt GmbH", "call T. Brandt"),
        ("Okonjo Ltd", "Zuberi Okonjo <zuberi.okonjo@mail.example.com> will call"),
        ("Jordan Ltd", "Jordan will call"),
        ("Jordan Ltd", "ask Jordan Keller"),
        ("Acme", "the acmes of this world"),
        ("Acme", "acme of this world"),
        ("Summit Corp", "Summit talks are off. We reached the summit."),
        ("Labs and Co", "the labs"),
        ("Quantum Labs", "a quantum leap, and labs"),
        ("Quantum Labs", "quantum of Labs"),
    ],
)
def test_people_and_ordinary_words_are_no_company(company: str, text: str) -> None:
    typed = reading(company, field="world.a.Lead.Company")
    assert shared(typed, reading(text)) == {}
    assert shared(reading(text), typed) == {}


def test_a_person_whose_company_is_called_like_her_does_not_hide_the_company() -> None:
    typed = reading("Brandt GmbH", field="world.a.Lead.Company")
    assert set(shared(typed, reading("Mira Brandt of Brandt GmbH will call"))) == {"brandt"}
    assert shared(typed, reading("Brandt", field="world.a.Contact.LastName")) == {}


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("Marcus Wong at GlobalTech needs his number updated", {"globaltech"}),
        ("Set StageName from CloseDate, by McDonald in JavaScript", set()),
        ("Ask HelpScout and post to LinkedIn via HubSpot", set()),
        ("Milan Okafor of Wickstead Robotics wrote", {"wicksteadrobotics"}),
        ("The Working Group and our Strategic Partners met the Sales Team", set()),
        ("Mira Brandt and Quantum Labs agreed", {"quantumlabs"}),
        ("Apex Forge Ltd and Drum & Yoke Inc. pay", {"apexforge", "drumandyoke", "drumyoke"}),
        ("our company, the parent company, The Company", set()),
    ],
)
def test_organisations_are_told_by_the_shape_of_their_names(text: str, keys: set[str]) -> None:
    assert set(companies_in(reading(text))) == keys


def near(theirs: Reading, ours: Reading) -> set[tuple[str, str]]:
    index = NameIndex(theirs, companies_in(theirs))
    return {(pair.ours.name, pair.theirs.name) for pair in index.near(companies_in(ours))}


@pytest.mark.parametrize("name", ["Quantum Lab", "Quantom Labs", "Quantum Labss", "uantum Labs", "Quantums Labs GmbH"])
def test_names_one_letter_apart_are_near_and_not_shared(name: str) -> None:
    theirs = reading("Quantum Labs Inc", field="initial_state.a.Account.Name")
    ours = reading(name, field="world.a.Lead.Company")
    assert near(theirs, ours) == {(name, "Quantum Labs Inc")}
    assert shared(theirs, ours) == {}


@pytest.mark.parametrize("name", ["Quantum Labs", "Quantum Ladds", "Quantum", "Quatnum Lbs", "Tarnwick Optics"])
def test_equal_and_farther_names_are_not_near(name: str) -> None:
    theirs = reading("Quantum Labs", "Tarn", "Meridia", field="initial_state.a.Account.Name")
    assert near(theirs, reading(name, "Meridian", "Tarm", field="world.a.Lead.Company")) == set()


def test_near_names_are_those_that_an_edit_distance_of_one_finds() -> None:
    rng = derive_rng("near names")
    keys = ["".join(rng.choices("abc", k=rng.randint(8, 10))) for _ in range(600)]
    theirs, ours = keys[:300], keys[300:]
    expected = {(a, b) for a in ours for b in theirs if a not in theirs and edit_distance(a, b) == 1}
    assert len(expected) > 20
    theirs_read, ours_read = (reading(*names, field="world.a.Lead.Company") for names in (theirs, ours))
    assert near(theirs_read, ours_read) == expected


def edit_distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        above, row = row, [place]
        for column, another in enumerate(other, 1):
            row.append(min(above[column] + 1, row[-1] + 1, above[column - 1] + (letter != another)))
    return row[-1]
