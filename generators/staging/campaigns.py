"""A campaign is something that many leads are written to in Salesforce; each of them is a member of it."""

from __future__ import annotations

from collections.abc import Sequence

from generators.family import Scene
from generators.staging.salesforce import add_record


def add_campaign(scene: Scene, name: str, statuses: Sequence[str]) -> str:
    """Add a mail campaign that offers its members these statuses, the first by default, and return its id."""
    key = add_record(scene, "Campaign", Name=name, Type="Email", Status="In Progress")
    for place, label in enumerate(statuses):
        flags = {"IsDefault": not place, "HasResponded": label == "Responded"}
        add_record(scene, "CampaignMemberStatus", CampaignId=key, Label=label, **flags)
    return key


def add_member(scene: Scene, campaign: str, lead: str) -> str:
    """Make a lead a member who was written to, and return the member's id."""
    return add_record(scene, "CampaignMember", CampaignId=campaign, LeadId=lead, Status="Sent")
