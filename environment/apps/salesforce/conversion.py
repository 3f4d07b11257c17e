"""A conversion turns a qualified lead into an account, a contact and, unless told otherwise, an opportunity."""

from __future__ import annotations

from typing import Any, cast

from environment.apps.kit import Call
from environment.apps.salesforce.ids import kind_of, read_id
from environment.apps.salesforce.refusal import Refusal
from environment.apps.salesforce.rows import (
    CONVERTED_STATUS,
    LEAD_STATUSES,
    Account,
    CampaignMember,
    Contact,
    Event,
    Lead,
    Opportunity,
    SObject,
    Task,
    User,
)
from environment.apps.salesforce.writes import insert, revise

DEFAULT_STAGE = "Prospecting"
_TO_ACCOUNT = {
    "Company": "Name", "Phone": "Phone", "Website": "Website", "Industry": "Industry", "AnnualRevenue": "AnnualRevenue",
    "NumberOfEmployees": "NumberOfEmployees", "Rating": "Rating", "Street": "BillingStreet", "City": "BillingCity",
    "State": "BillingState", "PostalCode": "BillingPostalCode", "Country": "BillingCountry",
}  # fmt: skip
_TO_CONTACT = {
    "FirstName": "FirstName", "LastName": "LastName", "Title": "Title", "Email": "Email", "Phone": "Phone",
    "MobilePhone": "MobilePhone", "LeadSource": "LeadSource", "Street": "MailingStreet", "City": "MailingCity",
    "State": "MailingState", "PostalCode": "MailingPostalCode", "Country": "MailingCountry",
    "Description": "Description",
}  # fmt: skip


def convert(
    call: Call,
    lead_id: str,
    status: str | None,
    account_id: str | None,
    contact_id: str | None,
    owner_id: str | None,
    opportunity_name: str | None,
    with_opportunity: bool,
) -> dict[str, Any]:
    """Ids of what the lead became. In an existing account or contact only empty fields are filled."""
    lead = _record(call, Lead, lead_id, "leadId")
    if lead.IsConverted:
        raise Refusal(400, "CANNOT_UPDATE_CONVERTED_LEAD", "cannot reference converted lead", ())
    status = status or CONVERTED_STATUS
    if status.lower() != CONVERTED_STATUS.lower():
        known = "not a converted status" if status in LEAD_STATUSES else "unknown status"
        raise Refusal(400, "INVALID_STATUS", f"invalid convertedStatus: {status[:80]} ({known})")
    account = _record(call, Account, account_id, "accountId") if account_id else None
    contact = _record(call, Contact, contact_id, "contactId") if contact_id else None
    if contact is not None and account is None:
        raise Refusal(400, "INVALID_ID_FIELD", "accountId is required when contactId is given")
    if contact is not None and account is not None and contact.AccountId not in (None, account.Id):
        raise Refusal(400, "INVALID_ID_FIELD", "the contact belongs to another account")
    owner = _record(call, User, owner_id, "ownerId").Id if owner_id else lead.OwnerId
    account = cast(Account, _merge(call, Account, account, _mapped(lead, _TO_ACCOUNT), owner))
    person = {**_mapped(lead, _TO_CONTACT), "AccountId": account.Id}
    contact = cast(Contact, _merge(call, Contact, contact, person, owner))
    opportunity = _opportunity(call, lead, account, contact, opportunity_name, owner) if with_opportunity else None
    _hand_over(call, lead, contact)
    made = {
        "ConvertedAccountId": account.Id,
        "ConvertedContactId": contact.Id,
        "ConvertedOpportunityId": opportunity.Id if opportunity else None,
    }
    today = call.now.date().isoformat()
    revise(call, lead, {"Status": CONVERTED_STATUS, "IsConverted": True, "ConvertedDate": today, **made})
    return {
        "leadId": lead.Id,
        "accountId": account.Id,
        "contactId": contact.Id,
        "opportunityId": made["ConvertedOpportunityId"],
    }


def _record(call: Call, kind: type[Any], record_id: str | None, argument: str) -> Any:
    found = read_id(record_id or "")
    if found is None or kind_of(found) != kind.__name__:
        raise Refusal(400, "MALFORMED_ID", f"{argument}: id value of incorrect type: {str(record_id)[:40]}")
    row = call.tables.find(kind, found)
    if row is None:
        raise Refusal(400, "INVALID_CROSS_REFERENCE_KEY", f"invalid cross reference id: {found}")
    return row


def _mapped(lead: Lead, mapping: dict[str, str]) -> dict[str, Any]:
    values = {target: getattr(lead, source) for source, target in mapping.items()}
    return {name: value for name, value in values.items() if value is not None}


def _merge(call: Call, kind: type[SObject], row: SObject | None, values: dict[str, Any], owner: str | None) -> SObject:
    if row is None:
        return insert(call, kind, {**values, "OwnerId": owner})
    empty = {name: value for name, value in values.items() if getattr(row, name) is None}
    return revise(call, row, empty) if empty else row


def _opportunity(
    call: Call, lead: Lead, account: Account, contact: Contact, name: str | None, owner: str | None
) -> SObject:
    """Salesforce names it after the company and lets it close at the end of the quarter."""
    month = (call.now.month - 1) // 3 * 3 + 3
    fields = {
        "Name": (name or lead.Company)[:120],
        "AccountId": account.Id,
        "ContactId": contact.Id,
        "StageName": DEFAULT_STAGE,
        "CloseDate": f"{call.now.year}-{month:02d}-{31 if month in (3, 12) else 30}",
        "LeadSource": lead.LeadSource,
        "OwnerId": owner,
    }
    return insert(call, Opportunity, fields)


def _hand_over(call: Call, lead: Lead, contact: Contact) -> None:
    """The contact takes over the lead's activities and campaign memberships."""
    for activity in (Task, Event):
        for row in call.tables.where(activity, "WhoId", lead.Id):
            call.tables.put(row.change(WhoId=contact.Id))
    for member in call.tables.where(CampaignMember, "LeadId", lead.Id):
        call.tables.put(member.change(ContactId=contact.Id))
