"""A draft is what a request wants of an issue: values read from `fields` and `update`, and complaints by field."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from environment.apps.jira import adf
from environment.apps.jira.fields import Place, field_name, read_field
from environment.apps.jira.links import Ends, read_link
from environment.apps.jira.refusal import not_on_screen, wrong_fields
from environment.apps.jira.rows import Issue

_LISTS = {"labels": "strings", "fixVersions": "objects"}


@dataclass
class Draft:
    """Values and complaints of one request."""

    place: Place
    screen: Iterable[str]
    """Names of the fields that can be set here; custom fields besides."""
    before: Issue | None = None
    values: dict[str, Any] = field(default_factory=dict)
    """Fields of the row."""
    complaints: dict[str, str] = field(default_factory=dict)
    comments: list[dict[str, Any]] = field(default_factory=list)
    """Documents to add as comments."""
    links: list[Ends] = field(default_factory=list)
    """Links to make."""

    def read(self, fields: Mapping[str, Any], update: Mapping[str, Any]) -> None:
        """Take in what a body holds."""
        for name, value in fields.items():
            if name in update:
                self.complaints[name] = f"Field '{name[:80]}' cannot be in both 'fields' and 'update'."
            else:
                self._set(name, value)
        for name, operations in update.items():
            if name not in fields:
                self._operate(name, operations)

    def demand(self, names: Iterable[str]) -> None:
        """Complain about each of these fields that the issue would be without."""
        for name in names:
            value = self.values[name] if name in self.values else self._stored(name)
            if value in (None, "", ()) and name not in self.complaints:
                self.complaints[name] = f"{field_name(self.place.call, name)} is required."

    def check(self) -> None:
        """Raises the refusal that lists the complaints, if there are any."""
        if self.complaints:
            raise wrong_fields(self.complaints)

    def _set(self, name: str, value: Any) -> None:
        offered = name in self.screen or name.startswith("customfield_")
        reading = read_field(self.place, name, value) if offered else None
        if reading is None:
            self.complaints[name] = not_on_screen(name)
        elif isinstance(reading, str):
            self.complaints[name] = reading
        else:
            self.values.update(reading)

    def _operate(self, name: str, operations: Any) -> None:
        if not isinstance(operations, list) or not all(isinstance(item, dict) for item in operations):
            self.complaints[name] = "data was not an array of operations"
            return
        for operation in operations:
            for verb, value in operation.items():
                if name in self.complaints:
                    return
                if verb == "set":
                    self._set(name, value)
                elif verb == "add" and name == "comment" and name in self.screen:
                    self._comment(value)
                elif verb == "add" and name == "issuelinks" and name in self.screen:
                    self._link(value)
                elif verb in ("add", "remove") and name in _LISTS and name in self.screen:
                    self._amend(name, verb == "add", value)
                elif name in self.screen or name.startswith("customfield_"):
                    self.complaints[name] = f"Field '{name[:80]}' does not support the operation '{verb[:80]}'."
                else:
                    self.complaints[name] = not_on_screen(name)

    def _amend(self, name: str, adds: bool, value: Any) -> None:
        """One more or one less in a list."""
        reading = read_field(self.place, name, [value])
        if reading is None or isinstance(reading, str):
            self.complaints[name] = reading or not_on_screen(name)
            return
        held = self.values[name] if name in self.values else self._stored(name) or ()
        rest = tuple(item for item in held if item not in reading[name])
        self.values[name] = (*rest, *reading[name]) if adds else rest

    def _comment(self, value: Any) -> None:
        body = value.get("body") if isinstance(value, dict) else None
        if isinstance(body, dict) and adf.is_document(body):
            self.comments.append(body)
        else:
            self.complaints["comment"] = "Comment body is not valid!"

    def _link(self, value: Any) -> None:
        ends = read_link(self.place.call, value, self.before.key if self.before else None)
        if isinstance(ends, str):
            self.complaints["issuelinks"] = ends
        else:
            self.links.append(ends)

    def _stored(self, name: str) -> Any:
        if self.before is None:
            return None
        return self.before.custom(name) if name.startswith("customfield_") else getattr(self.before, name, None)
