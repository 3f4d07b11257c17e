"""Every simulated application, in one explicit tuple."""

from __future__ import annotations

from environment.apps.gmail import APP as GMAIL
from environment.apps.google_calendar import APP as GOOGLE_CALENDAR
from environment.apps.google_sheets.app import APP as GOOGLE_SHEETS
from environment.apps.jira.app import APP as JIRA
from environment.apps.kit import App
from environment.apps.salesforce.app import APP as SALESFORCE
from environment.apps.slack.app import APP as SLACK
from environment.apps.xero.app import APP as XERO
from environment.apps.zendesk import APP as ZENDESK

APPS: tuple[App, ...] = (SALESFORCE, GMAIL, SLACK, GOOGLE_SHEETS, GOOGLE_CALENDAR, XERO, ZENDESK, JIRA)
