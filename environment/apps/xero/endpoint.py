"""An endpoint is one collection of the API: list with filters, get, PUT creates, POST creates or updates, history.

A request's body is `{"Invoices": [...]}`, a list or a single object. One invalid element refuses all of them, unless
`summarizeErrors=false` asks for an answer element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from environment.apps.kit import AppError, Args, Call, Route, explain
from environment.apps.xero.dates import moment_of, written_moment
from environment.apps.xero.filters import Properties, in_order, matching
from environment.apps.xero.refusals import Invalid, invalid_elements, not_found
from environment.apps.xero.rows import HistoryRecord
from environment.world import Row

RowT = TypeVar("RowT", bound=Row)
FieldsT = TypeVar("FieldsT", bound="Element")

MOST = 500
"""Elements of one request."""
PAGE = 100


class Element(BaseModel):
    """The fields that a request may give; null is like absent, and what only Xero writes is skipped."""

    model_config = ConfigDict(extra="forbid")
    read_only: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _writable(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        skipped = cls.read_only | _ALWAYS_READ_ONLY
        return {name: value for name, value in data.items() if name not in skipped and value is not None}


_ALWAYS_READ_ONLY = frozenset(
    "UpdatedDateUTC UpdatedDateUTCString StatusAttributeString ValidationErrors HasValidationErrors HasErrors Warnings "
    "HasAttachments Attachments DateString CurrencyRate BrandingThemeID Tracking".split()
)

Text = Annotated[
    str, BeforeValidator(lambda value: str(value) if type(value) is int and abs(value) < 10**18 else value)
]
"""Text, or a whole number as text."""


def _listed(value: Any) -> Any:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Listed = Annotated[list[str], BeforeValidator(_listed)]
"""Values separated by commas."""


class ListArgs(Args):
    """How a list is filtered, sorted and cut."""

    where: str | None = Field(None, description='Filter, such as Status=="AUTHORISED"')
    order: str | None = Field(None, description="Property and direction, such as Date DESC")
    page: int | None = Field(None, description="Page, from 1")
    pageSize: int = Field(PAGE, description="Records per page, at most 1000")


class OneArgs(Args):
    id: str = Field(description="Id or number")


class PutArgs(Args):
    body: Any = Field(description="An object, a list or both in an envelope")
    summarizeErrors: bool = Field(True, description="False to save the valid elements alone")
    unitdp: int | None = Field(None, description="Decimal places of unit prices")


class PostOneArgs(Args):
    id: str = Field(description="Id or number")
    body: Any = Field(description="The fields to change")
    unitdp: int | None = Field(None, description="Decimal places of unit prices")


class NoteArgs(Args):
    id: str = Field(description="Id or number")
    body: Any = Field(description="HistoryRecords with Details")


class NoteFields(Element):
    """A note to add."""

    read_only = frozenset({"DateUTC", "User", "Changes", "DateUTCString"})
    Details: str = Field(min_length=1, max_length=2500)


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[RowT, FieldsT]):
    """One collection and what is done its own way."""

    noun: str
    kind: type[RowT]
    fields: type[FieldsT]
    write: Callable[[Call, RowT | None, FieldsT], RowT]
    """Creates or changes a row; raises Invalid before it has written anything."""
    show: Callable[[Call, RowT, bool], dict[str, Any]]
    """(call, row, whether in full) -> the record."""
    properties: Properties
    number: str = ""
    """Field besides the id that a record may be addressed by."""
    match: Callable[[Call, FieldsT], RowT | None] = lambda call, fields: None
    """The row that a POST without an id means."""
    list_args: type[ListArgs] = ListArgs
    narrow: Callable[[Call, Any], list[RowT]] | None = None
    """The rows that a list's own arguments admit; all of them when None."""

    @property
    def plural(self) -> str:
        return f"{self.noun}s"

    def find(self, call: Call, key: str) -> RowT:
        """The row with this id or number. Raises the refusal of an unknown one."""
        row = call.tables.find(self.kind, key.lower())
        if row is None and self.number and key:
            row = next(iter(call.tables.where(self.kind, self.number, key)), None)
        if row is None:
            raise not_found()
        return row

    def routes(self, *, updates: bool = True, history: bool = True) -> tuple[Route, ...]:
        """All its routes; `updates=False` is for what is only ever created."""
        name, path, one = _snake(self.plural), f"/{self.plural}", f"/{self.plural}/{{id}}"
        found = [
            _route(f"list_{name}", "GET", path, self.list_args, self._list, f"List {self.plural}, filtered by where."),
            _route(f"get_{_snake(self.noun)}", "GET", one, OneArgs, self._get, f"Get one of the {self.plural}."),
            _route(f"create_{name}", "PUT", path, PutArgs, self._put, f"Create {self.plural}."),
            _route(f"save_{name}", "POST", path, PutArgs, self._post, f"Create or update {self.plural}."),
        ]
        if updates:
            doc = f"Update one of the {self.plural}, also its status."
            found.append(_route(f"update_{_snake(self.noun)}", "POST", one, PostOneArgs, self._post_one, doc))
        if history:
            records = f"{one}/History"
            doc = f"List the notes of one of the {self.plural}."
            found.append(_route(f"list_{_snake(self.noun)}_history", "GET", records, OneArgs, self._notes, doc))
            doc = f"Add a note to one of the {self.plural}."
            found.append(_route(f"add_{_snake(self.noun)}_history", "PUT", records, NoteArgs, self._add_note, doc))
        return tuple(found)

    def _list(self, call: Call, args: Any) -> dict[str, Any]:
        rows: list[Any] = self.narrow(call, args) if self.narrow else call.tables.all(self.kind)
        if args.where and args.where.strip():
            rows = matching(call, rows, args.where, self.noun, self.properties)
        if args.order and args.order.strip():
            rows = in_order(call, rows, args.order, self.noun, self.properties)
        if args.page is None:
            return envelope(call, self.plural, [self.show(call, row, False) for row in rows])
        size = min(args.pageSize, 1000) if args.pageSize > 0 else PAGE
        page = max(1, args.page)
        shown = [self.show(call, row, True) for row in rows[(page - 1) * size : page * size]]
        pagination = {"page": page, "pageSize": size, "pageCount": -(-len(rows) // size), "itemCount": len(rows)}
        return {**envelope(call, self.plural, shown), "pagination": pagination}

    def _get(self, call: Call, args: OneArgs) -> dict[str, Any]:
        return envelope(call, self.plural, [self.show(call, self.find(call, args.id), True)])

    def _put(self, call: Call, args: PutArgs) -> dict[str, Any]:
        return self._batch(call, args, lambda fields: None)

    def _post(self, call: Call, args: PutArgs) -> dict[str, Any]:
        return self._batch(call, args, lambda fields: self._meant(call, fields))

    def _post_one(self, call: Call, args: PostOneArgs) -> dict[str, Any]:
        row = self.find(call, args.id)
        given = elements(args.body, self.plural)
        if len(given) > 1:
            raise AppError(400, f"One element is expected, given {len(given)}")
        return self._answer(call, given, lambda fields: row, args)

    def _batch(self, call: Call, args: PutArgs, meant: Callable[[FieldsT], RowT | None]) -> dict[str, Any]:
        return self._answer(call, elements(args.body, self.plural), meant, args)

    def _meant(self, call: Call, fields: FieldsT) -> RowT | None:
        key = getattr(fields, self.kind.id_field)
        if not key:
            return self.match(call, fields)
        row = call.tables.find(self.kind, key.lower())
        if row is None:
            raise Invalid(f"{self.noun} with ID {key[:40]} could not be found")
        return row

    def _answer(
        self, call: Call, given: list[Any], meant: Callable[[FieldsT], RowT | None], args: PutArgs | PostOneArgs
    ) -> dict[str, Any]:
        summarize = args.summarizeErrors if isinstance(args, PutArgs) else True
        shown: list[dict[str, Any]] = []
        broken: list[dict[str, Any]] = []
        for element in given:
            try:
                fields = self.fields.model_validate(element, context={"unitdp": args.unitdp})
                with call.tables.whole():
                    row = self.write(call, meant(fields), fields)
            except (Invalid, ValidationError) as error:
                rules = error.rules if isinstance(error, Invalid) else (explain(error),)
                echo = {**(element if isinstance(element, Mapping) else {}), "HasErrors": True}
                echo["ValidationErrors"] = [{"Message": rule} for rule in rules]
                broken.append(echo)
                shown.append({**echo, "StatusAttributeString": "ERROR"})
            else:
                shown.append(self.show(call, row, True) | ({} if summarize else {"StatusAttributeString": "OK"}))
        if broken and summarize:
            raise invalid_elements(broken)
        return envelope(call, self.plural, shown)

    def _notes(self, call: Call, args: OneArgs) -> dict[str, Any]:
        row = self.find(call, args.id)
        notes = call.tables.where(HistoryRecord, "ParentID", row.row_id)
        return envelope(call, "HistoryRecords", [_shown_note(note) for note in notes])

    def _add_note(self, call: Call, args: NoteArgs) -> dict[str, Any]:
        row = self.find(call, args.id)
        notes = []
        for element in elements(args.body, "HistoryRecords"):
            try:
                details = NoteFields.model_validate(element).Details
            except ValidationError as error:
                raise Invalid(explain(error)) from None
            key = call.tables.new_id(HistoryRecord)
            note = HistoryRecord(
                HistoryRecordID=key,
                ParentID=row.row_id,
                Details=details,
                User=call.actor.get("name", ""),
                DateUTC=moment_of(call.now),
            )
            notes.append(_shown_note(call.tables.put(note)))
        return envelope(call, "HistoryRecords", notes)


def elements(body: Any, plural: str) -> list[Any]:
    """The elements of a request's body. Raises the refusal of one without any."""
    if isinstance(body, Mapping) and plural in body:
        body = body[plural]
    found = list(body) if isinstance(body, list) else [body] if isinstance(body, Mapping) and body else []
    if not found:
        message = "No data has been processed for this endpoint. This endpoint is expecting "
        message += f"{plural[:-1]} data to be specified in the request body."
        raise AppError(400, message, "NoDataProcessedException")
    if len(found) > MOST:
        raise AppError(400, f"A request may hold {MOST} elements, given {len(found)}")
    return found


def envelope(call: Call, plural: str, records: list[Any]) -> dict[str, Any]:
    """The body of an answer."""
    return {
        "Id": "00000000-0000-0000-0000-000000000001",
        "Status": "OK",
        "ProviderName": "API",
        "DateTimeUTC": written_moment(moment_of(call.now)).replace("+0000", ""),
        plural: records,
    }


def _shown_note(note: HistoryRecord) -> dict[str, Any]:
    return {
        "Changes": note.Changes,
        "DateUTCString": note.DateUTC[:19],
        "DateUTC": written_moment(note.DateUTC),
        "User": note.User,
        "Details": note.Details,
    }


def _route(name: str, method: Any, path: str, args: type[Args], handle: Callable[..., Any], doc: str) -> Route:
    def handler(call: Call, args: Any) -> Any:
        return handle(call, args)

    handler.__doc__ = doc
    whole_body = "body" if "body" in args.model_fields else None
    access: Any = "read" if method == "GET" else "write"
    return Route(name, method, path, access, args, handler, whole_body=whole_body, as_action=False)


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)[1:]
