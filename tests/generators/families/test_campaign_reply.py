"""Campaign reply: the score of a lead, and whom a task takes off the campaign."""

from __future__ import annotations

import re

import pytest

from generators.families.marketing.campaign_reply import FAMILY, score

HIGHEST = {name: knob.high for name, knob in FAMILY.knobs.items()}


@pytest.mark.parametrize(
    ("points", "employees", "total"), [(50, 120, 62), (25, 20, 27), (5, 900, 95), (15, 90, 24), (60, 640, 124)]
)
def test_every_ten_employees_add_a_point(points, employees, total):
    assert score(points, employees) == total


def test_scores_follow_from_the_sheet_and_the_points_that_some_document_tells():
    task = FAMILY.generate("scores", 1, "development", HIGHEST, "actions")
    told = "\n".join(str(row) for rows in task.world.values() for found in rows.values() for row in found)
    sheet = {row["id"]: row["cells"] for row in task.world["google_sheets"]["GridRow"]}
    scored = [change for change in task.contract.all_of if change.collection == "GridRow"]
    assert scored
    for change in scored:
        (wanted,) = change.fields["cells[3]"]
        points = int(wanted.amount) - sheet[change.id][2] // 10
        assert re.search(rf"\b{points} (?:points )?(?:for|if)\b", told), (points, change.label)


def test_whoever_is_taken_off_the_campaign_wrote_so_in_the_last_mail_and_is_not_rated():
    task = FAMILY.generate("off", 2, "development", {**HIGHEST, "prose": 1}, "actions")
    leads = {row["Id"]: row for row in task.world["salesforce"]["Lead"]}
    members = {row["Id"]: row["LeadId"] for row in task.world["salesforce"]["CampaignMember"]}
    rated = {change.id for change in task.contract.all_of if change.collection == "Lead"}
    off = [members[change.id] for change in task.contract.all_of if change.collection == "CampaignMember"]
    assert len(off) == 2
    for lead in off:
        assert lead not in rated
        mails = [row for row in task.world["gmail"]["Message"] if leads[lead]["Email"] in row["from"]]
        assert re.search(r"list|mails?\b|nothing more", max(mails, key=lambda row: row["date"])["body"])
