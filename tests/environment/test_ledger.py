from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from environment.attempt import Attempt, Transcript, Verdict
from environment.ledger import Ledger, Plan, PlannedAttempt, carry_out
from environment.watched_ledger import WatchedLedger

ROOT = Path(__file__).parents[2]


def scored(task: str, number: int, strict: bool = True, policy: str = "base", purpose: str = "calibration") -> Attempt:
    return Attempt(
        task_id=task,
        number=number,
        policy=policy,
        seed=1000 + number,
        purpose=purpose,
        end="answered",
        verdict=Verdict(expected=(), collateral=(), strict=strict, partial_credit=1.0 if strict else 0.25),
        transcript=Transcript(messages=({"role": "user", "content": f"do {task}, naïvely\n"},)),
        tokens_in=11,
        tokens_out=7,
    )


def unscored(task: str, number: int) -> Attempt:
    return Attempt(
        task_id=task,
        number=number,
        policy="base",
        seed=1000 + number,
        purpose="calibration",
        end=None,
        verdict=None,
        transcript=None,
        error="connection reset",
    )


def plan_of(*keys: tuple[str, int], round: int = 0) -> Plan:
    attempts = tuple(PlannedAttempt(task_id=task, number=number, seed=1000 + number) for task, number in keys)
    return Plan(purpose="calibration", policy="base", round=round, attempts=attempts)


def test_a_watched_ledger_misses_nothing_of_a_segment_that_follows_a_compaction(tmp_path: Path) -> None:
    watched, seen = WatchedLedger(tmp_path), []
    with Ledger(tmp_path) as ledger:
        for size in (3, 1, 2, 5):
            for _ in range(size):
                ledger.append(scored("a", len(ledger.lines("base"))))
                watched.look()
                seen.append(len(watched.lines("base", "calibration")))
            ledger.compact()
    assert seen == list(range(1, 12))


def test_attempts_survive_reopening_before_and_after_compaction(tmp_path: Path) -> None:
    made = [scored("b", 0), scored("a", 1, strict=False), unscored("a", 0)]
    with Ledger(tmp_path) as ledger:
        assert all(ledger.append(attempt) for attempt in made)
    with Ledger(tmp_path) as reopened:
        before = reopened.lines("base")
        assert sorted(reopened.attempts("base"), key=lambda a: (a.task_id, a.number)) == [made[2], made[1], made[0]]
        reopened.compact()
    assert not list((tmp_path / "segments").iterdir())
    compacted = Ledger(tmp_path)
    assert compacted.lines("base") == before
    assert [(line.task_id, line.number, line.strict, line.partial_credit) for line in before] == [
        ("a", 0, None, None),
        ("a", 1, False, 0.25),
        ("b", 0, True, 1.0),
    ]
    assert list(compacted.attempts("base")) == [made[2], made[1], made[0]]


def test_the_same_key_is_never_written_twice(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        assert ledger.append(scored("a", 0, strict=True))
        assert not ledger.append(scored("a", 0, strict=False))
        ledger.compact()
        assert not ledger.append(scored("a", 0, strict=False))
    assert [line.strict for line in Ledger(tmp_path).lines("base")] == [True]


def test_a_crash_between_renaming_a_part_and_removing_its_segment_leaves_no_duplicate(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.append(scored("a", 0))
        segment = tmp_path / "segments" / "segment-000001.jsonl"
        content = segment.read_bytes()
        ledger.compact()
    segment.write_bytes(content)
    with Ledger(tmp_path) as ledger:
        ledger.append(scored("b", 0))
        ledger.compact()
        assert [attempt.task_id for attempt in ledger.attempts("base")] == ["a", "b"]
    assert len(list((tmp_path / "parts").glob("part-*.parquet"))) == 2


def test_a_half_written_last_line_counts_as_not_done(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.append(scored("a", 0))
        ledger.append(scored("b", 0))
    segment = tmp_path / "segments" / "segment-000001.jsonl"
    segment.write_bytes(segment.read_bytes()[:-20])
    with Ledger(tmp_path) as ledger:
        assert [planned.task_id for planned in ledger.pending(plan_of(("a", 0), ("b", 0)))] == ["b"]
        assert ledger.append(scored("b", 0, strict=False))
        ledger.compact()
    assert [(line.task_id, line.strict) for line in Ledger(tmp_path).lines("base")] == [("a", True), ("b", False)]


def test_a_damaged_line_that_others_follow_is_refused_by_name(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        for task in "abc":
            ledger.append(scored(task, 0))
    segment = tmp_path / "segments" / "segment-000001.jsonl"
    lines = segment.read_bytes().splitlines(keepends=True)
    segment.write_bytes(lines[0] + lines[1][:30] + b"\n" + lines[2])
    with pytest.raises(ValueError, match=r"line 2 of .*segment-000001.jsonl is not JSON"):
        Ledger(tmp_path)


def test_a_part_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.append(scored("a", 0))
        ledger.compact()
    [path] = (tmp_path / "parts").iterdir()
    table = pq.read_table(path)
    pq.write_table(table.drop_columns(["tokens_cached", "failure"]), path)
    [line] = Ledger(tmp_path).lines("base")
    assert (line.tokens_in, line.tokens_cached, line.failure) == (11, 0, None)


def test_a_line_says_what_failed_and_what_was_cached(tmp_path: Path) -> None:
    lost = unscored("a", 0).model_copy(update={"failure": "stalled"})
    cached = scored("b", 0).model_copy(update={"tokens_cached": 4})
    with Ledger(tmp_path) as ledger:
        for attempt in (lost, cached):
            ledger.append(attempt)
        assert [(line.failure, line.tokens_cached) for line in ledger.lines("base")] == [("stalled", 0), (None, 4)]
        ledger.compact()
    assert [(line.failure, line.tokens_cached) for line in Ledger(tmp_path).lines("base")] == [
        ("stalled", 0),
        (None, 4),
    ]


def test_a_scored_attempt_has_no_failure() -> None:
    with pytest.raises(ValueError, match="is scored, so nothing failed"):
        Attempt.model_validate({**scored("a", 0).to_json(), "failure": "timeout"})


def test_policies_are_never_pooled(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.append(scored("a", 0, policy="base"))
        ledger.append(scored("a", 0, policy="tuned", strict=False))
        ledger.append(scored("a", 1, policy="tuned", purpose="audit"))
        ledger.compact()
        assert [line.strict for line in ledger.lines("base")] == [True]
        assert [line.strict for line in ledger.lines("tuned", "calibration")] == [False]
        assert [attempt.purpose for attempt in ledger.attempts("tuned")] == ["calibration", "audit"]
        assert ledger.policies() == ("base", "tuned")


def test_pending_is_the_plan_without_what_is_scored_or_unscored(tmp_path: Path) -> None:
    plan = plan_of(("a", 0), ("b", 0), ("c", 0), ("a", 1))
    with Ledger(tmp_path) as ledger:
        ledger.store_plan(plan)
        ledger.append(scored("c", 0))
        ledger.append(unscored("a", 0))
        assert [(planned.task_id, planned.number) for planned in ledger.pending(plan)] == [("b", 0), ("a", 1)]
    assert Ledger(tmp_path).plans("base", "calibration") == (plan,)


def test_a_stored_plan_is_never_replaced(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.store_plan(plan_of(("a", 0)))
    ledger.store_plan(plan_of(("a", 0)))
    with pytest.raises(ValueError, match="already has another plan"):
        ledger.store_plan(plan_of(("b", 0)))
    assert ledger.plans("base", "evaluation") == ()


def test_plans_come_back_in_the_order_of_their_rounds(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    for round in (10, 2, 0):
        ledger.store_plan(plan_of(("a", round), round=round))
    assert [plan.round for plan in ledger.plans("base", "calibration")] == [0, 2, 10]


def test_a_plan_that_repeats_an_attempt_is_refused() -> None:
    with pytest.raises(ValueError, match="plans an attempt twice"):
        plan_of(("a", 0), ("a", 0))


def test_another_process_keeps_its_segment_through_our_compaction(tmp_path: Path) -> None:
    other, ours = Ledger(tmp_path), Ledger(tmp_path)
    other.append(scored("a", 0))
    ours.append(scored("b", 0))
    ours.compact()
    assert other.append(scored("c", 0))
    assert [line.task_id for line in Ledger(tmp_path).lines("base")] == ["a", "b", "c"]
    other.compact()
    assert [line.task_id for line in Ledger(tmp_path).lines("base")] == ["a", "b", "c"]


WRITER = """
import sys
from pathlib import Path
from tests.environment.test_ledger import scored
from environment.ledger import Ledger

ledger = Ledger(Path(sys.argv[1]))
plan = ledger.plans("base", "calibration")[0]
for planned in ledger.pending(plan):
    ledger.append(scored(planned.task_id, planned.number))
    print(planned.task_id, flush=True)
"""


def test_a_killed_writer_is_resumed_with_exactly_the_missing_attempts(tmp_path: Path) -> None:
    keys = [(f"t{index:04d}", 0) for index in range(2000)]
    Ledger(tmp_path).store_plan(plan_of(*keys))
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE)
    announced = [writer.stdout.readline().decode().strip() for _ in range(25)]  # type: ignore[union-attr]
    os.kill(writer.pid, signal.SIGKILL)
    announced += writer.stdout.read().decode().split()  # type: ignore[union-attr]
    writer.stdout.close()  # type: ignore[union-attr]
    writer.wait()
    with Ledger(tmp_path) as ledger:
        plan = ledger.plans("base", "calibration")[0]
        done = [line.task_id for line in ledger.lines("base")]
        assert 25 <= len(announced) < 2000
        assert set(announced) <= set(done)
        assert len(done) - len(announced) <= 1
        left = ledger.pending(plan)
        assert [planned.task_id for planned in left] == [task for task, _ in keys if task not in set(done)]
        for planned in left[:5]:
            assert ledger.append(scored(planned.task_id, planned.number))
        ledger.compact()
        assert len(ledger.lines("base")) == len(done) + 5


FULL_DISK = """
import resource, sys
from pathlib import Path
from tests.environment.test_ledger import scored
from environment.ledger import Ledger

ledger = Ledger(Path(sys.argv[1]))
ledger.append(scored("a", 0))
size = next((Path(sys.argv[1]) / "segments").iterdir()).stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50, resource.RLIM_INFINITY))
for action in (lambda: ledger.append(scored("b", 0)), ledger.compact):
    try:
        action()
    except OSError as error:
        print(error.strerror)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
ledger.append(scored("b", 0))
"""


def test_a_full_disk_is_a_clear_error_and_loses_nothing(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL_DISK, str(tmp_path)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    refused, not_compacted = done.stdout.splitlines()
    assert "every earlier one is safe: make room and resume" in refused
    assert "nothing is lost: make room and resume" in not_compacted
    assert [line.task_id for line in Ledger(tmp_path).lines("base")] == ["a", "b"]
    assert not list(tmp_path.rglob("*.partial"))


def test_carrying_out_a_plan_makes_what_is_pending_and_compacts(tmp_path: Path) -> None:
    made: list[str] = []

    async def attempt_many(requests, purpose, on_attempt) -> None:
        async with asyncio.TaskGroup() as group:
            for request in requests:
                group.create_task(one(request, purpose, on_attempt))

    async def one(request, purpose, on_attempt) -> None:
        made.append(request.task_id)
        on_attempt(scored(request.task_id, request.number, purpose=purpose))

    plan = plan_of(("a", 0), ("b", 0), ("c", 0))
    with Ledger(tmp_path) as ledger:
        ledger.append(scored("b", 0))
        seen: list[str] = []
        asyncio.run(carry_out(plan, ledger, attempt_many, lambda attempt: seen.append(attempt.task_id)))
        asyncio.run(carry_out(plan, ledger, attempt_many))
        assert made == seen == ["a", "c"]
        assert not list((tmp_path / "segments").iterdir())
        with pytest.raises(ValueError, match="round 0 is for policy tuned, a was attempted by base"):
            asyncio.run(carry_out(plan.model_copy(update={"policy": "tuned"}), ledger, attempt_many))


def test_a_plan_that_was_not_carried_out_is_an_error(tmp_path: Path) -> None:
    async def lazy(requests, purpose, on_attempt) -> None:
        on_attempt(scored(requests[0].task_id, 0))

    with (
        Ledger(tmp_path) as ledger,
        pytest.raises(RuntimeError, match="1 attempts of round 0 of calibration were never"),
    ):
        asyncio.run(carry_out(plan_of(("a", 0), ("b", 0)), ledger, lazy))


def test_next_attempts_are_numbered_over_all_purposes_and_seeded_apart(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.append(scored("a", 0))
        ledger.append(scored("a", 3, purpose="audit"))
        planned = [*ledger.next_attempts("base", "a", 2, "s"), *ledger.next_attempts("tuned", "a", 1, "s")]
        assert [one.number for one in planned] == [4, 5, 0]
        assert len({one.seed for one in planned}) == 3
        assert all(0 <= one.seed < 2**31 for one in planned)
        assert ledger.next_attempts("base", "a", 2, "other")[0].seed != planned[0].seed


def test_a_round_of_long_transcripts_is_compacted_and_read_without_holding_it_in_memory(tmp_path: Path) -> None:
    count, letters = 40, 1_000_000
    with Ledger(tmp_path) as ledger:
        for number in range(count):
            long = Transcript(messages=({"role": "user", "content": f"{number:08d}" * (letters // 8)},))
            ledger.append(scored("a", number).model_copy(update={"transcript": long}))
        tracemalloc.start()
        try:
            ledger.compact()
            sizes = [len(one.transcript.messages[0]["content"]) for one in ledger.attempts("base") if one.transcript]
            retained, peak = tracemalloc.get_traced_memory()  # what stays are libraries that were imported
        finally:
            tracemalloc.stop()
    assert sizes == [letters] * count
    assert peak - retained < count * letters / 2
