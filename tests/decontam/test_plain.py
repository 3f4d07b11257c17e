"""The plain comparison: to the word, blind to nothing, and of one mind with the fast one."""

from __future__ import annotations

from random import Random

import pytest

from decontam.benchmark import BenchmarkTask
from decontam.decontaminate import decontaminate
from decontam.plain import nearest, tasks_sharing_a_run
from decontam.settings import DecontaminationSettings
from environment.task import Task
from tests.decontam.made_tasks import SENTENCE, WORDS, made_benchmark, made_task, mailed


@pytest.mark.parametrize(("words", "found"), [(12, False), (13, True)])
def test_thirteen_words_in_a_row_are_found_and_twelve_are_not(words: int, found: bool) -> None:
    task = made_task("Do it", mailed(f"Well: {' '.join(WORDS[2 : 2 + words]).upper()}!"))
    assert (tasks_sharing_a_run([task], made_benchmark(), 13) == (task.id,)) is found


def test_words_of_two_fields_are_no_run() -> None:
    halves = {"gmail": {"messages": ({"id": "m1", "subject": " ".join(WORDS[:9]), "body": " ".join(WORDS[9:])},)}}
    assert tasks_sharing_a_run([made_task("Do it", halves)], made_benchmark(), 13) == ()


def test_it_finds_what_the_fast_comparison_finds() -> None:
    rng = Random(4)
    tasks: list[Task] = []
    for number in range(60):
        noise = [f"w{rng.randrange(400)}" for _ in range(60)]
        length = rng.choice((0, 11, 12, 13, 14, 18))
        start = rng.randrange(len(WORDS) - length + 1)
        tasks.append(
            made_task("Do it", mailed(" ".join([*noise[:30], *WORDS[start : start + length], *noise[30:]])), number)
        )
    found = decontaminate(tasks, made_benchmark(), (), DecontaminationSettings())
    fast = [ruling.task_id for ruling in found.rulings if any(one.rule == "shared_passage" for one in ruling.overlaps)]
    assert list(tasks_sharing_a_run(tasks, made_benchmark(), 13)) == fast
    assert 10 < len(fast) < 50


def test_the_nearest_come_first_with_the_share_of_shingles_in_common() -> None:
    public = [
        BenchmarkTask(name=f"sales.{name}", domain="sales", prompt=prompt, row=1)
        for name, prompt in (("far", "p q r s t u"), ("near", "a b c d e x"), ("same", "a b c d e f"))
    ]
    found = nearest(made_task("a b c d e f", mailed(SENTENCE)), made_benchmark(*public), size=5, count=2)
    assert [one.task.name for one in found] == ["sales.same", "sales.near"]
    assert [one.similarity for one in found] == [1.0, pytest.approx(1 / 3)]


def test_a_benchmark_task_whose_world_is_known_is_compared_as_a_whole() -> None:
    public = BenchmarkTask(
        name="sales.whole",
        domain="sales",
        prompt="a b c d e f",
        initial_state={"gmail": {"messages": [{"body": "k l m n o p"}]}},
        row=1,
    )
    task = made_task("a b c d e f", mailed("k l m n o p"), company="", domain="")
    (found,) = nearest(task, made_benchmark(public), size=5, count=1)
    # Four shingles in common; the subject of the message is one more of ours.
    assert found.similarity == pytest.approx(4 / 5)
