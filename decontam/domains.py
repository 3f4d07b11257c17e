"""A domain that names no company: one reserved for examples, of a mail provider, or of an application.

What a customer has under an application's domain is named after the customer all the same: tarnwick.zendesk.com is
Tarnwick's, and so is tarnwick.github.io.
"""

from __future__ import annotations

from typing import Literal

Exemption = Literal["reserved", "mail provider", "application"]

RESERVED = ("example.com", "example.net", "example.org", "example", "test", "invalid", "localhost", "local")
"""RFC 2606 and RFC 6761, their subdomains included: `company.example.com` and `acme.test` name nobody."""

MAIL_PROVIDERS = (
    "126.com 163.com aim.com aol.com att.net bellsouth.net bigpond.com bluewin.ch btinternet.com comcast.net cox.net "
    "duck.com earthlink.net fastmail.com fastmail.fm free.fr freenet.de gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net "
    "googlemail.com hey.com hotmail.co.uk hotmail.com hotmail.de hotmail.es hotmail.fr hotmail.it icloud.com "
    "inbox.com laposte.net libero.it live.co.uk live.com live.fr live.nl mac.com mail.com mail.ru me.com msn.com "
    "naver.com o2.pl optonline.net orange.fr outlook.com outlook.de outlook.fr pm.me posteo.de proton.me "
    "protonmail.ch protonmail.com qq.com rediffmail.com rocketmail.com sbcglobal.net seznam.cz sky.com t-online.de "
    "telenet.be tutanota.com uol.com.br verizon.net virgilio.it wanadoo.fr web.de wp.pl yahoo.ca yahoo.co.in "
    "yahoo.co.jp yahoo.co.uk yahoo.com yahoo.com.au yahoo.com.br yahoo.de yahoo.es yahoo.fr yahoo.it yandex.com "
    "yandex.ru yeah.net ymail.com zohomail.com zohomail.eu"
).split()

APPLICATIONS = (
    "airtable.com asana.com atlassian.com atlassian.net bamboohr.com basecamp.com basecampapi.com bit.ly buffer.com "
    "bufferapp.com calendly.com canva.com chatgpt.com confluence.com docusign.com docusign.net fb.com facebook.com "
    "facebookmail.com force.com forms.gle freshdesk.com freshworks.com github.com goo.gl google google.com "
    "googleapis.com googlegroups.com googleusercontent.com gorgias.com greenhouse.io helpcrunch.com helpscout.com "
    "helpscout.net helpscoutapp.com hiverhq.com hs-sites.com hubapi.com hubspot.com hubspotemail.net instagram.com "
    "intercom-mail.com intercom.com intercom.io intuit.com jira.com lever.co linear.app linkedin.com list-manage.com "
    "lnkd.in mailchimp.com mailgun.org microsoft.com microsoftonline.com monday.com myshopify.com notion.com notion.so "
    "office.com office365.com onmicrosoft.com openai.com paypal.com pipedrive.com pipefy.com quickbooks.com "
    "reamaze.com reamaze.io recruitee.com salesforce.com sendgrid.net sharepoint.com shopify.com site.com slack.com "
    "stripe.com t.co trello.com twilio.com twitter.com wa.me waveapps.com whatsapp.com x.com xero.com youtu.be "
    "youtube.com zapier.com zdassets.com zendesk.com zoho.com zoho.eu zoho.in zohodesk.com zoom.com zoom.us"
).split()
"""Of the simulated applications, of those that the public benchmark works in, and of what their links lead through."""

APPLICATION_NAMES = (
    "Airtable, Asana, Atlassian, BambooHR, Basecamp, Buffer, Calendly, Canva, ChatGPT, Confluence, DocuSign, Facebook, "
    "Facebook Pages, Freshdesk, Freshworks, GitHub, Gmail, Google, Google Ads, Google Analytics, Google Calendar, "
    "Google Chat, Google Docs, Google Drive, Google Forms, Google Meet, Google Sheets, Google Slides, "
    "Google Workspace, Gorgias, Greenhouse, HelpCrunch, Help Scout, Hiver, HubSpot, Instagram, Intercom, Intuit, Jira, "
    "Jira Cloud, Linear, LinkedIn, LinkedIn Ads, LinkedIn Pages, Mailchimp, Microsoft, Microsoft Teams, Monday, "
    "Monday.com, Notion, OpenAI, Outlook, PayPal, Pipedrive, Pipefy, PowerPoint, QuickBooks, QuickBooks Online, "
    "Re:amaze, Recruitee, Salesforce, SharePoint, Shopify, Slack, Stripe, Trello, Twilio, Twitter, Wave, WhatsApp, "
    "WordPress, X, Xero, YouTube, Zapier, Zendesk, Zoho, Zoho Desk, Zoom"
).split(", ")
"""Names that every world mentions because its work is done in them."""

TENANCIES = (
    "atlassian.net azurewebsites.net bamboohr.com blogspot.com firebaseapp.com freshdesk.com github.io gitlab.io "
    "gorgias.com herokuapp.com intercom.help lightning.force.com my.salesforce.com my.site.com myshopify.com "
    "netlify.app notion.site onmicrosoft.com pages.dev pipedrive.com reamaze.com reamaze.io recruitee.com "
    "sharepoint.com slack.com squarespace.com vercel.app web.app webflow.io wixsite.com wordpress.com zendesk.com"
).split()
"""Domains under which each customer has a label of its own."""

_SERVICES = frozenset(
    "account accounts acct admin api apis app apps auth beta blog careers cdn chat cloud community company dashboard "
    "demo dev developer developers docs domain email eu files forum get go help hooks id info instance jobs learn "
    "links login mail marketplace mycompany mydomain na1 na2 news org partners pay portal preview sandbox secure shop "
    "sso staging static status store subdomain support team tenant test training trust us workspace www your "
    "yourcompany yourdomain yourorg yourstore".split()
)
"""Labels before an application's domain that are its own, or stand for whoever reads."""

_SECOND_LEVELS = frozenset("ac co com edu gob gouv gov govt info ltd me mil ne net nhs nom or org plc sch web".split())
_DOUBLE_SUFFIXES = frozenset("br.com cn.com co.com de.com eu.com gb.net jpn.com uk.com uk.net us.com za.com".split())


_EXEMPTIONS: dict[str, Exemption] = {
    **dict.fromkeys(APPLICATIONS, "application"),
    **dict.fromkeys(MAIL_PROVIDERS, "mail provider"),
    **dict.fromkeys(RESERVED, "reserved"),
}
_TENANCIES = frozenset(TENANCIES)


def exemption_of(domain: str) -> Exemption | None:
    """Why `domain`, or one that it lies under, names no company; None when it does name one."""
    parent = ""
    for label in reversed(_labels(domain)):
        parent = f"{label}.{parent}" if parent else label
        if parent in _EXEMPTIONS:
            return _EXEMPTIONS[parent]
    return None


def company_label(domain: str) -> str:
    """The label that names the owner, as people write it: larkfield in mail.larkfield.co.uk; "" when there is none."""
    labels = _labels(domain)
    for suffix_labels in (2, 3):
        if ".".join(labels[-suffix_labels:]) in _TENANCIES:
            tenant = labels[-suffix_labels - 1] if len(labels) > suffix_labels else ""
            return "" if tenant.replace("-", "") in _SERVICES else _spelled(tenant.partition("--")[0])
    if exemption_of(domain) is not None:
        return ""
    is_country = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVELS
    suffix_labels = 2 if is_country or ".".join(labels[-2:]) in _DOUBLE_SUFFIXES else 1
    return _spelled(labels[-suffix_labels - 1]) if len(labels) > suffix_labels else ""


def _labels(domain: str) -> list[str]:
    return domain.lower().rstrip(".").split(".")


def _spelled(label: str) -> str:
    """A label with its letters beyond ASCII: `xn--mnchen-3ya` is m\u00fcnchen."""
    if not label.startswith("xn--"):
        return label
    try:
        return label.removeprefix("xn--").encode("ascii").decode("punycode")
    except UnicodeError:
        return label
