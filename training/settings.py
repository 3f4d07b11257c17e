"""Settings of training say what an engagement decides about reward, algorithm and adapter; a job adds the files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue, model_validator

from environment.record import Record


class RewardSettings(Record):
    """How a verdict becomes a reward: a raw one in [0, 1], less penalties."""

    strict_share: float = Field(ge=0, le=1)
    """Weight of the strict pass; the rest is the weight of partial credit."""
    incomplete_penalty: float = Field(ge=0)
    """Taken off when the attempt did not end with an answer."""
    overlong_penalty: float = Field(ge=0)
    """Weight of the soft overlong punishment of arXiv:2503.14476, eq. 13; that paper's is 1."""
    overlong_buffer: int = Field(ge=1)
    """L_cache of eq. 13 in tokens: how far below `max_response_tokens` the punishment begins."""
    floor: float
    """No penalised reward is lower."""


class VllmSettings(Record):
    """Where vLLM runs, for the two generation modes that use it."""

    server_url: str | None = None
    """Base URL of the vLLM server; needed by `vllm_server`."""
    gpu_memory_share: float = Field(default=0.3, gt=0, lt=1)
    """Of a colocated engine; 0.3 is TRL's default."""
    tensor_parallel: int = Field(default=1, ge=1)
    """GPUs that one colocated engine spans."""
    sleep: bool = True
    """A colocated engine gives its memory back while the model learns."""


class MonitorSettings(Record):
    """How the policy is measured between updates, on tasks that it does not learn from."""

    every: int = Field(ge=1)
    """Updates between two measurements; the base is measured first."""
    attempts_per_task: int = Field(ge=1)
    patience: int | None = Field(ge=1)
    """Measurements in a row without a new best pass rate after which training stops; None never stops it early."""


class TrainingSettings(Record):
    """Everything about training that an engagement decides."""

    updates: int = Field(ge=1)
    tasks_per_update: int = Field(ge=1)
    attempts_per_task: int = Field(ge=2)
    """Size of a group; the study's is 8."""
    learning_rate: float = Field(gt=0)
    schedule: Literal["constant", "linear", "cosine"]
    """How the learning rate goes on after the warm-up."""
    warmup_updates: int = Field(ge=0)
    max_grad_norm: float = Field(gt=0)
    lora_rank: int = Field(ge=1)
    lora_alpha: float = Field(gt=0)
    temperature: float = Field(gt=0)
    max_turns: int = Field(ge=1)
    """Responses in one attempt."""
    max_response_tokens: int = Field(ge=1)
    """Of one response."""
    max_context: int = Field(ge=2)
    """Of prompt, responses and tool results together."""
    chat_template_arguments: Mapping[str, JsonValue] = {}
    """What the chat template takes besides messages and tools, such as a reasoning effort; as the endpoint gives it."""
    loss_type: Literal["grpo", "dr_grpo", "dapo"]
    """How token losses are averaged: dapo is arXiv:2503.14476, dr_grpo arXiv:2503.20783, grpo arXiv:2402.03300."""
    scale_rewards: Literal["group", "batch", "none"]
    """Whose deviation advantages are divided by: the group's (arXiv:2402.03300), or nobody's (arXiv:2503.20783)."""
    beta: float = Field(default=0.0, ge=0)
    """Weight of the divergence from the base; none, as arXiv:2503.14476 and arXiv:2503.20783 recommend."""
    epsilon: float = Field(default=0.2, gt=0, lt=1)
    """Lower clip range; 0.2 as in arXiv:2402.03300."""
    epsilon_high: float = Field(default=0.28, gt=0)
    """Upper clip range; 0.28 as in arXiv:2503.14476."""
    reward: RewardSettings
    monitor: MonitorSettings | None = None
    """None measures nothing between updates; no result depends on a measurement unless its patience ends."""
    save_every: int = Field(ge=1)
    """Updates between two checkpoints."""
    micro_batch: int = Field(ge=1)
    """Attempts whose gradients are computed at once on one device; it changes memory and speed, not the result."""
    precision: Literal["float32", "bfloat16"]
    gradient_checkpointing: bool
    """Compute activations twice to save memory."""
    generation: Literal["in_process", "vllm_colocate", "vllm_server"]
    vllm: VllmSettings = VllmSettings()

    @model_validator(mode="after")
    def _coherent(self) -> TrainingSettings:
        if self.reward.overlong_buffer > self.max_response_tokens:
            raise ValueError(
                f"training.reward.overlong_buffer {self.reward.overlong_buffer} exceeds max_response_tokens "
                f"{self.max_response_tokens}; make the buffer smaller"
            )
        if self.max_response_tokens >= self.max_context:
            raise ValueError(
                f"training.max_response_tokens {self.max_response_tokens} leaves no room for a prompt in max_context "
                f"{self.max_context}; lower the first or raise the second"
            )
        if self.attempts_per_update % self.micro_batch:
            raise ValueError(
                f"training.micro_batch {self.micro_batch} does not divide the {self.attempts_per_update} attempts of "
                "an update; choose a divisor of tasks_per_update * attempts_per_task"
            )
        if self.warmup_updates >= self.updates:
            raise ValueError(
                f"training.warmup_updates {self.warmup_updates} must be fewer than updates {self.updates}; lower it"
            )
        if self.generation == "vllm_server" and self.vllm.server_url is None:
            raise ValueError("training.generation is vllm_server and training.vllm.server_url is missing; give it")
        return self

    @property
    def attempts_per_update(self) -> int:
        return self.tasks_per_update * self.attempts_per_task


class TrainingJob(Record):
    """One training, as `python -m training.grpo` reads it from a file."""

    model: Path
    """Folder of the base: config.json, weights and tokenizer."""
    tasks: Path
    """JSONL of Task records: the training set."""
    monitor_tasks: Path | None = None
    """JSONL of Task records that the monitor attempts; given if and only if `settings.monitor` is."""
    output: Path
    """Folder of plan, log, checkpoints and adapter; a job that was interrupted goes on from what it holds."""
    seed: str
    """Seed of the engagement's generation: plan, adapter weights and responses derive from it."""
    settings: TrainingSettings

    @model_validator(mode="after")
    def _monitored_on_something(self) -> TrainingJob:
        if (self.settings.monitor is None) != (self.monitor_tasks is None):
            raise ValueError("training.monitor and the job's monitor_tasks go together; give both or neither")
        return self
