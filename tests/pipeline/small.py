"""A small engagement: two families, a handful of tasks, one update."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import yaml

SMALL: dict[str, Any] = {
    "seed": "small",
    "candidates": {
        "families": ["ticket_triage", "leave_request"],
        "train": 8,
        "development": 1,
        "held_out": 2,
        "profile": "starter",
        "toolset": "actions",
    },
    "decontamination": {},
    "target": {
        "kind": "local",
        "model": "reference-policy",
        "label": "a small model",
        "temperature": 1.0,
        "max_tokens": 96,
        "max_context": 2560,
        "batch": 32,
        "limits": {"max_turns": 6, "concurrency": 16},
    },
    "calibration": {
        "band": {"low": 0.0, "high": 1.0},
        "max_attempts": 200,
        "max_batches": 1,
        "tau": 0.5,
        "n_min": 2,
        "n_max": 8,
        "pilot_per_family": 4,
        "batch_share": 4.0,
        "spare": 0.0,
    },
    "selection": {"quotas": {"support": 1, "hr": 1}, "family_cap": 4, "cluster_cap": 4, "min_per_app": 0},
    "training": {
        "updates": 2,
        "tasks_per_update": 2,
        "attempts_per_task": 2,
        "learning_rate": 1.0e-3,
        "schedule": "constant",
        "warmup_updates": 0,
        "max_grad_norm": 1.0,
        "lora_rank": 2,
        "lora_alpha": 4,
        "temperature": 1.0,
        "max_turns": 6,
        "max_response_tokens": 96,
        "max_context": 2560,
        "loss_type": "dapo",
        "scale_rewards": "group",
        "reward": {
            "strict_share": 0.5,
            "incomplete_penalty": 0.2,
            "overlong_penalty": 0.2,
            "overlong_buffer": 16,
            "floor": -0.5,
        },
        "save_every": 1,
        "micro_batch": 4,
        "precision": "float32",
        "gradient_checkpointing": False,
        "generation": "in_process",
    },
    "evaluation": {"attempts": 1, "temperature": 1.0, "other_temperatures": [0.0]},
}


def changed(*changes: tuple[str, Any]) -> dict[str, Any]:
    """The small engagement with values set at key paths such as `calibration.band.low`."""
    data = copy.deepcopy(SMALL)
    for path, value in changes:
        *parents, last = path.split(".")
        place = data
        for parent in parents:
            place = place[parent]
        place[last] = value
    return data


def write(path: Path, data: dict[str, Any] | None = None) -> Path:
    """The engagement as a YAML file."""
    path.write_text(yaml.safe_dump(SMALL if data is None else data))
    return path
