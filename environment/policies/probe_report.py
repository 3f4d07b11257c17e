"""A probe report is what was found out about an endpoint before anything was spent on it."""

from __future__ import annotations

from environment.record import Record


class ProbedAddress(Record):
    """One address of the endpoint."""

    base_url: str
    problem: str | None = None
    """Why it can't be asked at the moment; None where it answers, and otherwise nothing else here is known."""
    calls_unforced: bool = False
    """The model called the tool of its own accord; otherwise it had to be told to."""
    streams: bool = False
    """Answers came piece by piece, so that one that stalls is seen."""
    honours_n: bool = False
    """Asked for two answers to one request, it gave two."""
    repeats_seeds: bool = False
    """The same request with the same seed was answered with the same text."""
    varies_with_seeds: bool = False
    """With another seed it was answered with another text."""
    counts_tokens: bool = False
    counts_cached_tokens: bool = False
    reasoning_field: str | None = None
    """Name under which it gives the model's reasoning, None where it gave none."""
    context_length: int | None = None
    """Tokens of prompt and answer together, None where it doesn't say."""
    tokens_per_s: float | None = None
    """Speed at which it answers one request alone, the time until it begins included; None where it can't be told."""


class ProbeReport(Record):
    """Every address of one endpoint, with what a person should know."""

    model: str
    addresses: tuple[ProbedAddress, ...]
    warnings: tuple[str, ...]

    @property
    def context_length(self) -> int | None:
        """Of the address with the shortest, None where none says."""
        known = [one.context_length for one in self.addresses if one.context_length is not None]
        return min(known, default=None)
