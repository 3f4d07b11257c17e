"""Ticket triage: priorities and credits, worked out again from what stands in the world."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from generators.families.support.ticket_triage import FAMILY

LEVELS = ["low", "normal", "high", "urgent"]


def highest_task(index: int):
    knobs = {name: knob.high for name, knob in FAMILY.knobs.items()}
    return FAMILY.generate("levels", index, "development", {**knobs, "prose": 1}, "actions")


def facts(task, ticket: str) -> tuple[str, int, str]:
    """Last noted priority, last told hours and the customer's tier."""
    zendesk = task.world["zendesk"]
    said = [row for row in zendesk["Comment"] if row["ticket_id"] == ticket]
    notes = [re.search("|".join(LEVELS), row["body"]) for row in said if not row["public"]]
    hours = [re.search(r"(\d+) hours", row["body"]) for row in said if row["public"]]
    key = next(row["organization_id"] for row in zendesk["Ticket"] if row["id"] == ticket)
    customer = next(row["name"] for row in zendesk["Organization"] if row["id"] == key)
    tier = next(row["cells"][1] for row in task.world["google_sheets"]["GridRow"] if row["cells"][0] == customer)
    return [note[0] for note in notes if note][-1], int([told[1] for told in hours if told][-1]), tier


@pytest.mark.parametrize("index", range(4))
def test_the_priority_is_the_noted_one_raised_for_long_outages_and_good_customers(index):
    task = highest_task(index)
    raised: list[int] = []
    kept: list[int] = []
    for change in task.contract.all_of:
        if "priority" not in change.fields:
            continue
        noted, hours, tier = facts(task, change.id)
        (wanted,) = change.fields["priority"]
        steps = LEVELS.index(wanted.value) - LEVELS.index(noted) - (tier == "Gold")
        assert steps in (0, 1)
        (raised if steps else kept).append(hours)
    assert max(kept, default=0) < min(raised, default=99)


@pytest.mark.parametrize("index", range(4))
def test_the_credit_is_so_many_percent_of_the_fee_for_each_hour(index):
    task = highest_task(index)
    sums = [one for one in task.derivations if "percent" in one.rule]
    assert len(sums) == 4
    for derivation in sums:
        percent, fee, hours = map(Decimal, re.findall(r"\d+", derivation.rule))
        assert Decimal(derivation.value) == fee * percent * hours / 100
