"""Made for tests: settings, jobs and tasks of the size that a test can train on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from environment.task import Task
from generators.families import FAMILIES, family_named
from training.settings import TrainingJob, TrainingSettings

REWARD = {
    "strict_share": 0.5,
    "incomplete_penalty": 0.2,
    "overlong_penalty": 0.2,
    "overlong_buffer": 8,
    "floor": -1.0,
}

SETTINGS: dict[str, Any] = {
    "updates": 3,
    "tasks_per_update": 2,
    "attempts_per_task": 2,
    "learning_rate": 0.02,
    "schedule": "constant",
    "warmup_updates": 0,
    "max_grad_norm": 1.0,
    "lora_rank": 4,
    "lora_alpha": 8,
    "temperature": 1.0,
    "max_turns": 4,
    "max_response_tokens": 40,
    "max_context": 1000,
    "loss_type": "dapo",
    "scale_rewards": "group",
    "reward": REWARD,
    "save_every": 1,
    "micro_batch": 4,
    "precision": "float32",
    "gradient_checkpointing": False,
    "generation": "in_process",
}


def make_settings(**changes: Any) -> TrainingSettings:
    return TrainingSettings.model_validate({**SETTINGS, **changes})


def make_job(model: Path, tasks: Path, output: Path, **changes: Any) -> TrainingJob:
    return TrainingJob(model=model, tasks=tasks, output=output, seed="tests", settings=make_settings(**changes))


def easy_task(family: str, index: int = 0) -> Task:
    """A task at the low end of every knob."""
    found = family_named(family)
    knobs = {name: knob.low for name, knob in found.knobs.items()}
    return found.generate("training tests", index, "train", knobs, "actions")


EASY_TASKS = [easy_task(family.name) for family in FAMILIES]
