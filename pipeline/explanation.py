"""An explanation says of one task what decontamination compared it with and everything that it was found to overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assets.generation import batch_name
from assets.stages.benchmark import read_benchmark
from assets.stages.cleaning import STAGE, earlier_artifacts, rulings
from decontam.benchmark import Benchmark
from decontam.companies import companies_in
from decontam.marking import marked
from decontam.passages import passages_of_task
from decontam.plain import nearest
from decontam.public_side import PublicSide
from decontam.reading import read
from decontam.report import TITLES
from decontam.verdicts import RULES, Overlap, Ruling, Side
from environment.record import Record
from environment.task import Task
from pipeline.bad_input import BadInput
from pipeline.layout import clean, wrap
from pipeline.store import Store, StoredGeneration
from pipeline.task_source import find_task

_NEAREST = 5
_LEFT, _RIGHT = "[[", "]]"


class ComparedBenchmark(Record):
    """One benchmark that a task was held against."""

    name: str
    source: str
    version: str
    content_hash: str
    size: Side


class NearestTask(Record):
    """A benchmark task and how alike it is as a whole."""

    name: str
    similarity: float
    """Jaccard index of the shingles of both."""


class Explanation(Record):
    """All that is known about one task's ruling."""

    generation: str
    artifact: str
    """`clean_tasks`, or a further batch of it."""
    ruling: Ruling
    """With the clearest overlap under each rule."""
    further: tuple[Overlap, ...]
    """The other runs of words and companies that it shares with the benchmark."""
    benchmarks: tuple[ComparedBenchmark, ...]
    is_stand_in: bool
    earlier: tuple[str, ...]
    """Generations delivered before whose tasks it was held against."""
    set_size: int
    """Tasks of its own set."""
    passages: int
    words: int
    names: tuple[str, ...]
    """Companies that it names, as they are written in it; none of them is a benchmark's when it is clean."""
    nearest: tuple[NearestTask, ...]
    """The most alike benchmark tasks, the nearest first."""
    shingle_words: int
    by_meaning: bool
    """Whether prompts were compared by meaning."""
    elsewhere: tuple[str, ...]
    """What became of the same task in other generations."""


def explained(store: Store, beginning: str) -> Explanation:
    """The explanation of the task whose id begins so. Raises BadInput for none, several, and one never compared."""
    generation, task = find_task(store, beginning)
    batch, ruling = _ruling(generation, task)
    benchmark, settings = read_benchmark(generation), generation.engagement.decontamination
    facts = generation.manifest(STAGE, batch).facts
    reading = read(passages_of_task(task))
    companies = companies_in(reading)
    return Explanation(
        generation=generation.key,
        artifact=batch_name(STAGE, batch),
        ruling=ruling,
        further=_further(ruling, PublicSide(benchmark, settings).every_overlap(reading, companies)),
        benchmarks=_benchmarks(benchmark, facts["benchmark_sides"]),
        is_stand_in=benchmark.is_stand_in,
        earlier=(*earlier_artifacts(generation), *([generation.key] if batch else [])),
        set_size=generation.manifest(STAGE, batch).rows_in,
        passages=len(reading.passages),
        words=reading.word_count(),
        names=tuple(sorted({company.name for company in companies.values()})),
        nearest=tuple(
            NearestTask(name=benchmark.key(one.task), similarity=one.similarity)
            for one in nearest(task, benchmark, settings.shingle_words, _NEAREST)
        ),
        shingle_words=settings.shingle_words,
        by_meaning=settings.meaning is not None,
        elsewhere=tuple(_elsewhere(store, generation.key, task.id)),
    )


def explanation_text(found: Explanation, width: int) -> str:
    """The explanation for a terminal; shared words stand between double brackets."""
    ruling = found.ruling
    title = TITLES[str(ruling.rule)] if ruling.rule else ""
    verdict = f"clean, in the cluster of {ruling.cluster}" if ruling.kept else f"dropped: {title}"
    lines = wrap(f"{ruling.task_id} ({found.generation}, {found.artifact}) is {verdict}", width)
    if ruling.kept:
        if found.further:
            lines += wrap(
                "But as it stands in the store it overlaps: it, or what it was compared with, was altered since. "
                f"worldloom audit {found.generation}/report names the files.",
                width,
            )
        lines.append("Compared under every rule:" if found.further else "It breaks none of the rules:")
        told = {rule: TITLES[rule] for rule in RULES}
        if not found.by_meaning:
            told["like_meaning"] += " (not compared: decontamination.meaning is not set)"
        lines += [line for title in told.values() for line in wrap(title, width, "  - ", "    ")]
    lines += [line for one in found.elsewhere for line in wrap(f"The same task in {one}", width, "", "  ")]
    for name, overlaps in (("DROPPED", ruling.overlaps), ("ALSO", found.further), ("REPORTED", ruling.reported)):
        for overlap in overlaps:
            lines += ["", *_overlap_lines(overlap, name, found.shingle_words, width)]
    lines += ["", "Compared with", *_compared_lines(found, width)]
    lines += ["", f"Its own text: {found.passages:,} passages, {found.words:,} words; companies named in it:"]
    lines += wrap(", ".join(found.names) or "none", width, "  ")
    lines += ["", f"Most alike benchmark tasks (Jaccard index of {found.shingle_words}-word shingles, all passages):"]
    alike = [one for one in found.nearest if one.similarity]
    lines += [f"  {one.similarity:.4f}  {clean(one.name)}" for one in alike] or ["  none shares a shingle with it"]
    return "\n".join(lines)


def _elsewhere(store: Store, key: str, task_id: str) -> Iterator[str]:
    for other in reversed(store.keys()):
        generation = store.open(other)
        if other == key or not generation.is_finished(STAGE):
            continue
        for batch in (0, *generation.batches(STAGE)):
            for ruling in rulings(generation, batch):
                if ruling.task_id == task_id:
                    yield f"{other}: " + (f"dropped: {TITLES[str(ruling.rule)]}" if ruling.rule else "clean")


def _ruling(generation: StoredGeneration, task: Task) -> tuple[int, Ruling]:
    if not generation.is_finished(STAGE):
        raise BadInput(
            f"{task.id} of {generation.key} has not been compared yet; run worldloom decontaminate "
            f"{generation.engagement.name}"
        )
    for batch in (0, *generation.batches(STAGE)):
        for ruling in rulings(generation, batch):
            if ruling.task_id == task.id:
                return batch, ruling
    raise BadInput(
        f"{task.id} of {generation.key} has no proof and so was never compared; see proven_tasks/failures.jsonl in "
        f"{generation.root}"
    )


def _further(ruling: Ruling, overlaps: Sequence[Overlap]) -> tuple[Overlap, ...]:
    """The overlaps that the ruling doesn't show."""
    shown = {(one.rule, one.path, one.shared) for one in ruling.overlaps}
    return tuple(one for one in overlaps if (one.rule, one.path, one.shared) not in shown)


def _benchmarks(benchmark: Benchmark, sides: object) -> tuple[ComparedBenchmark, ...]:
    counted = sides if isinstance(sides, dict) else {}
    return tuple(
        ComparedBenchmark(
            name=source.name,
            source=source.source,
            version=source.version,
            content_hash=source.content_hash,
            size=Side.model_validate(counted[source.name]),
        )
        for source in benchmark.sources
    )


def _overlap_lines(overlap: Overlap, name: str, size: int, width: int) -> list[str]:
    similarity = "" if overlap.similarity is None else f" ({overlap.similarity:.2f})"
    lines = wrap(f"{name}  {TITLES[overlap.rule]}{similarity}: {overlap.other}", width)
    for whose, path, ours in (("here", overlap.path, True), ("there", overlap.other_path, False)):
        text = "".join(
            f"{_LEFT}{piece.text}{_RIGHT}" if piece.is_shared else piece.text for piece in marked(overlap, ours, size)
        )
        lines += [*wrap(f"{whose:5} {path}", width, "  ", "        "), *wrap(text, width, "    ")]
    return lines


def _compared_lines(found: Explanation, width: int) -> list[str]:
    lines: list[str] = []
    for one in found.benchmarks:
        size = one.size
        lines += wrap(
            f"{one.name}: {size.tasks:,} tasks, {size.passages:,} passages, {size.words:,} words, {size.names:,} "
            f"companies; {one.source}, version {one.version}, content hash {one.content_hash}",
            width,
            "  ",
            "    ",
        )
    if found.is_stand_in:
        lines += wrap("These tasks stand in for the public benchmark; nothing is said about the real one.", width, "  ")
    lines += wrap(f"delivered earlier: {', '.join(found.earlier) or 'nothing'}", width, "  ", "    ")
    return [*lines, f"  the other tasks of its own set, {found.set_size - 1:,} of them"]
