"""The guide to Salesforce's API."""

from __future__ import annotations

from environment.apps.guide import Guide, Hint

GUIDE = Guide(
    words="crm sales",
    glossary={
        "record": "contact lead account opportunity deal case task event note campaign member user company customer",
        "lead": "prospect",
        "object": "table",
    },
    hints={
        "query": Hint(
            "{totalSize, done, records: [{attributes, Id, ...}]}; until done, the last part of nextRecordsUrl is the "
            "locator of the next page",
            {"q": "SELECT Id, Name, StageName, Account.Name FROM Opportunity WHERE Name LIKE '%Lenses%' LIMIT 50"},
        ),
        "query_more": Hint("The same as a query: {totalSize, done, records, nextRecordsUrl}"),
        "search_records": Hint(
            "{searchRecords: [{attributes: {type}, Id, ...}]}",
            {"q": "Haddad", "sobject": "Contact", "Contact.fields": "Id,Name,Email"},
        ),
        "search_records_by_body": Hint(
            "{searchRecords: [{attributes: {type}, Id, ...}]}",
            body={"q": "Haddad", "fields": ["Id", "Name"], "sobjects": [{"name": "Contact"}]},
        ),
        "list_objects": Hint("{sobjects: [{name, label, createable, updateable}]}"),
        "describe_object": Hint("{name, fields: [{name, label, type, updateable, picklistValues: [{value}]}]}"),
        "get_object": Hint("{objectDescribe, recentItems}"),
        "create_record": Hint(
            "{id, success, errors}",
            body={
                "Subject": "Call back",
                "WhoId": "<contact id>",
                "ActivityDate": "2026-03-09",
                "Status": "Not Started",
            },
        ),
        "get_record": Hint("The record: {attributes, Id, ...}", {"fields": "Id,Name"}),
        "update_record": Hint("Nothing (204)", body={"Phone": "555-0199", "Title": None}),
        "delete_record": Hint("Nothing (204)"),
        "convert_lead": Hint(
            "[{isSuccess, outputValues: {leadId, accountId, contactId, opportunityId}}]",
            body={"inputs": [{"leadId": "<lead id>", "convertedStatus": "Closed - Converted"}]},
        ),
    },
)
