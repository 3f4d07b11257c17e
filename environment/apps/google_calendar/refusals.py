"""A refusal of the Calendar API names a domain, a reason and, for a wrong parameter, its location."""

from __future__ import annotations

from typing import Any

from environment.apps.kit import AppError

_CALENDAR_DOMAIN = frozenset({"requiredAccessLevel", "forbiddenForNonOrganizer", "timeRangeEmpty"})
_LOCATIONS = {"timeRangeEmpty": {"locationType": "parameter", "location": "timeMax"}}
_REASONS = {400: "invalid", 403: "forbidden", 404: "notFound", 405: "httpMethodNotAllowed", 409: "duplicate"}


def invalid(message: str) -> AppError:
    """A value that can't be read or doesn't fit the others."""
    return AppError(400, message, "invalid")


def missing(message: str) -> AppError:
    """A required value that wasn't given."""
    return AppError(400, message, "required")


def empty_range() -> AppError:
    """An end that isn't after its start."""
    return AppError(400, "The specified time range is empty.", "timeRangeEmpty")


def not_found() -> AppError:
    """Something that isn't there, or that the actor may not know of."""
    return AppError(404, "Not Found", "notFound")


def deleted() -> AppError:
    """An event that has been cancelled before."""
    return AppError(410, "Resource has been deleted", "deleted")


def needs_access(level: str) -> AppError:
    """A calendar on which the actor may do less than they want."""
    return AppError(403, f"You need to have {level} access to this calendar.", "requiredAccessLevel")


def not_the_organizer() -> AppError:
    """A guest who changes what only the organizer may."""
    message = "Shared properties can only be changed by the organizer of the event."
    return AppError(403, message, "forbiddenForNonOrganizer")


def error_body(error: AppError) -> dict[str, Any]:
    """The JSON of a refusal."""
    reason = error.code if error.code and not error.code.isupper() else _REASONS.get(error.status, "invalid")
    domain = "calendar" if reason in _CALENDAR_DOMAIN else "global"
    detail = {"domain": domain, "reason": reason, "message": error.message, **_LOCATIONS.get(reason, {})}
    return {"error": {"errors": [detail], "code": error.status, "message": error.message}}
