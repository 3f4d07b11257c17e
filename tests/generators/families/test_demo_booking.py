"""Demo booking: the first start that the earliest hour allows, and what the guests' clocks say of it."""

from __future__ import annotations

from datetime import datetime

import pytest

from environment.episode import Episode
from environment.task import ToolCall
from generators.families import family_named
from generators.families.sales.demo_booking import not_before

FAMILY = family_named("demo_booking")
LOWEST = {name: knob.low for name, knob in FAMILY.knobs.items()}


@pytest.mark.parametrize(
    ("wish", "earliest", "start"),
    [("08:30", 10, "10:00"), ("10:00", 10, "10:00"), ("10:30", 10, "10:30"), ("07:00", 0, "07:00")],
)
def test_an_early_wish_waits_until_the_earliest_hour(wish, earliest, start):
    day = "2026-05-12T{}-05:00"
    assert not_before(datetime.fromisoformat(day.format(wish)), earliest) == datetime.fromisoformat(day.format(start))


def strict_with_start(index: int, start: str) -> bool:
    """Whether the reference is right when its move says this start."""
    task = FAMILY.generate("clock", index, "train", {**LOWEST, "hops": 2, "zones": 1}, "actions")
    episode = Episode(task, toolset="actions")
    for call in task.reference:
        changed = {**call.arguments, "start": start} if call.tool == "google_calendar_move_event" else call.arguments
        episode.call(call.tool, dict(changed))
    return episode.verdict().strict


def wish_of(index: int) -> tuple[str, str]:
    """Time and UTC offset that the only mail gives."""
    task = FAMILY.generate("clock", index, "train", {**LOWEST, "hops": 2, "zones": 1}, "actions")
    body = task.world["gmail"]["Message"][0]["body"]
    time, day = body.split(" on ")[0][-5:], body.split(" on ")[1][:10]
    hours = int(body.split("(UTC")[1].split(")")[0])
    return f"{day}T{time}", f"{hours:+03d}:00"


@pytest.mark.parametrize("index", range(4))
def test_the_time_of_the_mail_is_right_with_the_offset_of_the_mail_and_wrong_without(index):
    wish, offset = wish_of(index)
    assert strict_with_start(index, f"{wish}{offset}")
    assert not strict_with_start(index, wish)


def test_telling_the_guest_a_wrong_time_first_is_not_taken_back_by_moving_again():
    task = FAMILY.generate("clock", 0, "train", LOWEST, "actions")
    moved = task.reference[-1]
    wrong = ToolCall(tool=moved.tool, arguments={**moved.arguments, "start": "2031-01-07T10:00"})
    for first, strict in (((), True), ((wrong,), False)):
        episode = Episode(task, toolset="actions")
        for call in (*first, moved):
            episode.call(call.tool, dict(call.arguments))
        assert episode.verdict().strict is strict
