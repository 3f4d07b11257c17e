"""Callback number: the day of the next call, counted on the calendar."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest

from environment.contract import Date
from generators.families.support.callback_number import FAMILY


@pytest.mark.parametrize("index", range(4))
def test_the_next_call_comes_so_many_days_after_the_last_one_as_the_tier_waits(index):
    knobs = {name: knob.high for name, knob in FAMILY.knobs.items()}
    task = FAMILY.generate("calls", index, "development", knobs, "actions")
    plan = {row["id"]: row["cells"] for row in task.world["google_sheets"]["GridRow"]}
    waits: dict[str, set[int]] = {}
    for change in task.contract.all_of:
        if change.collection != "GridRow":
            continue
        _, tier, last, _, _ = plan[change.id]
        (wanted,) = change.fields["cells[3]"]
        assert isinstance(wanted, Date)
        waits.setdefault(tier, set()).add((date.fromisoformat(wanted.day) - date.fromisoformat(last)).days)
        assert wanted.day > task.now[:10]
    assert all(len(days) == 1 for days in waits.values())
    told = "\n".join(str(rows) for rows in task.world.values())
    for tier, (days,) in waits.items():
        assert re.search(rf"{days}(?: days[^.;,]*)? for {tier}|{tier} {days} days", told), (tier, days)


def test_a_derived_day_is_the_sum_of_what_its_rule_names():
    knobs = {name: knob.high for name, knob in FAMILY.knobs.items()}
    for derivation in FAMILY.generate("calls", 9, "development", knobs, "actions").derivations:
        start, days = re.fullmatch(r"(\S+) plus (\d+) days", derivation.rule).groups()
        assert date.fromisoformat(derivation.value) == date.fromisoformat(start) + timedelta(int(days))
