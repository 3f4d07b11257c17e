"""Decontamination settings are the engagement's choice of benchmark and of the limits at which an overlap counts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator, model_validator

from environment.record import Record


class EarlierSettings(Record):
    """Which deliveries count as earlier, so that nothing like their tasks is delivered again."""

    generations: Literal["same_engagement", "same_customer", "all"] = "same_engagement"
    """Of this engagement, of every engagement with the same `customer`, or of every engagement in the store."""


class MeaningSettings(Record):
    """From which cosine on two prompts count as one request in other words; 1 is the same text.

    docs/decontamination.md has what paraphrases and unrelated requests reach.
    """

    report: float = Field(default=0.6, gt=0, le=1)
    """From here on a task is shown to a person."""
    drop: float = Field(default=0.7, gt=0, le=1)
    """From here on it is dropped."""

    @model_validator(mode="after")
    def _ordered(self) -> MeaningSettings:
        if self.drop < self.report:
            raise ValueError(
                f"meaning.drop {self.drop} is below meaning.report {self.report}; "
                "what is dropped must be near enough to be shown: swap them"
            )
        return self


class DecontaminationSettings(Record):
    """What counts as an overlap; 13 words are those of arXiv:2005.14165, appendix C."""

    benchmarks: tuple[str, ...] = ()
    """Names of imports, and paths, each with a slash or a dot in it; none takes those of WORLDLOOM_BENCHMARK, else all
    imports of the store, else the stand-in, which protects nothing."""
    ngram_words: int = Field(default=13, ge=5)
    """Words in a row that a passage may not share with the benchmark."""
    shingle_words: int = Field(default=5, ge=1)
    """Words of one shingle when whole texts are compared."""
    benchmark_jaccard: float = Field(default=0.5, gt=0, le=1)
    """Similarity to a benchmark task from which a task is dropped."""
    meaning: MeaningSettings | None = None
    """Compares prompts by meaning too, which needs `pip install 'worldloom[meaning]'`; None: not compared."""
    earlier: EarlierSettings = EarlierSettings()
    earlier_jaccard: float = Field(default=0.8, gt=0, le=1)
    """Similarity to a task delivered earlier from which a task is dropped."""
    cluster_jaccard: float = Field(default=0.8, gt=0, le=1)
    """Similarity within the set from which two tasks are in one cluster."""
    duplicate_jaccard: float = Field(default=0.95, gt=0, le=1)
    """Similarity within the set from which the later of two tasks is dropped."""

    @field_validator("benchmarks")
    @classmethod
    def _each_once(cls, benchmarks: tuple[str, ...]) -> tuple[str, ...]:
        for number, one in enumerate(benchmarks):
            if not one.strip():
                raise ValueError("a benchmark has an empty name; give the name of an import or a path")
            if one in benchmarks[:number]:
                raise ValueError(f"{one} is named twice; name each benchmark once")
        return benchmarks

    @model_validator(mode="after")
    def _ordered(self) -> DecontaminationSettings:
        if self.duplicate_jaccard < self.cluster_jaccard:
            raise ValueError(
                f"duplicate_jaccard {self.duplicate_jaccard} is below cluster_jaccard {self.cluster_jaccard}; "
                "what is dropped as a copy must be similar enough to cluster: swap them"
            )
        return self
