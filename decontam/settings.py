"""Decontamination settings are the engagement's choice of benchmark and of the limits at which an overlap counts."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, model_validator

from environment.record import Record


class DecontaminationSettings(Record):
    """What counts as an overlap; 13 words are those of arXiv:2005.14165, appendix C."""

    benchmark: Path | None = None
    """JSONL file of the public benchmark; None compares with the stand-in, which protects nothing."""
    ngram_words: int = Field(default=13, ge=5)
    """Words in a row that a passage may not share with the benchmark."""
    shingle_words: int = Field(default=5, ge=1)
    """Words of one shingle when whole texts are compared."""
    benchmark_jaccard: float = Field(default=0.5, gt=0, le=1)
    """Similarity to a benchmark task from which a task is dropped."""
    earlier_jaccard: float = Field(default=0.8, gt=0, le=1)
    """Similarity to a task of an earlier generation from which a task is dropped."""
    cluster_jaccard: float = Field(default=0.8, gt=0, le=1)
    """Similarity within the set from which two tasks are in one cluster."""
    duplicate_jaccard: float = Field(default=0.95, gt=0, le=1)
    """Similarity within the set from which the later of two tasks is dropped."""

    @model_validator(mode="after")
    def _ordered(self) -> DecontaminationSettings:
        if self.duplicate_jaccard < self.cluster_jaccard:
            raise ValueError(
                f"duplicate_jaccard {self.duplicate_jaccard} is below cluster_jaccard {self.cluster_jaccard}; "
                "what is dropped as a copy must be similar enough to cluster: swap them"
            )
        return self
