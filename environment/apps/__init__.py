"""Every simulated application, in one explicit tuple."""

from __future__ import annotations

from environment.apps.kit import App

APPS: tuple[App, ...] = ()
