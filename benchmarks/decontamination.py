"""Time and memory to hold 1,000 to 30,000 tasks against a benchmark of 600, all of 5,000 words, beside two baselines.

    python -m benchmarks.decontamination [--tasks 1000 3000] [--datatrove PYTHON] [--write [PAGE]]

Budget for 10,000 tasks on 2 cores, from records in memory to verdicts: 30 s and 1 GB above the records. What is counted
as memory: the most that this process held while comparing, above what it held before, and the most that each of the
reading processes held, its interpreter included, added up; program files mapped into all of them are in memory once and
are not counted again. Only memory ends it with exit code 1.

Baselines: datatrove's n-gram filter, run by PYTHON, an interpreter that has it (see datatrove_baseline.py); and
datasketch used plainly: a MinHash updated with each 5-word shingle as bytes, asked of an LSH of the benchmark's.
`--write` puts the tables into docs/decontamination.md, or into another page with such a section.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from datasketch import MinHash, MinHashLSH
from pyarrow import parquet

sys.path.insert(0, str(Path(__file__).parents[1]))  # beside this file lies environment.py, which is not the package

from benchmarks.doc_section import write_section
from benchmarks.synthetic_tasks import planted, synthetic_benchmark, synthetic_tasks
from decontam.benchmark import Benchmark
from decontam.decontaminate import decontaminate
from decontam.passages import Passage, passages_of_benchmark_task, passages_of_task
from decontam.report import Occasion, overlap_rows, report_html, ruling_rows
from decontam.settings import DecontaminationSettings
from decontam.verdicts import RULES, Decontamination
from environment.task import Task, task_line

PAGE = Path(__file__).parents[1] / "docs" / "decontamination.md"
COUNTS = (1_000, 3_000, 10_000, 30_000)
FULL_SIZE, BUDGET_S, BUDGET_MB = 10_000, 30.0, 1024.0
BASELINE_TASKS, BASELINE_PUBLIC = 200, 100
READ_AT_MOST = 10_000
"""More tasks than these are made in memory, where they share words; read from a file, they would need 200 KB each."""
SETTINGS = DecontaminationSettings()


@dataclass(frozen=True, slots=True)
class Row:
    """One size of set, in a process of its own."""

    tasks: int
    processes: int
    has_fixed_text: bool
    words: float
    """Words a task, each cell of a sheet counted once."""
    repeated: float
    """Share of the words that stand in a text which another task of the set has too."""
    reading_s: float | None
    """From a file of JSON lines to records; None when they were made in memory."""
    wall_s: float
    """From records to verdicts."""
    cpu_s: float
    """The same in processor time of all processes."""
    report_s: float
    dropped: dict[str, int]
    records_mb: float
    """What this process held before it began to compare."""
    parent_mb: float
    child_mb: float
    """The most that one reading process held, without mapped program files; 0 without such processes."""

    @property
    def above_records_mb(self) -> float:
        """What comparing needs beside the records, all processes together."""
        return self.parent_mb - self.records_mb + (self.processes if self.child_mb else 0) * self.child_mb


@dataclass(frozen=True, slots=True)
class Baseline:
    """A way to do a part of the work, on the first tasks of the same set, in processor time of one process."""

    what: str
    does: str
    index_ms: float
    """For each task of the benchmark."""
    task_ms: float
    """For each of our tasks."""
    dropped: int


def main() -> None:
    """Measures, prints and perhaps writes; with --row, measures one size and prints it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, nargs="+", default=list(COUNTS))
    parser.add_argument("--datatrove", metavar="PYTHON")
    parser.add_argument("--write", type=Path, nargs="?", const=PAGE, metavar="PAGE")
    parser.add_argument("--row", nargs=3, metavar=("TASKS", "PROCESSES", "FIXED"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.row:
        print(json.dumps(asdict(_row(*map(int, arguments.row)))))
        return
    cores = os.cpu_count() or 1
    largest = FULL_SIZE if FULL_SIZE in arguments.tasks else max(arguments.tasks)
    rows = [_in_a_process(count, cores, True) for count in arguments.tasks]
    rows += [_in_a_process(largest, cores, False), _in_a_process(largest, 1, True)]
    text = _page(rows, _baselines(arguments.datatrove), cores)
    print(text)
    if arguments.write:
        write_section(arguments.write, "speed", text)
    if any(row.above_records_mb > BUDGET_MB for row in rows if row.tasks <= FULL_SIZE):
        sys.exit(1)


def _in_a_process(count: int, processes: int, has_fixed_text: bool) -> Row:
    command = [sys.executable, "-m", "benchmarks.decontamination", "--row", str(count), str(processes)]
    done = subprocess.run([*command, str(int(has_fixed_text))], check=True, stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="", file=sys.stderr, flush=True)
    return Row(**json.loads(done.stdout))


def _row(count: int, processes: int, has_fixed_text: int) -> Row:
    benchmark = synthetic_benchmark()
    tasks, reading_s = _records(count, benchmark, bool(has_fixed_text))
    gc.collect()
    records_mb = _memory_mb("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here on
    with _watched() as children_mb:
        wall, cpu = time.perf_counter(), _cpu_s()
        result = decontaminate(tasks, benchmark, (), SETTINGS, processes)
        wall_s, cpu_s = time.perf_counter() - wall, _cpu_s() - cpu
    parent_mb = _memory_mb("VmHWM")
    child_mb = max(children_mb, default=0.0)
    _expect_the_plants(tasks, result)
    start = time.perf_counter()
    _write_report(result)
    report_s = time.perf_counter() - start
    sample = tasks[:: max(1, count // 1000)]
    words, repeated = _size_of(sample)
    return Row(
        tasks=count,
        processes=processes,
        has_fixed_text=bool(has_fixed_text),
        words=words,
        repeated=repeated,
        reading_s=reading_s,
        wall_s=wall_s,
        cpu_s=cpu_s,
        report_s=report_s,
        dropped={rule: number for rule in RULES if (number := result.counts()[rule])},
        records_mb=records_mb,
        parent_mb=parent_mb,
        child_mb=child_mb,
    )


def _records(count: int, benchmark: Benchmark, has_fixed_text: bool) -> tuple[list[Task], float | None]:
    made = synthetic_tasks(count, benchmark, has_fixed_text)
    if count > READ_AT_MOST:
        return list(made), None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tasks.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(task_line(task) + "\n" for task in made)
        start = time.perf_counter()
        with path.open(encoding="utf-8") as file:
            tasks = [Task.model_validate_json(line) for line in file]
        return tasks, time.perf_counter() - start


def _write_report(result: Decontamination) -> None:
    occasion = Occasion(subject="synthetic", code="benchmark", earlier={})
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(ruling_rows(result), Path(folder) / "rulings.parquet")
        parquet.write_table(overlap_rows(result, occasion), Path(folder) / "overlaps.parquet")
        (Path(folder) / "report.html").write_text(report_html(result, occasion), "utf-8")


@contextmanager
def _watched() -> Iterator[list[float]]:
    """The most that any reading process held so far, without mapped program files, looked up every half second.

    Usage of ended children says more: a child that is started counts as large as its parent until it begins.
    """
    held_mb: list[float] = []
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.5):
            for process in multiprocessing.active_children():
                with suppress(OSError, IndexError):  # it ended meanwhile
                    held_mb.append(_memory_mb("VmHWM", process.pid) - _memory_mb("RssFile", process.pid))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield held_mb
    finally:
        over.set()
        thread.join()


def _memory_mb(name: str, process: int | None = None) -> float:
    status = Path(f"/proc/{process or 'self'}/status").read_text("utf-8")
    return int(status.partition(f"{name}:")[2].split()[0]) / 1024


def _cpu_s() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _expect_the_plants(tasks: Sequence[Task], result: Decontamination) -> None:
    """Raises when a plant was missed or a task without one dropped: a fast wrong answer is worth nothing."""
    expected = {task.id: None if (plant := planted(task.index)) == "near_duplicate" else plant for task in tasks}
    found = {ruling.task_id: ruling.rule for ruling in result.rulings}
    wrong = [task_id for task_id in expected if expected[task_id] != found[task_id]]
    if wrong:
        raise ValueError(
            f"{wrong[0]} has {expected[wrong[0]]} planted and was ruled {found[wrong[0]]}; mend that first"
        )


def _size_of(tasks: Sequence[Task]) -> tuple[float, float]:
    """Words a task, and the share of them in texts that more than one of the tasks has."""
    texts = [{passage.text for passage in _once(passages_of_task(task))} for task in tasks]
    holders = Counter(text for held in texts for text in held)
    words = sum(len(passage.text.split()) for task in tasks for passage in _once(passages_of_task(task)))
    repeated = sum(
        len(passage.text.split())
        for task in tasks
        for passage in _once(passages_of_task(task))
        if holders[passage.text] > 1
    )
    return words / len(tasks), repeated / words


def _once(passages: Sequence[Passage]) -> list[Passage]:
    return [passage for passage in passages if not passage.field.endswith(".column")]


def _baselines(python: str | None) -> list[Baseline]:
    benchmark = synthetic_benchmark(BASELINE_PUBLIC)
    tasks = list(synthetic_tasks(BASELINE_TASKS, benchmark))
    ours = ["\n".join(passage.text for passage in _once(passages_of_task(task))) for task in tasks]
    public = [
        "\n".join(passage.text for passage in _once(passages_of_benchmark_task(task))) for task in benchmark.tasks
    ]
    found = [_this_one(tasks, benchmark), _plain_datasketch(ours, public)]
    return [*found, _datatrove(python, ours, public)] if python else found


def _this_one(tasks: Sequence[Task], benchmark: Benchmark) -> Baseline:
    start = time.process_time()
    decontaminate(tasks[:1], benchmark, (), SETTINGS, 1)
    index_s = time.process_time() - start
    start = time.process_time()
    result = decontaminate(tasks, benchmark, (), SETTINGS, 1)
    task_s = time.process_time() - start - index_s
    dropped = len(result.rulings) - len(result.kept)
    return Baseline(
        "worldloom", "every rule", 1000 * index_s / len(benchmark.tasks), 1000 * task_s / len(tasks), dropped
    )


def _plain_datasketch(ours: Sequence[str], public: Sequence[str]) -> Baseline:
    start = time.process_time()
    index = MinHashLSH(SETTINGS.benchmark_jaccard, 128)
    for number, text in enumerate(public):
        index.insert(number, _plain_minhash(text))
    index_s = time.process_time() - start
    start = time.process_time()
    dropped = sum(bool(index.query(_plain_minhash(text))) for text in ours)
    task_s = time.process_time() - start
    return Baseline(
        "datasketch", "likeness to the benchmark", 1000 * index_s / len(public), 1000 * task_s / len(ours), dropped
    )


def _plain_minhash(text: str) -> MinHash:
    words, size = text.lower().split(), SETTINGS.shingle_words
    made = MinHash(128)
    for start in range(len(words) - size + 1):
        made.update(" ".join(words[start : start + size]).encode())
    return made


def _datatrove(python: str, ours: Sequence[str], public: Sequence[str]) -> Baseline:
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("public.jsonl", "ours.jsonl")]
        for path, texts in zip(paths, (public, ours), strict=True):
            path.write_text("".join(json.dumps(text) + "\n" for text in texts), "utf-8")
        script = str(Path(__file__).parent / "datatrove_baseline.py")
        command = [python, "-P", script, str(SETTINGS.ngram_words), *map(str, paths)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    index_ms, task_ms = 1000 * told["index_s"] / len(public), 1000 * told["filter_s"] / len(ours)
    return Baseline(f"datatrove {told['version']}", "shared runs of words", index_ms, task_ms, told["dropped"])


def _page(rows: Sequence[Row], baselines: Sequence[Baseline], cores: int) -> str:
    first = rows[0]
    lines = [
        f"On {cores} cores; every task of ours and each of the 600 of the benchmark has {first.words:,.0f} words. Of",
        f"ours, {first.repeated:.0%} stand in text that other tasks of the set have too, as template text would;",
        "nothing that was read is kept in case it comes again. Of a hundred tasks, one has a run of words of the",
        "benchmark planted, one a company; one is a copy and one nearly a copy of the task before it. All were ruled",
        "as expected. Wall time is that of the machine as busy as it was; processor time is that of all processes.",
        "",
        "| tasks | processes | read records | compare | processor time | a task | write report | above the records |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        reading = "" if row.reading_s is None else f"{row.reading_s:.1f} s"
        size = f"{row.tasks:,}" + ("" if row.has_fixed_text else f", {row.repeated:.0%} repeated")
        lines.append(
            f"| {size} | {row.processes} | {reading} | {row.wall_s:.1f} s | {row.cpu_s:.1f} s | "
            f"{1000 * row.cpu_s / row.tasks:.2f} ms | {row.report_s:.1f} s | {row.above_records_mb:.0f} MB |"
        )
    full = next((row for row in rows if row.tasks == FULL_SIZE), None)
    if full is not None:
        lines += [
            "",
            f"Budget for {FULL_SIZE:,} tasks: {BUDGET_S:.0f} s and {BUDGET_MB:.0f} MB; the records themselves are "
            f"{full.records_mb:.0f} MB of the process. Memory is the most that",
            "the comparing process held above the records, and the most that each reading process held in all.",
        ]
    ours, *others = baselines
    lines += [
        "",
        f"Beside two baselines on {BASELINE_TASKS} of the same tasks and {BASELINE_PUBLIC} of the benchmark's, in one",
        "process, in processor time. Each baseline does one part of the work and shows no passages:",
        "",
        "| | finds | index a benchmark task | a task | times ours | tasks found |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {one.what} | {one.does} | {one.index_ms:.1f} ms | {one.task_ms:.2f} ms | "
        f"{one.task_ms / ours.task_ms:.1f} | {one.dropped} |"
        for one in [ours, *others]
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
