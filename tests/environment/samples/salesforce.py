"""Salesforce in the sample world."""

from __future__ import annotations

from typing import Any

from environment.apps.salesforce import ids as salesforce

ROWS: dict[str, tuple[dict[str, Any], ...]] = {
    "User": (
        {
            "Id": salesforce.spell_id("User", 1),
            "FirstName": "Pat",
            "LastName": "Moss",
            "Email": "pat@tarnwick.example",
        },
    ),
    "Account": ({"Id": salesforce.account_id(1), "Name": "Larkfield Optics"},),
    "Contact": (
        {"Id": salesforce.contact_id(1), "FirstName": "Oren", "LastName": "Haddad", "Phone": "555-0142"},
        {"Id": salesforce.contact_id(2), "FirstName": "Orin", "LastName": "Haddad", "Email": "orin@x.example"},
    ),
    "Lead": ({"Id": salesforce.lead_id(1), "LastName": "Ito", "Company": "Nimbus", "Status": "Working - Contacted"},),
    "Opportunity": (
        {
            "Id": salesforce.opportunity_id(1),
            "Name": "Lenses",
            "StageName": "Prospecting",
            "CloseDate": "2026-06-01",
            "Amount": 1200.0,
        },
    ),
    "Case": ({"Id": salesforce.case_id(1), "CaseNumber": "00001001", "Subject": "Broken", "Status": "New"},),
}

MEANT: dict[str, list[Any]] = {
    "object": ["Contact", "Account", "Lead", "Opportunity", "Case", "Task"],
    "fields": ["Id,Name", {"LastName": "Adler"}, {"Subject": "Call"}, {"Name": "Nimbus"}, {"Phone": "555-0100"}],
    "inputs": [[{"leadId": salesforce.lead_id(1), "convertedStatus": "Closed - Converted"}]],
    "q": ["SELECT Id, Name FROM Contact WHERE Name LIKE 'O%'", "FIND {Oren}", "Haddad"],
    "soql": ["SELECT Id, Account.Name FROM Contact ORDER BY Name LIMIT 5", "SELECT COUNT() FROM Lead"],
    "stage": ["Closed Won", "Prospecting", "Closed Lost"],
    "status": ["Working - Contacted", "Closed", "Completed", "Sent"],
    "priority": ["High", "Low"],
    "rating": ["Hot", "Cold"],
    "close_date": ["2026-03-31"],
    "due_date": ["2026-03-31"],
    "start": ["2026-03-05T10:00:00+00:00"],
    "email": ["orin@x.example"],
    "field": ["Phone", "Name", "Description", "OwnerId"],
}

FILLED = {
    "contact id": salesforce.contact_id(1),
    "lead id": salesforce.lead_id(1),
}
"""What stands in an example's `<...>` -> a value of this world."""
