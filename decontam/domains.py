"""A domain that names no company: one reserved for examples, of a mail provider, or of an application."""

from __future__ import annotations

from typing import Literal

Exemption = Literal["reserved", "mail provider", "application"]

RESERVED = ("example.com", "example.net", "example.org", "example", "test", "invalid", "localhost", "local")
"""RFC 2606 and RFC 6761, their subdomains included: `company.example.com` and `acme.test` name nobody."""

MAIL_PROVIDERS = (
    "aol.com fastmail.com gmail.com gmx.com gmx.de gmx.net googlemail.com hey.com hotmail.co.uk hotmail.com icloud.com "
    "live.com mac.com mail.com mail.ru me.com msn.com outlook.com pm.me proton.me protonmail.com qq.com web.de "
    "yahoo.ca yahoo.co.in yahoo.co.uk yahoo.com yandex.com yandex.ru ymail.com zohomail.com 163.com 126.com"
).split()

APPLICATIONS = (
    "airtable.com asana.com atlassian.com atlassian.net bamboohr.com basecamp.com basecampapi.com bufferapp.com "
    "buffer.com calendly.com canva.com chatgpt.com confluence.com docusign.com docusign.net facebook.com fb.com "
    "force.com freshdesk.com freshworks.com github.com google.com googleapis.com googlegroups.com gorgias.com "
    "greenhouse.io helpcrunch.com helpscout.com helpscout.net hiverhq.com hubapi.com hubspot.com instagram.com "
    "intercom.com intercom.io intuit.com jira.com lever.co linear.app linkedin.com lnkd.in mailchimp.com "
    "microsoft.com monday.com mailgun.org myshopify.com notion.com notion.so office.com openai.com paypal.com "
    "pipedrive.com pipefy.com quickbooks.com reamaze.com reamaze.io recruitee.com salesforce.com sendgrid.net "
    "sharepoint.com shopify.com slack.com stripe.com trello.com twilio.com twitter.com waveapps.com wa.me x.com "
    "xero.com youtu.be youtube.com zapier.com zendesk.com zoho.com zoom.com zoom.us"
).split()

APPLICATION_NAMES = (
    "Airtable, Asana, Atlassian, BambooHR, Basecamp, Buffer, Calendly, Canva, ChatGPT, Confluence, DocuSign, Facebook, "
    "Facebook Pages, Freshdesk, Gmail, Google, Google Ads, Google Calendar, Google Docs, Google Drive, Google Sheets, "
    "Gorgias, Greenhouse, HelpCrunch, Help Scout, Hiver, HubSpot, Instagram, Intercom, Intuit, Jira, Linear, LinkedIn, "
    "Mailchimp, Microsoft, Monday, Notion, OpenAI, PayPal, Pipedrive, Pipefy, QuickBooks, Reamaze, Recruitee, "
    "Salesforce, SharePoint, Shopify, Slack, Stripe, Trello, Twilio, Twitter, Wave, Xero, YouTube, Zapier, Zendesk, "
    "Zoho, Zoho Desk, Zoom"
).split(", ")
"""Names that every world mentions because its work is done in them."""

_SECOND_LEVELS = frozenset("ac co com edu gov net org".split())


def exemption_of(domain: str) -> Exemption | None:
    """Why `domain`, or one that it lies under, names no company; None when it does name one."""
    lists: tuple[tuple[Exemption, tuple[str, ...] | list[str]], ...] = (
        ("reserved", RESERVED),
        ("mail provider", MAIL_PROVIDERS),
        ("application", APPLICATIONS),
    )
    labels = domain.lower().rstrip(".").split(".")
    parents = {".".join(labels[start:]) for start in range(len(labels))}
    return next((kind for kind, members in lists if not parents.isdisjoint(members)), None)


def company_label(domain: str) -> str:
    """The label that names the owner: larkfield in mail.larkfield.co.uk; "" when there is none."""
    labels = domain.lower().rstrip(".").split(".")
    suffix = 2 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVELS else 1
    return labels[-suffix - 1] if len(labels) > suffix else ""
