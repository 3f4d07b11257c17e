"""An oddment is a harmless short record: a cell's note, an event's title, an issue, a ticket, a line of a bill."""

from __future__ import annotations

from generators.family import Scene
from generators.staging.small_talk import small_talk


def filler_note(scene: Scene) -> str:
    """A note of two to eight words that asks for nothing."""
    return small_talk(scene).line("shared/notes")


def filler_notes(scene: Scene) -> str:
    """Such notes in a row, one for every sentence of `prose` above the first; nothing without any."""
    return "; ".join(filler_note(scene) for _ in range(scene.prose - 1))


def unrelated_event_title(scene: Scene) -> str:
    """What a calendar shows of somebody else's day."""
    return small_talk(scene).line("shared/events")


def unrelated_issue(scene: Scene, sentences: int = 1) -> tuple[str, str]:
    """Summary and description of an issue about the company's own rooms and machines."""
    return _headed(scene, "shared/issues", sentences)


def unrelated_ticket(scene: Scene, sentences: int = 1) -> tuple[str, str]:
    """Subject and description of a ticket in which somebody reports a nuisance."""
    return _headed(scene, "shared/tickets", sentences)


def unrelated_bill_line(scene: Scene) -> str:
    """What a bill is for, without an amount."""
    return small_talk(scene).line("shared/bill_lines")


def _headed(scene: Scene, template: str, sentences: int) -> tuple[str, str]:
    """The first line of a phrasing, and the rest with as many further sentences as make up the number."""
    talk = small_talk(scene)
    head, _, text = talk.line(template).partition("\n")
    more = [talk.text(talk.topic(sentences - 1), sentences - 1)] if sentences > 1 else []
    return head, " ".join([text, *more])
