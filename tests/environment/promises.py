"""A promise is what holds for every call of a tool, whatever a model sends; hostile values are sent to break one."""

from __future__ import annotations

import gc
import json
import time
from typing import Any

from environment.apps import APPS
from environment.episode import derived_fields
from environment.verifier import verify
from environment.world import World
from tests.environment.sample_calls import KINDS, Desk
from tests.environment.small_task import make_small_task

LIMIT_S = 0.05
"""Processor time that a call may take, garbage collection apart."""
LONGEST_ERROR = 20_000
"""Characters of a refusal; a vendor that complains of every element of a list complains of a hundred at most."""
_CONTRACT = make_small_task().contract

_DEEP_LIST: Any = []
_DEEP_OBJECT: Any = {}
for _ in range(300):
    _DEEP_LIST, _DEEP_OBJECT = [_DEEP_LIST], {"a": _DEEP_OBJECT}

HOSTILE: tuple[Any, ...] = (
    # text that is hard to write down, to print or to compare
    *(
        "",
        " ",
        "\x00",
        "\x00\x1f\x7f\x85",
        "\ud800",
        "\u202e\u200b",
        "ａｄｍｉｎ＠x.example",
        "İ",
        "ß" * 50,
        "🙂" * 100,
    ),
    # text that means something to somebody
    *("../../etc/passwd", "%2e%2e%2f", "a/b", "a%2Fb", "?x=1#y", "' OR 1=1 --", '"; DROP TABLE x', "(((((", '"', "\\"),
    *("'", "*", "%", "{{7*7}}", "${x}", "\r\nBcc: x@y.example", "<script>", "@", "a@b", "a@@b.c", ",", ";", ":", "-"),
    *("=1+1", "=A1", "=" + "(" * 500, "A1:ZZZZ99999999", "Returns!", "!A1", "A0", "A1:A1000000", "true", "null", "{}"),
    # numbers and days out of this world
    *("-1", "0", "00", "1e999", "NaN", "Infinity", "-0", "0x10", "1_000", "١٢٣", "²", "1" * 4000, "9" * 400),
    *("2026-02-30", "9999-99-99", "9999-12-31", "0001-01-01", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+23:59"),
    *("9999-12-31T23:59:59-23:59", "2026-03-04T25:00:00Z", "2026-03-04T10:00:00+99:99", "99999-01-01", "-2026-01-01"),
    *(None, True, False, 0, -1, 1, 10**6, 2**31, 2**63, -(2**63), 10**400, 10**3999, 1.5, -0.5, 1e308, 5e-324),
    # long text
    *("a" * 1_000_000, "a" * 90_000, "é" * 90_000, " " * 90_000, "\n" * 24_000, "a," * 45_000, "a " * 45_000),
    *("@" * 90_000, "(" * 90_000, "a@b.c," * 15_000, "\"'" * 15_000, "%_" * 40_000, "{{" * 40_000, "a:" * 40_000),
    # lists and objects where there should be none, and more of them than anybody needs
    *([], {}, [[]], [{}], {"": ""}, ["x", 1, None], ["x", "x"], {"a": {"b": []}}, {"id": None}, {"__class__": "x"}),
    *(["a"] * 12_000, [1] * 30_000, [None] * 10_000, [[]] * 20_000, [{}] * 20_000, ["a@b.cd"] * 5_000),
    *([f"x{number}" for number in range(6_000)], {str(number): number for number in range(5_000)}),
    *([["a"] * 100] * 100, _DEEP_LIST, _DEEP_OBJECT, {"key": "a" * 90_000}),
)


def kept(desk: Desk, name: str, arguments: Any, reads: bool) -> Any:
    """The answer to a call that kept every promise: JSON in time, no write by what reads or by what is refused."""
    twin, before = desk.fork(), desk.world.changes()
    answer, seconds = _timed(desk, name, arguments)
    if seconds > LIMIT_S:
        seconds = min(seconds, *(_timed(again, name, arguments)[1] for again in (twin.fork(), twin.fork())))
    assert seconds <= LIMIT_S
    answer.encode()
    data = json.loads(answer, parse_constant=_no_constant)
    refused = isinstance(data, dict) and "error" in data
    if refused:
        assert len(answer) <= LONGEST_ERROR
        assert not isinstance(data["error"], dict) or data["error"].get("code", 400) < 500
    if refused or reads:
        assert desk.world.changes() == before
    return data


def check_rows(world: World) -> None:
    """Every row that was written is one that its model accepts, survives JSON, and can be judged."""
    changes = world.changes()
    for change in changes:
        row = world.get((change.app, change.collection), change.id)
        if row is not None:
            kind = KINDS[change.app][change.collection]
            assert row.row_id == change.id
            assert kind.model_validate(row.model_dump()) == row
            assert kind.model_validate(json.loads(json.dumps(change.after, allow_nan=False))) == row
    verify(_CONTRACT, changes, derived_fields(APPS))


def _timed(desk: Desk, name: str, arguments: Any) -> tuple[str, float]:
    gc.disable()
    started = time.process_time()
    try:
        answer = desk.call(name, arguments)
        return answer, time.process_time() - started
    finally:
        gc.enable()


def _no_constant(text: str) -> None:
    raise AssertionError(f"{text} is not JSON")
