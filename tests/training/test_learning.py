from __future__ import annotations

import hashlib
import json
import shutil

import pytest

pytest.importorskip("trl")

from tests.training.jobs import REWARD, make_job, make_settings
from training.diagnostics import UpdateLog, read_updates
from training.learning import learn
from training.monitor import read_monitor
from training.plan import UpdatePlan
from training.result import read_result
from training.settings import TrainingJob

LONGER = {
    "max_response_tokens": 90,
    "temperature": 0.8,
    "reward": {**REWARD, "overlong_buffer": 88, "overlong_penalty": 1.0},
}
"""Long enough for the calls that the tiny model has memorised; length alone makes its rewards differ."""


@pytest.fixture(scope="module")
def uninterrupted(tiny_model, tiny_tasks, tmp_path_factory):
    """A finished job and the lines that were reported while it went on."""
    job = make_job(tiny_model, tiny_tasks, tmp_path_factory.mktemp("uninterrupted"), **LONGER)
    reported: list[UpdateLog] = []
    learn(job, reported.append)
    return job, reported


def _adapter_hash(job: TrainingJob) -> str:
    return hashlib.sha256((job.output / "adapter" / "adapter_model.safetensors").read_bytes()).hexdigest()


def _without_times(log: UpdateLog) -> dict:
    return log.model_dump(exclude={"seconds", "generation_s", "resumed"})


def test_a_finished_job_leaves_plan_log_adapter_and_result(uninterrupted):
    job, reported = uninterrupted
    logs = read_updates(job.output / "updates.jsonl")
    plan = UpdatePlan.model_validate_json((job.output / "plan.json").read_text())
    assert list(logs) == reported
    assert [log.update for log in logs] == [1, 2, 3]
    assert tuple(log.task_ids for log in logs) == plan.updates
    assert sorted(path.name for path in (job.output / "adapter").iterdir()) == [
        "adapter_config.json",
        "adapter_model.safetensors",
    ]
    assert json.loads((job.output / "adapter" / "adapter_config.json").read_text())["r"] == 4
    result = read_result(job.output)
    assert result.adapter_sha256 == _adapter_hash(job)
    assert result.stopped == "update 3 is the last of the plan"
    assert len(list((job.output / "checkpoints").glob("checkpoint-*"))) == 2


def test_the_log_accounts_for_every_attempt_and_token(uninterrupted):
    _, logs = uninterrupted
    for log in logs:
        assert log.attempts == log.scored == sum(log.ends.values()) == 4
        assert log.reward <= log.reward_raw
        assert log.entropy > 0
        assert tuple(log.task_rewards) == log.task_ids
        assert sum(log.task_rewards.values()) / 2 == pytest.approx(log.reward)
        assert log.turns > 1 or log.tool_tokens == 0
        assert log.prompt_tokens > 4 * 300
        assert log.response_tokens > 0
        assert not log.resumed
        assert not log.bugs
    assert any(log.tool_tokens for log in logs)  # the tiny model does call tools
    assert any(log.loss for log in logs)
    assert any(log.zero_variance_share < 1 for log in logs)


def test_a_job_that_is_done_is_not_done_again(uninterrupted):
    job, _ = uninterrupted
    result = read_result(job.output)
    assert learn(job, lambda log: pytest.fail("an update was made")) == result


class Killed(BaseException):
    """The program stops here, as if killed."""


def test_an_interrupted_job_goes_on_as_if_it_had_not_been_interrupted(uninterrupted, tmp_path):
    job, expected = uninterrupted
    again = job.model_copy(update={"output": tmp_path / "interrupted"})

    def killed_in_update_2(log: UpdateLog) -> None:
        if log.update == 2:
            raise Killed

    with pytest.raises(Killed):
        learn(again, killed_in_update_2)
    assert [log.update for log in read_updates(again.output / "updates.jsonl")] == [1, 2]
    cut = again.output / "checkpoints" / "checkpoint-2"
    shutil.copytree(again.output / "checkpoints" / "checkpoint-1", cut)
    (cut / "complete").unlink()
    learn(again, lambda log: None)
    logs = read_updates(again.output / "updates.jsonl")
    assert [log.resumed for log in logs] == [False, True, False]
    assert [_without_times(log) for log in logs] == [_without_times(log) for log in expected]
    assert _adapter_hash(again) == _adapter_hash(job)


def test_a_folder_of_another_job_is_refused(uninterrupted):
    job, _ = uninterrupted
    other = job.model_copy(update={"seed": "another"})
    with pytest.raises(ValueError, match="holds the training of another job"):
        learn(other, lambda log: None)


def test_a_prompt_that_fills_the_context_is_refused(tiny_model, tiny_tasks, tmp_path):
    job = make_job(tiny_model, tiny_tasks, tmp_path / "short", max_context=120)
    with pytest.raises(ValueError, match=r"tokens and training\.max_context is 120; raise it"):
        learn(job, lambda log: None)


def test_accumulated_gradients_make_the_same_update(uninterrupted, tiny_model, tiny_tasks, tmp_path):
    _, expected = uninterrupted
    job = make_job(tiny_model, tiny_tasks, tmp_path / "accumulated", **LONGER, updates=1, micro_batch=2)
    logs: list[UpdateLog] = []
    learn(job, logs.append)
    assert logs[0].reward == expected[0].reward
    assert logs[0].loss == pytest.approx(expected[0].loss, abs=1e-5)
    assert logs[0].grad_norm == pytest.approx(expected[0].grad_norm, rel=1e-3)


def test_the_monitor_stops_a_training_that_does_not_get_better(uninterrupted, tiny_tasks, tmp_path):
    job, expected = uninterrupted
    settings = make_settings(**LONGER, monitor={"every": 1, "attempts_per_task": 1, "patience": 1})
    monitored = job.model_copy(
        update={"output": tmp_path / "monitored", "settings": settings, "monitor_tasks": tiny_tasks}
    )
    result = learn(monitored, lambda log: None)
    logs = read_monitor(monitored.output / "monitor.jsonl")
    assert [(log.update, log.tasks, log.attempts, log.decision) for log in logs] == [
        (0, 4, 4, "go_on"),
        (1, 4, 4, "stop"),
    ]
    (update,) = read_updates(monitored.output / "updates.jsonl")
    assert (update.reward, update.response_tokens) == (expected[0].reward, expected[0].response_tokens)
    assert result.updates == 1
    assert "does not exceed" in result.stopped
    shutil.rmtree(monitored.output / "checkpoints")
    (monitored.output / "result.json").unlink()
    assert learn(monitored, lambda log: None) == result
    assert read_monitor(monitored.output / "monitor.jsonl") == logs  # the base was measured again and stands once
    (monitored.output / "result.json").unlink()
    assert learn(monitored, lambda log: pytest.fail("training went on after it had been stopped")) == result


def test_a_monitor_needs_tasks(uninterrupted):
    job, _ = uninterrupted
    with pytest.raises(ValueError, match="give both or neither"):
        TrainingJob.model_validate({**job.model_dump(), "monitor_tasks": job.tasks})
