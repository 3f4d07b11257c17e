"""The rows of Salesforce are its standard objects' records, with the fields that office work touches."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field, model_validator

from environment.apps.salesforce.columns import (
    DAY,
    Column,
    Day,
    EmailText,
    Flag,
    Kind,
    LongText,
    Moment,
    Money,
    Number,
    OwnerRef,
    Percent,
    PhoneText,
    ShortText,
    SystemDay,
    SystemFlag,
    SystemMoment,
    SystemMoney,
    SystemText,
    SystemUser,
    Text,
    WebText,
    Whole,
    columns_of,
)
from environment.world import Row

ORG_CREATED = "2024-01-08T09:00:00.000+0000"
"""When the company moved into Salesforce: the creation date of rows that a world gives without one."""

STAGES: dict[str, tuple[int, str]] = {
    "Prospecting": (10, "Pipeline"),
    "Qualification": (10, "Pipeline"),
    "Needs Analysis": (20, "Pipeline"),
    "Value Proposition": (50, "Pipeline"),
    "Id. Decision Makers": (60, "Pipeline"),
    "Perception Analysis": (70, "Pipeline"),
    "Proposal/Price Quote": (75, "Pipeline"),
    "Negotiation/Review": (90, "Pipeline"),
    "Closed Won": (100, "Closed"),
    "Closed Lost": (0, "Omitted"),
}
"""Stage of an opportunity -> its default probability in percent and forecast category, as a new org has them."""

CONVERTED_STATUS = "Closed - Converted"
LEAD_STATUSES = ("Open - Not Contacted", "Working - Contacted", CONVERTED_STATUS, "Closed - Not Converted")
CASE_STATUSES = ("New", "Working", "Escalated", "Closed")
CASE_PRIORITIES = ("Medium", "High", "Low")
TASK_STATUSES = ("Not Started", "In Progress", "Completed", "Waiting on someone else", "Deferred")
TASK_PRIORITIES = ("Normal", "High", "Low")
CAMPAIGN_STATUSES = ("Planned", "In Progress", "Completed", "Aborted")
MEMBER_STATUSES = ("Sent", "Responded")
RATINGS = ("Hot", "Warm", "Cold")
INDUSTRIES = (
    "Agriculture", "Banking", "Biotechnology", "Chemicals", "Communications", "Construction", "Consulting", "Education",
    "Electronics", "Energy", "Engineering", "Entertainment", "Environmental", "Finance", "Food & Beverage",
    "Government", "Healthcare", "Hospitality", "Insurance", "Machinery", "Manufacturing", "Media", "Not For Profit",
    "Other", "Recreation", "Retail", "Shipping", "Technology", "Telecommunications", "Transportation", "Utilities",
)  # fmt: skip
LEAD_SOURCES = ("Web", "Phone Inquiry", "Partner Referral", "Purchased List", "Other")

IdText = Annotated[str, Column("id", length=18, on_create=False, on_update=False)]
RatingWord = Annotated[str | None, Column("picklist", values=RATINGS)]
SourceWord = Annotated[str | None, Column("picklist", values=LEAD_SOURCES, restricted=False)]
IndustryWord = Annotated[str | None, Column("picklist", values=INDUSTRIES, restricted=False)]
AccountRef = Annotated[str | None, Column("reference", refers=("Account",))]
ContactRef = Annotated[str | None, Column("reference", refers=("Contact",))]
WhoRef = Annotated[str | None, Column("reference", refers=("Contact", "Lead"))]
WhatRef = Annotated[str | None, Column("reference", refers=("Account", "Opportunity", "Case", "Campaign"))]


SEARCHED: frozenset[Kind] = frozenset(("string", "textarea", "email", "phone", "url"))
"""Kinds of columns that a search looks into."""
_WORD = re.compile(r"\w{1,255}")


def find_words(values: Iterable[Any]) -> frozenset[str]:
    """The words of all texts among the values, in lower case."""
    return frozenset(_WORD.findall("\n".join(value for value in values if isinstance(value, str)).casefold()))


class SObject(Row):
    """A record of any object: system fields, plus custom fields whose names end in `__c`."""

    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, str | int | float | bool | None] = Field(init=False)
    id_field: ClassVar[str] = "Id"
    name_field: ClassVar[str] = "Name"
    """What the record is called where only its id is stored, as in `What.Name`."""

    Id: IdText
    CreatedDate: SystemMoment = None
    CreatedById: SystemUser = None
    LastModifiedDate: SystemMoment = None
    LastModifiedById: SystemUser = None
    SystemModstamp: SystemMoment = None

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its standard text fields, by which a search finds it."""
        texts = (name for name, column in columns_of(type(self)).items() if column.kind in SEARCHED)
        return find_words(getattr(self, name) for name in texts)

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, data: dict[str, Any]) -> dict[str, Any]:
        data = dict(data)
        unknown = [name for name in data if name not in cls.model_fields and not name.endswith("__c")]
        if unknown:
            raise ValueError(f"{cls.__name__} has no field {unknown[0]!r}; custom fields end in __c")
        data["CreatedDate"] = data.get("CreatedDate") or ORG_CREATED
        data["LastModifiedDate"] = data.get("LastModifiedDate") or data["CreatedDate"]
        data["SystemModstamp"] = data["LastModifiedDate"]
        cls._derive(data)
        return data

    @classmethod
    def _derive(cls, data: dict[str, Any]) -> None:
        """Set the fields that always follow from others of the same record."""


class Account(SObject):
    Name: Annotated[str, Column("string", required=True)]
    AccountNumber: ShortText = None
    Type: Annotated[
        str | None,
        Column(
            "picklist",
            values=(
                "Prospect", "Customer - Direct", "Customer - Channel", "Channel Partner / Reseller",
                "Installation Partner", "Technology Partner", "Other",
            ),
            restricted=False,
        ),
    ] = None  # fmt: skip
    Industry: IndustryWord = None
    Rating: RatingWord = None
    Phone: PhoneText = None
    Fax: PhoneText = None
    Website: WebText = None
    AnnualRevenue: Money = None
    NumberOfEmployees: Whole = None
    BillingStreet: Text = None
    BillingCity: ShortText = None
    BillingState: ShortText = None
    BillingPostalCode: ShortText = None
    BillingCountry: ShortText = None
    ShippingCity: ShortText = None
    ShippingCountry: ShortText = None
    ParentId: AccountRef = None
    Description: LongText = None
    OwnerId: OwnerRef = None


class Contact(SObject):
    FirstName: Annotated[str | None, Column("string", length=40)] = None
    LastName: Annotated[str, Column("string", length=80, required=True)]
    Name: SystemText = None
    AccountId: AccountRef = None
    Title: Annotated[str | None, Column("string", length=128)] = None
    Department: ShortText = None
    Email: EmailText = None
    Phone: PhoneText = None
    MobilePhone: PhoneText = None
    Fax: PhoneText = None
    LeadSource: SourceWord = None
    ReportsToId: ContactRef = None
    MailingStreet: Text = None
    MailingCity: ShortText = None
    MailingState: ShortText = None
    MailingPostalCode: ShortText = None
    MailingCountry: ShortText = None
    Birthdate: Day = None
    HasOptedOutOfEmail: Flag = False
    DoNotCall: Flag = False
    Description: LongText = None
    OwnerId: OwnerRef = None

    @classmethod
    def _derive(cls, data: dict[str, Any]) -> None:
        data["Name"] = _full_name(data)


class Lead(SObject):
    FirstName: Annotated[str | None, Column("string", length=40)] = None
    LastName: Annotated[str, Column("string", length=80, required=True)]
    Name: SystemText = None
    Company: Annotated[str, Column("string", required=True)]
    Title: Annotated[str | None, Column("string", length=128)] = None
    Email: EmailText = None
    Phone: PhoneText = None
    MobilePhone: PhoneText = None
    Website: WebText = None
    Street: Text = None
    City: ShortText = None
    State: ShortText = None
    PostalCode: ShortText = None
    Country: ShortText = None
    Industry: IndustryWord = None
    LeadSource: SourceWord = None
    Status: Annotated[str, Column("picklist", values=LEAD_STATUSES)] = LEAD_STATUSES[0]
    Rating: RatingWord = None
    AnnualRevenue: Money = None
    NumberOfEmployees: Whole = None
    HasOptedOutOfEmail: Flag = False
    DoNotCall: Flag = False
    Description: LongText = None
    OwnerId: OwnerRef = None
    IsConverted: SystemFlag = False
    ConvertedDate: SystemDay = None
    ConvertedAccountId: Annotated[
        str | None, Column("reference", refers=("Account",), on_create=False, on_update=False)
    ] = None
    ConvertedContactId: Annotated[
        str | None, Column("reference", refers=("Contact",), on_create=False, on_update=False)
    ] = None
    ConvertedOpportunityId: Annotated[
        str | None, Column("reference", refers=("Opportunity",), on_create=False, on_update=False)
    ] = None

    @classmethod
    def _derive(cls, data: dict[str, Any]) -> None:
        data["Name"] = _full_name(data)


class Opportunity(SObject):
    Name: Annotated[str, Column("string", length=120, required=True)]
    AccountId: AccountRef = None
    StageName: Annotated[str, Column("picklist", values=tuple(STAGES), required=True)]
    CloseDate: Annotated[str, DAY, Column("date", required=True)]
    Amount: Money = None
    Probability: Percent = None
    ExpectedRevenue: SystemMoney = None
    Type: Annotated[
        str | None,
        Column(
            "picklist",
            values=(
                "Existing Customer - Upgrade", "Existing Customer - Replacement", "Existing Customer - Downgrade",
                "New Customer",
            ),
            restricted=False,
        ),
    ] = None  # fmt: skip
    LeadSource: SourceWord = None
    NextStep: Text = None
    Description: LongText = None
    CampaignId: Annotated[str | None, Column("reference", refers=("Campaign",))] = None
    ContactId: Annotated[str | None, Column("reference", refers=("Contact",), on_update=False)] = None
    OwnerId: OwnerRef = None
    IsClosed: SystemFlag = False
    IsWon: SystemFlag = False
    ForecastCategoryName: SystemText = None

    @classmethod
    def _derive(cls, data: dict[str, Any]) -> None:
        stage = data.get("StageName")
        probability, category = STAGES.get(stage, (0, "Pipeline")) if isinstance(stage, str) else (0, "Pipeline")
        data["IsClosed"], data["IsWon"] = stage in ("Closed Won", "Closed Lost"), stage == "Closed Won"
        data["ForecastCategoryName"] = category
        if data.get("Probability") is None:
            data["Probability"] = probability
        amount, chance = data.get("Amount"), data["Probability"]
        known = isinstance(amount, int | float) and isinstance(chance, int | float)
        data["ExpectedRevenue"] = round(amount * chance / 100, 2) if known else None


class Case(SObject):
    name_field: ClassVar[str] = "CaseNumber"

    CaseNumber: SystemText = None
    Subject: Text = None
    Status: Annotated[str, Column("picklist", values=CASE_STATUSES)] = CASE_STATUSES[0]
    Priority: Annotated[str | None, Column("picklist", values=CASE_PRIORITIES)] = CASE_PRIORITIES[0]
    Origin: Annotated[str | None, Column("picklist", values=("Phone", "Email", "Web"), restricted=False)] = None
    Type: Annotated[
        str | None,
        Column(
            "picklist",
            values=("Mechanical", "Electrical", "Electronic", "Structural", "Other"),
            restricted=False,
        ),
    ] = None
    Reason: Annotated[
        str | None,
        Column(
            "picklist",
            values=(
                "Installation", "Equipment Complexity", "Performance", "Breakdown", "Equipment Design", "Feedback",
                "Other",
            ),
            restricted=False,
        ),
    ] = None  # fmt: skip
    AccountId: AccountRef = None
    ContactId: ContactRef = None
    ParentId: Annotated[str | None, Column("reference", refers=("Case",))] = None
    SuppliedEmail: EmailText = None
    SuppliedName: ShortText = None
    Description: LongText = None
    Comments: LongText = None
    IsEscalated: Flag = False
    OwnerId: OwnerRef = None
    IsClosed: SystemFlag = False
    ClosedDate: SystemMoment = None

    @classmethod
    def _derive(cls, data: dict[str, Any]) -> None:
        data["IsClosed"] = data.get("Status") == "Closed"


class Task(SObject):
    name_field: ClassVar[str] = "Subject"

    Subject: Text = None
    Status: Annotated[str, Column("picklist", values=TASK_STATUSES)] = TASK_STATUSES[0]
    Priority: Annotated[str, Column("picklist", values=TASK_PRIORITIES)] = TASK_PRIORITIES[0]
    ActivityDate: Day = None
    WhoId: WhoRef = None
    WhatId: WhatRef = None
    Type: Annotated[str | None, Column("picklist", values=("Call", "Meeting", "Other"), restricted=False)] = None
    Description: LongText = None
    OwnerId: OwnerRef = None
    IsClosed: SystemFlag = False
    CompletedDateTime: SystemMoment = None

    @classmethod
    def _derive(cls, data: dict[str, Any]) -> None:
        data["IsClosed"] = data.get("Status") == "Completed"


class Event(SObject):
    name_field: ClassVar[str] = "Subject"

    Subject: Text = None
    StartDateTime: Moment = None
    EndDateTime: Moment = None
    DurationInMinutes: Whole = None
    ActivityDate: SystemDay = None
    IsAllDayEvent: Flag = False
    Location: Text = None
    WhoId: WhoRef = None
    WhatId: WhatRef = None
    Description: LongText = None
    OwnerId: OwnerRef = None


class Note(SObject):
    name_field: ClassVar[str] = "Title"

    ParentId: Annotated[
        str,
        Column(
            "reference",
            refers=("Account", "Contact", "Lead", "Opportunity", "Case", "Campaign"),
            required=True,
            on_update=False,
        ),
    ]
    Title: Annotated[str, Column("string", length=80, required=True)]
    Body: LongText = None
    IsPrivate: Flag = False
    OwnerId: OwnerRef = None


class Campaign(SObject):
    Name: Annotated[str, Column("string", length=80, required=True)]
    Type: Annotated[
        str | None,
        Column(
            "picklist",
            values=(
                "Conference", "Webinar", "Trade Show", "Public Relations", "Partners", "Referral Program",
                "Advertisement", "Banner Ads", "Direct Mail", "Email", "Telemarketing", "Other",
            ),
            restricted=False,
        ),
    ] = None  # fmt: skip
    Status: Annotated[str | None, Column("picklist", values=CAMPAIGN_STATUSES)] = CAMPAIGN_STATUSES[0]
    StartDate: Day = None
    EndDate: Day = None
    IsActive: Flag = False
    BudgetedCost: Money = None
    ActualCost: Money = None
    ExpectedRevenue: Money = None
    ExpectedResponse: Percent = None
    NumberSent: Number = None
    ParentId: Annotated[str | None, Column("reference", refers=("Campaign",))] = None
    Description: LongText = None
    OwnerId: OwnerRef = None


class CampaignMemberStatus(SObject):
    """A status that one campaign offers its members; a campaign without any has Sent and Responded."""

    name_field: ClassVar[str] = "Label"

    CampaignId: Annotated[str, Column("reference", refers=("Campaign",), required=True, on_update=False)]
    Label: Annotated[str, Column("string", required=True)]
    HasResponded: Flag = False
    IsDefault: Flag = False


class CampaignMember(SObject):
    CampaignId: Annotated[str, Column("reference", refers=("Campaign",), required=True, on_update=False)]
    LeadId: Annotated[str | None, Column("reference", refers=("Lead",), on_update=False)] = None
    ContactId: Annotated[str | None, Column("reference", refers=("Contact",), on_update=False)] = None
    Status: Annotated[str, Column("string", length=40)] = MEMBER_STATUSES[0]
    HasResponded: SystemFlag = False
    FirstRespondedDate: SystemDay = None

    @model_validator(mode="after")
    def _one_person(self) -> CampaignMember:
        if not (self.LeadId or self.ContactId):
            raise ValueError("a CampaignMember needs a LeadId or a ContactId")
        return self


class User(SObject):
    FirstName: Annotated[str | None, Column("string", length=40)] = None
    LastName: Annotated[str, Column("string", length=80, required=True)]
    Name: SystemText = None
    Username: ShortText = None
    Email: EmailText = None
    Title: ShortText = None
    Department: ShortText = None
    Phone: PhoneText = None
    IsActive: Flag = True
    ManagerId: OwnerRef = None

    @classmethod
    def _derive(cls, data: dict[str, Any]) -> None:
        data["Name"] = _full_name(data)


class CustomField(Row):
    """A custom field that the org's administrator declared; describe shows it, and only such fields can be used.

    Under the name of a standard picklist, such as Lead.Status, it gives that picklist the org's own values instead.
    """

    id_field: ClassVar[str] = "Id"

    Id: str
    object: str
    """Object that has the field, such as Account."""
    name: str
    """Ends in __c; or a standard picklist's name, except an opportunity's StageName."""
    label: str | None = None
    type: str = Field(
        pattern="^(string|textarea|email|phone|url|picklist|boolean|double|currency|percent|int|date|datetime)$"
    )
    values: tuple[str, ...] = ()
    """Values of a picklist; it refuses others."""

    @model_validator(mode="after")
    def _declarable(self) -> CustomField:
        kind = OBJECT_NAMES.get(self.object.lower())
        if kind is None or kind.__name__ != self.object:
            raise ValueError(f"there is no object {self.object!r}; use one of {[item.__name__ for item in SOBJECTS]}")
        standard = columns_of(kind).get(self.name)
        if standard is None and not re.fullmatch(r"[A-Za-z]\w*__c", self.name):
            raise ValueError(f"{self.object} has no picklist {self.name!r}, and a custom field's name ends in __c")
        if standard is not None and (standard.kind != "picklist" or self.name == "StageName"):
            raise ValueError(f"{self.object}.{self.name} is not a picklist whose values an org can choose")
        return self

    @property
    def column(self) -> Column:
        return Column(kind=self.type, values=self.values, length=255 if self.type != "textarea" else 32000)  # type: ignore[arg-type]


SOBJECTS: tuple[type[SObject], ...] = (
    Account, Contact, Lead, Opportunity, Case, Task, Event, Note, Campaign, CampaignMember, CampaignMemberStatus, User,
)  # fmt: skip
"""Every object with a REST resource."""

OBJECT_NAMES = {kind.__name__.lower(): kind for kind in SOBJECTS}
"""Lower-case name -> row model; Salesforce takes object names in any case."""


CHILDREN: dict[str, dict[str, tuple[str, str]]] = {
    "Account": {
        "Contacts": ("Contact", "AccountId"),
        "Opportunities": ("Opportunity", "AccountId"),
        "Cases": ("Case", "AccountId"),
        "Tasks": ("Task", "WhatId"),
        "Events": ("Event", "WhatId"),
        "Notes": ("Note", "ParentId"),
        "ChildAccounts": ("Account", "ParentId"),
    },
    "Contact": {
        "Cases": ("Case", "ContactId"),
        "Tasks": ("Task", "WhoId"),
        "Events": ("Event", "WhoId"),
        "CampaignMembers": ("CampaignMember", "ContactId"),
        "Notes": ("Note", "ParentId"),
    },
    "Lead": {
        "Tasks": ("Task", "WhoId"),
        "Events": ("Event", "WhoId"),
        "CampaignMembers": ("CampaignMember", "LeadId"),
        "Notes": ("Note", "ParentId"),
    },
    "Opportunity": {
        "Tasks": ("Task", "WhatId"),
        "Events": ("Event", "WhatId"),
        "Notes": ("Note", "ParentId"),
    },
    "Case": {
        "Tasks": ("Task", "WhatId"),
        "Events": ("Event", "WhatId"),
        "Cases": ("Case", "ParentId"),
        "Notes": ("Note", "ParentId"),
    },
    "Campaign": {
        "CampaignMembers": ("CampaignMember", "CampaignId"),
        "CampaignMemberStatuses": ("CampaignMemberStatus", "CampaignId"),
        "Opportunities": ("Opportunity", "CampaignId"),
        "ChildCampaigns": ("Campaign", "ParentId"),
        "Tasks": ("Task", "WhatId"),
    },
}
"""Object -> child relationship -> child object and its field that points back."""


def _full_name(data: dict[str, Any]) -> str:
    return " ".join(str(part) for part in (data.get("FirstName"), data.get("LastName")) if part)
