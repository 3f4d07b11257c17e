"""Access is what the actor may do on a calendar: their own, a shared one, or one of which they see only busy times."""

from __future__ import annotations

from environment.apps.google_calendar.refusals import needs_access, not_found
from environment.apps.google_calendar.rows import Access, Calendar
from environment.apps.kit import Call

_LEVELS: tuple[Access, ...] = ("none", "freeBusyReader", "reader", "writer", "owner")


def own_address(call: Call) -> str:
    return call.actor["email"].lower()


def find_calendar(call: Call, key: str, level: Access = "reader") -> Calendar:
    """The calendar of this id, `primary` being the actor's own. Raises AppError where they have less than `level`."""
    own = own_address(call)
    address = own if key == "primary" else key.strip().lower()
    calendar = call.tables.find(Calendar, address)
    if calendar is None:
        if address != own:
            raise not_found()
        calendar = Calendar(id=own, summary=own, timeZone="UTC")
    role = role_on(call, calendar)
    if role == "none":
        raise not_found()
    if not at_least(role, level):
        raise needs_access(level)
    return calendar


def role_on(call: Call, calendar: Calendar) -> Access:
    return "owner" if calendar.id == own_address(call) else calendar.accessRole


def at_least(role: Access, level: Access) -> bool:
    return _LEVELS.index(role) >= _LEVELS.index(level)
