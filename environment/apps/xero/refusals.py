"""A refusal is an error of Xero's API: 404 is a line of text, everything else an object with number, type, message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from environment.apps.kit import AppError

_NUMBERS = {"ValidationException": 10, "PostDataInvalidException": 14, "QueryParseException": 16}
_NUMBERS |= {"NoDataProcessedException": 17}


class Invalid(AppError):
    """One element of a request that breaks rules, each of them a sentence."""

    def __init__(self, *rules: str) -> None:
        super().__init__(400, "; ".join(rules), "ValidationException")
        self.rules = rules


def invalid_elements(elements: Sequence[Mapping[str, Any]]) -> AppError:
    """The refusal of a request with elements that were found invalid."""
    rules = [broken["Message"] for element in elements for broken in element["ValidationErrors"]]
    return AppError(400, "; ".join(dict.fromkeys(rules)), "ValidationException", tuple(elements))


def invalid_query(message: str) -> AppError:
    """The refusal of a filter or an order that can't be read."""
    return AppError(400, message, "QueryParseException")


def not_found() -> AppError:
    """The answer for an unknown id or path."""
    return AppError(404, "The resource you're looking for cannot be found")


def error_body(error: AppError) -> Any:
    """What Xero answers a refused request with."""
    if error.status == 404:
        return not_found().message
    if isinstance(error, Invalid):
        error = invalid_elements([{"ValidationErrors": [{"Message": rule} for rule in error.rules]}])
    kind = error.code if error.code in _NUMBERS else "PostDataInvalidException"
    if kind != "ValidationException":
        return {"ErrorNumber": _NUMBERS[kind], "Type": kind, "Message": error.message}
    message = "A validation exception occurred"
    return {"ErrorNumber": _NUMBERS[kind], "Type": kind, "Message": message, "Elements": list(error.details)}
