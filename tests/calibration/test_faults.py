"""Calibration through a real endpoint that fails: nothing is lost, nothing counted twice, nothing judged otherwise."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from environment.attempt import Attempt
from environment.episode import Episode
from environment.ledger import Ledger
from environment.policies.chat import ChatPolicy
from environment.rng import derive_rng, derive_seed
from environment.task import Task
from tests.calibration.fault_server import FAULTS, FaultServer, serve_faulty
from tests.calibration.faulty_world import endpoint, run, starter_tasks
from tests.calibration.scripted_agent import ODDITIES, ScriptedAgent, first_seed, is_whole, oddity_of, script_of

ROOT = Path(__file__).parents[2]
FAULT_RATE = 0.3
TIMES = ("model_s", "tool_s")


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return starter_tasks(25)


def made_in(folder: Path, url: str) -> list[Attempt]:
    with Ledger(folder) as ledger:
        return list(ledger.attempts(ChatPolicy(endpoint(url)).fingerprint.key()))


def lasting(attempts: Iterable[Attempt]) -> dict[tuple[str, int], dict[str, Any]]:
    """Everything of the attempts but the times."""
    return {
        (one.task_id, one.number): {name: value for name, value in one.to_json().items() if name not in TIMES}
        for one in attempts
    }


def passes(task: Task, whole: bool) -> bool:
    """Whether the script, played in the world without any endpoint, solves the task."""
    episode = Episode(task)
    for call in script_of(task, whole):
        episode.call(call.tool, dict(call.arguments))
    return episode.verdict().strict


def assert_right(attempts: Iterable[Attempt], tasks: list[Task]) -> None:
    """Every scored attempt has the verdict on what the agent meant to do with that task and seed."""
    known = {task.id: task for task in tasks}
    for one in attempts:
        if one.verdict is not None:
            task = known[one.task_id]
            assert one.end == "answered"
            assert one.verdict.strict is passes(task, is_whole(task, first_seed(one.seed))), one.task_id


def assert_as_planned(folder: Path, attempts: list[Attempt]) -> None:
    """Exactly the attempts of the stored plans, each once."""
    with Ledger(folder) as ledger:
        plans = ledger.plans(attempts[0].policy, "calibration")
    planned = Counter((one.task_id, one.number, one.seed) for plan in plans for one in plan.attempts)
    assert set(planned.values()) == {1}
    assert Counter((one.task_id, one.number, one.seed) for one in attempts) == planned


def oddities_in(attempt: Attempt, tasks: list[Task]) -> set[str]:
    """What was odd about the answers of an attempt, as its requests' seeds say."""
    task = next(task for task in tasks if task.id == attempt.task_id)
    assert attempt.transcript is not None
    turns = sum(message["role"] == "assistant" for message in attempt.transcript.messages)
    found = {oddity_of(task, derive_seed(attempt.seed, turn) % 2**31) for turn in range(turns)}
    return {oddity for oddity in found if oddity is not None}


def test_faults_of_the_endpoint_change_nothing_but_the_time_it_takes(tasks: list[Task], tmp_path: Path) -> None:
    assert len(tasks) == 300
    agent = ScriptedAgent(tasks)
    with serve_faulty(agent, 0.0) as smooth:
        expected = run(endpoint(smooth.url), tasks, tmp_path / "smooth", each=8)
        smooth_attempts = made_in(tmp_path / "smooth", smooth.url)
    with serve_faulty(agent, FAULT_RATE) as faulty:
        outcome = run(endpoint(faulty.url), tasks, tmp_path / "faulty", each=8)
        attempts = made_in(tmp_path / "faulty", faulty.url)
    assert outcome == expected and outcome.stopped == "complete"
    assert lasting(attempts) == lasting(smooth_attempts)
    assert outcome.attempts == len(attempts) > 300 and outcome.unscored == 0
    assert_right(attempts, tasks)
    assert_as_planned(tmp_path / "faulty", attempts)
    assert {one.verdict is not None and one.verdict.strict for one in attempts} == {True, False}
    assert set(faulty.faults) == set(FAULTS) and not smooth.faults
    assert faulty.faults.total() == pytest.approx(FAULT_RATE * faulty.requests, rel=0.15)
    assert set(faulty.answered) == set(smooth.answered) and len(smooth.answered) == smooth.requests
    assert faulty.requests > 1.3 * smooth.requests
    assert set(ODDITIES) == {oddity for one in attempts for oddity in oddities_in(one, tasks)}


def test_attempts_that_are_given_up_are_unscored_by_kind_and_the_others_right(
    tasks: list[Task], tmp_path: Path
) -> None:
    some = tasks[::5]
    with serve_faulty(ScriptedAgent(some), FAULT_RATE) as faulty:
        outcome = run(endpoint(faulty.url, tries=2), some, tmp_path, each=2)
        attempts = made_in(tmp_path, faulty.url)
    unscored = [one for one in attempts if not one.scored]
    assert 0 < len(unscored) == outcome.unscored < len(attempts)
    assert outcome.failures == dict(Counter(one.failure for one in unscored))
    kinds = {"connection", "stalled", "rate_limited", "server_error", "malformed_response", "no_choices"}
    assert set(outcome.failures) <= kinds and len(outcome.failures) > 3
    assert_right(attempts, some)
    assert_as_planned(tmp_path, attempts)
    assert sum(rating.passes for rating in outcome.ratings) == sum(
        one.verdict is not None and one.verdict.strict for one in attempts
    )


CALIBRATION = """
import sys
from pathlib import Path
from environment.policies.endpoint import Endpoint
from environment.task import Task
from tests.calibration.faulty_world import run

folder, tasks = Path(sys.argv[1]), Path(sys.argv[2]).read_text().splitlines()
run(Endpoint.model_validate_json(sys.argv[3]), [Task.model_validate_json(line) for line in tasks], folder, each=2)
"""


def killed_after(count: int, server: FaultServer, command: list[str]) -> None:
    """A calibration in a process that is killed the moment its endpoint has been asked `count` times."""
    with subprocess.Popen(command, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}) as process:
        last = server.requests + count
        server.on_request = lambda so_far: os.kill(process.pid, signal.SIGKILL) if so_far == last else None
        assert process.wait(timeout=120) == -signal.SIGKILL


def test_a_calibration_killed_five_times_makes_exactly_what_was_planned(tasks: list[Task], tmp_path: Path) -> None:
    some, rng = tasks[::4], derive_rng("kill")
    agent, lines = ScriptedAgent(some), tmp_path / "tasks.jsonl"
    lines.write_text("".join(task.model_dump_json() + "\n" for task in some))
    with serve_faulty(agent, 0.0) as smooth:
        expected = run(endpoint(smooth.url, stream=False), some, tmp_path / "smooth", each=2)
        smooth_attempts = made_in(tmp_path / "smooth", smooth.url)
    with serve_faulty(agent, FAULT_RATE) as faulty:
        settings = endpoint(faulty.url, stream=False, timeout_s=2.0)
        command = [sys.executable, "-c", CALIBRATION, str(tmp_path / "killed"), str(lines), settings.model_dump_json()]
        for _ in range(5):
            before = {(one.task_id, one.number) for one in made_in(tmp_path / "killed", faulty.url)}
            asked = len(faulty.answered)
            killed_after(rng.randint(20, 200), faulty, command)
            assert not asked_again(before, some, smooth_attempts, faulty.answered[asked:])
        faulty.on_request = lambda count: None
        done = len(made_in(tmp_path / "killed", faulty.url))
        outcome = run(settings, some, tmp_path / "killed", each=2)
        attempts = made_in(tmp_path / "killed", faulty.url)
    assert 0 < done < len(attempts)
    assert outcome == expected
    assert lasting(attempts) == lasting(smooth_attempts)
    assert_right(attempts, some)
    assert_as_planned(tmp_path / "killed", attempts)


def asked_again(
    finished: set[tuple[str, int]], tasks: list[Task], attempts: list[Attempt], answered: list[tuple[str, int, int]]
) -> set[tuple[str, int]]:
    """Attempts that were finished and are begun again nevertheless."""
    prompts = {task.id: task.prompt for task in tasks}
    begun = {(prompt, seed) for prompt, seed, messages in answered if messages == 2}
    seeds = {(one.task_id, one.number): one.seed for one in attempts}
    return {key for key in finished if (prompts[key[0]], first_seed(seeds[key])) in begun}
