"""A refusal is an error of Xero's API: 404 is a line of text, everything else an object with number, type, message."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from environment.apps.kit import AppError

_NUMBERS = {"ValidationException": 10, "PostDataInvalidException": 14, "QueryParseException": 16}
_NUMBERS |= {"NoDataProcessedException": 17}


_LONGEST_ECHO = 10_000
"""Characters of elements that are repeated as they were sent, as Xero does; of longer ones only what is wrong."""
_LONGEST_RULE = 500


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
    found = list(error.details)
    if len(json.dumps(found)) > _LONGEST_ECHO:
        found = list(map(_brief, found))
    return {
        "ErrorNumber": _NUMBERS[kind],
        "Type": kind,
        "Message": "A validation exception occurred",
        "Elements": found,
    }


def _brief(element: Mapping[str, Any]) -> Mapping[str, Any]:
    errors = [{"Message": broken["Message"][:_LONGEST_RULE]} for broken in element["ValidationErrors"]]
    return {"HasErrors": True, "ValidationErrors": errors}
