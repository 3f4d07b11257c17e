"""Decontamination: every rule, totals that add up, and rulings that depend on nothing but the tasks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from decontam.benchmark import BenchmarkSource, BenchmarkTask
from decontam.decontaminate import decontaminate
from decontam.readers.sources import read_source, stand_in
from decontam.settings import DecontaminationSettings
from decontam.verdicts import Decontamination
from environment.task import Task
from tests.decontam.made_tasks import SENTENCE, WORDS, made_benchmark, made_task, mailed

REPOSITORY = Path(__file__).parents[2]
PUBLIC_SAMPLE = REPOSITORY.parent / "shared" / "data" / "automationbench_public_sample.jsonl"
SETTINGS = DecontaminationSettings()


def judged(tasks: list[Task], earlier: tuple[Task, ...] = (), **changes: object) -> Decontamination:
    return decontaminate(tasks, made_benchmark(), earlier, SETTINGS.model_copy(update=changes))


def prose(seed: int, words: int = 400) -> list[str]:
    return ["".join(Random(f"{seed}/{n}").choices("abcdefgh", k=6)) for n in range(words)]


def varied(seed: int, changed: int) -> str:
    """The prose of this seed with as many words at its end replaced."""
    words = prose(seed)
    return " ".join([*words[: len(words) - changed], *prose(seed + 1000, changed)]) if changed else " ".join(words)


def test_clean_tasks_are_kept_in_the_order_given() -> None:
    tasks = [made_task(" ".join(prose(number)), index=number) for number in (5, 3, 9)]
    result = judged(tasks)
    assert result.kept == tuple(task.id for task in tasks)
    assert result.clusters() == {task.id: task.id for task in tasks}
    assert result.counts() == {
        "input": 3,
        "kept": 3,
        "shared_passage": 0,
        "company_name": 0,
        "like_benchmark": 0,
        "like_meaning": 0,
        "like_earlier": 0,
        "copy_in_set": 0,
    }


def test_a_shared_passage_drops_a_task_and_is_shown() -> None:
    (ruling,) = judged([made_task("Do it", mailed("Well, " + " ".join(WORDS[1:15]) + "!"))]).rulings
    assert (ruling.kept, ruling.rule, ruling.cluster) == (False, "shared_passage", None)
    (overlap,) = ruling.overlaps
    assert (overlap.path, overlap.other, overlap.other_path) == (
        "world.gmail.messages[0].body",
        "operations.crates",
        "initial_state.gmail.messages[0].body",
    )
    assert overlap.shared == overlap.other_shared == tuple(WORDS[1:15])
    assert SENTENCE.capitalize() in overlap.other_text


def test_twelve_shared_words_keep_a_task() -> None:
    assert judged([made_task("Do it", mailed(" ".join(WORDS[:12]) + " once more"))]).counts()["kept"] == 1


def test_a_benchmark_company_drops_a_task_and_both_spellings_are_shown() -> None:
    (ruling,) = judged([made_task("Ring them", mailed(f"From: ann@quantum-labs.com {' '.join(prose(1))}"))]).rulings
    (overlap,) = ruling.overlaps
    assert (overlap.rule, overlap.other) == ("company_name", "operations.crates")
    assert overlap.other_path == "initial_state.salesforce.Account[0].Name"
    assert (overlap.shared, overlap.other_shared) == (("quantum", "labs", "com"), ("quantum", "labs", "inc"))


def test_a_company_named_only_in_benchmark_prose_is_found_through_our_field() -> None:
    public = BenchmarkTask(name="sales.a", domain="sales", prompt="Marcus at GlobalTech has a new number, " * 3, row=1)
    other = made_benchmark().tasks[0]
    ours = made_task(" ".join(prose(1)), {"salesforce": {"Lead": ({"Id": "1", "Company": "Global Tech GmbH"},)}})
    (ruling,) = decontaminate([ours], made_benchmark(public, other), (), SETTINGS).rulings
    assert (ruling.rule, ruling.overlaps[0].other) == ("company_name", "sales.a")


def test_many_short_fields_in_common_make_a_task_like_the_benchmark() -> None:
    notes = tuple({"id": str(n), "text": " ".join(prose(n, 9))} for n in range(12))
    public = BenchmarkTask(
        name="hr.notes",
        domain="hr",
        prompt="Sort out what the notes of Quantum Labs say",
        initial_state={"notion": {"pages": list(notes)}},
        row=1,
    )
    long_enough = made_benchmark().tasks[0]
    ours, clean = made_task("Tidy up", {"notion": {"pages": notes[:9]}}), made_task(" ".join(prose(99)))
    result = decontaminate([ours, clean], made_benchmark(public, long_enough), (), SETTINGS)
    (overlap,) = result.rulings[0].overlaps
    assert (overlap.rule, overlap.other, len(overlap.shared)) == ("like_benchmark", "hr.notes", 9)
    ours_count = 9 * 5 + 1 + 1 + 1  # shingles of the notes, the prompt, the actor's company and domain
    theirs_count = 12 * 5 + 5
    assert overlap.similarity == pytest.approx(9 * 5 / (ours_count + theirs_count - 9 * 5))
    few = made_task("Tidy up", {"notion": {"pages": notes[:4]}})
    assert decontaminate([few, clean], made_benchmark(public, long_enough), (), SETTINGS).rulings[0].kept


def test_a_benchmark_task_without_a_world_is_compared_with_the_prompt_alone() -> None:
    prompt = "Give the parking permits of the leavers back to the pool"
    public = BenchmarkTask(name="hr.permits", domain="hr", prompt=prompt, row=1)
    ours = made_task(prompt, mailed(" ".join(prose(1))))
    (ruling,) = decontaminate([ours], made_benchmark(public, made_benchmark().tasks[0]), (), SETTINGS).rulings
    assert (ruling.rule, ruling.overlaps[0].similarity) == ("like_benchmark", 1.0)


def test_a_task_of_an_earlier_generation_is_not_delivered_again() -> None:
    earlier = made_task(varied(1, 0), index=0)
    again, other = made_task(varied(1, 20), index=7), made_task(varied(2, 0), index=8)
    result = judged([again, other], earlier=(earlier,))
    assert [ruling.rule for ruling in result.rulings] == ["like_earlier", None]
    assert result.rulings[0].overlaps[0].other == earlier.id
    shingles = 396 + 2
    assert result.rulings[0].overlaps[0].similarity == pytest.approx((shingles - 20) / (shingles + 20))
    assert judged([made_task(varied(1, 100), index=7)], earlier=(earlier,)).counts()["kept"] == 1
    assert result.earlier_tasks == 1


def test_similar_tasks_share_a_cluster_and_near_copies_lose_the_later() -> None:
    first, similar = made_task(varied(1, 0), index=0), made_task(varied(1, 25), index=1)
    copy, other = made_task(varied(1, 3), index=2), made_task(varied(2, 0), index=3)
    result = judged([copy, other, similar, first])
    assert [ruling.rule for ruling in result.rulings] == ["copy_in_set", None, None, None]
    assert result.rulings[0].overlaps[0].other == first.id
    assert result.clusters() == {other.id: other.id, similar.id: first.id, first.id: first.id}


def test_limits_of_the_engagement_are_used() -> None:
    tasks = [made_task(varied(1, 0), index=0), made_task(varied(1, 25), index=1)]
    assert judged(tasks, duplicate_jaccard=0.85).counts()["copy_in_set"] == 1
    assert len(set(judged(tasks, cluster_jaccard=0.9).clusters().values())) == 2
    shorter = made_task("Do it", mailed(" ".join(WORDS[:9])))
    assert judged([shorter], ngram_words=9).counts()["shared_passage"] == 1


def test_every_rule_broken_is_listed_and_the_first_counts() -> None:
    result = judged([made_task("Do it", mailed(f"{SENTENCE}, says Quantum Labs"))])
    assert [overlap.rule for overlap in result.rulings[0].overlaps] == ["shared_passage", "company_name"]
    assert result.counts()["shared_passage"] == 1
    assert result.counts()["company_name"] == 0


def mixed_tasks() -> list[Task]:
    """Clean tasks, a chain of similar ones and one for each rule."""
    tasks = [made_task(varied(seed, 5 * step), index=10 * seed + step) for seed in range(4) for step in range(6)]
    end, start = prose(7), prose(7)
    end[-9:], start[:9] = prose(8, 9), prose(9, 9)
    tasks += [made_task(" ".join(words), index=80 + n) for n, words in enumerate((end, start, prose(7)))]
    tasks.append(made_task("Do it", mailed(SENTENCE), index=90))
    tasks.append(made_task("Ring Quantum Labs about the crates", index=91))
    return tasks


def test_kept_and_dropped_add_up_to_the_input() -> None:
    tasks = mixed_tasks()
    result = judged(tasks, earlier=(tasks[0],))
    counts = result.counts()
    assert counts["input"] == len(tasks) == counts["kept"] + sum(counts[rule] for rule in list(counts)[2:])
    assert all(counts[rule] for rule in ("kept", "shared_passage", "company_name", "like_earlier", "copy_in_set"))
    assert set(result.clusters()) == set(result.kept)


def test_of_two_tasks_equally_copied_the_earlier_is_shown() -> None:
    tasks = [task for task in mixed_tasks() if 80 <= task.index < 90]
    for given in (tasks, tasks[::-1]):
        rulings = {ruling.task_id: ruling for ruling in judged(given).rulings}
        assert [rulings[task.id].kept for task in tasks] == [True, True, False]
        assert rulings[tasks[2].id].overlaps[0].other == tasks[0].id


def test_order_of_the_input_changes_no_ruling() -> None:
    tasks = mixed_tasks()
    expected = {ruling.task_id: ruling for ruling in judged(tasks).rulings}
    for seed in range(3):
        shuffled = Random(seed).sample(tasks, len(tasks))
        result = judged(shuffled)
        assert [ruling.task_id for ruling in result.rulings] == [task.id for task in shuffled]
        assert {ruling.task_id: ruling for ruling in result.rulings} == expected


def test_another_process_with_another_hash_seed_rules_the_same() -> None:
    program = (
        "from tests.decontam.test_decontaminate import judged, mixed_tasks\n"
        "from environment.record import content_hash\n"
        "print(content_hash(judged(mixed_tasks()).to_json()))"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=REPOSITORY,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert printed[0] == printed[1] != ""


def test_what_was_compared_is_counted() -> None:
    result = judged([made_task("one two three four five six seven eight nine ten eleven twelve thirteen fourteen")])
    assert (result.ours.tasks, result.ours.passages, result.ours.words) == (1, 3, 14 + 2 + 2)
    assert (result.ours.ngrams, result.ours.names) == (2, 1)
    assert (result.theirs.tasks, result.theirs.passages, result.theirs.names) == (1, 3, 1)
    assert result.theirs.ngrams == (21 - 12) + (20 - 12)


def test_a_comparison_with_nothing_is_refused() -> None:
    long_enough = made_task(" ".join(prose(1)))
    with pytest.raises(ValueError, match="compared nothing: the candidate tasks have no tasks"):
        judged([])
    nameless = BenchmarkTask(name="hr.a", domain="hr", prompt=" ".join(prose(2)), row=1)
    with pytest.raises(ValueError, match="compared nothing: the benchmark tasks of made have no names"):
        decontaminate([long_enough], made_benchmark(nameless), (), SETTINGS)
    with pytest.raises(ValueError, match="have no run of words as long as ngram_words"):
        judged([made_task("Too short")])
    with pytest.raises(ValueError, match="have no tasks"):
        decontaminate([long_enough], made_benchmark().model_copy(update={"tasks": ()}), (), SETTINGS)


def imported(name: str, reader: str) -> BenchmarkSource:
    return BenchmarkSource(name=name, source=name, version="1", content_hash="0" * 64, counts={"hr": 1}, reader=reader)


def test_each_of_several_benchmarks_must_bring_text_of_its_own() -> None:
    usual = made_benchmark().tasks[0]
    sources = (imported("automationbench", "automationbench"), imported("other", "automationbench"))
    mute = BenchmarkTask(name="hr.a", domain="hr", prompt="Too short", row=1, benchmark="other")
    with pytest.raises(
        ValueError, match="the tasks of the benchmark other have no run of words as long as ngram_words and no names"
    ):
        decontaminate([made_task("a " * 20)], made_benchmark(usual, mute, sources=sources), (), SETTINGS)


def test_a_benchmark_of_prose_may_name_no_company_and_the_result_says_so() -> None:
    usual = made_benchmark().tasks[0]
    plain = BenchmarkTask(name="row_1", domain="unknown", prompt=" ".join(prose(2, 30)), row=1, benchmark="plain")
    ours = [made_task(" ".join(prose(1))), made_task(" ".join(["Well", *prose(2, 30)]), index=1)]
    both = (imported("automationbench", "automationbench"), imported("plain", "jsonl"))
    result = decontaminate(ours, made_benchmark(usual, plain, sources=both), (), SETTINGS)
    assert [ruling.rule for ruling in result.rulings] == [None, "shared_passage"]
    assert result.rulings[1].overlaps[0].other == "plain/row_1"
    assert {name: (side.tasks, side.ngrams, side.names) for name, side in result.benchmark_sides.items()} == {
        "automationbench": (1, (21 - 12) + (20 - 12), 1),
        "plain": (1, 30 - 12, 0),
    }
    assert (result.theirs.ngrams, result.theirs.names) == (17 + 18, 1)
    alone = decontaminate(ours, made_benchmark(plain, sources=both[1:]), (), SETTINGS)
    assert (alone.theirs.names, alone.benchmark_sides["plain"]) == (0, alone.theirs)


def test_a_task_without_text_is_refused_by_its_name() -> None:
    mute = made_task(" ", {"gmail": {"messages": ({"id": "m1", "body": "..."},)}})
    with pytest.raises(ValueError, match=f"task {mute.id} has no text: neither its prompt nor its world holds a word"):
        judged([made_task(" ".join(prose(1))), mute])


def test_a_task_given_twice_is_refused() -> None:
    task = made_task(" ".join(prose(1)))
    with pytest.raises(ValueError, match=f"{task.id} is given twice"):
        judged([task, task])


def test_duplicates_below_the_cluster_limit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"duplicate_jaccard 0\.7 is below cluster_jaccard 0\.8"):
        DecontaminationSettings(duplicate_jaccard=0.7)


def test_every_planted_task_of_the_stand_in_is_found() -> None:
    benchmark = stand_in()
    planted = [made_task(task.prompt, index=number) for number, task in enumerate(benchmark.tasks)]
    clean = made_task(" ".join(prose(1)), index=99)
    result = decontaminate([*planted, clean], benchmark, (), SETTINGS)
    assert result.kept == (clean.id,)
    assert [ruling.overlaps[0].other for ruling in result.rulings[:-1]] == [task.name for task in benchmark.tasks]
    assert result.benchmark_is_stand_in


@pytest.mark.skipif(not PUBLIC_SAMPLE.exists(), reason="the sample of public tasks is not beside this checkout")
def test_every_public_prompt_is_found_wherever_it_is_planted() -> None:
    benchmark = read_source(PUBLIC_SAMPLE)
    prompts = [task.prompt for task in benchmark.tasks]
    planted = [made_task(prompt, index=number) for number, prompt in enumerate(prompts)]
    planted += [made_task("Look", mailed(prompt.lower()), index=100 + n) for n, prompt in enumerate(prompts)]
    clean = [made_task(" ".join(prose(1)), index=999), made_task("Look", mailed(" ".join(prose(2))), index=998)]
    result = decontaminate([*planted, *clean], benchmark, (), SETTINGS)
    assert result.counts()["shared_passage"] == 40
    assert result.kept == tuple(task.id for task in clean)
    named = [
        made_task("Ring them", mailed(" ".join(prose(n))), company=company, index=n)
        for n, company in enumerate(["Meridian GmbH", "Quantum Labs Ltd", "Global Tech", "Meridian Freight"])
    ]
    rules = [ruling.rule for ruling in decontaminate(named, benchmark, (), SETTINGS).rulings]
    assert rules == ["company_name", "company_name", "company_name", None]
