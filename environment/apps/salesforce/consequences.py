"""A consequence is a field that Salesforce sets, or a refusal that it makes, because of what a write does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from environment.apps.kit import Call
from environment.apps.salesforce.moments import read_moment, spell_moment
from environment.apps.salesforce.refusal import Refusal
from environment.apps.salesforce.rows import (
    MEMBER_STATUSES,
    STAGES,
    CampaignMember,
    CampaignMemberStatus,
    Case,
    Contact,
    Event,
    Lead,
    Opportunity,
    SObject,
    Task,
)

Fields = dict[str, Any]


def settle(call: Call, kind: type[SObject], before: SObject | None, fields: Fields) -> Fields:
    """The written fields with those that follow from them; `before` is None for a creation."""
    rule = _RULES.get(kind)
    return rule(call, before, dict(fields)) if rule else fields


def member_statuses(call: Call, campaign_id: str) -> list[tuple[str, bool]]:
    """Statuses that a campaign offers, its default first, each with whether it counts as a response."""
    own = call.tables.where(CampaignMemberStatus, "CampaignId", campaign_id)
    if own:
        ordered = sorted(own, key=lambda status: not status.IsDefault)
        return [(status.Label, status.HasResponded) for status in ordered]
    return [(status, status == "Responded") for status in MEMBER_STATUSES]


def _opportunity(call: Call, before: SObject | None, fields: Fields) -> Fields:
    stage: str = fields.get("StageName") or ""
    moved = stage and (not isinstance(before, Opportunity) or before.StageName != stage)
    if moved and fields.get("Probability") is None:
        fields["Probability"] = float(STAGES[stage][0])
    return fields


def _case(call: Call, before: SObject | None, fields: Fields) -> Fields:
    if before is None:
        numbers = [case.CaseNumber for case in call.tables.all(Case)]
        highest = max((int(number) for number in numbers if number and number.isdigit()), default=1000)
        fields["CaseNumber"] = f"{highest + 1:08d}"
        contact = call.tables.find(Contact, fields.get("ContactId") or "")
        if contact is not None and fields.get("AccountId") is None:
            fields["AccountId"] = contact.AccountId
    was_closed = isinstance(before, Case) and before.IsClosed
    if "Status" in fields and (fields["Status"] == "Closed") != was_closed:
        fields["ClosedDate"] = None if was_closed else spell_moment(call.now)
    return fields


def _task(call: Call, before: SObject | None, fields: Fields) -> Fields:
    _check_who(before, fields)
    was_done = isinstance(before, Task) and before.IsClosed
    if "Status" in fields and (fields["Status"] == "Completed") != was_done:
        fields["CompletedDateTime"] = None if was_done else spell_moment(call.now)
    return fields


def _event(call: Call, before: SObject | None, fields: Fields) -> Fields:
    _check_who(before, fields)
    start = fields.get("StartDateTime", getattr(before, "StartDateTime", None))
    if start is None:
        raise _missing("StartDateTime")
    minutes, end = fields.get("DurationInMinutes"), fields.get("EndDateTime")
    if end is None and minutes is None:
        if not isinstance(before, Event):
            raise _missing("EndDateTime", "DurationInMinutes")
        minutes = before.DurationInMinutes or 0
    try:
        if minutes is not None:
            implied = spell_moment(read_moment(start) + timedelta(minutes=minutes))
            if end is not None and end != implied:
                raise Refusal(
                    400, "FIELD_INTEGRITY_EXCEPTION", "the start and end times do not match the duration",
                    ("DurationInMinutes",),
                )  # fmt: skip
            end = implied
    except OverflowError:
        raise Refusal(
            400, "NUMBER_OUTSIDE_VALID_RANGE", "DurationInMinutes: value outside of valid range", ("DurationInMinutes",)
        ) from None
    length = read_moment(str(end)) - read_moment(start)
    if length < timedelta(0):
        raise Refusal(400, "FIELD_INTEGRITY_EXCEPTION", "End Date: the event ends before it starts", ("EndDateTime",))
    fields.update(EndDateTime=end, DurationInMinutes=int(length.total_seconds() // 60), ActivityDate=start[:10])
    return fields


def _member(call: Call, before: SObject | None, fields: Fields) -> Fields:
    campaign = before.CampaignId if isinstance(before, CampaignMember) else fields["CampaignId"]
    if before is None:
        _check_person(call, fields)
    offered = member_statuses(call, campaign)
    if before is not None and fields.get("Status") is None:
        return fields
    asked = fields.get("Status") or offered[0][0]
    status, responded = next((pair for pair in offered if pair[0].lower() == asked.lower()), (None, False))
    if status is None:
        names = ", ".join(name for name, _ in offered)
        raise Refusal(
            400,
            "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST",
            f"Status: bad value for restricted picklist field: {asked} (use one of: {names})",
            ("Status",),
        )
    fields.update(Status=status, HasResponded=responded)
    if responded and not (isinstance(before, CampaignMember) and before.FirstRespondedDate):
        fields["FirstRespondedDate"] = spell_moment(call.now)[:10]
    return fields


def _check_person(call: Call, fields: Fields) -> None:
    field = "LeadId" if fields.get("LeadId") else "ContactId"
    person = fields.get(field)
    if person is None:
        raise _missing("LeadId", "ContactId")
    if fields.get("LeadId") and fields.get("ContactId"):
        raise Refusal(400, "FIELD_INTEGRITY_EXCEPTION", "give either LeadId or ContactId, not both", ("ContactId",))
    lead = call.tables.find(Lead, person)
    if lead is not None and lead.IsConverted:
        raise Refusal(400, "CANNOT_UPDATE_CONVERTED_LEAD", "cannot reference converted lead", ("LeadId",))
    taken = call.tables.where(CampaignMember, field, person)
    if any(member.CampaignId == fields["CampaignId"] for member in taken):
        raise Refusal(400, "DUPLICATE_VALUE", "Already a campaign member.", ())


def _check_who(before: SObject | None, fields: Fields) -> None:
    """An activity with a lead can't also be about an account, opportunity or case."""
    who = fields.get("WhoId", getattr(before, "WhoId", None))
    what = fields.get("WhatId", getattr(before, "WhatId", None))
    if who and what and who.startswith("00Q"):
        raise Refusal(400, "FIELD_INTEGRITY_EXCEPTION", "WhatId may not be specified with a lead as WhoId", ("WhatId",))


def _missing(*names: str) -> Refusal:
    return Refusal(400, "REQUIRED_FIELD_MISSING", f"Required fields are missing: [{', '.join(names)}]", names)


_RULES: dict[type[SObject], Callable[[Call, SObject | None, Fields], Fields]] = {
    Opportunity: _opportunity,
    Case: _case,
    Task: _task,
    Event: _event,
    CampaignMember: _member,
}
