"""The findings of a generation are what its evaluation report shows besides the comparison itself."""

import os

from assets.generation import Generation
from assets.stages.benchmark import STAGE as BENCHMARK
from assets.stages.benchmark import benchmark_sources
from assets.stages.calibrating import STAGE as CALIBRATED
from assets.stages.calibrating import pass_rates
from assets.stages.candidates import STAGE as CANDIDATES
from assets.stages.cleaning import STAGE as CLEAN
from assets.stages.cleaning import benchmark_then_and_now
from assets.stages.failing import Failing
from assets.stages.proofs import STAGE as PROVEN
from assets.stages.selecting import STAGE as TRAINING_SET
from assets.stages.selecting import read_selection
from assets.stages.training import STAGE as ADAPTER
from assets.stages.training import monitor_of, updates_of
from evaluation.comparison import Comparison, Sharpening
from evaluation.published import beside_published
from evaluation.report_inputs import (
    DecontaminationStatement,
    FunnelStage,
    MonitorPoint,
    ReportInputs,
    TrainingUpdate,
)
from training.diagnostics import UpdateLog

EVALUATION = "evaluation_report"
PUBLIC = "automationbench"
"""Folder of the harness's results."""
PUBLIC_EXPORT = f"{PUBLIC}/adapter/attempt-1.json"
"""The first of them."""
FUNNEL = {PROVEN: "proven", CLEAN: "clean", CALIBRATED: "in band", TRAINING_SET: "selected", ADAPTER: "trained on"}
"""Stage -> what it keeps, in a reader's words."""
REASONS = {
    "shared_passage": "shares a run of words with the benchmark",
    "company_name": "names a company of the benchmark",
    "like_benchmark": "like a benchmark task",
    "like_meaning": "means what a benchmark task means",
    "like_earlier": "like a task of an earlier generation",
    "copy_in_set": "copy of another task",
    "held_out": "kept for the evaluation",
    "development": "kept for tuning",
    "untried": "never attempted",
    "undecided": "undecided",
    "below_band": "below the band",
    "above_band": "above the band",
    "not_needed": "not needed",
    "not_reached": "not reached by an update",
}


def report_inputs(
    generation: Generation,
    own: Comparison,
    cooled: Sharpening,
    public: Comparison | None,
    failing: Failing | None,
) -> ReportInputs:
    """Everything that the report shows; the headline is the public suite's where there is one, else our own's."""
    engagement = generation.engagement
    name, _, number = generation.key.rpartition(".")
    return ReportInputs(
        title=f"{name}, generation {number}",
        policy_label=engagement.target.label,
        suite=_suite(own, public),
        sampling={
            "Temperature": f"{engagement.evaluation.temperature:g}",
            "Attempts a task": str(engagement.evaluation.attempts),
            "Turn limit": str(engagement.target.limits.max_turns),
            "Toolset": engagement.candidates.toolset,
        },
        comparison=_noted(generation, public or own),
        held_out=own if public else None,
        sharpening=cooled,
        published=beside_published(public, engagement.evaluation.published) if public else (),
        failures=failing[0] if failing else None,
        exhibits=failing[1] if failing else (),
        failures_of="AutomationBench" if public else "the held-out tasks",
        funnel=_funnel(generation),
        pass_rates=pass_rates(generation, read_selection(generation).task_ids),
        updates=tuple(training_update(log) for log in updates_of(generation) if log.reward is not None),
        monitor=monitor_points(generation),
        stopping=str(generation.manifest(ADAPTER).facts["stopped"]),
        decontamination=_statement(generation),
        provenance=_provenance(generation),
        links=_links(generation, is_public=public is not None),
    )


def _suite(own: Comparison, public: Comparison | None) -> str:
    held_out = f"{own.tasks} held-out tasks of this engagement, from seeds that nothing else has seen"
    return f"{public.tasks} tasks of AutomationBench by its own harness; besides, {held_out}" if public else held_out


def _noted(generation: Generation, result: Comparison) -> Comparison:
    """With what a reader must be told of the decontamination."""
    then, now = benchmark_then_and_now(generation)
    if then == now:
        return result
    note = (
        "The contamination verdicts are older than the benchmark as it is now: nothing is said about overlap with what "
        "was imported since."
    )
    return result.model_copy(update={"notes": (note, *result.notes)})


def _links(generation: Generation, is_public: bool) -> dict[str, str]:
    """Seen from the folder of the report."""
    here = generation.folder(EVALUATION)

    def seen(stage: str, file: str) -> str:
        return os.path.relpath(generation.folder(stage) / file, here)

    return {
        "headline": "comparison.json",
        "failures": PUBLIC_EXPORT if is_public else "attempts.jsonl",
        "held_out": "attempts.jsonl",
        "temperatures": "attempts.jsonl",
        "pass_rates": seen(CALIBRATED, "ratings.jsonl"),
        "training": seen(ADAPTER, "updates.jsonl"),
        "decontamination": seen(CLEAN, "report.html"),
        **{kept: seen(stage, "manifest.json") for stage, kept in FUNNEL.items()},
    }


def _funnel(generation: Generation) -> tuple[FunnelStage, ...]:
    """Further batches are counted with the artifact that they belong to."""
    stages = []
    for stage, kept in FUNNEL.items():
        parts = [generation.manifest(stage, batch) for batch in (0, *generation.batches(stage))]
        dropped: dict[str, int] = {}
        for part in parts:
            for reason, count in part.dropped.items():
                words = REASONS.get(reason, reason)
                dropped[words] = dropped.get(words, 0) + count
        stages.append(
            FunnelStage(
                name=kept,
                rows_in=sum(part.rows_in for part in parts),
                kept=sum(part.rows_out for part in parts),
                dropped=dropped,
            )
        )
    return tuple(stages)


def training_update(log: UpdateLog) -> TrainingUpdate:
    return TrainingUpdate(
        update=log.update,
        reward=log.reward_raw or 0.0,
        penalised_reward=log.reward or 0.0,
        entropy=log.entropy,
        zero_variance_share=log.zero_variance_share,
        truncated_share=log.truncated_share,
        clipped_share=log.clipped_share,
        tokens=log.response_tokens,
        gradient_norm=log.grad_norm,
        seconds=log.seconds,
    )


def monitor_points(generation: Generation) -> tuple[MonitorPoint, ...]:
    """The measurements on the development tasks."""
    return tuple(
        MonitorPoint(update=log.update, pass_rate=log.pass_rate, tasks=log.tasks, attempts=log.scored)
        for log in monitor_of(generation)
        if log.pass_rate is not None
    )


def _statement(generation: Generation) -> DecontaminationStatement:
    parts = [generation.manifest(CLEAN, batch) for batch in (0, *generation.batches(CLEAN))]
    facts = parts[0].facts
    ours, theirs = facts["ours"], facts["theirs"]
    stand_in = None
    if facts["benchmark_is_stand_in"]:
        stand_in = (
            f"A few invented tasks ({facts['benchmark']}) stand in for the public benchmark: this says nothing about "
            "overlap with the real one."
        )
    dropped: dict[str, int] = {}
    for part in parts:
        for reason, count in part.dropped.items():
            dropped[REASONS.get(reason, reason)] = dropped.get(REASONS.get(reason, reason), 0) + count
    return DecontaminationStatement(
        benchmark=", ".join(source.name for source in benchmark_sources(generation)),
        content_hash=str(facts["benchmark_hash"]),
        benchmark_tasks=generation.manifest(BENCHMARK).rows_out,
        stand_in=stand_in,
        tasks_checked=sum(part.rows_in for part in parts),
        passages_compared=ours["passages"] + theirs["passages"],  # type: ignore[index, call-overload, operator]
        names_compared=ours["names"] + theirs["names"],  # type: ignore[index, call-overload, operator]
        dropped=dropped,
        overlaps_left=int(str(generation.manifest(TRAINING_SET).facts["overlaps_left"])),
    )


def _provenance(generation: Generation) -> dict[str, str]:
    manifest = generation.manifest(ADAPTER)
    return {
        "Commit": manifest.code.commit or "not in a git checkout",
        "Engagement": manifest.engagement_hash,
        "Seed of the generation": generation.seed,
        "Candidate tasks": generation.manifest(CANDIDATES).content_hash,
        "Clean tasks": generation.manifest(CLEAN).content_hash,
        "Training set": generation.manifest(TRAINING_SET).content_hash,
        "Adapter": str(manifest.facts["adapter_sha256"]),
    }
