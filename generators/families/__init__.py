"""Every family, in one explicit tuple."""

from __future__ import annotations

from generators.families.finance import invoice_paid, supplier_credits
from generators.families.hr import leave_request, new_starter
from generators.families.marketing import campaign_reply, content_dates
from generators.families.operations import maintenance_jobs, shipment_update
from generators.families.sales import deal_stage, demo_booking
from generators.families.support import callback_number, ticket_triage
from generators.family import Family

FAMILIES: tuple[Family, ...] = (
    deal_stage.FAMILY,
    demo_booking.FAMILY,
    callback_number.FAMILY,
    ticket_triage.FAMILY,
    shipment_update.FAMILY,
    maintenance_jobs.FAMILY,
    campaign_reply.FAMILY,
    content_dates.FAMILY,
    invoice_paid.FAMILY,
    supplier_credits.FAMILY,
    leave_request.FAMILY,
    new_starter.FAMILY,
)


def family_named(name: str) -> Family:
    """The family with this name. Raises ValueError naming the families there are."""
    for family in FAMILIES:
        if family.name == name:
            return family
    raise ValueError(f"there is no family {name!r}; there are {', '.join(family.name for family in FAMILIES)}")
