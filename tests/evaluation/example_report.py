"""Made-up inputs of a report: 200 held-out tasks, a base that learns, 60 updates."""

from __future__ import annotations

from random import Random

from evaluation.comparison import Comparison, compare, sharpening
from evaluation.exhibits import Exhibit, Line, Shown
from evaluation.failures import Move, analyse
from evaluation.outcomes import Check, Outcome
from evaluation.published import beside_published
from evaluation.report_inputs import (
    DecontaminationStatement,
    FunnelStage,
    MonitorPoint,
    PassRates,
    ReportInputs,
    TrainingUpdate,
    pass_rate_counts,
)
from evaluation.scores import Score, Scores, TaskScores

DOMAINS = ("finance", "hr", "marketing", "operations", "sales", "support")
TASKS, ATTEMPTS = 200, 3


def example_scores(label: str, shift: float, seed: int, attempts: int = ATTEMPTS) -> Scores:
    """A policy whose chance on each task is the task's own plus `shift`."""
    tasks, rng = Random(1), Random(seed)
    rows = []
    for number in range(TASKS):
        chance = min(0.98, max(0.01, tasks.betavariate(1.1, 2.6) + shift))
        passed = [rng.random() < chance for _ in range(attempts)]
        scored = tuple(
            Score(
                strict=done,
                partial_credit=1.0 if done else rng.choice([0.0, 0.25, 0.5, 0.75]),
                collateral=0 if done else rng.choice([0, 0, 1, 2]),
                incomplete=not done and rng.random() < 0.2,
            )
            for done in passed
        )
        domain = DOMAINS[number % 6]
        rows.append(TaskScores(f"{domain}.family_{number % 12}-{number:03d}", domain, f"family {number % 12}", scored))
    return Scores(label, tuple(rows), {})


def complete_inputs() -> ReportInputs:
    """The same, with AutomationBench as the headline, how attempts fail, published scores and links."""
    own = example_inputs()
    public = whole_suite()
    outcomes = [example_outcomes(label, shift, seed) for label, shift, seed in (("base", 0.0, 3), ("adapter", 0.16, 4))]
    analysis = analyse(*outcomes)
    return own.model_copy(
        update={
            "suite": "600 tasks of AutomationBench by its own harness; besides, 200 held-out tasks of this engagement",
            "comparison": public,
            "held_out": own.comparison,
            "published": beside_published(public),
            "failures": analysis,
            "exhibits": tuple(example_exhibit(move) for move in (*analysis.gains, *analysis.losses)),
            "failures_of": "the held-out tasks",
            "links": {"headline": "comparison.json", "failures": "attempts.jsonl", "training": "../lora/updates.jsonl"}
            | {"held_out": "attempts.jsonl", "temperatures": "attempts.jsonl", "clean": "../clean/manifest.json"},
        }
    )


def whole_suite(attempts: int = ATTEMPTS) -> Comparison:
    """A comparison over 600 tasks whose settings are equal, unknown or allowed to differ."""

    def side(label: str, shift: float, **more: str | float) -> Scores:
        tasks, rng, rows = Random(2), Random(label), []
        for number in range(600):
            chance = min(0.98, max(0.01, tasks.betavariate(0.8, 1.9) + shift))
            passed = [rng.random() < chance for _ in range(attempts)]
            scored = tuple(Score(done, 1.0 if done else rng.choice([0.0, 0.5, 0.75]), None, None) for done in passed)
            domain = DOMAINS[number % 6]
            rows.append(TaskScores(f"{domain}.task_{number:03d}", domain, "", scored, unscored=number % 100 == 7))
        stated = {"toolset": "api", "benchmark_version": "1.0.5", "reasoning_effort": "medium", "top_p": None}
        return Scores(label, tuple(rows), {"model": label, **stated, **more})

    base, adapter = side("example-27b", 0.0, max_steps=50), side("example-27b-adapter", 0.13, max_steps=40)
    left_out = {
        "without monitored tasks": [row.task_id for row in base.tasks[:60]],
        "without tasks flagged wording": [row.task_id for row in base.tasks[100:246]],
    }
    monitored = left_out["without monitored tasks"]
    return compare(base, adapter, seed="public", exclude=left_out, monitored=monitored, allow=["max_steps"])


def example_outcomes(label: str, shift: float, seed: int) -> list[Outcome]:
    """Outcomes of `example_scores`, with what failed attempts lack and do too much."""
    rng, found = Random(f"{label} outcomes"), []
    apps = (("gmail", "create gmail.messages"), ("salesforce", "update salesforce.Opportunity"), ("slack", "post"))
    for row in example_scores(label, shift, seed).tasks:
        for number, score in enumerate(row.scored):
            checks = tuple(Check(app, kind, score.strict or rng.random() < 0.6) for app, kind in apps)
            strays = tuple(f"gmail.messages/M{stray} (create)" for stray in range(score.collateral or 0))
            end = "turn_limit" if score.incomplete else "answered"
            traps = {"near_duplicate": not score.strict and rng.random() < 0.3, "stops_early": False}
            knobs = {"distractors": float(len(row.task_id) + int(row.task_id[-2:]) % 7)}
            parts = (row.task_id, row.domain, row.family, number, score.strict, score.partial_credit, end)
            found.append(Outcome(*parts, checks, strays, traps, knobs))
    return found


def example_exhibit(move: Move) -> Exhibit:
    """Two attempts with long lines, a long word and a message that was cut."""

    def shown(number: int, strict: bool) -> Shown:
        return Shown(
            number=number,
            strict=strict,
            credit=1.0 if strict else 0.25,
            end="answered" if strict else "turn_limit",
            missed=() if strict else ("mail: create gmail.messages; wrong: subject, body", "close: update asana.tasks"),
            strays=() if strict else ("salesforce.Opportunity/006A000001 (update)",),
            lines=(
                Line(role="assistant", text="I will look up the account first."),
                Line(
                    role="call", text='salesforce_query {"soql": "SELECT Id, Name FROM Account WHERE Name = \'Arden\'"}'
                ),
                Line(role="tool", text="{" + '"records": ' + "x" * 400 + "}", left_out=12_345),
                Line(role="", text="17 messages left out"),
                Line(role="assistant", text="Done.\nThe owner was told."),
            ),
        )

    better = move.adapter_rate >= move.base_rate
    return Exhibit(
        move=move,
        prompt="Move the Arden deal to Closed Won, then tell its owner by mail.\nUse the handbook's wording.",
        base=shown(move.base_number, not better),
        adapter=shown(move.adapter_number, better),
    )


def example_inputs() -> ReportInputs:
    """Every part of an engagement without the public suite filled in."""
    base, adapter = example_scores("reference policy", 0.0, 3), example_scores("reference policy + adapter", 0.16, 4)
    rng = Random(11)
    rates = [rng.betavariate(0.7, 1.5) for _ in range(1400)]
    updates = tuple(
        TrainingUpdate(
            update=number,
            reward=0.27 + 0.32 * (1 - 0.95**number) + rng.uniform(-0.06, 0.06),
            penalised_reward=0.22 + 0.34 * (1 - 0.95**number) + rng.uniform(-0.06, 0.06),
            entropy=0.52 * 0.985**number + rng.uniform(-0.02, 0.02),
            zero_variance_share=0.15 + rng.uniform(0, 0.1),
            truncated_share=0.08 * 0.97**number,
            clipped_share=0.002 + rng.uniform(0, 0.002),
            tokens=round(41000 + rng.uniform(-4000, 4000)),
            gradient_norm=0.4 + rng.uniform(-0.1, 0.1),
            seconds=14.2 + rng.uniform(-1, 1),
        )
        for number in range(1, 61)
    )
    return ReportInputs(
        title="laptop, generation g1",
        policy_label="Reference policy (2.6M parameters, trained from scratch by us, made careless on purpose)",
        suite="200 held-out tasks of this engagement, from seeds that nothing else has seen",
        sampling={"Temperature": "1.0", "Turn limit": "20", "Toolset": "actions", "Attempts a task": "3"},
        comparison=compare(
            base,
            adapter,
            seed="laptop.g1",
            exclude={"all but the monitor tasks": [row.task_id for row in base.tasks[:20]]},
            notes=["The base was made careless on purpose, so that there is something to learn."],
        ),
        sharpening=sharpening(
            adapter,
            {
                0.0: example_scores("greedy", 0.02, 5, attempts=1),
                0.3: example_scores("cooler", 0.04, 6),
                0.6: example_scores("cool", 0.03, 7),
                1.0: base,
            },
            evaluation_temperature=1.0,
            seed="laptop.g1",
        ),
        funnel=(
            FunnelStage(name="proven", rows_in=1500, kept=1462, dropped={"reference fails": 26, "mutant survives": 12}),
            FunnelStage(
                name="clean",
                rows_in=1462,
                kept=1400,
                dropped={"shared passage": 31, "shared company name": 9, "near-duplicate": 22},
            ),
            FunnelStage(
                name="calibrated",
                rows_in=1400,
                kept=312,
                dropped={"below band": 611, "above band": 94, "undecided": 383},
            ),
            FunnelStage(name="selected", rows_in=312, kept=240, dropped={"family cap": 45, "not needed": 27}),
            FunnelStage(name="trained on", rows_in=240, kept=240),
            FunnelStage(name="evaluated (held out)", rows_in=200, kept=200),
        ),
        pass_rates=PassRates(
            before=pass_rate_counts(rates),
            selected=pass_rate_counts([rate for rate in rates if 0.2 <= rate <= 0.8][:240]),
            band_low=0.2,
            band_high=0.8,
            estimate="posterior mean",
            attempts=2310,
        ),
        updates=updates,
        monitor=tuple(
            MonitorPoint(update=number, pass_rate=0.24 + 0.004 * number, tasks=24, attempts=48)
            for number in range(0, 61, 15)
        ),
        stopping="Stopped after update 60, the planned number; the monitor was still rising.",
        decontamination=DecontaminationStatement(
            benchmark="AutomationBench (public sample)",
            content_hash="9f2c" * 16,
            benchmark_tasks=20,
            stand_in="Twenty of the benchmark's 600 public tasks stand in for it: this says nothing about the rest.",
            tasks_checked=1462,
            passages_compared=61234,
            names_compared=2210,
            dropped={"shared passage": 31, "shared company name": 9, "near-duplicate": 22},
            overlaps_left=0,
        ),
        provenance={
            "Commit": "5008a4e",
            "Engagement": "ab12" * 16,
            "Training set": "cd34" * 16,
            "Adapter": "ef56" * 16,
        },
    )
