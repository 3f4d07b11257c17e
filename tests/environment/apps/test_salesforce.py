"""What Salesforce does that a plain table of records would not."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environment.apps.salesforce.app import APP
from environment.apps.salesforce.ids import (
    account_id,
    campaign_id,
    campaign_member_id,
    case_id,
    contact_id,
    lead_id,
    opportunity_id,
    read_id,
    spell_id,
    task_id,
    user_id,
)
from environment.apps.salesforce.periods import days_of
from environment.apps.salesforce.rows import SOBJECTS
from environment.query.soql import Comparison, Period, parse
from environment.server import Response, Server, parse_now
from environment.tools import ActionTools
from environment.world import Base, World

_ACTOR = {"name": "Mia Stone", "email": "mia@tarnwick.example", "company": "Tarnwick", "domain": "tarnwick.example"}
_KINDS = {"salesforce": {kind.__name__: kind for kind in APP.rows}}
_ROWS: Any = {
    "User": [
        {"Id": user_id(1), "FirstName": "Mia", "LastName": "Stone", "Email": "mia@tarnwick.example"},
        {"Id": user_id(2), "FirstName": "Al", "LastName": "Gone", "IsActive": False},
    ],
    "Account": [
        {"Id": account_id(1), "Name": "Larkfield Optics", "Tier__c": "Gold", "OwnerId": user_id(1)},
        {"Id": account_id(2), "Name": "Larkfield Optical Supplies", "Tier__c": "Silver", "Rating": "Cold"},
        {"Id": account_id(3), "Name": "Nordlys", "Rating": "Hot"},
    ],
    "Contact": [
        {"Id": contact_id(417), "FirstName": "Oren", "LastName": "Haddad", "AccountId": account_id(1)},
        {"Id": contact_id(418), "FirstName": "Oren", "LastName": "Hadda", "AccountId": account_id(2)},
        {"Id": contact_id(419), "FirstName": "Orin", "LastName": "O'Haddad_", "Email": "orin@nordlys.example"},
    ],
    "Lead": [
        {"Id": lead_id(1), "FirstName": "Ada", "LastName": "Quist", "Company": "Nordlys", "Phone": "555-0100"},
        {"Id": lead_id(2), "LastName": "Berg", "Company": "Hovde", "Status": "Working - Contacted"},
    ],
    "Opportunity": [
        {"Id": opportunity_id(1), "Name": "Renewal", "StageName": "Prospecting", "CloseDate": "2026-03-04",
         "Amount": 12000, "AccountId": account_id(1)},
        {"Id": opportunity_id(2), "Name": "Lenses", "StageName": "Closed Won", "CloseDate": "2026-02-27",
         "Amount": 800.5, "AccountId": account_id(3)},
        {"Id": opportunity_id(3), "Name": "Frames", "StageName": "Prospecting", "CloseDate": "2025-12-31"},
    ],
    "Case": [
        {"Id": case_id(1), "CaseNumber": "00001042", "Subject": "Lens", "AccountId": account_id(1), "Status": "Closed"},
    ],
    "Task": [
        {"Id": task_id(1), "Subject": "Call Ada", "WhoId": lead_id(1)},
        {"Id": task_id(2), "Subject": "Check", "WhatId": case_id(1), "ActivityDate": "2026-03-09"},
    ],
    "Campaign": [{"Id": campaign_id(1), "Name": "Spring"}, {"Id": campaign_id(2), "Name": "Autumn"}],
    "CampaignMemberStatus": [
        {"Id": "01Y000000000001AAA", "CampaignId": campaign_id(2), "Label": "Attended", "HasResponded": True},
        {"Id": "01Y000000000002AAA", "CampaignId": campaign_id(2), "Label": "Invited", "IsDefault": True},
    ],
    "CampaignMember": [{"Id": campaign_member_id(1), "CampaignId": campaign_id(1), "LeadId": lead_id(1)}],
    "CustomField": [
        {"Id": "00N000000000001EAA", "object": "Account", "name": "Tier__c", "type": "picklist",
         "values": ["Silver", "Gold"]},
        {"Id": "00N000000000002EAA", "object": "Lead", "name": "Rating", "type": "picklist", "values": ["A", "B"]},
    ],
}  # fmt: skip
_BAD_PICK = "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST"
_BASE = Base({"salesforce": _ROWS}, _KINDS)


class Org:
    """A fresh world with both ways in."""

    def __init__(self, base: Base = _BASE) -> None:
        self.world = World(base, parse_now("2026-03-04T23:30:00-05:00"))
        self.server = Server((APP,), self.world, _ACTOR)
        self._tools = ActionTools(self.server, (APP,), tuple(action.name for action in APP.all_actions))

    def fetch(self, method: str, path: str, params: Any = None, body: Any = None) -> Response:
        return self.server.fetch(method, APP.url(path), params, body)

    def act(self, action: str, **arguments: Any) -> Any:
        return json.loads(self._tools.call(f"salesforce_{action}", arguments))

    def query(self, text: str) -> list[dict[str, Any]]:
        return self.fetch("GET", "/query", {"q": text}).body["records"]

    def names(self, where: str, kind: str = "Contact", field: str = "LastName") -> list[str]:
        return [row[field] for row in self.query(f"SELECT {field} FROM {kind} WHERE {where}")]

    def row(self, kind: str, record_id: str) -> dict[str, Any]:
        return self.fetch("GET", f"/sobjects/{kind}/{record_id}").body


@pytest.fixture
def org() -> Org:
    return Org()


# --- ids -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_id", "read"),
    [
        ("001D000000IqhSL", "001D000000IqhSLIAZ"),  # the example of the vendor's own documentation
        ("001d000000iqhsliaz", "001D000000IqhSLIAZ"),
        ("003000000000417AAA", "003000000000417AAA"),
        ("003000000000417", "003000000000417AAA"),
        ("001D000000IqhSLZZZ", None),
        ("12", None),
        ("../../../../etc/", None),
        ("٠٠٣000000000417", None),
    ],
)
def test_id_of_fifteen_characters_gets_its_checksum(given_id: str, read: str | None) -> None:
    assert read_id(given_id) == read


# --- queries ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("Name LIKE '%hadda%'", ["Haddad", "Hadda", "O'Haddad_"]),
        ("LastName LIKE 'Hadda_'", ["Haddad"]),
        ("LastName LIKE '%\\_'", ["O'Haddad_"]),
        ("LastName = 'HADDAD'", ["Haddad"]),
        ("LastName = 'O\\'Haddad_'", ["O'Haddad_"]),
        ("Account.Name LIKE '%supplies' OR Email != null", ["Hadda", "O'Haddad_"]),
        ("Account.Owner.Name = 'Mia Stone'", ["Haddad"]),
        ("Account.Tier__c = 'gold'", ["Haddad"]),
        ("AccountId = null", ["O'Haddad_"]),
        ("NOT (LastName = 'Hadda' OR Email = '')", ["O'Haddad_"]),
        ("AccountId IN (SELECT AccountId FROM Case WHERE IsClosed = true)", ["Haddad"]),
        ("Id NOT IN ('003000000000417', '003000000000418AAA')", ["O'Haddad_"]),
        ("Id = '003000000000418' AND FirstName = 'Oren'", ["Hadda"]),
        ("Email < 'p'", ["O'Haddad_"]),
    ],
)
def test_where_selects_contacts(org: Org, where: str, names: list[str]) -> None:
    assert org.names(where) == names


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ("CloseDate = TODAY", ["Renewal"]),  # by the org's clock, where it is still the 4th
        ("CloseDate < THIS_MONTH", ["Lenses", "Frames"]),
        ("CloseDate = LAST_N_DAYS:5", ["Renewal", "Lenses"]),
        ("CloseDate = LAST_YEAR", ["Frames"]),
        ("CloseDate != THIS_QUARTER", ["Frames"]),
        ("CloseDate >= 2026-02-27 AND Amount > 1000", ["Renewal"]),
        ("CreatedDate < 2025-01-01T00:00:00Z AND Amount = 800.50", ["Lenses"]),
        ("IsWon = true", ["Lenses"]),
    ],
)
def test_where_compares_days_and_amounts(org: Org, where: str, names: list[str]) -> None:
    assert org.names(where, "Opportunity", "Name") == names


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("SELECT Nmae FROM Contact", "INVALID_FIELD"),
        ("SELECT Acount.Name FROM Contact", "INVALID_FIELD"),
        ("SELECT Tier__c FROM Contact", "INVALID_FIELD"),
        ("SELECT Id FROM Contacts", "INVALID_TYPE"),
        ("SELECT Id FROM Contact WHERE Name =", "MALFORMED_QUERY"),
        ("SELECT Id, Id FROM Contact", "MALFORMED_QUERY"),
        ("SELECT Id FROM Opportunity WHERE Amount = '5'", "INVALID_FIELD"),
        ("SELECT Id FROM Opportunity WHERE CloseDate = '2026-03-04'", "INVALID_FIELD"),
        ("SELECT Id FROM Opportunity WHERE CloseDate = 2026-02-30", "MALFORMED_QUERY"),
        ("SELECT Id FROM Opportunity WHERE Name = 5", "INVALID_FIELD"),
        ("SELECT Id FROM Opportunity WHERE CloseDate = NEXT_N_YEARS:999999999", "MALFORMED_QUERY"),
        ("SELECT Id FROM Contact WHERE Description LIKE '%x%'", "INVALID_FIELD"),
        ("SELECT Id FROM Contact WHERE AccountId = 'Larkfield'", "INVALID_QUERY_FILTER_OPERATOR"),
        ("SELECT Id FROM Contact WHERE AccountId > '001000000000001AAA'", "INVALID_QUERY_FILTER_OPERATOR"),
        ("SELECT Name, COUNT(Id) FROM Contact", "MALFORMED_QUERY"),
        ("SELECT SUM(Name) FROM Contact", "MALFORMED_QUERY"),
        ("SELECT Name FROM Contact WHERE COUNT(Id) > 1", "MALFORMED_QUERY"),
        ("SELECT LastName FROM Contact GROUP BY LastName HAVING Email = 'x'", "MALFORMED_QUERY"),
        ("SELECT LastName FROM Contact HAVING LastName = 'x'", "MALFORMED_QUERY"),
        ("SELECT FIELDS(ALL) FROM Contact", "MALFORMED_QUERY"),
        ("SELECT Id FROM Contact OFFSET 2001", "NUMBER_OUTSIDE_VALID_RANGE"),
        ("SELECT Id, (SELECT Id FROM Contact) FROM Account", "INVALID_TYPE"),
    ],
)
def test_wrong_query_is_refused_with_salesforces_code(org: Org, query: str, code: str) -> None:
    response = org.fetch("GET", "/query", {"q": query})
    assert (response.status, response.body[0]["errorCode"]) == (400, code)
    assert response.body[0]["message"]


def test_record_carries_attributes_and_nested_relationships(org: Org) -> None:
    assert org.query("SELECT Id, Account.Name, Account.Owner.Name FROM Contact WHERE LastName = 'Haddad'") == [
        {
            "attributes": {"type": "Contact", "url": "/services/data/v60.0/sobjects/Contact/003000000000417AAA"},
            "Id": "003000000000417AAA",
            "Account": {
                "attributes": {"type": "Account", "url": "/services/data/v60.0/sobjects/Account/001000000000001AAA"},
                "Name": "Larkfield Optics",
                "Owner": {
                    "attributes": {"type": "User", "url": "/services/data/v60.0/sobjects/User/005000000000001AAA"},
                    "Name": "Mia Stone",
                },
            },
        }
    ]


def test_polymorphic_relationship_reads_whichever_record_it_leads_to(org: Org) -> None:
    rows = org.query("SELECT Who.Name, Who.Type, What.Name FROM Task")
    assert [(row["Who"] and row["Who"]["Name"], row["What"] and row["What"]["Name"]) for row in rows] == [
        ("Ada Quist", None),
        (None, "00001042"),
    ]
    assert rows[0]["Who"]["Type"] == "Lead"


def test_child_subquery_nests_the_children_or_null(org: Org) -> None:
    rows = org.query("SELECT Name, (SELECT LastName FROM Contacts) FROM Account ORDER BY Id")
    assert [row["Contacts"] and [child["LastName"] for child in row["Contacts"]["records"]] for row in rows] == [
        ["Haddad"],
        ["Hadda"],
        None,
    ]


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("Rating", ["Larkfield Optics", "Nordlys", "Larkfield Optical Supplies"]),  # Hot before Cold, as set up
        ("Rating DESC NULLS LAST", ["Larkfield Optical Supplies", "Nordlys", "Larkfield Optics"]),
        ("Rating DESC", ["Larkfield Optics", "Larkfield Optical Supplies", "Nordlys"]),
        ("Tier__c NULLS LAST, Name", ["Larkfield Optical Supplies", "Larkfield Optics", "Nordlys"]),
        ("Owner.Name NULLS LAST, Name DESC", ["Larkfield Optics", "Nordlys", "Larkfield Optical Supplies"]),
    ],
)
def test_order_puts_nulls_first_and_picklists_in_their_own_order(org: Org, order: str, names: list[str]) -> None:
    assert [row["Name"] for row in org.query(f"SELECT Name FROM Account ORDER BY {order}")] == names


def test_grouped_query_answers_one_row_a_group(org: Org) -> None:
    rows = org.query(
        "SELECT StageName, COUNT(Id) deals, SUM(Amount), MAX(CloseDate) FROM Opportunity "
        "GROUP BY StageName ORDER BY COUNT(Id) DESC"
    )
    stripped = [{name: value for name, value in row.items() if name != "attributes"} for row in rows]
    assert stripped == [
        {"StageName": "Prospecting", "deals": 2, "expr0": 12000, "expr1": "2026-03-04"},
        {"StageName": "Closed Won", "deals": 1, "expr0": 800.5, "expr1": "2026-02-27"},
    ]


@pytest.mark.parametrize(
    ("condition", "stages"),
    [
        ("COUNT(Id) > 1", ["Prospecting"]),
        ("SUM(Amount) < 1000 OR StageName LIKE 'pros%'", ["Prospecting", "Closed Won"]),
        ("NOT MAX(CloseDate) > 2026-03-01", ["Closed Won"]),
        ("StageName IN ('Closed Won') AND COUNT() = 1", ["Closed Won"]),
    ],
)
def test_having_filters_groups(org: Org, condition: str, stages: list[str]) -> None:
    rows = org.query(f"SELECT StageName FROM Opportunity GROUP BY StageName HAVING {condition} ORDER BY StageName")
    assert [row["StageName"] for row in rows] == stages


def test_count_answers_a_number_and_no_records(org: Org) -> None:
    body = org.fetch("GET", "/query", {"q": "SELECT COUNT() FROM Contact WHERE Email = null"}).body
    assert body == {"totalSize": 2, "done": True, "records": []}


def test_pages_of_two_thousand_are_followed_by_their_locator() -> None:
    rows: Any = {
        "Note": [{"Id": spell_id("Note", n), "ParentId": account_id(1), "Title": f"n{n}"} for n in range(1, 4502)]
    }
    org = Org(Base({"salesforce": {**_ROWS, **rows}}, _KINDS))
    body = org.fetch("GET", "/query", {"q": "SELECT Title FROM Note"}).body
    titles = [row["Title"] for row in body["records"]]
    while not body["done"]:
        assert body["totalSize"] == 4501
        body = org.server.fetch("GET", "https://acme.my.salesforce.com" + body["nextRecordsUrl"]).body
        titles += [row["Title"] for row in body["records"]]
    assert titles == [f"n{n}" for n in range(1, 4502)]
    assert org.world.changes() == ()


@pytest.mark.parametrize("locator", ["01gD0000002HU6KIAW-2000", "x", "01g-1", "01gé-5", "01geJwDAAAAAAE=-99999999999"])
def test_unknown_locator_is_refused(org: Org, locator: str) -> None:
    response = org.fetch("GET", f"/query/{locator}")
    assert (response.status, response.body[0]["errorCode"]) == (400, "INVALID_QUERY_LOCATOR")


_UNITS = ("WEEK", "MONTH", "QUARTER", "YEAR")
_PERIODS = (
    *("YESTERDAY", "TODAY", "TOMORROW", "LAST_90_DAYS", "NEXT_90_DAYS"),
    *(f"{side}_{unit}" for side in ("LAST", "THIS", "NEXT") for unit in (*_UNITS, "FISCAL_QUARTER", "FISCAL_YEAR")),
    *(f"{side}_N_{unit}S:2" for side in ("LAST", "NEXT") for unit in ("DAY", *_UNITS)),
    *(f"N_{unit}S_AGO:2" for unit in ("DAY", *_UNITS)),
)


@pytest.mark.parametrize("literal", _PERIODS)
def test_periods_are_whole_days_next_to_each_other(literal: str) -> None:
    today = date(2026, 3, 4)  # a Wednesday
    where = parse(f"SELECT Id FROM Case WHERE CreatedDate = {literal.lower()}").where
    assert isinstance(where, Comparison) and isinstance(where.value, Period)
    name = where.value.name
    first, after = days_of(where.value, today)
    assert first < after
    if name.startswith("LAST") and "DAYS" not in name:
        assert after == days_of(Period(name.replace("LAST", "THIS").replace("_N_", "_").rstrip("S"), None), today)[0]
    if name.startswith("NEXT"):
        assert first > today


@pytest.mark.parametrize(
    ("name", "count", "first", "after"),
    [
        ("THIS_WEEK", None, date(2026, 3, 1), date(2026, 3, 8)),  # from Sunday
        ("LAST_QUARTER", None, date(2025, 10, 1), date(2026, 1, 1)),
        ("LAST_N_DAYS", 2, date(2026, 3, 2), date(2026, 3, 5)),
        ("NEXT_N_MONTHS", 2, date(2026, 4, 1), date(2026, 6, 1)),
        ("N_WEEKS_AGO", 1, date(2026, 2, 22), date(2026, 3, 1)),
    ],
)
def test_period_spans_the_days_that_the_reference_gives(name: str, count: int | None, first: date, after: date) -> None:
    assert days_of(Period(name, count), date(2026, 3, 4)) == (first, after)


def test_moments_of_today_begin_at_midnight_of_the_orgs_zone(org: Org) -> None:
    made = org.fetch("POST", "/sobjects/Account", None, {"Name": "New"}).body["id"]
    assert org.row("Account", made)["CreatedDate"] == "2026-03-05T04:30:01.000+0000"
    assert org.names("CreatedDate = TODAY", "Account", "Name") == ["New"]
    assert org.names("CreatedDate >= 2026-03-05T00:00:00-05:00", "Account", "Name") == []


# --- writes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "fields", "code", "about"),
    [
        ("Contact", {"FirstName": "Oren"}, "REQUIRED_FIELD_MISSING", ["LastName"]),
        ("Lead", {"LastName": "x", "Company": ""}, "REQUIRED_FIELD_MISSING", ["Company"]),
        ("Opportunity", {"Name": "x"}, "REQUIRED_FIELD_MISSING", ["StageName", "CloseDate"]),
        ("CampaignMember", {"CampaignId": campaign_id(1)}, "REQUIRED_FIELD_MISSING", ["LeadId", "ContactId"]),
        ("Event", {"Subject": "x"}, "REQUIRED_FIELD_MISSING", ["StartDateTime"]),
        ("Contact", {"LastName": "x", "Nmae": "y"}, "INVALID_FIELD", None),
        ("Contact", {"LastName": "x", "Tier__c": "Gold"}, "INVALID_FIELD", None),
        ("Contact", {"LastName": "x", "Id": contact_id(9)}, "INVALID_FIELD", None),
        ("Contact", {"LastName": "x", "Name": "y"}, "INVALID_FIELD_FOR_INSERT_UPDATE", ["Name"]),
        ("Contact", {"LastName": "x" * 81}, "STRING_TOO_LONG", ["LastName"]),
        ("Contact", {"LastName": "x", "Email": "nope"}, "INVALID_EMAIL_ADDRESS", ["Email"]),
        ("Contact", {"LastName": "x", "AccountId": contact_id(417)}, "MALFORMED_ID", ["AccountId"]),
        ("Contact", {"LastName": "x", "AccountId": account_id(99)}, "INVALID_CROSS_REFERENCE_KEY", ["AccountId"]),
        ("Account", {"Name": "x", "OwnerId": user_id(2)}, "INACTIVE_OWNER_OR_USER", ["OwnerId"]),
        ("Account", {"Name": "x", "AnnualRevenue": "a lot"}, "JSON_PARSER_ERROR", None),
        ("Account", {"Name": "x", "AnnualRevenue": 1e40}, "NUMBER_OUTSIDE_VALID_RANGE", ["AnnualRevenue"]),
        ("Account", {"Name": "x", "Tier__c": "Bronze"}, _BAD_PICK, ["Tier__c"]),
        ("Lead", {"LastName": "x", "Company": "y", "Rating": "C"}, _BAD_PICK, ["Rating"]),
        ("Task", {"Status": "Done"}, _BAD_PICK, ["Status"]),
        ("Task", {"WhoId": lead_id(1), "WhatId": account_id(1)}, "FIELD_INTEGRITY_EXCEPTION", ["WhatId"]),
        ("CampaignMember", {"CampaignId": campaign_id(1), "LeadId": lead_id(1)}, "DUPLICATE_VALUE", []),
        (
            "CampaignMember",
            {"CampaignId": campaign_id(2), "LeadId": lead_id(1), "Status": "Responded"},
            _BAD_PICK,
            ["Status"],
        ),
        ("User", {"LastName": "x"}, "CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY", None),
    ],
)  # fmt: skip
def test_creation_is_refused(org: Org, kind: str, fields: dict[str, Any], code: str, about: list[str] | None) -> None:
    response = org.fetch("POST", f"/sobjects/{kind}", None, fields)
    assert (response.status, response.body[0]["errorCode"]) == (400, code)
    assert response.body[0].get("fields") == about
    assert org.world.changes() == ()


def test_creation_fills_owner_defaults_and_stamps(org: Org) -> None:
    response = org.fetch("POST", "/sobjects/task", None, {"subject": "Call", "whatid": "001000000000001"})
    assert (response.status, response.body) == (201, {"id": task_id(3), "success": True, "errors": []})
    task = org.row("Task", task_id(3))
    assert (task["Subject"], task["Status"], task["Priority"]) == ("Call", "Not Started", "Normal")
    assert (task["WhatId"], task["OwnerId"], task["CreatedById"]) == (account_id(1), user_id(1), user_id(1))
    assert task["CreatedDate"] == task["SystemModstamp"] == "2026-03-05T04:30:01.000+0000"


def test_update_answers_204_and_null_clears(org: Org) -> None:
    response = org.fetch("PATCH", f"/sobjects/Contact/{contact_id(419)}", None, {"Email": None, "FirstName": "Ori"})
    assert (response.status, response.body) == (204, None)
    assert org.row("Contact", contact_id(419))["Email"] is None
    assert org.row("Contact", contact_id(419))["Name"] == "Ori O'Haddad_"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", f"/sobjects/Contact/{contact_id(999)}", 404, "NOT_FOUND"),
        ("GET", "/sobjects/Contact/12", 404, "NOT_FOUND"),
        ("GET", f"/sobjects/Contact/{lead_id(1)}", 400, "MALFORMED_ID"),
        ("GET", f"/sobjects/Nothing/{lead_id(1)}", 404, "NOT_FOUND"),
        ("GET", "/nothing", 404, "NOT_FOUND"),
        ("GET", f"/sobjects/Contact/{contact_id(417)}?fields=Nmae", 400, "INVALID_FIELD"),
        ("PATCH", f"/sobjects/Contact/{contact_id(999)}", 404, "NOT_FOUND"),
        ("DELETE", f"/sobjects/Contact/{contact_id(999)}", 404, "NOT_FOUND"),
    ],
)
def test_errors_come_as_a_list_of_message_and_code(org: Org, method: str, path: str, status: int, code: str) -> None:
    response = org.fetch(method, path, None, {} if method == "PATCH" else None)
    assert (response.status, [error["errorCode"] for error in response.body]) == (status, [code])


@pytest.mark.parametrize("version", ["v59.0", "v62.0"])
def test_other_versions_of_the_api_are_answered_too(org: Org, version: str) -> None:
    url = f"https://tarnwick.my.salesforce.com/services/data/{version}/sobjects/Lead/{lead_id(2)}?fields=Company,Status"
    assert org.server.fetch("GET", url).body == {
        "attributes": {"type": "Lead", "url": f"/services/data/v60.0/sobjects/Lead/{lead_id(2)}"},
        "Id": lead_id(2),
        "Company": "Hovde",
        "Status": "Working - Contacted",
    }


def test_stage_sets_probability_and_closing_flags(org: Org) -> None:
    path = f"/sobjects/Opportunity/{opportunity_id(1)}"
    org.fetch("PATCH", path, None, {"StageName": "closed won"})
    deal = org.row("Opportunity", opportunity_id(1))
    assert (deal["StageName"], deal["Probability"], deal["IsClosed"], deal["IsWon"]) == ("Closed Won", 100, True, True)
    assert deal["ExpectedRevenue"] == 12000
    org.fetch("PATCH", path, None, {"StageName": "Negotiation/Review", "Probability": 40})
    deal = org.row("Opportunity", opportunity_id(1))
    assert (deal["Probability"], deal["IsClosed"], deal["ExpectedRevenue"]) == (40, False, 4800)


def test_case_number_account_and_closing_date_are_set_by_salesforce(org: Org) -> None:
    made = org.act("create_case", subject="Broken frame", contact_id=contact_id(418))["Id"]
    case = org.row("Case", made)
    assert (case["CaseNumber"], case["AccountId"], case["IsClosed"]) == ("00001043", account_id(2), False)
    org.act("update_case", id=made, status="Closed")
    assert org.row("Case", made)["ClosedDate"] == "2026-03-05T04:30:03.000+0000"
    org.act("update_case", id=made, status="Working")
    assert (org.row("Case", made)["ClosedDate"], org.row("Case", made)["IsClosed"]) == (None, False)


def test_member_status_decides_whether_it_counts_as_a_response(org: Org) -> None:
    member = org.act("add_to_campaign", campaign_id=campaign_id(2), person_id=contact_id(417))["Id"]
    assert org.row("CampaignMember", member)["Status"] == "Invited"
    org.act("update_campaign_member", id=member, status="attended")
    row = org.row("CampaignMember", member)
    assert (row["Status"], row["HasResponded"], row["Name"]) == ("Attended", True, "Oren Haddad")
    assert org.row("Campaign", campaign_id(2))["NumberOfResponses"] == 1


def test_event_end_follows_from_its_length(org: Org) -> None:
    made = org.act("create_event", subject="Visit", start="2026-03-05T10:00:00+01:00", minutes=45)["Id"]
    event = org.row("Event", made)
    assert (event["StartDateTime"], event["EndDateTime"]) == (
        "2026-03-05T09:00:00.000+0000",
        "2026-03-05T09:45:00.000+0000",
    )


@pytest.mark.parametrize(
    ("start", "stored"),
    [
        ("2026-03-05T10:00:00.1239+05:30", "2026-03-05T04:30:00.123+0000"),
        ("0999-01-01T00:00:00Z", "0999-01-01T00:00:00.000+0000"),
        ("0001-01-01T00:00:00+14:00", None),
        ("2026-03-05T10:00:00", None),
        ("tomorrow", None),
    ],
)
def test_moment_is_stored_in_utc_or_refused(org: Org, start: str, stored: str | None) -> None:
    answer = org.act("create_event", subject="Visit", start=start, minutes=1)
    rows = org.query("SELECT StartDateTime FROM Event")
    assert [row["StartDateTime"] for row in rows] == ([stored] if stored else [])
    assert ("error" in answer) is (stored is None)


def test_deleting_an_account_with_cases_or_won_deals_is_refused(org: Org) -> None:
    for number in (1, 3):
        response = org.fetch("DELETE", f"/sobjects/Account/{account_id(number)}")
        assert (response.status, response.body[0]["errorCode"]) == (400, "DELETE_FAILED")
    assert org.world.changes() == ()


def test_deleting_an_account_deletes_its_contacts(org: Org) -> None:
    assert org.fetch("DELETE", f"/sobjects/Account/{account_id(2)}").status == 204
    assert {(change.collection, change.id) for change in org.world.changes()} == {
        ("Account", account_id(2)),
        ("Contact", contact_id(418)),
    }


# --- conversion ------------------------------------------------------------------------------------------------------


def test_conversion_makes_account_contact_and_opportunity(org: Org) -> None:
    made = org.act("convert_lead", id=lead_id(1))
    lead = org.row("Lead", lead_id(1))
    assert (lead["IsConverted"], lead["Status"], lead["ConvertedDate"]) == (True, "Closed - Converted", "2026-03-04")
    assert lead["ConvertedContactId"] == made["contactId"]
    contact = org.row("Contact", made["contactId"])
    assert (contact["Name"], contact["Phone"], contact["AccountId"]) == ("Ada Quist", "555-0100", made["accountId"])
    deal = org.row("Opportunity", made["opportunityId"])
    assert (deal["Name"], deal["CloseDate"]) == ("Nordlys", "2026-03-31")
    assert org.row("Task", task_id(1))["WhoId"] == made["contactId"]
    assert org.row("CampaignMember", campaign_member_id(1))["ContactId"] == made["contactId"]


def test_conversion_into_an_account_fills_only_what_is_empty(org: Org) -> None:
    made = org.act("convert_lead", id=lead_id(1), account_id=account_id(1), opportunity=False)
    assert "opportunityId" not in made and made["accountId"] == account_id(1)
    account = org.row("Account", account_id(1))
    assert (account["Name"], account["Phone"]) == ("Larkfield Optics", "555-0100")


def test_converted_lead_can_be_neither_changed_nor_converted_again(org: Org) -> None:
    org.act("convert_lead", id=lead_id(1))
    before = org.world.changes()
    assert org.act("convert_lead", id=lead_id(1)) == {"error": "cannot reference converted lead"}
    assert org.act("update_lead", id=lead_id(1), status="Working - Contacted") == {
        "error": "cannot reference converted lead"
    }
    assert org.world.changes() == before


def test_conversion_to_an_open_status_leaves_everything_as_it_was(org: Org) -> None:
    body = {"inputs": [{"leadId": lead_id(1), "convertedStatus": "Working - Contacted"}]}
    response = org.fetch("POST", "/actions/custom/apex/ConvertLead", None, body)
    assert (response.status, response.body[0]["errorCode"]) == (400, "INVALID_STATUS")
    assert org.world.changes() == ()


# --- search, describe, actions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "ids"),
    [
        ({"q": "oren haddad", "sobject": "Contact"}, [contact_id(417)]),
        ({"q": "hadda*", "sobject": "Contact"}, [contact_id(417), contact_id(418), contact_id(419)]),
        ({"q": "nordlys", "in": "EMAIL"}, [contact_id(419)]),
        ({"q": "larkfield", "sobject": "Account", "Account.where": "Tier__c = 'Silver'"}, [account_id(2)]),
        ({"q": "larkfield", "sobject": "Account", "Account.limit": "1"}, [account_id(1)]),
        ({"q": "nordlys"}, [account_id(3), contact_id(419), lead_id(1)]),
    ],
)
def test_search_finds_whole_words(org: Org, params: dict[str, Any], ids: list[str]) -> None:
    found = [record["Id"] for record in org.fetch("GET", "/parameterizedSearch", params).body["searchRecords"]]
    assert found == ids


def test_search_by_body_returns_the_fields_asked_for(org: Org) -> None:
    body = {"q": "quist", "sobjects": [{"name": "Lead", "fields": ["Company"]}]}
    records = org.fetch("POST", "/parameterizedSearch", None, body).body["searchRecords"]
    assert [record["Company"] for record in records] == ["Nordlys"]


def test_describe_lists_custom_fields_and_the_orgs_own_picklist_values(org: Org) -> None:
    fields = {field["name"]: field for field in org.fetch("GET", "/sobjects/Account/describe").body["fields"]}
    assert fields["Tier__c"]["custom"] and not fields["Name"]["custom"]
    assert [value["value"] for value in fields["Tier__c"]["picklistValues"]] == ["Silver", "Gold"]
    lead = {field["name"]: field for field in org.fetch("GET", "/sobjects/Lead/describe").body["fields"]}
    assert [value["value"] for value in lead["Rating"]["picklistValues"]] == ["A", "B"]


def test_finding_by_part_of_a_name_shows_near_duplicates_without_nulls(org: Org) -> None:
    assert org.act("find_contacts", name="hadda") == [
        {"Id": contact_id(417), "Name": "Oren Haddad", "AccountName": "Larkfield Optics"},
        {"Id": contact_id(418), "Name": "Oren Hadda", "AccountName": "Larkfield Optical Supplies"},
        {"Id": contact_id(419), "Name": "Orin O'Haddad_", "Email": "orin@nordlys.example"},
    ]


@pytest.mark.parametrize("name", ["O'H", "_", "%", "\\", "' OR Name != '"])
def test_finding_takes_every_character_literally(org: Org, name: str) -> None:
    found = org.act("find_contacts", name=name)
    assert [row["Id"] for row in found] == [contact_id(419)] * (name in "O'Haddad_")


def test_setting_a_custom_field_changes_that_field_only(org: Org) -> None:
    assert org.act("set_field", id=account_id(1), field="Tier__c", value="Silver") == {
        "Id": account_id(1),
        "Tier__c": "Silver",
    }
    (change,) = org.world.changes()
    assert change.before and change.after
    changed = {name for name in change.after if change.after[name] != change.before[name]}
    assert changed - APP.derived[SOBJECTS[0]] == {"Tier__c"}


@pytest.mark.parametrize(
    ("collection", "row"),
    [
        ("Contact", {"Id": contact_id(1), "LastName": "x", "Nmae": "y"}),
        ("Opportunity", {"Id": opportunity_id(1), "Name": "x", "StageName": "Prospecting", "CloseDate": "4 March"}),
        ("CampaignMember", {"Id": campaign_member_id(1), "CampaignId": campaign_id(1)}),
        ("CustomField", {"Id": "1", "object": "Account", "name": "Tier", "type": "string"}),
        ("CustomField", {"Id": "1", "object": "Acount", "name": "Tier__c", "type": "string"}),
    ],
)
def test_world_with_an_impossible_row_is_refused(collection: str, row: Any) -> None:
    with pytest.raises(ValueError, match=f"salesforce.{collection}"):
        Base({"salesforce": {collection: (row,)}}, _KINDS)


_FRAGMENTS = st.sampled_from(
    "SELECT FROM WHERE AND OR NOT IN LIKE ( ) , = < '%a%' 'x' 5 null true 2026-01-01 0001-01-01T00:00:00+14:00 TODAY "
    "LAST_N_DAYS:99999 Id Name Amount CloseDate Account.Name Who.Name Tier__c COUNT(Id) GROUP BY ORDER LIMIT OFFSET "
    "Contact Opportunity Task \\ ; \x00 é".split(" ")
)
_VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.lists(st.integers(), max_size=2),
    st.sampled_from([account_id(1), contact_id(417), lead_id(1), user_id(2), "9999-12-31T23:00:00-12:00", "x" * 300]),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(_FRAGMENTS, max_size=14))
def test_no_query_text_raises_or_changes_anything(fragments: list[str]) -> None:
    org = Org()
    for text in (" ".join(fragments), "SELECT Id FROM Opportunity WHERE " + " ".join(fragments)):
        response = org.fetch("GET", "/query", {"q": text})
        assert response.status in (200, 400)
        json.dumps(response.body, allow_nan=False)
    assert org.world.changes() == ()


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SOBJECTS), st.data())
def test_no_field_value_raises(kind: Any, data: st.DataObject) -> None:
    names = st.sampled_from([*kind.model_fields, "Tier__c", "attributes", "Nothing"])
    fields = data.draw(st.dictionaries(names, _VALUES, max_size=4))
    org = Org()
    rows = list(org.world.all(("salesforce", kind.__name__)))
    responses = [org.fetch("POST", f"/sobjects/{kind.__name__}", None, fields)]
    responses += [org.fetch("PATCH", f"/sobjects/{kind.__name__}/{row.row_id}", None, fields) for row in rows[:1]]
    for response in responses:
        assert response.status in (201, 204, 400, 404)
        json.dumps(response.body, allow_nan=False)
