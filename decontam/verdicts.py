"""A ruling says of one task whether it is clean, and shows what it overlaps with when it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from decontam.benchmark import BenchmarkSource
from decontam.settings import DecontaminationSettings
from environment.record import Record

Rule = Literal["shared_passage", "company_name", "like_benchmark", "like_meaning", "like_earlier", "copy_in_set"]
RULES: tuple[Rule, ...] = get_args(Rule)
"""In the order in which they are reported; a dropped task counts under the first that it breaks."""

Notice = Literal["near_name", "look_alike", "meaning_near"]
REPORTED: tuple[Notice, ...] = get_args(Notice)
"""What is shown to a person and drops nothing, in the order in which it is reported."""


class Overlap(Record):
    """One passage of a task beside the one that it overlaps with."""

    rule: Rule | Notice
    path: str
    text: str
    other: str
    """Name of the benchmark task, or id of the other task."""
    other_path: str
    other_text: str
    shared: tuple[str, ...]
    """The words in common, normalised: a run, a company's name, or every word of a shared shingle."""
    other_shared: tuple[str, ...]
    """The same as they stand in the other text; differs from `shared` for a name beside a domain."""
    similarity: float | None = None
    """Jaccard index of the whole texts; cosine under a rule of meaning; share of equal parts for a look-alike."""


class Ruling(Record):
    """The judgement of one task."""

    task_id: str
    domain: str
    family: str
    kept: bool
    cluster: str | None
    """Id of the first task of its near-duplicate cluster, its own when alone; None when dropped."""
    overlaps: tuple[Overlap, ...] = ()
    """Empty when kept; else the clearest overlap for each rule broken, in the order of RULES."""
    reported: tuple[Overlap, ...] = ()
    """What a person should look at, whether kept or dropped; in the order of REPORTED."""

    @property
    def rule(self) -> Rule | Notice | None:
        """The rule that it is counted under."""
        return self.overlaps[0].rule if self.overlaps else None


class Side(Record):
    """How much text one side of the comparison brought."""

    tasks: int
    passages: int
    words: int
    ngrams: int
    """Windows of `ngram_words` words; for the benchmark, different ones."""
    names: int
    """Different company names."""


class Decontamination(Record):
    """The rulings on a set of tasks, and what they were compared with."""

    rulings: tuple[Ruling, ...]
    """In the order of the input."""
    settings: DecontaminationSettings
    benchmark_source: str
    benchmark_hash: str
    benchmark_is_stand_in: bool
    benchmark_counts: Mapping[str, int]
    """Benchmark tasks per domain."""
    ours: Side
    theirs: Side
    earlier_tasks: int
    benchmark_sources: tuple[BenchmarkSource, ...] = ()
    benchmark_sides: Mapping[str, Side] = {}
    """How much text each benchmark brought, by its name; together they are `theirs`, but for words both have."""

    @property
    def kept(self) -> tuple[str, ...]:
        """Ids of the clean tasks, in the order of the input."""
        return tuple(ruling.task_id for ruling in self.rulings if ruling.kept)

    def clusters(self) -> dict[str, str]:
        """Cluster of each clean task, by id."""
        return {ruling.task_id: ruling.cluster for ruling in self.rulings if ruling.cluster is not None}

    def counts(self) -> dict[str, int]:
        """`input`, `kept`, and dropped by rule, every rule listed; kept and dropped add up to the input."""
        dropped: dict[str, int] = {rule: sum(ruling.rule == rule for ruling in self.rulings) for rule in RULES}
        return {"input": len(self.rulings), "kept": len(self.kept), **dropped}

    def reported_counts(self) -> dict[str, int]:
        """Tasks for which something was reported, by what; one task may count under several."""
        return {notice: sum(_says(ruling, notice) for ruling in self.rulings) for notice in REPORTED}


def _says(ruling: Ruling, notice: Notice) -> bool:
    return any(overlap.rule == notice for overlap in ruling.reported)
