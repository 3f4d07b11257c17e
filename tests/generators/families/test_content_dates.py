"""Content dates: when drafts are due, and when a webinar begins on the company's clock."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

import pytest

from generators.families.marketing.content_dates import FAMILY

HIGHEST = {name: knob.high for name, knob in FAMILY.knobs.items()}


@pytest.mark.parametrize("index", range(3))
def test_drafts_are_due_as_many_days_before_publication_as_the_rule_in_force_says_of_the_kind(index):
    task = FAMILY.generate("drafts", index, "development", HIGHEST, "actions")
    sheet = {row["id"]: row["cells"] for row in task.world["google_sheets"]["GridRow"]}
    told = "\n".join(str(row) for rows in task.world.values() for found in rows.values() for row in found)
    leads: dict[str, set[int]] = {}
    for change in task.contract.all_of:
        if change.collection == "GridRow":
            (published,), (due,) = change.fields["cells[3]"], change.fields["cells[4]"]
            days = (date.fromisoformat(published.day) - date.fromisoformat(due.day)).days
            leads.setdefault(sheet[change.id][1], set()).add(days)
            assert date.fromisoformat(published.day).weekday() < 5
            assert due.day > task.now[:10]
    assert "Webinar" in leads
    for kind, found in leads.items():
        (days,) = found
        assert re.search(rf"\b{days} (?:days )?(?:earlier )?for an? {kind}\b", told), (kind, days)
        so_far = [cells for cells in sheet.values() if cells[1] == kind]
        assert so_far
        for cells in so_far:  # what is in the plan already does not tell the rule
            assert (date.fromisoformat(cells[3]) - date.fromisoformat(cells[4])).days != days


@pytest.mark.parametrize("index", range(3))
def test_a_webinar_begins_when_its_writer_says_on_another_clock(index):
    task = FAMILY.generate("clocks", index, "development", {**HIGHEST, "prose": 1}, "actions")
    titles = {row["id"]: row["summary"] for row in task.world["google_calendar"]["Event"]}
    starts = {
        titles[change.id]: datetime.fromisoformat(change.fields["start.dateTime"][0].at)
        for change in task.contract.all_of
        if change.collection == "Event"
    }
    mails = sorted(task.world["gmail"]["Message"], key=lambda row: row["date"])
    found = 0
    for title, start in starts.items():
        (*_, last) = (row["body"] for row in mails if row["subject"] == title)
        if said := re.search(r"(\S+) at (\d+):(\d+) \(UTC([+-]\d+)\)", last):
            clock = datetime.fromisoformat(f"{said[1]}T{said[2]}:{said[3]}+00:00") - timedelta(hours=int(said[4]))
            assert start == clock
            found += 1
    assert found == 1
