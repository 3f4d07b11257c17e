"""Salesforce's actions are small scripts over its REST API, each for one thing that office workers do there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from pydantic import Field

from environment.apps.kit import Action, AppError, Args, Fetch
from environment.apps.salesforce.ids import kind_of

LIMIT = 200
"""Most records that a finding action shows."""

_FOUND = {
    "Contact": "Id, Name, Phone, Email, Title, Account.Name",
    "Lead": "Id, Name, Company, Email, Phone, Status, Rating, Owner.Name",
    "Account": "Id, Name, Type, Industry, Rating, Phone, Website, BillingCity, Owner.Name",
    "Opportunity": "Id, Name, StageName, Amount, CloseDate, Account.Name, Owner.Name",
    "Case": "Id, CaseNumber, Subject, Status, Priority, Account.Name, Contact.Name, Owner.Name",
    "Task": "Id, Subject, Status, Priority, ActivityDate, Who.Name, What.Name, Owner.Name",
    "Note": "Id, Title, Body",
    "Campaign": "Id, Name, Status, Type, StartDate",
    "CampaignMember": "Id, Name, Status, LeadId, ContactId",
    "User": "Id, Name, Email, Title, IsActive",
}
"""What the finding actions show of a record."""


class FindContacts(Args):
    name: str | None = Field(None, description="Part of the name")
    email: str | None = Field(None, description="Part of the email")
    account: str | None = Field(None, description="Part of the account name")


class UpdateContact(Args):
    id: str = Field(description="Contact id")
    phone: str | None = Field(None, description="New phone")
    email: str | None = Field(None, description="New email")
    title: str | None = Field(None, description="New job title")


class CreateContact(Args):
    last_name: str = Field(description="Last name")
    first_name: str | None = Field(None, description="First name")
    email: str | None = Field(None, description="Email")
    phone: str | None = Field(None, description="Phone")
    title: str | None = Field(None, description="Job title")
    account_id: str | None = Field(None, description="Account id")


class FindLeads(Args):
    name: str | None = Field(None, description="Part of the name")
    company: str | None = Field(None, description="Part of the company")
    email: str | None = Field(None, description="Part of the email")
    status: str | None = Field(None, description="Status")


class UpdateLead(Args):
    id: str = Field(description="Lead id")
    status: str | None = Field(None, description="New status")
    rating: str | None = Field(None, description="Hot, Warm or Cold")
    owner_id: str | None = Field(None, description="User id of new owner")


class CreateLead(Args):
    last_name: str = Field(description="Last name")
    company: str = Field(description="Company")
    first_name: str | None = Field(None, description="First name")
    email: str | None = Field(None, description="Email")
    phone: str | None = Field(None, description="Phone")
    title: str | None = Field(None, description="Job title")
    source: str | None = Field(None, description="Lead source")


class ConvertLead(Args):
    id: str = Field(description="Lead id")
    account_id: str | None = Field(None, description="Existing account id")
    opportunity: bool = Field(True, description="Also create an opportunity")


class FindByName(Args):
    name: str = Field(description="Part of the name")


class UpdateAccount(Args):
    id: str = Field(description="Account id")
    phone: str | None = Field(None, description="New phone")
    website: str | None = Field(None, description="New website")
    industry: str | None = Field(None, description="New industry")
    rating: str | None = Field(None, description="Hot, Warm or Cold")
    owner_id: str | None = Field(None, description="User id of new owner")


class CreateAccount(Args):
    name: str = Field(description="Name")
    phone: str | None = Field(None, description="Phone")
    website: str | None = Field(None, description="Website")
    industry: str | None = Field(None, description="Industry")


class FindOpportunities(Args):
    name: str | None = Field(None, description="Part of the name")
    account: str | None = Field(None, description="Part of the account name")
    stage: str | None = Field(None, description="Stage")


class UpdateOpportunity(Args):
    id: str = Field(description="Opportunity id")
    stage: str | None = Field(None, description="New stage")
    amount: float | None = Field(None, description="New amount")
    close_date: str | None = Field(None, description="New close date, YYYY-MM-DD")
    owner_id: str | None = Field(None, description="User id of new owner")


class CreateOpportunity(Args):
    name: str = Field(description="Name")
    stage: str = Field(description="Stage")
    close_date: str = Field(description="Close date, YYYY-MM-DD")
    amount: float | None = Field(None, description="Amount")
    account_id: str | None = Field(None, description="Account id")


class FindCases(Args):
    number: str | None = Field(None, description="Case number")
    subject: str | None = Field(None, description="Part of the subject")
    account: str | None = Field(None, description="Part of the account name")
    status: str | None = Field(None, description="Status")


class UpdateCase(Args):
    id: str = Field(description="Case id")
    status: str | None = Field(None, description="New status")
    priority: str | None = Field(None, description="High, Medium or Low")
    owner_id: str | None = Field(None, description="User id of new owner")


class CreateCase(Args):
    subject: str = Field(description="Subject")
    description: str | None = Field(None, description="Description")
    priority: str | None = Field(None, description="High, Medium or Low")
    account_id: str | None = Field(None, description="Account id")
    contact_id: str | None = Field(None, description="Contact id")


class FindTasks(Args):
    subject: str | None = Field(None, description="Part of the subject")
    related_id: str | None = Field(None, description="Id of the related record")
    who_id: str | None = Field(None, description="Contact or lead id")
    owner_id: str | None = Field(None, description="User id of the owner")


class CreateTask(Args):
    subject: str = Field(description="Subject")
    related_id: str | None = Field(None, description="Account, opportunity or case id")
    who_id: str | None = Field(None, description="Contact or lead id")
    due_date: str | None = Field(None, description="Due date, YYYY-MM-DD")
    owner_id: str | None = Field(None, description="User id of the owner")


class UpdateTask(Args):
    id: str = Field(description="Task id")
    status: str | None = Field(None, description="New status")
    priority: str | None = Field(None, description="High, Normal or Low")
    due_date: str | None = Field(None, description="New due date, YYYY-MM-DD")
    owner_id: str | None = Field(None, description="User id of new owner")


class CreateEvent(Args):
    subject: str = Field(description="Subject")
    start: str = Field(description="Start, ISO 8601 with offset")
    minutes: int = Field(description="Length in minutes")
    related_id: str | None = Field(None, description="Account, opportunity or case id")
    who_id: str | None = Field(None, description="Contact or lead id")


class FindNotes(Args):
    record_id: str = Field(description="Id of the record")


class CreateNote(Args):
    record_id: str = Field(description="Id of the record")
    title: str = Field(description="Title")
    body: str = Field(description="Text")


class FindCampaignMembers(Args):
    campaign_id: str = Field(description="Campaign id")


class AddToCampaign(Args):
    campaign_id: str = Field(description="Campaign id")
    person_id: str = Field(description="Contact or lead id")
    status: str | None = Field(None, description="Member status")


class UpdateCampaignMember(Args):
    id: str = Field(description="Campaign member id")
    status: str = Field(description="New member status")


class RecordId(Args):
    id: str = Field(description="Id of the record")


class SetField(Args):
    id: str = Field(description="Id of the record")
    field: str = Field(description="Field name")
    value: str = Field(description="New value")


class QueryText(Args):
    soql: str = Field(description="SOQL query")


def _find_contacts(fetch: Fetch, args: FindContacts) -> Any:
    conditions = _part("Name", args.name) + _part("Email", args.email) + _part("Account.Name", args.account)
    return _find(fetch, "Contact", conditions)


def _find_leads(fetch: Fetch, args: FindLeads) -> Any:
    conditions = _part("Name", args.name) + _part("Company", args.company) + _part("Email", args.email)
    return _find(fetch, "Lead", conditions + _same("Status", args.status))


def _convert_lead(fetch: Fetch, args: ConvertLead) -> Any:
    inputs = {"leadId": args.id, "createOpportunity": args.opportunity}
    if args.account_id is not None:
        inputs["accountId"] = args.account_id
    outcome = fetch("POST", "/actions/custom/apex/ConvertLead", None, {"inputs": [inputs]})[0]
    return {name: value for name, value in outcome["outputValues"].items() if value is not None}


def _find_opportunities(fetch: Fetch, args: FindOpportunities) -> Any:
    conditions = _part("Name", args.name) + _part("Account.Name", args.account) + _same("StageName", args.stage)
    return _find(fetch, "Opportunity", conditions)


def _find_cases(fetch: Fetch, args: FindCases) -> Any:
    number = [] if not args.number else [f"CaseNumber LIKE '%{_literal(args.number)}'"]
    conditions = number + _part("Subject", args.subject) + _part("Account.Name", args.account)
    return _find(fetch, "Case", conditions + _same("Status", args.status))


def _find_tasks(fetch: Fetch, args: FindTasks) -> Any:
    conditions = _part("Subject", args.subject) + _same("WhatId", args.related_id)
    return _find(fetch, "Task", conditions + _same("WhoId", args.who_id) + _same("OwnerId", args.owner_id))


def _find_users(fetch: Fetch, args: FindByName) -> Any:
    """Users; that one is active goes without saying."""
    users = _records(fetch, "User", _part("Name", args.name))
    without = ("IsActive", True)
    return _shown([{name: value for name, value in user.items() if (name, value) != without} for user in users])


def _add_to_campaign(fetch: Fetch, args: AddToCampaign) -> Any:
    field = "LeadId" if kind_of(args.person_id) == "Lead" else "ContactId"
    status = {} if args.status is None else {"Status": args.status}
    return _create(fetch, "CampaignMember", {"CampaignId": args.campaign_id, field: args.person_id, **status})


def _get_record(fetch: Fetch, args: RecordId) -> Any:
    record = _compact(fetch("GET", f"/sobjects/{_kind(args.id)}/{_segment(args.id)}"))
    return {name: value for name, value in record.items() if name not in _SYSTEM and value is not False}


def _set_field(fetch: Fetch, args: SetField) -> Any:
    value: Any = args.value
    if args.value.lower() in ("true", "false"):
        value = args.value.lower() == "true" if _is_flag(fetch, args) else args.value
    return _update(fetch, _kind(args.id), args.id, {args.field: value})


def _delete_record(fetch: Fetch, args: RecordId) -> Any:
    fetch("DELETE", f"/sobjects/{_kind(args.id)}/{_segment(args.id)}")
    return {"Id": args.id, "deleted": True}


def _query(fetch: Fetch, args: QueryText) -> Any:
    body = fetch("GET", "/query", {"q": args.soql})
    records = [_compact(record) for record in body["records"][:LIMIT]]
    if body["done"] and len(records) == len(body["records"]):
        return {"totalSize": body["totalSize"], "records": records}
    return {"totalSize": body["totalSize"], "records": records, "done": False, "more": "use LIMIT and OFFSET"}


def _given(args: Args, names: Mapping[str, str]) -> dict[str, Any]:
    """The arguments that were given, under the fields' names."""
    return {field: getattr(args, name) for name, field in names.items() if getattr(args, name) is not None}


def _find(fetch: Fetch, kind: str, conditions: list[str]) -> Any:
    return _shown(_records(fetch, kind, conditions))


def _shown(records: list[Any]) -> Any:
    return records if len(records) <= LIMIT else {"records": records[:LIMIT], "more": "narrow the search"}


def _records(fetch: Fetch, kind: str, conditions: list[str]) -> list[Any]:
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    body = fetch("GET", "/query", {"q": f"SELECT {_FOUND[kind]} FROM {kind}{where} LIMIT {LIMIT + 1}"})
    return [_compact(record) for record in body["records"]]


def _part(field: str, text: str | None) -> list[str]:
    """Condition that the field holds the text anywhere, in any case; none when no text is given."""
    return [] if not text else [f"{field} LIKE '%{_literal(text)}%'"]


def _same(field: str, text: str | None) -> list[str]:
    return [] if not text else [f"{field} = '{_quoted(text)}'"]


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _compact(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without attributes and nulls; the name across a relationship becomes one field, such as AccountName."""
    found: dict[str, Any] = {}
    for name, value in record.items():
        if name == "attributes" or value is None:
            continue
        if isinstance(value, Mapping) and "records" in value:
            found[name] = [_compact(item) for item in value["records"]]
        elif isinstance(value, Mapping):
            inner = _compact(value)
            if name == "Owner" and list(inner) == ["Name"]:
                found[name] = inner["Name"]
            else:
                found.update({f"{name}{key}": item for key, item in inner.items()})
        else:
            found[name] = int(value) if isinstance(value, float) and value.is_integer() else value
    return found


def _update(fetch: Fetch, kind: str, record_id: str, fields: dict[str, Any]) -> dict[str, Any]:
    if not fields:
        raise AppError(400, "give at least one field to change")
    fetch("PATCH", f"/sobjects/{kind}/{_segment(record_id)}", None, fields)
    return {"Id": record_id, **fields}


def _create(fetch: Fetch, kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {"Id": fetch("POST", f"/sobjects/{kind}", None, fields)["id"], **fields}


def _segment(text: str) -> str:
    """The text as one segment of a path."""
    return quote(text, safe="") or "%20"


def _literal(text: str) -> str:
    """The text for a LIKE pattern, its wildcards taken literally."""
    return _quoted(text).replace("%", "\\%").replace("_", "\\_")


def _kind(record_id: str) -> str:
    kind = kind_of(record_id)
    if kind is None:
        raise AppError(400, f"{record_id[:40]!r} is not a record id")
    return kind


def _is_flag(fetch: Fetch, args: SetField) -> bool:
    fields = fetch("GET", f"/sobjects/{_kind(args.id)}/describe")["fields"]
    return any(field["name"].lower() == args.field.lower() and field["type"] == "boolean" for field in fields)


def _finder(kind: str) -> Any:
    """Script that finds records of one object by name."""
    return lambda fetch, args: _find(fetch, kind, _part("Name", args.name))


def _updater(kind: str, **names: str) -> Any:
    """Script that changes a record; `names` maps arguments to fields."""
    return lambda fetch, args: _update(fetch, kind, args.id, _given(args, names))


def _creator(kind: str, **names: str) -> Any:
    """Script that creates a record; `names` maps arguments to fields."""
    return lambda fetch, args: _create(fetch, kind, _given(args, names))


_SYSTEM = ("CreatedDate", "CreatedById", "LastModifiedDate", "LastModifiedById", "SystemModstamp")

_PERSON = {"last_name": "LastName", "first_name": "FirstName", "email": "Email", "phone": "Phone", "title": "Title"}

ACTIONS = (
    Action("salesforce_find_contacts", "read", "Find contacts.", FindContacts, _find_contacts),
    Action(
        "salesforce_update_contact", "write", "Change a contact.", UpdateContact,
        _updater("Contact", phone="Phone", email="Email", title="Title"),
    ),
    Action(
        "salesforce_create_contact", "write", "Create a contact.", CreateContact,
        _creator("Contact", **_PERSON, account_id="AccountId"),
    ),
    Action("salesforce_find_leads", "read", "Find leads.", FindLeads, _find_leads),
    Action(
        "salesforce_update_lead", "write", "Change a lead.", UpdateLead,
        _updater("Lead", status="Status", rating="Rating", owner_id="OwnerId"),
    ),
    Action(
        "salesforce_create_lead", "write", "Create a lead.", CreateLead,
        _creator("Lead", **_PERSON, company="Company", source="LeadSource"),
    ),
    Action("salesforce_convert_lead", "write", "Convert a lead to account and contact.", ConvertLead, _convert_lead),
    Action("salesforce_find_accounts", "read", "Find accounts.", FindByName, _finder("Account")),
    Action(
        "salesforce_update_account", "write", "Change an account.", UpdateAccount,
        _updater(
            "Account", phone="Phone", website="Website", industry="Industry", rating="Rating", owner_id="OwnerId"
        ),
    ),
    Action(
        "salesforce_create_account", "write", "Create an account.", CreateAccount,
        _creator("Account", name="Name", phone="Phone", website="Website", industry="Industry"),
    ),
    Action("salesforce_find_opportunities", "read", "Find opportunities.", FindOpportunities, _find_opportunities),
    Action(
        "salesforce_update_opportunity", "write", "Change an opportunity.", UpdateOpportunity,
        _updater("Opportunity", stage="StageName", amount="Amount", close_date="CloseDate", owner_id="OwnerId"),
    ),
    Action(
        "salesforce_create_opportunity", "write", "Create an opportunity.", CreateOpportunity,
        _creator(
            "Opportunity", name="Name", stage="StageName", close_date="CloseDate", amount="Amount",
            account_id="AccountId",
        ),
    ),
    Action("salesforce_find_cases", "read", "Find support cases.", FindCases, _find_cases),
    Action(
        "salesforce_update_case", "write", "Change a support case.", UpdateCase,
        _updater("Case", status="Status", priority="Priority", owner_id="OwnerId"),
    ),
    Action(
        "salesforce_create_case", "write", "Create a support case.", CreateCase,
        _creator(
            "Case", subject="Subject", description="Description", priority="Priority", account_id="AccountId",
            contact_id="ContactId",
        ),
    ),
    Action("salesforce_find_tasks", "read", "Find tasks.", FindTasks, _find_tasks),
    Action(
        "salesforce_create_task", "write", "Create a task.", CreateTask,
        _creator(
            "Task", subject="Subject", related_id="WhatId", who_id="WhoId", due_date="ActivityDate",
            owner_id="OwnerId",
        ),
    ),
    Action(
        "salesforce_update_task", "write", "Change a task.", UpdateTask,
        _updater("Task", status="Status", priority="Priority", due_date="ActivityDate", owner_id="OwnerId"),
    ),
    Action(
        "salesforce_create_event", "write", "Create a calendar event.", CreateEvent,
        _creator(
            "Event", subject="Subject", start="StartDateTime", minutes="DurationInMinutes", related_id="WhatId",
            who_id="WhoId",
        ),
    ),
    Action(
        "salesforce_find_notes", "read", "Read the notes of a record.", FindNotes,
        lambda fetch, args: _find(fetch, "Note", [f"ParentId = '{_quoted(args.record_id)}'"]),
    ),
    Action(
        "salesforce_create_note", "write", "Add a note to a record.", CreateNote,
        _creator("Note", record_id="ParentId", title="Title", body="Body"),
    ),
    Action("salesforce_find_campaigns", "read", "Find campaigns.", FindByName, _finder("Campaign")),
    Action(
        "salesforce_find_campaign_members", "read", "List the members of a campaign.", FindCampaignMembers,
        lambda fetch, args: _find(fetch, "CampaignMember", [f"CampaignId = '{_quoted(args.campaign_id)}'"]),
    ),
    Action(
        "salesforce_add_to_campaign", "write", "Add a contact or lead to a campaign.", AddToCampaign, _add_to_campaign
    ),
    Action(
        "salesforce_update_campaign_member", "write", "Change a campaign member's status.", UpdateCampaignMember,
        _updater("CampaignMember", status="Status"),
    ),
    Action("salesforce_find_users", "read", "Find users.", FindByName, _find_users),
    Action("salesforce_get_record", "read", "Read all fields of a record.", RecordId, _get_record),
    Action("salesforce_set_field", "write", "Set one field of a record.", SetField, _set_field),
    Action("salesforce_delete_record", "write", "Delete a record.", RecordId, _delete_record),
    Action("salesforce_query", "read", "Run a SOQL query.", QueryText, _query),
)  # fmt: skip
"""Every hand-written action of Salesforce."""
