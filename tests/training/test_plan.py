from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from tests.training.jobs import EASY_TASKS
from training.plan import UpdatePlan, make_plan


def _tasks(**domains: int):
    """That many tasks of each domain, told apart by their ids only."""
    return [
        EASY_TASKS[0].model_copy(update={"id": f"{domain}.f-{number:03d}", "domain": domain})
        for domain, count in domains.items()
        for number in range(count)
    ]


UNEVEN = {"sales": 7, "support": 5, "operations": 5, "marketing": 4, "finance": 2, "hr": 1}


@pytest.mark.parametrize("tasks_per_update", [1, 5, 6, 24])
def test_no_task_comes_twice_before_every_other_came_once(tasks_per_update):
    tasks = _tasks(**UNEVEN)
    plan = make_plan(tasks, 40, tasks_per_update, "seed")
    order = [task_id for update in plan.updates for task_id in update]
    for start in range(0, len(order) - len(tasks) + 1, len(tasks)):
        assert set(order[start : start + len(tasks)]) == {task.id for task in tasks}


@pytest.mark.parametrize("tasks_per_update", [5, 6, 7])
def test_an_update_has_different_tasks_and_neighbours_differ(tasks_per_update):
    plan = make_plan(_tasks(**UNEVEN), 60, tasks_per_update, "seed")
    assert all(len(set(update)) == tasks_per_update for update in plan.updates)
    assert all(set(one) != set(other) for one, other in pairwise(plan.updates))


def test_equal_domains_come_once_in_each_update():
    tasks = _tasks(sales=5, support=5, operations=5, marketing=5, finance=5, hr=5)
    domains = {task.id: task.domain for task in tasks}
    for update in make_plan(tasks, 20, 6, "seed").updates:
        assert len({domains[task_id] for task_id in update}) == 6


def test_uneven_domains_have_about_their_share_of_each_update():
    tasks = _tasks(**UNEVEN)
    domains = {task.id: task.domain for task in tasks}
    for update in make_plan(tasks, 40, 6, "seed").updates:
        counts = Counter(domains[task_id] for task_id in update)
        for domain, total in UNEVEN.items():
            assert abs(counts[domain] - 6 * total / 24) < 2


def test_the_plan_depends_on_the_seed_and_not_on_the_order_of_the_file():
    tasks = _tasks(**UNEVEN)
    assert make_plan(tasks, 9, 6, "a") == make_plan(tasks[::-1], 9, 6, "a")
    assert make_plan(tasks, 9, 6, "a").updates != make_plan(tasks, 9, 6, "b").updates


def test_a_longer_plan_begins_like_a_shorter_one():
    tasks = _tasks(**UNEVEN)
    assert make_plan(tasks, 30, 6, "a").updates[:9] == make_plan(tasks, 9, 6, "a").updates


def test_a_plan_survives_json():
    plan = make_plan(_tasks(**UNEVEN), 9, 6, "a")
    assert UpdatePlan.model_validate_json(plan.model_dump_json()) == plan


def test_too_few_tasks_are_refused():
    with pytest.raises(ValueError, match="needs 6 different tasks and the training set has 5"):
        make_plan(_tasks(sales=5), 1, 6, "a")


def test_a_task_given_twice_is_refused():
    with pytest.raises(ValueError, match=r"sales\.f-000 more than once"):
        make_plan([*_tasks(sales=5), *_tasks(sales=1)], 1, 5, "a")
