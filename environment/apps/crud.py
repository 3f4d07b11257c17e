"""A crud is the ordinary routes of one collection (list, get, create, update, delete) from one short declaration.

    *crud(User, STYLE, "list", "get", "create", "update", writable=("name", "email"), required=("name",))

An absent field is left alone and null clears it. What a vendor does its own way in all collections (envelopes, paging,
status codes, refusals, time stamps) is one `Style`; what one collection does its own way is its `rule` and its `show`.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC
from functools import lru_cache
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from environment.apps.guide import Hint
from environment.apps.kit import AppError, Args, Call, Response, Route, bad_arguments
from environment.apps.paging import Page, Paging, optional, page_numbers, read_page
from environment.world import Row

Operation = Literal["list", "get", "create", "update", "delete"]
RowT = TypeVar("RowT", bound=Row)
Rule = Callable[[Call, Any, Any], Any]
"""(call, row before or None, row proposed) -> the row to store; raises AppError to refuse."""
Show = Callable[[Call, Any], Any]
"""(call, row) -> the record as the API shows it."""

_NUMERIC = "written as a number"
NumericId = Annotated[
    str,
    BeforeValidator(lambda value: str(value) if type(value) is int else value),
    Field(pattern=r"^[0-9]{1,19}$"),
    _NUMERIC,
]
"""An id or a reference that rows hold as digits and the API writes as a number."""


def shown(row: Row) -> dict[str, Any]:
    """The row as JSON, its numeric ids as numbers."""
    record = row.model_dump(mode="json")
    for name in _numeric_fields(type(row)):
        value = record[name]
        if value is not None:
            record[name] = [int(item) for item in value] if isinstance(value, list) else int(value)
    return record


@dataclass(frozen=True, slots=True)
class Style:
    """What a vendor does its own way in all collections."""

    one: Callable[[str, Any], Any] = lambda noun, record: record
    """(noun, record) -> the body that answers one record."""
    many: Callable[[Page], Any] = lambda page: page.records
    """The body that answers a list."""
    paging: Paging = field(default_factory=page_numbers)
    wrapped: bool = False
    """Whether a request's body holds the fields under the noun: `{"user": {...}}`."""
    update_method: Literal["PUT", "PATCH", "POST"] = "PATCH"
    created_status: int = 201
    deleted: Response = field(default_factory=lambda: Response(204, None))
    """What a deletion answers."""
    missing: Callable[[str, str], AppError] = lambda noun, key: AppError(404, f"{noun} {key[:40]!r} was not found")
    """(noun, id) -> the refusal of an unknown id."""
    invalid: Callable[[ValidationError], AppError] = bad_arguments
    """The refusal of a value that the row does not take."""
    created_field: str = "created_at"
    """Time stamp that is set on creation in every row type that has such a field."""
    updated_field: str = "updated_at"
    """Time stamp that is set on creation and on every change, likewise."""


def crud(
    kind: type[Row],
    style: Style,
    *operations: Operation,
    noun: str = "",
    plural: str = "",
    path: str = "",
    writable: tuple[str, ...] = (),
    required: tuple[str, ...] = (),
    filters: tuple[str, ...] = (),
    parent: type[Row] | None = None,
    rule: Rule = lambda call, before, row: row,
    show: Show = lambda call, row: shown(row),
    as_action: bool = False,
    keywords: str = "",
    example: Mapping[str, Any] | None = None,
    tells: tuple[str, ...] = (),
) -> tuple[Route, ...]:
    """The routes of these operations on one collection.

    `noun` is the class's name in snake case, `plural` the noun with an s, `path` the plural, unless given. Further path
    arguments are fields of the row: `/projects/{project_id}/todos` lists what is in one project and creates there, and
    an unknown project is refused when `parent` says what it is. `writable` fields can be created and changed, those
    `required` must be given on creation, `filters` narrow the list to rows with equal values. With `as_action` the
    routes are tools too. Who searches for endpoints finds these by their `keywords` too, sees the `example` of what
    creates a row, and reads that an answer `tells` these fields: the row's first eight unless given. Raises ValueError
    when a field is not one of the row's.
    """
    noun = noun or re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
    plural = plural or f"{noun}s"
    path = path or f"/{plural}"
    inside = tuple(re.findall(r"\{(\w+)\}", path))
    for name in (*inside, *writable, *required, *filters):
        if name not in kind.model_fields:
            raise ValueError(f"crud({kind.__name__}) names {name!r}, which is no field of the row; declare it there")
    if not set(required) <= set(writable):
        raise ValueError(f"crud({kind.__name__}) requires {required}, not all of them writable; add them to writable")
    collection = Collection(kind, style, noun, plural, path, inside, writable, required, filters, parent, rule, show)
    tells = tells or tuple(kind.model_fields)[:8]
    routes = {operation: _MAKERS[operation](collection, as_action) for operation in operations}
    return tuple(
        replace(route, keywords=keywords, hint=_hint(collection, operation, dict(example or {}), tells))
        for operation, route in routes.items()
    )


def find(call: Call, style: Style, kind: type[RowT], key: str, noun: str) -> RowT:
    """The row with this id. Raises the vendor's refusal when there is none."""
    row = call.tables.find(kind, key)
    if row is None:
        raise style.missing(noun, key)
    return row


def change(call: Call, style: Style, row: RowT, given: Mapping[str, Any]) -> RowT:
    """The row with these fields replaced, None clearing, and its time stamp renewed if that made a difference.

    Raises the vendor's refusal of a value that the row does not take.
    """
    try:
        changed = row.change(**_cleared(type(row), given))
    except ValidationError as error:
        raise style.invalid(error) from None
    return row if changed == row else changed.change(**_stamps(call, type(row), style.updated_field))


def new(call: Call, style: Style, kind: type[RowT], given: Mapping[str, Any]) -> RowT:
    """A row of these fields with the next id and its time stamps, not stored yet. Raises as `change` does."""
    stamps = _stamps(call, kind, style.created_field, style.updated_field)
    try:
        return kind.model_validate({kind.id_field: call.tables.new_id(kind), **stamps, **_cleared(kind, given)})
    except ValidationError as error:
        raise style.invalid(error) from None


@dataclass(frozen=True, slots=True)
class Collection:
    """What one `crud` declares."""

    kind: type[Row]
    style: Style
    noun: str
    plural: str
    path: str
    inside: tuple[str, ...]
    """Path arguments besides the id, which are fields of the row."""
    writable: tuple[str, ...]
    required: tuple[str, ...]
    filters: tuple[str, ...]
    parent: type[Row] | None
    rule: Rule
    show: Show

    def located(self, args: Any) -> dict[str, Any]:
        return {name: getattr(args, name) for name in self.inside}

    def check_parent(self, call: Call, args: Any) -> None:
        if self.parent is not None:
            key = getattr(args, self.inside[-1])
            find(call, self.style, self.parent, key, self.inside[-1].removesuffix("_id"))

    def row(self, call: Call, args: Any) -> Any:
        found = find(call, self.style, self.kind, args.id, self.noun)
        if any(getattr(found, name) != value for name, value in self.located(args).items()):
            raise self.style.missing(self.noun, args.id)
        return found

    def given(self, args: Any) -> dict[str, Any]:
        """The fields that a body gives."""
        fields = getattr(args, self.noun) if self.style.wrapped else args
        return fields.model_dump(include=set(self.writable), exclude_unset=True)

    def answer(self, call: Call, row: Row) -> Any:
        return self.style.one(self.noun, self.show(call, row))

    def in_path(self, *names: str) -> dict[str, Any]:
        """Path arguments as create_model takes them."""
        return {name: (str, Field(description=_words(name))) for name in (*self.inside, *names)}

    def body(self, title: str, required: tuple[str, ...], *path_names: str) -> type[Args]:
        """Arguments of a route that writes: those of the path, and the fields, wrapped where the vendor does that."""
        fields: dict[str, Any] = {}
        for name in (*required, *(name for name in self.writable if name not in required)):
            kind = _plain(self.kind.model_fields[name].annotation)
            description = self.kind.model_fields[name].description or _words(name)
            given = (kind, Field(description=description)) if name in required else optional(kind, description)
            fields[name] = given
        if not self.style.wrapped:
            return create_model(title, __base__=_Lenient, **self.in_path(*path_names), **fields)
        inner = create_model(f"{title}Fields", __base__=_Lenient, **fields)
        wrapped: dict[str, Any] = {self.noun: (inner, Field(description=f"Fields of the {self.noun}"))}
        return create_model(title, __base__=_Lenient, **self.in_path(*path_names), **wrapped)


class _Lenient(Args):
    """Numbers are taken where text is expected, as vendors whose ids are numbers do."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)


def _list_route(collection: Collection, visible: bool) -> Route:
    narrowing = {name: _filter(collection, name) for name in collection.filters}
    fields = {**collection.in_path(), **narrowing, **collection.style.paging.fields}
    args_type = create_model(f"List{collection.kind.__name__}", __base__=_Lenient, **fields)

    def handler(call: Call, args: Any) -> Any:
        collection.check_parent(call, args)
        given = args.model_dump(exclude_none=True, by_alias=True)
        wanted = {name: given[name] for name in (*collection.inside, *collection.filters) if name in given}
        rows: list[Any] = []
        if wanted:
            first = next(iter(wanted))
            found = call.tables.where(collection.kind, first, wanted.pop(first))
            rows = [row for row in found if all(getattr(row, name) == value for name, value in wanted.items())]
        else:
            rows = call.tables.all(collection.kind)
        path = collection.path.format_map(given)
        params = {name: value for name, value in given.items() if name not in collection.inside}
        page = read_page(
            collection.style.paging,
            rows,
            lambda row: collection.show(call, row),
            host=call.host,
            path=path,
            params=params,
            plural=collection.plural,
            noun=collection.noun,
        )
        return collection.style.many(page)

    return _route(collection, "list", "GET", collection.path, args_type, handler, visible)


def _get_route(collection: Collection, visible: bool) -> Route:
    args_type = create_model(f"Get{collection.kind.__name__}", __base__=Args, **collection.in_path("id"))

    def handler(call: Call, args: Any) -> Any:
        return collection.answer(call, collection.row(call, args))

    return _route(collection, "get", "GET", f"{collection.path}/{{id}}", args_type, handler, visible)


def _create_route(collection: Collection, visible: bool) -> Route:
    args_type = collection.body(f"Create{collection.kind.__name__}", collection.required)

    def handler(call: Call, args: Any) -> Response:
        collection.check_parent(call, args)
        fields = {**collection.given(args), **collection.located(args)}
        made = collection.rule(call, None, new(call, collection.style, collection.kind, fields))
        return Response(collection.style.created_status, collection.answer(call, call.tables.put(made)))

    return _route(collection, "create", "POST", collection.path, args_type, handler, visible)


def _update_route(collection: Collection, visible: bool) -> Route:
    args_type = collection.body(f"Update{collection.kind.__name__}", (), "id")

    def handler(call: Call, args: Any) -> Any:
        row = collection.row(call, args)
        changed = change(call, collection.style, row, collection.given(args))
        return collection.answer(call, call.tables.put(collection.rule(call, row, changed)))

    path, method = f"{collection.path}/{{id}}", collection.style.update_method
    return _route(collection, "update", method, path, args_type, handler, visible)


def _delete_route(collection: Collection, visible: bool) -> Route:
    args_type = create_model(f"Delete{collection.kind.__name__}", __base__=Args, **collection.in_path("id"))

    def handler(call: Call, args: Any) -> Response:
        call.tables.delete(collection.row(call, args))
        return collection.style.deleted

    return _route(collection, "delete", "DELETE", f"{collection.path}/{{id}}", args_type, handler, visible)


_MAKERS: Mapping[str, Callable[[Collection, bool], Route]] = {
    "list": _list_route,
    "get": _get_route,
    "create": _create_route,
    "update": _update_route,
    "delete": _delete_route,
}


def _route(
    collection: Collection, operation: str, method: Any, path: str, args: type[Args], handler: Any, visible: bool
) -> Route:
    several = operation == "list"
    noun = collection.plural if several else collection.noun
    words = noun.replace("_", " ")
    article = "" if several else "an " if words[0] in "aeio" else "a "
    handler.__doc__ = f"{operation.capitalize()} {article}{words}."
    access: Literal["read", "write"] = "read" if operation in ("list", "get") else "write"
    wrapped = collection.noun if collection.style.wrapped and operation in ("create", "update") else None
    return Route(f"{operation}_{noun}", method, path, access, args, handler, as_action=visible, wrapped=wrapped)


def _hint(collection: Collection, operation: str, example: dict[str, Any], tells: tuple[str, ...]) -> Hint:
    style, record = collection.style, dict.fromkeys(tells)
    if operation == "delete":
        return Hint("Nothing (204)" if style.deleted.body is None else outline(style.deleted.body))
    if operation == "list":
        page = Page(collection.noun, collection.plural, [record], 1, 0, 1, "", collection.path, {}, None, None)
        return Hint(outline(style.many(page)))
    body: Any = None
    if operation != "get" and example:
        body = example if operation == "create" else dict([list(example.items())[-1]])
        body = {collection.noun: body} if style.wrapped else body
    return Hint(outline(style.one(collection.noun, record)), body=body)


def outline(answer: Any) -> str:
    """An answer in a line, by its names: `{tickets: [{id, subject}], next_page}`."""
    if isinstance(answer, Response):
        return outline(answer.body) + "".join(f"; header {name}" for name in answer.headers)
    if isinstance(answer, Mapping):
        parts = ((name, outline(value)) for name, value in answer.items())
        return "{" + ", ".join(f"{name}: {inner}" if inner else name for name, inner in parts) + "}"
    if isinstance(answer, list):
        return f"[{outline(answer[0])}]" if answer else "[]"
    return ""


def _stamps(call: Call, kind: type[Row], *names: str) -> dict[str, str]:
    now = f"{call.now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return {name: now for name in names if name in kind.model_fields}


def _cleared(kind: type[Row], given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with None turned into what an empty field holds: None where the row takes it, else its default."""
    fields = dict(given)
    for name, value in given.items():
        info = kind.model_fields[name]
        if value is None and not info.is_required() and type(None) not in get_args(info.annotation):
            fields[name] = info.get_default(call_default_factory=True)
    return fields


def _filter(collection: Collection, name: str) -> Any:
    kind = _plain(collection.kind.model_fields[name].annotation)
    if get_origin(kind) is list or (isinstance(kind, type) and issubclass(kind, (dict, BaseModel))):
        raise ValueError(f"crud({collection.kind.__name__}) filters by {name!r}, which holds no single value")
    return optional(kind, _words(name))


def _plain(annotation: Any) -> Any:
    """The type as a caller writes it: without None and validators, tuples as lists; the row has the last word."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _plain(inner[0])
    if origin in (Union, types.UnionType):
        kinds = [_plain(kind) for kind in inner if kind is not type(None)]
        return Union[tuple(kinds)]  # noqa: UP007  made of as many as there are
    if origin is tuple or origin is list:
        return list[_plain(inner[0])]  # type: ignore[misc]
    return annotation


@lru_cache
def _numeric_fields(kind: type[Row]) -> tuple[str, ...]:
    return tuple(name for name, info in kind.model_fields.items() if _is_numeric(info.annotation, info.metadata))


def _is_numeric(annotation: Any, metadata: Any = ()) -> bool:
    if _NUMERIC in metadata:
        return True
    if get_origin(annotation) is Annotated:
        return _NUMERIC in get_args(annotation)
    return any(_is_numeric(kind) for kind in get_args(annotation))


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()
