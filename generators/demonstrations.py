"""A demonstration is a transcript of written-down calls, careful or careless, that the reference policy imitates.

`python -m generators.demonstrations --tasks 0 8000 --fall-chance 0.25 --early-chance 0 --out demonstrations.jsonl`
writes demonstrations of tasks of the split `policy`, whose seed nothing else uses. The recipe beside the shipped
weights has the commands that made theirs.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from environment.apps import APPS
from environment.episode import Episode
from environment.policies.scripted import call_message
from environment.rng import derive_rng
from environment.task import Task, ToolCall
from generators.families import FAMILIES, family_named
from generators.family import Family

CAREFUL = "careful"
EARLY = "stops_early"
SEED = "reference-policy"
"""Seed of the tasks that demonstrations are of; no engagement may use it."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One transcript with what an imitator needs to know of it."""

    family: str
    care: str
    """`careful`, `stops_early`, or the name of the trap that the demonstrator falls for."""
    tools: tuple[dict[str, Any], ...]
    messages: tuple[dict[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        return {"family": self.family, "care": self.care, "tools": list(self.tools), "messages": list(self.messages)}


def demonstrate(tasks: Iterable[Task], fall_chance: float, early_chance: float) -> Iterator[Demonstration]:
    """One demonstration a task, by a demonstrator who is careless in one way at most.

    He falls for each of the task's traps with `fall_chance`, so a task with more traps is done carelessly more often:
    with 0.25 one trap leaves 75% careful demonstrations, four leave 32%. And he answers before the last writing call
    with `early_chance` for each call beyond the first. The draws are derived from the task's id.
    """
    for task in tasks:
        rng = derive_rng("demonstration", task.id)
        care, calls = CAREFUL, task.reference
        if rng.random() < early_chance * (len(calls) - 1):
            yield _play(task, EARLY, _before_last_write(task))
            continue
        for trap in rng.sample(task.traps, len(task.traps)):
            if rng.random() < fall_chance:
                care, calls = trap.name, trap.sprung
                break
        yield _play(task, care, calls)


def _play(task: Task, care: str, calls: tuple[ToolCall, ...]) -> Demonstration:
    episode = Episode(task, toolset="actions")
    messages = episode.messages()
    for number, call in enumerate(calls):
        message = call_message(call, number)
        messages.append(message)
        result = episode.call(call.tool, dict(call.arguments))
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "name": call.tool, "content": result})
    messages.append({"role": "assistant", "content": "Done."})
    return Demonstration(task.family, care, tuple(episode.specs), tuple(messages))


def _before_last_write(task: Task) -> tuple[ToolCall, ...]:
    """The reference up to the last call that changes something."""
    access = {action.name: action.access for app in APPS for action in app.all_actions}
    last = max(place for place, call in enumerate(task.reference) if access[call.tool] == "write")
    return task.reference[:last]


def policy_tasks(indices: range, families: Sequence[Family] = FAMILIES) -> Iterator[Task]:
    """The starter tasks that demonstrations are of, families taking turns."""
    for index in indices:
        for family in families:
            knobs = family.draw_knobs(derive_rng("knobs", family.name, SEED, index), "starter")
            yield family.generate(SEED, index, "policy", knobs, "actions")


def main() -> None:
    """Write demonstrations as JSON lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, nargs=2, required=True, help="first index, and index after the last")
    parser.add_argument("--fall-chance", type=float, required=True, help="chance of falling for each trap")
    parser.add_argument("--early-chance", type=float, required=True, help="chance of stopping early, a call")
    parser.add_argument("--families", nargs="+", default=[family.name for family in FAMILIES], help="all by default")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    count = 0
    with arguments.out.open("w", encoding="utf-8") as out:
        for demonstration in demonstrate(
            policy_tasks(range(*arguments.tasks), tuple(map(family_named, arguments.families))),
            arguments.fall_chance,
            arguments.early_chance,
        ):
            out.write(json.dumps(demonstration.to_json(), ensure_ascii=False) + "\n")
            count += 1
    logger.info("wrote %d demonstrations to %s", count, arguments.out)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    main()
