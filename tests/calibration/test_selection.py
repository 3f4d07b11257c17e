from __future__ import annotations

import asyncio
import math
from pathlib import Path

import pytest

from calibration.candidate import Candidate
from calibration.rating import Calibration, Coefficient, RoundLog, TaskRating
from calibration.sampling import calibrate
from calibration.selection import Selection, select
from calibration.settings import SelectionSettings
from environment.ledger import Ledger
from tests.calibration.simulated import SETTINGS, SimulatedPolicy, candidates


def calibration_of(
    rows: list[Candidate], signals: dict[str, float], slopes: dict[str, tuple[float, float]]
) -> Calibration:
    """A calibration in which the tasks with a signal are accepted and the others closed."""
    ratings = tuple(
        TaskRating(
            task_id=row.id,
            domain=row.domain,
            family=row.family,
            batch=0,
            standing="accepted" if row.id in signals else "closed",
            passes=3 if row.id in signals else 0,
            scored=6,
            unscored=1,
            prior_mean=-2.0,
            prior_sd=1.2,
            in_band=0.9 if row.id in signals else 0.7,
            mean=0.5,
            variance_signal=0.2,
            mixed_of_8=signals.get(row.id, 0.3),
        )
        for row in sorted(rows, key=lambda row: row.id)
    )
    log = RoundLog(
        round=1,
        attempts=10,
        unscored=0,
        accepted={},
        missing={},
        claimed=0.9,
        promise={},
        hopeless=(),
        attainable=0.95,
        s=1.2,
        broken=0.05,
        domain_sd=0.3,
        family_sd=0.8,
        coefficients=tuple(
            Coefficient(name=f"knob {name}", value=value, standard_error=error)
            for name, (value, error) in slopes.items()
        ),
    )
    return Calibration(
        policy="base",
        settings=SETTINGS,
        ratings=ratings,
        rounds=(log,),
        stopped="short",
        attempts=10,
        unscored=0,
        tokens_in=0,
        tokens_out=0,
        warnings=(),
    )


ROWS = [
    Candidate(f"{domain}.{family}-{index}", domain, family, {"hops": 2.0 + 2 * (index % 2), "traps": 1.0 + index % 3})
    for domain, family in (("sales", "a"), ("sales", "b"), ("hr", "c"))
    for index in range(4)
]
SLOPES = {"hops": (-1.0, 0.1), "traps": (0.1, 0.1)}


def reason(selection: Selection, task_id: str) -> str:
    return next(choice.reason for choice in selection.choices if choice.task_id == task_id)


def test_every_candidate_gets_a_reason() -> None:
    signals = {"sales.a-0": 0.9, "sales.a-1": 0.8, "sales.a-2": 0.7, "sales.b-0": 0.6, "sales.b-1": 0.5, "hr.c-0": 0.9}
    settings = SelectionSettings(quotas={"sales": 3}, family_cap=2, cluster_cap=1, min_per_app=0)
    selection = select(ROWS, calibration_of(ROWS, signals, SLOPES), settings)
    assert selection.task_ids == ("sales.a-0", "sales.a-1", "sales.b-0")
    assert selection.signal == pytest.approx(2.3)
    assert selection.claimed == pytest.approx(0.9)
    assert len(selection.choices) == 12
    assert reason(selection, "sales.a-0") == "in band with probability 0.900 (3 of 6 passed), signal 0.900"
    assert reason(selection, "sales.a-2") == "family sales.a is at its cap of 2"
    assert reason(selection, "sales.b-1") == "the quota of sales was filled to greater total signal without it"
    assert reason(selection, "hr.c-0") == "domain hr has no quota"
    assert reason(selection, "hr.c-1") == (
        "closed: in band with probability 0.700, 0.8 is needed (0 of 6 passed, 1 unscored)"
    )


def test_a_cluster_at_its_cap_is_the_reason() -> None:
    rows = [Candidate(f"s{index}", "sales", "a", {"hops": 1.0, "traps": 0.0}, cluster="near") for index in range(2)]
    rows.append(Candidate("s2", "sales", "a", {"hops": 1.0, "traps": 0.0}))
    settings = SelectionSettings(quotas={"sales": 2}, family_cap=5, cluster_cap=1, min_per_app=0)
    selection = select(rows, calibration_of(rows, {"s0": 0.9, "s1": 0.8, "s2": 0.1}, SLOPES), settings)
    assert selection.task_ids == ("s0", "s2")
    assert reason(selection, "s1") == "cluster near is at its cap of 1"


def test_an_infeasible_selection_selects_nothing_and_says_what_would_help() -> None:
    signals = {"sales.a-0": 0.9, "sales.a-1": 0.8, "sales.a-2": 0.7, "hr.c-0": 0.9}
    settings = SelectionSettings(quotas={"sales": 4, "hr": 1}, family_cap=2, cluster_cap=1, min_per_app=0)
    selection = select(ROWS, calibration_of(ROWS, signals, SLOPES), settings)
    assert selection.task_ids == ()
    (shortage,) = selection.shortages
    assert (shortage.name, shortage.needed, shortage.lacking, shortage.accepted) == ("domain sales", 4, 2, 3)
    assert (shortage.candidates, shortage.tried, shortage.attempts) == (8, 8, 56)
    assert (shortage.zero_pass, shortage.all_pass, shortage.near_misses) == (5, 0, 5)
    assert shortage.families_at_cap == ("sales.a",)
    (advice,) = shortage.advice  # the slope of traps is not clear of zero
    assert advice.knob == "hops"
    assert advice.slope == pytest.approx(-1.0)  # the knob's standard deviation is 1
    assert advice.level == pytest.approx(3.0)
    assert advice.change == pytest.approx(-2.0)  # from logit -2 to 0
    assert (advice.lowest, advice.highest) == (2.0, 4.0)
    assert advice.within == pytest.approx(1 / (1 + math.e))  # at 2 the logit is -1
    assert shortage.median_pass_rate == pytest.approx(1 / (1 + math.e**2))
    assert "domain sales lacks 2 of 4" in shortage.sentence
    assert "the median family passes 12%" in shortage.sentence
    assert (
        "lower hops by 2.0 from 3.0 for p = 0.5, which is beyond the candidates' 2, where p = 0.27" in shortage.sentence
    )
    assert reason(selection, "sales.a-0") == "no selection was possible: short of domain sales"


def test_a_change_within_the_candidates_levels_is_advised_as_it_is() -> None:
    settings = SelectionSettings(quotas={"sales": 4}, family_cap=2, cluster_cap=1, min_per_app=0)
    calibration = calibration_of(ROWS, {}, {"hops": (-4.0, 0.1), "traps": (0.1, 0.1)})
    (shortage,) = select(ROWS, calibration, settings).shortages
    (advice,) = shortage.advice
    assert (advice.change, advice.within) == (pytest.approx(-0.5), pytest.approx(0.5))
    assert shortage.sentence.endswith("lower hops by 0.5 from 3.0 for p = 0.5")


@pytest.mark.parametrize(
    ("stopped", "limits", "remedy"),
    [
        ("short", {"max_batches": 0}, "further tasks were asked for 0 times: raise max_batches"),
        ("budget", {"max_attempts": 10}, "the budget is spent by 10 attempts with 110 tokens: raise max_attempts"),
        ("budget", {"max_tokens": 115}, "the budget is spent by 10 attempts with 110 tokens: raise max_tokens"),
    ],
)
def test_a_shortage_names_the_setting_that_ended_the_search(stopped: str, limits: dict, remedy: str) -> None:
    settings = SelectionSettings(quotas={"sales": 4}, family_cap=2, cluster_cap=1, min_per_app=0)
    calibration = calibration_of(ROWS, {}, SLOPES).model_copy(
        update={
            "stopped": stopped,
            "settings": SETTINGS.model_copy(update=limits),
            "tokens_in": 100,
            "tokens_out": 10,
        }
    )
    (shortage,) = select(ROWS, calibration, settings).shortages
    assert remedy in shortage.sentence


def test_a_domain_without_candidates_is_a_shortage() -> None:
    settings = SelectionSettings(quotas={"sales": 1, "finance": 2}, family_cap=2, cluster_cap=1, min_per_app=0)
    (shortage,) = select(ROWS, calibration_of(ROWS, {"sales.a-0": 0.9}, SLOPES), settings).shortages
    assert (shortage.name, shortage.lacking, shortage.candidates) == ("domain finance", 2, 0)


def test_candidates_other_than_the_calibrated_are_refused() -> None:
    settings = SelectionSettings(quotas={"sales": 1}, family_cap=2, cluster_cap=1, min_per_app=0)
    with pytest.raises(ValueError, match="not those of the calibration"):
        select(ROWS[1:], calibration_of(ROWS, {"sales.a-0": 0.9}, SLOPES), settings)


def test_a_real_shortage_names_the_domain_and_survives_json(tmp_path: Path) -> None:
    tasks = candidates(each=6)
    wanted = SelectionSettings(quotas={"sales": 3, "hr": 12}, family_cap=4, cluster_cap=1, min_per_app=0)
    simulated = SimulatedPolicy(tasks)
    with Ledger(tmp_path) as ledger:
        outcome = asyncio.run(
            calibrate(
                tasks, simulated.attempt_many, ledger, policy="base", settings=SETTINGS, selection=wanted, seed="s"
            )
        )
    assert outcome.stopped == "short"
    assert Calibration.model_validate_json(outcome.model_dump_json()) == outcome
    selection = select(tasks, outcome, wanted)
    assert "domain hr" in [shortage.name for shortage in selection.shortages]
    assert Selection.model_validate_json(selection.model_dump_json()) == selection
