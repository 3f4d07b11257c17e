"""A refusal of Jira's is a list of messages, or a message for each field that is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from environment.apps.kit import AppError

QUERY_ERROR = "jql"
"""Code of a refusal that is about a query; its body has warnings beside the messages."""
_MOST_FIELDS = 50


def error_body(error: AppError) -> dict[str, Any]:
    if error.code == QUERY_ERROR:
        return {"errorMessages": error.message.split("\n"), "warningMessages": []}
    if error.details:
        return {"errorMessages": [], "errors": dict(error.details)}
    return {"errorMessages": [error.message], "errors": {}}


def wrong_fields(errors: Mapping[str, str], status: int = 400) -> AppError:
    """The refusal of values, by field; of very many, the first."""
    told = {name[:80]: text for name, text in islice(errors.items(), _MOST_FIELDS)}
    return AppError(status, "; ".join(f"{name}: {text}" for name, text in told.items()), details=told)


def wrong_query(*messages: str) -> AppError:
    """The refusal of a JQL query."""
    return AppError(400, "\n".join(messages), QUERY_ERROR)


def not_on_screen(name: str) -> str:
    """The message for a field that can't be set in this place."""
    return f"Field '{name[:80]}' cannot be set. It is not on the appropriate screen, or unknown."
