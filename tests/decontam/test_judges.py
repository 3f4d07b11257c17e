"""Judges: any number of processes rules the same, and one that is killed is never taken for a clean set."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest

from decontam.benchmark import BenchmarkTask
from decontam.decontaminate import decontaminate
from decontam.judge import Judge
from decontam.judges import Judges, ProcessEndedError
from decontam.settings import DecontaminationSettings
from environment.record import canonical_json
from environment.task import Task
from tests.decontam.made_tasks import SENTENCE, made_benchmark, made_task, mailed

REPOSITORY = Path(__file__).parents[2]
SETTINGS = DecontaminationSettings()


def some_tasks(count: int) -> list[Task]:
    """Tasks of which some have a sentence or a company of the benchmark and some are nearly copies."""
    tasks = []
    for number in range(count):
        words = [f"w{number // 3}x{place}" for place in range(60)]
        body = " ".join(words[: 60 - number % 3 * 3]) + (f" {SENTENCE}" if number % 7 == 6 else "")
        greeting = "Quantum Labs called" if number % 9 == 8 else "Somebody called"
        tasks.append(made_task(greeting, mailed(body), index=number))
    return tasks


def test_any_number_of_processes_gives_the_same_bytes() -> None:
    tasks = some_tasks(70)
    earlier = [
        made_task("Somebody called", mailed(" ".join(f"w3x{place}" for place in range(60))), index=900 + n)
        for n in range(40)
    ]
    texts = [
        canonical_json(decontaminate(tasks, made_benchmark(), earlier, SETTINGS, processes).to_json())
        for processes in (1, 2, 3)
    ]
    assert texts[0] == texts[1] == texts[2]
    counts = decontaminate(tasks, made_benchmark(), earlier, SETTINGS, 1).counts()
    assert all(counts[rule] for rule in ("kept", "shared_passage", "company_name", "like_earlier", "copy_in_set"))


def test_findings_come_in_the_order_of_the_tasks() -> None:
    tasks = some_tasks(100)
    alone = [finding.names for finding in Judge(made_benchmark(), SETTINGS).findings(tasks)]
    with Judges(made_benchmark(), SETTINGS, 2) as judges:
        assert [finding.names for finding in judges.findings(tasks)] == alone
        assert len(list(judges.sketches(tasks))) == 100


def test_a_killed_process_is_an_error_and_never_fewer_tasks() -> None:
    with Judges(made_benchmark(), SETTINGS, 2) as judges:
        findings = judges.findings(some_tasks(400))
        taken = list(islice(findings, 5))
        os.kill(multiprocessing.active_children()[0].pid or 0, signal.SIGKILL)
        with pytest.raises(
            ProcessEndedError, match=r"of the 2 that read tasks ended early \(exit code -9\), so no task"
        ):
            list(findings)
    assert len(taken) == 5
    assert multiprocessing.active_children() == []


def test_what_a_process_refuses_is_refused_here() -> None:
    nameless = BenchmarkTask(name="hr.a", domain="hr", prompt=" ".join(f"a{n}" for n in range(30)), row=1)
    with pytest.raises(ValueError, match="compared nothing: the benchmark tasks of made have no names"):
        decontaminate(some_tasks(40), made_benchmark(nameless), (), SETTINGS, 2)
    empty = made_task("", index=990)
    with pytest.raises(ValueError, match=f"task {empty.id} has no text"):
        decontaminate([*some_tasks(40), empty], made_benchmark(), (), SETTINGS, 2)
    with pytest.raises(ValueError, match="0 processes can read no task"):
        decontaminate(some_tasks(40), made_benchmark(), (), SETTINGS, 0)
    assert multiprocessing.active_children() == []


def test_processes_end_with_the_one_that_started_them() -> None:
    program = (
        "import multiprocessing, time\n"
        "from tests.decontam.test_judges import SETTINGS\n"
        "from tests.decontam.made_tasks import made_benchmark\n"
        "from decontam.judges import Judges\n"
        "judges = Judges(made_benchmark(), SETTINGS, 2)\n"
        "print(*(process.pid for process in multiprocessing.active_children()), flush=True)\n"
        "time.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    children = [int(pid) for pid in parent.stdout.readline().split()]
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert len(children) == 2
    deadline = time.monotonic() + 10
    while any(_is_running(pid) for pid in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(_is_running(pid) for pid in children)


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
