"""Tests of where the values of a solution come from."""

from __future__ import annotations

from typing import Any

import pytest

from environment.contract import Change, Contract, Equals, Fact, Instant, Mentions
from environment.task import Derivation, Task, ToolCall, make_task
from generators.discoverability import Trace, trace_values

SPECS = [{"function": {"parameters": {"properties": {"status": {"type": "string", "enum": ["Open", "Closed"]}}}}}]
ID_FIELDS = {"desk": {"Channel": "id", "Sheet": "id", "Ticket": "id"}}
WORLD = {
    "desk": {
        "Channel": ({"id": "C01", "name": "returns"}, {"id": "C02", "name": "lunch"}),
        "Sheet": (
            {"id": "S9/0", "title": "Sheet1", "channel": "C01"},
            {"id": "S8/0", "title": "Sheet1", "channel": "C02"},
        ),
        "Ticket": ({"id": "T-1", "subject": "Broken lens"}, {"id": "T-2", "subject": "Late parcel"}),
    }
}


def trace(
    prompt: str, found: str, demands: dict[str, Any], derivations: tuple[Derivation, ...] = (), **written: Any
) -> Trace:
    """The trace of looking once and then writing once, for a contract on one new row."""
    fields = {path: (matcher,) for path, matcher in demands.items()}
    change = Change(label="new", app="desk", collection="Ticket", action="create", key=fields)
    task: Task = make_task(
        split="train", domain="support", family="f", seed="s", index=0, generator_version="0", knobs={}, apps=("desk",),
        actions=("look", "write"), toolset="actions", now="2026-03-04T09:20:00+00:00", actor={}, prompt=prompt,
        world=WORLD, contract=Contract(all_of=(change,)), traps=(), derivations=derivations,
        reference=(ToolCall(tool="look"), ToolCall(tool="write", arguments=written)),
    )  # fmt: skip
    return trace_values(task, (found, '{"echo":"everything 999 Refused"}'), frozenset({"write"}), SPECS, ID_FIELDS)


@pytest.mark.parametrize(
    ("found", "value"),
    [
        ('{"amount":1240.0}', "GBP 1,240.00"),
        ('{"total":"1.240,00 EUR"}', "1240"),
        ('{"phone":"(415) 555-0142"}', "+1 415 555 0142"),
        ('{"due":"5 March 2026"}', "2026-03-05"),
        ('{"start":"2026-03-05T14:00:00+01:00"}', "2026-03-05T14:00:00+01:00"),
        ('{"text":"Thursday 5 March at 2pm"}', "2026-03-05T14:00:00+01:00"),
        ('{"mail":"Ana <ana@tarnwick.example>"}', "ana@tarnwick.example"),
        ('{"Order status":"x"}', "Order status"),
        ("plain Larkfield Optics text", "larkfield optics"),
        ("{}", "Closed"),
        ('{"id":"CN-20431"}', "CN-20431"),
    ],
)
def test_value_that_was_seen_is_known_in_any_spelling(found, value):
    assert trace("Do it", found, {"a": Equals(value=value)}, a=value).unseen == ()


@pytest.mark.parametrize(
    ("found", "value"),
    [
        ('{"amount":1240.5}', "1240.00"),
        ('{"amount":12400}', "1240"),
        ('{"phone":"415 555 0124"}', "+1 415 555 0142"),
        ('{"due":"5 March 2026"}', "2026-03-06"),
        ('{"text":"Thursday 5 March at 3pm"}', "2026-03-05T14:00:00+01:00"),
        ('{"mail":"ana@tarnwick.example"}', "bob@tarnwick.example"),
        ('{"id":"CN-204310"}', "CN-20431"),
        ("{}", "999"),
        ("{}", "Refused"),
    ],
)
def test_value_that_was_not_seen_is_named(found, value):
    matcher = Instant(at=value) if "T1" in value else Equals(value=value)
    assert len(trace("Do it", found, {"a": matcher}, a=value).unseen) == 2


def test_words_of_prose_are_free_but_its_numbers_are_not():
    seen = '{"id":"CN-20431","amount":"930.00"}'
    demands = {"text": Mentions(facts=((Fact(spellings=("CN-20431",)), Fact(read_as="money", spellings=("930.00",))),))}
    assert trace("Do it", seen, demands, text="Dear Colleague, we booked CN-20431 for GBP 930.00.").unseen == ()
    assert trace("Do it", seen, demands, text="Dear Colleague, we booked CN-20431 for GBP 935.00.").unseen == (
        "write text: '935.00'",
    )


def test_computed_value_needs_its_operands():
    rule = Derivation(value="1074.00", rule="2004.00 - 930.00")
    demands = {"left": Equals(value="1074.00")}
    assert trace("930.00 comes back", '{"due":2004}', demands, (rule,), left=1074).unseen == ()
    assert trace("some comes back", '{"due":2004}', demands, (rule,), left=1074).unseen == (
        "rule '2004.00 - 930.00': '930.00'",
    )


@pytest.mark.parametrize(("prompt", "known"), [("Post it to #returns", True), ("Post it to the channel", False)])
@pytest.mark.parametrize("row", ["C01", "S9/0"])
def test_id_is_known_by_what_its_row_or_its_owner_is_called(prompt, known, row):
    assert (trace(prompt, "{}", {"channel": Equals(value=row)}).unseen == ()) is known


def test_prompt_that_says_everything_leaves_nothing_to_find():
    demands = {"a": Equals(value="Larkfield"), "ticket": Equals(value="T-1")}
    assert not trace("Larkfield", '{"id":"T-1"}', demands, a="Larkfield").found_in_world
    assert trace("The optics firm", '{"id":"T-1","name":"Larkfield"}', demands, a="Larkfield").found_in_world
