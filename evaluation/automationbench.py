"""AutomationBench's score of a policy comes from its result files; two policies are compared from theirs."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from evaluation.comparison import Comparison, compare
from evaluation.flags import exclusions
from evaluation.result_file import SETTINGS, UNSCORED_DOMAIN, ResultFile
from evaluation.scores import Score, Scores, TaskScores, named

PROMPT = "system_prompt"
"""Hash of the system message, where a side's exports carry the conversations; of all of them where it has several."""


ALIKE_FROM = 20
"""Tasks from which on equal scores in two files are suspicious."""


def scores_of(files: Sequence[ResultFile]) -> Scores:
    """Scores of one policy from its exports: files repeat the suite, hold parts of it or several attempts, in order.

    Raises ValueError when they differ in model or settings.
    """
    settings = {key: _agreed(files, key) for key in SETTINGS} | {PROMPT: _prompt(files)}
    label = settings["model"] if isinstance(settings["model"], str) else Path(files[0].name).stem
    grouped: dict[str, list[Score | None]] = defaultdict(list)
    for file in files:
        for entry in file.entries:
            grouped[entry.name].append(entry.score)
    rows = [_task_scores(name, scores) for name, scores in grouped.items()]
    kept = tuple(row for row in rows if row.domain != UNSCORED_DOMAIN)
    left_out = len(rows) - len(kept)
    notes = [f"Left out as no part of the benchmark's score: tasks of the domain {UNSCORED_DOMAIN!r} ({left_out})."]
    return Scores(label, kept, settings, (*(notes if left_out else ()), *_alike(files)))


def compare_files(
    base: Sequence[ResultFile],
    adapter: Sequence[ResultFile],
    *,
    seed: int | str,
    common: bool = False,
    allow: Collection[str] = (),
    monitored: Collection[str] = (),
    flags: Mapping[str, Collection[str]] | None = None,
) -> Comparison:
    """Comparison of two policies from their exports, with a row without the monitored tasks and one for each flag set.

    Raises ValueError when a side's files contradict each other, when the sides differ in a setting that is not allowed
    or in their tasks (see evaluation.scores.pair), and when no monitored or flagged task is in the suite.
    """
    scores = scores_of(base), scores_of(adapter)
    suite = {task.task_id for task in scores[0].tasks}
    doubted = {f"flag set {name}": tasks for name, tasks in (flags or {}).items()}
    return compare(
        *scores,
        seed=seed,
        common=common,
        allow=allow,
        exclude=exclusions(monitored, flags or {}, suite),
        monitored=monitored,
        notes=[*_same_runs(base, adapter), *_unknown({"list of monitored tasks": monitored, **doubted}, suite)],
    )


def _agreed(files: Iterable[ResultFile], key: str) -> JsonValue:
    """The one value that the files state for `key`; None when none states it."""
    stated: dict[str, ResultFile] = {}
    for file in files:
        if key in file.settings:
            stated.setdefault(json.dumps(file.settings[key], sort_keys=True), file)
    if len(stated) > 1:
        spelled = ", ".join(f"{value[:80]} in {file.path}" for value, file in stated.items())
        raise ValueError(f"the files of one side differ in {key}: {spelled}; compare each policy on its own")
    return next((file.settings[key] for file in stated.values()), None)


def _prompt(files: Sequence[ResultFile]) -> str | None:
    prompts = sorted({prompt for file in files for prompt in file.prompts})
    if len(prompts) < 2:
        return prompts[0] if prompts else None
    return f"{len(prompts)} prompts, {hashlib.sha256(' '.join(prompts).encode()).hexdigest()[:16]}"


def _alike(files: Sequence[ResultFile]) -> list[str]:
    """Two attempts hardly ever agree on so many tasks; one that was exported twice, such as full and slim, does."""
    notes, seen = [], dict[frozenset[tuple[str, float | None]], ResultFile]()
    for file in files:
        scores = frozenset((entry.name, entry.score.partial_credit if entry.score else None) for entry in file.entries)
        if len(scores) < ALIKE_FROM or len({credit for _, credit in scores}) < 2:
            continue
        if scores in seen:
            notes.append(
                f"{seen[scores].name} and {file.name} agree on the score of each of {len(scores)} tasks; if "
                "they are one attempt exported twice, give it once."
            )
        seen.setdefault(scores, file)
    return notes


def _same_runs(base: Sequence[ResultFile], adapter: Sequence[ResultFile]) -> list[str]:
    ours = {file.digest: file.name for file in base}
    both = [ours[file.digest] for file in adapter if file.digest in ours]
    return [f"The same run stands on both sides: {', '.join(both)}."] if both else []


def _unknown(lists: Mapping[str, Collection[str]], suite: Collection[str]) -> list[str]:
    """Names that a list has and the suite hasn't: mistyped, or another suite's."""
    unknown = {name: [task for task in tasks if task not in suite] for name, tasks in lists.items()}
    return [f"The {name} names {named(tasks)} that the base has not." for name, tasks in unknown.items() if tasks]


def _task_scores(name: str, scores: Sequence[Score | None]) -> TaskScores:
    scored = tuple(score for score in scores if score is not None)
    return TaskScores(name, name.partition(".")[0], "", scored, unscored=len(scores) - len(scored))
