from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from calibration.allocation import Counts
from calibration.audit import audit
from calibration.candidate import Candidate, tabulate
from calibration.rating import Calibration
from calibration.sampling import calibrate, odd_errors
from calibration.selection import select
from calibration.settings import SelectionSettings
from calibration.supply import KnobSpace, TaskRequest
from environment.ledger import Ledger, Plan
from tests.calibration.simulated import SELECTION, SETTINGS, SimulatedPolicy, candidates, pass_chance

ROOT = Path(__file__).parents[2]


def run(folder: Path, simulated: SimulatedPolicy, tasks=None, **changes) -> Calibration:
    given = {"policy": "base", "settings": SETTINGS, "selection": SELECTION, "seed": "s", **changes}
    with Ledger(folder) as ledger:
        return asyncio.run(calibrate(tasks or candidates(), simulated.attempt_many, ledger, **given))


def test_calibration_fills_the_quotas_and_counts_what_it_spent(tmp_path: Path) -> None:
    simulated, seen = SimulatedPolicy(candidates()), list[Plan]()
    outcome = run(tmp_path, simulated, on_attempt=seen.append)
    assert outcome.stopped == "complete"
    assert outcome.attempts == len(simulated.made) == len(set(simulated.made)) == len(seen)
    assert (outcome.tokens_in, outcome.tokens_out) == (100 * outcome.attempts, 10 * outcome.attempts)
    assert len(outcome.ratings) == 150
    assert sum(outcome.count(standing) for standing in ("accepted", "closed", "open", "untried")) == 150
    assert sum(rating.scored for rating in outcome.ratings) == outcome.attempts
    assert [log.round for log in outcome.rounds] == list(range(1, len(outcome.rounds) + 1))
    assert outcome.rounds[-1].missing == {}
    slopes = {c.name: c.value for c in outcome.rounds[-1].coefficients}
    assert slopes["knob hops"] < 0
    chosen = select(candidates(), outcome, SELECTION)
    assert len(chosen.task_ids) == 9
    assert run(tmp_path, simulated) == outcome
    assert outcome.attempts == len(simulated.made)


def test_the_order_in_which_attempts_finish_changes_nothing(tmp_path: Path) -> None:
    forwards = run(tmp_path / "a", SimulatedPolicy(candidates()))
    backwards = run(tmp_path / "b", SimulatedPolicy(candidates(), backwards=True), tasks=list(reversed(candidates())))
    assert forwards == backwards


class Stop(Exception):
    """The process ends here."""


def test_an_interrupted_calibration_resumes_to_the_same_result(tmp_path: Path) -> None:
    whole = SimulatedPolicy(candidates())
    expected = run(tmp_path / "whole", whole)
    left = 0

    def stop_now_and_then() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Stop

    simulated = SimulatedPolicy(candidates(), after_each=stop_now_and_then)
    for left in (0, 7, 20, 3):  # noqa: B007
        with pytest.raises(Stop):
            run(tmp_path / "parts", simulated)
    left = 10_000
    assert run(tmp_path / "parts", simulated) == expected
    assert simulated.made == whole.made


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from calibration.sampling import calibrate
from environment.ledger import Ledger
from tests.calibration.simulated import *

tasks, left = candidates(), int(sys.argv[2])

def die_in_time():
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

simulated = SimulatedPolicy(tasks, after_each=die_in_time)
asyncio.run(calibrate(tasks, simulated.attempt_many, Ledger(Path(sys.argv[1])), policy="base", settings=SETTINGS,
                      selection=SELECTION, seed="s"))
"""


def test_a_killed_calibration_makes_exactly_the_missing_attempts(tmp_path: Path) -> None:
    whole = SimulatedPolicy(candidates())
    expected = run(tmp_path / "whole", whole)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "parts"), "37"], cwd=ROOT)
    assert killed.returncode == -signal.SIGKILL
    resumed = SimulatedPolicy(candidates())
    assert run(tmp_path / "parts", resumed) == expected
    assert resumed.made == whole.made[37:]


def test_unscored_attempts_are_counted_and_tried_again_under_new_numbers(tmp_path: Path) -> None:
    outcome = run(tmp_path, SimulatedPolicy(candidates(), error_rate=0.3))
    assert outcome.stopped == "complete"
    assert 0.15 * outcome.attempts < outcome.unscored < 0.45 * outcome.attempts
    assert sum(rating.scored + rating.unscored for rating in outcome.ratings) == outcome.attempts
    assert sum(rating.unscored for rating in outcome.ratings) == outcome.unscored
    assert list(outcome.failures) == ["server_error", "stalled", "unknown"]
    assert sum(outcome.failures.values()) == outcome.unscored
    assert min(outcome.failures.values()) > 0.15 * outcome.unscored
    with Ledger(tmp_path) as ledger:
        lines = ledger.lines("base")
    for rating in outcome.ratings:
        numbers = [line.number for line in lines if line.task_id == rating.task_id]
        assert numbers == list(range(rating.scored + rating.unscored))


def test_a_dead_endpoint_stops_calibration_with_a_sentence(tmp_path: Path) -> None:
    outcome = run(tmp_path, SimulatedPolicy(candidates(), error_rate=1.1))
    assert outcome.stopped == "endpoint"
    assert "mend the endpoint, then resume" in outcome.warnings[0]
    assert {rating.in_band for rating in outcome.ratings} == {None}
    assert outcome.count("accepted") == 0
    assert run(tmp_path, SimulatedPolicy(candidates())).stopped == "complete"


def test_the_budget_is_never_exceeded(tmp_path: Path) -> None:
    for budget in (7, 60):
        settings = SETTINGS.model_copy(update={"max_attempts": budget})
        outcome = run(tmp_path, SimulatedPolicy(candidates()), settings=settings)
        assert (outcome.stopped, outcome.attempts) == ("budget", budget)
    assert run(tmp_path, SimulatedPolicy(candidates())).stopped == "complete"


def test_attempts_by_another_policy_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"is for policy base, .* was attempted by tuned"):
        run(tmp_path, SimulatedPolicy(candidates(), policy="tuned"))
    with Ledger(tmp_path) as ledger:
        assert ledger.policies() == ()


class Supplier:
    """Makes what is asked for."""

    spaces = tuple(
        KnobSpace(
            domain=domain,
            family=f"f{family}",
            levels={"hops": tuple(float(hops) for hops in range(1, 9)), "traps": (0.0, 1.0, 2.0, 3.0)},
        )
        for domain in ("hr", "sales")
        for family in range(3)
    )

    def __init__(self, simulated: SimulatedPolicy) -> None:
        self.simulated = simulated
        self.asked: list[TaskRequest] = []

    def make(self, requests: Sequence[TaskRequest], batch: int) -> list[Candidate]:
        self.asked += requests
        made = [
            Candidate(
                f"{request.domain}.{request.family}-b{batch}-{place:03d}-{copy}",
                request.domain,
                request.family,
                dict(request.knobs),
                ("gmail", "xero"),
                batch=batch,
            )
            for place, request in enumerate(requests)
            for copy in range(request.count)
        ]
        self.simulated.chance |= {candidate.id: pass_chance(candidate) for candidate in made}
        return made


def test_tasks_that_are_too_hard_are_replaced_on_request(tmp_path: Path) -> None:
    hard = [
        Candidate(task.id, task.domain, task.family, {"hops": task.knobs["hops"] + 6, "traps": 3.0}, task.apps)
        for task in candidates()
        if task.knobs["hops"] < 8
    ]
    wanted = SelectionSettings(quotas={"sales": 9, "hr": 9}, family_cap=3, cluster_cap=1, min_per_app=0)
    without = run(tmp_path / "without", SimulatedPolicy(hard), tasks=hard, selection=wanted)
    assert without.stopped == "short"
    simulated = SimulatedPolicy(hard)
    supplier = Supplier(simulated)
    outcome = run(tmp_path / "with", simulated, tasks=hard, selection=wanted, supply=supplier)
    assert outcome.stopped == "complete"
    assert {rating.batch for rating in outcome.ratings} >= {0, 1}
    asked = [request.knobs["hops"] for request in supplier.asked for _ in range(request.count)]
    assert np.mean(asked) < min(task.knobs["hops"] for task in hard)
    further = [
        Candidate(r.task_id, r.domain, r.family, hard[0].knobs, batch=r.batch) for r in outcome.ratings if r.batch > 0
    ]
    assert 9 <= len(further) < 200


def test_errors_that_go_with_a_knob_are_reported() -> None:
    table = tabulate(candidates())
    hops = np.array([candidate.knobs["hops"] for candidate in table.candidates])
    scored = np.full(table.size, 2)
    even = np.arange(table.size) % 4 == 0
    assert odd_errors(table, Counts(scored * 0, scored, even.astype(int))) == ()
    (sentence,) = odd_errors(table, Counts(scored * 0, scored, (hops > 6).astype(int)))
    assert "in knob hops" in sentence
    assert odd_errors(table, Counts(scored * 0, scored, scored * 0)) == ()


def test_the_audit_is_made_once_and_kept_apart(tmp_path: Path) -> None:
    tasks = candidates()
    simulated = SimulatedPolicy(tasks)
    outcome = run(tmp_path, simulated)
    selection = select(tasks, outcome, SELECTION)
    before = len(simulated.made)
    with Ledger(tmp_path) as ledger:
        found = asyncio.run(audit(selection, outcome, simulated.attempt_many, ledger, "s"))
        again = asyncio.run(audit(selection, outcome, simulated.attempt_many, ledger, "s"))
        passed = sum(bool(line.strict) for line in ledger.lines("base", "audit"))
    assert found == again
    assert sorted(task_id for task_id, _, _ in simulated.made[before:]) == sorted(selection.task_ids)
    assert (found.passes, found.scored, found.unscored) == (passed, 9, 0)
    assert found.believed == pytest.approx(selection.mean_pass_rate)
    assert found.mean == pytest.approx(passed / 9)
    assert run(tmp_path, simulated) == outcome
    assert os.path.exists(tmp_path / "plans" / "audit.base.00000.json")


def test_an_audit_attempt_that_the_endpoint_left_unscored_is_made_once_more(tmp_path: Path) -> None:
    tasks = candidates()
    simulated = SimulatedPolicy(tasks)
    outcome = run(tmp_path, simulated)
    selection = select(tasks, outcome, SELECTION)
    down = SimulatedPolicy(tasks, error_rate=1.1)
    with Ledger(tmp_path) as ledger:
        nothing = asyncio.run(audit(selection, outcome, down.attempt_many, ledger, "s"))
        found = asyncio.run(audit(selection, outcome, simulated.attempt_many, ledger, "s"))
    assert (nothing.scored, nothing.unscored, nothing.mean) == (0, 18, None)
    assert (found.scored, found.unscored) == (9, 18)
    assert sorted(task_id for task_id, _, _ in simulated.made[-9:]) == sorted(selection.task_ids)
