"""The evaluating stage attempts the held-out tasks with base and adapter and reports the difference."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from assets.files import file_record, read_record, write_rows, write_text
from assets.generation import FellShort, Generation, Product, tasks_of
from assets.manifest import FileRecord, Manifest
from assets.stages.benchmark import STAGE as BENCHMARK
from assets.stages.calibrating import examined, ledger_files
from assets.stages.cleaning import STAGE as CLEAN
from assets.stages.failing import failing
from assets.stages.findings import EVALUATION, PUBLIC, report_inputs
from assets.stages.public_suite import PublicSuite, attempt_public_suite, public_failing
from assets.stages.sampling import attempts_on, open_policy, run_async, target_served
from assets.stages.training import STAGE as ADAPTER
from assets.stages.training import read_adapter
from environment.attempt import Attempt
from environment.ledger import Ledger, Plan, carry_out
from environment.policies.policy import Policy
from environment.task import Task
from evaluation.comparison import Comparison, Sharpening, compare, sharpening
from evaluation.report import render_report, report_json
from evaluation.scores import Scores, score_attempts

STAGE = EVALUATION
PURPOSE = "evaluation"


def evaluate_adapter(generation: Generation) -> Manifest:
    """The comparison of base and adapter, as a page and as JSON; killed at any moment, it goes on from its ledger.

    Raises FellShort when no held-out task is clean, and when an endpoint leaves a side without a scored attempt.
    """

    def make(folder: Path) -> Product:
        tasks = [task for task in tasks_of(generation, CLEAN) if task.split == "held_out"]
        if not tasks:
            raise FellShort("no held-out task is clean; raise candidates.held_out or look into the overlaps")
        with Ledger(folder / "ledger") as ledger:
            sides, public = run_async(_served(generation, tasks, ledger, folder / PUBLIC))
            outcomes = [_outcome(attempt) for key in ledger.policies() for attempt in ledger.attempts(key)]
            keys = [str(side.settings["policy"]) for side in sides]
            found = failing(ledger, keys[1], keys[0], PURPOSE, tasks)
            bugs, attempts_hash = examined(one for key in ledger.policies() for one in ledger.attempts(key))
        own, cooled = _compared(generation, sides, public.note)
        if public.comparison:
            found = public_failing(folder / PUBLIC, generation.engagement.evaluation.attempts)
        inputs = report_inputs(generation, own, cooled, public.comparison, found)
        result, numbers = inputs.comparison, report_json(inputs)
        return Product(
            files={
                "attempts.jsonl": write_rows(folder / "attempts.jsonl", outcomes),
                "comparison.json": write_text(
                    folder / "comparison.json", result.model_dump_json(indent=1), is_content=True
                ),
                "report.html": write_text(folder / "report.html", render_report(inputs)),
                "report.json": write_text(folder / "report.json", json.dumps(numbers, indent=1)),
                **ledger_files(folder),
                **_public_files(folder),
            },
            rows_in=len(tasks),
            rows_out=own.tasks,
            dropped={"unscored": len(tasks) - own.tasks},
            facts={
                "evaluation": result.summary(),
                "attempts": len(outcomes),
                "unscored": sum(outcome["strict"] is None for outcome in outcomes),
                "bugs": bugs,
                "attempts_hash": attempts_hash,
                "policies": {side.label: side.settings["policy"] for side in sides},
            },
        )

    return generation.produce(STAGE, make, upstream=(BENCHMARK, CLEAN, ADAPTER))


def read_comparison(generation: Generation) -> Comparison:
    """The comparison as it was reported."""
    generation.manifest(STAGE)
    return read_record(generation.folder(STAGE) / "comparison.json", Comparison)


async def _served(
    generation: Generation, tasks: Sequence[Task], ledger: Ledger, folder: Path
) -> tuple[list[Scores], PublicSuite]:
    def tell(done: int, total: int, side: str) -> None:
        generation.tell(STAGE, done, total, f"attempts on AutomationBench, now the {side}")

    async with target_served(generation, STAGE, adapter=read_adapter(generation)[0]):
        scores = await _attempt_all(generation, tasks, ledger)
        return scores, await attempt_public_suite(generation, folder, tell)


def _public_files(folder: Path) -> dict[str, FileRecord]:
    """What the harness left: the merged exports, and the commands that made them."""
    paths = sorted([*folder.glob(f"{PUBLIC}/*/attempt-*.json"), *folder.glob(f"{PUBLIC}/*/commands.jsonl")])
    return {str(path.relative_to(folder)): file_record(path, is_content=False) for path in paths}


async def _attempt_all(generation: Generation, tasks: Sequence[Task], ledger: Ledger) -> list[Scores]:
    """Scores of the adapter, then of the base at the evaluation temperature, then of the base at each other one."""
    engagement = generation.engagement
    settings, label = engagement.evaluation, engagement.target.label
    sides: list[tuple[str, float, bool]] = [
        (f"{label} with the adapter", settings.temperature, True),
        (label, settings.temperature, False),
        *((f"{label} at temperature {other:g}", other, False) for other in settings.other_temperatures),
    ]
    total = sum(settings.attempts_at(temperature) for _, temperature, _ in sides) * len(tasks)
    done = 0
    scores = []
    for name, temperature, adapted in sides:
        adapter = read_adapter(generation) if adapted else None
        policy = await open_policy(
            engagement, temperature=temperature, adapter=adapter, ledger=generation.folder(STAGE) / "ledger"
        )
        wanted = _plan(tasks, policy, settings.attempts_at(temperature), generation.seed, ledger)
        done += len(wanted.attempts) - len(ledger.pending(wanted))

        side = f"{'adapter' if adapted else 'base'} at temperature {temperature:g}"

        def count(attempt: Attempt, side: str = side) -> None:
            nonlocal done
            done = min(done + 1, total)
            generation.tell(STAGE, done, total, f"attempts, now the {side}")

        make = attempts_on({task.id: task for task in tasks}, policy, engagement.target.limits)
        for plan in (wanted, *ledger.plans(wanted.policy, PURPOSE)[1:]):
            await carry_out(plan, ledger, make, count)
        again = make_up(wanted, ledger, f"{generation.seed} evaluation")
        if again is not None:
            await carry_out(again, ledger, make, count)
        scores.append(score_attempts(ledger.attempts(wanted.policy, PURPOSE), tasks, name, policy.fingerprint))
        if not scores[-1].scored:
            raise FellShort(
                f"no attempt of {name} was scored: mend the endpoint, then the same command goes on from here"
            )
    return scores


def make_up(wanted: Plan, ledger: Ledger, seed: str) -> Plan | None:
    """A further round for the attempts that infrastructure left unscored; None where all of `wanted` are scored."""
    missing = Counter(planned.task_id for planned in wanted.attempts)
    missing.subtract(line.task_id for line in ledger.lines(wanted.policy, wanted.purpose) if line.scored)
    attempts = tuple(
        one
        for task_id, count in missing.items()
        if count > 0
        for one in ledger.next_attempts(wanted.policy, task_id, count, seed)
    )
    if not attempts:
        return None
    done = len(ledger.plans(wanted.policy, wanted.purpose))
    return Plan(purpose=wanted.purpose, policy=wanted.policy, round=done, attempts=attempts)


def _plan(tasks: Sequence[Task], policy: Policy, attempts: int, seed: str, ledger: Ledger) -> Plan:
    """The stored plan, or a new one: base and adapter get the same seeds on the same tasks."""
    key = policy.fingerprint.key()
    stored = ledger.plans(key, PURPOSE)
    if stored:
        return stored[0]
    planned = tuple(one for task in tasks for one in ledger.next_attempts(key, task.id, attempts, f"{seed} evaluation"))
    return Plan(purpose=PURPOSE, policy=key, round=0, attempts=planned)


def _compared(generation: Generation, sides: Sequence[Scores], note: str) -> tuple[Comparison, Sharpening]:
    settings = generation.engagement.evaluation
    adapter, base, *others = sides
    at = dict(zip(settings.other_temperatures, others, strict=True))
    # An attempt lost to the machine leaves its task with fewer; the report says how many were left out.
    result = compare(base, adapter, seed=generation.seed, common=True, notes=[note] if note else ())
    cooled = sharpening(
        adapter, {settings.temperature: base, **at}, evaluation_temperature=settings.temperature, seed=generation.seed
    )
    return result, cooled


def _outcome(attempt: Attempt) -> dict[str, object]:
    """One line an attempt: what the numbers of the report are made of."""
    verdict = attempt.verdict
    return {
        "policy": attempt.policy,
        "task_id": attempt.task_id,
        "number": attempt.number,
        "seed": attempt.seed,
        "end": attempt.end,
        "strict": verdict.strict if verdict else None,
        "partial_credit": verdict.partial_credit if verdict else None,
        "collateral": len(verdict.collateral) if verdict else None,
    }
