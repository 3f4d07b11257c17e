"""A request read roughly: which applications a prompt names, and which changes its clauses ask for.

Where a benchmark publishes prompts alone, this is all that is known of a task's structure.
"""

from __future__ import annotations

import re
from typing import Literal

Action = Literal["create", "update", "delete"]

APPLICATION_WORDS = {
    "airtable": "airtable",
    "asana": "asana",
    "bamboohr": "bamboohr",
    "basecamp": "basecamp",
    "buffer": "buffer",
    "calendly": "calendly",
    "chatgpt": "chatgpt",
    "confluence": "confluence",
    "docusign": "docusign",
    "facebook_pages": "facebook",
    "freshdesk": "freshdesk",
    "gmail": "gmail|e-?mails?|e-?mailed|inbox|mails?|repl(?:y|ies)",
    "google_ads": "google ads",
    "google_calendar": "calendars?|book|invit(?:e|ation)s?",
    "google_docs": "google docs?",
    "google_drive": "drive",
    "google_sheets": "spreadsheets?|worksheets?|sheets?|tracker|rows?|log to",
    "gorgias": "gorgias",
    "greenhouse": "greenhouse",
    "helpcrunch": "helpcrunch",
    "helpscout": "help ?scout",
    "hiver": "hiver",
    "hubspot": "hubspot",
    "instagram": "instagram",
    "intercom": "intercom",
    "jira": "jira|issues?",
    "linear": "linear",
    "linkedin": "linkedin",
    "mailchimp": "mailchimp",
    "monday": "monday(?! to| at| the)",
    "notion": "notion",
    "pipedrive": "pipedrive",
    "pipefy": "pipefy",
    "quickbooks": "quickbooks",
    "reamaze": "re:?amaze",
    "recruitee": "recruitee",
    "salesforce": "salesforce",
    "shopify": "shopify",
    "slack": r"slack|channel|#[a-z][\w-]+",
    "stripe": "stripe",
    "trello": "trello",
    "twilio": "twilio|sms|text messages?",
    "twitter": "twitter",
    "wave": "wave",
    "xero": "xero",
    "zendesk": "zendesk",
    "zoho_desk": "zoho desk",
    "zoom": "zoom",
}
"""Application -> how requests speak of it."""
RULE_WORDS = (
    "checklist criteria guideline guidelines playbook policies policy procedure procedures rule rulebook rules sop"
).split()
"""Words for what a company's own documents demand."""
_CREATING = (
    "add append book create draft email file invite leave log mail notify post record "
    "register reply schedule send tell write"
)
_CHANGING = (
    "annotate assign change close convert correct enrich fill mark move optimize pause process reassign rename "
    "reschedule set sync tag triage update"
)
_DELETING = "cancel delete remove"
_VERBS: dict[str, Action] = {
    **dict.fromkeys(_CREATING.split(), "create"),
    **dict.fromkeys(_CHANGING.split(), "update"),
    **dict.fromkeys(_DELETING.split(), "delete"),
}
_HOME = {"email": "gmail", "mail": "gmail", "reply": "gmail", "book": "google_calendar"}
"""Where what a verb makes lands, whatever its clause names."""
_LET_KNOW = re.compile(r"\blet .{1,60}? know\b")
_NEEDED = re.compile(r"\bneeds? [\w' ]{0,40}?\b(updated|changed|moved|corrected|removed|deleted|cancelled)\b")
_CLAUSE = re.compile(r"[.!?;:\n]+\s|,? (?:and|then|but)(?: also| then)? |, | - ")
_FILLER = re.compile(
    r"(?:please|also|just|then|once done|can you|could you|i want you to|i need you to|we need to|we want to|"
    r"make sure to|be sure to|go ahead|go through|time to|they want us to|after \w+)\b,? *"
)
_WORD = re.compile(r"[a-z]+")
_APPLICATIONS = {app: re.compile(rf"(?<![\w@.-])(?:{words})(?![\w-]|\.\w)") for app, words in APPLICATION_WORDS.items()}


def applications_named(text: str) -> tuple[str, ...]:
    """The applications that the text speaks of, by name."""
    plain = text.lower()
    return tuple(app for app, pattern in _APPLICATIONS.items() if pattern.search(plain))


def changes_asked(prompt: str) -> tuple[tuple[str, Action], ...]:
    """Application and action of each clause that begins with a verb of writing.

    A clause that names no application is about the one before it.
    """
    found: list[tuple[str, Action]] = []
    app = ""
    for clause in _CLAUSE.split(_LET_KNOW.sub("tell", prompt.lower())):
        apps = applications_named(clause)
        action, home = _action(clause)
        if action is None:
            app = apps[0] if apps else app
            continue
        target = home or ("slack" if "slack" in apps and action == "create" else (apps[0] if apps else app))
        if target:
            found.append((target, action))
            app = target
    return tuple(found)


def _action(clause: str) -> tuple[Action | None, str]:
    """What a clause asks to do, and where it lands whatever else the clause names."""
    needed = _NEEDED.search(clause)
    if needed is not None:
        return "delete" if needed.group(1) in ("removed", "deleted", "cancelled") else "update", ""
    start = 0
    while (filler := _FILLER.match(clause, start)) is not None:
        start = filler.end()
    verb = _WORD.match(clause, start)
    word = verb.group() if verb is not None else ""
    return _VERBS.get(word), _HOME.get(word, "")
