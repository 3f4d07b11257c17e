"""The decontamination report shows every overlap with both texts side by side, and what was compared with what."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from decontam.domains import APPLICATION_NAMES, APPLICATIONS, MAIL_PROVIDERS, RESERVED, TENANCIES
from decontam.lexicon import GENERIC_NAMES, LEGAL_PREFIXES, LEGAL_SUFFIXES, OPENERS, PLAIN_WORDS, STREETS
from decontam.marking import Piece, marked
from decontam.names import NEAR_LENGTH
from decontam.people import GIVEN_NAMES
from decontam.scored_set import shortfall
from decontam.structure import LOOK_ALIKE
from decontam.verdicts import REPORTED, RULES, Decontamination, Overlap, Ruling

TITLES = {
    "shared_passage": "Shares a run of words with a benchmark task",
    "company_name": "Names a company of the benchmark",
    "like_benchmark": "Like a benchmark task as a whole",
    "like_meaning": "Means what a benchmark task means",
    "like_earlier": "Like a task of an earlier generation",
    "copy_in_set": "Copy of a task of this set",
    "near_name": "A company's name one letter from one of the benchmark",
    "look_alike": "Built like a benchmark task, in other words",
    "meaning_near": "Close in meaning to a benchmark task",
}
"""Every rule that drops and everything that is only reported, in a reader's words."""
_HEADS = {
    "shared_passage": "Passage",
    "company_name": "Name",
    "like_benchmark": "Like benchmark",
    "like_meaning": "Like meaning",
    "like_earlier": "Like earlier",
    "copy_in_set": "Copy",
    "near_name": "Near name",
    "look_alike": "Look-alike",
    "meaning_near": "Near meaning",
}
_CLUSTERS_SHOWN = 50
_RULING_SCHEMA = pa.schema(
    [
        ("task_id", pa.string()),
        ("domain", pa.string()),
        ("family", pa.string()),
        ("kept", pa.bool_()),
        ("cluster", pa.string()),
        ("rule", pa.string()),
        ("rules", pa.list_(pa.string())),
        ("reported", pa.list_(pa.string())),
    ]
)
_OVERLAP_SCHEMA = pa.schema(
    [
        ("task_id", pa.string()),
        ("domain", pa.string()),
        ("family", pa.string()),
        ("rule", pa.string()),
        ("drops", pa.bool_()),
        ("counted", pa.bool_()),
        ("path", pa.string()),
        ("text", pa.string()),
        ("other", pa.string()),
        ("other_generation", pa.string()),
        ("other_path", pa.string()),
        ("other_text", pa.string()),
        ("shared", pa.string()),
        ("other_shared", pa.string()),
        ("similarity", pa.float64()),
    ]
)


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a comparison was made for, and by which code."""

    subject: str
    """The set of tasks, such as `laptop.g1`."""
    code: str
    """Commit and versions of what decides results."""
    earlier: Mapping[str, str]
    """Task delivered earlier -> the generation that delivered it."""


def ruling_rows(result: Decontamination) -> pa.Table:
    """One row a task, in the order of the input; `rule` is what a dropped one is counted under."""
    rows = [
        {
            "task_id": ruling.task_id,
            "domain": ruling.domain,
            "family": ruling.family,
            "kept": ruling.kept,
            "cluster": ruling.cluster,
            "rule": ruling.rule,
            "rules": [overlap.rule for overlap in ruling.overlaps],
            "reported": [overlap.rule for overlap in ruling.reported],
        }
        for ruling in result.rulings
    ]
    return pa.Table.from_pylist(rows, schema=_RULING_SCHEMA)


def overlap_rows(result: Decontamination, occasion: Occasion) -> pa.Table:
    """One row an overlap, whether it drops the task or is only reported; `counted` is one row of each dropped task."""
    rows = [
        {
            "task_id": ruling.task_id,
            "domain": ruling.domain,
            "family": ruling.family,
            **overlap.to_json(),
            "drops": drops,
            "counted": drops and number == 0,
            "other_generation": occasion.earlier.get(overlap.other),
            "shared": " ".join(overlap.shared),
            "other_shared": " ".join(overlap.other_shared),
        }
        for ruling in result.rulings
        for drops, overlaps in ((True, ruling.overlaps), (False, ruling.reported))
        for number, overlap in enumerate(overlaps)
    ]
    return pa.Table.from_pylist(rows, schema=_OVERLAP_SCHEMA)


def report_html(result: Decontamination, occasion: Occasion, shown: int = 60) -> str:
    """One self-contained page: the statement, totals, what was compared, limits and lists in force, overlaps.

    Of each rule at most `shown` tasks are shown side by side; how many more there are is said.
    """
    counts = result.counts()
    return _template().render(
        result=result,
        occasion=occasion,
        statement=statement(result),
        shortfalls=[lacks for source in result.benchmark_sources if (lacks := shortfall(source)) is not None],
        counts=counts,
        titles=TITLES,
        heads=_HEADS,
        rules=RULES,
        notices=REPORTED,
        reported=result.reported_counts(),
        totals=_totals(result),
        earlier=sorted(Counter(occasion.earlier.values()).items()),
        sections=[_section(result, occasion, rule, shown) for rule in (*RULES, *REPORTED)],
        near_length=NEAR_LENGTH,
        look_alike=LOOK_ALIKE,
        clusters=_clusters(result),
        clusters_shown=_CLUSTERS_SHOWN,
        settings=json.dumps(result.settings.to_json(), indent=1),
        lists={
            "Reserved domains, with all below them": RESERVED,
            "Mail providers' domains": MAIL_PROVIDERS,
            "Applications' domains": APPLICATIONS,
            "Applications' domains under which a label names the customer": TENANCIES,
            "Applications' names": APPLICATION_NAMES,
            "Words that name no company, alone or in a row": sorted(GENERIC_NAMES),
            "Words that make no company of a word like Group or Labs": sorted(PLAIN_WORDS),
            "Words that make an address or a room of the word before them": sorted(STREETS),
            "Capitalised words that begin a sentence and not the name after them": sorted(OPENERS),
            "Given names, which make a person of the word after them": sorted(GIVEN_NAMES),
            "Legal suffixes dropped before names are compared": sorted(LEGAL_SUFFIXES),
            "Legal forms dropped from before a name": sorted(LEGAL_PREFIXES),
        },
    )


def statement(result: Decontamination) -> tuple[str, ...]:
    """What may be told to a customer, in sentences that this comparison bears out."""
    counts, settings = result.counts(), result.settings
    dropped = counts["input"] - counts["kept"]
    count = f"Of {counts['input']:,} tasks, {counts['kept']:,} were kept and {dropped:,} dropped."
    if result.benchmark_is_stand_in:
        return (
            count,
            f"They were compared with the {result.theirs.tasks:,} invented tasks of {result.benchmark_source}, which "
            "stand in for the public benchmark: nothing is said about overlap with the real one.",
        )
    return (
        count,
        f"No kept task has {settings.ngram_words} words in a row in common with a benchmark task, common phrases "
        f"included (tasks of the benchmark: {result.theirs.tasks:,}, with {result.theirs.passages:,} passages of "
        f"{result.theirs.words:,} words).",
        "No kept task was found to name a company of the benchmark, whatever the spelling, legal suffix or domain "
        f"(companies: {result.theirs.names:,}); the lists below say what is not taken for a company.",
        f"No kept task was found to be, as a whole, {settings.benchmark_jaccard:g} or more alike to a benchmark task, "
        f"{settings.earlier_jaccard:g} or more to one delivered earlier (tasks: {result.earlier_tasks:,}), or "
        f"{settings.duplicate_jaccard:g} or more to another kept one.",
        "Requests were not compared by meaning: a paraphrase that shares no words and no names may be left."
        if settings.meaning is None
        else f"No kept task's request was found to be {settings.meaning.drop:g} or more alike in meaning to that of a "
        "benchmark task (cosine of sentence vectors).",
    )


@dataclass(frozen=True, slots=True)
class _Total:
    """Counts of one domain, family or of all; kept and dropped by rule add up to `given`."""

    name: str
    kind: str
    given: int
    kept: int
    dropped: Mapping[str, int]
    reported: Mapping[str, int]


def _totals(result: Decontamination) -> list[_Total]:
    """Each domain, followed by its families, then all."""
    totals = []
    for domain in sorted({ruling.domain for ruling in result.rulings}):
        members = [ruling for ruling in result.rulings if ruling.domain == domain]
        totals.append(_total(domain, "domain", members))
        for family in sorted({ruling.family for ruling in members}):
            totals.append(_total(family, "family", [ruling for ruling in members if ruling.family == family]))
    return [*totals, _total("all", "all", result.rulings)]


def _total(name: str, kind: str, rulings: Sequence[Ruling]) -> _Total:
    dropped, reported = Counter[str](), Counter[str]()
    for ruling in rulings:
        if ruling.rule is not None:
            dropped[ruling.rule] += 1
        reported.update({overlap.rule for overlap in ruling.reported})
    return _Total(name, kind, len(rulings), sum(ruling.kept for ruling in rulings), dropped, reported)


@dataclass(frozen=True, slots=True)
class _Shown:
    """An overlap on the page."""

    overlap: Overlap
    other: str
    """Name of the other task, with the generation that it was delivered in."""
    ours: tuple[Piece, ...]
    theirs: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class _Section:
    """The tasks counted under one rule, or those for which one thing is reported."""

    rule: str
    drops: bool
    tasks: tuple[tuple[Ruling, tuple[_Shown, ...]], ...]
    more: int
    """Tasks that are in the Parquet files alone."""


def _section(result: Decontamination, occasion: Occasion, rule: str, shown: int) -> _Section:
    drops = rule in RULES
    members = [(ruling, _under(ruling, rule, drops)) for ruling in result.rulings]
    members = [(ruling, overlaps) for ruling, overlaps in members if overlaps]
    size = result.settings.shingle_words
    tasks = tuple(
        (ruling, tuple(_shown(overlap, occasion, size) for overlap in overlaps)) for ruling, overlaps in members[:shown]
    )
    return _Section(rule, drops, tasks, len(members) - len(tasks))


def _under(ruling: Ruling, rule: str, drops: bool) -> tuple[Overlap, ...]:
    """What a section shows of a task: all that drops it where it is counted, or what is reported under `rule`."""
    if drops:
        return ruling.overlaps if ruling.rule == rule else ()
    return tuple(overlap for overlap in ruling.reported if overlap.rule == rule)


def _shown(overlap: Overlap, occasion: Occasion, size: int) -> _Shown:
    home = occasion.earlier.get(overlap.other)
    other = f"{overlap.other} of {home}" if home else overlap.other
    return _Shown(overlap, other, marked(overlap, True, size), marked(overlap, False, size))


def _clusters(result: Decontamination) -> list[tuple[int, str]]:
    """Size and first task of every cluster of several tasks, the largest first."""
    sizes = Counter(result.clusters().values())
    return sorted(((size, name) for name, size in sizes.items() if size > 1), key=lambda row: (-row[0], row[1]))


@lru_cache(maxsize=1)
def _template() -> Template:
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["count"] = lambda number: f"{number:,}"
    return environment.get_template("report.html.j2")
