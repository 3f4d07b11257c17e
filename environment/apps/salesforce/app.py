"""Salesforce: the REST API of a company's Sales and Service Cloud org.

After the REST API Developer Guide, the Object Reference, the SOAP API Guide (convertLead) and the SOQL and SOSL
Reference of developer.salesforce.com for API version 60.0: pages dome_sobject_create, dome_query,
dome_get_field_values, dome_update_fields, dome_delete_record, resources_search_parameterized, errorcodes,
sforce_api_calls_convertlead, sforce_api_calls_soql_select_dateformats and sforce_api_calls_soql_select_orderby.

Leaves out authentication, sharing, record types, the recycle bin, formula fields, composite requests, upsert by
external id, assignment and validation rules, SOSL, and the Bulk, Tooling and UI APIs. Other versions of the API are
answered as 60.0. A query locator carries its query, so later pages see later writes. Status, stage, priority and rating
picklists are restricted to their values, as in an org whose administrator ticked that box. REST has no lead conversion
of its own: like many orgs this one exposes it as an Apex invocable action.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import Field, model_validator

from environment.apps.kit import App, Args, Call, Many, Response, Route
from environment.apps.salesforce.actions import ACTIONS
from environment.apps.salesforce.columns import columns_of
from environment.apps.salesforce.conversion import convert
from environment.apps.salesforce.descriptions import brief, full, overview
from environment.apps.salesforce.fields import Fields
from environment.apps.salesforce.guide import GUIDE
from environment.apps.salesforce.ids import spell_id
from environment.apps.salesforce.queries import BASE_PATH, answer, attributes, resume
from environment.apps.salesforce.refusal import Refusal, error_body, no_column
from environment.apps.salesforce.rows import SOBJECTS, CustomField, SObject
from environment.apps.salesforce.searches import search
from environment.apps.salesforce.writes import create, delete, find_object, find_record, update
from environment.world import Row


class QueryArgs(Args):
    q: str = Field(description="SOQL query")


class QueryMoreArgs(Args):
    locator: str = Field(description="Last part of nextRecordsUrl")


class NoArgs(Args):
    pass


class ObjectArgs(Args):
    object: str = Field(description="Object name, such as Contact")


class CreateArgs(ObjectArgs):
    fields: dict[str, Any] = Field(description="Field names and values")


class RecordArgs(ObjectArgs):
    id: str = Field(description="Record id")


class GetArgs(RecordArgs):
    fields: str | None = Field(None, description="Comma-separated field names; all without")


class UpdateArgs(RecordArgs):
    fields: dict[str, Any] = Field(description="Field names and new values; null clears")


class SearchArgs(Args):
    q: str = Field(description="Words to find; * stands for any letters")
    sobject: Many | None = Field(None, description="Object to search; may be repeated")
    fields: Many | None = Field(None, description="Comma-separated fields to return")
    scope: str = Field("ALL", alias="in", description="ALL, NAME, EMAIL or PHONE fields")
    default_limit: int = Field(2000, alias="defaultLimit", description="Most records of an object")
    overall_limit: int = Field(2000, alias="overallLimit", description="Most records in all")
    by_object: dict[str, Any] = Field({}, description="Parameters such as Account.fields, Account.limit, Account.where")

    @model_validator(mode="before")
    @classmethod
    def _fold(cls, data: Any) -> Any:
        """`Account.fields` and the like are parameters of their own."""
        dotted = {name: value for name, value in data.items() if "." in name}
        kept = {name: value for name, value in data.items() if "." not in name}
        return {**kept, "by_object": {**kept.get("by_object", {}), **dotted}} if dotted else kept


class SearchedObject(Args):
    name: str
    fields: list[str] | None = None
    limit: int | None = None
    where: str | None = None


class SearchBodyArgs(Args):
    q: str = Field(description="Words to find; * stands for any letters")
    fields: list[str] | None = Field(None, description="Fields to return")
    sobjects: list[SearchedObject] | None = Field(None, description="Objects: name, fields, limit, where")
    scope: str = Field("ALL", alias="in", description="ALL, NAME, EMAIL or PHONE fields")
    default_limit: int = Field(2000, alias="defaultLimit", description="Most records of an object")
    overall_limit: int = Field(2000, alias="overallLimit", description="Most records in all")


class ConvertInput(Args):
    leadId: str
    convertedStatus: str | None = None
    accountId: str | None = None
    contactId: str | None = None
    ownerId: str | None = None
    opportunityName: str | None = None
    createOpportunity: bool = True


class ConvertArgs(Args):
    inputs: list[ConvertInput] = Field(
        min_length=1,
        max_length=200,
        description="leadId, convertedStatus, accountId, contactId, ownerId, opportunityName, createOpportunity",
    )


def query(call: Call, args: QueryArgs) -> Any:
    """Run a SOQL query."""
    return answer(call, args.q)


def query_more(call: Call, args: QueryMoreArgs) -> Any:
    """Read the next page of a query."""
    return resume(call, args.locator)


def search_records(call: Call, args: SearchArgs) -> Any:
    """Search records by words."""
    names = [name for text in args.sobject or [] for name in text.split(",")]
    wanted = []
    for name in names:
        own = {key.partition(".")[2]: value for key, value in args.by_object.items() if key.startswith(f"{name}.")}
        fields = own.get("fields") or ",".join(args.fields or []) or None
        wanted.append(
            (name, str(fields) if fields else None, _whole(own.get("limit"), args.default_limit), own.get("where"))
        )
    return search(call, args.q, wanted, args.scope, args.overall_limit)


def search_records_by_body(call: Call, args: SearchBodyArgs) -> Any:
    """Search records by words, with a JSON body."""
    wanted = []
    for item in args.sobjects or []:
        fields = ",".join(item.fields or args.fields or []) or None
        wanted.append((item.name, fields, args.default_limit if item.limit is None else item.limit, item.where))
    return search(call, args.q, wanted, args.scope, args.overall_limit)


def list_objects(call: Call, args: NoArgs) -> Any:
    """List the objects of the org."""
    return overview()


def get_object(call: Call, args: ObjectArgs) -> Any:
    """Describe an object in brief."""
    return {"objectDescribe": brief(find_object(args.object)), "recentItems": []}


def describe_object(call: Call, args: ObjectArgs) -> Any:
    """Describe an object with its fields and picklist values."""
    return full(call, find_object(args.object))


def create_record(call: Call, args: CreateArgs) -> Any:
    """Create a record of an object."""
    row = create(call, find_object(args.object), args.fields)
    return Response(201, {"id": row.Id, "success": True, "errors": []})


def get_record(call: Call, args: GetArgs) -> Any:
    """Read a record."""
    row = find_record(call, find_object(args.object), args.id)
    return {"attributes": attributes(row), **_read(call, row, args.fields)}


def update_record(call: Call, args: UpdateArgs) -> Any:
    """Change fields of a record."""
    update(call, find_record(call, find_object(args.object), args.id), args.fields)
    return Response(204, None)


def delete_record(call: Call, args: RecordArgs) -> Any:
    """Delete a record."""
    delete(call, find_record(call, find_object(args.object), args.id))
    return Response(204, None)


def convert_lead(call: Call, args: ConvertArgs) -> Any:
    """Convert leads into accounts, contacts and opportunities."""
    outcomes = []
    for item in args.inputs:
        made = convert(
            call,
            item.leadId,
            item.convertedStatus,
            item.accountId,
            item.contactId,
            item.ownerId,
            item.opportunityName,
            item.createOpportunity,
        )
        outcomes.append({"actionName": "ConvertLead", "errors": None, "isSuccess": True, "outputValues": made})
    return outcomes


def _read(call: Call, row: SObject, fields: str | None) -> dict[str, Any]:
    known = Fields(call)
    if fields is None:
        return {name: known.read(row, name) for name in known.columns(type(row))}
    found: dict[str, Any] = {"Id": row.Id}
    for asked in fields.split(","):
        name = known.own_name(type(row), asked.strip())
        if name is None:
            raise no_column(asked.strip(), type(row).__name__)
        found[name] = known.read(row, name)
    return found


def _whole(value: Any, otherwise: int) -> int:
    if value is None:
        return otherwise
    text = str(value)
    if not (text.isdigit() and text.isascii() and len(text) < 10):
        raise Refusal(400, "MALFORMED_SEARCH", f"a limit must be a whole number, given {text[:40]!r}")
    return int(text)


_ROWS: tuple[type[Row], ...] = (*SOBJECTS, CustomField)
_STAMPS = frozenset(("CreatedDate", "CreatedById", "LastModifiedDate", "LastModifiedById", "SystemModstamp"))

APP = App(
    name="salesforce",
    title="Salesforce",
    host="{org}.my.salesforce.com",
    hosts_also=("{org}.salesforce.com", "login.salesforce.com"),
    base_path=BASE_PATH,
    base_path_also=r"/services/data/v[2-6]\d\.0",
    rows=_ROWS,
    ids={kind: partial(spell_id, kind.__name__) for kind in _ROWS},
    error_body=error_body,
    derived={
        kind: _STAMPS
        | {name for name, column in columns_of(kind).items() if not column.on_update and not column.on_create}
        - {"Id"}
        | ({"Probability"} if kind.__name__ == "Opportunity" else set())
        for kind in SOBJECTS
    },
    actions=ACTIONS,
    routes=(
        Route(
            "query", "GET", "/query", "read", QueryArgs, query,
            as_action=False,
            keywords="soql select find list records contacts leads accounts opportunities deals cases tasks campaigns",
        ),
        Route("query_more", "GET", "/query/{locator}", "read", QueryMoreArgs, query_more, as_action=False),
        Route(
            "search_records", "GET", "/parameterizedSearch", "read", SearchArgs, search_records, as_action=False,
            keywords="find text",
        ),
        Route(
            "search_records_by_body", "POST", "/parameterizedSearch", "read", SearchBodyArgs, search_records_by_body,
            as_action=False,
        ),
        Route("list_objects", "GET", "/sobjects", "read", NoArgs, list_objects, as_action=False),
        Route(
            "describe_object", "GET", "/sobjects/{object}/describe", "read", ObjectArgs, describe_object,
            as_action=False, keywords="schema fields columns picklist allowed values options stage status",
        ),
        Route("get_object", "GET", "/sobjects/{object}", "read", ObjectArgs, get_object, as_action=False),
        Route(
            "create_record", "POST", "/sobjects/{object}", "write", CreateArgs, create_record, whole_body="fields",
            as_action=False, keywords="add new contact lead account opportunity case task event note campaign member",
        ),
        Route("get_record", "GET", "/sobjects/{object}/{id}", "read", GetArgs, get_record, as_action=False,
              keywords="contact lead account opportunity case task event note campaign user"),
        Route(
            "update_record", "PATCH", "/sobjects/{object}/{id}", "write", UpdateArgs, update_record,
            whole_body="fields", as_action=False,
            keywords="edit change set contact lead account opportunity case task event note campaign member",
        ),
        Route("delete_record", "DELETE", "/sobjects/{object}/{id}", "write", RecordArgs, delete_record, as_action=False,
              keywords="remove"),
        Route(
            "convert_lead", "POST", "/actions/custom/apex/ConvertLead", "write", ConvertArgs, convert_lead,
            as_action=False, keywords="qualified lead conversion",
        ),
    ),
    guide=GUIDE,
)  # fmt: skip
