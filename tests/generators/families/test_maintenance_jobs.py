"""Maintenance jobs: inspections and states recomputed from posts, sheet, calendar and request."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import pytest

from environment.task import Task
from generators.families.operations.maintenance_jobs import FAMILY

LOW = {name: knob.low for name, knob in FAMILY.knobs.items()}


def newest_post(task: Task) -> str:
    return max(task.world["slack"]["Message"], key=lambda row: float(row["ts"]))["text"]


@pytest.mark.parametrize("index", range(8))
def test_an_inspection_moves_to_the_repair_plus_the_interval_at_its_hour(index):
    knobs = {**LOW, "hops": 2, "rules": 2, "amendments": 2, "near_duplicates": 2}
    task = FAMILY.generate("inspection", index, "train", knobs, "actions")
    machine = re.search(r"[A-Z]{2}-\d{3}", task.prompt)[0]
    repaired = re.search(r"\d{4}-\d\d-\d\d", newest_post(task))[0]
    interval = next(row["cells"][2] for row in task.world["google_sheets"]["GridRow"] if row["cells"][0] == machine)
    event = next(e for e in task.world["google_calendar"]["Event"] if e["summary"] == f"Inspection {machine}")
    hour = datetime.fromisoformat(event["start"]["dateTime"]).hour
    wanted = datetime.fromisoformat(repaired) + timedelta(days=interval, hours=hour)
    move = next(call for call in task.reference if call.tool == "google_calendar_move_event")
    assert move.arguments["id"] == event["id"]
    assert datetime.fromisoformat(move.arguments["start"]) == wanted


@pytest.mark.parametrize("index", range(12))
def test_the_newest_limit_and_the_newest_value_decide_unless_priority_is_highest(index):
    task = FAMILY.generate("limit", index, "train", {**LOW, "hops": 3, "rules": 1, "amendments": 2}, "actions")
    posts = sorted(task.world["slack"]["Message"], key=lambda row: float(row["ts"]))
    ruling = [re.search(r"(\d\.\d) mm/s", row["text"]) for row in posts if row.get("pinned")]
    limit = float([found for found in ruling if found][-1][1])
    number, unit = re.search(r"(\d\.\d|\d{4}) (mm/s|µm/s)", newest_post(task)).groups()
    value = float(number) / (1000 if unit == "µm/s" else 1)
    move = next(call for call in task.reference if call.tool == "jira_transition_issue")
    issue = next(row for row in task.world["jira"]["Issue"] if row["key"] == move.arguments["key"])
    review = issue["priority"] == "Highest" or value > limit
    assert move.arguments["status"] == ("In Review" if review else "Done")
    assert issue["summary"].split()[0].lower() in newest_post(task)
