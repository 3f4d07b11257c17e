"""Shipment update: delivery days recomputed from the sheets and the request."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest

from environment.task import Task
from generators.families.operations.shipment_update import FAMILY

LOW = {name: knob.low for name, knob in FAMILY.knobs.items()}


def tables(task: Task) -> dict[str, list[dict[str, str]]]:
    """Title -> rows by their headers."""
    found = {}
    for sheet in task.world["google_sheets"]["Spreadsheet"]:
        grid = [row["cells"] for row in task.world["google_sheets"]["GridRow"] if row["sheet_id"] == f"{sheet['id']}/0"]
        found[sheet["title"]] = [dict(zip(grid[0], cells, strict=True)) for cells in grid[1:]]
    return found


@pytest.mark.parametrize("index", range(8))
def test_a_delayed_order_is_due_after_its_service_and_the_days_of_a_delay(index):
    task = FAMILY.generate("delivery", index, "train", {**LOW, "entities": 4, "hops": 2, "rules": 2}, "actions")
    sheets = tables(task)
    extra = int(re.search(r"Delayed\W+(?:adds? |ones )?(\d+)", task.prompt)[1])
    transit = {row["Service"]: int(row["Days"]) for row in next(rows for rows in sheets.values() if "Days" in rows[0])}
    orders = {row["Order"]: row for row in sheets["Shipments"]}
    mailed = 0
    for call in task.reference:
        if call.tool == "gmail_send_email":
            order = orders[call.arguments["subject"].split()[1]]
            due = date.fromisoformat(order["Leaves"]) + timedelta(days=transit[order["Service"]] + extra)
            assert due.isoformat() in call.arguments["body"]
            assert call.arguments["to"] == order["Contact"]
            mailed += 1
    assert mailed >= 1
