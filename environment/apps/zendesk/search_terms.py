"""Search terms are tests of rows: which tickets, users, organizations and groups a search lets pass."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from environment.apps.kit import AppError, Call
from environment.apps.zendesk.people import acting_user
from environment.apps.zendesk.rows import (
    PRIORITIES,
    STATUSES,
    Comment,
    Group,
    GroupMembership,
    Organization,
    Ticket,
    User,
)
from environment.query.wildcards import like
from environment.query.zendesk_search import Restriction, Search, Words, word_line
from environment.world import Row

Test = Callable[[Any], bool]
Maker = Callable[[Call, Restriction], Test]
"""(call, restriction) -> the test of a row that the restriction stands for."""


def found_rows(call: Call, search: Search) -> list[Row]:
    """The rows of every kind that pass, in no order that matters. Raises AppError 422 for a value without a sense."""
    kinds = _kinds(search)
    found: list[Row] = []
    for kind, fields in _FIELDS.items():
        tests = _tests(call, search, fields) if kind.__name__.lower() in kinds else None
        if tests is not None:
            rows: list[Any] = [row for row in call.tables.all(kind) if _passes(row, tests)]
            for words in search.words:
                rows = _with_words(call, kind, rows, words)
            found += rows
    return found


def _kinds(search: Search) -> set[str]:
    kinds = {"ticket", "user", "organization", "group"}
    wanted = {term.value for term in search.restrictions if term.field == "type" and not term.negated}
    unwanted = {term.value for term in search.restrictions if term.field == "type" and term.negated}
    return (kinds & wanted if wanted else kinds) - unwanted


def _passes(row: Any, tests: Sequence[Test]) -> bool:
    for test in tests:  # noqa: SIM110  a generator would cost twice as much, and this runs for every row
        if not test(row):
            return False
    return True


def _with_words(call: Call, kind: type[Row], rows: list[Any], words: Words) -> list[Any]:
    """The rows that hold the words, a ticket perhaps in one of its comments; where they are negated, the others."""
    line = words.line
    told: set[str] = set()
    if kind is Ticket and rows:
        told = {comment.ticket_id for comment in call.tables.all(Comment) if line in comment.words}
    return [row for row in rows if (line in row.words or row.row_id in told) is not words.negated]


def _tests(call: Call, search: Search, fields: Mapping[str, Maker]) -> list[Test] | None:
    """What a row must pass besides words; None when the search names a field that this kind does not have."""
    alternatives: dict[str, list[Test]] = {}
    tests: list[Test] = [lambda user: user.active] if fields is _FIELDS[User] else []
    for term in search.restrictions:
        if term.field == "type":
            continue
        name = "custom_field" if term.field.startswith("custom_field_") else term.field
        if name not in fields:
            return None
        test = fields[name](call, term)
        if term.negated:
            tests.append(_not(test))
        elif term.operator == ":":
            alternatives.setdefault(term.field, []).append(test)
        else:
            tests.append(test)
    return [*tests, *(_any(group) for group in alternatives.values())]


def _not(test: Test) -> Test:
    return lambda row: not test(row)


def _any(tests: list[Test]) -> Test:
    return tests[0] if len(tests) == 1 else lambda row: any(test(row) for test in tests)


def _ranked(read: Callable[[Any], str | None], ranks: Sequence[str]) -> Maker:
    """Words in an order, such as statuses."""

    def make(call: Call, term: Restriction) -> Test:
        if term.operator == ":":
            return _same(term, read)
        if term.value not in ranks:
            raise AppError(422, f"Invalid search: {term.field} is one of {', '.join(ranks)}", "invalid")
        bound, compare = ranks.index(term.value), _COMPARE[term.operator]
        return lambda row: (held := read(row)) is not None and compare(ranks.index(held), bound)

    return make


def _text(read: Callable[[Any], str | None]) -> Maker:
    """A whole value, which may hold the wildcard *."""
    return lambda call, term: _same(term, read)


def _same(term: Restriction, read: Callable[[Any], str | None]) -> Test:
    if term.value == "none":
        return lambda row: not read(row)
    if "*" in term.value and not term.quoted:
        matches = _wildcard(term.value)
        return lambda row: matches(read(row) or "")
    return lambda row: (read(row) or "").casefold() == term.value


def _wildcard(value: str) -> Callable[[str], bool]:
    return like(re.sub(r"[\\%_]", r"\\\g<0>", value).replace("*", "%"))


def _worded(read: Callable[[Call, Any], str]) -> Maker:
    """Words in a text; the last one may be the beginning of a longer one."""

    def make(call: Call, term: Restriction) -> Test:
        if term.value == "none":
            return lambda row: not read(call, row).strip()
        line = word_line(term.value)
        wanted = line if term.quoted else line.rstrip()
        return lambda row: wanted in read(call, row)

    return make


def _tagged(call: Call, term: Restriction) -> Test:
    if term.value == "none":
        return lambda row: not row.tags
    if "*" in term.value:
        matches = _wildcard(term.value)
        return lambda row: any(map(matches, row.tags))
    wanted = set(term.value.split())
    return lambda row: wanted.issubset(row.tags)


def _person(field: str) -> Maker:
    def make(call: Call, term: Restriction) -> Test:
        if term.value == "none":
            return lambda row: getattr(row, field) is None
        ids = _users(call, term)
        return lambda row: getattr(row, field) in ids

    return make


def _commenter(call: Call, term: Restriction) -> Test:
    ids, tables = _users(call, term), call.tables
    return lambda row: any(comment.author_id in ids for comment in tables.where(Comment, "ticket_id", row.id))


def _users(call: Call, term: Restriction) -> set[str]:
    """Ids of the users that a value such as me, ann@x.example, "Ann Lee" or 360000000012 stands for."""
    if term.value == "me":
        return {acting_user(call).id}
    if "@" in term.value:
        return {user.id for user in call.tables.where(User, "email", term.value)}
    if term.value.isdecimal():
        return {term.value}
    wanted = word_line(term.value).rstrip()
    return {user.id for user in call.tables.all(User) if wanted in word_line(user.name)} if wanted else set()


def _named(kind: type[Any], field: str) -> Maker:
    """A reference to a group or organization, by its name or id."""

    def make(call: Call, term: Restriction) -> Test:
        if term.value == "none":
            return lambda row: getattr(row, field) is None
        ids = {term.value}
        if not term.value.isdecimal():
            wanted = word_line(term.value)
            ids = {row.id for row in call.tables.all(kind) if wanted.strip() and wanted in word_line(row.name)}
        return lambda row: getattr(row, field) in ids

    return make


def _in_group(call: Call, term: Restriction) -> Test:
    in_groups = _named(Group, "group_id")(call, term)
    ids = {row.user_id for row in call.tables.all(GroupMembership) if in_groups(row)}
    return lambda row: row.id in ids


def _dated(field: str) -> Maker:
    def make(call: Call, term: Restriction) -> Test:
        if term.value == "none":
            return lambda row: getattr(row, field) is None
        start, end = _span(term, call.now)
        if term.operator == ":":
            return lambda row: start <= (getattr(row, field) or "") < end
        bound = start if term.operator in ("<", ">=") else end
        if term.operator in ("<", "<="):
            return lambda row: (held := getattr(row, field)) is not None and held < bound
        return lambda row: (held := getattr(row, field)) is not None and held >= bound

    return make


def _span(term: Restriction, now: datetime) -> tuple[str, str]:
    """First second of the time that is meant, and the first one after it."""
    text = term.value.upper().replace(" ", "T")
    ago = re.fullmatch(r"(\d{1,4})(MINUTE|HOUR|DAY|WEEK|MONTH|YEAR)S?", text)
    try:
        if ago:
            moment = now.astimezone(UTC) - int(ago[1]) * _UNITS[ago[2]]
            return _stamp(moment), _stamp(moment + timedelta(seconds=1))
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        whole_day = re.fullmatch(r"\d{4}-?\d\d-?\d\d", text)
        return _stamp(moment), _stamp(moment + (timedelta(days=1) if whole_day else timedelta(seconds=1)))
    except (ValueError, OverflowError):
        raise AppError(422, f"Invalid search: {term.field} takes a date such as 2026-03-04", "invalid") from None


def _stamp(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _custom(call: Call, term: Restriction) -> Test:
    key = term.field.removeprefix("custom_field_")

    def read(row: Ticket) -> str | None:
        return next((str(field.value) for field in row.custom_fields if field.id == key), None)

    return _same(term, read)


def _any_custom(call: Call, term: Restriction) -> Test:
    return lambda row: any(str(field.value).casefold() == term.value for field in row.custom_fields)


def _description(call: Call, ticket: Ticket) -> str:
    return next((comment.words for comment in call.tables.where(Comment, "ticket_id", ticket.id)), "")


def _comments(call: Call, ticket: Ticket) -> str:
    return "".join(comment.words for comment in call.tables.where(Comment, "ticket_id", ticket.id))


_COMPARE: Mapping[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_UNITS = {
    "MINUTE": timedelta(minutes=1),
    "HOUR": timedelta(hours=1),
    "DAY": timedelta(days=1),
    "WEEK": timedelta(weeks=1),
    "MONTH": timedelta(days=30),
    "YEAR": timedelta(days=365),
}
_SHARED: Mapping[str, Maker] = {
    "id": _text(lambda row: row.id),
    "created": _dated("created_at"),
    "updated": _dated("updated_at"),
}
_TAGGED: Mapping[str, Maker] = {
    **_SHARED,
    "tags": _tagged,
    "external_id": _text(lambda row: row.external_id),
}
_NAMED: Mapping[str, Maker] = {
    "name": _worded(lambda call, row: word_line(row.name)),
    "notes": _worded(lambda call, row: word_line(row.notes or "")),
    "details": _worded(lambda call, row: word_line(row.details or "")),
}
_FIELDS: Mapping[type[Row], Mapping[str, Maker]] = {
    Ticket: {
        **_TAGGED,
        "updated": _dated("changed_at"),
        "status": _ranked(lambda row: row.status, STATUSES),
        "priority": _ranked(lambda row: row.priority, PRIORITIES),
        "ticket_type": _text(lambda row: row.type),
        "assignee": _person("assignee_id"),
        "requester": _person("requester_id"),
        "submitter": _person("submitter_id"),
        "commenter": _commenter,
        "group": _named(Group, "group_id"),
        "organization": _named(Organization, "organization_id"),
        "subject": _worded(lambda call, row: word_line(row.subject)),
        "description": _worded(_description),
        "comment": _worded(_comments),
        "via": _text(lambda row: row.via),
        "due_date": _dated("due_at"),
        "custom_field": _custom,
        "fieldvalue": _any_custom,
    },
    User: {
        **_TAGGED,
        **_NAMED,
        "role": _text(lambda row: row.role),
        "email": _text(lambda row: row.email),
        "phone": _text(lambda row: row.phone),
        "organization": _named(Organization, "organization_id"),
        "group": _in_group,
        "is_suspended": _text(lambda row: str(row.suspended)),
    },
    Organization: {**_TAGGED, **_NAMED},
    Group: {**_SHARED, "name": _NAMED["name"]},
}
