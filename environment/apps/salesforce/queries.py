"""A query's answer: the records that a SOQL query selects from the org, in pages of two thousand."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, time
from typing import Any

from environment.apps.kit import Call
from environment.apps.salesforce.columns import Column, columns_of, relationship, spellings_of
from environment.apps.salesforce.ids import kind_of, read_id
from environment.apps.salesforce.moments import spell_moment
from environment.apps.salesforce.periods import days_of
from environment.apps.salesforce.refusal import Refusal
from environment.apps.salesforce.rows import OBJECT_NAMES, CustomField, SObject
from environment.query import soql
from environment.query.soql import Aggregate, Comparison, Condition, FieldsOf, Junction, Membership, Not, Path, Query

PAGE_SIZE = 2000
MAX_OFFSET = 2000
MAX_PATH = 6
"""Five relationships up, then the field."""

Reading = Callable[[SObject], Any]
"""Value of one path for one record."""
Test = Callable[[SObject], bool]
GroupReading = Callable[[tuple[Any, ...], list[SObject]], Any]
"""Value of one column of a grouped query, from the group's key and its records."""

CHILDREN: dict[str, dict[str, tuple[str, str]]] = {
    "Account": {
        "contacts": ("Contact", "AccountId"),
        "opportunities": ("Opportunity", "AccountId"),
        "cases": ("Case", "AccountId"),
        "tasks": ("Task", "WhatId"),
        "events": ("Event", "WhatId"),
        "notes": ("Note", "ParentId"),
        "childaccounts": ("Account", "ParentId"),
    },
    "Contact": {
        "cases": ("Case", "ContactId"),
        "tasks": ("Task", "WhoId"),
        "events": ("Event", "WhoId"),
        "campaignmembers": ("CampaignMember", "ContactId"),
        "notes": ("Note", "ParentId"),
    },
    "Lead": {
        "tasks": ("Task", "WhoId"),
        "events": ("Event", "WhoId"),
        "campaignmembers": ("CampaignMember", "LeadId"),
        "notes": ("Note", "ParentId"),
    },
    "Opportunity": {
        "tasks": ("Task", "WhatId"),
        "events": ("Event", "WhatId"),
        "notes": ("Note", "ParentId"),
    },
    "Case": {"tasks": ("Task", "WhatId"), "events": ("Event", "WhatId"), "cases": ("Case", "ParentId")},
    "Campaign": {
        "campaignmembers": ("CampaignMember", "CampaignId"),
        "campaignmemberstatuses": ("CampaignMemberStatus", "CampaignId"),
        "opportunities": ("Opportunity", "CampaignId"),
        "childcampaigns": ("Campaign", "ParentId"),
        "tasks": ("Task", "WhatId"),
    },
}
"""Object -> child relationship (lower case) -> child object and its field that points back."""


def answer(call: Call, text: str, start: int = 0) -> dict[str, Any]:
    """The REST body for the query: totalSize, done, records and, when more follow, nextRecordsUrl."""
    try:
        query = soql.parse(text)
    except soql.SoqlError as error:
        raise Refusal(400, "MALFORMED_QUERY", str(error)) from None
    run = _Run(call)
    if len(query.select) == 1 and query.select[0] == Aggregate("count", None, None):
        return {"totalSize": run.count(query), "done": True, "records": []}
    rows, render = run.prepare(query)
    page = [render(row) for row in rows[start : start + PAGE_SIZE]]
    end = start + len(page)
    more = {} if end >= len(rows) else {"nextRecordsUrl": f"/services/data/v60.0/query/{locator(text, end)}"}
    return {"totalSize": len(rows), "done": not more, **more, "records": page}


def locator(text: str, start: int) -> str:
    """Names the rest of a query's answer from `start` on; it carries the query, because reading keeps no state."""
    return f"01g{base64.urlsafe_b64encode(zlib.compress(text.encode('utf-8', 'surrogatepass'))).decode()}-{start}"


def resume(call: Call, name: str) -> dict[str, Any]:
    """The next page that a locator names."""
    packed, _, start = name.removeprefix("01g").rpartition("-")
    try:
        unpacker = zlib.decompressobj()
        text = unpacker.decompress(base64.urlsafe_b64decode(packed), soql.MAX_LENGTH * 4).decode("utf-8")
    except (zlib.error, binascii.Error, ValueError):
        raise Refusal(400, "INVALID_QUERY_LOCATOR", "invalid query locator") from None
    if not name.startswith("01g") or not (start.isdigit() and start.isascii()) or len(start) > 9:
        raise Refusal(400, "INVALID_QUERY_LOCATOR", "invalid query locator")
    return answer(call, text, int(start))


def attributes(row: SObject) -> dict[str, str]:
    """The `attributes` object that every record is rendered with."""
    kind = type(row).__name__
    return {"type": kind, "url": f"/services/data/v60.0/sobjects/{kind}/{row.Id}"}


def read_field(row: SObject, name: str) -> Any:
    """Value of a standard or custom field, None when the record has none."""
    values = row.__dict__
    return values[name] if name in values else (row.__pydantic_extra__ or {}).get(name)


def custom_columns(call: Call, kind: str) -> dict[str, Column]:
    """Custom fields that the org declares for an object."""
    return {field.name: field.column for field in call.tables.all(CustomField) if field.object == kind}


def like(pattern: str) -> Callable[[str], bool]:
    """Whether a text matches a LIKE pattern: % any text, _ one character, a backslash takes either literally."""
    symbols: list[str | bool | None] = []
    escaped = False
    for letter in pattern.lower():
        if escaped or letter not in "\\%_":
            symbols.append(letter)
            escaped = False
        elif letter == "\\":
            escaped = True
        else:
            symbols.append(None if letter == "_" else True)
    inner = symbols[1:-1]
    if len(symbols) > 2 and symbols[0] is True and symbols[-1] is True and all(isinstance(item, str) for item in inner):
        needle = "".join(map(str, inner))
        return lambda text: needle in text.lower()
    return lambda text: _matches(text.lower(), symbols)


def _matches(text: str, symbols: list[str | bool | None]) -> bool:
    """Wildcard match in O(len(text) * len(symbols)): only the last % needs to be tried again."""
    at = position = 0
    star, mark = -1, 0
    while at < len(text):
        if position < len(symbols) and symbols[position] is not True and symbols[position] in (None, text[at]):
            at, position = at + 1, position + 1
        elif position < len(symbols) and symbols[position] is True:
            star, mark, position = position, at, position + 1
        elif star >= 0:
            mark += 1
            at, position = mark, star + 1
        else:
            return False
    return all(item is True for item in symbols[position:])


class _Run:
    """One evaluation: paths are resolved to readings and conditions to tests once, then applied to every record."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._today = call.now.date()

    def count(self, query: Query) -> int:
        return len(self._window(self._found(query, _kind(query.source)), query))

    def prepare(self, query: Query) -> tuple[list[Any], Callable[[Any], dict[str, Any]]]:
        """All selected rows, and how one is rendered; for a grouped query a row is a group."""
        kind = _kind(query.source)
        if query.group_by or any(isinstance(item, Aggregate) for item in query.select):
            return self._grouped(query, kind)
        render = self._render(query, kind)
        rows = self._found(query, kind)
        self._sort(rows, query, kind)
        return self._window(rows, query), render

    def _found(self, query: Query, kind: type[SObject]) -> list[SObject]:
        tables = self._call.tables
        where = query.where
        if where is None:
            return tables.all(kind)
        test = self._test(where, kind)
        wanted = _single_id(where)
        if wanted is not None:
            row = tables.find(kind, wanted)
            return [row] if row is not None and test(row) else []
        return [row for row in tables.all(kind) if test(row)]

    def _window(self, rows: list[Any], query: Query) -> list[Any]:
        if query.offset > MAX_OFFSET:
            raise Refusal(400, "NUMBER_OUTSIDE_VALID_RANGE", f"Maximum SOQL offset allowed is {MAX_OFFSET}")
        end = None if query.limit is None else query.offset + query.limit
        return rows[query.offset : end] if query.offset or end is not None else rows

    def _sort(self, rows: list[Any], query: Query, kind: type[SObject]) -> None:
        for order in reversed(query.order_by):
            if not isinstance(order.by, tuple):
                raise Refusal(400, "MALFORMED_QUERY", "an aggregate in ORDER BY needs a GROUP BY")
            read, column = self._path(order.by, kind)
            _order(rows, _sort_reading(read, column), order)

    def _render(self, query: Query, kind: type[SObject]) -> Callable[[SObject], dict[str, Any]]:
        """How one record is written: plain fields, nested objects for relationships, nested answers for children."""
        plain: list[tuple[str, Reading]] = []
        nested: dict[str, list[Path]] = {}
        children: list[tuple[str, Callable[[SObject], Any]]] = []
        order: list[str] = []
        for item in query.select:
            if isinstance(item, Query):
                name, child = self._children(item, kind)
                children.append((name, child))
            elif isinstance(item, FieldsOf):
                plain.extend(self._all_fields(item, query, kind))
            elif isinstance(item, soql.Column) and len(item.path) == 1:
                name = self._spelled(item.path[0], kind)
                plain.append((name, self._path(item.path, kind)[0]))
            elif isinstance(item, soql.Column):
                self._path(item.path, kind)
                head, _, _ = self._step(item.path[0], kind)
                if head not in nested:
                    order.append(head)
                nested.setdefault(head, []).append(item.path[1:])

        def render(row: SObject) -> dict[str, Any]:
            record: dict[str, Any] = {"attributes": attributes(row)}
            for name, read in plain:
                record[name] = read(row)
            for head in order:
                record[head] = self._nested(self._follow(row, head), nested[head])
            for name, child in children:
                record[name] = child(row)
            return record

        return render

    def _nested(self, row: SObject | None, paths: list[Path]) -> dict[str, Any] | None:
        if row is None:
            return None
        record: dict[str, Any] = {"attributes": attributes(row)}
        deeper: dict[str, list[Path]] = {}
        for path in paths:
            if len(path) == 1:
                name = path[0].lower()
                spelled = self._spelling(name, type(row))
                record[spelled or _capital(path[0])] = self._polymorphic(row, name)
            else:
                head = self._relation(path[0], type(row))
                if head is not None:
                    deeper.setdefault(head, []).append(path[1:])
        for head, rest in deeper.items():
            record[head] = self._nested(self._follow(row, head), rest)
        return record

    def _children(self, query: Query, kind: type[SObject]) -> tuple[str, Callable[[SObject], Any]]:
        known = CHILDREN.get(kind.__name__, {})
        if query.source.lower() not in known:
            raise Refusal(
                400,
                "INVALID_TYPE",
                f"Didn't understand relationship '{query.source[:80]}' in FROM part of query call. If you are "
                "attempting to use a custom relationship, be sure to append the '__r' after the custom relationship "
                "name. Please reference your WSDL or the describe call for the appropriate names.",
            )
        name, field = known[query.source.lower()]
        child = OBJECT_NAMES[name.lower()]
        if any(isinstance(item, Query | Aggregate) for item in query.select):
            raise Refusal(400, "MALFORMED_QUERY", "a child subquery selects fields only")
        render = self._render(query, child)
        test = self._test(query.where, child) if query.where else None

        def read(row: SObject) -> dict[str, Any] | None:
            rows = [item for item in self._call.tables.where(child, field, row.Id) if test is None or test(item)]
            self._sort(rows, query, child)
            records = [render(item) for item in self._window(rows, query)]
            return {"totalSize": len(records), "done": True, "records": records} if records else None

        return query.source, read

    def _all_fields(self, item: FieldsOf, query: Query, kind: type[SObject]) -> Iterator[tuple[str, Reading]]:
        if item.group != "standard" and (query.limit is None or query.limit > 200):
            raise Refusal(400, "MALFORMED_QUERY", "The SOQL FIELDS function must have a LIMIT of at most 200")
        names: list[str] = []
        if item.group != "custom":
            names.extend(columns_of(kind))
        if item.group != "standard":
            names.extend(custom_columns(self._call, kind.__name__))
        for name in names:
            yield name, self._path((name,), kind)[0]

    def _grouped(self, query: Query, kind: type[SObject]) -> tuple[list[Any], Callable[[Any], dict[str, Any]]]:
        keys = [(path, self._path(path, kind)[0]) for path in query.group_by]
        grouped = {tuple(part.lower() for part in path) for path in query.group_by}
        columns: list[tuple[str, GroupReading]] = []
        count = 0
        for item in query.select:
            if isinstance(item, Aggregate):
                name, count = (item.alias, count) if item.alias else (f"expr{count}", count + 1)
                reduce = self._reduce(item, kind)
                columns.append((name, _of_rows(reduce)))
            elif isinstance(item, soql.Column) and tuple(part.lower() for part in item.path) in grouped:
                place = [tuple(part.lower() for part in path) for path, _ in keys].index(
                    tuple(part.lower() for part in item.path)
                )
                name = item.alias or self._last(item.path, kind)
                columns.append((name, _of_key(place)))
            else:
                shown = ".".join(item.path) if isinstance(item, soql.Column) else "subquery"
                raise Refusal(400, "MALFORMED_QUERY", f"Field must be grouped or aggregated: {shown[:80]}")
        groups: dict[tuple[Any, ...], list[SObject]] = {}
        for row in self._found(query, kind):
            groups.setdefault(tuple(_hashable(read(row)) for _, read in keys), []).append(row)
        if not keys and not groups:
            groups[()] = []
        entries = list(groups.items())
        for order in reversed(query.order_by):
            read_group = self._group_reading(order.by, keys, kind)
            _order(entries, _group_sort_reading(read_group), order)

        def render(entry: tuple[tuple[Any, ...], list[SObject]]) -> dict[str, Any]:
            return {"attributes": {"type": "AggregateResult"}, **{name: read(*entry) for name, read in columns}}

        return self._window(entries, query), render

    def _group_reading(
        self, by: Path | Aggregate, keys: list[tuple[Path, Reading]], kind: type[SObject]
    ) -> GroupReading:
        if isinstance(by, Aggregate):
            reduce = self._reduce(by, kind)
            return _of_rows(reduce)
        for place, (path, _) in enumerate(keys):
            if [part.lower() for part in path] == [part.lower() for part in by]:
                return _of_key(place)
        raise Refusal(400, "MALFORMED_QUERY", f"Ordered field must be grouped or aggregated: {'.'.join(by)[:80]}")

    def _reduce(self, item: Aggregate, kind: type[SObject]) -> Callable[[Iterable[SObject]], Any]:
        if item.path is None:
            return lambda rows: len(list(rows))
        read, column = self._path(item.path, kind)
        if item.function in ("sum", "avg") and column.kind not in ("double", "currency", "percent", "int"):
            shown = ".".join(item.path)
            raise Refusal(
                400, "MALFORMED_QUERY", f"field {shown[:80]} does not support aggregate operator {item.function}"
            )

        def reduce(rows: Iterable[SObject]) -> Any:
            values = [value for value in map(read, rows) if value is not None]
            if item.function == "count":
                return len(values)
            if item.function == "count_distinct":
                return len(set(map(_hashable, values)))
            if not values:
                return None
            if item.function in ("sum", "avg"):
                total = round(sum(values), 6)
                return total if item.function == "sum" else round(total / len(values), 6)
            return min(values) if item.function == "min" else max(values)

        return reduce

    def _test(self, node: Condition, kind: type[SObject]) -> Test:
        if isinstance(node, Junction):
            tests = [self._test(operand, kind) for operand in node.operands]
            if node.word == "and":
                return lambda row: all(test(row) for test in tests)
            return lambda row: any(test(row) for test in tests)
        if isinstance(node, Not):
            inner = self._test(node.operand, kind)
            return lambda row: not inner(row)
        read, column = self._path(node.path, kind)
        if isinstance(node, Membership):
            return self._membership(node, read, column)
        return self._comparison(node, read, column)

    def _membership(self, node: Membership, read: Reading, column: Column) -> Test:
        if isinstance(node.values, Query):
            values = self._semi_join(node.values)
        else:
            values = {_folded(self._operand(value, column, node.path), column) for value in node.values}
        negated = node.negated
        return lambda row: (_folded(read(row), column) in values) is not negated

    def _semi_join(self, query: Query) -> set[Any]:
        kind = _kind(query.source)
        if len(query.select) != 1 or not isinstance(query.select[0], soql.Column):
            raise Refusal(400, "MALFORMED_QUERY", "a semi-join subquery selects exactly one field")
        read, column = self._path(query.select[0].path, kind)
        if column.kind not in ("id", "reference"):
            raise Refusal(400, "MALFORMED_QUERY", "a semi-join subquery must select an Id or a reference field")
        return {_folded(read(row), column) for row in self._found(query, kind)} - {None}

    def _comparison(self, node: Comparison, read: Reading, column: Column) -> Test:
        operator = node.operator
        if operator == "like":
            return self._like(node, read, column)
        if isinstance(node.value, soql.Period):
            return self._within(node.value, operator, read, column, node.path)
        wanted = _folded(self._operand(node.value, column, node.path), column)
        if operator == "=":
            return lambda row: _folded(read(row), column) == wanted
        if operator == "!=":
            return lambda row: _folded(read(row), column) != wanted
        if wanted is None or column.kind in ("boolean", "id", "reference"):
            raise Refusal(400, "INVALID_QUERY_FILTER_OPERATOR", f"invalid operator on {'.'.join(node.path)[:80]}")
        return _inequality(operator, wanted, lambda row: _folded(read(row), column))

    def _like(self, node: Comparison, read: Reading, column: Column) -> Test:
        if not isinstance(node.value, str) or column.kind not in (
            "string", "textarea", "email", "phone", "url", "picklist",
        ):  # fmt: skip
            raise Refusal(400, "INVALID_QUERY_FILTER_OPERATOR", f"invalid operator on {'.'.join(node.path)[:80]}")
        matches = like(node.value)
        return lambda row: (value := read(row)) is not None and matches(value)

    def _within(self, period: soql.Period, operator: str, read: Reading, column: Column, path: Path) -> Test:
        if column.kind not in ("date", "datetime"):
            raise _wrong_type(path, column, quoted=False)
        try:
            first, after = days_of(period, self._today)
        except OverflowError:
            raise Refusal(400, "MALFORMED_QUERY", f"{period.name}:{period.count} is out of range") from None
        start, end = self._midnight(first, column), self._midnight(after, column)

        def test(row: SObject) -> bool:
            value = _folded(read(row), column)
            if operator == "!=":
                return value is None or not start <= value < end
            if value is None:
                return False
            if operator == "=":
                return start <= value < end
            return {"<": value < start, "<=": value < end, ">": value >= end, ">=": value >= start}[operator]

        return test

    def _midnight(self, day: date, column: Column) -> str:
        """The start of a day as stored values of the column are spelled."""
        if column.kind == "date":
            return day.isoformat()
        return spell_moment(datetime.combine(day, time(), self._call.now.tzinfo))

    def _operand(self, value: soql.Value, column: Column, path: Path) -> Any:
        """The literal as a value of the column's type; refused when it is of another type."""
        if value is None:
            return None
        if column.kind in ("double", "currency", "percent", "int"):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise _wrong_type(path, column, quoted=False)
            return value
        if column.kind == "boolean":
            if not isinstance(value, bool):
                raise _wrong_type(path, column, quoted=False)
            return value
        if column.kind in ("date", "datetime"):
            return self._time_operand(value, column, path)
        if not isinstance(value, str):
            raise _wrong_type(path, column, quoted=True)
        if column.kind in ("id", "reference") and value:
            found = read_id(value)
            if found is None:
                raise Refusal(400, "INVALID_QUERY_FILTER_OPERATOR", f"invalid ID field: {value[:80]}")
            return found
        return value

    def _time_operand(self, value: soql.Value, column: Column, path: Path) -> str:
        try:
            if column.kind == "date" and isinstance(value, soql.Day):
                return date.fromisoformat(value.text).isoformat()
            if column.kind == "datetime" and isinstance(value, soql.Moment):
                return spell_moment(datetime.fromisoformat(value.text.upper()))
        except (ValueError, OverflowError):
            raise Refusal(400, "MALFORMED_QUERY", f"Invalid date: {value.text}") from None  # type: ignore[union-attr]
        raise _wrong_type(path, column, quoted=False)

    def _path(self, path: Path, kind: type[SObject]) -> tuple[Reading, Column]:
        """How the path is read from a record of this kind, and the column that it ends in."""
        if len(path) > MAX_PATH:
            raise Refusal(400, "INVALID_FIELD", "a relationship path may have at most five relationships")
        if len(path) == 1:
            name = self._spelled(path[0], kind)
            if name in kind.model_fields:
                return lambda row: row.__dict__[name], columns_of(kind)[name]
            column = custom_columns(self._call, kind.__name__)[name]
            return lambda row: (row.__pydantic_extra__ or {}).get(name), column
        _, kinds, field = self._step(path[0], kind)
        ends = [self._path_or_none(path[1:], target) for target in kinds]
        known = {target.__name__: end for target, end in zip(kinds, ends, strict=True) if end is not None}
        if not known:
            raise _unknown_column(path[-1], kinds[0].__name__ if len(kinds) == 1 else "Name")
        column = next(iter(known.values()))[1]

        def read(row: SObject) -> Any:
            target = self._follow_field(row, field)
            end = known.get(type(target).__name__) if target is not None else None
            return end[0](target) if end is not None and target is not None else None

        return read, column

    def _path_or_none(self, path: Path, kind: type[SObject]) -> tuple[Reading, Column] | None:
        name = path[0].lower()
        if len(path) == 1 and name == "type" and "type" not in spellings_of(kind):
            return (lambda row: type(row).__name__), Column("string")
        if len(path) == 1 and name == "name" and "name" not in spellings_of(kind):
            return self._path((kind.name_field,), kind)
        if len(path) == 1:
            spelled = self._spelling(name, kind)
            return self._path((spelled,), kind) if spelled else None
        return self._path(path, kind) if self._relation(path[0], kind) else None

    def _polymorphic(self, row: SObject, name: str) -> Any:
        found = self._path_or_none((name,), type(row))
        return found[0](row) if found else None

    def _last(self, path: Path, kind: type[SObject]) -> str:
        return self._spelled(path[0], kind) if len(path) == 1 else _capital(path[-1])

    def _step(self, name: str, kind: type[SObject]) -> tuple[str, list[type[SObject]], str]:
        """A relationship's own spelling, the objects it may lead to, and the field that holds the id."""
        head = self._relation(name, kind)
        if head is None:
            raise Refusal(
                400,
                "INVALID_FIELD",
                f"Didn't understand relationship '{name[:80]}' in field path. If you are attempting to use a custom "
                "relationship, be sure to append the '__r' after the custom relationship name. Please reference your "
                "WSDL or the describe call for the appropriate names.",
            )
        field = f"{head}Id"
        targets = [OBJECT_NAMES[target.lower()] for target in columns_of(kind)[field].refers]
        return head, targets, field

    def _relation(self, name: str, kind: type[SObject]) -> str | None:
        field = spellings_of(kind).get(f"{name.lower()}id")
        return relationship(field) if field and columns_of(kind)[field].refers else None

    def _follow(self, row: SObject, head: str) -> SObject | None:
        return self._follow_field(row, f"{head}Id")

    def _follow_field(self, row: SObject, field: str) -> SObject | None:
        target = row.__dict__.get(field)
        kind = OBJECT_NAMES.get((kind_of(target) or "").lower()) if target else None
        return self._call.tables.find(kind, target) if kind and target else None

    def _spelling(self, name: str, kind: type[SObject]) -> str | None:
        """The field's own spelling, None when the object has no such field."""
        standard = spellings_of(kind).get(name.lower())
        if standard or not name.lower().endswith("__c"):
            return standard
        return next((own for own in custom_columns(self._call, kind.__name__) if own.lower() == name.lower()), None)

    def _spelled(self, name: str, kind: type[SObject]) -> str:
        found = self._spelling(name, kind)
        if found is None:
            raise _unknown_column(name, kind.__name__)
        return found


def _kind(name: str) -> type[SObject]:
    found = OBJECT_NAMES.get(name.lower())
    if found is None:
        raise Refusal(
            400,
            "INVALID_TYPE",
            f"sObject type '{name[:80]}' is not supported. If you are attempting to use a custom object, be sure to "
            "append the '__c' after the entity name. Please reference your WSDL or the describe call for the "
            "appropriate names.",
        )
    return found


def _unknown_column(name: str, kind: str) -> Refusal:
    return Refusal(
        400,
        "INVALID_FIELD",
        f"No such column '{name[:80]}' on entity '{kind}'. If you are attempting to use a custom field, be sure to "
        "append the '__c' after the custom field name. Please reference your WSDL or the describe call for the "
        "appropriate names.",
    )


def _wrong_type(path: Path, column: Column, quoted: bool) -> Refusal:
    should = "should be" if quoted else "should not be"
    return Refusal(
        400,
        "INVALID_FIELD",
        f"value of filter criterion for field '{'.'.join(path)[:80]}' must be of type {column.kind} and {should} "
        "enclosed in quotes",
    )


def _single_id(node: Condition) -> str | None:
    """The id when the condition demands one, so that one look-up will do."""
    if isinstance(node, Comparison) and node.operator == "=" and len(node.path) == 1 and node.path[0].lower() == "id":
        return read_id(node.value) if isinstance(node.value, str) else None
    if isinstance(node, Junction) and node.word == "and":
        return next((found for found in map(_single_id, node.operands) if found), None)
    return None


def _inequality(operator: str, wanted: Any, read: Reading) -> Test:
    def test(row: SObject) -> bool:
        value = read(row)
        if value is None:
            return False
        if operator == "<":
            return value < wanted
        if operator == "<=":
            return value <= wanted
        return value > wanted if operator == ">" else value >= wanted

    return test


def _folded(value: Any, column: Column) -> Any:
    """The value as it is compared: text in any case, empty text as null, a day or moment as its sortable spelling."""
    if isinstance(value, str):
        if column.kind in ("id", "reference", "date", "datetime"):
            return value or None
        return value.casefold() or None
    return value


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _sort_key(value: Any, column: Column | None) -> Any:
    """Where the value sorts: picklist values in the order of set-up, text in any case."""
    if isinstance(value, str):
        if column is not None and column.kind == "picklist" and value in column.values:
            return (0, column.values.index(value), "")
        return (1, 0, value.casefold())
    return None if value is None else (0, value, "")


def _sort_reading(read: Reading, column: Column) -> Reading:
    return lambda row: _sort_key(read(row), column)


def _group_sort_reading(read: GroupReading) -> Callable[[Any], Any]:
    return lambda entry: _sort_key(read(*entry), None)


def _of_rows(reduce: Callable[[Iterable[SObject]], Any]) -> GroupReading:
    return lambda _key, rows: reduce(rows)


def _of_key(place: int) -> GroupReading:
    return lambda key, _rows: key[place]


def _order(rows: list[Any], key: Callable[[Any], Any], order: soql.Order) -> None:
    """Sort in place and stably; nulls come first unless told otherwise."""
    keyed = [(key(row), row) for row in rows]
    empty = [row for found, row in keyed if found is None]
    full = [pair for pair in keyed if pair[0] is not None]
    full.sort(key=lambda pair: pair[0], reverse=order.descending)
    ordered = [row for _, row in full]
    rows[:] = ordered + empty if order.nulls_last else empty + ordered


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]
