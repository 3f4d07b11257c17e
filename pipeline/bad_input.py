"""Bad input is something that a person gave and that cannot be worked with; nothing was changed."""

from __future__ import annotations


class BadInput(ValueError):
    """The message is one sentence: what was given, what was expected, what to do."""
