"""A refusal is an error of Salesforce's REST API: status, error code, message, and the fields it is about."""

from __future__ import annotations

from typing import Any

from environment.apps.kit import AppError


class Refusal(AppError):
    """A refusal that names fields."""

    def __init__(self, status: int, code: str, message: str, fields: tuple[str, ...] | None = None) -> None:
        super().__init__(status, message, code)
        self.fields = fields


def error_body(error: AppError) -> list[dict[str, Any]]:
    """The list of one error that Salesforce answers with."""
    body: dict[str, Any] = {"message": error.message, "errorCode": error.code or "JSON_PARSER_ERROR"}
    if error.code == "NOT_FOUND" and error.message.startswith("No such path"):
        body["message"] = "The requested resource does not exist"
    if isinstance(error, Refusal) and error.fields is not None:
        body["fields"] = list(error.fields)
    return [body]


def not_found() -> Refusal:
    """The answer for an unknown object or record."""
    return Refusal(404, "NOT_FOUND", "The requested resource does not exist")


def no_column(name: str, kind: str) -> Refusal:
    """The answer for a field that the object lacks, in anything but a query."""
    return Refusal(400, "INVALID_FIELD", f"No such column '{name[:80]}' on sobject of type {kind}")
