"""A plan of updates says which tasks each update attempts; it is made before training and followed exactly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from environment.record import Record
from environment.rng import derive_rng
from environment.task import DOMAINS, Task

PLAN = "plan.json"
"""The plan's name in a job's output folder."""


class UpdatePlan(Record):
    """Task ids of every update, in order."""

    schema_version: Literal[1] = 1
    seed: str
    updates: tuple[tuple[str, ...], ...]


def make_plan(tasks: Sequence[Task], updates: int, tasks_per_update: int, seed: str) -> UpdatePlan:
    """The plan for these tasks.

    It cycles through them in an order shuffled anew for each cycle: no task comes twice before every other came once.
    Domains take turns, so that each update has about its share of every domain. Where the set's size is no multiple
    of `tasks_per_update` an update spans two cycles; no task comes twice in one update.

    Raises ValueError when there are fewer tasks than an update needs or two with one id.
    """
    if len(tasks) < tasks_per_update:
        raise ValueError(
            f"an update needs {tasks_per_update} different tasks and the training set has {len(tasks)}; "
            "select more tasks or lower training.tasks_per_update"
        )
    twice = [task_id for task_id, count in Counter(task.id for task in tasks).items() if count > 1]
    if twice:
        raise ValueError(f"the training set holds {twice[0]} more than once; give each task once")
    batches: list[tuple[str, ...]] = []
    batch: list[str] = []
    cycle = 0
    while len(batches) < updates:
        for task_id in _one_cycle(tasks, tasks_per_update, batch, seed, cycle):
            batch.append(task_id)
            if len(batch) == tasks_per_update:
                batches.append(tuple(batch))
                batch.clear()
        cycle += 1
    return UpdatePlan(seed=seed, updates=tuple(batches[:updates]))


def _one_cycle(tasks: Sequence[Task], size: int, begun: Sequence[str], seed: str, cycle: int) -> list[str]:
    """Every task once, domains by largest deficit; those of the update already begun come after it is full."""
    rng = derive_rng("plan", seed, cycle)
    waiting = {domain: sorted(task.id for task in tasks if task.domain == domain) for domain in DOMAINS}
    turn = [domain for domain in DOMAINS if waiting[domain]]
    rng.shuffle(turn)
    for domain in turn:
        rng.shuffle(waiting[domain])
    share = {domain: len(waiting[domain]) / len(tasks) for domain in turn}
    taken = dict.fromkeys(turn, 0)
    barred = set(begun)
    order: list[str] = []
    while len(order) < len(tasks):
        if len(order) + len(begun) >= size:
            barred = set()
        free = {domain: [one for one in waiting[domain] if one not in barred] for domain in turn}
        domain = max((d for d in turn if free[d]), key=lambda d: _deficit(share[d], taken[d], len(order)))
        chosen = free[domain][0]
        waiting[domain].remove(chosen)
        taken[domain] += 1
        order.append(chosen)
    return order


def _deficit(share: float, taken: int, place: int) -> float:
    return share * (place + 1) - taken
