"""Every simulated application, in one explicit tuple."""

from __future__ import annotations

from environment.apps.gmail import APP as gmail
from environment.apps.google_sheets.app import APP as google_sheets
from environment.apps.kit import App
from environment.apps.salesforce.app import APP as salesforce
from environment.apps.slack.app import APP as slack

APPS: tuple[App, ...] = (salesforce, gmail, slack, google_sheets)
