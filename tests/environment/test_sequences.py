"""A sequence of calls, sensible and hostile ones mixed, leaves a world in order and stays in its own episode."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from environment.apps import APPS
from environment.apps.kit import App
from environment.attempt import RowChange
from environment.contract import (
    Allowance,
    Change,
    Contract,
    Date,
    Enum,
    Equals,
    Fact,
    Instant,
    Mentions,
    Money,
    Omits,
    Phone,
    Ref,
    SetOf,
    Url,
)
from environment.episode import derived_fields
from environment.record import canonical_json
from environment.verifier import verify
from tests.environment.promises import HOSTILE, check_rows, kept
from tests.environment.sample_calls import ACTIONS, BASE, ROUTES, ROW_IDS, Desk, fetching, filled, located, written
from tests.environment.sample_world import MEANT, WORDS

_SHORT = tuple(value for value in HOSTILE if len(repr(value)) < 20_000)
_BOUNDED = settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
_Call = tuple[str, str, bool]
"""Tool, its arguments as JSON text, whether it only reads."""


@st.composite
def _damaged(draw: st.DrawFn, value: Any) -> Any:
    """The value with some part of it replaced."""
    if isinstance(value, dict) and value and draw(st.booleans()):
        name = draw(st.sampled_from(list(value)))
        return {**value, name: draw(_damaged(value[name]))}
    if isinstance(value, list) and value and draw(st.booleans()):
        number = draw(st.integers(0, len(value) - 1))
        return [*value[:number], draw(_damaged(value[number])), *value[number + 1 :]]
    return draw(st.sampled_from(_SHORT))


@st.composite
def _values(draw: st.DrawFn, app: str, name: str, annotation: Any, made: tuple[str, ...]) -> Any:
    """Mostly what makes sense as this argument, sometimes what makes sense elsewhere, sometimes what nowhere does."""
    die = draw(st.integers(0, 19))
    if die == 11:
        return draw(st.sampled_from(_SHORT))
    if name in MEANT[app] and die not in (13, 17):
        value = draw(st.sampled_from(MEANT[app][name]))
        return draw(_damaged(value)) if die == 7 else value
    words = () if name.lower().endswith("id") and die != 13 else WORDS
    return filled(annotation, draw(st.sampled_from([*ROW_IDS[app], *made, *words])))


@st.composite
def _arguments(draw: st.DrawFn, app: str, args: type[BaseModel], made: tuple[str, ...]) -> dict[str, Any]:
    """Required arguments, some optional ones, rarely one less or one that there is none of."""
    found = {}
    for name, field in args.model_fields.items():
        if draw(st.integers(0, 29)) != 17 if field.is_required() else draw(st.integers(0, 2)) == 0:
            found[field.alias or name] = draw(_values(app, name, field.annotation, made))
    if draw(st.integers(0, 29)) == 11:
        found[draw(st.sampled_from(["colour", "", "\ud800"]))] = draw(st.sampled_from(_SHORT))
    return found


def _made(desk: Desk, app: App) -> tuple[str, ...]:
    """Ids of the rows that the episode itself has written."""
    return tuple(change.id for change in desk.world.changes() if change.app == app.name)


@st.composite
def _calls(draw: st.DrawFn, desk: Desk) -> _Call:
    if draw(st.booleans()):
        app, action = draw(st.sampled_from(ACTIONS))
        text = written(draw(_arguments(app.name, action.args, _made(desk, app))))
        return action.name, text, action.access == "read"
    app, route = draw(st.sampled_from(ROUTES))
    method, url, params, body = located(app, route, draw(_arguments(app.name, route.args, _made(desk, app))))
    if draw(st.integers(0, 19)) != 11:
        return *fetching(method, url, params, body), route.access == "read"
    return *fetching(draw(st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE"])), url, params, body), False


def _base_content() -> str:
    return canonical_json(
        [[row.model_dump(mode="json") for row in BASE.rows(name).values()] for name in BASE.collections()]
    )


_CONTENT = _base_content()


@_BOUNDED
@given(data=st.data())
def test_any_sequence_leaves_rows_in_order_and_the_base_as_it_was(data: st.DataObject) -> None:
    desk = Desk()
    calls = []
    for _ in range(data.draw(st.integers(1, 8))):
        call = data.draw(_calls(desk))
        calls.append((call, kept(desk, *call)))
    check_rows(desk.world)
    _judge(desk.world.changes())
    assert _base_content() == _CONTENT
    again = Desk()
    assert [json.loads(again.call(name, text)) for (name, text, _), _ in calls] == [answer for _, answer in calls]
    assert again.world.changes() == desk.world.changes()


def _judge(changes: tuple[RowChange, ...]) -> None:
    """The verifier has a verdict on these changes, whichever matchers it compares them with."""
    expected = []
    for number, change in enumerate(changes[:12]):
        row = change.after or change.before or {}
        matchers = {name: (_MATCHERS[(number + place) % len(_MATCHERS)],) for place, name in enumerate(row)}
        made: dict[str, Any] = {"label": str(number), "app": change.app, "collection": change.collection}
        if change.before is None:
            expected.append(Change(**made, action="create", key=matchers))
        elif change.after is None:
            expected.append(Change(**made, action="delete", id=change.id))
        else:
            expected.append(Change(**made, action="update", id=change.id, fields=matchers))
    allowed = tuple(
        Allowance(app=change.app, collection=change.collection, action="create", where=each.key)
        for change, each in zip(changes, expected, strict=False)
    )
    target = Change(label="target", app="slack", collection="Message", action="create", key={"text": (_MATCHERS[0],)})
    contract = Contract(all_of=(target, *expected), allowed=allowed)
    verdict = verify(contract, changes, derived_fields(APPS))
    assert 0 <= verdict.partial_credit <= 1
    canonical_json(verdict.model_dump(mode="json"))


_MATCHERS: tuple[Any, ...] = (
    Equals(value="x"),
    Money(amount="930.00", currency="GBP"),
    Phone(number="555-0142"),
    Instant(at="2026-03-04T09:00:00+00:00"),
    Date(day="2026-03-04"),
    Enum(value="Closed Won"),
    SetOf(members=("a", "b")),
    Url(address="https://x.example/a"),
    Ref(label="target"),
    Mentions(facts=((Fact(spellings=("refund",)), Fact(read_as="money", spellings=("GBP 930.00",))),)),
    Mentions(
        facts=((Fact(read_as="date", spellings=("2026-03-04",)),), (Fact(read_as="phone", spellings=("555-0142",)),))
    ),
    Omits(claims=((Fact(spellings=("approved",)),),)),
)
