"""Candidate settings are the engagement's choice of families, counts, difficulty and toolset."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from pydantic import Field, model_validator

from environment.record import Record
from generators.families import FAMILIES, family_named


class CandidateSettings(Record):
    """What is generated; counts are tasks of each family."""

    families: tuple[str, ...] = Field(min_length=1)
    train: int = Field(ge=1)
    """Candidates for the training set."""
    development: int = Field(ge=0)
    """For tuning."""
    held_out: int = Field(ge=1)
    """For the evaluation alone."""
    profile: Literal["starter", "full"]
    """How high knobs go: what the small reference policy can follow, or all the way."""
    toolset: Literal["actions", "api"]
    """The way in to the world that attempts use."""

    @model_validator(mode="after")
    def _families_exist(self) -> CandidateSettings:
        for name in self.families:
            family_named(name)
        twice = [name for name, count in Counter(self.families).items() if count > 1]
        if twice:
            raise ValueError(f"families names {twice[0]} more than once; name each family once")
        return self

    def train_in(self, domain: str) -> int:
        """Training candidates of a domain."""
        return self.train * sum(family.domain == domain and family.name in self.families for family in FAMILIES)
