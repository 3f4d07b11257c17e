"""A query's answer is the records that SOQL selects from the org, in pages of two thousand."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

from environment.apps.kit import Call
from environment.apps.salesforce.conditions import Conditions
from environment.apps.salesforce.fields import Reading
from environment.apps.salesforce.groups import grouped, is_grouped
from environment.apps.salesforce.orders import sort
from environment.apps.salesforce.paths import Paths, find_queried
from environment.apps.salesforce.refusal import Refusal
from environment.apps.salesforce.rows import CHILDREN, OBJECT_NAMES, SObject
from environment.query import soql
from environment.query.grammar import MAX_LENGTH, QueryError
from environment.query.soql import Aggregate, FieldsOf, Path, Query

PAGE_SIZE = 2000
MAX_OFFSET = 2000
BASE_PATH = "/services/data/v60.0"


def answer(call: Call, text: str, start: int = 0) -> dict[str, Any]:
    """The REST body for the query: totalSize, done, records and, when more follow, nextRecordsUrl."""
    query = read_query(text)
    selection = _Selection(call)
    if query.select == (Aggregate("count", None, None),) and not query.group_by:
        return {"totalSize": selection.count(query), "done": True, "records": []}
    rows, render = selection.select(query)
    page = [render(row) for row in rows[start : start + PAGE_SIZE]]
    end = start + len(page)
    more = {} if end >= len(rows) else {"nextRecordsUrl": f"{BASE_PATH}/query/{locator(text, end)}"}
    return {"totalSize": len(rows), "done": not more, **more, "records": page}


def read_query(text: str) -> Query:
    """The query that the text spells; refused when it spells none."""
    try:
        return soql.parse(text)
    except QueryError as error:
        raise Refusal(400, "MALFORMED_QUERY", error.message) from None


def selected(call: Call, query: Query) -> list[dict[str, Any]]:
    """All that the query selects, rendered."""
    rows, render = _Selection(call).select(query)
    return [render(row) for row in rows]


def locator(text: str, start: int) -> str:
    """Names the rest of a query's answer from `start` on; it carries the query, because reading keeps no state."""
    return f"01g{base64.urlsafe_b64encode(zlib.compress(text.encode())).decode()}-{start}"


def resume(call: Call, name: str) -> dict[str, Any]:
    """The next page that a locator names."""
    packed, _, start = name.removeprefix("01g").rpartition("-")
    if not name.startswith("01g") or not (start.isdigit() and start.isascii()) or len(start) > 9:
        raise Refusal(400, "INVALID_QUERY_LOCATOR", "invalid query locator")
    try:
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(base64.urlsafe_b64decode(packed), MAX_LENGTH * 4).decode()
    except (zlib.error, binascii.Error, ValueError):
        raise Refusal(400, "INVALID_QUERY_LOCATOR", "invalid query locator") from None
    if not unpacker.eof:
        raise Refusal(400, "INVALID_QUERY_LOCATOR", "invalid query locator")
    return answer(call, text, int(start))


def attributes(row: SObject) -> dict[str, str]:
    """The `attributes` object that every record is rendered with."""
    kind = type(row).__name__
    return {"type": kind, "url": f"{BASE_PATH}/sobjects/{kind}/{row.Id}"}


class _Selection:
    """One evaluation: paths and conditions are resolved once, then applied to every record."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._paths = Paths(call)
        self._conditions = Conditions(call, self._paths)

    def count(self, query: Query) -> int:
        return len(_window(self._conditions.matching(query.where, find_queried(query.source)), query))

    def select(self, query: Query) -> tuple[list[Any], Callable[[Any], dict[str, Any]]]:
        """All selected rows, records or groups, and how one is rendered."""
        kind = find_queried(query.source)
        if is_grouped(query):
            rows = self._conditions.matching(query.where, kind)
            groups, render_group = grouped(self._call, query, kind, rows, self._paths)
            return _window(groups, query), render_group
        render = self._rendering(query, kind)
        rows = self._conditions.matching(query.where, kind)
        return self._arranged(rows, query, kind), render

    def _arranged(self, rows: list[SObject], query: Query, kind: type[SObject]) -> list[SObject]:
        for order in reversed(query.order_by):
            if isinstance(order.by, Aggregate):
                raise Refusal(400, "MALFORMED_QUERY", "an aggregate in ORDER BY needs a GROUP BY")
            read, column = self._paths.resolve(order.by, kind)
            if column.kind == "textarea":
                shown = ".".join(order.by)[:80]
                raise Refusal(400, "INVALID_FIELD", f"field '{shown}' can not be sorted in a query call")
            sort(rows, read, column, order)
        return _window(rows, query)

    def _rendering(self, query: Query, kind: type[SObject]) -> Callable[[SObject], dict[str, Any]]:
        """How a record is written: plain fields, an object for a relationship, an answer for a child subquery."""
        parts: dict[str, Reading] = {}
        followed: dict[str, list[Path]] = {}
        for item in query.select:
            if isinstance(item, FieldsOf):
                parts.update({name: self._paths.fields.reading(kind, name) for name in self._group(item, query, kind)})
                continue
            if isinstance(item, Query):
                name, reading = self._children(item, kind)
            elif isinstance(item, soql.Column) and len(item.path) == 1:
                name = self._paths.name(item.path[0], kind)
                reading = self._paths.resolve(item.path, kind)[0]
            elif isinstance(item, soql.Column):
                self._paths.resolve(item.path, kind)
                name = self._paths.relation(item.path[0], kind)[0]
                followed.setdefault(name, []).append(item.path[1:])
                reading = self._following(name, followed[name])
            if name in parts and name not in followed:
                raise Refusal(400, "MALFORMED_QUERY", f"duplicate field selected: {name}")
            parts[name] = reading
        items = tuple(parts.items())

        def render(row: SObject) -> dict[str, Any]:
            record: dict[str, Any] = {"attributes": attributes(row)}
            for name, read in items:
                record[name] = read(row)
            return record

        return render

    def _following(self, relation: str, paths: list[Path]) -> Reading:
        """How a relationship is written; a record that many rows lead to is written once."""
        written = cache(lambda record_id: self._related(self._paths.find(record_id), paths))
        read = attrgetter(f"{relation}Id")
        return lambda row: written(read(row))

    def _related(self, row: SObject | None, paths: list[Path]) -> dict[str, Any] | None:
        """A record at the other end of a relationship, with the ends of the paths that it has."""
        if row is None:
            return None
        kind = type(row)
        record: dict[str, Any] = {"attributes": attributes(row)}
        deeper: dict[str, list[Path]] = {}
        for path in paths:
            if len(path) == 1:
                end = self._paths.end(path, kind)
                name = self._paths.fields.own_name(kind, path[0]) or path[0][:1].upper() + path[0][1:]
                record[name] = end[0](row) if end else None
            elif self._paths.end(path, kind):
                deeper.setdefault(self._paths.relation(path[0], kind)[0], []).append(path[1:])
        for relation, rest in deeper.items():
            record[relation] = self._related(self._paths.find(getattr(row, f"{relation}Id")), rest)
        return record

    def _children(self, query: Query, kind: type[SObject]) -> tuple[str, Reading]:
        """A child relationship's name, and the nested answer that a record gets for it."""
        known = {name.lower(): (name, *ends) for name, ends in CHILDREN.get(kind.__name__, {}).items()}
        if query.source.lower() not in known:
            raise Refusal(
                400,
                "INVALID_TYPE",
                f"Didn't understand relationship '{query.source[:80]}' in FROM part of query call. If you are "
                "attempting to use a custom relationship, be sure to append the '__r' after the custom relationship "
                "name. Please reference your WSDL or the describe call for the appropriate names.",
            )
        if is_grouped(query) or any(isinstance(item, Query) for item in query.select):
            raise Refusal(400, "MALFORMED_QUERY", "a child subquery selects fields only")
        name, child_name, field = known[query.source.lower()]
        child = OBJECT_NAMES[child_name.lower()]
        render = self._rendering(query, child)
        passing = self._conditions.filter(query.where, child) if query.where else list

        def read(row: SObject) -> dict[str, Any] | None:
            rows = passing(self._call.tables.where(child, field, row.Id))
            records = [render(item) for item in self._arranged(rows, query, child)]
            return {"totalSize": len(records), "done": True, "records": records} if records else None

        return name, read

    def _group(self, item: FieldsOf, query: Query, kind: type[SObject]) -> list[str]:
        if item.group != "standard" and (query.limit is None or query.limit > 200):
            complaint = "The SOQL FIELDS function must have a LIMIT of at most 200"
            raise Refusal(400, "MALFORMED_QUERY", complaint)
        custom = {"all": (True, False), "standard": (False,), "custom": (True,)}[item.group]
        return [name for name in self._paths.fields.columns(kind) if name.endswith("__c") in custom]


def _window(rows: list[Any], query: Query) -> list[Any]:
    if query.offset > MAX_OFFSET:
        raise Refusal(400, "NUMBER_OUTSIDE_VALID_RANGE", f"Maximum SOQL offset allowed is {MAX_OFFSET}")
    end = None if query.limit is None else query.offset + query.limit
    return rows[query.offset : end]
